package check_test

import (
	"flag"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/params"
)

var (
	long   = flag.Bool("long", false, "check what takes an hour, and some GB, too")
	states = flag.Int("states", 1_500_000,
		"how many states of an election are visited at most where it is long")
	update = flag.Bool("update", false,
		"regenerate the pinned counts and parts of the documentation")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run checks, and wants that to be possible.
func run(t testing.TB, c check.Config) *check.Result {
	t.Helper()
	r, err := check.Run(t.Context(), c)
	require.NoError(t, err)
	return r
}

// holds wants every state to have been visited, and all properties to hold.
func holds(t testing.TB, c check.Config, what ...any) *check.Result {
	t.Helper()
	r := run(t, c)
	require.NoError(t, r.Stopped, what...)
	if r.Counterexample != nil {
		require.NoError(t, r.Counterexample.Reason, append(slices.Clone(what), r.Counterexample.Steps)...)
	}
	require.NoError(t, r.Err(), what...)
	require.True(t, r.Exhausted, what...)
	return r
}

// fails wants a property not to hold, and returns the counterexample.
func fails(t testing.TB, c check.Config, property verdict.Property) *check.Trail {
	t.Helper()
	r := run(t, c)
	require.NoError(t, r.Stopped)
	require.ErrorIs(t, r.Err(), check.ErrViolated)
	require.False(t, r.Exhausted)
	require.NotNil(t, r.Counterexample)
	require.Equal(t, property, r.Counterexample.Property, r.Counterexample.Reason)
	return r.Counterexample
}

// applicableRules returns the verdict on one property.
func judged(t testing.TB, r *check.Result, property verdict.Property) check.Verdict {
	t.Helper()
	i := slices.IndexFunc(r.Properties, func(v check.Verdict) bool { return v.Property == property })
	require.GreaterOrEqual(t, i, 0, property)
	return r.Properties[i]
}

// ids returns numbers as IDs.
func ids[T ~int | ~uint64](numbers ...T) (list []election.ID) {
	for _, n := range numbers {
		list = append(list, election.ID(n))
	}
	return list
}

func rising(n int) []election.ID  { return ids(cost.Rising(n)...) }
func falling(n int) []election.ID { return ids(cost.Falling(n)...) }

// find returns an algorithm of the catalogue, set for some processes.
func find(t testing.TB, name, variant string, of []election.ID,
	params map[string]params.Value) *election.Algorithm {
	t.Helper()
	a, err := catalog.Find(name, variant)
	require.NoError(t, err)
	a, err = scenario.Configure(a, params, of, 0)
	require.NoError(t, err)
	return a
}

func input(a *election.Algorithm, of []election.ID) scenario.Input {
	return scenario.Input{Algorithm: a, IDs: of}
}

// orders returns every order of 1..n.
func orders(n int) (all [][]election.ID) {
	var extend func(prefix []election.ID)
	extend = func(prefix []election.ID) {
		if len(prefix) == n {
			all = append(all, slices.Clone(prefix))
			return
		}
		for id := range election.ID(n) {
			if !slices.Contains(prefix, id+1) {
				extend(append(prefix, id+1))
			}
		}
	}
	extend(nil)
	return all
}

// rings returns every order of 1..n around a ring: what starts elsewhere is the same.
func rings(n int) [][]election.ID {
	return slices.DeleteFunc(orders(n), func(o []election.ID) bool { return o[0] != election.ID(n) })
}

// subsets returns every choice of some of a list but the empty one.
func subsets(of []election.ID) (all [][]election.ID) {
	for mask := uint(1); mask < 1<<len(of); mask++ {
		some := make([]election.ID, 0, bits.OnesCount(mask))
		for i, id := range of {
			if mask>>i&1 == 1 {
				some = append(some, id)
			}
		}
		all = append(all, some)
	}
	return all
}
