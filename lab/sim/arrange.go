package sim

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/scenario"
)

// Order is an order of processes along the links.
type Order string

// The orders.
const (
	SortedOrder Order = "sorted" // rising
	RandomOrder Order = "random" // drawn from a seed
	BestOrder   Order = "best"   // the order with the fewest messages, for each algorithm
	WorstOrder  Order = "worst"  // the order with the most messages
)

// Orders returns the orders.
func Orders() []Order { return []Order{SortedOrder, RandomOrder, BestOrder, WorstOrder} }

// Arrange puts the processes of an Input in an order, and reports whether that is known: not every algorithm
// has one that is the best or the worst case, for every number of processes. Priorities stay with their
// processes. Check the Input again afterwards.
func Arrange(in *scenario.Input, order Order, seed uint64) bool {
	if in.Algorithm.Topology == election.Complete {
		in.Topology = nil // its ports depend on the order of the IDs, so Check makes a new one
	}
	switch order {
	case SortedOrder:
		rearrange(in, byRank(in))
	case RandomOrder:
		Shuffle(seed, len(in.IDs), func(i, j int) {
			in.IDs[i], in.IDs[j] = in.IDs[j], in.IDs[i]
			if in.Priorities != nil {
				in.Priorities[i], in.Priorities[j] = in.Priorities[j], in.Priorities[i]
			}
		})
	case BestOrder:
		return arrangeFor(in, &in.Algorithm.Best)
	case WorstOrder:
		return arrangeFor(in, &in.Algorithm.Worst)
	default:
		return false
	}
	return true
}

// arrangeFor arranges the processes so that they attain a bound. It returns false if the bound has no known
// arrangement.
func arrangeFor(in *scenario.Input, b *cost.Bound) bool {
	var places []uint64
	if b.Arrange != nil {
		places = b.Arrange(len(in.IDs))
	}
	if len(places) != len(in.IDs) {
		return false
	}
	sorted := byRank(in)
	perm := make([]int, len(places))
	for p, place := range places {
		perm[p] = sorted[place-1]
	}
	rearrange(in, perm)
	return true
}

// byRank returns the places of the processes, the smallest first.
func byRank(in *scenario.Input) []int {
	perm := make([]int, len(in.IDs))
	for p := range perm {
		perm[p] = p
	}
	slices.SortFunc(perm, func(p, q int) int { return in.Self(p).Compare(in.Self(q)) })
	return perm
}

// rearrange puts process perm[p] in place p.
func rearrange(in *scenario.Input, perm []int) {
	in.IDs = permuted(in.IDs, perm)
	if in.Priorities != nil {
		in.Priorities = permuted(in.Priorities, perm)
	}
}

func permuted[T any](list []T, perm []int) []T {
	out := make([]T, len(perm))
	for p, q := range perm {
		out[p] = list[q]
	}
	return out
}
