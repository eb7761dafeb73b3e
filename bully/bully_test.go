package bully_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/params"
)

// run simulates one election in unit delays.
func run(t testing.TB, in scenario.Input) sim.Result {
	t.Helper()
	r, err := sim.Run(context.Background(), sim.Config{Input: in})
	require.NoError(t, err)
	return r
}

// among returns 1..n.
func among(n int) []election.ID {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	return ids
}

func rules(t *testing.T, c bully.Config) *election.Algorithm {
	t.Helper()
	a, err := bully.Rules(c)
	require.NoError(t, err)
	return a
}

func halting(t *testing.T, c bully.Config) *election.Algorithm {
	t.Helper()
	a, err := bully.Halting(c)
	require.NoError(t, err)
	return a
}

// patterns calls each with every set of processes that are up among n, and one of them.
func patterns(n int, each func(crashed []election.ID, up []int, i int)) {
	for set := 1; set < 1<<n; set++ {
		var crashed []election.ID
		var up []int
		for p := 1; p <= n; p++ {
			if set>>(p-1)&1 == 1 {
				up = append(up, p)
			} else {
				crashed = append(crashed, election.ID(p))
			}
		}
		for _, i := range up {
			each(crashed, up, i)
		}
	}
}

// TestCounts: for every set of live processes, and each of them as the initiator, the counts agree with the
// package comment, and the time is two messages and a time-out.
func TestCounts(t *testing.T) {
	for _, lower := range []bool{false, true} {
		alg := rules(t, bully.Config{AnnounceLower: lower})
		for n := 1; n <= 8; n++ {
			patterns(n, func(crashed []election.ID, up []int, i int) {
				r := run(t, scenario.Input{Algorithm: alg, IDs: among(n), Crashed: crashed,
					Initiators: []election.ID{election.ID(i)}})
				var elections, h uint64
				for _, j := range up {
					if j >= i {
						elections += uint64(n - j)
						h++
					}
				}
				top := up[len(up)-1]
				announced := uint64(n - 1)
				if lower {
					announced = uint64(top - 1)
				}
				if top == n && h > 2 { // the largest wins at once, and answers those in between
					announced += h - 2
				}
				where := fmt.Sprintf("n=%d, up %v, %d starts, lower %v", n, up, i, lower)
				require.Equal(t, elections, r.Count("election"), where)
				require.Equal(t, h*(h-1)/2, r.Count("alive"), where)
				require.Equal(t, announced, r.Count("coordinator"), where)
				require.Equal(t, elections+h*(h-1)/2+announced, r.Messages, where)
				require.Equal(t, 1, r.Claimants, where)
				require.Equal(t, election.ID(top), r.Leader, where)
			})
		}
	}
}

// TestSeveralStart: the smallest initiator determines the cost.
func TestSeveralStart(t *testing.T) {
	alg := bully.Algorithms()[0]
	for n := 2; n <= 8; n++ {
		for set := 1; set < 1<<(n-1); set++ {
			var starters []election.ID
			for p := range n - 1 {
				if set>>p&1 == 1 {
					starters = append(starters, election.ID(p+1))
				}
			}
			crashed := []election.ID{election.ID(n)}
			all := run(t, scenario.Input{Algorithm: alg, IDs: among(n), Crashed: crashed,
				Initiators: starters})
			one := run(t, scenario.Input{Algorithm: alg, IDs: among(n), Crashed: crashed,
				Initiators: starters[:1]})
			require.Equal(t, one.ByKind, all.ByKind, "n=%d, %v start", n, starters)
			require.Equal(t, election.ID(n-1), all.Leader)
			require.True(t, all.Agreed)
		}
	}
}

// TestHaltingCounts: the largest process that is up sends n-1 messages, and there are five for each smaller
// one that is up. Any other asks until it reaches a larger one that is up.
func TestHaltingCounts(t *testing.T) {
	alg := bully.Algorithms()[1]
	for n := 1; n <= 8; n++ {
		patterns(n, func(crashed []election.ID, up []int, i int) {
			r := run(t, scenario.Input{Algorithm: alg, IDs: among(n), Crashed: crashed,
				Initiators: []election.ID{election.ID(i)}})
			where := fmt.Sprintf("n=%d, up %v, %d starts", n, up, i)
			larger := 0
			for _, j := range up {
				if j > i && larger == 0 {
					larger = j
				}
			}
			if larger != 0 {
				require.EqualValues(t, larger-i+1, r.Messages, where)
				require.Zero(t, r.Claimants, where)
				return
			}
			require.EqualValues(t, n-1+5*(len(up)-1), r.Messages, where)
			require.Equal(t, election.ID(i), r.Leader, where)
			require.True(t, r.Agreed, where)
		})
	}
}

