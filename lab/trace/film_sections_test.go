package trace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// TestSectionsRefused: a process that refuses something inside the critical section, as an arbiter the next
// Term, stays there; one that waits and refuses waits no longer.
func TestSectionsRefused(t *testing.T) {
	links, err := topology.Complete(2)
	require.NoError(t, err)
	ids := []election.ID{1, 2}
	run := &trace.Trace{Header: trace.Header{Driver: "sim", Links: links,
		Scenario: scenario.Scenario{Algorithm: "mutex", Variant: "ricartagrawala", IDs: ids}}}
	add := func(p election.ID, seq uint64, do observe.What, op string) {
		run.Events = append(run.Events, trace.Event{Process: p, Seq: seq, Do: do, Op: op})
	}
	add(1, 1, observe.Start, "")
	add(1, 2, observe.Raise, "entered")
	add(2, 1, observe.Start, "")
	add(1, 3, observe.Start, "")
	add(1, 4, observe.Refuse, "")
	add(2, 2, observe.Start, "")
	add(2, 3, observe.Refuse, "")
	f, err := trace.NewFilm(run)
	require.NoError(t, err)
	require.Equal(t, [][]int{{1, 0, 0}, {2, 1, 0}, {3, 1, 0}, {4, 0, 0}}, f.Head.Sections)
}
