package build

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	temporary  = "elect-page-"  // begins the names of the folders in which pages are built
	unfinished = "new-"         // prefix of the names of pages that are being written into a cache
	aDay       = 24 * time.Hour // no build takes that long
)

// removeLeftovers removes the folders that builds have left in a folder because they were killed.
func removeLeftovers(folder, prefix string) {
	all, _ := os.ReadDir(folder) // a folder that cannot be read has nothing that can be removed
	for _, entry := range all {
		info, err := entry.Info()
		if err == nil && info.IsDir() && strings.HasPrefix(entry.Name(), prefix) &&
			time.Since(info.ModTime()) > aDay {
			// Of another user on the same machine it cannot be removed, which is as it should be.
			_ = os.RemoveAll(filepath.Join(folder, entry.Name()))
		}
	}
}
