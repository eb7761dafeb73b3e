package experiment_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
)

// named finds algorithms; an empty variant is the default.
func named(t *testing.T, names ...[2]string) []*election.Algorithm {
	t.Helper()
	var all []*election.Algorithm
	for _, name := range names {
		a, err := catalog.Find(name[0], name[1])
		require.NoError(t, err)
		all = append(all, a)
	}
	return all
}

// rings are the algorithms of rings.
func rings(t *testing.T) []*election.Algorithm {
	return named(t, [2]string{"lcr", ""}, [2]string{"lcr", "max"}, [2]string{"hs", ""},
		[2]string{"franklin", ""}, [2]string{"dkr", ""})
}

// TestComparisonAttains: in its best and worst order, an algorithm takes as many messages as the closed form,
// with any seed.
func TestComparisonAttains(t *testing.T) {
	for _, order := range []sim.Order{sim.BestOrder, sim.WorstOrder} {
		cells, err := experiment.Comparison{Algorithms: rings(t), Sizes: []int{1, 2, 5, 8, 10}, Order: order,
			Seeds: 3}.Run(t.Context())
		require.NoError(t, err)
		require.Len(t, cells, 25)
		for _, c := range cells {
			want := c.Best
			if order == sim.WorstOrder {
				if want = c.Worst; c.Algorithm.Worst.Loose {
					require.LessOrEqual(t, c.Messages.Max, want, "%s, %d", c.Algorithm.Title(), c.N)
					continue
				}
			}
			require.Equal(t, experiment.Spread{Mean: want, Min: want, Max: want}, c.Messages, "%s, %d, %s",
				c.Algorithm.Title(), c.N, order)
		}
	}
}

// TestComparisonMeans: in random order nothing leaves the bounds, and the mean of many trials is near
// the closed form. LCR has a standard deviation of less than n, so that the mean of 1,500 trials is off
// by 6 of its own in one run of 10^9.
func TestComparisonMeans(t *testing.T) {
	const trials, n = 1500, 12
	cells, err := experiment.Comparison{Algorithms: rings(t), Sizes: []int{n}, Seeds: trials,
		Seed: 1 << 40}.Run(t.Context())
	require.NoError(t, err)
	for _, c := range cells {
		require.GreaterOrEqual(t, c.Messages.Min, c.Best)
		require.LessOrEqual(t, c.Messages.Max, c.Worst)
		if !math.IsNaN(c.Mean) {
			require.InDelta(t, c.Mean, c.Messages.Mean, 6*n/math.Sqrt(trials), c.Algorithm.Title())
		}
	}
}

// TestComparisonOfAll: every algorithm that elects can be compared, on links of its own.
func TestComparisonOfAll(t *testing.T) {
	var all []*election.Algorithm
	for _, a := range catalogtest.Resting() {
		if a.Sections == 0 {
			all = append(all, a)
		}
	}
	cells, err := experiment.Comparison{Algorithms: all, Sizes: []int{16}, Seeds: 2}.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, cells, len(all))
	for i, c := range cells {
		require.Equal(t, all[i].Title(), c.Algorithm.Title())
		require.NotEmpty(t, c.Links)
		if c.Algorithm.Best.Count != nil {
			require.GreaterOrEqual(t, c.Messages.Min, c.Best, c.Algorithm.Title())
		}
		if c.Algorithm.Worst.Count != nil {
			require.LessOrEqual(t, c.Messages.Max, c.Worst, c.Algorithm.Title())
		}
	}
}

// TestComparisonDeterministic: neither the number of cores nor the other algorithms matter.
func TestComparisonDeterministic(t *testing.T) {
	c := experiment.Comparison{Algorithms: rings(t), Sizes: []int{7, 16, 33}, Seeds: 9, Seed: 5}
	want, err := c.Run(t.Context())
	require.NoError(t, err)
	last := 0
	c.Progress = func(done, total int) {
		require.Equal(t, last+1, done)
		require.Equal(t, 5*3*9, total)
		last = done
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	got, err := c.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 5*3*9, last)
	require.Equal(t, stripped(want), stripped(got))
	c.Algorithms, c.Progress = c.Algorithms[3:4], nil
	got, err = c.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, stripped(want)[8], stripped(got)[1])
	c.Seed++
	other, err := c.Run(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, stripped(got), stripped(other))
}

// stripped leaves what was measured.
func stripped(cells []experiment.Cell) [][3]experiment.Spread {
	var all [][3]experiment.Spread
	for _, c := range cells {
		all = append(all, [3]experiment.Spread{c.Messages, c.Time, c.Bits})
	}
	return all
}

