package graphtest

import (
	"bytes"
	"fmt"

	"github.com/go-election/election"
)

// Twins is what is found out about the Nodes of an algorithm.
type Twins struct {
	Longest int    // bytes of the longest state
	Problem string // with a state, or none
}

// Of returns the same algorithm, where every Node is restored, before each of its steps, from the
// state that it has shown after the last: in turn into a Node that has been used for other states
// before, which would show what is not reset, and into a fresh one, which would show what is not saved.
func (t *Twins) Of(a *election.Algorithm) *election.Algorithm {
	twins := *a
	twins.New = func(s election.Setup) election.Node {
		fresh := func() election.Node { return a.New(s) }
		node := fresh()
		clean := new(election.State).Append(nil, node)
		return &twin{found: t, fresh: fresh, node: node, clean: clean, state: clean}
	}
	return &twins
}

type twin struct {
	found *Twins
	fresh func() election.Node
	node  election.Node
	clean []byte // the state of a fresh Node
	state []byte // that it has now
	steps int
}

func (n *twin) Step(e *election.Env, ev *election.Event) {
	n.restore()
	again := n.fresh()
	if err := new(election.State).Restore(again, n.state); err != nil || !bytes.Equal(n.state, new(election.State).Append(nil, again)) {
		n.found.Problem = fmt.Sprintf("%v: the state does not come back", err)
	}
	if n.steps++; n.steps%2 == 0 {
		n.node, again = again, n.node
	}
	n.node.Step(e, ev)
	n.state = new(election.State).Append(nil, n.node)
	n.found.Longest = max(n.found.Longest, len(n.state))
	new(election.State).Reset(again)
	if !bytes.Equal(n.clean, new(election.State).Append(nil, again)) {
		n.found.Problem = "it is not reset"
	}
}

func (n *twin) State(s *election.State) {
	n.restore()
	n.node.State(s)
	n.state = new(election.State).Append(nil, n.node)
}

func (n *twin) restore() {
	if err := new(election.State).Restore(n.node, n.state); err != nil {
		n.found.Problem = err.Error()
	}
}
