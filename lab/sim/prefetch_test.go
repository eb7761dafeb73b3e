package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
)

// TestPrefetch: with each sixteenth message the receivers of the next sixteen are read, that of this one
// included.
func TestPrefetch(t *testing.T) {
	const n = 20
	ids := make([]election.ID, n)
	for p := range ids {
		ids[p] = election.ID(p + 1) // so that the first messages end at their receivers
	}
	for _, schedule := range []Schedule{UnitDelay, RandomDelay} {
		c := Config{Input: scenario.Input{Algorithm: lcr.Participant(), IDs: ids}, Schedule: schedule}
		if schedule == RandomDelay {
			c.Delay = Delay{Min: Unit, Max: Unit}
		}
		s, err := New(c)
		require.NoError(t, err)
		for range n { // the starts
			require.True(t, s.Step())
		}
		for p := range s.procs {
			s.procs[p].depth = 1 << p // so that the sum says which were read
		}
		require.Zero(t, s.prefetchSum)
		for range 16 {
			require.True(t, s.Step())
			// Message m goes from process m to the next. None raises the depth of its receiver.
			require.EqualValues(t, 1<<17-2, s.prefetchSum, schedule)
		}
		require.True(t, s.Step())
		require.EqualValues(t, 7<<17|1, s.prefetchSum, schedule)
	}
}

// marked is a Node whose memory begins with a mark.
type marked struct {
	mark uint8
	election.Node
}

// TestPrefetchNodes: the Nodes of these receivers are read as well.
func TestPrefetchNodes(t *testing.T) {
	a := *lcr.Participant()
	right := a.New
	a.New = func(s election.Setup) election.Node { return &marked{100, right(s)} }
	ids := make([]election.ID, 20)
	for p := range ids {
		ids[p] = election.ID(p + 1)
	}
	s, err := New(Config{Input: scenario.Input{Algorithm: &a, IDs: ids}})
	require.NoError(t, err)
	for range len(ids) + 1 {
		require.True(t, s.Step())
	}
	require.EqualValues(t, 1600, s.prefetchSum)
}

// once is a Node without memory of its own: an interface that holds a nil one points nowhere.
type once func()

func (once) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start {
		e.Send(election.Clockwise, election.Message{Kind: 1})
	}
}

func (once) State(*election.State) {}

// TestPrefetchNothing: a Node that points nowhere is not read.
func TestPrefetchNothing(t *testing.T) {
	a := *lcr.Participant()
	a.New = func(election.Setup) election.Node { return once(nil) }
	s, err := New(Config{Input: scenario.Input{Algorithm: &a, IDs: []election.ID{1, 2}}})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	require.EqualValues(t, 2, s.Result().Messages)
}
