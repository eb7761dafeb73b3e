//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package elector

// lock is lockByName: package syscall has no lock here that every program heeds.
func lock(path string) (unlock func() error, err error) { return lockByName(path) }
