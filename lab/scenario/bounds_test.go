package scenario_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
)

// TestTimeless: the bounds of an algorithm hold where all start at once and nothing goes wrong, and nothing
// happens at a time of its own.
func TestTimeless(t *testing.T) {
	ids := []election.ID{1, 2}
	at := []scenario.At{{ID: 1, Time: 1}}
	for name, c := range map[string]struct {
		in              scenario.Input
		timeless, start bool
	}{
		"all":             {scenario.Input{}, true, true},
		"all by name":     {scenario.Input{Initiators: ids}, true, true},
		"at zero":         {scenario.Input{StartTimes: make([]time.Duration, 2)}, true, true},
		"one":             {scenario.Input{Initiators: ids[:1]}, true, false},
		"down":            {scenario.Input{Crashed: ids[:1]}, true, false},
		"late":            {scenario.Input{StartTimes: []time.Duration{0, 1}}, false, false},
		"crash":           {scenario.Input{CrashAt: at}, false, false},
		"pause":           {scenario.Input{PauseAt: []scenario.Pause{{ID: 1, Until: 1}}}, false, false},
		"detector":        {scenario.Input{SuspectAfter: 1}, false, false},
		"loss":            {scenario.Input{Faults: fault.Plan{Loss: 0.5}}, false, false},
		"single":          {scenario.Input{Algorithm: single()}, true, true},
		"single, by name": {scenario.Input{Algorithm: single(), Initiators: ids[:1]}, true, false},
		"single, late": {scenario.Input{Algorithm: single(), StartTimes: []time.Duration{1}}, false,
			false},
		"single, with loss": {scenario.Input{Algorithm: single(), Faults: fault.Plan{Loss: 1}}, false, false},
	} {
		in := c.in
		in.IDs = ids
		if in.Algorithm == nil {
			in.Algorithm = fake(election.Complete)
		}
		require.NoError(t, in.Check(), name)
		require.Equal(t, c.timeless, in.Timeless(), name)
		require.Equal(t, c.start, in.AllStart(), name)
	}
}

// TestExpectedOfARun: a run that goes as planned must come out as expected. Another one must have the
// leader, if nothing has a time, and the counts only if any schedule has them and no message overtakes
// another.
func TestExpectedOfARun(t *testing.T) {
	leader, messages := election.ID(2), uint64(6)
	all := &scenario.Expect{Leader: &leader, Messages: &messages, ByKind: map[string]uint64{"a": 6}}
	timeless := scenario.Input{Algorithm: fake(election.Complete), IDs: []election.ID{1, 2}}
	require.NoError(t, timeless.Check())
	timed := timeless
	timed.SuspectAfter = 1
	open := timeless // any process may lead, and the schedule decides which
	open.Algorithm = fake(election.Complete)
	open.Algorithm.Winner = nil
	leaderless := open
	leaderless.Algorithm = fake(election.Complete)
	leaderless.Algorithm.Winner, leaderless.Algorithm.Elects = nil, election.NoLeader
	for _, c := range []struct {
		in                        *scenario.Input
		any, asPlanned, unordered bool
		leader, messages, whole   bool
	}{
		{in: &timed, asPlanned: true, whole: true},
		{in: &timeless, asPlanned: true, unordered: true, whole: true},
		{in: &timed},
		{in: &timed, any: true},
		{in: &timeless, leader: true},
		{in: &timeless, any: true, leader: true, messages: true},
		{in: &timeless, any: true, unordered: true, leader: true},
		{in: &timeless, unordered: true, leader: true},
		{in: &open},
		{in: &open, any: true, leader: true, messages: true},
		{in: &open, asPlanned: true, whole: true},
		{in: &leaderless, leader: true},
	} {
		s := scenario.Scenario{Expect: all, AnySchedule: c.any}
		got := s.Expected(c.in, c.asPlanned, c.unordered)
		want := &scenario.Expect{}
		if c.leader {
			want.Leader = &leader
		}
		if c.messages {
			want.Messages, want.ByKind = &messages, all.ByKind
		}
		if c.whole {
			want = all
		}
		require.Equal(t, want, got, "%+v", c)
	}
	require.Nil(t, (&scenario.Scenario{}).Expected(&timeless, false, false))
}
