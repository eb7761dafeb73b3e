//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import "errors"

// Lock returns errors.ErrUnsupported: package syscall has no locks that end with their process on this system.
func Lock(path string) (unlock func() error, err error) { return nil, errors.ErrUnsupported }
