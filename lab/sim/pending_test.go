package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// pendingRuns are elections in which much of all kinds is pending.
func pendingRuns(t *testing.T) map[string]sim.Config {
	t.Helper()
	of := func(name string, n int) sim.Config {
		a, err := catalog.Find(name, "")
		require.NoError(t, err)
		c := sim.Config{Input: scenario.Input{Algorithm: a}, Until: 40 * scenario.Unit, Seed: 3}
		for id := range n {
			c.IDs = append(c.IDs, election.ID(id+1))
		}
		return c
	}
	timers := of("bully", 5)
	timers.CrashAt = []scenario.At{{ID: 5, Time: scenario.Unit / 2}, {ID: 4, Time: 9 * scenario.Unit}}
	timers.RecoverAt = []scenario.At{{ID: 5, Time: 12 * scenario.Unit}}
	paused := of("bully", 5)
	paused.PauseAt = []scenario.Pause{{ID: 5, From: 1, Until: 8 * scenario.Unit},
		{ID: 2, From: scenario.Unit, Until: 3 * scenario.Unit}}
	faulty := of("hs", 6)
	faulty.Schedule, faulty.Force = sim.RandomDelay, true
	faulty.Faults = fault.Plan{Loss: 0.1, Duplicate: 0.2, Reorder: 0.2}
	random := of("lcr", 9)
	random.Schedule = sim.RandomDelay
	starts := of("lcr", 4)
	starts.Initiators = []election.ID{3, 1}
	starts.StartTimes = []time.Duration{2 * scenario.Unit, 5 * scenario.Unit}
	lost := of("bully", 4) // timers of several processes run out at one instant
	lost.Faults.Loss, lost.Force = 1, true
	suspected := of("modbully", 5)
	suspected.CrashAt = []scenario.At{{ID: 5, Time: 6 * scenario.Unit}}
	suspected.SuspectAfter = 2 * scenario.Unit
	return map[string]sim.Config{"lost": lost, "suspected": suspected, "unit": of("hs", 8), "timers": timers,
		"paused": paused, "faulty": faulty,
		"random": random, "starts": starts, "mutex": of("mutex", 4)}
}

// TestPendingHappens: what is pending first is what happens next, until nothing is pending.
func TestPendingHappens(t *testing.T) {
	kinds := map[observe.What]int{}
	for name, c := range pendingRuns(t) {
		var seen []observe.Occurrence
		c.Observe = func(o *observe.Occurrence) {
			kept := *o
			if o.What == observe.Step {
				kept.What = observe.What(o.Event.Op)
				event := *o.Event
				kept.Event = &event
			}
			seen = append(seen, kept)
		}
		s, err := sim.New(c)
		require.NoError(t, err)
		// The first step brings each process its Init, too, which is not pending.
		s.Step()
		for {
			pending := slices.Collect(s.Pending())
			seen = seen[:0]
			if !s.Step() {
				require.True(t, len(pending) == 0 || pending[0].Due > c.Until, "%s: %+v", name, pending)
				break
			}
			require.NotEmpty(t, pending, name)
			first := pending[0]
			require.Equal(t, first.Due, s.Now(), name)
			require.Equal(t, first.Process, c.IDs[first.To], name)
			kinds[first.Do]++
			if len(seen) == 0 { // it waits for a process that is paused, or is down
				require.NotEqual(t, sim.Up, s.Status(first.To), "%s: %+v", name, first)
				continue
			}
			requireHappened(t, name, &first, &seen[0])
		}
	}
	for _, do := range []observe.What{observe.Start, observe.Deliver, observe.Timeout, observe.Crash,
		observe.Recover, observe.Pause, observe.Resume, observe.Suspect} {
		require.Positive(t, kinds[do], do)
	}
}

// requireHappened wants what was pending to be what was observed.
func requireHappened(t *testing.T, name string, first *sim.Pending, o *observe.Occurrence) {
	t.Helper()
	do := first.Do
	if do == observe.Deliver && o.What == observe.Lose { // the receiver is down
		do = observe.Lose
	}
	require.Equal(t, do, o.What, "%s: %+v", name, first)
	require.Equal(t, first.Process, o.Process, name)
	if do == observe.Deliver {
		require.Equal(t, first.Message, o.Event.Msg, name)
		require.Equal(t, first.Port, o.Event.Port, name)
		require.Equal(t, first.Number, o.Message, name)
	}
	if do == observe.Timeout {
		require.Equal(t, first.Timer, o.Event.Timer, name)
		require.Equal(t, first.Layer, o.Event.Layer, name)
	}
}

// TestPendingChangesNothing: a run that is looked at before each step has the hash of one that is not.
func TestPendingChangesNothing(t *testing.T) {
	for name, c := range pendingRuns(t) {
		want, err := sim.Run(t.Context(), c)
		require.NoError(t, err, name)
		s, err := sim.New(c)
		require.NoError(t, err)
		for more := true; more; more = s.Step() {
			for range s.Pending() {
			}
		}
		require.Equal(t, want.TraceHash, s.Result().TraceHash, name)
	}
}

// TestPendingOnALink: messages of a link have their places on it and their sender, and a process that is
// paused keeps what has come.
func TestPendingOnALink(t *testing.T) {
	c := sim.Config{Input: scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{3, 1, 2}},
		Steps: []scenario.Step{{Do: observe.Start, Process: 3}, {Do: observe.Start, Process: 1},
			{Do: observe.Deliver, Process: 1, Port: 1}, {Do: observe.Pause, Process: 2},
			{Do: observe.Deliver, Process: 2, Port: 1}}}
	s, err := sim.New(c)
	require.NoError(t, err)
	require.Empty(t, slices.Collect(s.Pending()), "given steps are not pending")
	for range 3 {
		require.True(t, s.Step())
	}
	var ids []election.ID
	for m := range s.Pending() {
		require.Equal(t, []int{1, 2, len(ids)}, []int{m.From, m.To, m.Nth})
		ids = append(ids, m.Message.Rank.ID)
	}
	require.Equal(t, []election.ID{1, 3}, ids)
	require.True(t, s.Step())
	require.True(t, s.Step())
	require.Equal(t, sim.Paused, s.Status(2))
	require.Equal(t, "paused", s.Status(2).String())
	pending := slices.Collect(s.Pending())
	require.Len(t, pending, 2)
	require.Equal(t, election.ID(1), pending[1].Message.Rank.ID, "it waits for the process to go on")
	require.Equal(t, time.Duration(1<<63-1), pending[1].Due)
}

// TestNode: Node returns the Node that the algorithm has made for the process.
func TestNode(t *testing.T) {
	c := pendingRuns(t)["unit"]
	a := *c.Algorithm
	var made []election.Node
	var last election.Node
	create := a.New
	a.New = func(s election.Setup) election.Node {
		made = append(made, create(s))
		return made[len(made)-1]
	}
	c.Algorithm = &a
	s, err := sim.New(c)
	require.NoError(t, err)
	require.Len(t, made, len(c.IDs))
	for p := range c.IDs {
		require.Same(t, made[p], s.Node(p))
		for layer, machine := range s.Machines(p) { // the last is the innermost
			last = machine
			require.Zero(t, layer)
		}
		require.Same(t, made[p], last)
	}
}
