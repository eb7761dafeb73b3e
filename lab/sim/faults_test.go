package sim_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// ticking returns two processes, and a list that records what arrives and when. The first process sends the
// number of the unit to the second in each of the first ten units.
func ticking() (scenario.Input, *[]string) {
	got := new([]string)
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Recv:
			*got = append(*got, fmt.Sprintf("%d@%v", ev.Msg.Value, float64(ev.At)/float64(sim.Unit)))
		case e.Self().ID == 1 && (ev.Op == election.Start || ev.Op == election.Timeout) &&
			ev.At < 10*sim.Unit:
			e.Send(0, election.Message{Kind: 1, Value: uint64(ev.At / sim.Unit)})
			e.SetTimer(0, sim.Unit, sim.Unit)
		}
	})
	return in, got
}

func cut(from, until time.Duration, groups ...[]election.ID) fault.Partition {
	return fault.Partition{From: from * sim.Unit, Until: until * sim.Unit, Groups: groups}
}

func TestLoss(t *testing.T) {
	in := input(lcr.Participant(), []election.ID{3, 1, 4, 8, 5, 2})
	in.Faults.Loss = 1
	for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
		r := run(t, sim.Config{Input: in, Schedule: schedule})
		require.EqualValues(t, 6, r.Messages, "what is lost has been sent")
		require.EqualValues(t, 6, r.Lost)
		require.Zero(t, r.Steps)
		require.Zero(t, r.Time)
		require.EqualValues(t, 1, r.Chain)
		require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
	}
	in.Faults.Loss = 0.2
	var sent, lost uint64
	for seed := range uint64(300) {
		r := run(t, sim.Config{Input: in, Seed: seed})
		require.Equal(t, r.Messages, r.Steps+r.Lost)
		sent, lost = sent+r.Messages, lost+r.Lost
	}
	require.InDelta(t, 0.2, float64(lost)/float64(sent), 0.03)
}

func TestPartition(t *testing.T) {
	for _, tt := range []struct {
		name string
		cuts []fault.Partition
		want []string
	}{
		{"from 3 until 6", []fault.Partition{cut(3, 6, []election.ID{1})},
			[]string{"0@1", "1@2", "2@3", "6@7", "7@8", "8@9", "9@10"}},
		{"two, for ever", []fault.Partition{cut(1, 3, []election.ID{2}),
			cut(4, 0, []election.ID{1}, []election.ID{2})},
			[]string{"0@1", "3@4"}},
		{"the other way only", []fault.Partition{{Groups: [][]election.ID{{2}}, OneWay: true},
			{From: 8 * sim.Unit, Groups: [][]election.ID{{1}}, OneWay: true}},
			[]string{"0@1", "1@2", "2@3", "3@4", "4@5", "5@6", "6@7", "7@8"}},
		{"all together", []fault.Partition{cut(0, 0, []election.ID{1, 2})},
			[]string{"0@1", "1@2", "2@3", "3@4", "4@5", "5@6", "6@7", "7@8", "8@9", "9@10"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, got := ticking()
			in.Faults.Partitions = tt.cuts
			r := run(t, sim.Config{Input: in})
			require.Equal(t, tt.want, *got)
			require.EqualValues(t, 10, r.Messages)
			require.EqualValues(t, 10-len(tt.want), r.Lost)
			require.EqualValues(t, len(tt.want), r.Steps)
		})
	}
}

func TestDuplicateAndReorder(t *testing.T) {
	for _, tt := range []struct {
		plan       fault.Plan
		want       []string
		duplicated uint64
	}{
		{fault.Plan{Duplicate: 1}, []string{"8@9", "8@10", "9@10", "9@11"}, 10},
		{fault.Plan{Reorder: 1}, []string{"7@9", "8@10", "9@11"}, 0},
		{fault.Plan{Duplicate: 1, Reorder: 1}, []string{"8@10", "8@11", "9@11", "9@12"}, 10},
		{fault.Plan{Loss: 1, Duplicate: 1, Reorder: 1}, nil, 0},
	} {
		in, got := ticking()
		in.Faults = tt.plan
		r := run(t, sim.Config{Input: in, Force: true})
		require.Equal(t, tt.duplicated, r.Duplicated)
		if tt.plan.Reorder == 1 && tt.plan.Loss == 0 {
			require.EqualValues(t, 10, r.Reordered)
		} else {
			require.Zero(t, r.Reordered)
		}
		require.EqualValues(t, 10, r.Messages, "the copy is not counted")
		if tt.want == nil {
			require.Empty(t, *got)
			continue
		}
		require.Equal(t, tt.want, (*got)[len(*got)-len(tt.want):])
		require.EqualValues(t, 10+tt.duplicated, r.Steps)
		require.Equal(t, time.Duration(11+tt.duplicated/10*uint64(tt.plan.Reorder))*sim.Unit, r.Time)
	}
}