// TestHaltingNeverDisagrees: at no moment of runs within the model do two processes follow
// different leaders, which the six rules do not promise.
func TestHaltingNeverDisagrees(t *testing.T) {
	disagreed := map[string]bool{}
	for _, alg := range bully.Algorithms() {
		for seed := range uint64(3000) {
			s, err := sim.New(sim.Config{Seed: seed, Schedule: sim.RandomDelay,
				Delay: sim.Delay{Max: sim.Unit},
				Input: scenario.Input{Algorithm: alg, IDs: among(4),
					CrashAt: []scenario.At{{ID: 4, Time: time.Duration(seed%50) * sim.Unit / 4}}}})
			require.NoError(t, err)
			down := false
			for s.Step() {
				down = down || s.Now() >= time.Duration(seed%50)*sim.Unit/4
				followed := map[election.ID]bool{}
				for p := range 4 {
					if l := s.Outcome(p).Leader.ID; l != 0 && !(down && p == 3) {
						followed[l] = true
					}
				}
				disagreed[alg.Variant] = disagreed[alg.Variant] || len(followed) > 1
			}
		}
	}
	require.Equal(t, map[string]bool{"rules": true, "halting": false}, disagreed)
}

// TestWinnerCrashes: the winner falls silent after it has answered. The process that waits for
// it starts again.
func TestWinnerCrashes(t *testing.T) {
	r := run(t, scenario.Input{Algorithm: bully.Algorithms()[0], IDs: among(5), Crashed: []election.ID{5},
		Initiators: []election.ID{1}, CrashAt: []scenario.At{{ID: 4, Time: 3*sim.Unit + sim.Unit/2}}})
	require.Equal(t, election.ID(3), r.Leader)
	require.True(t, r.Agreed)
	require.LessOrEqual(t, r.Time, 14*sim.Unit)
}

// TestReturnInALaterTerm: a process that comes back without its state counts Terms from one. The others
// answer with the current Term, and it announces itself again in that one.
func TestReturnInALaterTerm(t *testing.T) {
	s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: bully.Algorithms()[0], IDs: among(3),
		Initiators: []election.ID{1},
		CrashAt:    []scenario.At{{ID: 3, Time: 10 * sim.Unit}},
		RecoverAt:  []scenario.At{{ID: 3, Time: 60 * sim.Unit}}}, Until: 20 * sim.Unit})
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, s.Run(t.Context()))
		s.Post(i%2, election.Event{Op: election.Start})
		s.Extend(time.Duration(3+i) * 10 * sim.Unit)
	}
	require.NoError(t, s.Run(t.Context()))
	before := s.Outcome(1)
	require.Equal(t, election.Outcome{Term: before.Term, Leader: election.Rank{ID: 2}, Role: election.Leader},
		before)
	require.Greater(t, before.Term, uint64(2))
	s.Extend(0)
	require.NoError(t, s.Run(t.Context()))
	for p := range 3 {
		require.Equal(t, election.ID(3), s.Outcome(p).Leader.ID)
	}
	require.GreaterOrEqual(t, s.Outcome(2).Term, before.Term, "a fencing token does not go back")
}

// TestHeartbeat: followers notice by themselves, and a leader that was cut off is deposed or
// deposes when it is heard again.
func TestHeartbeat(t *testing.T) {
	for _, alg := range []*election.Algorithm{rules(t, bully.Config{Heartbeat: 5 * sim.Unit}),
		halting(t, bully.Config{Heartbeat: 5 * sim.Unit})} {
		s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: alg, IDs: among(5),
			CrashAt:   []scenario.At{{ID: 5, Time: 52 * sim.Unit}, {ID: 4, Time: 152 * sim.Unit}},
			RecoverAt: []scenario.At{{ID: 4, Time: 252 * sim.Unit}}}, Until: 50 * sim.Unit})
		require.NoError(t, err)
		for i, leader := range []election.ID{5, 4, 3, 4} {
			s.Extend(time.Duration(50+100*i) * sim.Unit)
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.NoError(t, r.Err(), "%s after %v", alg.Title(), s.Now())
			require.Equal(t, leader, r.Leader)
		}
	}
}

// TestPause: a leader that stood still for long costs a few Terms, however many heartbeats of its
// rival wait for it.
func TestPause(t *testing.T) {
	for _, alg := range []*election.Algorithm{rules(t, bully.Config{Heartbeat: 2 * sim.Unit}),
		halting(t, bully.Config{Heartbeat: 2 * sim.Unit})} {
		s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: alg, IDs: among(5),
			PauseAt: []scenario.Pause{{ID: 5, From: 20 * sim.Unit, Until: 500 * sim.Unit}}},
			Until: 600 * sim.Unit})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.NoError(t, r.Err(), alg.Title())
		require.Equal(t, election.ID(5), r.Leader)
		require.LessOrEqual(t, s.Outcome(0).Term, uint64(8), alg.Title())
	}
}

// TestPatience: a process with patience does not elect because of a lost heartbeat.
func TestPatience(t *testing.T) {
	term := func(patience uint64) uint64 {
		s, err := sim.New(sim.Config{Seed: 1, Until: 1000 * sim.Unit, Input: scenario.Input{IDs: among(3),
			Algorithm: rules(t, bully.Config{Heartbeat: 4 * sim.Unit, Patience: patience}),
			Faults:    fault.Plan{Loss: 0.02}}})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		return s.Outcome(2).Term
	}
	require.Greater(t, term(0), uint64(3))
	require.Less(t, term(3), uint64(3))
}

