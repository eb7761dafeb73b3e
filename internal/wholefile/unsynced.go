package wholefile

import (
	"os"
	"sync/atomic"
)

// Unsynced is the number of running tests whose files need not survive a crash of the machine: while it is
// above 0, no write waits for the disk. It is one for the whole program, since such a test does not write
// the files: an Elector does.
var Unsynced atomic.Int32

// flush waits for the disk. Tests replace it.
var flush = (*os.File).Sync

// synced returns when what was written to a file is on the disk, if that matters.
func synced(f *os.File) error {
	if Unsynced.Load() > 0 {
		return nil
	}
	return flush(f)
}
