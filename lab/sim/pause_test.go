package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// noted returns a function that notes events as process, kind, a number, time.
func noted(got *[]string) func(e *election.Env, ev *election.Event) {
	return func(e *election.Env, ev *election.Event) {
		*got = append(*got, fmt.Sprintf("%v %v %d @%v", e.Self(), ev.Op, uint64(ev.Timer)+ev.Msg.Value,
			float64(ev.At)/float64(sim.Unit)))
	}
}

// resting returns three processes, of which 2 is sent messages by 1 in each of the first units,
// has timers of its own, and is paused from 2 until 6.
func resting(got *[]string) scenario.Input {
	in := wildInput(3, func(e *election.Env, ev *election.Event) {
		switch me := e.Self().ID; {
		case me == 1 && (ev.Op == election.Start || ev.Op == election.Timeout) && ev.At < 6*sim.Unit:
			e.Send(0, election.Message{Kind: 1, Value: uint64(ev.At / sim.Unit)})
			e.SetTimer(0, sim.Unit, sim.Unit)
		case me == 2:
			noted(got)(e, ev)
			if ev.Op == election.Start {
				e.SetTimer(30, 3*sim.Unit, 3*sim.Unit)
				e.SetTimer(35, 7*sim.Unit/2, 7*sim.Unit/2)
			}
			if ev.Op == election.Recv && ev.Msg.Value == 2 {
				e.StopTimer(35)
			}
		}
	})
	in.PauseAt = []scenario.Pause{{ID: 2, From: 2 * sim.Unit, Until: 6 * sim.Unit}}
	return in
}

// TestPause: messages and timers that come due wait in order; one that is stopped meanwhile does
// not run out.
func TestPause(t *testing.T) {
	var got []string
	in := resting(&got)
	want := []string{
		"2 init 0 @0", "2 start 0 @0", "2 recv 0 @1",
		"2 recv 1 @6", "2 recv 2 @6", "2 timeout 30 @6", "2 recv 3 @6", "2 recv 4 @6", "2 recv 5 @6",
	}
	r := run(t, sim.Config{Input: in})
	require.Equal(t, want, got)
	require.Equal(t, 6*sim.Unit, r.Time)
	require.EqualValues(t, 6, r.Steps)

	got = nil // two pauses that overlap are one, and so are two that meet
	for _, pauses := range [][]scenario.Pause{
		{{ID: 2, From: 3 * sim.Unit, Until: 6 * sim.Unit}, {ID: 2, From: 2 * sim.Unit, Until: 4 * sim.Unit}},
		{{ID: 2, From: 2 * sim.Unit, Until: 4 * sim.Unit}, {ID: 2, From: 4 * sim.Unit, Until: 6 * sim.Unit}},
	} {
		got, in.PauseAt = nil, pauses
		run(t, sim.Config{Input: in})
		require.Equal(t, want, got)
	}
}

// TestPauseAndCrash: a crash drops what waits, and ends the pause.
func TestPauseAndCrash(t *testing.T) {
	var got []string
	in := resting(&got)
	in.CrashAt = []scenario.At{{ID: 2, Time: 7 * sim.Unit / 2}}
	in.RecoverAt = []scenario.At{{ID: 2, Time: 9 * sim.Unit / 2}}
	run(t, sim.Config{Input: in})
	require.Equal(t, []string{
		"2 init 0 @0", "2 start 0 @0", "2 recv 0 @1",
		"2 init 0 @4.5", "2 rejoin 0 @4.5", "2 recv 4 @5", "2 recv 5 @6",
	}, got)
	got = nil
	in.CrashAt[0].Time, in.RecoverAt = 6*sim.Unit, nil
	run(t, sim.Config{Input: in})
	require.Len(t, got, 3, "a crash comes before the end of a pause")
}

