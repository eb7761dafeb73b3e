package soak

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
)

// planOf returns a plan of n processes that do little, on given links.
func planOf(n int, links topology.Topology) *Plan {
	p := &Plan{}
	p.Algorithm = &election.Algorithm{Name: "idle", Topology: election.Complete, TwoWay: true,
		Kinds: []election.Kind{{Name: "one"}}, New: func(election.Setup) election.Node { return &idler{} }}
	if links != nil {
		p.Algorithm.Topology = links.Shape()
	}
	for i := range n {
		p.IDs = append(p.IDs, election.ID(i+1))
	}
	p.Topology = links
	return p
}

// TestWithoutProcess: the links that are left without a process, and which processes are left.
func TestWithoutProcess(t *testing.T) {
	must := func(links topology.Topology, err error) topology.Topology {
		require.NoError(t, err)
		return links
	}
	mesh := func(rows, cols int) topology.Topology { return must(topology.Mesh(rows, cols)) }
	graph := func(n int, pairs ...[2]int) topology.Topology {
		return must(topology.New(election.Graph, n, pairs))
	}
	for name, tt := range map[string]struct {
		links topology.Topology
		gone  int
		want  topology.Topology // nil if there are none
		left  []int
	}{
		"ring":             {must(topology.Ring(3, true)), 1, must(topology.Ring(2, true)), []int{0, 2}},
		"two-way ring":     {must(topology.Ring(3, false)), 2, must(topology.Ring(2, false)), []int{0, 1}},
		"ring of one":      {must(topology.Ring(1, true)), 0, nil, nil},
		"hypercube, lower": {must(topology.Hypercube(2)), 1, must(topology.Hypercube(1)), []int{2, 3}},
		"hypercube, upper": {must(topology.Hypercube(3)), 6, must(topology.Hypercube(2)),
			[]int{0, 1, 2, 3}},
		"mesh, a row":        {mesh(4, 3), 4, mesh(3, 3), []int{0, 1, 2, 6, 7, 8, 9, 10, 11}},
		"mesh, a column":     {mesh(3, 4), 5, mesh(3, 3), []int{0, 2, 3, 4, 6, 7, 8, 10, 11}},
		"mesh, the smallest": {mesh(3, 3), 5, nil, nil},
		"a graph, its first": {graph(4, [2]int{0, 1}, [2]int{0, 2}, [2]int{2, 3}), 0,
			graph(3, [2]int{0, 1}, [2]int{1, 2}), []int{1, 2, 3}},
		"a graph, in the middle": {graph(4, [2]int{0, 1}, [2]int{1, 2}, [2]int{1, 3}, [2]int{2, 3}), 1,
			graph(3, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 2}), []int{0, 2, 3}},
		"a graph, its last": {graph(3, [2]int{0, 2}, [2]int{2, 1}), 2, graph(2, [2]int{0, 1}), []int{0, 1}},
	} {
		in := planOf(tt.links.Len(), tt.links).Input
		links, left, ok := withoutProcess(&in, tt.gone)
		require.Equal(t, tt.want != nil, ok, name)
		if ok {
			require.True(t, topology.Equal(tt.want, links), name)
			require.Equal(t, tt.left, left, name)
		}
	}
}

// TestRootThatGoes: a tree without its root has the first neighbour for one.
func TestRootThatGoes(t *testing.T) {
	path, err := topology.Path(4)
	require.NoError(t, err)
	for _, c := range []struct{ root, gone, want int }{{0, 0, 0}, {3, 3, 2}, {3, 0, 2}, {0, 3, 0},
		{2, 2, 1}} {
		rooted, err := topology.RootAt(path, c.root)
		require.NoError(t, err)
		small, err := contracted(rooted, c.gone)
		require.NoError(t, err)
		require.Equal(t, c.want, small.(topology.Rooted).Root(), "%+v", c)
	}
}

// TestSimpleStart: a start comes at the beginning; times that are all zero are left out.
func TestSimpleStart(t *testing.T) {
	for _, c := range []struct {
		times []time.Duration
		i     int
		want  []time.Duration // of the smaller plan
		none  bool            // there is no i-th
		more  bool
	}{
		{nil, 0, nil, true, false},
		{[]time.Duration{0, 1}, 0, nil, true, true},
		{[]time.Duration{0, 1}, 1, []time.Duration{0, 0}, false, true},
		{[]time.Duration{0, 1}, 2, nil, true, true},
		{[]time.Duration{0, 1}, 3, nil, true, false},
		{[]time.Duration{0, 0}, 2, nil, false, true},
		{[]time.Duration{0, 0}, 3, nil, true, false},
	} {
		p := planOf(2, nil)
		p.StartTimes = c.times
		q, more := simpleStart(p, c.i)
		require.Equal(t, c.none, q == nil, "%+v", c)
		require.Equal(t, c.more, more, "%+v", c)
		if q != nil {
			require.Equal(t, c.want, q.StartTimes, "%+v", c)
		}
	}
}

