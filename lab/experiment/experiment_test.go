package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/experiment"
)

const iterations = 600

// near wants a share among this number of trials to be within five standard errors of what it must be.
func near(t *testing.T, want, got float64, about string) {
	t.Helper()
	require.InDelta(t, want, got, 5*math.Sqrt(want*(1-want)/iterations)+1e-12, about)
}

func binomial(n, k int) float64 {
	f, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(n), int64(k))).Float64()
	return f
}

// tiedShares are the shares of crashes under the model of an instant election, of 50 processes, in
// which two or more of those with the smallest wait hear of the crash, by combinatorics.
func tiedShares() (atMaximum, anywhere float64) {
	const others, tied, most = 49, 5, 6
	for k := 1; k <= most; k++ {
		all := most * binomial(others, k)
		if k > 1 {
			atMaximum += binomial(tied, k) / all // no other hears of it
		}
		for above := range others - tied + 1 { // this number of the others waits longer
			for j := 2; j <= min(k, tied); j++ {
				anywhere += binomial(tied, j) * binomial(above, k-j) / all / (others - tied + 1)
			}
		}
	}
	return atMaximum, anywhere
}

// reckoned returns how many of 49 processes start on average under the other model, without any
// Node: those whose time, with a wait or not, comes before the announcement that follows the first
// ELECTION to arrive.
func reckoned(random *rand.Rand, waits float64) float64 {
	const others, trials = 49, 20_000
	latency := func() float64 { return 1 + 9*random.Float64() }
	started := 0
	for range trials {
		var begins [others]float64
		announced := math.Inf(1)
		for p := range begins {
			begins[p] = 40*random.Float64() + waits*latency()
			if p == others-1 { // takes over, and has no process to ask
				announced = min(announced, begins[p])
			} else {
				announced = min(announced, begins[p]+latency())
			}
		}
		for p, begin := range begins {
			if p < others-1 && begin < announced+latency() || p == others-1 && begin <= announced {
				started++
			}
		}
	}
	return float64(started) / trials
}

func TestRedundancy(t *testing.T) {
	seen := 0
	all, err := experiment.Redundancy{Iterations: iterations, Progress: func(done, total int) {
		if done == seen+1 && total == iterations {
			seen++
		}
	}}.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, iterations, seen)
	methods := experiment.Methods()
	require.Len(t, all, 2*len(methods))
	for k, s := range all {
		require.Equal(t, methods[k%len(methods)], s.Method)
		require.Len(t, s.Trials, iterations)
	}
	a, b := all[:len(methods)], all[len(methods):]
	atMaximum, anywhere := tiedShares()
	require.InDelta(t, 0.0015, atMaximum, 0.0001)
	require.InDelta(t, 0.0130, anywhere, 0.0001)
	for i, want := range []float64{5.0 / 6, 5.0 / 6, atMaximum, anywhere, 0, 5.0 / 6} {
		near(t, want, a[i].ShareStarted(), "model a, "+methods[i].String())
		require.Equal(t, methods[i].Variant == "base", a[i].ShareServed() > 0)
	}
	random := rand.New(rand.NewPCG(1, 2))
	atOnce, waiting := reckoned(random, 0), reckoned(random, 1)
	require.InDelta(t, 11.7, atOnce, 0.2)
	for i, want := range []float64{atOnce, atOnce, waiting, waiting, 1, atOnce} { // ties matter little
		require.InDelta(t, want, b[i].MeanStarted(), 0.45, "model b, "+methods[i].String())
		require.Equal(t, methods[i].Variant == "base", b[i].ShareServed() > 0)
	}
	for _, s := range []experiment.Series{b[2], b[3]} {
		require.Greater(t, s.ShareStarted(), 0.99, "waits as long as a message do not help")
	}
	for _, s := range all {
		for i, trial := range s.Trials {
			requireTrial(t, s.Method, trial, "model %s, %v, iteration %d: %+v", s.Model, s.Method, i, trial)
		}
	}
	for i := range iterations { // the common wait changes nothing, crash by crash
		for _, model := range [][]experiment.Series{a, b} {
			require.Equal(t, model[0].Trials[i].Started, model[1].Trials[i].Started)
			require.Equal(t, model[0].Trials[i].Started, model[5].Trials[i].Started)
		}
	}
}

// TestTied: one process in ten has exactly the same waiting time, whichever time that is, and no other
// two do. At the maximum that includes the process that had the longest time before.
func TestTied(t *testing.T) {
	for _, n := range []int{3, 19, 20, 50} {
		for _, model := range []experiment.Model{experiment.Instant, experiment.Skewed} {
			for i := range 50 {
				for _, ties := range []experiment.Ties{experiment.TiedAtMaximum, experiment.TiedAnywhere} {
					times := experiment.Pending(experiment.Redundancy{N: n}, model, i, ties)
					same := make(map[float64]int)
					for _, at := range times {
						same[at]++
					}
					want := max(experiment.Tied(n), 1)
					require.Len(t, times, n-1)
					require.Len(t, same, n-want, "%d processes, model %s, iteration %d, %s", n, model, i,
						ties)
					if ties == experiment.TiedAtMaximum {
						require.Equal(t, want, same[slices.Max(times)])
					}
				}
			}
		}
	}
}

