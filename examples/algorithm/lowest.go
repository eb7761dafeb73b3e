package main

import "github.com/go-election/election"

// lowest elects the smallest Rank on a one-way ring: each process that hears of one larger than
// its own sends its own, and a Rank that comes home has won.
type lowest struct {
	me    election.Rank
	spoke bool
}

func (n *lowest) Step(e *election.Env, ev *election.Event) {
	m := ev.Msg
	switch {
	case ev.Op == election.Start, ev.Op == election.Recv && m.Kind == 1 && n.me.Less(m.Rank):
		if !n.spoke {
			n.spoke = true
			e.Send(election.Clockwise, election.Message{Kind: 1, Rank: n.me})
		}
	case ev.Op == election.Recv && m.Kind == 1 && m.Rank == n.me: // it has come home
		e.Decide(n.me)
		e.Send(election.Clockwise, election.Message{Kind: 2, Rank: n.me})
	case ev.Op == election.Recv && m.Kind == 1:
		n.spoke = true
		e.Send(election.Clockwise, m)
	case ev.Op == election.Recv && m.Kind == 2 && m.Rank == n.me: // it has gone round
		e.Done()
	case ev.Op == election.Recv && m.Kind == 2:
		e.Decide(m.Rank)
		e.Send(election.Clockwise, m)
		e.Done()
	}
}

func (n *lowest) State(s *election.State) { s.Bool(&n.spoke) }

func algorithm() *election.Algorithm {
	return &election.Algorithm{
		Name: "lowest", Topology: election.Ring, Winner: smallest, LateStart: election.LateIgnored,
		Kinds: []election.Kind{{Name: "rank"}, {Name: "won", Announces: true}},
		New:   func(s election.Setup) election.Node { return &lowest{me: s.Self} },
	}
}
