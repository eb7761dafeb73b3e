package wholefile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/wholefile"
)

// TestWrite: the file is replaced, also where an earlier write has left its part behind; no other remains.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(path+".new", []byte("left behind, and longer"), 0o600))
	for _, text := range []string{"long", "s", ""} {
		require.NoError(t, wholefile.Write(path, []byte(text)))
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(b))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.ErrorIs(t, wholefile.Write(filepath.Join(dir, "none", "f"), nil), fs.ErrNotExist)
}
