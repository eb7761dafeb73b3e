package soak_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
)

// turns is a Node that shares a critical section by time alone: the process of the i-th ID is inside from i
// units on, for half a unit, and once more from i units after a Start that comes when all that a plan
// draws is over.
type turns struct {
	token func(place int, ev *election.Event) uint64
}

func (n *turns) State(*election.State) {}

func (n *turns) Step(e *election.Env, ev *election.Event) {
	const enter, leave, over, planned = 1, 2, 3, 400 * sim.Unit
	place := 1
	for port := range election.Port(e.Ports()) {
		if e.Peer(port).ID < e.Self().ID {
			place++
		}
	}
	switch {
	case ev.Op == election.Init, ev.Op == election.Start && ev.At >= planned:
		e.SetTimer(over, planned, planned) // no run rests before
		e.SetTimer(enter, time.Duration(place)*sim.Unit, time.Duration(place)*sim.Unit)
	case ev.Op == election.Timeout && ev.Timer == enter:
		e.Raise(election.Event{Op: election.Entered, Msg: election.Message{Value: n.token(place, ev)}})
		e.SetTimer(leave, sim.Unit/2, sim.Unit/2)
	case ev.Op == election.Timeout && ev.Timer == leave:
		e.Raise(election.Event{Op: election.Exited})
	}
}

// turnsWith returns the algorithm of turns, whose tokens are given.
func turnsWith(f election.Faults, token func(place int, ev *election.Event) uint64) *election.Algorithm {
	return &election.Algorithm{Name: "turns", Topology: election.Complete, TwoWay: true, Delay: sim.Unit,
		Elects: election.NoLeader, Sections: 1, LateStart: election.LateJoins, Faults: f,
		Kinds: []election.Kind{{Name: "none"}},
		New:   func(election.Setup) election.Node { return &turns{token} }}
}

// TestPause: processes pause where that is survived, for longer than messages may take. Then two may be in a
// critical section, but tokens must be larger afterwards.
func TestPause(t *testing.T) {
	byPlace := func(place int, _ *election.Event) uint64 { return uint64(place) }
	byTime := func(_ int, ev *election.Event) uint64 { return uint64(ev.At) }
	pausing := election.Faults{Pause: true}
	require.Nil(t, soaked(t, turnsWith(election.Faults{}, byPlace)), "no process pauses")
	require.Nil(t, soaked(t, turnsWith(pausing, byTime)), "two are inside")
	f := soaked(t, turnsWith(pausing, byPlace))
	require.NotNil(t, f)
	require.Equal(t, verdict.Tokens, f.Shrunk.Violation.Property)
	require.Len(t, f.Smallest.PauseAt, 1)
	require.Contains(t, f.Smallest.Describe(), "1 pause")

	asynchronous := turnsWith(election.Faults{}, byTime)
	asynchronous.Delay = 0
	f = soaked(t, asynchronous)
	require.NotNil(t, f, "where messages take any time, a pause is no excuse")
	require.Equal(t, verdict.Exclusive, f.Violation.Property)
}

// TestCut: links are cut for a while where that is survived.
func TestCut(t *testing.T) {
	a, err := catalog.Find("mutex", "ricartagrawala")
	require.NoError(t, err)
	require.Nil(t, soaked(t, a))
	b := *a
	b.Configure, b.Params, b.Faults.Cut = nil, nil, true
	f := soaked(t, &b)
	require.NotNil(t, f, "a request that is lost is never sent again")
	require.Equal(t, verdict.Served, f.Shrunk.Violation.Property)
	require.Len(t, f.Smallest.IDs, 2)
	require.Equal(t, 1, f.Smallest.Faults())
	require.Contains(t, f.Smallest.Describe(), "1 cut")
	replay(t, &b, f)
}

// soaked returns what fails in 300 runs.
func soaked(t *testing.T, a *election.Algorithm) *soak.Failure {
	t.Helper()
	r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Runs: 300})
	require.NoError(t, err)
	return r.Failure
}
