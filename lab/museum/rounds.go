package museum

import (
	"github.com/go-election/election"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/lab/check"
)

// roundExhibits are mistakes and limits of algorithms that count rounds, on a path of three.
func roundExhibits() []Entry {
	path := func(variant func(floodmax.Config) (*election.Algorithm, error), rounds uint32) check.Config {
		a := must(variant(floodmax.Config{Rounds: rounds}))
		c := links(a, []election.ID{3, 1, 2}, nil, [2]int{0, 1}, [2]int{1, 2})
		c.Started, c.Delay = true, a.Delay
		return c
	}
	unmarked := path(floodmax.Alpha, 2)
	unmarked.Algorithm = with(unmarked.Algorithm, unmarkedPulses)
	triangle := path(floodmax.Basic, 1)
	triangle.Topology = links(triangle.Algorithm, triangle.IDs, nil, [2]int{0, 1}, [2]int{1, 2},
		[2]int{0, 2}).Topology
	late := path(floodmax.Basic, 2)
	late.Delay *= 2
	return []Entry{{
		Name: "floodmax: fewer rounds than the diameter", Source: known, Limit: true,
		Wrong: "The algorithm needs at least as many rounds as the diameter. After one round the ends of the " +
			"path have not heard of each other, and both lead.",
		Setting: "The path is 3-1-2.",
		Config:  path(floodmax.Basic, 1),
		Control: Control{"the same on a triangle, of diameter one", triangle},
	}, {
		Name: "floodmax: a message takes longer than a round", Source: known, Limit: true,
		Wrong: "The algorithm needs messages that take no longer than a round. Otherwise a process decides by " +
			"its clock before the messages that it needs have arrived.",
		Setting: "The path is 3-1-2. A message takes up to two units, and a round takes one.",
		Config:  late,
		Control: Control{"messages take up to a unit", path(floodmax.Basic, 2)},
		Also:    []Control{{"over a synchronizer", path(floodmax.Alpha, 2)}},
	}, {
		Name: "synchronizer: SAFE does not say of which pulse", Source: known,
		Wrong: "A process counts the SAFE of a neighbour that is one pulse ahead for the current pulse. It does " +
			"not wait for its other neighbour.",
		Setting: "This is floodmax over a synchronizer, with two rounds, on the path 3-1-2.",
		Config:  unmarked,
		Control: Control{"alpha", path(floodmax.Alpha, 2)},
	}}
}

// unmarkedPulses treats every arrival as if it belonged to the current pulse.
func unmarkedPulses(n *bent, e *election.Env, ev *election.Event) {
	const odd, flag = 2, 1 << 6 // the place of a field, and the mark
	own := *ev
	if own.Op == election.Recv {
		own.Msg.Flags &^= flag
		if n.is(odd) {
			own.Msg.Flags |= flag
		}
	}
	n.Node.Step(e, &own)
}
