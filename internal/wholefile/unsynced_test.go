package wholefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnsynced: a Write waits for the file and for its folder, and a Try for its file; while Unsynced is
// above 0, they wait for nothing, and write the same.
func TestUnsynced(t *testing.T) {
	syncs := 0
	flush = func(f *os.File) error { syncs++; return f.Sync() }
	defer func() { flush = (*os.File).Sync }()
	path := filepath.Join(t.TempDir(), "f")
	count := func(text string) int {
		syncs = 0
		require.NoError(t, Write(path, []byte(text)))
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(b))
		require.NoError(t, Try(path, 1))
		return syncs
	}
	require.Equal(t, 3, count("one"))
	Unsynced.Add(1)
	require.Zero(t, count("two"))
	Unsynced.Add(-1)
	require.Equal(t, 3, count("three"))
}
