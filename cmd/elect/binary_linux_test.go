package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// TestFullDisk uses a device that only Linux has.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	for _, line := range []string{"list", "list --json", "--version", "sim lcr -n 3", "sim --scenario -"} {
		cmd := exec.CommandContext(t.Context(), binary(t), strings.Fields(line)...)
		cmd.Stdin = strings.NewReader("[" + lateStart + "," + right + "," + right + "]")
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &stderr
		require.Error(t, cmd.Run(), line)
		require.Equal(t, exit.StatusFailed, cmd.ProcessState.ExitCode(), line)
		require.Equal(t, "elect: write /dev/stdout: no space left on device\n", stderr.String(), line)
	}
}

// TestUnwritable: what cannot be written is said in a line, wherever it was to go.
func TestUnwritable(t *testing.T) {
	for flag, line := range map[string]string{
		"svg":   "sim lcr -n 3 --svg /dev/full",
		"log":   "check dkr -n 3 --network unordered --log /dev/full",
		"out":   "check dkr -n 3 --network unordered --out /dev/full",
		"trace": "sim lcr -n 3 --trace /dev/full",
	} {
		elect(t, "", strings.Fields(line)...).requireLine(t, exit.StatusFailed,
			"--"+flag+" /dev/full: it cannot be written: no space left on device")
	}
	elect(t, "", strings.Fields("compare lcr -n 8 --svg /dev/full")...).
		requireLine(t, exit.StatusFailed, "--svg /dev/full: it cannot be written: no space left on device")
}
