package newcomer

import (
	"math/bits"
	"slices"

	"github.com/go-election/election"
)

// secondSmallest is the rule that the second smallest process that is up must lead; one that is alone leads.
var secondSmallest = &election.Winner{Name: "second smallest that is up",
	Of: func(all []election.Candidate) election.ID {
		var up []election.Rank
		for _, c := range all {
			if c.Up {
				up = append(up, c.Rank)
			}
		}
		slices.SortFunc(up, election.Rank.Compare)
		if len(up) == 0 {
			return 0
		}
		return up[min(1, len(up)-1)].ID
	}}

// Second elects the second smallest process that is up, among at most 64. Processes may crash for good if a
// failure detector reports each crash to every process that is up: each then finds the leader by itself.
func Second() *election.Algorithm {
	return &election.Algorithm{
		Name: "newcomer", Variant: "second",
		Summary: "each process finds the leader among those not suspected",
		Source:  "none", Topology: election.Complete, TwoWay: true, Elects: election.Successors,
		Winner: secondSmallest, Faults: election.Faults{Crash: election.StaysDown, Reported: true},
		LateStart: election.LateIgnored,
		Kinds:     []election.Kind{{Name: "begin", Announces: true}},
		New:       func(s election.Setup) election.Node { return &chooser{me: s.Self} },
	}
}

type chooser struct {
	me    election.Rank
	awake bool
	gone  uint64 // the ports of the suspected processes
}

// Step takes one event.
func (n *chooser) Step(e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Suspect:
		n.gone |= 1 << ev.Port
	case n.awake:
		return
	case ev.Op == election.Start:
		for port := range election.Port(e.Ports()) {
			e.Send(port, election.Message{Kind: kindAsk, Term: 1, Rank: n.me})
		}
		n.awake = true
	case ev.Op == election.Recv && ev.Msg.Kind == kindAsk:
		n.awake = true
	}
	if n.awake {
		n.choose(e)
	}
}

// choose decides for the second smallest process. Each pair of a number of crashes and a leader has a Term of
// its own, so that two views never give one Term two leaders, and the Term grows with every crash.
func (n *chooser) choose(e *election.Env) {
	best, second := n.me, election.Rank{}
	for port := range election.Port(e.Ports()) {
		if n.gone>>port&1 == 1 {
			continue
		}
		switch r := e.Peer(port); {
		case r.Less(best):
			best, second = r, best
		case second == (election.Rank{}) || r.Less(second):
			second = r
		}
	}
	if second == (election.Rank{}) {
		second = best
	}
	place := uint64(0)
	for port := range election.Port(e.Ports()) {
		if e.Peer(port).Less(second) {
			place++
		}
	}
	if n.me.Less(second) {
		place++
	}
	crashes := uint64(bits.OnesCount64(n.gone))
	e.DecideIn(crashes<<6+place+1, second)
	e.Done()
}

// State visits what changes.
func (n *chooser) State(s *election.State) {
	s.Bool(&n.awake)
	s.Uint64(&n.gone)
}
