package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		require.Equal(t, statusFailed, cmd.ProcessState.ExitCode(), line)
		require.Equal(t, "elect: write /dev/stdout: no space left on device\n", stderr.String(), line)
	}
}