// TestReportsOfSmallerPlans: a smaller plan counts only if its detector reports a crash when the last message
// of the process must have arrived, and if it is valid.
func TestReportsOfSmallerPlans(t *testing.T) {
	p := planOf(2, nil)
	p.Algorithm.Delay = unit
	p.Algorithm.Faults = election.Faults{Crash: election.StaysDown, Reported: true}
	p.Algorithm.New = func(election.Setup) election.Node { return &startled{} }
	p.CrashAt = []scenario.At{{ID: 2, Time: unit}}
	require.NoError(t, p.Check())
	for after, fails := range map[time.Duration]bool{1: false, unit - 1: false, unit: true, 2 * unit: true} {
		p.SuspectAfter = after
		s := &Shrunk{Violation: &Violation{Property: verdict.Sound}}
		require.Equal(t, fails, s.fails(t.Context(), p), "%v", after)
	}
	p.CrashAt[0].ID = 3
	require.False(t, (&Shrunk{Violation: &Violation{Property: verdict.Sound}}).fails(t.Context(), p))
}

// startled is a Node that panics at a suspicion.
type startled struct{ idler }

func (*startled) Step(_ *election.Env, ev *election.Event) {
	if ev.Op == election.Suspect {
		panic("no")
	}
}

// TestServing: a run serves while a request waits, and another process has entered since, or is inside.
func TestServing(t *testing.T) {
	waiting, served := participant{asked: 1}, participant{asked: 1, entered: 1}
	inside, down := participant{asked: 1, entered: 1, inside: 1}, participant{asked: 1, down: true}
	for _, c := range []struct {
		is       []participant
		progress bool
		sections int
		want     bool
	}{
		{[]participant{waiting, served}, true, 1, true},
		{[]participant{served, waiting, served}, true, 1, true},
		{[]participant{waiting, served}, false, 1, false},
		{[]participant{waiting, inside}, false, 1, true},
		{[]participant{inside, waiting, served}, false, 1, true},
		{[]participant{served, inside}, true, 1, false},
		{[]participant{down, inside}, true, 1, false},
		{[]participant{waiting, inside}, true, 0, false},
	} {
		y := &play{Plan: planOf(len(c.is), nil), is: c.is, entries: 5}
		y.Algorithm.Sections = c.sections
		before := 5
		if c.progress {
			before = 4
		}
		require.Equal(t, c.want, y.isServing(before), "%+v", c)
	}
}

// TestDescribePlan: all that a plan holds is named.
func TestDescribePlan(t *testing.T) {
	p := planOf(3, nil)
	at := scenario.At{ID: 1, Time: unit}
	require.Equal(t, "3 processes, 3 initiators", p.Describe())
	p.CrashAt, p.Initiators = []scenario.At{at}, p.IDs[:1]
	require.Equal(t, "3 processes, 1 initiator, 1 crash", p.Describe())
	p.Crashed, p.SuspectAfter = p.IDs[1:2], 1
	p.PauseAt, p.Schedule = []scenario.Pause{{ID: 1}}, sim.RandomDelay
	require.Equal(t, "3 processes, 1 initiator, 2 crashes, a failure detector, 1 pause, random delays",
		p.Describe())
	p = planOf(1, nil)
	p.Config.Faults = fault.Plan{Loss: 0.5, Duplicate: 0.5, Partitions: make([]fault.Partition, 2)}
	p.Unordered, p.ClockRates = true, make([]scenario.ClockRate, 1)
	require.Equal(t,
		"1 process, 1 initiator, 1 wrong clock, 2 cuts, links that lose messages, links that duplicate "+
			"messages, "+
			"links that do not keep the order", p.Describe())
	require.Equal(t, 4, p.Faults())
}

