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

// TestBoundsOfDelays: the least and the longest delays that are accepted, and their neighbours that are not.
func TestBoundsOfDelays(t *testing.T) {
	mean := func(d time.Duration) sim.Delay { return sim.Delay{Distribution: sim.Exponential, Mean: d} }
	longestMean := time.Duration(sim.LongestDelay / scenario.LongestMeans)
	for d, ok := range map[sim.Delay]bool{
		mean(0): false, mean(1): true, mean(longestMean): true, mean(longestMean + 1): false,
		{Min: -1, Max: 5}: false, {Max: 5}: true, {Min: 1, Max: 5}: true, {Min: 5, Max: 5}: true,
		{Min: 6, Max: 5}: false, {Min: 0, Max: 0, Distribution: sim.Uniform}: false,
		{Max: sim.LongestDelay}: true, {Max: sim.LongestDelay + 1}: false,
	} {
		c := sim.Config{Input: input(lcr.Participant(), []election.ID{1, 2}), Schedule: sim.RandomDelay,
			Delay: d}
		err := c.Check()
		if ok {
			require.NoError(t, err, "%+v", d)
		} else {
			require.ErrorIs(t, err, election.ErrInput, "%+v", d)
		}
	}
}

// TestSameLinks: messages take the same times in two runs with equal schedules, and equal seeds if anything
// is random.
func TestSameLinks(t *testing.T) {
	unit := sim.Config{Schedule: sim.UnitDelay, Seed: 1}
	random := sim.Config{Schedule: sim.RandomDelay, Seed: 1, Delay: sim.Delay{Min: 1, Max: 2}}
	lossy := unit
	lossy.Faults.Loss = 0.5
	change := func(c sim.Config, by func(*sim.Config)) sim.Config { by(&c); return c }
	seed := func(c *sim.Config) { c.Seed = 2 }
	for _, tt := range []struct {
		what string
		a, b sim.Config
		same bool
	}{
		{"unit delays", unit, unit, true},
		{"unit delays, another seed", unit, change(unit, seed), true},
		{"random delays", random, random, true},
		{"random delays, another seed", random, change(random, seed), false},
		{"random delays without the order", random,
			change(random, func(c *sim.Config) { c.Unordered = true }), false},
		{"other random delays", random, change(random, func(c *sim.Config) { c.Delay.Max = 3 }), false},
		{"losses", lossy, lossy, true},
		{"losses, another seed", lossy, change(lossy, seed), false},
		{"another schedule", unit, change(random, func(c *sim.Config) { c.Delay = sim.Delay{} }), false},
	} {
		require.Equal(t, tt.same, tt.a.SameLinks(&tt.b), tt.what)
		require.Equal(t, tt.same, tt.b.SameLinks(&tt.a), tt.what)
	}
}

// TestOrderAtTheBeginning: a crash at time zero comes before the starts, a crash after that behind them.
func TestOrderAtTheBeginning(t *testing.T) {
	for at, want := range map[time.Duration][]string{
		0: {"1 init 0 @0", "2 init 0 @0", "1 start 0 @0"},
		1: {"1 init 0 @0", "2 init 0 @0", "1 start 0 @0", "2 start 0 @0"},
	} {
		var got []string
		in := wildInput(2, noted(&got))
		in.CrashAt = []scenario.At{{ID: 2, Time: at}}
		run(t, sim.Config{Input: in})
		require.Equal(t, want, got, "crash at %d", at)
	}
}

// TestHashOfAReturn: a return with state and one without have different hashes, even if the Node behaves the
// same.
func TestHashOfAReturn(t *testing.T) {
	hashes := make(map[uint64]bool)
	for _, saved := range []bool{false, true} {
		in := wildInput(2, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Save()
			}
		})
		at := []scenario.At{{ID: 1, Time: 2 * sim.Unit}}
		in.CrashAt = []scenario.At{{ID: 1, Time: sim.Unit}}
		if saved {
			in.RestartAt = at
		} else {
			in.RecoverAt = at
		}
		hashes[run(t, sim.Config{Input: in}).TraceHash] = true
	}
	require.Len(t, hashes, 2)
}

