package echo

import (
	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/portset"
)

// Message kinds of extinction. A wave carries the Rank of its initiator and [flagChild].
const (
	kindWave uint8 = iota + 1
	kindWaveElected
)

// flagChild in a wave means that the sender is a child of the receiver, and that all processes below it have
// taken part.
const flagChild uint8 = 1

// Extinction returns the variant in which every initiator sends a wave, and the largest survives.
func Extinction() *election.Algorithm {
	a := describe("extinction", "every initiator sends a wave over all links; larger waves extinguish "+
		"smaller ones")
	a.Source = "Tel 2000"
	a.Winner = election.LargestOfInitiators
	a.LateStart = election.LateRefused
	a.Kinds = []election.Kind{
		{Name: "wave", Marks: []string{"child"}, Bits: func(w cost.Widths) uint64 { return w.Rank() + 1 }},
		{Name: "elected", Announces: true, Bits: cost.Widths.Rank},
	}
	a.Best = cost.Bound{Formula: "M + n-1, M ports in all", When: "one starts"}
	a.Worst = cost.Bound{Formula: "k*M + n-1", When: "k start", Loose: true,
		CountPorts: func(n, ports int) float64 { return float64(n)*float64(ports) + float64(n-1) }}
	a.New = func(election.Setup) election.Node { return &contender{} }
	return a
}

// contender is a participant of extinction.
type contender struct {
	mine     election.Rank // largest wave so far; ID zero before the first
	parent   election.Port // port over which it arrived first
	heard    uint32        // number of neighbours that have sent it
	started  bool
	first    bool // the wave is its own
	over     bool // it knows the leader
	children portset.Set
}

func (n *contender) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 9
		switch {
		case n.started:
		case n.mine.ID != 0:
			e.Refuse(election.ErrLateStart)
		default:
			n.started, n.first = true, true
			n.join(e, e.Self(), election.NoPort)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindWave:
			n.wave(e, ev.Port, ev.Msg)
		case kindWaveElected:
			n.elected(e, ev.Msg.Rank)
		}
	}
}

func (n *contender) wave(e *election.Env, from election.Port, m election.Message) {
	switch {
	case n.over || m.Rank.Less(n.mine): // rule 10: it ends here
	case m.Rank.ID != n.mine.ID: // rule 11
		n.first = false
		// The new wave has arrived over one link; messages of the smaller wave no longer count.
		n.heard = 1
		n.children.Clear()
		n.join(e, m.Rank, from)
	default: // rule 12
		n.heard++
		// Without the flag the waves of both sides have met: each counts as an answer, but not as a child.
		if m.Flags&flagChild != 0 {
			n.children.Add(from)
		}
		n.allHeard(e)
	}
}

// join passes a wave on.
func (n *contender) join(e *election.Env, wave election.Rank, parent election.Port) {
	n.mine, n.parent = wave, parent
	toOthers(e, parent, election.Message{Kind: kindWave, Rank: wave})
	n.allHeard(e)
}

// allHeard answers the parent, or makes this process leader, if the wave has arrived from all neighbours.
func (n *contender) allHeard(e *election.Env) {
	switch {
	case int(n.heard) != e.Ports():
	case n.first: // rule 14
		n.announce(e, n.mine)
	default: // rule 13
		e.Send(n.parent, election.Message{Kind: kindWave, Rank: n.mine, Flags: flagChild})
	}
}

func (n *contender) elected(e *election.Env, leader election.Rank) { // rule 15
	if !n.over {
		n.announce(e, leader)
	}
}

// announce sends the leader to the children.
func (n *contender) announce(e *election.Env, leader election.Rank) {
	n.over = true
	e.Decide(leader)
	toAll(e, &n.children, election.Message{Kind: kindWaveElected, Rank: leader})
	e.Done()
}

// Tree returns the port of the parent in the tree of the largest wave, election.NoPort at the leader, and the
// ports of the children. ok is false before the end.
func (n *contender) Tree() (parent election.Port, children []election.Port, ok bool) {
	if !n.over {
		return election.NoPort, nil, false
	}
	return n.parent, portsOf(&n.children), true
}

func (n *contender) State(s *election.State) {
	s.Rank(&n.mine)
	s.Port(&n.parent)
	s.Uint32(&n.heard)
	s.Bool(&n.started)
	s.Bool(&n.first)
	s.Bool(&n.over)
	n.children.State(s)
}
