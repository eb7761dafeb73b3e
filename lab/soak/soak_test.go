package soak_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
)

var long = flag.Bool("long", false, "soak for longer")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestCatalog: everything in the catalog stands a thousand runs, and few get no faults.
func TestCatalog(t *testing.T) {
	runs := uint64(1000)
	if !*long {
		runs = 300
	}
	for _, a := range catalog.All() {
		t.Run(a.Title(), func(t *testing.T) {
			r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Runs: runs, Processes: 9})
			require.NoError(t, err)
			require.NoError(t, r.Stopped)
			if f := r.Failure; f != nil {
				require.Fail(t, f.Violation.Error(), "seed %d", f.Seed)
			}
			require.EqualValues(t, runs, r.Runs)
			require.NotZero(t, r.Messages)
			require.NotZero(t, r.Simulated)
			require.Equal(t, a.Faults.Crash != election.NoCrash, r.Crashes > 0)
		})
	}
}

// TestVoters: whatever voters processes wish and programs ask for, no two processes lead at the same time, Terms
// increase, and each configuration of voters follows the previous one. Once all wish the same voters, one process leads
// them.
func TestVoters(t *testing.T) {
	runs := uint64(1_000_000)
	if !*long {
		runs = 3000
	}
	a, err := catalog.Find("lease", "")
	require.NoError(t, err)
	r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Profile: soak.Voters, Runs: runs})
	require.NoError(t, err)
	if f := r.Failure; f != nil {
		require.Fail(t, f.Violation.Error(), "seed %d: %s", f.Seed, f.Smallest.Describe())
	}
	require.Equal(t, runs, r.Runs)
	require.Greater(t, r.Crashes, runs)
}

// TestHeartbeats: what never comes to rest gets a time.
func TestHeartbeats(t *testing.T) {
	for _, a := range []string{"bully", "modbully"} {
		alg, err := catalog.Find(a, "")
		require.NoError(t, err)
		r, err := soak.Run(t.Context(), soak.Config{Algorithm: alg, Runs: 300, Processes: 5,
			Params: map[string]params.Value{"heartbeat": {Number: 8}}})
		require.NoError(t, err)
		require.Nil(t, r.Failure, a)
	}
}

// spoilt is a Node of which a Step is replaced.
type spoilt struct {
	election.Node
	step func(n election.Node, e *election.Env, ev *election.Event)
}

func (s *spoilt) Step(e *election.Env, ev *election.Event) { s.step(s.Node, e, ev) }

// spoil returns an algorithm of which every Step is replaced.
func spoil(a *election.Algorithm, step func(n election.Node, e *election.Env,
	ev *election.Event)) *election.Algorithm {
	b := *a
	b.Name, b.Configure, b.Params = "spoilt", nil, nil
	b.New = func(s election.Setup) election.Node { return &spoilt{a.New(s), step} }
	return &b
}

// overlooks is LCR that takes a message of a process of twice its ID for its own: two lead.
func overlooks() *election.Algorithm {
	return spoil(lcr.Participant(), func(n election.Node, e *election.Env, ev *election.Event) {
		if me := e.Self().ID; ev.Op == election.Recv && ev.Msg.Kind == 1 && ev.Msg.Rank.ID == 2*me {
			e.Decide(e.Self())
		}
		n.Step(e, ev)
	})
}

// deaf is bully that does not hear of a suspicion: no process replaces a leader that has crashed.
func deaf(t *testing.T) *election.Algorithm {
	t.Helper()
	a, err := bully.Rules(bully.Config{})
	require.NoError(t, err)
	return spoil(a, func(n election.Node, e *election.Env, ev *election.Event) {
		if ev.Op != election.Suspect {
			n.Step(e, ev)
		}
	})
}

// hasty is bully that leads until it hears of a larger process. In the end all is right.
func hasty(t *testing.T) *election.Algorithm {
	t.Helper()
	a, err := bully.Rules(bully.Config{})
	require.NoError(t, err)
	return spoil(a, func(n election.Node, e *election.Env, ev *election.Event) {
		if n.Step(e, ev); ev.Op == election.Start {
			e.DecideIn(1, e.Self())
		}
	})
}