// TestPauseAfterACrash: a process that comes back is not paused any more, and its next pause has its own end.
func TestPauseAfterACrash(t *testing.T) {
	var got []string
	in := wildInput(2, noted(&got))
	in.Initiators = []election.ID{}
	in.CrashAt = []scenario.At{{ID: 1, Time: 2 * sim.Unit}}
	in.RecoverAt = []scenario.At{{ID: 1, Time: 3 * sim.Unit}}
	in.PauseAt = []scenario.Pause{{ID: 1, From: sim.Unit, Until: 9 * sim.Unit},
		{ID: 1, From: 4 * sim.Unit, Until: 5 * sim.Unit}}
	var resumed []time.Duration
	run(t, sim.Config{Input: in, Observe: func(o *observe.Occurrence) {
		if o.What == observe.Resume {
			resumed = append(resumed, o.At)
		}
	}})
	require.Equal(t, []time.Duration{5 * sim.Unit}, resumed)
	require.Equal(t, []string{"1 init 0 @0", "2 init 0 @0", "1 init 0 @3", "1 rejoin 0 @3"}, got)
}

// TestReturnByHandBefore: a return that was planned does nothing if the process is back already.
func TestReturnByHandBefore(t *testing.T) {
	when := []scenario.At{{ID: 1, Time: 4 * sim.Unit}}
	for _, plan := range []func(*scenario.Input){
		func(in *scenario.Input) { in.RecoverAt = when },
		func(in *scenario.Input) { in.RestartAt = when },
	} {
		var got []string
		in := wildInput(2, noted(&got))
		in.Initiators, in.CrashAt = []election.ID{}, []scenario.At{{ID: 1, Time: 2 * sim.Unit}}
		plan(&in)
		s, err := sim.New(sim.Config{Input: in})
		require.NoError(t, err)
		for s.Now() < 2*sim.Unit {
			require.True(t, s.Step())
		}
		s.Restart(0)
		require.NoError(t, s.Run(t.Context()))
		require.Equal(t, []string{"1 init 0 @0", "2 init 0 @0", "1 init 0 @2", "1 rejoin 0 @2"}, got)
		require.Equal(t, 4*sim.Unit, s.Now())
	}
}

// TestPauseFromTheBeginning: what is down does not pause, and a start waits.
func TestPauseFromTheBeginning(t *testing.T) {
	var got []string
	in := wildInput(3, noted(&got))
	in.Crashed = []election.ID{3}
	in.PauseAt = []scenario.Pause{{ID: 2, Until: 2 * sim.Unit}, {ID: 3, Until: 2 * sim.Unit}}
	r := run(t, sim.Config{Input: in})
	require.Equal(t, []string{"1 init 0 @0", "2 init 0 @0", "1 start 0 @0", "2 start 0 @2"}, got)
	require.Zero(t, r.Time)
}

// TestOrderOfReturns: at one instant crashes and the beginnings of pauses, then starts, returns
// and the ends of pauses, then what has waited, then messages, then timers.
func TestOrderOfReturns(t *testing.T) {
	var got []string
	at := func(id election.ID) []scenario.At { return []scenario.At{{ID: id, Time: 4 * sim.Unit}} }
	in := wildInput(7, func(e *election.Env, ev *election.Event) {
		if ev.At == 4*sim.Unit {
			noted(&got)(e, ev)
		}
		switch {
		case ev.Op == election.Init && ev.At == 0:
			e.SetTimer(9, 4*sim.Unit, 4*sim.Unit)
			e.SetTimer(1, 3*sim.Unit, 3*sim.Unit)
		case ev.Op == election.Timeout && ev.Timer == 1 && e.Self().ID != 4:
			e.Send(0, election.Message{Kind: 1, Value: 7})
		}
	})
	in.Initiators, in.StartTimes = []election.ID{1}, []time.Duration{4 * sim.Unit}
	in.Crashed = []election.ID{2, 3}
	in.RestartAt, in.RecoverAt, in.CrashAt = at(2), at(3), at(5)
	in.PauseAt = []scenario.Pause{
		{ID: 4, From: 2 * sim.Unit, Until: 4 * sim.Unit}, {ID: 6, From: 4 * sim.Unit, Until: 5 * sim.Unit},
	}
	run(t, sim.Config{Input: in})
	require.Equal(t, []string{
		"1 start 0 @4", "3 init 0 @4", "3 rejoin 0 @4", "2 init 0 @4", "2 rejoin 0 @4",
		"4 timeout 1 @4", "2 recv 7 @4", "7 recv 7 @4", "1 recv 7 @4",
		"1 timeout 9 @4", "4 timeout 9 @4", "7 timeout 9 @4",
	}, got)
}

