package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
)

// openTerminal returns both ends of a terminal: what is written to one is read from the other.
func openTerminal(t *testing.T) (near, far *os.File) {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { near.Close() })
	var number, locked uint32
	for request, to := range map[uintptr]*uint32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &locked} {
		_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), request, uintptr(unsafe.Pointer(to)))
		require.Zero(t, failed)
	}
	far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { far.Close() })
	return near, far
}

// TestProposePage: on a terminal elect sim says how a file is watched; elsewhere, and where no file is
// simulated, it does not.
func TestProposePage(t *testing.T) {
	const proposal = "elect page --scenario "
	file := filepath.Join(t.TempDir(), "a b.json")
	require.NoError(t, os.WriteFile(file, []byte(right), 0o600))
	for line, proposed := range map[string]bool{
		"--scenario FILE":         true,
		"--scenario -":            false,
		"--scenario FILE --json":  false,
		"--scenario FILE --log -": false,
		"lcr -n 3":                false,
	} {
		args := []string{"sim"}
		for _, arg := range strings.Fields(line) {
			args = append(args, strings.Replace(arg, "FILE", file, 1))
		}
		near, far := openTerminal(t)
		require.Zero(t, runWith(t.Context(), catalog.All(), args, strings.NewReader(right), far, far))
		shown := make([]byte, 1<<16) // as much as the terminal holds
		n, err := near.Read(shown)
		require.NoError(t, err)
		require.Equal(t, proposed, strings.Contains(string(shown[:n]), proposal+"'"+file+"' shows it"), line)
		require.NotContains(t, elect(t, right, args...).stdout, proposal)
	}
}
