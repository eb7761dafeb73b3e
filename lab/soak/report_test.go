package soak

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// doing is a Node without a state.
type doing func(e *election.Env, ev *election.Event)

func (doing) State(*election.State)                       {}
func (do doing) Step(e *election.Env, ev *election.Event) { do(e, ev) }

// planDoing returns a plan of n processes, all of which know each other and do the same.
func planDoing(t *testing.T, n int, do doing) *Plan {
	t.Helper()
	p := planOf(n, nil)
	p.Algorithm.New = func(election.Setup) election.Node { return do }
	require.NoError(t, p.Check())
	return p
}

// usurpers are processes of which 1 leads and writes to the others, each of which then leads too. A draw
// among three things is left to chance, and one among a single thing.
func usurpers(e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Start && e.Self().ID == 1:
		e.Choose(3)
		for port := range election.Port(e.Ports()) {
			e.Send(port, election.Message{Kind: 1})
		}
		e.Decide(e.Self())
	case ev.Op == election.Recv:
		e.Choose(1)
		e.Decide(e.Self())
	}
}

// TestStepsOfAViolation: the scenario of a violation that may be over by the end has the steps up to it,
// which bring it about again. A process that was down from the beginning has no crash, and drops what comes.
func TestStepsOfAViolation(t *testing.T) {
	p := planDoing(t, 3, usurpers)
	p.Initiators, p.Crashed = []election.ID{1}, []election.ID{3}
	p.PauseAt = []scenario.Pause{{ID: 2, From: unit / 2, Until: 3 * unit}}
	p.CrashAt = []scenario.At{{ID: 3, Time: 2 * unit}}
	for seed := uint64(0); ; seed++ {
		p.Config.Seed = seed
		require.NoError(t, p.Check())
		s, err := p.Scenario()
		require.NoError(t, err)
		require.Equal(t, verdict.OneLeader, s.Property)
		require.NotEmpty(t, s.Note)
		require.Equal(t, []election.ID{1}, s.Initiators)
		require.Empty(t, s.PauseAt)
		require.Empty(t, s.CrashAt)
		start, paused, dropped, end := time.Duration(0), unit/2, unit, 3*unit
		drawn := s.Steps[0].Choices
		require.Len(t, drawn, 1)
		require.Equal(t, []scenario.Step{
			{Do: observe.Start, Process: 1, Choices: drawn, At: &start},
			{Do: observe.Pause, Process: 2, At: &paused},
			{Do: observe.Deliver, Process: 3, At: &dropped},
			{Do: observe.Resume, Process: 2, At: &end},
			{Do: observe.Deliver, Process: 2, At: &end},
		}, s.Steps)
		in := p.Input
		in.CrashAt, in.PauseAt = nil, nil
		_, err = sim.Run(t.Context(), sim.Config{Input: in, Steps: s.Steps})
		require.NoError(t, err)
		if drawn[0] == 2 { // each number is drawn at some time
			return
		}
	}
}

// TestLostSteps: a message that a link loses is a step, and so is each event that was posted in the course
// of the run. A message that comes to a process that is down is delivered, which changes nothing.
func TestLostSteps(t *testing.T) {
	p := planDoing(t, 3, usurpers)
	p.Initiators, p.Crashed = []election.ID{1}, []election.ID{3}
	p.Prompts = []Prompt{{At: 5 * unit, To: 2}}
	p.Config.Faults = fault.Plan{Partitions: []fault.Partition{
		{Until: unit, Groups: [][]election.ID{{2}}}}}
	s, err := p.Scenario()
	require.NoError(t, err)
	start, dropped, posted := time.Duration(0), unit, 5*unit
	require.Equal(t, []scenario.Step{
		{Do: observe.Start, Process: 1, Choices: s.Steps[0].Choices, At: &start},
		{Do: observe.Lose, Process: 2, At: &start},
		{Do: observe.Deliver, Process: 3, At: &dropped},
		{Do: observe.Start, Process: 2, At: &posted},
	}, s.Steps)
	require.Equal(t, []election.ID{1, 2}, s.Initiators)
	require.Empty(t, s.Faults.Partitions)
}

// TestNoSteps: a violation before the first step leaves a list of steps that is empty, not missing.
func TestNoSteps(t *testing.T) {
	p := planDoing(t, 2, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Init {
			e.Decide(e.Self())
		}
	})
	p.Initiators = []election.ID{}
	s, err := p.Scenario()
	require.NoError(t, err)
	require.Equal(t, verdict.OneLeader, s.Property)
	require.Equal(t, []scenario.Step{}, s.Steps)
	require.Equal(t, []election.ID{}, s.Initiators)
}

