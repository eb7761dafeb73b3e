package build_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
)

// Folders of builds that were killed are removed a day later; a build that runs keeps its own, and what is
// not a build's stays.
func TestLeftoversAreRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b") // which is no pattern
	old := time.Now().Add(-25 * time.Hour)
	for _, name := range []string{"elect-page-1", "elect-page-2", "other-1"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name, "lab"), 0o777))
		if name != "elect-page-2" {
			require.NoError(t, os.Chtimes(filepath.Join(dir, name), old, old))
		}
	}
	file := filepath.Join(dir, "elect-page-3")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	require.NoError(t, os.Chtimes(file, old, old))
	build.RemoveLeftovers(dir, "elect-page-")
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	require.Equal(t, []string{"elect-page-2", "elect-page-3", "other-1"}, names)
}