// forgetful is an arbiter whose clients do not wait for it.
func forgetful(t *testing.T) *election.Algorithm {
	t.Helper()
	elect, err := bully.Rules(bully.Config{})
	require.NoError(t, err)
	a, err := mutex.Arbiter(mutex.Config{Election: elect, CriticalSection: sim.Unit})
	require.NoError(t, err)
	return spoil(a, func(n election.Node, e *election.Env, ev *election.Event) {
		if n.Step(e, ev); ev.Op == election.Start {
			e.Raise(election.Event{Op: election.Entered, Msg: election.Message{Value: 1}})
		}
	})
}

func panics() *election.Algorithm {
	return spoil(lcr.Participant(), func(n election.Node, e *election.Env, ev *election.Event) {
		if ev.Op == election.Recv && ev.Msg.Kind == 2 && e.Self().ID == 3 {
			panic("three")
		}
		n.Step(e, ev)
	})
}

func endless() *election.Algorithm {
	return spoil(lcr.Participant(), func(n election.Node, e *election.Env, ev *election.Event) {
		if n.Step(e, ev); ev.Op == election.Recv && ev.Msg.Kind == 2 {
			e.Send(0, ev.Msg)
		}
	})
}

// TestFound: what is wrong is found, and made as small as it can be.
func TestFound(t *testing.T) {
	soak.LowerStepLimit(t, 1<<14)
	for name, c := range map[string]struct {
		algorithm         *election.Algorithm
		property          verdict.Property
		reason            string
		processes, starts int
		faults, prompts   int
	}{
		"two leaders": {overlooks(), verdict.OneLeader, "both lead in Term 1", 2, 1, 0, 0},
		"deaf":        {deaf(t), verdict.Agreement, "process 1 follows 2", 2, 1, 1, 0},
		"hasty":       {hasty(t), verdict.OneLeader, "both lead in Term 1", 2, 0, 0, 0},
		"forgetful":   {forgetful(t), verdict.Exclusive, "are in critical section 0 together", 1, 1, 0, 0},
		"panics":      {panics(), verdict.Sound, "process 3: a node panicked: three", 1, 1, 0, 0},
		"endless":     {endless(), verdict.Rests, "it continues", 1, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := soak.Run(t.Context(), soak.Config{Algorithm: c.algorithm, Runs: 2000, Processes: 8})
			require.NoError(t, err)
			f := r.Failure
			require.NotNil(t, f)
			require.ErrorIs(t, f.Violation, soak.ErrViolated)
			require.Equal(t, c.property, f.Violation.Property)
			require.Equal(t, c.property, f.Shrunk.Violation.Property)
			require.Contains(t, f.Shrunk.Violation.Reason, c.reason)
			require.Len(t, f.Smallest.IDs, c.processes)
			require.Equal(t, c.starts, f.Smallest.Starts())
			require.Equal(t, c.faults, f.Smallest.Faults())
			require.Len(t, f.Smallest.Prompts, c.prompts)
			require.Equal(t, sim.UnitDelay, f.Smallest.Schedule)
			require.Empty(t, f.Smallest.StartTimes)
			require.Equal(t, f.Shrunk.Violation, f.Smallest.Run(nil).Violation, "it fails again")

			same, err := (&soak.Config{Algorithm: c.algorithm, Processes: 8}).Plan(f.Seed)
			require.NoError(t, err)
			require.Equal(t, f.Violation, same.Run(nil).Violation, "its number alone makes the run")
			replay(t, c.algorithm, f)
		})
	}
}

// replay runs the scenario of what is left of a failure, and finds it as wrong.
func replay(t *testing.T, a *election.Algorithm, f *soak.Failure) {
	t.Helper()
	s, err := f.Smallest.Scenario()
	require.NoError(t, err)
	require.Equal(t, f.Shrunk.Violation.Reason, s.Note)
	var file bytes.Buffer
	require.NoError(t, scenario.Write(&file, s))
	read, err := scenario.Read(&file)
	require.NoError(t, err)
	c, err := sim.FromScenario(read[0], func(string, string) (*election.Algorithm, error) { return a, nil })
	require.NoError(t, err)
	inside, together := 0, false
	c.Until = 1000 * sim.Unit
	c.OnRaise = func(_ int, ev election.Event) {
		switch ev.Op {
		case election.Entered:
			inside++
		case election.Exited:
			inside--
		}
		together = together || inside > 1
	}
	r, err := sim.Run(t.Context(), c)
	if err == nil {
		require.True(t, r.Err() != nil || r.Time > 900*sim.Unit || together)
	}
}

