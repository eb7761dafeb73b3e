package newcomer_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/internal/newcomer"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

var algorithm = newcomer.Algorithm(newcomer.Config{Resend: 3 * scenario.Unit})

// TestConformance: the suite draws losses, and judges by the Winner.
func TestConformance(t *testing.T) { electiontest.Test(t, algorithm, electiontest.Options{}) }

// TestSimulated: a scenario with the parameter elects the smallest, though links lose messages.
func TestSimulated(t *testing.T) {
	a, err := scenario.Configure(algorithm, map[string]params.Value{"resend": {Number: 5}}, nil,
		scenario.Unit)
	require.NoError(t, err)
	in := scenario.Input{Algorithm: a, IDs: []election.ID{4, 2, 3}, Faults: fault.Plan{Loss: 0.3}}
	r, err := sim.Run(t.Context(), sim.Config{Input: in, Seed: 1})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.EqualValues(t, 2, r.Leader)
	require.NotZero(t, r.Lost)
}

// TestChecked: every state of two processes, one message lost; a loss lies within the model.
func TestChecked(t *testing.T) {
	c := check.Config{Input: scenario.Input{Algorithm: algorithm, IDs: []election.ID{2, 1}}, Losses: 1,
		Delay: scenario.Unit}
	require.NoError(t, c.Check())
	require.Empty(t, c.Outside())
	r, err := check.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.True(t, r.Exhausted)
}

// TestSoaked: links lose messages in most of the runs; a process that does not send again is found, and the
// smallest run that shows it still loses one.
func TestSoaked(t *testing.T) {
	c := soak.Config{Algorithm: algorithm, Runs: 500}
	r, err := soak.Run(t.Context(), c)
	require.NoError(t, err)
	require.Nil(t, r.Failure)

	forgetful := *algorithm
	forgetful.Configure, forgetful.Params = nil, nil
	forgetful.New = func(s election.Setup) election.Node { return &silent{algorithm.New(s)} }
	c.Algorithm = &forgetful
	r, err = soak.Run(t.Context(), c)
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	require.Len(t, r.Failure.Smallest.IDs, 2)
	require.Positive(t, r.Failure.Smallest.Config.Faults.Loss)
	require.Contains(t, r.Failure.Smallest.Describe(), "links that lose messages")
	s, err := r.Failure.Smallest.Scenario()
	require.NoError(t, err)
	require.Positive(t, s.Faults.Loss)
}

// silent is a Node whose timers never run out.
type silent struct{ election.Node }

func (n *silent) Step(e *election.Env, ev *election.Event) {
	if ev.Op != election.Timeout {
		n.Node.Step(e, ev)
	}
}

// TestLossReplayed: a violation of a moment becomes a scenario of steps, the loss among them.
func TestLossReplayed(t *testing.T) {
	hasty := *algorithm
	hasty.Configure, hasty.Params = nil, nil
	hasty.New = func(s election.Setup) election.Node { return &impatient{algorithm.New(s)} }
	r, err := soak.Run(t.Context(), soak.Config{Algorithm: &hasty, Runs: 500})
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	require.Equal(t, verdict.OneLeader, r.Failure.Shrunk.Violation.Property)
	s, err := r.Failure.Smallest.Scenario()
	require.NoError(t, err)
	require.Zero(t, s.Faults.Loss)
	require.True(t, slices.ContainsFunc(s.Steps, func(s scenario.Step) bool { return s.Do == observe.Lose }))
	in, err := s.Input(func(string, string) (*election.Algorithm, error) { return &hasty, nil })
	require.NoError(t, err)
	again, err := sim.Run(t.Context(), sim.Config{Input: in, Steps: s.Steps})
	require.NoError(t, err)
	require.Equal(t, 2, again.Claimants)
}

// impatient is a Node that leads itself if no answer arrives in time.
type impatient struct{ election.Node }

func (n *impatient) Step(e *election.Env, ev *election.Event) {
	if n.Node.Step(e, ev); ev.Op == election.Timeout {
		e.Decide(e.Self())
	}
}
