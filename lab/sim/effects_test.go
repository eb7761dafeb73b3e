package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// TestRaised: what a process raises reaches Config.OnRaise in order, with the place of the process. What it
// lowers, below the lowest machine, reaches nothing. Entries of critical sections are in the Result.
func TestRaised(t *testing.T) {
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		if ev.Op != election.Start || e.Self().ID != 2 {
			return
		}
		e.Lower(election.Event{Op: election.Entered, Msg: election.Message{Value: 7}})
		e.Raise(election.Event{Op: election.Exited, Msg: election.Message{Flags: 1, Value: 8}})
		e.Raise(election.Event{Op: election.Entered, Msg: election.Message{Flags: 3, Value: 9}})
	})
	type raised struct {
		p     int
		op    election.Op
		value uint64
	}
	var got []raised
	for _, steps := range [][]scenario.Step{nil, {{Do: observe.Start, Process: 2}}} {
		got = nil
		r := run(t, sim.Config{Input: in, Steps: steps, OnRaise: func(p int, ev election.Event) {
			got = append(got, raised{p, ev.Op, ev.Msg.Value})
		}})
		require.Equal(t, []raised{{1, election.Exited, 8}, {1, election.Entered, 9}}, got)
		require.Equal(t, []verdict.Entry{{ID: 2, Section: 3, Token: 9}}, r.Entries)
		require.Equal(t, r.Entries, run(t, sim.Config{Input: in, Steps: steps}).Entries)
	}
}

// TestIncarnations: if the algorithm has leases, each Init carries a new number of the incarnation. Otherwise
// it carries none.
func TestIncarnations(t *testing.T) {
	for _, elects := range []election.Leadership{election.Successors, election.LeaseHolders} {
		var got []uint64
		in := wildInput(2, func(_ *election.Env, ev *election.Event) {
			if ev.Op == election.Init {
				got = append(got, ev.Msg.Value)
			}
		})
		in.Algorithm.Elects = elects
		s, err := sim.New(sim.Config{Input: in, KeepSaved: true})
		require.NoError(t, err)
		s.Restart(0)
		require.NoError(t, s.RestartSaved(1))
		s.Restart(0)
		if elects == election.LeaseHolders {
			require.Equal(t, []uint64{1, 1, 2, 3, 4}, got)
		} else {
			require.Equal(t, make([]uint64, 5), got)
		}
	}
}

// fussy is a Node that saves a state that it does not restore.
type fussy struct{}

func (fussy) Step(e *election.Env, _ *election.Event) { e.Save() }

func (fussy) State(s *election.State) {
	beyond := uint8(2)
	s.Enum(&beyond, 2)
}

// TestStateThatCannotBeRestored: a state that the Node does not take ends the run, and makes Restore fail.
func TestStateThatCannotBeRestored(t *testing.T) {
	in := wildInput(2, nil)
	in.Algorithm.New = func(election.Setup) election.Node { return fussy{} }
	s, err := sim.New(sim.Config{Input: in, KeepSaved: true})
	require.NoError(t, err)
	require.ErrorContains(t, s.Restore(s.Snapshot()), "sim: snapshot: process 1: ")
	require.NoError(t, s.Run(t.Context()))
	err = s.RestartSaved(1)
	require.ErrorContains(t, err, "saved: ")
	var of *observe.ProcessError
	require.ErrorAs(t, err, &of)
	require.EqualValues(t, 2, of.ID)
	require.False(t, s.Step())
}

// TestRestoreObserved: a run that is observed cannot go back, though one of the same Config can.
func TestRestoreObserved(t *testing.T) {
	c := sim.Config{Input: input(lcr.Participant(), []election.ID{1, 2})}
	plain, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, plain.Restore(plain.Snapshot()))
	c.Observe = func(*observe.Occurrence) {}
	observed, err := sim.New(c)
	require.NoError(t, err)
	require.ErrorContains(t, observed.Restore(plain.Snapshot()), "a run that is observed cannot go back")
}

// TestCopiesRefused: an algorithm that does not survive copies runs on links that make them only by force.
func TestCopiesRefused(t *testing.T) {
	for _, duplicate := range []float64{0, 0.01, 1} {
		for _, survives := range []bool{false, true} {
			in := wildInput(2, func(*election.Env, *election.Event) {})
			in.Faults.Duplicate, in.Algorithm.Faults.Copies = duplicate, survives
			_, err := sim.New(sim.Config{Input: in})
			if duplicate > 0 && !survives {
				require.ErrorIs(t, err, sim.ErrCopies)
			} else {
				require.NoError(t, err)
			}
			_, err = sim.New(sim.Config{Input: in, Force: true})
			require.NoError(t, err)
		}
	}
}