// requireTrial wants the messages that this number of starts must take among 50 processes.
func requireTrial(t *testing.T, m experiment.Method, trial experiment.Trial, about ...any) {
	t.Helper()
	const n = 50
	k, served := trial.Started, 1
	require.LessOrEqual(t, k, trial.Noticed, about...)
	require.Positive(t, k, about...)
	messages := map[string]int{"base": k * n, "convenience": 3*n - 4 + 2*(k-1), "number": 2*n - 3 +
		k}[m.Variant]
	if trial.ByTop {
		messages -= 2 // it has no process to ask
	}
	if m.Variant == "base" {
		served = k
	}
	if m.Wait == "rank" {
		require.Equal(t, 1, k, about...)
	}
	require.EqualValues(t, messages, trial.Messages, about...)
	require.Equal(t, served, trial.Served, about...)
}

func TestRedundancyIsReproducible(t *testing.T) {
	run := func(r experiment.Redundancy) []experiment.Series {
		all, err := r.Run(t.Context())
		require.NoError(t, err)
		return all
	}
	short := run(experiment.Redundancy{N: 30, Iterations: 3, Seed: 7})
	require.Equal(t, short, run(experiment.Redundancy{N: 30, Iterations: 3, Seed: 7}))
	require.NotEqual(t, short, run(experiment.Redundancy{N: 30, Iterations: 3, Seed: 8}))
	long := run(experiment.Redundancy{N: 30, Iterations: 5, Seed: 7,
		Models: []experiment.Model{experiment.Skewed}})
	for k := range long { // more iterations begin like fewer, and no model depends on another one
		require.Equal(t, short[len(long)+k].Trials, long[k].Trials[:3])
	}
	for _, n := range []int{3, 4, 19, 20} {
		for _, s := range run(experiment.Redundancy{N: n, Iterations: 40}) {
			for _, trial := range s.Trials {
				require.LessOrEqual(t, trial.Started, n-1)
			}
		}
	}
}

// TestComplexity: each measured count equals its corrected formula, up to 14 processes, and up to 10 with the
// default size.
func TestComplexity(t *testing.T) {
	elections := 0
	rows, err := experiment.Complexity{N: 14, Progress: func(n int) { elections = n }}.Run(t.Context())
	require.NoError(t, err)
	var c experiment.Complexity
	require.NoError(t, c.Complete())
	require.Equal(t, 10, c.N)
	require.Greater(t, elections, len(rows))
	count := map[string]int{}
	for _, r := range rows {
		about := fmt.Sprintf("%s %s n=%d i=%d", r.Equation.Name, r.Equation.Variant, r.N, r.I)
		require.False(t, r.Differs(), about)
		require.LessOrEqual(t, r.N, map[bool]int{true: experiment.MostPatterns,
			false: 14}[r.Equation.Name == "most"])
		if r.N <= c.N {
			count[r.Equation.Name]++
		}
		switch r.Equation.Verdict {
		case experiment.Wrong:
			require.NotEqual(t, r.Formula, r.Paper, about)
		case experiment.NotInPaper:
			require.True(t, math.IsNaN(r.Paper), about)
		default:
			require.Equal(t, r.Formula, r.Paper, about)
		}
	}
	require.Equal(t, map[string]int{
		"(1)": 36, "(2)": 36, "(3)": 8, "(4)": 44, "(5)": 8, "(6)": 36, "(7)": 8, "(8)": 44, "(9)": 8,
		"(10)": 36, "most": 24,
	}, count)
}

// TestDocs: the documentation contains the table of the equations.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/experiments.md")
	require.NoError(t, err)
	doc := strings.ReplaceAll(strings.ReplaceAll(string(b), "²", "^2"), " = 1..n", "=1..n")
	for _, e := range experiment.Equations() {
		if e.Name == "most" {
			prose := strings.Join(strings.Fields(doc), " ")
			require.True(t, strings.Contains(prose, e.Formula+" for "+e.Variant), e.Variant)
			continue
		}
		row, _, found := strings.Cut(doc[max(strings.Index(doc, "\n| "+e.Name), 0):][1:], "\n")
		require.True(t, found)
		require.Contains(t, row, e.Name)
		require.Contains(t, row, "| "+e.Printed)
		require.Contains(t, row, "| "+e.Formula+" |")
		require.Equal(t, e.Verdict == experiment.Wrong, strings.Contains(row, "**wrong**"), row)
	}
}

func TestBadExperiments(t *testing.T) {
	for want, err := range map[string]error{
		"2 processes, it must be from 3 to 1000":      second(experiment.Redundancy{N: 2}.Run(t.Context())),
		"-1 iterations, it must be from 1 to 1000000": second(experiment.Redundancy{Iterations: -1}.Run(t.Context())),
		`model "c" is neither a nor b`: second(
			experiment.Redundancy{Models: []experiment.Model{"c"}}.Run(t.Context())),
		"101 processes, it must be from 3 to 100": second(experiment.Complexity{N: 101}.Run(t.Context())),
	} {
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}

func second[T any](_ T, err error) error { return err }

func TestInterrupted(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := experiment.Redundancy{Iterations: 1000, Progress: func(int, int) { cancel(why) }}.Run(ctx)
	require.ErrorIs(t, err, why)
	_, err = experiment.Complexity{}.Run(ctx)
	require.ErrorIs(t, err, why)
}
