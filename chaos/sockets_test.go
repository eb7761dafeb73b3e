package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSockets: what transports promise over pipes in virtual time, they also promise over sockets.
func TestSockets(t *testing.T) {
	for dir, run := range map[string]string{
		"../transport/tcp":      "^(TestConformance|TestReopenGroup|TestProxy)$",
		"../examples/transport": "^TestUDP$",
	} {
		args := []string{"test", "-count=1", "-v", "-run", run, "."}
		if testing.Short() {
			args = append(args, "-short")
		}
		cmd := exec.CommandContext(t.Context(), "go", append(args, "-args", "-sockets")...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--- PASS: Test")
	}
}
