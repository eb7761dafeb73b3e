package sim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/scenario"
)

func TestLn(t *testing.T) {
	r := random{3}
	for range 10000 {
		x := r.float()
		require.InEpsilon(t, math.Log(x)-1, ln(x)-1, 1e-14, "ln %v", x)
	}
	require.InDelta(t, 0, ln(1), 1e-15)
}

func TestFarLinks(t *testing.T) {
	l := newLinks()
	far := int(min(uint64(math.MaxInt/2+1), 1<<39))
	for _, i := range []int{0, 5, 1 << 20, far/128 + 7, far} {
		*l.last(i) = Unit
		require.Equal(t, Unit, *l.last(i))
		require.Zero(t, *l.last(i + 1))
	}
	c := l.clone()
	*l.last(5), *l.last(far) = 0, 0
	require.Equal(t, Unit, *c.last(5))
	require.Equal(t, Unit, *c.last(far))
}

// TestNumbersForEver: a seed gives the same numbers in every release, so that a run can be repeated.
func TestNumbersForEver(t *testing.T) {
	r := random{1}
	require.Equal(t, []uint64{7551226805739869723, 14887079200376242419, 445},
		[]uint64{r.next(), r.next(), r.uintN(1000)})
	require.Equal(t, 0.06125242349345594, r.float())
	require.EqualValues(t, 497, r.delay(&scenario.Delay{Min: 5, Max: 1000}))
	require.EqualValues(t, 159244288, r.delay(&scenario.Delay{Distribution: scenario.Exponential,
		Mean: Unit}))
}

// TestShuffleOfTwo: seeds bring about both orders.
func TestShuffleOfTwo(t *testing.T) {
	orders := make(map[[2]int]bool)
	for seed := range uint64(20) {
		list := [2]int{1, 2}
		Shuffle(seed, 2, func(i, j int) { list[i], list[j] = list[j], list[i] })
		orders[list] = true
	}
	require.Equal(t, map[[2]int]bool{{1, 2}: true, {2, 1}: true}, orders)
}
