package counters_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/counters"
)

func TestTake(t *testing.T) {
	require.False(t, counters.Instrumented())
	require.Empty(t, counters.Of().Take(nil))
	later, first, other := []uint32{1}, []uint32{0, 1}, []uint32{1}
	counters.Register("p", 2, later)
	counters.Register("p", 0, first)
	counters.Register("q", 3, other)
	require.True(t, counters.Instrumented())
	require.Equal(t, []int{9, 1, 2}, counters.Of("p").Take([]int{9}), "in order, behind what is there")
	require.Equal(t, []int{3}, counters.Of().Take(nil), "those of p are forgotten")
	first[0] = 1
	require.Equal(t, []int{0}, counters.Of().Take(nil))
}
