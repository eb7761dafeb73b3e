package soak

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// TestJudge: what is wrong at the end, of the processes that are up, if an election was held.
func TestJudge(t *testing.T) {
	leads := func(id election.ID, term uint64) participant {
		return participant{asked: 1, outcome: election.Outcome{Term: term, Role: election.Leader,
			Leader: election.Rank{ID: id}}}
	}
	follows := func(id election.ID, term uint64) participant {
		return participant{outcome: election.Outcome{Term: term, Role: election.Follower,
			Leader: election.Rank{ID: id}}}
	}
	down := func(is participant) participant { is.down = true; return is }
	enters := func(is participant) participant { is.entered++; return is }
	idle, asks, served := participant{}, participant{asked: 1}, participant{asked: 1, entered: 1}
	for name, tt := range map[string]struct {
		is       []participant // 3 does not know that the election has ended
		sections int
		property verdict.Property
		reason   string
	}{
		"no election":                        {is: []participant{idle, idle}},
		"all are down":                       {is: []participant{down(asks), down(asks)}},
		"asked and died":                     {is: []participant{idle, down(asks)}},
		"right":                              {is: []participant{leads(1, 1), follows(1, 1)}},
		"right, the other one":               {is: []participant{follows(2, 1), leads(2, 1)}},
		"right, without those that are down": {is: []participant{leads(1, 1), down(leads(2, 1)), down(asks)}},
		"no leader": {is: []participant{asks, down(idle), idle}, property: verdict.Agreement,
			reason: "process 1 has no leader, process 3 has no leader"},
		"two lead": {is: []participant{leads(1, 1), leads(2, 1)}, property: verdict.Agreement,
			reason: "process 1 leads, process 2 leads"},
		"a leader that is down": {is: []participant{down(leads(1, 1)), follows(1, 1)},
			property: verdict.Agreement, reason: "process 2 follows 1"},
		"the end is unknown": {is: []participant{leads(1, 1), follows(1, 1), follows(1, 1)},
			property: verdict.Terminated, reason: "process 3 does not know"},
		"an earlier Term": {is: []participant{leads(1, 2), follows(1, 1)}},
		"a later Term": {is: []participant{leads(1, 1), follows(1, 2)}, property: verdict.Agreement,
			reason: "process 1 leads in Term 1, process 2 follows it in Term 2"},
		"a later Term of a process that is down": {is: []participant{leads(1, 1), down(follows(1, 2))}},
		"a later Term below sections": {is: []participant{enters(leads(1, 1)), follows(1, 2)},
			sections: 1},
		"a request below sections": {is: []participant{leads(1, 2), follows(1, 1)}, sections: 1,
			property: verdict.Served, reason: "process 1 asked and was never served"},
		"served": {is: []participant{served, down(asks)}, sections: 1, property: verdict.Agreement,
			reason: "process 1 has no leader"},
	} {
		p := planDoing(t, len(tt.is), func(e *election.Env, _ *election.Event) {
			if e.Self().ID != 3 {
				e.Done()
			}
		})
		p.Algorithm.Sections = tt.sections
		y, err := p.begin(t.Context(), nil)
		require.NoError(t, err)
		require.True(t, y.Step())
		y.is = tt.is
		v := y.judge()
		if tt.property == "" {
			require.Nil(t, v, name)
			continue
		}
		require.NotNil(t, v, name)
		require.Equal(t, tt.property, v.Property, name)
		require.Contains(t, v.Reason, tt.reason, name)
	}
}

// TestAskedAgain: once processes are together again that were apart, each that is up is asked to enter
// again. A run that never comes to rest gets as much time again for that.
func TestAskedAgain(t *testing.T) {
	for _, tt := range []struct {
		restless, deaf bool
		end            time.Duration
	}{{false, false, 3 * unit}, {false, true, 3 * unit}, {true, false, 67 * unit}, {true, true, 24 * unit}} {
		var starts []election.ID
		var times []time.Duration
		token := uint64(0)
		p := planDoing(t, 2, func(e *election.Env, ev *election.Event) {
			if ev.Op != election.Start {
				return
			}
			again := slices.Contains(starts, e.Self().ID)
			starts, times = append(starts, e.Self().ID), append(times, ev.At)
			if again && tt.deaf {
				return
			}
			token++
			msg := election.Message{Value: token}
			e.Raise(election.Event{Op: election.Entered, Msg: msg})
			e.Raise(election.Event{Op: election.Exited, Msg: msg})
		})
		p.Algorithm.Sections, p.Algorithm.Elects, p.Algorithm.Delay = 1, election.NoLeader, unit
		p.Algorithm.NeverQuiesces = tt.restless
		p.PauseAt = []scenario.Pause{{ID: 2, Until: 3 * unit}}
		again := 3 * unit
		if tt.restless {
			p.Config.Until, again = 10*unit, 10*unit
		}
		o := p.Run(nil)
		require.Equal(t, []election.ID{1, 2, 1, 2}, starts)
		require.Equal(t, []time.Duration{0, 3 * unit, again, again}, times)
		require.Equal(t, tt.deaf, o.Violation != nil)
		if tt.deaf {
			require.Equal(t, verdict.Served, o.Violation.Property)
			require.Contains(t, o.Violation.Reason, "process 1 asked and was never served")
		}
		require.Equal(t, tt.end, o.Time, "%+v", tt)
		require.Equal(t, 2, o.Posted)
	}
}

