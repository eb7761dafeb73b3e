package soak

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
)

// TestSeedOfSmallerPlans: a smaller plan keeps its Seed if it fails with that. Else small Seeds are
// tried, the smallest first. Where nothing is left to chance, no other Seed is tried.
func TestSeedOfSmallerPlans(t *testing.T) {
	unlucky := func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && e.Self().ID == 1 && e.Choose(5) == 0 {
			panic("unlucky")
		}
	}
	p := planDoing(t, 2, unlucky)
	p.Algorithm.Elects, p.Schedule = election.NoLeader, sim.RandomDelay
	fails := func(seed uint64) bool {
		p.Config.Seed = seed
		return p.Run(nil).Violation != nil
	}
	first, good, bad := uint64(0), uint64(100), uint64(100)
	for ; !fails(first); first++ {
	}
	for ; fails(good); good++ {
	}
	for ; !fails(bad); bad++ {
	}
	for _, tt := range []struct {
		property     verdict.Property
		seed         uint64
		fails        bool
		found, tried uint64
	}{
		{verdict.Sound, bad, true, bad, 1}, {verdict.Sound, good, true, first, first + 2},
		{verdict.Rests, bad, false, tries - 2, tries}, {verdict.Rests, good, false, tries - 2, tries},
	} {
		p.Config.Seed = tt.seed
		s := &Shrunk{Violation: &Violation{Property: tt.property}}
		require.Equal(t, tt.fails, s.fails(t.Context(), p), "%+v", tt)
		require.Equal(t, []uint64{tt.found, tt.tried}, []uint64{p.Config.Seed, uint64(s.Tried)}, "%+v", tt)
		require.Equal(t, tt.fails, s.Violation.Reason != "")
	}
	require.Positive(t, first, "a Seed that does not fail is tried before")

	p.Schedule, p.Delay = sim.UnitDelay, sim.Delay{}
	tried := func() int {
		s := &Shrunk{Violation: &Violation{Property: verdict.Rests}}
		require.False(t, s.fails(t.Context(), p))
		return s.Tried
	}
	require.Equal(t, 1, tried())
	p.Prompts = []Prompt{{At: unit, To: 1}}
	require.Equal(t, tries, tried())
	p.Prompts, p.Crashed = nil, []election.ID{2}
	require.Equal(t, tries, tried())
}

// TestStepsOfShrinking: the steps of all smaller plans count, and their number is bounded.
func TestStepsOfShrinking(t *testing.T) {
	p := planDoing(t, 2, new(idler).Step)
	steps := p.run(t.Context(), nil).steps
	require.Positive(t, steps)
	s := &Shrunk{Violation: &Violation{Property: verdict.Rests}}
	for i := range 3 {
		require.False(t, s.fails(t.Context(), p))
		require.Equal(t, (i+1)*steps, s.steps)
	}
	for most, want := range map[int]bool{3*steps - 1: false, 3 * steps: false, 3*steps + 1: true} {
		LowerShrinking(t, most)
		require.Equal(t, want, s.hasBudget(t.Context()))
	}
}

// TestTurnsOfSmallerPlans: with a crash goes the next return of the process, and what was reported of
// it, unless it crashes once more.
func TestTurnsOfSmallerPlans(t *testing.T) {
	at := func(id election.ID, units time.Duration) scenario.At {
		return scenario.At{ID: id,
			Time: units * unit}
	}
	p := planOf(3, nil)
	p.CrashAt = []scenario.At{at(1, 1), at(2, 1), at(1, 5), at(3, 2), at(2, 6)}
	p.RecoverAt = []scenario.At{at(1, 3), at(2, 3), at(3, 9)}
	p.RestartAt = []scenario.At{at(2, 7), at(1, 7)}
	p.Prompts = []Prompt{{To: 2, Of: 1}, {To: 1, Of: 2}, {To: 1, Of: 3}, {To: 1}}
	for i, tt := range []struct {
		recovers, restarts []scenario.At
		prompts            []Prompt
	}{
		{[]scenario.At{at(2, 3), at(3, 9)}, p.RestartAt, p.Prompts},
		{[]scenario.At{at(1, 3), at(3, 9)}, p.RestartAt, p.Prompts},
		{p.RecoverAt, []scenario.At{at(2, 7)}, p.Prompts},
		{[]scenario.At{at(1, 3), at(2, 3)}, p.RestartAt, []Prompt{{To: 2, Of: 1}, {To: 1, Of: 2}, {To: 1}}},
	} {
		q, more := dropCrash(p, i)
		require.True(t, more)
		require.Len(t, q.CrashAt, 4)
		require.NotContains(t, q.CrashAt, p.CrashAt[i])
		require.Equal(t, tt.recovers, q.RecoverAt, "%d", i)
		require.Equal(t, tt.restarts, q.RestartAt, "%d", i)
		require.Equal(t, tt.prompts, q.Prompts, "%d", i)
	}
	for i, want := range [][]scenario.At{p.RecoverAt[1:], {at(1, 3), at(3, 9)}, p.RecoverAt[:2]} {
		q, more := dropReturn(p, i)
		require.True(t, more)
		require.Equal(t, want, q.RecoverAt)
		require.Equal(t, p.RestartAt, q.RestartAt)
	}
	for i, want := range [][]scenario.At{p.RestartAt[1:], p.RestartAt[:1]} {
		q, more := dropReturn(p, 3+i)
		require.True(t, more)
		require.Equal(t, p.RecoverAt, q.RecoverAt)
		require.Equal(t, want, q.RestartAt)
	}
	_, more := dropReturn(p, 5)
	require.False(t, more)
	p.Algorithm.Faults.Crash = election.MustRestart
	_, more = dropReturn(p, 0)
	require.False(t, more, "each process must come back")
}

// TestSimpleLinks: first links lose nothing, then they double nothing, as far as they do.
func TestSimpleLinks(t *testing.T) {
	for _, tt := range []struct {
		loss, duplicate float64
		want            [][2]float64
	}{
		{0, 0, nil}, {0.5, 0, [][2]float64{{0, 0}}}, {0, 0.25, [][2]float64{{0, 0}}},
		{0.5, 0.25, [][2]float64{{0, 0.25}, {0.5, 0}}},
	} {
		p := planOf(2, nil)
		p.Config.Faults.Loss, p.Config.Faults.Duplicate = tt.loss, tt.duplicate
		var got [][2]float64
		for i := 0; ; i++ {
			q, more := simpleLinks(p, i)
			if !more {
				break
			}
			if q == nil {
				continue
			}
			got = append(got, [2]float64{q.Config.Faults.Loss, q.Config.Faults.Duplicate})
		}
		require.Equal(t, tt.want, got)
	}
}
