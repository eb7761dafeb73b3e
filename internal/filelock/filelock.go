// Package filelock locks files against other processes.
package filelock

import "errors"

// ErrLocked is returned if another process, or another call in this process, holds the lock.
var ErrLocked = errors.New("the file is locked")