// TestSmallerKeepsTheRest: with a process go its priority, its start, its faults and the prompts about it.
func TestSmallerKeepsTheRest(t *testing.T) {
	p := planOf(3, nil)
	require.NoError(t, p.Check())
	p.Priorities, p.StartTimes = []uint64{10, 20, 30}, []time.Duration{1, 2, 3}
	all := func() (list []scenario.At) {
		for _, id := range p.IDs {
			list = append(list, scenario.At{ID: id, Time: time.Duration(id)})
		}
		return list
	}
	p.CrashAt, p.RecoverAt, p.RestartAt = all(), all(), all()
	for _, id := range p.IDs {
		p.PauseAt = append(p.PauseAt, scenario.Pause{ID: id})
		p.Prompts = append(p.Prompts, Prompt{To: id, Of: id%3 + 1}, Prompt{To: id})
	}
	p.Config.Faults.Partitions = []fault.Partition{{Groups: [][]election.ID{{1, 2}}},
		{Groups: [][]election.ID{{2}}}}
	q, more := dropProcess(p, 1)
	require.True(t, more)
	require.Equal(t, []election.ID{1, 3}, q.IDs)
	require.Equal(t, []uint64{10, 30}, q.Priorities)
	require.Equal(t, []time.Duration{1, 3}, q.StartTimes)
	want := []scenario.At{{ID: 1, Time: 1}, {ID: 3, Time: 3}}
	for _, list := range [][]scenario.At{q.CrashAt, q.RecoverAt, q.RestartAt} {
		require.Equal(t, want, list)
	}
	require.Equal(t, []scenario.Pause{{ID: 1}, {ID: 3}}, q.PauseAt)
	require.Equal(t, []Prompt{{To: 1}, {To: 3, Of: 1}, {To: 3}}, q.Prompts)
	require.Equal(t, []fault.Partition{{Groups: [][]election.ID{{1}}}}, q.Config.Faults.Partitions)
	require.True(t, slices.Equal(p.IDs, []election.ID{1, 2, 3}))
}

// TestDetectorOfSmallerPlans: without the last crash there is no detector.
func TestDetectorOfSmallerPlans(t *testing.T) {
	p := planOf(2, nil)
	p.SuspectAfter = 2 * unit
	p.CrashAt = []scenario.At{{ID: 1, Time: unit}, {ID: 2, Time: unit}}
	q, more := dropCrash(p, 0)
	require.True(t, more)
	require.Equal(t, []scenario.At{{ID: 2, Time: unit}}, q.CrashAt)
	require.Equal(t, 2*unit, q.SuspectAfter)
	q, _ = dropCrash(q, 0)
	require.Empty(t, q.CrashAt)
	require.Zero(t, q.SuspectAfter)
	_, more = dropCrash(q, 0)
	require.False(t, more)
}

// TestFirstViolation: the first violation counts, and none after the context has ended.
func TestFirstViolation(t *testing.T) {
	s, err := sim.New(planOf(1, nil).Config)
	require.NoError(t, err)
	y := &play{Sim: s}
	y.fail(verdict.Rests, "first")
	y.fail(verdict.Sound, "second")
	require.Equal(t, &Violation{Property: verdict.Rests, Reason: "first"}, y.wrong)
	y = &play{Sim: s, left: true}
	y.fail(verdict.Rests, "late")
	require.Nil(t, y.wrong)
}

// TestRoundsOfRestless: in a run that never comes to rest no message takes less than a 64th of a unit at
// most, else a token would go round too often.
func TestRoundsOfRestless(t *testing.T) {
	a := *planOf(1, nil).Algorithm
	shortest := func() time.Duration {
		least := 4 * unit
		for seed := range uint64(1500) {
			plan, err := (&Config{Algorithm: &a, Processes: 1}).Plan(seed)
			require.NoError(t, err)
			if plan.Schedule == sim.RandomDelay {
				least = min(least, plan.Delay.Longest())
			}
		}
		return least
	}
	require.Less(t, shortest(), unit/64)
	a.NeverQuiesces = true
	require.GreaterOrEqual(t, shortest(), unit/64)
}

// TestSmallerPlansShareNothing: a plan stays as it is, list by list, when smaller ones are made of it.
func TestSmallerPlansShareNothing(t *testing.T) {
	full := func() *Plan {
		p := planOf(3, nil)
		p.IDs = []election.ID{30, 20, 10}
		require.NoError(t, p.Check())
		p.Priorities, p.Initiators = []uint64{3, 2, 1}, []election.ID{10, 30, 20}
		p.StartTimes = []time.Duration{0, 7, 8}
		at := []scenario.At{{ID: 10, Time: 7}, {ID: 20, Time: 8}}
		p.Crashed, p.CrashAt = []election.ID{30, 20}, at
		p.RecoverAt, p.RestartAt = slices.Clone(at), slices.Clone(at)
		p.PauseAt = []scenario.Pause{{ID: 10, From: 7, Until: 8}, {ID: 20, From: 7, Until: 8}}
		p.ClockRates = []scenario.ClockRate{{ID: 10, Rate: 1.25}, {ID: 20, Rate: 0.75}}
		p.Prompts = []Prompt{{At: 7, To: 10, Of: 20}, {At: 8, To: 20, Of: 10}}
		p.Config.Faults = fault.Plan{Loss: 0.5, Partitions: []fault.Partition{
			{From: 7, Until: 8, Groups: [][]election.ID{{10, 20}}},
			{From: 7, Until: 8, Groups: [][]election.ID{{20}}}}}
		return p
	}
	p, want := full(), full()
	p.Algorithm, p.Topology = want.Algorithm, want.Topology
	for kind, smaller := range smallerPlans {
		for i := 0; ; i++ {
			if _, more := smaller(p, i); !more {
				break
			}
			require.Equal(t, want.Input.Scenario(), p.Input.Scenario(), "kind %d, %d", kind, i)
			require.Equal(t, want.Prompts, p.Prompts, "kind %d, %d", kind, i)
		}
	}
}