// TestReproducible: the same numbers give the same, however many workers share the runs.
func TestReproducible(t *testing.T) {
	for _, a := range []*election.Algorithm{lcr.Max(), bully.Algorithms()[0], overlooks()} {
		var first soak.Result
		for workers := 1; workers <= 4; workers++ {
			r, err := soak.Run(t.Context(),
				soak.Config{Algorithm: a, Seed: 7, Runs: 700, Workers: workers, Processes: 6})
			require.NoError(t, err)
			r.Wall = 0
			if workers == 1 {
				first = r
			}
			require.Equal(t, first.Tally, r.Tally)
			require.Equal(t, first.Failure == nil, r.Failure == nil)
			if r.Failure != nil {
				require.Equal(t, first.Failure.Seed, r.Failure.Seed)
				require.Equal(t, first.Failure.Violation, r.Failure.Violation)
				require.Equal(t, first.Failure.Shrunk, r.Failure.Shrunk)
				require.Equal(t, first.Failure.Smallest.IDs, r.Failure.Smallest.IDs)
			}
		}
	}
}

// TestShrinkingEnds: smaller plans that take many steps are given up, and what is left still fails.
func TestShrinkingEnds(t *testing.T) {
	soak.LowerStepLimit(t, 1<<12)
	plan, err := (&soak.Config{Algorithm: endless(), Processes: 8}).Plan(11)
	require.NoError(t, err)
	v := plan.Run(nil).Violation
	require.Equal(t, verdict.Rests, v.Property)
	_, whole := soak.Shrink(t.Context(), plan, v)
	soak.LowerShrinking(t, 1<<13)
	left, some := soak.Shrink(t.Context(), plan, v)
	require.Less(t, some.Tried, whole.Tried)
	require.Equal(t, some.Violation, left.Run(nil).Violation)
}

// TestSmallestSeed: of several runs that fail the first is reported.
func TestSmallestSeed(t *testing.T) {
	c := soak.Config{Algorithm: overlooks(), Workers: 4, Runs: 2000}
	r, err := soak.Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, r.Failure.Seed+1, r.Runs)
	for seed := range r.Failure.Seed {
		plan, err := c.Plan(seed)
		require.NoError(t, err)
		require.Nil(t, plan.Run(nil).Violation, "seed %d", seed)
	}
}

// TestDuration: runs are made for as long as they should; that is an error where there should be a number of
// them, or where there is none.
func TestDuration(t *testing.T) {
	for _, runs := range []uint64{0, 1 << 40} {
		synctest.Test(t, func(t *testing.T) {
			r, err := soak.Run(t.Context(), soak.Config{Algorithm: lcr.Max(), Duration: time.Hour, Runs: runs,
				Progress: func(soak.Tally) { time.Sleep(25 * time.Minute) }})
			require.NoError(t, err)
			require.EqualValues(t, 3*256, r.Runs, "three batches")
			require.Equal(t, runs > 0, r.Stopped != nil)
		})
	}
	r, err := soak.Run(t.Context(), soak.Config{Algorithm: lcr.Max(), Duration: 1})
	require.NoError(t, err)
	require.ErrorContains(t, r.Stopped, "the time is up")
	require.Zero(t, r.Runs)
}

func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	r, err := soak.Run(ctx, soak.Config{Algorithm: lcr.Max(), Progress: func(soak.Tally) { cancel(enough) }})
	require.NoError(t, err)
	require.ErrorIs(t, r.Stopped, enough)
	require.NotZero(t, r.Runs)
}

func TestRefused(t *testing.T) {
	for want, c := range map[string]soak.Config{
		"missing":             {},
		"cannot last":         {Algorithm: lcr.Max(), Duration: -1},
		"\"wild\"":            {Algorithm: lcr.Max(), Profile: "wild"},
		"processes: -1":       {Algorithm: lcr.Max(), Processes: -1},
		"takes no parameters": {Algorithm: lcr.Max(), Params: map[string]params.Value{"x": {Number: 1}}},
	} {
		_, err := soak.Run(t.Context(), c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}