// TestCrashOfResumed: the crash of a process that is resumed loses the messages that wait for it, and no
// others.
func TestCrashOfResumed(t *testing.T) {
	var lost []election.ID
	received := 0
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			for range e.Self().ID { // 1 waits for two messages, 2 for one
				e.Send(0, election.Message{Kind: 1})
			}
		case election.Recv:
			require.EqualValues(t, 2, e.Self().ID)
			received++
		}
	})
	s, err := sim.New(sim.Config{Input: in, Observe: func(o *observe.Occurrence) {
		if o.What == observe.Lose {
			lost = append(lost, o.Process)
		}
	}})
	require.NoError(t, err)
	for range 2 { // the starts
		require.True(t, s.Step())
	}
	s.Pause(0)
	s.Pause(1)
	require.NoError(t, s.Run(t.Context()))
	s.Resume(0)
	s.Resume(1)
	s.Crash(0)
	require.Equal(t, []election.ID{1, 1}, lost)
	require.NoError(t, s.Run(t.Context()))
	require.Equal(t, []election.ID{1, 1}, lost)
	require.Equal(t, 1, received)
}

// TestDefaultDelays: without a Delay a message takes up to two units, or what the algorithm allows for.
func TestDefaultDelays(t *testing.T) {
	for bound, want := range map[time.Duration]time.Duration{
		0: 2 * sim.Unit, 1: 1, sim.Unit: sim.Unit, 2 * sim.Unit: 2 * sim.Unit, 5 * sim.Unit: 2 * sim.Unit,
	} {
		in := wildInput(2, nil)
		in.Algorithm.Delay = bound
		c := sim.Config{Input: in, Schedule: sim.RandomDelay}
		require.NoError(t, c.Check())
		require.Equal(t, sim.Delay{Min: 1, Max: want}, c.Delay)
	}
}

// TestHashOfTheLost: the hash tells apart runs that differ in a lost message alone, or in when a pause ends.
func TestHashOfTheLost(t *testing.T) {
	hash := func(value uint64, change func(*scenario.Input)) uint64 {
		in := wildInput(2, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Send(0, election.Message{Kind: 1, Value: value})
			}
		})
		change(&in)
		return run(t, sim.Config{Input: in}).TraceHash
	}
	loses := func(in *scenario.Input) { in.Faults.Loss = 1 }
	require.Equal(t, hash(1, loses), hash(1, loses))
	require.NotEqual(t, hash(1, loses), hash(2, loses))
	pauses := func(until time.Duration) func(*scenario.Input) {
		return func(in *scenario.Input) {
			in.PauseAt = []scenario.Pause{{ID: 1, From: 5 * sim.Unit, Until: until}}
		}
	}
	require.NotEqual(t, hash(1, pauses(6*sim.Unit)), hash(1, pauses(7*sim.Unit)))
}

// TestOccurrencesOfLinks: an observer sees each loss and each copy, with the number of the message and its
// sender, in a run that draws them and in one whose steps are given.
func TestOccurrencesOfLinks(t *testing.T) {
	var seen []observe.Occurrence
	observer := func(o *observe.Occurrence) {
		if o.What == observe.Lose || o.What == observe.Duplicate {
			seen = append(seen, *o)
		}
	}
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && e.Self().ID == 1 {
			e.Send(0, election.Message{Kind: 1})
			e.Send(0, election.Message{Kind: 1})
		}
	})
	occurred := func(what observe.What, message uint64, at time.Duration) observe.Occurrence {
		return observe.Occurrence{What: what, Process: 1, Message: message, At: at}
	}
	steps := []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Duplicate, Process: 2, Port: 1},
		{Do: observe.Lose, Process: 2, Port: 1, Nth: 1}}
	r := run(t, sim.Config{Input: in, Steps: steps, Observe: observer})
	require.Equal(t, []observe.Occurrence{occurred(observe.Duplicate, 1, sim.Unit),
		occurred(observe.Lose, 2, 2*sim.Unit)}, seen)
	require.EqualValues(t, []uint64{1, 1}, []uint64{r.Lost, r.Duplicated})

	seen, in.Faults.Duplicate = nil, 1
	run(t, sim.Config{Input: in, Observe: observer, Force: true})
	require.Equal(t, []observe.Occurrence{occurred(observe.Duplicate, 1, 0),
		occurred(observe.Duplicate, 2, 0)},
		seen)
	seen, in.Faults.Duplicate, in.Faults.Loss = nil, 0, 1
	run(t, sim.Config{Input: in, Observe: observer})
	require.Equal(t, []observe.Occurrence{occurred(observe.Lose, 1, 0), occurred(observe.Lose, 2, 0)}, seen)
}

