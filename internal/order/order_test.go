package order

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStable(t *testing.T) {
	type pair struct{ key, place int }
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := make([]pair, r.IntN(60))
		for i := range list {
			list[i] = pair{r.IntN(5), i}
		}
		want := slices.SortedStableFunc(slices.Values(list), func(a, b pair) int { return a.key - b.key })
		Stable(list, func(a, b pair) int { return a.key - b.key })
		require.Equal(t, want, append([]pair(nil), list...), "seed %d", seed)
	}
}
