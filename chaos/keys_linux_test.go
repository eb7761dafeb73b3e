package main

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/terminaltest"
)

// TestCommandKeys: on a terminal the table is drawn anew after each key, and shows what was done and what
// came of it.
func TestCommandKeys(t *testing.T) {
	near, far := terminaltest.Open(t)
	cmd := exec.CommandContext(t.Context(), binary(t, "elect"), "cluster", "-n", "1", "--lease", "100ms")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, far
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also if the test is killed
	require.NoError(t, cmd.Start())
	require.NoError(t, far.Close()) // so that reading ends when the command has ended
	drawn := ""
	chunk := make([]byte, 1<<12)
	until := func(want string) {
		t.Helper()
		for {
			if _, after, ok := strings.Cut(drawn, want); ok {
				drawn = after
				return
			}
			n, err := near.Read(chunk)
			require.NoError(t, err, drawn)
			// The terminal adds a carriage return.
			drawn += strings.ReplaceAll(string(chunk[:n]), "\r\r", "\r")
		}
	}
	press := func(keys string) {
		_, err := near.WriteString(keys)
		require.NoError(t, err)
	}
	until("   a leads\r\n")
	press("k")
	until("> kill ?")
	press("a")
	until("> kill a: done")
	until("   no leader\r\n")
	press("sa")
	until("> stop a: a is down")
	press("hb")
	until("> heal b: there is no member b")
	press("q")
	// On a busy machine a lease may lapse, and the member leads again.
	until("no two leases were valid at once")
	require.NoError(t, cmd.Wait())
}
