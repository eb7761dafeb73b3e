package election

import "iter"

// Machines returns the state machines of a process, each with its layer in a [Stack], for programs that show
// what a process holds. To step or change one would leave out those around it.
//
// The machines of a Stack come lowest first. What runs another machine, as a TermKeeper or an overlay does,
// comes before that one, and a Node of another package too if it has a method Inside that returns the
// other. A TermKeeper that passes everything on is left out, and so is what only turns the order of Ranks
// round ([Algorithm.Smallest]): the machine inside has them as it sees them.
func (r *TermKeeper) Machines() iter.Seq2[uint8, Node] {
	return func(yield func(uint8, Node) bool) { eachMachine(r, 0, yield) }
}

func eachMachine(n Node, layer uint8, yield func(uint8, Node) bool) bool {
	switch n := n.(type) {
	case *stack:
		for i, m := range n.machines {
			if !eachMachine(m, uint8(i), yield) {
				return false
			}
		}
		return true
	case *turned:
		return eachMachine(n.node, layer, yield)
	case *TermKeeper:
		return (n.opts.longLived || yield(layer, n)) && eachMachine(n.node, layer, yield)
	case *overlay:
		return yield(layer, n) && eachMachine(&n.host, layer, yield)
	case interface{ Inside() Node }:
		return yield(layer, n.(Node)) && eachMachine(n.Inside(), layer, yield)
	}
	return yield(layer, n)
}
