package bully_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

var long = flag.Bool("long", false, "try more schedules, and search larger groups, for some minutes")

// startTogether returns the messages of a random schedule on which all of n processes start at once.
func startTogether(t *testing.T, a *election.Algorithm, n int, seed uint64) uint64 {
	t.Helper()
	// The bullies allow for links that do not keep the order.
	c := sim.Config{Schedule: sim.RandomDelay, Seed: seed, Unordered: true,
		Input: scenario.Input{Algorithm: a, IDs: among(n)}}
	require.True(t, sim.Arrange(&c.Input, sim.RandomOrder, seed))
	r, err := sim.Run(context.Background(), c)
	require.NoError(t, err)
	return r.Messages
}

// TestMostFound: if all start together, late messages make elections of rules larger than the formula of its
// descriptor. Its text gives the largest of 20,000 schedules, which a long run makes again. It is no bound:
// such a search misses most of what TestMostOfHalting finds.
func TestMostFound(t *testing.T) {
	const schedules = 20_000
	rules := bully.Algorithms()[0]
	for _, c := range []struct {
		a    *election.Algorithm
		n    int
		most uint64
		seed uint64 // of the first schedule that takes as many
	}{{rules, 5, 103, 13461}, {rules, 8, 382, 10238}} {
		require.Contains(t, c.a.Worst.Also, fmt.Sprintf("%d at n = %d", c.most, c.n))
		require.Equal(t, c.most, startTogether(t, c.a, c.n, c.seed), "%s of %d", c.a.Title(), c.n)
		for seed := range uint64(schedules) {
			if seed == 1000 && !*long {
				break
			}
			require.LessOrEqual(t, startTogether(t, c.a, c.n, seed), c.most, "seed %d", seed)
		}
	}
}

// TestFormulas: the formulas of the descriptors hold where their texts say so.
func TestFormulas(t *testing.T) {
	rules, halting := bully.Algorithms()[0], bully.Algorithms()[1]
	for n := 3; n < 12; n++ {
		down := scenario.Input{IDs: among(n), Crashed: []election.ID{election.ID(n)}}
		starts := func(a *election.Algorithm, id int) uint64 {
			in := down
			in.Algorithm, in.Initiators = a, []election.ID{election.ID(id)}
			return run(t, in).Messages
		}
		require.EqualValues(t, n, starts(rules, n-1), "n if n is down and n-1 starts")
		require.EqualValues(t, n*n-n, starts(rules, 1), "n^2-n if n is down and 1 starts")
		require.EqualValues(t, n-1+5*(n-2), starts(halting, n-1), "n-1 + 5(n-2)")
	}
}

// TestMostOfHalting: all start the original together. The most messages that a search of all schedules finds
// come from the descriptor, if it can try all of them; the larger groups are for a long run.
func TestMostOfHalting(t *testing.T) {
	a := bully.Algorithms()[1]
	require.Contains(t, a.Worst.Also, "all start: 6n^2-2n-6; 10n-12")
	for _, c := range []struct {
		n         int
		unordered bool
		long      bool
	}{{2, true, false}, {3, true, false}, {4, true, true}, {2, false, false},
		{3, false, false}, {4, false, false}, {5, false, true}} {
		if c.long && !*long {
			continue
		}
		r, err := check.Run(t.Context(), check.Config{Input: scenario.Input{Algorithm: a, IDs: among(c.n)},
			Unordered: c.unordered, Started: true, Delay: a.Delay})
		require.NoError(t, err)
		require.True(t, r.Exhausted)
		most := 6*c.n*c.n - 2*c.n - 6
		if !c.unordered {
			most = 10*c.n - 12
		}
		require.Equal(t, most, r.Messages, "%d processes, unordered %v", c.n, c.unordered)
	}
}

// TestWorstOfHalting: the bound is reached. No message takes longer than another one allows for: only the
// questions to the largest process are late, and it holds an election for each.
func TestWorstOfHalting(t *testing.T) {
	for n := 2; n <= 20; n++ {
		require.Equal(t, 6*n*n-2*n-6, askedLate(t, n), "%d processes", n)
	}
}

// askedLate makes all of n processes halt each other, and returns the number of messages.
func askedLate(t *testing.T, n int) (messages int) {
	in := scenario.Input{Algorithm: bully.Algorithms()[1], IDs: among(n)}
	require.NoError(t, in.Check())
	env, nodes := election.NewEnv(&in, nil), make([]election.TermKeeper, n)
	type sent struct {
		from, to int
		back     election.Port
		election.Message
	}
	var waiting []sent
	step := func(p int, ev election.Event) {
		fx := env.Begin(p)
		nodes[p].Step(env, &ev)
		for _, out := range fx.Sends {
			q, back, ok := in.Topology.Link(p, out.Port)
			require.True(t, ok)
			waiting = append(waiting, sent{p, q, back, out.Msg})
		}
	}
	for p := range nodes {
		nodes[p] = in.Node(p)
		step(p, election.Event{Op: election.Init})
	}
	for p := range nodes {
		step(p, election.Event{Op: election.Start})
	}
	halted := make([]bool, n)
	urgency := func(m sent) int {
		switch in.Algorithm.KindName(m.Kind) {
		case "up":
			return 4*n + 1
		case "areyouup":
			switch {
			case m.to == n-1:
				return 0 // until nothing else is to come
			case halted[m.to]: // it names the largest
				return 4 * n
			}
			return 1
		case "halt": // one process after another, once it has asked
			return n + m.to
		}
		return n - 1
	}
	for ; len(waiting) > 0; messages++ {
		next := 0
		for i := range waiting {
			if urgency(waiting[i]) > urgency(waiting[next]) {
				next = i
			}
		}
		m := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		halted[m.to] = halted[m.to] || in.Algorithm.KindName(m.Kind) == "halt"
		step(m.to, election.Event{Op: election.Recv, Port: m.back, Msg: m.Message})
	}
	return messages
}
