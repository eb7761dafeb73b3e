package bully_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// startTogether returns the messages of a random schedule on which all of n processes start at once.
func startTogether(t *testing.T, a *election.Algorithm, n int, seed uint64) uint64 {
	t.Helper()
	// The bullies allow for links that do not keep the order. On links that do, these schedules are cheaper:
	// 36 messages at most among five that halt.
	c := sim.Config{Schedule: sim.RandomDelay, Seed: seed, Unordered: true,
		Input: scenario.Input{Algorithm: a, IDs: among(n)}}
	require.True(t, sim.Arrange(&c.Input, sim.RandomOrder, seed))
	r, err := sim.Run(context.Background(), c)
	require.NoError(t, err)
	return r.Messages
}

// TestMostFound: where all start at once, late messages make elections larger than any formula of the
// descriptors says. Their texts give the largest of 20,000 schedules, which the long test makes again.
func TestMostFound(t *testing.T) {
	const schedules = 20_000
	rules, halting := bully.Algorithms()[0], bully.Algorithms()[1]
	for _, c := range []struct {
		a    *election.Algorithm
		n    int
		most uint64
		seed uint64 // of the first schedule that takes as many
	}{{rules, 5, 103, 13461}, {rules, 8, 382, 10238}, {halting, 5, 58, 17675}, {halting, 8, 62, 4073}} {
		require.Contains(t, c.a.Worst.Also, fmt.Sprintf("%d at n = %d", c.most, c.n))
		require.Equal(t, c.most, startTogether(t, c.a, c.n, c.seed), "%s of %d", c.a.Title(), c.n)
		if testing.Short() {
			continue
		}
		for seed := range uint64(schedules) {
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
		require.EqualValues(t, n, starts(rules, n-1), "n where n is down and n-1 starts")
		require.EqualValues(t, n*n-n, starts(rules, 1), "n^2-n where n is down and 1 starts")
		require.EqualValues(t, n-1+5*(n-2), starts(halting, n-1), "n-1 + 5(n-2)")
	}
}