// TestSmallerClocks: wrong clocks are left out one after another, or with their process, and follow the IDs.
func TestSmallerClocks(t *testing.T) {
	p := planOf(3, nil)
	p.IDs = []election.ID{30, 20, 10}
	require.NoError(t, p.Check())
	p.ClockRates = []scenario.ClockRate{{ID: 10, Rate: 1.25}, {ID: 30, Rate: 0.75}}
	dropClock := drop(func(p *Plan) *[]scenario.ClockRate { return &p.ClockRates })
	q, more := dropClock(p, 0)
	require.True(t, more)
	require.Equal(t, p.ClockRates[1:], q.ClockRates)
	q, more = dropClock(p, 1)
	require.True(t, more)
	require.Equal(t, p.ClockRates[:1], q.ClockRates)
	_, more = dropClock(p, 2)
	require.False(t, more)
	q, more = dropProcess(p, 0)
	require.True(t, more)
	require.Equal(t, p.ClockRates[:1], q.ClockRates)
	q, _ = dropProcess(p, 1)
	require.Equal(t, p.ClockRates, q.ClockRates)
	q, more = simpleIDs(p, 0)
	require.True(t, more)
	require.Equal(t, []election.ID{3, 2, 1}, q.IDs)
	require.Equal(t, []scenario.ClockRate{{ID: 1, Rate: 1.25}, {ID: 3, Rate: 0.75}}, q.ClockRates)
}

// TestLastThatStaysUp: where critical sections are shared, each smaller plan has a process that never
// crashes.
func TestLastThatStaysUp(t *testing.T) {
	for _, sections := range []int{0, 1} {
		p := planOf(3, nil)
		require.NoError(t, p.Check())
		p.Algorithm.Sections = sections
		p.CrashAt = []scenario.At{{ID: 2, Time: unit}, {ID: 3, Time: unit}}
		q, more := dropProcess(p, 0)
		require.True(t, more)
		require.Equal(t, sections > 0, q == nil)
		q, more = dropProcess(p, 1)
		require.True(t, more)
		require.Equal(t, []election.ID{1, 3}, q.IDs)
	}
}

// TestSimpleOrder: first the order of starts is that of the IDs, where no start has a time; then the links
// are those that the algorithm has where none are given.
func TestSimpleOrder(t *testing.T) {
	ring, err := topology.Ring(3, false)
	require.NoError(t, err)
	p := planOf(3, ring)
	p.Initiators = []election.ID{3, 1}
	q, more := simpleOrder(p, 0)
	require.True(t, more)
	require.Equal(t, []election.ID{1, 3}, q.Initiators)
	p.StartTimes = []time.Duration{0, 1}
	q, more = simpleOrder(p, 0)
	require.True(t, more)
	require.Nil(t, q)
	q, more = simpleOrder(p, 1)
	require.True(t, more)
	require.Nil(t, q, "a two-way algorithm has these links anyway")
	p.Algorithm.TwoWay = false
	q, more = simpleOrder(p, 1)
	require.True(t, more)
	require.True(t, q.Topology.OneWay())
	_, more = simpleOrder(p, 2)
	require.False(t, more)
}

// TestShortestDelays: where a message takes a nanosecond at most, starts come within as many as the longest
// delays that are drawn for them.
func TestShortestDelays(t *testing.T) {
	a := *planOf(1, nil).Algorithm
	a.Delay = 1
	var last time.Duration
	for seed := range uint64(200) {
		plan, err := (&Config{Algorithm: &a}).Plan(seed)
		require.NoError(t, err)
		for _, at := range plan.StartTimes {
			last = max(last, at)
		}
	}
	require.EqualValues(t, 40, last)
}

