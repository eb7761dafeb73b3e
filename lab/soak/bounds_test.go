package soak_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/params"
)

// TestRunsForUnits: a run of few steps that never rests ends after a thousand of its longest timers.
func TestRunsForUnits(t *testing.T) {
	a := spoilLCR(func(n election.Node, e *election.Env, ev *election.Event) {
		if n.Step(e, ev); ev.Op != election.Recv {
			e.SetTimer(3, 400*sim.Unit, 400*sim.Unit)
		}
	})
	plan, err := (&soak.Config{Algorithm: a, Processes: 1}).Plan(0)
	require.NoError(t, err)
	plan.StartTimes = nil
	v := plan.Run(nil).Violation
	require.Equal(t, verdict.Rests, v.Property)
	require.Equal(t, "it continues after 400000 units", v.Reason)
	require.Equal(t, 400_000*sim.Unit, v.At)
}

// TestHeartbeatsAreNoLivelock: a run may take more steps than the limit if these are as few as
// heartbeats are.
func TestHeartbeatsAreNoLivelock(t *testing.T) {
	const limit = 1 << 7
	soak.LowerStepLimit(t, limit)
	a, err := bully.Rules(bully.Config{Heartbeat: sim.Unit})
	require.NoError(t, err)
	plan := planOfSize(t, a, 3)
	plan.Until = 2000 * sim.Unit
	o := plan.Run(nil)
	require.Nil(t, o.Violation)
	require.Greater(t, o.Messages, uint64(10*limit))
}

// planOfSize returns the first plan of some number of processes.
func planOfSize(t *testing.T, a *election.Algorithm, n int) *soak.Plan {
	t.Helper()
	c := soak.Config{Algorithm: a}
	for seed := uint64(0); ; seed++ {
		plan, err := c.Plan(seed)
		require.NoError(t, err)
		if len(plan.IDs) == n {
			return plan
		}
	}
}

// TestInsideForGood: a process that has entered its section and does not leave it was served.
func TestInsideForGood(t *testing.T) {
	a := turnsWith(election.Faults{}, nil)
	a.New = func(election.Setup) election.Node { return &spoilt{nil, nil} }
	a = spoil(a, func(_ election.Node, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && e.Self().ID == 1 {
			e.Raise(election.Event{Op: election.Entered, Msg: election.Message{Value: 1}})
		}
	})
	plan, err := (&soak.Config{Algorithm: a, Processes: 1}).Plan(0)
	require.NoError(t, err)
	plan.IDs, plan.Initiators, plan.StartTimes = []election.ID{1}, nil, nil
	require.Nil(t, plan.Run(nil).Violation)
	plan.IDs = []election.ID{2}
	require.Equal(t, verdict.Served, plan.Run(nil).Violation.Property, "2 never enters")
}

// heir is a Node that follows the largest process that it does not suspect, always in Term 1. If it
// forgets, it has no leader between a suspicion of that and a Start.
type heir struct {
	forgets bool
	down    map[election.Port]bool
	leader  election.Rank
}

func (n *heir) State(*election.State) {}

func (n *heir) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.down = make(map[election.Port]bool)
	case election.Suspect:
		if n.down[ev.Port] = true; n.forgets && e.Peer(ev.Port) == n.leader {
			e.Withdraw(1)
			return
		}
	}
	n.leader = e.Self()
	for port := range election.Port(e.Ports()) {
		if !n.down[port] && n.leader.Less(e.Peer(port)) {
			n.leader = e.Peer(port)
		}
	}
	e.DecideIn(1, n.leader)
	e.Done()
}

func heirs() *election.Algorithm {
	return &election.Algorithm{Name: "heir", Topology: election.Complete, TwoWay: true, Delay: sim.Unit,
		Elects: election.Successors, LateStart: election.LateJoins, Faults: election.Faults{Crash: election.StaysDown},
		Kinds: []election.Kind{{Name: "none"}},
		New:   func(election.Setup) election.Node { return &heir{} }}
}

