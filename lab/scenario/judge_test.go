package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/observe"
)

func tokenRing(t *testing.T) *election.Algorithm {
	t.Helper()
	a, err := mutex.TokenRing(mutex.Config{First: election.ID(2)})
	require.NoError(t, err)
	return a
}

// TestJudgeOfSections: two inside, or a token that is not larger, are wrong; a process that crashes is inside
// no more.
func TestJudgeOfSections(t *testing.T) {
	entered := func(process election.ID, token uint64) *observe.Occurrence {
		fx := &election.Effects{}
		event := election.Event{Op: election.Entered, Msg: election.Message{Value: token}}
		fx.Signals = []election.Signal{{Event: event}}
		return &observe.Occurrence{What: observe.Step, Process: process, Event: &election.Event{},
			Effects: fx}
	}
	for want, all := range map[string][]*observe.Occurrence{
		"processes 1 and 2 are in critical section 0 together": {entered(1, 1), entered(2, 2)},
		"process 2 enters critical section 0 with token 1, after 1": {
			entered(1, 1), {What: observe.Crash, Process: 1}, entered(2, 1),
		},
	} {
		in := scenario.Input{Algorithm: tokenRing(t), IDs: []election.ID{1, 2}, Initiators: []election.ID{}}
		require.NoError(t, in.Check())
		j := scenario.Judge{Input: &in}
		for _, o := range all {
			require.NoError(t, j.Err(&verdict.Result{}, nil))
			j.Observe(o)
		}
		require.EqualError(t, j.Err(&verdict.Result{}, nil), want)
	}
}

// TestJudgeOfService: a request that is never served is wrong, unless its process crashes.
func TestJudgeOfService(t *testing.T) {
	in := scenario.Input{Algorithm: tokenRing(t), IDs: []election.ID{1, 2}}
	require.NoError(t, in.Check())
	j := scenario.Judge{Input: &in}
	served := []verdict.Entry{{ID: 2}}
	require.EqualError(t, j.Err(&verdict.Result{Live: 2, Entries: served}, nil),
		"process 1 asked and was never served")
	in.Crashed = []election.ID{1}
	require.NoError(t, j.Err(&verdict.Result{Live: 1, Entries: served}, nil))
	err := j.Err(&verdict.Result{Live: 1}, nil)
	require.EqualError(t, err,
		"process 2 asked and was never served; no failure detector has reported the crash")
	require.ErrorIs(t, err, scenario.ErrUntold)
}

// TestJudgeOfElections: the leader that all know is the right one, and steps may end too early.
func TestJudgeOfElections(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2, 3}}
	require.NoError(t, in.Check())
	j := scenario.Judge{Input: &in}
	wrong := verdict.Result{Live: 3, Leader: 2, Claimants: 1, Agreed: true, Terminated: true}
	require.EqualError(t, j.Err(&wrong, nil), "leader: process 2 leads, not 3, which is the largest of all")
	right := wrong
	right.Leader = 3
	require.NoError(t, j.Err(&right, nil))

	two := election.ID(2)
	j.Expect = &scenario.Expect{Leader: &two}
	require.True(t, j.Expects())
	require.NoError(t, j.Err(&wrong, nil), "what is expected decides")
	require.ErrorIs(t, j.Err(&right, nil), scenario.ErrUnexpected)

	j = scenario.Judge{Input: &in, Steps: []scenario.Step{{Do: observe.Start, Process: 1}}}
	fx := &election.Effects{}
	fx.Sends = make([]election.Outgoing, 1)
	j.Observe(&observe.Occurrence{
		What: observe.Step, Process: 1, First: 1, Event: &election.Event{Op: election.Start}, Effects: fx,
	})
	require.Equal(t, 1, j.UnderWay())
	err := j.Err(&verdict.Result{Live: 3}, nil)
	require.ErrorIs(t, err, scenario.ErrMidway)
	require.ErrorIs(t, err, verdict.ErrNoLeader)
}