// TestReorderTakesTwoDelays: if messages may be reordered, the delay that the algorithm assumes must be twice
// as long.
func TestReorderTakesTwoDelays(t *testing.T) {
	delay := sim.Delay{Min: 1, Max: 2 * sim.Unit}
	for _, tt := range []struct {
		bound  time.Duration
		config sim.Config
		want   string
	}{
		{sim.Unit, sim.Config{}, "bully/rules assumes at most 1 units, here up to 2"},
		{2*sim.Unit - 1, sim.Config{}, "bully/rules assumes at most 1.999999999 units, here up to 2"},
		{2 * sim.Unit, sim.Config{}, ""},
		{sim.Unit, sim.Config{Force: true}, ""},
		{2 * sim.Unit, sim.Config{Schedule: sim.RandomDelay, Delay: delay}, "at most 2 units, here up to 4"},
		{4 * sim.Unit, sim.Config{Schedule: sim.RandomDelay, Delay: delay}, ""},
	} {
		a, err := bully.Rules(bully.Config{Delay: tt.bound})
		require.NoError(t, err)
		tt.config.Input = scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3},
			Faults: fault.Plan{Reorder: 0.5}}
		r, err := sim.Run(t.Context(), tt.config)
		if tt.want != "" {
			require.ErrorIs(t, err, sim.ErrDelay)
			require.ErrorContains(t, err, tt.want)
			continue
		}
		require.NoError(t, err)
		require.Positive(t, r.Reordered)
		if !tt.config.Force {
			require.True(t, r.Agreed)
		}
	}
}

// TestReorderOnALink: links that keep the order do not keep it for what is reordered, and for
// nothing else.
func TestReorderOnALink(t *testing.T) {
	for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
		var got []uint64
		in := scenario.Input{IDs: []election.ID{1, 2}, Initiators: []election.ID{1},
			Algorithm: &election.Algorithm{
				Name: "sequence", Topology: election.Ring, Kinds: []election.Kind{{Name: "number"}},
				New: func(election.Setup) election.Node { return sequence{&got} }}}
		in.Faults.Reorder = 0.1
		run(t, sim.Config{Input: in, Schedule: schedule, Seed: 4})
		require.Len(t, got, 100)
		late := 0
		for i, v := range got {
			if i > 0 && v < slices.Max(got[:i]) {
				late++
			}
		}
		require.NotZero(t, late, schedule)
		require.Less(t, late, 25, schedule)
	}
	in := input(lcr.Initiators(), []election.ID{1, 2})
	in.Faults.Reorder = 0.1
	_, err := sim.Run(t.Context(), sim.Config{Input: in})
	require.ErrorIs(t, err, election.ErrNeedsFIFO)
	run(t, sim.Config{Input: in, Force: true})
}

// TestPlanWithoutFaults: what cannot happen draws nothing and changes nothing.
func TestPlanWithoutFaults(t *testing.T) {
	for i, c := range configs(5) {
		want := run(t, c)
		c.Faults.Partitions = []fault.Partition{cut(0, 0, c.IDs)}
		r := run(t, c)
		require.Equal(t, want.TraceHash, r.TraceHash, "config %d", i)
	}
}

// faulty draws a run in which all kinds of things go wrong.
func faulty(seed uint64) sim.Config {
	n := seed
	below := func(k uint64) uint64 { // any numbers do
		n = n*6364136223846793005 + 1442695040888963407
		return n >> 33 % k
	}
	chance := func() float64 { return float64(below(5)) * 0.1 }
	ids := shuffled(int(below(7)) + 3)
	id := func() election.ID { return ids[below(uint64(len(ids)))] }
	at := func() time.Duration { return time.Duration(below(60)) * sim.Unit / 4 }
	algorithms := []*election.Algorithm{lcr.Participant(), lcr.Initiators(), hs.Probe(), bullyAlgorithm()}
	c := sim.Config{Input: input(algorithms[below(4)], ids), Seed: seed, Force: true, Until: 200 * sim.Unit}
	if below(2) == 0 {
		c.Schedule, c.Unordered = sim.RandomDelay, below(2) == 0
	}
	c.Faults = fault.Plan{Loss: chance(), Duplicate: chance(), Reorder: chance()}
	for range below(3) {
		p := fault.Partition{From: at(), OneWay: below(2) == 0, Groups: [][]election.ID{{ids[0], ids[1]},
			{ids[2]}}}
		if below(2) == 0 {
			p.Until = p.From + at() + 1
		}
		c.Faults.Partitions = append(c.Faults.Partitions, p)
	}
	for range below(4) {
		from := at()
		c.PauseAt = append(c.PauseAt, scenario.Pause{ID: id(), From: from, Until: from + at() + 1})
		c.CrashAt = append(c.CrashAt, scenario.At{ID: id(), Time: at()})
		c.RestartAt = append(c.RestartAt, scenario.At{ID: id(), Time: at()})
		c.RecoverAt = append(c.RecoverAt, scenario.At{ID: id(), Time: at()})
	}
	return c
}

