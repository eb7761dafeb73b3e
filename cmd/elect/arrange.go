package main

import (
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// arrange puts the processes in the order that --order asks for.
func (f *flags) arrange(in *scenario.Input, seed uint64) error {
	if !f.given("order") {
		return nil
	}
	if err := among("order", f.order, orders...); err != nil {
		return err
	}
	order := sim.Order(f.order)
	switch extreme := order == sim.BestOrder || order == sim.WorstOrder; {
	case extreme && !in.AllStart():
		return usage("--order %s: it is the %s case where everybody starts at once", order, order)
	case !sim.Arrange(in, order, seed):
		return usage("--order %s: no such arrangement is known for %s with %d processes",
			order, in.Algorithm.Title(), len(in.IDs))
	}
	return in.Check()
}