// TestScenarioOfAPlan: without anything that only steps can say, the scenario has what was drawn.
func TestScenarioOfAPlan(t *testing.T) {
	p := planDoing(t, 2, func(*election.Env, *election.Event) {})
	p.Algorithm.Elects = election.NoLeader
	p.Number, p.Config.Seed, p.params = 7, 8, map[string]params.Value{"x": {Number: 1}}
	s, err := p.Scenario()
	require.NoError(t, err)
	require.Equal(t, []any{"soak idle, seed 7", sim.UnitDelay, uint64(8), p.params},
		[]any{s.Name, s.Schedule, s.Seed, s.Params})
	require.Nil(t, s.Steps)
	require.Nil(t, s.Delay)
	require.Nil(t, s.FIFO)
	require.Zero(t, s.Until)
	require.Empty(t, s.Property)

	p.Schedule, p.Delay, p.Unordered = sim.RandomDelay, sim.Delay{Min: 2, Max: 3}, true
	s, err = p.Scenario()
	require.NoError(t, err)
	require.Equal(t, &p.Delay, s.Delay)
	require.False(t, *s.FIFO)
	p.Unordered, p.Algorithm.NeverQuiesces, p.Config.Until = false, true, 5*unit
	s, err = p.Scenario()
	require.NoError(t, err)
	require.True(t, *s.FIFO)
	require.Equal(t, p.Run(nil).Time, s.Until)
	require.GreaterOrEqual(t, s.Until, 5*unit)
}

// TestPlanThatCannotBe: the run of a plan that is not valid is not sound; there is no scenario of it, and its
// pilot shows nothing.
func TestPlanThatCannotBe(t *testing.T) {
	p := planDoing(t, 2, usurpers)
	p.CrashAt = []scenario.At{{ID: 3, Time: unit}}
	o := p.Run(nil)
	require.Equal(t, &Violation{Property: verdict.Sound, Reason: "crash_at[0]: 3 is not a process"},
		o.Violation)
	_, err := p.Scenario()
	require.ErrorIs(t, err, election.ErrInput)
	p.pilot(unit, func(*observe.Occurrence) { require.Fail(t, "it takes no step") })
}

// TestParamsOfPlans: a plan without parameters has none, and parameters that the algorithm does not have
// refuse each plan.
func TestParamsOfPlans(t *testing.T) {
	require.Equal(t, map[string]params.Value{}, planOf(1, nil).Params())
	a, err := catalog.Find("bully", "")
	require.NoError(t, err)
	values := map[string]params.Value{"heartbeat": {Number: 3}}
	p, err := (&Config{Algorithm: a, Params: values}).Plan(1)
	require.NoError(t, err)
	require.Equal(t, values, p.Params())
	_, err = Run(t.Context(), Config{Algorithm: a, Params: map[string]params.Value{"speed": {Number: 3}}})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "speed")
}

// TestLogs: a log has a line for each event, the excerpt of a long one as many as are asked for, and the
// steps have numbers.
func TestLogs(t *testing.T) {
	p := planDoing(t, 3, new(idler).Step)
	p.Initiators = []election.ID{1, 2}
	const head = "idle, 3 processes, unit delays\n"
	var log, all, first bytes.Buffer
	require.NoError(t, p.WriteLog(&log))
	require.NoError(t, p.WriteSteps(&all, 100))
	require.NoError(t, p.WriteSteps(&first, 3))
	require.True(t, strings.HasPrefix(log.String(), head+"         0  1.1  begins\n"), log.String())
	require.Equal(t, 12, strings.Count(log.String(), "\n"))
	require.True(t, strings.HasPrefix(all.String(), head+"              0  1.1  begins\n"), all.String())
	require.Contains(t, all.String(), "\n   1.         0  1.2  starts\n")
	require.Equal(t, 12, strings.Count(all.String(), "\n"))
	lines := strings.SplitAfter(all.String(), "\n")
	require.Equal(t, strings.Join(lines[:3], "")+"and 9 lines more\n", first.String())
}

// TestShrinkingIsLeft: a smaller plan whose run is left does not fail, and counts no steps.
func TestShrinkingIsLeft(t *testing.T) {
	p := planDoing(t, 2, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start || ev.Op == election.Recv {
			e.Send(0, election.Message{Kind: 1})
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &Shrunk{Violation: &Violation{Property: verdict.Rests}}
	require.False(t, s.fails(ctx, p))
	require.Equal(t, Shrunk{Violation: s.Violation, Tried: 1}, *s)
}
