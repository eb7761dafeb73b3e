package build

import (
	"os"
	"path/filepath"
	"time"
)

const (
	temporary  = "elect-page-"  // begins the names of the folders in which pages are built
	unfinished = "new-"         // begins those of the pages that are being written into a cache
	aDay       = 24 * time.Hour // no build takes that long
)

// removeLeftovers removes the folders that builds have left in a folder because they were killed.
func removeLeftovers(folder, prefix string) {
	names, _ := filepath.Glob(filepath.Join(folder, prefix+"*")) // no error: the pattern is a good one
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.IsDir() && time.Since(info.ModTime()) > aDay {
			// Of another user on the same machine it cannot be removed, which is as it should be.
			_ = os.RemoveAll(name)
		}
	}
}
