package inquiry

import (
	"math"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/portset"
)

// mostNaive is the maximum number of processes without states. They take 38 million messages if all start, and
// each additional process doubles that.
const mostNaive = 20

// flagFirst marks the first broadcast of a process, and its acknowledgements.
const flagFirst uint8 = 1

// Naive returns the variant without states, in which a process broadcasts whenever it hears of a
// smaller candidate.
func Naive() *election.Algorithm {
	a := describe("naive", "without states: a process that hears of a smaller candidate inquires of all "+
		"every time")
	a.LateStart = election.LateJoins
	for _, kind := range []uint8{kindElection, kindAck} {
		bits := a.Kinds[kind-1].Bits
		a.Kinds[kind-1].Marks = []string{"first"}
		a.Kinds[kind-1].Bits = func(w cost.Widths) uint64 { return bits(w) + 1 }
	}
	always := cost.Bound{Formula: "(2n-3)2^n - n+3 + n-1", Arrange: cost.Rising,
		Count: func(n int) float64 { return math.Ldexp(float64(2*n-3), n) + 2 }}
	a.Best, a.Mean, a.Worst = always, always, always
	a.New = func(s election.Setup) election.Node { return &naive{me: s.Self} }
	return a
}

// naive is a participant without states. Everything that it remembers serves only to detect the end.
type naive struct {
	me      election.Rank
	started bool
	asked   bool        // the first broadcast is made
	acks    portset.Set // ports over which the first broadcast has been acknowledged
}

func (n *naive) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start:
		n.start(e)
	case election.Recv:
		switch ev.Msg.Kind {
		case kindElection:
			n.recvElection(e, ev.Port, ev.Msg)
		case kindAck:
			n.recvAck(e, ev.Port, ev.Msg)
		case kindElected:
			follow(e, ev.Msg.Rank)
		}
	}
}

func (n *naive) start(e *election.Env) { // rule 1
	switch {
	// The number of messages doubles with each process, so a larger election would not end in practice.
	case e.Ports() >= mostNaive:
		e.Refuse(input.Errorf("inquiry/naive: %d processes, at most %d can do without states", e.Ports()+1,
			mostNaive))
	case !n.started:
		n.started = true
		n.inquire(e)
	}
}

// inquire asks all others to acknowledge this process, once more.
func (n *naive) inquire(e *election.Env) {
	m := election.Message{Kind: kindElection, Rank: n.me}
	if !n.asked {
		n.asked, m.Flags = true, flagFirst
	}
	broadcast(e, m)
	if e.Ports() == 0 {
		lead(e, n.me)
	}
}

func (n *naive) recvElection(e *election.Env, from election.Port, m election.Message) {
	if !n.me.Less(m.Rank) { // rule 4
		n.inquire(e)
		return
	}
	ack := acknowledgement(n.me) // rule 2
	// The ack identifies the broadcast that it answers, because only the first one counts.
	ack.Flags = m.Flags
	e.Send(from, ack)
}

func (n *naive) recvAck(e *election.Env, from election.Port, m election.Message) { // rule 5
	if m.Flags&flagFirst != 0 {
		gather(e, &n.acks, from, n.me)
	}
}

func (n *naive) State(s *election.State) {
	s.Bool(&n.started)
	s.Bool(&n.asked)
	n.acks.State(s)
}
