// Package examples runs the examples and compares what they print.
package examples

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
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

// TestServiceUsage: a member accepts the command line in the comment of the service.
func TestServiceUsage(t *testing.T) {
	b, err := os.ReadFile("service/main.go")
	require.NoError(t, err)
	_, line, ok := strings.Cut(string(b), "\n//\tservice ")
	require.True(t, ok)
	line, _, _ = strings.Cut(line, "\n")
	args := strings.Fields(line)
	members, err := elector.ParseMembers(args[1:]...)
	require.NoError(t, err)
	require.Len(t, members, 3)
	e, err := elector.New(elector.Config{Group: "orders", Self: args[0], Members: members,
		Listen: "127.0.0.1:0"}) // its own port may be in use
	require.NoError(t, err)
	require.NoError(t, e.Close())
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
