package cost_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cost"
)

// TestFibonacciEnds: the sum that comes after the largest Fibonacci number of an int overflows.
func TestFibonacciEnds(t *testing.T) {
	most := cost.Fibonacci(math.MaxInt)
	require.Contains(t, []int{46, 92}, most, "of 32 and 64 bits")
	require.Equal(t, most, cost.Fibonacci(math.MaxInt-1))
	require.Less(t, cost.Fibonacci(math.MaxInt/2), most)
}
