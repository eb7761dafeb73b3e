package catalog

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// The orders of Ranks, values of the parameter order.
const (
	largest  = "largest"
	smallest = "smallest"
)

// orderOf returns the order in which an algorithm is written.
func orderOf(a *election.Algorithm) string {
	if a.Winner.Smallest {
		return smallest
	}
	return largest
}

// ordered returns an algorithm with the parameter order, by which the smallest Rank wins instead of the
// largest, or the other way round. Configure goes on from base and not from what that became: else a second
// call would turn the order back.
func ordered(base *election.Algorithm, order string) (*election.Algorithm, error) {
	a := *base
	if order != orderOf(base) {
		turned, err := base.Smallest()
		if err != nil {
			return nil, err
		}
		a = *turned
	}
	row := func(to *string) params.Param {
		return params.Param{Name: "order", Default: order, About: "which Rank wins: the largest or the " +
			"smallest",
			To: params.Choice(to, largest, smallest)}
	}
	// Clone it, as append might write into the table of base.
	a.Params = append(slices.Clone(base.Params), row(new(string))).Described()
	a.Configure = func(given *params.Given) (*election.Algorithm, error) {
		chosen, c := order, base
		if err := append(base.Params.Described(), row(&chosen)).Read(given); err != nil {
			return nil, err
		}
		if base.Configure != nil {
			var err error
			// base refuses parameters that it does not know, and order is none of its own.
			if c, err = base.Configure(given.For(base.Params)); err != nil {
				return nil, err
			}
		}
		return ordered(c, chosen)
	}
	return &a, nil
}

// withOrder gives algorithms the parameter order, where Ranks decide.
func withOrder(list []*election.Algorithm) []*election.Algorithm {
	for i, base := range list {
		if base.Winner == nil { // it compares no Ranks
			continue
		}
		a, err := ordered(base, orderOf(base))
		if err != nil {
			panic(err) // only base.Smallest fails, which the own order does not call
		}
		list[i] = a
	}
	return list
}
