package election

import "iter"

// Machines returns an iterator over the state machines of a process, each with its layer in a [Stack]. It is
// meant for programs that display the state of a process; do not step or modify the machines, which would
// bypass the machines around them.
//
// The machines of a Stack come lowest first. A machine that wraps another one, such as a TermKeeper or an
// overlay, comes before the wrapped machine; a Node of another package counts as a wrapper if it has a method
// Inside that returns the wrapped Node. Machines skips any TermKeeper that passes everything through, and the
// wrapper that reverses the order of Ranks ([Algorithm.Smallest]): the machine inside keeps the Ranks as it
// sees them.
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