// TestOrders: Arrange drops the links of a complete graph, whose ports are in the order of the IDs, and keeps
// all others.
func TestOrders(t *testing.T) {
	require.Equal(t, []sim.Order{"sorted", "random", "best", "worst"}, sim.Orders())
	ids := []election.ID{3, 1, 2}
	complete, err := topology.CompleteOf(ids)
	require.NoError(t, err)
	in := scenario.Input{Algorithm: bullyAlgorithm(), IDs: ids, Topology: complete}
	require.True(t, sim.Arrange(&in, sim.SortedOrder, 0))
	require.Nil(t, in.Topology)
	require.NoError(t, in.Check())
	ring, err := topology.Ring(3, false)
	require.NoError(t, err)
	in = scenario.Input{Algorithm: hs.Probe(), IDs: ids, Topology: ring}
	require.True(t, sim.Arrange(&in, sim.SortedOrder, 0))
	require.Equal(t, ring, in.Topology)
}

// TestTimerOfAPausedProcess: a timer of a paused process that a step fires waits for the process. If it is
// stopped in the meantime, or the process crashes, it never fires.
func TestTimerOfAPausedProcess(t *testing.T) {
	var got []string
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		noted(&got)(e, ev)
		switch {
		case ev.Op == election.Init:
			e.SetTimer(3, sim.Unit, sim.Unit)
			e.SetTimer(4, sim.Unit, sim.Unit)
		case ev.Op == election.Start:
			e.StopTimer(4)
		}
	})
	at := func(do observe.What, timer uint8) scenario.Step {
		return scenario.Step{Do: do, Process: 1, Timer: timer}
	}
	pause, resume := at(observe.Pause, 0), at(observe.Resume, 0)
	third, fourth := at(observe.Timeout, 3), at(observe.Timeout, 4)
	for _, tt := range []struct {
		steps []scenario.Step
		want  []string
	}{
		{[]scenario.Step{pause, third, fourth, resume}, []string{"1 timeout 3 @3", "1 timeout 4 @3"}},
		{[]scenario.Step{pause, at(observe.Start, 0), fourth, third, resume},
			[]string{"1 start 0 @4", "1 timeout 3 @4"}},
		{[]scenario.Step{pause, third, at(observe.Crash, 0), at(observe.Recover, 0)},
			[]string{"1 init 0 @3", "1 rejoin 0 @3"}},
		{[]scenario.Step{fourth, {Do: observe.Suspect, Process: 1, Port: 1}, {Do: observe.Trust, Process: 2}},
			[]string{"1 timeout 4 @0", "1 suspect 0 @1", "2 trust 0 @2"}},
	} {
		got = nil
		run(t, sim.Config{Input: in, Steps: tt.steps})
		require.Equal(t, tt.want, got[2:])
	}
}

// TestTimerRunsOutOnce: a step cannot fire a timer that has fired already, unless it was set again.
func TestTimerRunsOutOnce(t *testing.T) {
	for _, again := range []bool{false, true} {
		in := wildInput(1, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Init || again && ev.Op == election.Timeout {
				e.SetTimer(3, sim.Unit, sim.Unit)
			}
		})
		out := scenario.Step{Do: observe.Timeout, Process: 1, Timer: 3}
		_, err := sim.Run(t.Context(), sim.Config{Input: in, Steps: []scenario.Step{out, out}})
		if again {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "steps[1]: timeout: timer 3 of layer 0 does not run at 1")
		}
	}
}

// TestPostedPanic: a Node that panics at an event from outside ends the run, as at any other.
func TestPostedPanic(t *testing.T) {
	in := wildInput(2, func(_ *election.Env, ev *election.Event) {
		if ev.Op == election.Suspect {
			panic("no")
		}
	})
	s, err := sim.New(sim.Config{Input: in})
	require.NoError(t, err)
	s.Post(1, election.Event{Op: election.Suspect})
	require.False(t, s.Step())
	require.ErrorIs(t, s.Err(), observe.ErrPanic)
	var of *observe.ProcessError
	require.ErrorAs(t, s.Err(), &of)
	require.EqualValues(t, 2, of.ID)
}

// TestPanicsByHand: a panic of a Node also ends a run that a caller begins, or in which a caller restarts the
// process.
func TestPanicsByHand(t *testing.T) {
	restartSaved := func(s *sim.Sim) { require.ErrorIs(t, s.RestartSaved(1), observe.ErrPanic) }
	for _, tt := range []struct {
		at election.Op
		do func(s *sim.Sim)
	}{
		{election.Rejoin, func(s *sim.Sim) { s.Restart(1) }},
		{election.Rejoin, restartSaved},
		{election.Init, func(s *sim.Sim) { s.Restart(1) }},
		{election.Init, restartSaved},
		{election.Init, func(s *sim.Sim) { s.Crash(0) }},
		{election.Init, func(s *sim.Sim) { s.Pause(0) }},
		{election.Init, func(s *sim.Sim) { s.Resume(0) }},
		{election.Init, func(s *sim.Sim) { s.Post(0, election.Event{Op: election.Start}) }},
	} {
		in := wildInput(2, func(e *election.Env, ev *election.Event) {
			if e.Self().ID == 2 && ev.Op == tt.at {
				panic("no")
			}
		})
		s, err := sim.New(sim.Config{Input: in, KeepSaved: true})
		require.NoError(t, err)
		tt.do(s)
		require.False(t, s.Step())
		var of *observe.ProcessError
		require.ErrorAs(t, s.Err(), &of)
		require.EqualValues(t, 2, of.ID)
		require.ErrorIs(t, s.Err(), observe.ErrPanic)
	}
}
