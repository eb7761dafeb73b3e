// Package newcomer has an algorithm that no other package knows: with a Winner of its own, a failure model
// that no algorithm of the catalog has, and a parameter. Its tests run it with each driver and tool, and so
// show that a new algorithm is its own package and one line of a list.
package newcomer

import (
	"math/bits"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/params"
)

// The kinds of message.
const (
	kindAsk uint8 = iota + 1
	kindWon
	kindThanks
)

// smallest is the rule that the process of the smallest Rank must lead.
var smallest = &election.Winner{Name: "smallest of all", Smallest: true,
	Of: func(all []election.Candidate) election.ID {
		best := all[0].Rank
		for _, c := range all {
			if c.Rank.Less(best) {
				best = c.Rank
			}
		}
		return best.ID
	}}

// Config are the parameters.
type Config struct {
	// Resend is how long to wait for an answer before the question is sent again.
	Resend time.Duration
}

// Algorithm elects the process of the smallest Rank among at most 64, which all know each other, over links
// that lose messages: what is not answered is sent again.
func Algorithm(c Config) *election.Algorithm {
	return &election.Algorithm{
		Name: "newcomer", Summary: "the smallest is asked, and announces itself until each has answered",
		Source: "none", Topology: election.Complete, TwoWay: true,
		Winner: smallest, Faults: election.Faults{Loss: true}, LateStart: election.LateIgnored,
		RelaysAfterEnd: true,
		Kinds: []election.Kind{{Name: "ask"}, {Name: "won", Announces: true},
			{Name: "thanks", Announces: true}},
		Timers: [][]string{{0: "the wait for an answer"}},
		Delay:  scenario.Unit,
		Params: c.table().Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) {
			c := c
			if err := c.table().Read(g); err != nil {
				return nil, err
			}
			return Algorithm(c), nil
		},
		New: func(s election.Setup) election.Node { return &process{me: s.Self, resend: c.Resend} },
	}
}

func (c *Config) table() params.Table {
	return params.Table{{Name: "resend", About: "how long to wait for an answer", Default: "3",
		Positive: "zero leaves no time for an answer", To: params.Time(&c.Resend)}}
}

type process struct {
	me     election.Rank
	resend time.Duration

	awake   bool
	ended   bool
	pending uint64 // the ports of which the leader has no answer
}

// Step takes one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Start:
		if !n.awake && !n.ended {
			n.begin(e)
		}
	case ev.Op == election.Timeout && n.awake && !n.ended:
		n.send(e)
	case ev.Op != election.Recv:
	case ev.Msg.Kind == kindAsk && !n.awake && n.favourite(e) == election.NoPort:
		n.begin(e)
	case ev.Msg.Kind == kindWon:
		n.follow(e, ev)
	case ev.Msg.Kind == kindThanks && n.pending>>ev.Port&1 == 1:
		n.pending &^= 1 << ev.Port
		n.endIfAnswered(e)
	}
}

// favourite returns the port of the smallest process, NoPort if that is this one.
func (n *process) favourite(e *election.Env) election.Port {
	best, at := n.me, election.NoPort
	for port := range election.Port(e.Ports()) {
		if r := e.Peer(port); r.Less(best) {
			best, at = r, port
		}
	}
	return at
}

func (n *process) begin(e *election.Env) {
	n.awake = true
	if n.favourite(e) == election.NoPort {
		n.pending = 1<<e.Ports() - 1
		e.Decide(n.me)
		n.endIfAnswered(e)
	}
	// In a group of one the election has ended by now, and a timer would run forever.
	if !n.ended {
		n.send(e)
	}
}

// send asks the smallest process, or announces to all processes that have not answered.
func (n *process) send(e *election.Env) {
	if to := n.favourite(e); to != election.NoPort {
		e.Send(to, election.Message{Kind: kindAsk, Rank: n.me})
	}
	// This removes the lowest bit, so the loop visits the ports that are left.
	for left := n.pending; left != 0; left &= left - 1 {
		e.Send(election.Port(bits.TrailingZeros64(left)), election.Message{Kind: kindWon, Rank: n.me})
	}
	e.SetTimer(0, n.resend, n.resend)
}

func (n *process) follow(e *election.Env, ev *election.Event) {
	// Again for each announcement: the thanks for the one before may be lost.
	e.Send(ev.Port, election.Message{Kind: kindThanks, Rank: n.me})
	if !n.ended {
		n.ended = true
		e.StopTimer(0)
		e.Decide(ev.Msg.Rank)
		e.Done()
	}
}

func (n *process) endIfAnswered(e *election.Env) {
	if n.pending == 0 {
		n.ended = true
		e.StopTimer(0)
		e.Done()
	}
}

// State visits what changes.
func (n *process) State(s *election.State) {
	s.Bool(&n.awake)
	s.Bool(&n.ended)
	s.Uint64(&n.pending)
}