// counter is a Node that counts messages and saves each third count.
type counter struct{ count uint64 }

func (n *counter) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Command:
		if n.count++; n.count%3 == 0 {
			e.Save()
		}
	case election.Rejoin:
		e.Withdraw(1000 + n.count)
	}
}

func (n *counter) State(s *election.State) { s.Uint64(&n.count) }

func counters() scenario.Input {
	return scenario.Input{IDs: []election.ID{1, 2}, Algorithm: &election.Algorithm{Name: "counter",
		Topology: election.Ring,
		Elects:   election.Successors, New: func(election.Setup) election.Node { return &counter{} }}}
}

// TestRestart: a process comes back with what it saved last, or with nothing.
func TestRestart(t *testing.T) {
	at := []scenario.At{{ID: 1, Time: 2 * sim.Unit}}
	for _, tt := range []struct {
		recover, restart []scenario.At
		commands         int
		want             uint64
	}{
		{nil, at, 7, 1006}, {nil, at, 2, 1000}, {at, nil, 7, 1000}, {at, at, 7, 1000}, {nil, nil, 7, 0},
	} {
		in := counters()
		in.CrashAt = []scenario.At{{ID: 1, Time: sim.Unit}}
		in.RecoverAt, in.RestartAt = tt.recover, tt.restart
		s, err := sim.New(sim.Config{Input: in})
		require.NoError(t, err)
		for range tt.commands {
			s.Post(0, election.Event{Op: election.Command})
		}
		snap := s.Snapshot()
		for range 2 {
			require.NoError(t, s.Run(t.Context()))
			require.Equal(t, tt.want, s.Outcome(0).Term)
			require.NoError(t, s.Restore(snap))
		}
	}
}

// TestRestartSaved: as the driver of one process does it, so do an election's Terms outlive a
// crash.
func TestRestartSaved(t *testing.T) {
	s, err := sim.New(sim.Config{Input: input(lcr.Participant(), []election.ID{4, 2, 9, 1}), KeepSaved: true})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	again := func() {
		s.Post(1, start())
		require.NoError(t, s.Run(t.Context()))
	}
	again()
	s.Crash(1)
	r := s.Result()
	require.NoError(t, r.Err(), "those that are left agree")
	require.NoError(t, s.RestartSaved(1))
	require.Equal(t, election.Outcome{}, s.Outcome(1), "it does not remember its leader")
	again()
	require.Equal(t, election.Outcome{Term: 3, Leader: election.Rank{ID: 9}, Role: election.Follower},
		s.Outcome(1), "but the Term")

	s, err = sim.New(sim.Config{Input: counters()})
	require.NoError(t, err)
	require.ErrorIs(t, s.RestartSaved(1), election.ErrInput, "nothing is kept")
}

// TestPauseByHand: pauses, crashes and returns from outside, between any two steps.
func TestPauseByHand(t *testing.T) {
	var got []string
	in := wildInput(3, noted(&got))
	in.Initiators = []election.ID{}
	s, err := sim.New(sim.Config{Input: in})
	require.NoError(t, err)
	s.Pause(1)
	post := func(op election.Op) { s.Post(1, election.Event{Op: op, Port: 1}) }
	for _, op := range []election.Op{election.Suspect, election.Trust, election.Start} {
		post(op)
	}
	snap := s.Snapshot()
	check := func(want ...string) {
		t.Helper()
		require.NoError(t, s.Run(t.Context()))
		require.Equal(t, want, got)
		got = nil
	}
	check("1 init 0 @0", "2 init 0 @0", "3 init 0 @0")
	s.Resume(1)
	s.Resume(2) // it does not pause
	require.True(t, s.Step())
	halfway := s.Snapshot()
	s.Pause(1)
	check("2 suspect 0 @0")
	s.Resume(1)
	check("2 trust 0 @0", "2 start 0 @0")

	require.NoError(t, s.Restore(halfway))
	check("2 trust 0 @0", "2 start 0 @0")
	require.NoError(t, s.Restore(halfway))
	s.Restart(1)
	check("2 init 0 @0", "2 rejoin 0 @0")
	require.NoError(t, s.Restore(snap))
	s.Crash(1)
	s.Pause(1)
	s.Resume(1)
	post(election.Start)
	check([]string(nil)...)
}
