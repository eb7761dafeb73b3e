package ghs

import (
	"cmp"

	"github.com/go-election/election"
)

// edge identifies a link in the same way for all processes: no two edges are equal, and all processes agree
// which of two is lighter. The zero edge means none.
type edge struct {
	weight    uint64
	low, high election.ID // its ends
}

// edgeOf returns the edge of a port.
func edgeOf(e *election.Env, port election.Port) edge {
	a, b := e.Self().ID, e.Peer(port).ID
	return edge{e.Weight(port), min(a, b), max(a, b)}
}

func (x edge) compare(y edge) int {
	return cmp.Or(cmp.Compare(x.weight, y.weight), cmp.Compare(x.low, y.low), cmp.Compare(x.high, y.high))
}

// lighter reports whether x is lighter than y. None is heavier than any edge.
func (x edge) lighter(y edge) bool { return x != edge{} && (y == edge{} || x.compare(y) < 0) }

// put puts an edge into a message.
func (x edge) put(m *election.Message) {
	m.Rank, m.Value = election.Rank{Priority: x.weight, ID: x.low}, uint64(x.high)
}

// edgeIn returns the edge in a message.
func edgeIn(m *election.Message) edge { return edge{m.Rank.Priority, m.Rank.ID, election.ID(m.Value)} }

// State visits an edge.
func (x *edge) State(s *election.State) {
	s.Uint64(&x.weight)
	s.ID(&x.low)
	s.ID(&x.high)
}
