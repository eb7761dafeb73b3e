package treeelect

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
)

// Message kinds of saturation. A saturation carries the largest Rank so far, elected the leader, and a wakeup
// nothing. Elected has the same kind as in the other variants.
const (
	kindWakeup     = kindDemand
	kindSaturation = kindReport
)

// Saturation returns the variant that any number of processes start.
func Saturation() *election.Algorithm {
	a := describe("saturation", "a process that has heard from all neighbours but one reports the largest "+
		"to that one; where two do so over one link, it is known")
	a.Source = "Santoro 2007"
	a.Faults.Copies = true
	a.Kinds = []election.Kind{
		{Name: "wakeup", Bits: nothing},
		{Name: "saturation", Bits: cost.Widths.Rank},
		{Name: "elected", Announces: true, Bits: cost.Widths.Rank},
	}
	setBounds(a, 4) // all start
	a.New = func(election.Setup) election.Node { return &saturator{} }
	return a
}

// saturator is a participant of saturation. It finds the last neighbour that has not answered without a search:
// the exclusive or of the ports without an answer is its port.
type saturator struct {
	best   election.Rank // largest Rank of this process and those reported to it
	silent uint32        // number of neighbours that have not sent their saturation
	last   election.Port // exclusive or of their ports
	heard  uint32        // ports among the first 32 over which a saturation has arrived
	awake  bool
	over   bool      // it knows the leader
	more   *[]uint32 // the same for other ports, 32 per word; nil: none

	tree *spanning // links that belong to the tree; nil: all
}

func (n *saturator) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start:
		n.start(e)
	case election.Recv:
		switch ev.Msg.Kind {
		case kindWakeup: // rule 8
			n.wake(e, ev.Port)
		case kindSaturation:
			n.wake(e, ev.Port) // the saturation may have overtaken the wakeup
			n.saturation(e, ev.Port, ev.Msg.Rank)
		case kindElected:
			n.elected(e, ev.Port, ev.Msg.Rank)
		}
	}
}

func (n *saturator) start(e *election.Env) { n.wake(e, election.NoPort) } // rule 8

// wake wakes the other neighbours, once.
func (n *saturator) wake(e *election.Env, by election.Port) {
	if n.awake {
		return
	}
	n.awake, n.best = true, e.Self() // rule 8
	n.silent, n.last = n.tree.degree(e), n.tree.sum(e)
	n.tree.send(e, by, election.Message{Kind: kindWakeup})
	// A process without links is saturated immediately.
	if n.silent == 0 { // rule 10
		n.elected(e, election.NoPort, n.best)
	}
	n.process(e)
}

// process sends the largest Rank to the last neighbour, if all others have answered.
func (n *saturator) process(e *election.Env) {
	if n.silent == 1 { // rule 9
		e.Send(n.last, election.Message{Kind: kindSaturation, Rank: n.best})
	}
}

func (n *saturator) saturation(e *election.Env, from election.Port, largest election.Rank) {
	// A duplicate must not count as the message of another neighbour.
	if n.silent == 0 || n.again(from) { // rule 9
		return
	}
	if n.best.Less(largest) {
		n.best = largest
	}
	n.silent-- // rule 9
	// Exclusive or removes this port. When one neighbour is left, last is its port, without a list of ports.
	n.last ^= from
	n.process(e)
	if n.silent == 0 { // rule 10: saturated, and so is the sender, which has mine
		n.elected(e, from, n.best)
	}
}

// again records that a neighbour has sent its saturation, and reports whether it had done so before.
func (n *saturator) again(from election.Port) bool {
	word, bit := &n.heard, uint32(1)<<(from%32)
	if from >= 32 {
		if n.more == nil {
			n.more = new([]uint32)
		}
		for election.Port(len(*n.more)) < from/32 {
			*n.more = append(*n.more, 0)
		}
		word = &(*n.more)[from/32-1]
	}
	before := *word&bit != 0
	*word |= bit
	return before
}

// elected passes the announcement on to the other neighbours.
func (n *saturator) elected(e *election.Env, from election.Port, leader election.Rank) { // rule 11
	if n.over {
		return
	}
	n.over = true
	e.Decide(leader)
	n.tree.send(e, from, election.Message{Kind: kindElected, Rank: leader})
	e.Done()
}

func (n *saturator) State(s *election.State) {
	s.Rank(&n.best)
	s.Uint32(&n.silent)
	s.Port(&n.last)
	s.Bool(&n.awake)
	s.Bool(&n.over)
	s.Uint32(&n.heard)
	// The field is a pointer, so that it takes one word in the many processes with at most 32 ports.
	var more []uint32
	if n.more != nil {
		more = *n.more
	}
	election.VisitSlice(s, &more, (*election.State).Uint32)
	switch {
	case n.more != nil:
		*n.more = more
	case len(more) > 0:
		restored := more
		n.more = &restored
	}
}
