package election

import (
	"fmt"
	"strings"
)

// Machine is one of the state machines of a process.
type Machine struct {
	Layer uint8 // its place in a [Stack], the lowest is 0; messages and timers name it
	// to be looked at: to step or change it would leave out the machines around it
	Node Node
}

// String names the machine by its package and its type: "lcr.participant".
func (m Machine) String() string { return strings.TrimPrefix(fmt.Sprintf("%T", m.Node), "*") }

// Machines returns the state machines that a Node consists of, for programs that show what a process holds.
// Those of a [Stack] come lowest first. What runs another machine, as a [TermKeeper] or an overlay does,
// comes before that one, and a Node of another package too if it has a method Inside that returns the other.
// A TermKeeper that passes everything on is left out, and so is what only turns the order of Ranks round
// ([Algorithm.Smallest]): the machine inside has them as it sees them.
func Machines(n Node) []Machine { return appendMachines(nil, n, 0) }

func appendMachines(all []Machine, n Node, layer uint8) []Machine {
	switch n := n.(type) {
	case *stack:
		for i, m := range n.machines {
			all = appendMachines(all, m, uint8(i))
		}
		return all
	case *turned:
		return appendMachines(all, n.node, layer)
	case *TermKeeper:
		if !n.opts.longLived {
			all = append(all, Machine{layer, n})
		}
		return appendMachines(all, n.node, layer)
	case *overlay:
		return appendMachines(append(all, Machine{layer, n}), &n.host, layer)
	case interface{ Inside() Node }:
		return appendMachines(append(all, Machine{layer, n.(Node)}), n.Inside(), layer)
	}
	return append(all, Machine{layer, n})
}
