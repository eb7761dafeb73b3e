package main

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// arrange puts the processes in the order that --order asks for. Priorities stay with their
// processes.
func (f *flags) arrange(in *scenario.Input, seed uint64) error {
	if err := f.place(in, seed); err != nil || in.Algorithm.Topology != election.Complete {
		return err
	}
	in.Topology = nil // its ports are in the order of the ids
	return in.Check()
}

func (f *flags) place(in *scenario.Input, seed uint64) error {
	switch f.order {
	case "sorted":
		rearrange(in, byRank(in))
	case "random":
		sim.Shuffle(seed, len(in.IDs), func(i, j int) {
			in.IDs[i], in.IDs[j] = in.IDs[j], in.IDs[i]
			if in.Priorities != nil {
				in.Priorities[i], in.Priorities[j] = in.Priorities[j], in.Priorities[i]
			}
		})
	case "best":
		return arrangeFor(in, f.order, &in.Algorithm.Best)
	case "worst":
		return arrangeFor(in, f.order, &in.Algorithm.Worst)
	default:
		if f.given("order") {
			return among("order", f.order, orders...)
		}
	}
	return nil
}

// arrangeFor arranges the processes so that a bound is attained.
func arrangeFor(in *scenario.Input, order string, b *cost.Bound) error {
	if !allStart(in) {
		return usage("--order %s: it is the %s case where everybody starts at once", order, order)
	}
	var places []uint64
	if b.Arrange != nil {
		places = b.Arrange(len(in.IDs))
	}
	if len(places) != len(in.IDs) {
		return usage("--order %s: no such arrangement is known for %s with %d processes",
			order, in.Algorithm.Title(), len(in.IDs))
	}
	sorted := byRank(in)
	perm := make([]int, len(places))
	for p, place := range places {
		perm[p] = sorted[place-1]
	}
	rearrange(in, perm)
	return nil
}

// byRank returns the processes, the smallest first.
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
