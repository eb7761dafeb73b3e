package electiontest

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
)

// allocating returns an algorithm whose Nodes allocate in some Steps, if it is nil in all.
func allocating(a *election.Algorithm, in func(ev *election.Event) bool) *election.Algorithm {
	return spoil(a, spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
		if in == nil || in(ev) {
			n.sent = make([]election.Message, 1)
		}
		n.Node.Step(e, ev)
	}})
}

const allocates = "a Step allocates memory, of a Node that has been used for all this before: process "

func brokenAllocations() []sample {
	everywhere := map[string]string{"Allocation": allocates}
	asking := mutex.Algorithms(bully.Algorithms()[0])[1]
	return []sample{
		{"allocates", broken{algorithm: allocating(lcr.Participant(), nil), want: everywhere}},
		{"allocates, as declared", broken{algorithm: allocating(lcr.Participant(), nil),
			options: Options{Allocates: true}}},
		{"allocates on a graph", broken{algorithm: allocating(echo.Algorithms()[0], nil), want: everywhere}},
		{"allocates and is long-lived", broken{algorithm: allocating(bully.Algorithms()[0], nil),
			want: everywhere}},
		{"allocates on a time-out", broken{algorithm: allocating(bully.Algorithms()[0],
			func(ev *election.Event) bool { return ev.Op == election.Timeout }),
			want: map[string]string{"Allocation": "at timeout"}}},
		{"allocates where it may make room", broken{algorithm: allocating(asking,
			func(ev *election.Event) bool { return ev.Op == election.Recv && ev.Msg.Kind == 1 }),
			want: map[string]string{"Allocation": "at recv of request"}}},
	}
}

// TestAllocationFound: whichever algorithm allocates in its Steps is found.
func TestAllocationFound(t *testing.T) {
	for _, a := range catalog.All() {
		b := throughout(a, func(a *election.Algorithm) *election.Algorithm { return allocating(a, nil) })
		require.Contains(t, says(t, "Allocation", b, Options{Seeds: 3}), allocates, a.Title())
	}
}

// TestSteadyAllocation: to make room again after a reset is none of each Step.
func TestSteadyAllocation(t *testing.T) {
	a := mutex.Algorithms(bully.Algorithms()[0])[1]
	c := &trial{Options: Options{Seeds: 6, Processes: 9}, Algorithm: a, ctx: t.Context(), t: t}
	all, err := c.histories(6, lasting)
	require.NoError(t, err)
	found := 0
	for _, h := range all {
		where, err := h.allocates()
		require.NoError(t, err)
		found += len(where)
		where, err = c.eachTime(h, where)
		require.NoError(t, err)
		require.Empty(t, where)
	}
	require.Positive(t, found, "a reset loses room")
}

// TestWorn: before its Steps are measured, a Node has run a history twice and was reset. The measurement
// requires two Nodes for each process, or else it would count the first use of each.
func TestWorn(t *testing.T) {
	counts := &tally{property: "Allocation"}
	c := &trial{Options: Options{Seeds: 6, Processes: 5}, Algorithm: counts.over(lcr.Participant()),
		ctx: t.Context(), t: t}
	all, err := c.histories(1, lasting)
	require.NoError(t, err)
	h := all[0]
	nodes, steps := counts.nodes.Load(), counts.steps.Load()
	_, err = h.allocates()
	require.NoError(t, err)
	require.EqualValues(t, 2*len(h.in.IDs), counts.nodes.Load()-nodes)
	require.EqualValues(t, 2*(2+1)*len(h.moments), counts.steps.Load()-steps)
}

