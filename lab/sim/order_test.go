package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// TestTimeOrder: events come in the order of time, and a copy, or a message that is overtaken, takes another
// delay.
func TestTimeOrder(t *testing.T) {
	for name, c := range map[string]struct{ duplicate, reorder float64 }{
		"copies": {0.5, 0}, "overtaken": {0, 0.5}, "both": {0.5, 0.5}, "neither": {},
	} {
		for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
			var last, longest time.Duration
			in := wildInput(3, func(e *election.Env, ev *election.Event) {
				require.GreaterOrEqual(t, ev.At, last, "%s, %s", name, schedule)
				last = ev.At
				switch {
				case ev.Op == election.Recv:
					longest = max(longest, ev.At-time.Duration(ev.Msg.Value))
				case ev.At < 60*sim.Unit:
					e.Send(0, election.Message{Kind: 1, Value: uint64(ev.At)})
					e.SetTimer(0, sim.Unit/4, sim.Unit/4)
				}
			})
			in.Faults.Duplicate, in.Faults.Reorder = c.duplicate, c.reorder
			config := sim.Config{Input: in, Schedule: schedule, Unordered: schedule == sim.RandomDelay,
				Force: true}
			s, err := sim.New(config)
			require.NoError(t, err)
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.Equal(t, r.Steps, r.Messages+r.Duplicated)
			require.Equal(t, c.duplicate > 0, r.Duplicated > 0)
			require.Equal(t, c.reorder > 0, r.Reordered > 0)
			delays := 1 // that a message has taken
			if c.duplicate > 0 {
				delays++
			}
			if c.reorder > 0 {
				delays++
			}
			if schedule == sim.UnitDelay {
				require.Equal(t, time.Duration(delays)*sim.Unit, longest, name)
			} else {
				require.Greater(t, longest, (2*time.Duration(delays)-1)*sim.Unit, name)
			}
		}
	}
}

// TestOneDown: the process that is down from the beginning is the expected one.
func TestOneDown(t *testing.T) {
	for _, down := range []election.ID{1, 2, 3} {
		var crashed []election.ID
		in := input(lcr.Participant(), []election.ID{2, 3, 1})
		in.Crashed = []election.ID{down}
		run(t, sim.Config{Input: in, Observe: func(o *observe.Occurrence) {
			if o.What == observe.Crash {
				crashed = append(crashed, o.Process)
			}
		}})
		require.Equal(t, in.Crashed, crashed)
	}
}

// TestOccurrences: only what happens to a message has the number of one.
func TestOccurrences(t *testing.T) {
	in := input(lcr.Participant(), []election.ID{2, 3, 1})
	in.CrashAt = []scenario.At{{ID: 2, Time: sim.Unit / 2}, {ID: 3, Time: sim.Unit / 2}}
	in.RecoverAt = []scenario.At{{ID: 2, Time: 2 * sim.Unit}}
	in.RestartAt = []scenario.At{{ID: 3, Time: 2 * sim.Unit}}
	in.PauseAt = []scenario.Pause{{ID: 1, From: sim.Unit / 3, Until: 4 * sim.Unit}}
	seen := make(map[observe.What]int)
	run(t, sim.Config{Input: in, Observe: func(o *observe.Occurrence) {
		seen[o.What]++
		isMessage := o.What == observe.Lose || o.What == observe.Step && o.Event.Op == election.Recv
		require.Equal(t, isMessage, o.Message > 0, "%v of %d", o.What, o.Process)
		require.Equal(t, o.What == observe.Restart, len(o.State) > 0)
	}})
	for _, what := range []observe.What{observe.Crash, observe.Recover, observe.Restart, observe.Pause,
		observe.Resume, observe.Lose} {
		require.Positive(t, seen[what], what)
	}
}

// TestRestoreMidway: a run goes back while messages are on their way, which are dropped.
func TestRestoreMidway(t *testing.T) {
	for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
		c := sim.Config{Input: input(lcr.Participant(), []election.ID{3, 1, 4, 8, 5, 2}), Schedule: schedule}
		want := run(t, c)
		s, err := sim.New(c)
		require.NoError(t, err)
		for range 8 {
			require.True(t, s.Step())
		}
		snap := s.Snapshot()
		for range 5 {
			require.True(t, s.Step())
			require.NoError(t, s.Restore(snap))
		}
		require.NoError(t, s.Run(t.Context()))
		want.Wall = 0
		require.Equal(t, want, s.Result(), schedule)
	}
}

// TestRestoreManyMessages: a Snapshot holds thousands of messages in their order.
func TestRestoreManyMessages(t *testing.T) {
	for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
		var got []uint64
		in := wildInput(2, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				got = append(got, ev.Msg.Value)
			} else if ev.Op == election.Start && e.Self().ID == 1 {
				for i := range uint64(2000) {
					e.Send(0, election.Message{Kind: 1, Value: i})
				}
			}
		})
		s, err := sim.New(sim.Config{Input: in, Schedule: schedule})
		require.NoError(t, err)
		for range 2 + 100 { // the starts, and some messages
			require.True(t, s.Step())
		}
		require.NoError(t, s.Restore(s.Snapshot()))
		require.NoError(t, s.Run(t.Context()))
		require.Len(t, got, 2000)
		for i := range got {
			require.EqualValues(t, i, got[i])
		}
	}
}

// TestOwnClock: a Node reads its own clock, by which its timers go too; the run goes by the right one.
func TestOwnClock(t *testing.T) {
	var got []string
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		noted(&got)(e, ev)
		if ev.Op == election.Start && e.Self().ID == 1 {
			e.SetTimer(7, 4*sim.Unit, 4*sim.Unit)
		}
		if ev.Op == election.Timeout {
			e.Send(0, election.Message{Kind: 1, Value: 8})
		}
	})
	in.ClockRates = []scenario.ClockRate{{ID: 1, Rate: 2}, {ID: 2, Rate: 0.5}}
	in.StartTimes = []time.Duration{sim.Unit, sim.Unit}
	r := run(t, sim.Config{Input: in})
	require.Equal(t, []string{"1 init 0 @0", "2 init 0 @0", "1 start 0 @2", "2 start 0 @0.5",
		"1 timeout 7 @6", "2 recv 8 @2"}, got)
	require.Equal(t, 4*sim.Unit, r.Time)
}

// TestLoneMessage: a single message that goes round without end takes no more memory with each step.
func TestLoneMessage(t *testing.T) {
	for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
		s, err := sim.New(sim.Config{Schedule: schedule, Input: wildInput(2,
			func(e *election.Env, ev *election.Event) {
				if ev.Op == election.Recv || ev.Op == election.Start && e.Self().ID == 1 {
					e.Send(0, election.Message{Kind: 1})
				}
			})})
		require.NoError(t, err)
		for range 1000 {
			require.True(t, s.Step())
		}
		require.Zero(t, testing.AllocsPerRun(1000, func() { s.Step() }), schedule)
	}
}

// shuffled returns the IDs from 1 to n in an order that is the same in every run.
func shuffled(n int) []election.ID {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	sim.Shuffle(7, n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}
