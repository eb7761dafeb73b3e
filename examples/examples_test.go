// Package examples runs the examples and compares what they print.
package examples

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExamples(t *testing.T) {
	dir := t.TempDir() + "/"
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", dir, "./...").CombinedOutput()
	require.NoError(t, err, string(out))
	for name, want := range map[string]string{
		"ring": "leader 8 after 22 messages\n",
		"algorithm": "simulated: leader 1 messages 20 time 12\n" +
			"simulated: leader 1 on 1000 random schedules\n" +
			"goroutines: leader 1 messages 20\n" +
			"over a transport: leader 1\n",
		"transport": "2 knows: 3 leads in term 1 (follower)\n" +
			"3 knows: 3 leads in term 1 (leader)\n" +
			"1 knows: 3 leads in term 1 (follower)\n",
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), dir+name)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			require.NoError(t, err, stderr.String())
			require.Equal(t, want, string(out))
		})
	}
}

// TestExamplesAreShort: an algorithm takes at most 50 lines, a transport at most 50.
func TestExamplesAreShort(t *testing.T) {
	for file, most := range map[string]int{"algorithm/lowest.go": 50, "transport/udp.go": 50,
		"ring/main.go": 19} {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.LessOrEqual(t, strings.Count(string(b), "\n"), most, file)
	}
}
