package portset_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// held is a Node of nothing but a set of ports.
type held struct{ portset.Set }

func (h *held) Step(*election.Env, *election.Event) {}

// TestPortSet compares sets with lists of truth values.
func TestPortSet(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var set held
		want := make([]bool, 1+rng.IntN(400))
		for range rng.IntN(2 * len(want)) {
			port := rng.IntN(len(want))
			want[port] = true
			set.Add(election.Port(port))
		}
		var back held
		require.NoError(t, new(election.State).Restore(&back, new(election.State).Append(nil, &set)))
		port, n := back.From(0), 0
		for p, in := range want {
			require.Equal(t, in, back.Has(election.Port(p)))
			if in {
				require.EqualValues(t, p, port)
				port = back.From(port + 1)
				n++
			}
		}
		require.Equal(t, election.NoPort, port)
		require.Equal(t, election.NoPort, back.From(1<<31))
		require.False(t, back.Has(1<<31))
		require.Equal(t, n, back.Len())
		for p, in := range want {
			back.Remove(election.Port(p))
			require.False(t, back.Has(election.Port(p)))
			if in {
				n--
			}
			require.Equal(t, n, back.Len())
		}
		back.Remove(1 << 31)
		set.Clear()
		require.Equal(t, election.NoPort, set.From(0))
		require.Equal(t, new(election.State).Append(nil, &held{}), new(election.State).Append(nil, &set))
		new(election.State).Reset(&back)
		require.Equal(t, election.NoPort, back.From(0))
	}
}

// TestTwoSets compares two sets with lists of truth values.
func TestTwoSets(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var a, b portset.Set
		common, equal := 0, true
		for port := range election.Port(1 + rng.IntN(300)) {
			inA, inB := rng.IntN(2) == 0, rng.IntN(2) == 0
			if seed%3 == 0 {
				inB = inA
			}
			if inA {
				a.Add(port)
			}
			if inB {
				b.Add(port)
			}
			if inA && inB {
				common++
			}
			equal = equal && inA == inB
		}
		require.Equal(t, common, a.Common(&b))
		require.Equal(t, common, b.Common(&a))
		require.Equal(t, equal, a.Equal(&b))
		b.Assign(&a)
		require.True(t, b.Equal(&a))
		b.Add(700)
		require.False(t, b.Equal(&a))
		require.False(t, a.Has(700))
	}
}
