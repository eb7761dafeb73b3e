package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/check"
)

// TestPinnedCounts: how many states every algorithm has on small networks. The smallest change of what an
// algorithm does shows here. Of networks that have more than a limit, the states up to some depth are
// counted.
func TestPinnedCounts(t *testing.T) {
	for _, limit := range []int{5_000, 40_000} {
		if limit > 5_000 && testing.Short() {
			break
		}
		var b strings.Builder
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w,
			"algorithm\tprocesses\tstart\tlinks\ttime\tstates\ttransitions\tdepth\tlongest\tmessages")
		for _, a := range catalogtest.Resting() {
			for n := 1; n <= 3; n++ {
				pin(t, w, a, n, limit)
			}
		}
		require.NoError(t, w.Flush())
		asWritten(t, filepath.Join("testdata", fmt.Sprintf("pinned-%d.txt", limit)), trimmed(b.String()))
	}
}

// trimmed returns a text without spaces at the ends of lines.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// pin writes the lines of one algorithm among n processes. A cube has 2^(n-1) processes instead, a grid nine.
func pin(t *testing.T, w *tabwriter.Writer, a *election.Algorithm, n, limit int) {
	c := check.Config{MaxStates: limit}
	switch a.Topology {
	case election.Hypercube:
		n = 1 << (n - 1)
	case election.Mesh:
		if n > 2 {
			return
		}
		c.Initiators, n = falling(n), 9
	}
	c.Input.IDs = falling(n)
	c.Algorithm = find(t, a.Name, a.Variant, c.IDs, nil)
	for _, c.Started = range []bool{false, true} {
		for _, c.Unordered = range []bool{false, true} {
			if c.Unordered && a.NeedsFIFO ||
				!c.Started && a.Title() == "mutex/tokenring" || // see TestUsedUpToken
				c.Started && drawsAtStart(a) {
				continue
			}
			c.Delay = a.Delay // without it time-outs mean nothing, see TestLateMessagesMakeTwoLeaders
			pinLine(t, w, c)
		}
	}
}

// drawsAtStart reports whether a start is left to chance: then no first state has all starts in it.
func drawsAtStart(a *election.Algorithm) bool { return a.Name == "itairodeh" }

func pinLine(t *testing.T, w *tabwriter.Writer, c check.Config) {
	t.Helper()
	r := run(t, c)
	require.NotErrorIs(t, r.Err(), check.ErrViolated, "%s %d %v", c.Algorithm.Title(), len(c.IDs),
		c.Unordered)
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t", c.Algorithm.Title(), len(c.IDs),
		either(c.Started, "together", "any"),
		either(c.Unordered, "any", "fifo"), either(c.Delay > 0, "yes", "no"))
	if !r.Exhausted {
		require.ErrorIs(t, r.Stopped, check.ErrLimit)
		fmt.Fprintf(w, "%d+\t%d+\t%d+\t\t\n", r.States, r.Transitions, r.Depth-1)
		return
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\n", r.States, r.Transitions, r.Depth, r.Longest, r.Messages)
}

func either(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}

// asWritten wants a file to be so, or makes it so.
func asWritten(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(have), "run the test with -update, and see what has changed")
}