func TestComparisonPrepared(t *testing.T) {
	c := experiment.Comparison{
		Algorithms: named(t, [2]string{"bully", ""}), Sizes: []int{4, 9}, Seeds: 2,
		Prepare: func(run *sim.Config) error {
			n := election.ID(len(run.IDs))
			run.Crashed, run.Initiators = []election.ID{n}, []election.ID{1}
			return nil
		},
	}
	cells, err := c.Run(t.Context())
	require.NoError(t, err)
	for _, c := range cells {
		require.Equal(t, float64(c.N*c.N-c.N), c.Messages.Mean) // the worst case
		require.True(t, math.IsNaN(c.Best) && math.IsNaN(c.Mean) && math.IsNaN(c.Worst),
			"not all start")
	}
}

func TestComparisonFormsOnly(t *testing.T) {
	cells, err := experiment.Comparison{
		Algorithms: rings(t), Sizes: []int{100}, FormsOnly: true, Order: sim.WorstOrder,
		Progress: func(int, int) { t.Error("something was run") },
	}.Run(t.Context())
	require.NoError(t, err)
	for _, c := range cells {
		require.Zero(t, c.Messages)
		require.Equal(t, c.Algorithm.Worst.Count(100), c.Worst)
	}
}

func TestBadComparisons(t *testing.T) {
	lcr := named(t, [2]string{"lcr", ""})
	why := errors.New("no")
	for want, c := range map[string]experiment.Comparison{
		"0 algorithms, it must be from 1 to 50":      {Sizes: []int{3}},
		"0 sizes, it must be from 1 to 10000":        {Algorithms: lcr},
		"0 processes, it must be from 1 to 33554432": {Algorithms: lcr, Sizes: []int{0}},
		"3 processes are there twice":                {Algorithms: lcr, Sizes: []int{3, 4, 3}},
		"lcr/participant is there twice": {Algorithms: append(lcr, lcr...),
			Sizes: []int{3}},
		"algorithm: missing": {Algorithms: []*election.Algorithm{nil},
			Sizes: []int{3}},
		"-1 seeds, it must be from 1 to 1000000": {Algorithms: lcr, Sizes: []int{3},
			Seeds: -1},
		`order "up" is not one of random, sorted, best, worst`: {Algorithms: lcr, Sizes: []int{3},
			Order: "up"},
		"mutex/tokenring guards critical sections": {Algorithms: named(t,
			[2]string{"mutex", "tokenring"}), Sizes: []int{3}},
		"hypercube, 6 processes: ": {Algorithms: named(t,
			[2]string{"hypercube", ""}), Sizes: []int{8, 6}},
		"hs/probe, 11 processes: election: bad input: order: n": {Algorithms: named(t, [2]string{"hs", ""}),
			Sizes: []int{11}, Order: sim.WorstOrder},
	} {
		c.Progress = func(int, int) { t.Error("something was run") }
		_, err := c.Run(t.Context())
		require.ErrorIs(t, err, election.ErrInput, want)
		require.ErrorContains(t, err, want)
	}
	_, err := experiment.Comparison{Algorithms: lcr, Sizes: []int{3},
		Prepare: func(*sim.Config) error { return why }}.Run(t.Context())
	require.ErrorIs(t, err, why)
}

// TestComparisonFails: if several elections go wrong, Run reports the first one, even if they run in
// parallel.
func TestComparisonFails(t *testing.T) {
	for range 20 {
		_, err := experiment.Comparison{
			Algorithms: named(t, [2]string{"lcr", ""}), Sizes: []int{3, 500}, Seeds: 40,
			Prepare: func(run *sim.Config) error {
				if run.Seed >= 2 && len(run.IDs) == 500 {
					run.CrashAt = []scenario.At{{ID: 7, Time: sim.Unit}}
				}
				return nil
			},
		}.Run(t.Context())
		require.ErrorIs(t, err, verdict.ErrNoLeader)
		require.ErrorContains(t, err, "lcr/participant, 500 processes, seed 2: ")
	}
}

func TestComparisonInterrupted(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := experiment.Comparison{Algorithms: rings(t), Sizes: []int{8}, Seeds: 10_000,
		Progress: func(int, int) { cancel(why) }}
	_, err := c.Run(ctx)
	require.ErrorIs(t, err, why)
	_, err = c.Run(ctx)
	require.ErrorIs(t, err, why)
}
