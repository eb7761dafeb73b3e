package sim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
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
