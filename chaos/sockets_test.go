package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSockets: what transports promise over pipes in virtual time, they also promise over sockets.
func TestSockets(t *testing.T) {
	suites := map[string]string{
		"../transport/tcp":      "^(TestConformance|TestReopenGroup|TestProxy)$",
		"../examples/transport": "^(TestUDP|TestReliable)$",
	}
	if testing.Short() {
		delete(suites, "../transport/tcp") // it takes more than a second to link it and to run
	}
	for dir, run := range suites {
		cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-run", run, ".",
			"-args", "-sockets")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--- PASS: Test")
	}
}
