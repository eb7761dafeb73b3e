package catalog

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

// Orders of Ranks, the values of the parameter order.
const (
	largest  = "largest"
	smallest = "smallest"
)

// orderOf returns the native order of an algorithm.
func orderOf(a *election.Algorithm) string {
	if a.Winner.Smallest {
		return smallest
	}
	return largest
}

// ordered returns an algorithm with the parameter order, which selects whether the largest or the smallest Rank
// wins. Configure starts from base rather than from the configured algorithm: otherwise a second call would
// reverse the order again.
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
	// Clone the table, because append might write into the table of base.
	a.Params = append(slices.Clone(base.Params), row(new(string))).Described()
	a.Configure = func(given *params.Given) (*election.Algorithm, error) {
		chosen, c := order, base
		if err := append(base.Params.Described(), row(&chosen)).Read(given); err != nil {
			return nil, err
		}
		if base.Configure != nil {
			var err error
			// base rejects unknown parameters, and order is not one of its own.
			if c, err = base.Configure(given.For(base.Params)); err != nil {
				return nil, err
			}
		}
		return ordered(c, chosen)
	}
	return &a, nil
}

// withOrder adds the parameter order to the algorithms in which Ranks decide.
func withOrder(list []*election.Algorithm) []*election.Algorithm {
	for i, base := range list {
		if base.Winner == nil { // it compares no Ranks
			continue
		}
		a, err := ordered(base, orderOf(base))
		if err != nil {
			panic(err) // only base.Smallest fails, which the native order does not call
		}
		list[i] = a
	}
	return list
}