func TestParameters(t *testing.T) {
	for _, c := range []struct {
		config bully.Config
		want   string
	}{
		{bully.Config{}, ""},
		{bully.Config{AliveTimeout: 2 * time.Second}, ""},
		{bully.Config{AliveTimeout: 2*time.Second - 1},
			"AliveTimeout: 1.999999999s is less than 2s, which an answer may take (2*Delay + " +
				"Processing); Unsafe: true accepts it anyway"},
		{bully.Config{AliveTimeout: 2 * time.Second, Processing: 1},
			"AliveTimeout: 2s is less than 2.000000001s"},
		{bully.Config{AliveTimeout: time.Second, Unsafe: true}, ""},
		{bully.Config{CoordinatorTimeout: 4 * time.Second}, "CoordinatorTimeout: 4s is less than 5s"},
		{bully.Config{Delay: -1}, "Delay: -1ns is not between 0 and "},
		{bully.Config{Patience: 1 << 40, Heartbeat: time.Second}, "Patience: "},
		{bully.Config{Heartbeat: 1 << 62}, "Heartbeat: "},
		{bully.Config{Heartbeat: 1}, "Heartbeat: 1ns is less than 10ms, a hundredth of Delay"},
		{bully.Config{Heartbeat: 10 * time.Millisecond}, ""},
		{bully.Config{Heartbeat: 10*time.Millisecond - 1, Unsafe: true}, "Heartbeat: "},
	} {
		for _, with := range []func(bully.Config) (*election.Algorithm, error){bully.Rules, bully.Halting} {
			a, err := with(c.config)
			if c.want == "" {
				require.NoError(t, err)
				require.NoError(t, a.Check())
				continue
			}
			require.ErrorIs(t, err, election.ErrInput)
			require.ErrorContains(t, err, c.want)
		}
	}
}

func TestParametersByName(t *testing.T) {
	type values = map[string]params.Value
	for _, c := range []struct {
		values values
		want   string
	}{
		{values{"alive_timeout": {Number: 2}, "coordinator_timeout": {Number: 6},
			"announce": {Text: "lower"}}, ""},
		{values{"delay": {Number: 0.5}, "alive_timeout": {Number: 1}, "unsafe": {Text: "no"},
			"heartbeat": {Number: 3}, "processing": {}}, ""},
		{values{"alive_timeout": {Number: 1.5}}, "params.alive_timeout: 1.5 delays is less than 2 delays"},
		{values{"alive_timeout": {Number: 1.5}, "unsafe": {Number: 1}}, ""},
		{values{"alive_timeout": {}}, "params.alive_timeout: zero leaves no time for a message"},
		{values{"alive_timeout": {Number: -1}}, "params.alive_timeout: -1 is not a time"},
		{values{"alive_timeout": {Number: 1e15}}, "params.alive_timeout: 1e+15 units is too long"},
		{values{"alive_timeout": {Text: "soon"}}, `params.alive_timeout: "soon" is not a time`},
		{values{"patience": {Number: 1.5}}, "params.patience: 1.5 is not a whole number from 0 to 2^32"},
		{values{"patience": {Number: 2}, "heartbeat": {Number: 4}}, ""},
		{values{"announce": {Text: "some"}}, `params.announce: "some" is not one of all, lower`},
		{values{"announce": {Number: 3}}, `params.announce: 3 is not one of all, lower`},
		{values{"unsafe": {Text: "perhaps"}}, `params.unsafe: "perhaps" is neither yes nor no`},
		{values{"alive": {Number: 3}}, `params: "alive" is not a parameter; there are delay, processing, `},
	} {
		for _, a := range bully.Algorithms() {
			b, err := scenario.Configure(a, c.values, among(3), 0)
			if c.want == "" {
				require.NoError(t, err)
				require.Equal(t, a.Title(), b.Title())
				continue
			}
			require.ErrorIs(t, err, election.ErrInput)
			require.ErrorContains(t, err, c.want)
		}
	}
}

// TestConfigureKeeps: what was set before counts unless it is given, and what follows from a delay follows
// from the one that is given.
func TestConfigureKeeps(t *testing.T) {
	for _, a := range []*election.Algorithm{
		rules(t, bully.Config{Heartbeat: sim.Unit}), halting(t, bully.Config{Heartbeat: sim.Unit}),
	} {
		b, err := scenario.Configure(a, map[string]params.Value{"delay": {Number: 3}}, among(3), 0)
		require.NoError(t, err)
		require.True(t, b.NeverQuiesces)
		require.Equal(t, 3*sim.Unit, b.Delay)
	}
}

// TestNobodyIsUp: there is a clear answer.
func TestNobodyIsUp(t *testing.T) {
	r := run(t, scenario.Input{Algorithm: bully.Algorithms()[0], IDs: among(3), Crashed: among(3)})
	require.Zero(t, r.Messages)
	require.Zero(t, r.Leader)
	require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
}
