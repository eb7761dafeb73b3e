package elector

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRights: only the user of the program reads and writes what a member keeps.
func TestRights(t *testing.T) {
	c := Config{Group: "g", Self: "a", Members: named("a"), Dir: filepath.Join(t.TempDir(), "of", "a")}
	s, err := openState(&c)
	require.NoError(t, err)
	require.NoError(t, s.save()([]byte("state")))
	unlock, err := lockByName(filepath.Join(c.Dir, "by name"))
	require.NoError(t, err)
	for path, want := range map[string]os.FileMode{
		"..": 0o700, ".": 0o700, "g,a.state": 0o600, "g,a.lock": 0o600, "by name": 0o600,
	} {
		info, err := os.Stat(filepath.Join(c.Dir, path))
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), path)
	}
	require.NoError(t, unlock())
	require.NoError(t, s.close())
}