// TestChainThroughAPause: a message that has waited for a process that pauses ends as long a chain as
// one that has not.
func TestChainThroughAPause(t *testing.T) {
	in := input(lcr.Participant(), []election.ID{5, 4, 3, 2, 1})
	want := run(t, sim.Config{Input: in}).Chain
	in.PauseAt = []scenario.Pause{{ID: 3, From: sim.Unit / 2, Until: 20 * sim.Unit}}
	require.Equal(t, want, run(t, sim.Config{Input: in}).Chain)
}

// TestRestoreElsewhere: a run can continue from a Snapshot of another run with the same Config, and the
// Snapshot does not change.
func TestRestoreElsewhere(t *testing.T) {
	c := sim.Config{Input: input(lcr.Participant(), []election.ID{3, 1, 4, 8, 5, 2})}
	want := run(t, c)
	want.Wall = 0
	var runs [2]*sim.Sim
	for i := range runs {
		s, err := sim.New(c)
		require.NoError(t, err)
		runs[i] = s
	}
	for range 8 {
		require.True(t, runs[0].Step())
	}
	require.NoError(t, runs[1].Restore(runs[0].Snapshot()))
	for _, s := range []*sim.Sim{runs[1], runs[0]} {
		require.NoError(t, s.Run(t.Context()))
		require.Equal(t, want, s.Result())
	}
}

// TestFromScenario: each field of a scenario that a run has comes into its Config.
func TestFromScenario(t *testing.T) {
	no, delay := false, sim.Delay{Min: 3, Max: 7}
	find := func(string, string) (*election.Algorithm, error) { return lcr.Participant(), nil }
	s := &scenario.Scenario{Algorithm: "lcr", IDs: []election.ID{1, 2}, Schedule: sim.RandomDelay, Seed: 9,
		FIFO: &no, Until: 5, Delay: &delay}
	c, err := sim.FromScenario(s, find)
	require.NoError(t, err)
	require.Equal(t, []any{sim.RandomDelay, uint64(9), true, time.Duration(5), delay, []election.ID{1, 2}},
		[]any{c.Schedule, c.Seed, c.Unordered, c.Until, c.Delay, c.IDs})
	yes := true
	for _, keeps := range []*bool{nil, &yes} {
		c, err = sim.FromScenario(&scenario.Scenario{Algorithm: "lcr", IDs: s.IDs, FIFO: keeps}, find)
		require.NoError(t, err)
		require.False(t, c.Unordered)
		require.Equal(t, sim.UnitDelay, c.Schedule)
	}
	_, err = sim.FromScenario(s, func(string, string) (*election.Algorithm, error) {
		return nil,
			election.ErrInput
	})
	require.ErrorIs(t, err, election.ErrInput)
}

// TestDrawnTimers: a timer runs out at any time from its least on, up to its most.
func TestDrawnTimers(t *testing.T) {
	var early, late bool
	in := wildInput(1, func(e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.SetTimer(0, sim.Unit, 3*sim.Unit)
		case election.Timeout:
			require.GreaterOrEqual(t, ev.At, sim.Unit)
			require.LessOrEqual(t, ev.At, 3*sim.Unit)
			early, late = early || ev.At < 3*sim.Unit/2, late || ev.At > 5*sim.Unit/2
		}
	})
	for seed := range uint64(50) {
		run(t, sim.Config{Input: in, Seed: seed})
	}
	require.True(t, early && late)
}

// TestRestartFirst: a process that is restarted before anything else has begun with the others.
func TestRestartFirst(t *testing.T) {
	var got []string
	in := wildInput(2, noted(&got))
	in.Initiators = []election.ID{}
	for _, restart := range []func(*sim.Sim){
		func(s *sim.Sim) { s.Restart(0) },
		func(s *sim.Sim) { require.NoError(t, s.RestartSaved(0)) },
	} {
		got = nil
		s, err := sim.New(sim.Config{Input: in, KeepSaved: true})
		require.NoError(t, err)
		restart(s)
		require.NoError(t, s.Run(t.Context()))
		require.Equal(t, []string{"1 init 0 @0", "2 init 0 @0", "1 init 0 @0", "1 rejoin 0 @0"}, got)
	}
}

// TestTimeOfWaiting: a message that waits for a paused process arrives when the process resumes.
func TestTimeOfWaiting(t *testing.T) {
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && e.Self().ID == 1 {
			e.Send(0, election.Message{Kind: 1})
		}
	})
	in.PauseAt = []scenario.Pause{{ID: 2, Until: 7 * sim.Unit}}
	require.Equal(t, 7*sim.Unit, run(t, sim.Config{Input: in}).Time)
}
