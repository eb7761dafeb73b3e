package terminal

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPager: a pager gets all, with the options of git; to quit it early is no error.
func TestPager(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	os.Unsetenv("LESS")
	to, wait := paged(file, `echo "$LESS"; cat`)
	_, err = io.WriteString(to, "a\nb\n")
	require.NoError(t, err)
	require.NoError(t, wait())
	seen, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "FRX\na\nb\n", string(seen))

	to, wait = paged(file, "exit 0")
	for range 100 {
		n, err := io.WriteString(to, strings.Repeat("x", 1<<12))
		require.NoError(t, err)
		require.Equal(t, 1<<12, n)
	}
	require.NoError(t, wait())
}

// TestNoPager: what is no terminal gets everything itself.
func TestNoPager(t *testing.T) {
	for _, pager := range []string{"false", "cat", ""} {
		t.Setenv("PAGER", pager)
		var b strings.Builder
		to, wait := Page(os.Stdin, &b)
		require.Same(t, &b, to)
		require.NoError(t, wait())
	}
}
