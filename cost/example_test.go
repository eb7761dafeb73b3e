package cost_test

import (
	"fmt"

	"github.com/go-election/election/cost"
)

// A bound says how many messages an election takes, and which order of the processes attains it.
func ExampleBound() {
	worst := cost.Bound{
		Formula: "n(n+1)/2 + n",
		Count:   func(n int) float64 { return float64(n*(n+1)/2 + n) },
		Arrange: cost.Falling,
	}
	fmt.Println(worst.Formula, "=", worst.At(4, 8), "for", worst.Arrange(4))
	// Output: n(n+1)/2 + n = 14 for [4 3 2 1]
}

// Where each round leaves at most as many candidates as Fibonacci numbers allow, n = F(k) take k-1 rounds.
func ExampleFibonacci() {
	for _, n := range []int{1, 2, 3, 4, 5, 12, 13} {
		fmt.Print(cost.Fibonacci(n), " ")
	}
	// Output: 2 3 4 4 5 6 7
}

// The size of a message is the sum of the sizes of the values that it carries.
func ExampleWidths() {
	w := cost.NewWidths(1000, 999, 3)
	fmt.Println("an ID takes", w.ID, "bits, a Rank", w.Rank(), "and a count of hops", w.N)
	// Output: an ID takes 10 bits, a Rank 12 and a count of hops 10
}
