package main

import (
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/terminaltest"
)

// TestCommandKeys: on a terminal the members are drawn as they are, and keys act on the leader.
func TestCommandKeys(t *testing.T) {
	near, far := terminaltest.Open(t)
	cmd := exec.CommandContext(t.Context(), binary(t, "elect"), "cluster", "-n", "1", "--lease", "1s")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, far
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also if the test is killed
	require.NoError(t, cmd.Start())
	require.NoError(t, far.Close()) // so that reading ends when the command has ended
	drawn := ""
	chunk := make([]byte, 1<<12)
	until := func(want string) {
		t.Helper()
		for {
			if _, after, ok := strings.Cut(control.ReplaceAllString(drawn, ""), want); ok {
				drawn = after
				return
			}
			n, err := near.Read(chunk)
			require.NoError(t, err, drawn)
			drawn += string(chunk[:n])
		}
	}
	for _, step := range []struct{ shown, press string }{
		{"leads, ", "k"},
		{"killed at", "h"},
		{"restart a", ""},
		{"ms after kill", "q"},
		{"no two leases were valid at once", ""},
	} {
		until(step.shown)
		_, err := near.WriteString(step.press)
		require.NoError(t, err)
	}
	require.NoError(t, cmd.Wait())
}

// control matches the sequences that move the cursor and set colours.
var control = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)