// TestRandomFaults: whatever faults occur, a run ends, repeats exactly, and continues in the same way after
// Restore.
func TestRandomFaults(t *testing.T) {
	for seed := range uint64(600) {
		c := faulty(seed)
		s, err := sim.New(c)
		require.NoError(t, err, "seed %d", seed)
		steps := 0
		var snap *sim.Snapshot
		for s.Step() {
			if steps++; steps == 40 {
				snap = s.Snapshot()
			}
			require.Less(t, steps, 1_000_000, "seed %d", seed)
		}
		want := s.Result()
		require.NotErrorIs(t, s.Run(t.Context()), observe.ErrPanic, "seed %d", seed)
		require.LessOrEqual(t, want.Steps, want.Messages-want.Lost+want.Duplicated, "seed %d", seed)
		again, err := sim.New(c)
		require.NoError(t, err)
		_ = again.Run(t.Context()) // some processes start that must not
		require.Equal(t, want, again.Result(), "seed %d", seed)
		if snap == nil {
			continue
		}
		for range 2 {
			require.NoError(t, again.Restore(snap))
			_ = again.Run(t.Context())
			require.Equal(t, want, again.Result(), "seed %d", seed)
		}
	}
}

// cutOff cuts one process off from all others.
func cutOff(id election.ID) scenario.Step {
	return scenario.Step{Do: observe.Cut, Groups: [][]election.ID{{id}}}
}

func TestCutAndHeal(t *testing.T) {
	in, got := ticking()
	s, err := sim.New(sim.Config{Input: in, Until: 2 * sim.Unit})
	require.NoError(t, err)
	until := func(units time.Duration) {
		s.Extend(units * sim.Unit)
		require.NoError(t, s.Run(t.Context()))
	}
	until(2)
	require.NoError(t, do(s, cutOff(1)))
	snap := s.Snapshot()
	until(5)
	require.NoError(t, do(s, scenario.Step{Do: observe.Heal}))
	until(20)
	want := []string{"0@1", "1@2", "2@3", "6@7", "7@8", "8@9", "9@10"}
	require.Equal(t, want, *got, "2 was sent just before the cut")
	require.EqualValues(t, 3, s.Result().Lost)

	*got = nil
	require.NoError(t, s.Restore(snap))
	until(20)
	require.Equal(t, []string{"2@3"}, *got, "taken back to where the links were cut")
	require.ErrorIs(t, do(s, cutOff(3)), election.ErrInput)
	require.ErrorIs(t, do(s, scenario.Step{Do: observe.Cut}), election.ErrInput)
}

func TestBadFaults(t *testing.T) {
	in := input(lcr.Participant(), []election.ID{1, 2})
	in.Faults.Loss = math.NaN()
	_, err := sim.New(sim.Config{Input: in})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "loss: NaN is not a probability")
}

// TestCutHasOneWay: a one-way cut loses only messages from an earlier group to a later one. The hash includes
// a cut and its end, even if no message is lost.
func TestCutHasOneWay(t *testing.T) {
	run := func(cut fault.Partition, heal bool) (got []string, hash uint64) {
		in, received := ticking()
		s, err := sim.New(sim.Config{Input: in, Until: 4 * sim.Unit})
		require.NoError(t, err)
		if cut.Groups != nil {
			require.NoError(t, do(s, scenario.Step{Do: observe.Cut, Groups: cut.Groups, OneWay: cut.OneWay}))
		}
		require.NoError(t, s.Run(t.Context()))
		if heal {
			require.NoError(t, do(s, scenario.Step{Do: observe.Heal}))
		}
		return *received, s.Result().TraceHash
	}
	all, whole := run(fault.Partition{}, false)
	require.NotEmpty(t, all)
	there, one := run(fault.Partition{Groups: [][]election.ID{{1}}, OneWay: true}, false)
	back, other := run(fault.Partition{Groups: [][]election.ID{{2}}, OneWay: true}, false)
	require.Empty(t, there, "process 1 sends, and does not reach 2")
	require.Equal(t, all, back, "process 2 sends nothing")
	_, both := run(fault.Partition{Groups: [][]election.ID{{2}}}, false)
	_, healed := run(fault.Partition{Groups: [][]election.ID{{2}}}, true)
	hashes := []uint64{whole, one, other, both, healed}
	slices.Sort(hashes)
	require.Len(t, slices.Compact(hashes), 5)
}
