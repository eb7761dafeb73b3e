package elector

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// errLocked: another program has locked a file.
var errLocked = errors.New("another program runs as this member")

// lockByName makes a file with the number of this process in it, and returns what removes it. The error wraps
// errLocked if there is one. It serves systems without a lock that ends with its program.
func lockByName(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		// The number is a hint for the operator. To remove the file of a process that has ended would need a
		// second lock: two programs might find it at once, and one remove the new file of the other.
		pid, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%w; if the process %.20q has ended, delete the file", errLocked, pid)
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