// TestHeirOfATerm: where a leader has crashed, another process may lead in the same Term. Two that are up may
// not.
func TestHeirOfATerm(t *testing.T) {
	a := heirs()
	require.Nil(t, soaked(t, a))
	f := soaked(t, spoil(a, func(_ election.Node, e *election.Env, ev *election.Event) {
		if ev.Op == election.Init && e.Self().ID > 1 || ev.Op == election.Start {
			e.DecideIn(1, e.Self())
		}
	}))
	require.NotNil(t, f)
	require.Equal(t, verdict.OneLeader, f.Violation.Property)
}

// TestErrorOfALaterRun: a run that cannot be drawn ends the soak with an error.
func TestErrorOfALaterRun(t *testing.T) {
	no := errors.New("not four")
	picky := func(a *election.Algorithm) *election.Algorithm {
		b := *a
		b.Configure = func(g *params.Given) (*election.Algorithm, error) {
			if len(g.IDs()) == 4 {
				return nil, no
			}
			return a, nil
		}
		return &b
	}
	require.Positive(t, planOfSize(t, lcr.Max(), 4).Number, "the first run can be drawn")
	_, err := soak.Run(t.Context(), soak.Config{Algorithm: picky(lcr.Max()), Runs: 200})
	require.ErrorIs(t, err, no)
	require.Regexp(t, `^seed \d+: `, err.Error())
}

// TestTimeTaken: a soak says how long it has taken, also if nothing fails.
func TestTimeTaken(t *testing.T) {
	r, err := soak.Run(t.Context(), soak.Config{Algorithm: lcr.Max(), Runs: 3})
	require.NoError(t, err)
	require.Positive(t, r.Wall)
}

// TestScenarioOfALossyRun: the steps of a run lose and deliver the same messages as the run.
func TestScenarioOfALossyRun(t *testing.T) {
	elect := bully.Algorithms()[0]
	a := spoil(elect, func(n election.Node, e *election.Env, ev *election.Event) {
		if n.Step(e, ev); ev.Op == election.Start && e.Ports() > 0 {
			for range 3 { // several are on one link
				e.Send(0, election.Message{Kind: 200})
			}
		}
	})
	c := soak.Config{Algorithm: a, Processes: 4}
	stepwise := 0
	for seed := range uint64(60) {
		plan, err := c.Plan(seed)
		require.NoError(t, err)
		plan.Config.Faults.Loss = 0.3
		s, err := plan.Scenario()
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("soak %s, seed %d", a.Title(), seed), s.Name)
		if s.Steps == nil {
			continue
		}
		stepwise++
		again, err := sim.FromScenario(s, func(string, string) (*election.Algorithm, error) { return a, nil })
		require.NoError(t, err)
		r, err := sim.Run(t.Context(), again)
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, plan.Run(nil).Messages, r.Messages, "seed %d", seed)
	}
	require.Greater(t, stepwise, 10)
}

// TestStartsOfTheLeaderless: where no process that is up has a leader any more, all are started, in either
// profile.
func TestStartsOfTheLeaderless(t *testing.T) {
	a := heirs()
	a.New = func(election.Setup) election.Node { return &heir{forgets: true} }
	for _, profile := range []soak.Profile{soak.Broad, soak.Chaos} {
		r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Runs: 200, Profile: profile,
			Processes: 2})
		require.NoError(t, err)
		require.Nil(t, r.Failure)
		require.Positive(t, r.Crashes)
	}
}

// TestDrawingEnds: a plan of Chaos is drawn in a bounded number of steps, also where the run has no end.
func TestDrawingEnds(t *testing.T) {
	steps := 0
	a := spoil(heirs(), func(_ election.Node, e *election.Env, _ *election.Event) {
		steps++
		e.SetTimer(0, 1, 1)
	})
	c := soak.Config{Algorithm: a, Profile: soak.Chaos}
	for seed := range uint64(20) {
		steps = 0
		plan, err := c.Plan(seed)
		require.NoError(t, err)
		require.LessOrEqual(t, steps, len(plan.CrashAt)*(1<<12+len(plan.IDs)+1), "seed %d", seed)
	}
}