// TestShrinkToWhatMatters: of a plan in which everything goes wrong that can, only what its failure needs is left,
// with one process, small numbers and times of half units.
func TestShrinkToWhatMatters(t *testing.T) {
	full := func() *Plan {
		p := planOf(4, nil)
		a := *p.Algorithm
		a.Faults = election.Faults{Crash: election.MayRecover, Loss: true, Copies: true, Pause: true,
			Cut: true}
		p.Algorithm, p.IDs = &a, []election.ID{9, 4, 17, 6}
		p.Priorities, p.Initiators = []uint64{1, 0, 0, 2}, []election.ID{17, 4, 9}
		p.StartTimes = []time.Duration{0, unit / 3, 5 * unit / 2}
		p.CrashAt = []scenario.At{{ID: 9, Time: unit + 5}, {ID: 4, Time: unit / 2}, {ID: 9, Time: 7 * unit}}
		p.RecoverAt = []scenario.At{{ID: 9, Time: 5 * unit}}
		p.RestartAt = []scenario.At{{ID: 4, Time: unit + 1}, {ID: 9, Time: 9 * unit}}
		p.PauseAt = []scenario.Pause{{ID: 6, From: unit / 4, Until: 8 * unit}}
		p.ClockRates = []scenario.ClockRate{{ID: 4, Rate: 1.25}, {ID: 17, Rate: 0.75}}
		p.SuspectAfter = 3*unit + 1
		p.Prompts = []Prompt{{At: unit, To: 4}, {At: 3*unit + 1, To: 17, Of: 4}, {At: 6 * unit, To: 6, Of: 9, Back: true}}
		p.Config.Faults = fault.Plan{Loss: 0.3, Duplicate: 0.1, Partitions: []fault.Partition{
			{From: 1, Until: unit, Groups: [][]election.ID{{9}}},
			{From: unit, Until: 2 * unit, Groups: [][]election.ID{{6, 4}}}}}
		p.Schedule, p.Delay, p.Unordered = sim.RandomDelay, sim.Delay{Min: unit / 8, Max: unit / 3}, true
		require.NoError(t, p.Check())
		return p
	}
	at := func(units float64) []scenario.At {
		return []scenario.At{{ID: 1, Time: time.Duration(units * float64(unit))}}
	}
	for name, c := range map[string]struct {
		needs func(p *Plan) bool
		want  func(p *Plan) // what is left besides one process
	}{
		"nothing":   {func(*Plan) bool { return true }, func(*Plan) {}},
		"a start":   {func(p *Plan) bool { return len(p.Initiators) > 0 }, func(p *Plan) { p.Initiators = []election.ID{1} }},
		"a crash":   {func(p *Plan) bool { return len(p.CrashAt) > 0 }, func(p *Plan) { p.CrashAt = at(0.5) }},
		"a restart": {func(p *Plan) bool { return len(p.RestartAt) > 0 }, func(p *Plan) { p.CrashAt, p.RestartAt = at(0.5), at(1.5) }},
		"a recovery": {func(p *Plan) bool { return len(p.RecoverAt) > 0 },
			func(p *Plan) { p.CrashAt, p.RecoverAt = at(1.5), at(5) }},
		"a pause": {func(p *Plan) bool { return len(p.PauseAt) > 0 },
			func(p *Plan) { p.PauseAt = []scenario.Pause{{ID: 1, From: unit / 2, Until: 8 * unit}} }},
		"a clock": {func(p *Plan) bool { return len(p.ClockRates) > 0 },
			func(p *Plan) { p.ClockRates = []scenario.ClockRate{{ID: 1, Rate: 0.75}} }},
		"a prompt": {func(p *Plan) bool { return len(p.Prompts) > 0 }, func(p *Plan) { p.Prompts = []Prompt{{At: unit, To: 1}} }},
		"losses":   {func(p *Plan) bool { return p.Config.Faults.Loss > 0 }, func(p *Plan) { p.Config.Faults.Loss = 0.3 }},
		"no order": {func(p *Plan) bool { return p.Unordered }, func(p *Plan) {
			p.Schedule, p.Delay, p.Unordered = sim.RandomDelay, sim.Delay{Min: unit / 2, Max: unit}, true
		}},
	} {
		got := scenario.Shrink(full(), smallerPlans,
			func(q *Plan) (*Plan, bool) { return q, q != nil && q.Check() == nil && c.needs(q) },
			func() bool { return true })
		want := planOf(1, nil)
		want.Initiators = []election.ID{}
		c.want(want)
		require.NoError(t, want.Check())
		require.Equal(t, want.shown(), got.shown(), name)
		require.ElementsMatch(t, want.ClockRates, got.ClockRates, name)
	}
}
