package wholefile

import (
	"os"
	"path/filepath"
)

// Same reports whether two names refer to one file, whether it exists or not.
func Same(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		// Two names of a device or a pipe are the same file without any harm.
		return os.SameFile(first, second) && (first.Mode().IsRegular() || first.IsDir())
	}
	return err != nil && err2 != nil && resolved(a) == resolved(b)
}

// resolved returns the absolute name of a file, with symbolic links of its folder resolved.
func resolved(name string) string {
	folder, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return filepath.Clean(name)
	}
	// The folder alone: the file need not exist yet.
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return filepath.Join(folder, filepath.Base(name))
}
