package election_test

import (
	"context"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/local"
)

// known elects the largest Rank of a complete graph without any message, because each process knows the Ranks
// of all others.
type known struct{ self election.Rank }

func (n *known) Step(e *election.Env, ev *election.Event) {
	if ev.Op != election.Start {
		return
	}
	leader := n.self
	for port := range election.Port(e.Ports()) {
		if peer := e.Peer(port); leader.Less(peer) {
			leader = peer
		}
	}
	e.Decide(leader)
	e.Done()
}

func (n *known) State(*election.State) {} // no Step changes anything

func Example() {
	algorithm := &election.Algorithm{
		Name: "known", Topology: election.Complete, LateStart: election.LateIgnored,
		Kinds: []election.Kind{{Name: "unused"}},
		New:   func(s election.Setup) election.Node { return &known{self: s.Self} },
	}
	r, err := local.Elect(context.Background(), algorithm, 3, 1, 8, 5)
	fmt.Println("leader", r.Leader, err)
	// Output: leader 8 <nil>
}
