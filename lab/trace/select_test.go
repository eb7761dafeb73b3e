package trace_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
)

// TestSelection: the lines that are selected are those of the whole log, in its order, and no other is
// left out.
func TestSelection(t *testing.T) {
	tr := simulated(t, sim.Config{Input: scenario.Input{Algorithm: hs.Algorithms()[0], IDs: numbered(8)}})
	var whole bytes.Buffer
	require.NoError(t, trace.WriteLog(&whole, tr))
	for _, c := range []struct {
		selection trace.Selection
		of        string // what a selected line is like
		least     int
	}{
		{trace.Selection{}, `.*`, 150},
		{trace.Selection{Processes: []election.ID{3, 5}}, `^ *\S+ +[35]\.`, 40},
		{trace.Selection{Kinds: []string{"reply"}}, ` reply `, 30},
		{trace.Selection{Kinds: []string{"reply", "elected"}, Processes: []election.ID{8}},
			`^ *\S+ +8\..* (reply|elected) `, 6},
		{trace.Selection{From: 2 * unit, Until: 4 * unit}, `^ *[234] `, 15},
		{trace.Selection{From: 4 * unit}, `^ *([4-9]|[1-9]\d|end) `, 15},
	} {
		require.NoError(t, c.selection.Check(&tr.Header))
		var some bytes.Buffer
		require.NoError(t, trace.WriteSelected(&some, tr, c.selection))
		var want []string
		for line := range strings.Lines(whole.String()) {
			if len(want) == 0 || regexp.MustCompile(c.of).MatchString(line) {
				want = append(want, line) // the first is the title
			}
		}
		require.Greater(t, len(want), c.least)
		require.Equal(t, strings.Join(want, ""), some.String())
	}
	for want, s := range map[string]trace.Selection{
		"process: 9 is not a process of this run":                         {Processes: []election.ID{9}},
		`kind: the run has no messages "won", only probe, reply, elected`: {Kinds: []string{"won"}},
		"until: 1 is before 2":                                            {From: 2 * unit, Until: unit},
	} {
		err := s.Check(&tr.Header)
		require.ErrorIs(t, err, election.ErrInput)
		require.Equal(t, want, input.Reason(err))
	}
}