// TestChance: both Nodes of a process draw the same, in each Step that is measured.
func TestChance(t *testing.T) {
	drawn := make(map[*spoilt][]int)
	a := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
		first, second := e.Choose(1<<20), e.Choose(1<<20)
		require.NotEqual(t, first, second, "within a Step too")
		drawn[n] = append(drawn[n], first, second)
		n.Node.Step(e, ev)
	})
	c := &trial{Options: Options{Seeds: 6, Processes: 5}, Algorithm: a, ctx: t.Context(), t: t}
	all, err := c.histories(1, lasting)
	require.NoError(t, err)
	clear(drawn)
	_, _ = all[0].measure([2][]election.TermKeeper{all[0].hosts(), all[0].hosts()}, 0)
	var numbers [][]int
	for _, n := range drawn {
		numbers = append(numbers, n)
	}
	slices.SortFunc(numbers, slices.Compare)
	require.Len(t, numbers, 2*len(all[0].in.IDs))
	for i := 0; i < len(numbers); i += 2 {
		require.Equal(t, numbers[i], numbers[i+1])
		require.Greater(t, len(slices.Compact(slices.Clone(numbers[i]))), 1,
			"from Step to Step it is another")
	}
}

// TestDraws: a Node may draw: in the same Step it draws the same again, whatever was drawn before.
func TestDraws(t *testing.T) {
	a := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
		if e.Choose(5) < 2 {
			e.Save()
		}
		n.Node.Step(e, ev)
	})
	for _, holds := range []func(*trial) error{purity, state} {
		require.NoError(t, holds(&trial{Options: Options{Seeds: 5, Processes: 4}, Algorithm: a,
			ctx: t.Context(), t: t}))
	}
}

