package wholefile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/wholefile"
)

// TestWrite: Write replaces the file, even if an earlier Write was interrupted, and leaves no other file.
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

// TestTry: Try leaves no file, does not change the file of an interrupted Write, and returns the same error
// as Write.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(path+".new", []byte("being written"), 0o600))
	require.NoError(t, wholefile.Try(path, 1<<16))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	b, err := os.ReadFile(path + ".new")
	require.NoError(t, err)
	require.Equal(t, "being written", string(b))
	require.ErrorIs(t, wholefile.Try(filepath.Join(dir, "none", "f"), 1), fs.ErrNotExist)
}

// TestSame: by another path or link it is the same file, before it exists too; a device is harmless.
func TestSame(t *testing.T) {
	dir := t.TempDir()
	there, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(there, nil, 0o600))
	require.NoError(t, os.Symlink(dir, link))
	for pair, want := range map[[2]string]bool{
		{there, filepath.Join(dir, ".", "a")}: true, {there, filepath.Join(link, "a")}: true,
		{filepath.Join(dir, "new"), filepath.Join(link, "new")}:  true,
		{there, filepath.Join(dir, "new")}:                       false,
		{filepath.Join(dir, "new"), filepath.Join(dir, "other")}: false, {os.DevNull, os.DevNull}: false,
	} {
		require.Equal(t, want, wholefile.Same(pair[0], pair[1]), pair)
	}
}
