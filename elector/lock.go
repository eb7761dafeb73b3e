package elector

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/go-election/election/internal/filelock"
)

// errLocked is returned if another program has locked the file.
var errLocked = errors.New("another program runs as this member")

// lock locks a file, and creates it if needed. The error wraps errLocked if another program holds the lock.
func lock(path string) (unlock func() error, err error) {
	switch unlock, err = filelock.Lock(path); {
	case errors.Is(err, filelock.ErrLocked):
		return nil, errLocked
	case errors.Is(err, errors.ErrUnsupported):
		return lockByName(path)
	}
	return unlock, err
}

// lockByName creates a file that contains the process ID, for systems without file locks. unlock removes it. The
// error wraps errLocked if the file exists.
func lockByName(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		// The process ID is only for the operator. Removing a stale file safely would need a second lock: two
		// programs might find it at the same time, and one might remove the new file of the other.
		pid, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%w; if process %.20q has ended, delete this file", errLocked, pid)
	}
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprint(f, os.Getpid())
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return func() error { return os.Remove(path) }, nil
}