// TestMayMakeRoom: a Step on a report may allocate if it begins an election, and only then.
func TestMayMakeRoom(t *testing.T) {
	ring, err := lcr.Participant().OverComplete()
	require.NoError(t, err)
	for _, c := range []struct {
		a    *election.Algorithm
		op   election.Op
		want string
	}{
		{ring, election.Suspect, ""}, {ring, election.Trust, ""}, {ring, election.Recv, "at recv of "},
		{bully.Algorithms()[0], election.Suspect, "at suspect"}, {lcr.Participant(), election.Start, ""},
		{lcr.Participant(), election.Init, ""},
	} {
		a := allocating(c.a, func(ev *election.Event) bool { return ev.Op == c.op })
		err := allocation(&trial{Options: Options{Seeds: 20, Processes: 5}, Algorithm: a, ctx: t.Context(),
			t: t})
		if c.want == "" {
			require.NoError(t, err, "%s, %v", c.a.Title(), c.op)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
}

// TestAllocatesStill: allocations of Steps count if, in a long series, Steps of the same kind allocate in
// both of the last two elections.
func TestAllocatesStill(t *testing.T) {
	for _, c := range []struct {
		terms []uint64
		found bool
	}{
		{[]uint64{1}, false}, {[]uint64{1, 2, 3, 4}, false}, {[]uint64{1, 5}, false}, {[]uint64{1, 6}, false},
		{[]uint64{1, 4, 6}, false}, {[]uint64{1, 4, 5}, false}, {[]uint64{5, 6}, false},
		{[]uint64{1, 5, 6}, true},
	} {
		a := allocating(lcr.Participant(), func(ev *election.Event) bool {
			return ev.Op == election.Recv && ev.Msg.Kind == 1 && slices.Contains(c.terms, ev.Msg.Term)
		})
		err := allocation(&trial{Options: Options{Seeds: 3, Processes: 4}, Algorithm: a, ctx: t.Context(),
			t: t})
		if c.found {
			require.ErrorContains(t, err, allocates, "%v", c.terms)
		} else {
			require.NoError(t, err, "%v", c.terms)
		}
	}
}

// TestTwice: a moment counts that is found both times, and what finds nothing is not asked again.
func TestTwice(t *testing.T) {
	wrong := errors.New("it is wrong")
	for _, c := range []struct {
		first, again []int
		errs         [2]error
		want         []int
		calls        int
		err          error
	}{
		{calls: 1},
		{first: []int{1, 4, 6}, again: []int{2, 4, 6, 7}, want: []int{4, 6}, calls: 2},
		{errs: [2]error{wrong}, first: []int{1}, calls: 1, err: wrong},
		{errs: [2]error{nil, wrong}, first: []int{1}, want: []int{}, calls: 2, err: wrong},
	} {
		calls := 0
		got, err := twice(func() ([]int, error) {
			calls++
			return [][]int{c.first, c.again}[calls-1], c.errs[calls-1]
		})
		require.Equal(t, c.want, got)
		require.Equal(t, c.err, err)
		require.Equal(t, c.calls, calls)
	}
}

// TestRounds: the elections of a long history begin alike, and each but the first with a moment of suspicion
// of its leader.
func TestRounds(t *testing.T) {
	for _, c := range []struct {
		a     *election.Algorithm
		ids   []election.ID
		posts [3]int // Starts, Suspects and Trusts in each round but the first
	}{
		{lcr.Participant(), []election.ID{3, 1, 2}, [3]int{3, 1, 1}},
		{lcr.Participant(), []election.ID{1}, [3]int{1, 0, 0}},
		// A Start has made these forget their leader.
		{bully.Algorithms()[0], []election.ID{2, 3, 1}, [3]int{3, 0, 0}},
		{mutex.Algorithms(bully.Algorithms()[0])[0], []election.ID{2, 3, 1}, [3]int{3, 2, 2}},
	} {
		tr := &trial{Options: Options{Processes: 5}, Algorithm: c.a, ctx: t.Context(), t: t}
		h, begins, err := tr.rounds(c.ids)
		require.NoError(t, err)
		require.Len(t, begins, rounds)
		require.Zero(t, begins[0])
		for round, from := range begins {
			until := len(h.moments)
			if round < rounds-1 {
				until = begins[round+1]
			}
			var posts [3]int
			for _, m := range h.moments[from:until] {
				switch m.ev.Op {
				case election.Start:
					posts[0]++
				case election.Suspect:
					posts[1]++
				case election.Trust:
					posts[2]++
				}
			}
			if round == 0 {
				require.Equal(t, [3]int{len(c.ids)}, posts, "%v", c.ids)
				continue
			}
			require.Equal(t, c.posts, posts, "%v", c.ids)
		}
	}
}

// TestInBoth: Steps of a sort count if there are some of the sort in both of two rounds.
func TestInBoth(t *testing.T) {
	at := func(op election.Op, kind, layer uint8) moment {
		return moment{ev: election.Event{Op: op, Timer: kind,
			Msg: election.Message{Kind: kind, Layer: layer}}}
	}
	h := &history{moments: []moment{at(election.Recv, 1, 0), at(election.Recv, 2, 0), at(election.Recv, 1, 0),
		at(election.Timeout, 1, 0), at(election.Recv, 1, 1)}}
	one := sortOf(&h.moments[0])
	require.True(t, h.inBoth([]int{0, 1, 2, 3, 4}, one, 2))
	require.True(t, h.inBoth([]int{0, 1, 2, 3, 4}, one, 1))
	require.False(t, h.inBoth([]int{0, 1, 2, 3, 4}, one, 3), "before alone")
	require.False(t, h.inBoth([]int{0, 1, 2, 3, 4}, one, 0), "after alone")
	require.False(t, h.inBoth([]int{1, 2, 3, 4}, one, 2), "the other is not among these")
	require.False(t, h.inBoth(nil, one, 2))
	for i := range h.moments {
		require.Equal(t, i == 0 || i == 2, sortOf(&h.moments[i]) == one, "%d", i)
	}
	require.Equal(t, stepSort{op: election.Timeout, timer: 3, layer: 2},
		sortOf(&moment{ev: election.Event{Op: election.Timeout, Timer: 3, Layer: 2}}))
	require.Equal(t, stepSort{op: election.Recv, kind: 3, layer: 2},
		sortOf(&moment{ev: election.Event{Op: election.Recv, Msg: election.Message{Kind: 3, Layer: 2}}}))
}
