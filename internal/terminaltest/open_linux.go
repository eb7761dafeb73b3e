// Package terminaltest opens terminals for tests of commands.
package terminaltest

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// Open returns both ends of a terminal: what is written to one is read from the other.
func Open(t testing.TB) (near, far *os.File) {
	t.Helper()
	near = open(t, "/dev/ptmx", 0)
	var number, locked uint32
	for request, to := range map[uintptr]*uint32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &locked} {
		_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), request, uintptr(unsafe.Pointer(to)))
		if failed != 0 {
			t.Fatal(failed)
		}
	}
	return near, open(t, fmt.Sprintf("/dev/pts/%d", number), syscall.O_NOCTTY)
}

// Resize sets the size of a terminal.
func Resize(t testing.TB, terminal *os.File, columns, rows int) {
	t.Helper()
	size := [4]uint16{uint16(rows), uint16(columns)}
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
	if failed != 0 {
		t.Fatal(failed)
	}
}

func open(t testing.TB, name string, flags int) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR|flags, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
