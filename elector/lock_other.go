//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package elector

// lock is lockByName: package syscall has no advisory locks on this system.
func lock(path string) (unlock func() error, err error) { return lockByName(path) }