// TestEndOfAPlan: a plan ends with the last of all that it has.
func TestEndOfAPlan(t *testing.T) {
	p := planOf(2, nil)
	require.Zero(t, p.planEnd())
	at := func(d time.Duration) []scenario.At { return []scenario.At{{ID: 1, Time: d}, {ID: 2, Time: 1}} }
	p.StartTimes = []time.Duration{2, 1}
	require.EqualValues(t, 2, p.planEnd())
	p.CrashAt = at(3)
	require.EqualValues(t, 3, p.planEnd())
	p.RecoverAt = at(4)
	require.EqualValues(t, 4, p.planEnd())
	p.RestartAt = at(5)
	require.EqualValues(t, 5, p.planEnd())
	p.SuspectAfter = 10
	require.EqualValues(t, 15, p.planEnd())
	p.PauseAt = []scenario.Pause{{ID: 1, From: 1, Until: 16}, {ID: 1, From: 3, Until: 4}}
	require.EqualValues(t, 16, p.planEnd())
	p.Config.Faults.Partitions = []fault.Partition{{From: 1, Until: 17}, {From: 2, Until: 3}}
	require.EqualValues(t, 17, p.planEnd())
	p.Prompts = []Prompt{{At: 18}, {At: 1}}
	require.EqualValues(t, 18, p.planEnd())
}

// TestTurnsOfAProcess: the crashes and returns of one process, in order.
func TestTurnsOfAProcess(t *testing.T) {
	p := planOf(2, nil)
	p.CrashAt = []scenario.At{{ID: 1, Time: 5}, {ID: 2, Time: 1}, {ID: 1, Time: 2}}
	p.RecoverAt = []scenario.At{{ID: 2, Time: 3}}
	p.RestartAt = []scenario.At{{ID: 1, Time: 4}}
	var got []any
	for _, turn := range p.turnsOf(1) {
		got = append(got, turn.Do, turn.Time)
	}
	require.Equal(t, []any{observe.Crash, time.Duration(2), observe.Restart, time.Duration(4), observe.Crash,
		time.Duration(5)}, got)
}

// TestLeasesOfARun: a lease that begins while another is valid, by the clock of its holder, is found. The
// judge allows for a nanosecond; a crash ends a lease.
func TestLeasesOfARun(t *testing.T) {
	for _, tt := range []struct {
		second  time.Duration // the start of the second process
		rate    float64       // of the clock of the first; if zero, it is right
		crash   bool
		overlap bool
	}{
		{5 * unit, 0, false, false}, {5*unit - 1, 0, false, false}, {5*unit - 2, 0, false, true},
		{5*unit/2 - 1, 2, false, false}, {5*unit/2 - 2, 2, false, true}, {5 * unit, 0.5, false, true},
		{2 * unit, 0, true, false}, {2 * unit, 0, false, true},
	} {
		p := planDoing(t, 2, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Lease(uint64(e.Self().ID), ev.At+5*unit)
			}
		})
		p.Algorithm.Elects = election.LeaseHolders
		p.StartTimes = []time.Duration{0, tt.second}
		if tt.rate > 0 {
			p.ClockRates = []scenario.ClockRate{{ID: 1, Rate: tt.rate}}
		}
		if tt.crash {
			p.CrashAt = []scenario.At{{ID: 1, Time: unit}}
		}
		v := p.Run(nil).Violation
		require.Equal(t, tt.overlap, v != nil && v.Property == verdict.OneLease, "%+v", tt)
		if tt.overlap {
			require.Equal(t, tt.second, v.At)
			require.Contains(t, v.Reason, "process 2 leads in Term 2 while the lease of process 1")
		}
	}
}
