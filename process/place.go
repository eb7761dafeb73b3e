package process

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Topology describes the links between numbered processes. The topologies of package lab/topology implement it.
type Topology interface {
	// Len returns the number of processes, which are numbered from 0.
	Len() int
	// OneWay reports whether the topology is a ring on which messages travel clockwise only.
	OneWay() bool
	// Ports returns the number of ports of a process.
	Ports(p int) int
	// Link returns the process q behind a port of p and q's port for the same link. ok is false if p may not
	// send over this port. On a ring, port 0 leads to port 1 of the next process.
	Link(p int, port election.Port) (q int, back election.Port, ok bool)
}

// rooted is a Topology that is a tree with a root.
type rooted interface {
	Root() int
	Parent(p int) election.Port
}

// weighted is a Topology whose links have weights.
type weighted interface {
	Weight(p int, port election.Port) uint64
}

// Place configures c as process p of a topology whose processes have the given ranks. It sets Self, Peers,
// OneWay and Size; Root and Parent if the topology has the methods Root and Parent; and Weights if it has the
// method Weight. All processes must use the same topology and the same ranks. For an algorithm that knows PortsAround, the
// ports of a complete graph must be ordered around a circle, as topology.CompleteFor orders them. Otherwise
// Place returns an error, or New if Algorithm is set after Place. Errors wrap [election.ErrInput].
func (c *Config) Place(t Topology, ranks []election.Rank, p int) error {
	switch {
	case isNil(t):
		return input.Errorf("topology: missing")
	case len(ranks) != t.Len():
		return input.Errorf("ranks: %d, the topology has %d processes", len(ranks), t.Len())
	case p < 0 || p >= len(ranks):
		return input.Errorf("process: no number %d among %d", p, len(ranks))
	case t.Ports(p) < 0:
		return input.Errorf("topology: process number %d has %d ports", p, t.Ports(p))
	}
	c.Self, c.OneWay, c.Size = ranks[p], t.OneWay(), t.Len()
	c.Peers = make([]election.Rank, t.Ports(p))
	for port := range election.Port(len(c.Peers)) {
		q, _, ok := t.Link(p, port)
		if !ok {
			q = sender(t, p, port)
		}
		if q < 0 || q >= len(ranks) {
			return input.Errorf("topology: port %d of process number %d leads to number %d of %d", port, p, q,
				len(ranks))
		}
		c.Peers[port] = ranks[q]
	}
	c.Weights = weightsOf(t, p)
	c.Parent, c.Root = 0, false
	if tree, ok := t.(rooted); ok {
		c.Parent, c.Root = tree.Parent(p), p == tree.Root()
	}
	c.scattered = !leadsAround(t, p)
	return c.checkPorts()
}

// checkPorts returns an error if Place has found that the ports are not in the order that the algorithm needs.
func (c *Config) checkPorts() error {
	if c.Algorithm != nil && c.Algorithm.Knows == election.PortsAround && c.scattered {
		return input.Errorf("topology: %s needs ports in the order of a ring: port k leads to the process k+1 places on; "+
			"topology.CompleteFor makes such a complete graph, and topology.Complete does not",
			c.Algorithm.Title())
	}
	return nil
}

// leadsAround reports whether the ports of a process are ordered around a circle of all processes: port k leads
// k+1 places on. It returns true if the topology is not a complete graph.
func leadsAround(t Topology, p int) bool {
	n := t.Len()
	s, ok := t.(interface{ Shape() election.Shape })
	if ok && s.Shape() != election.Complete || n < 3 || t.Ports(p) != n-1 {
		return true
	}
	// Port 0 of each process leads to the next one. All processes find the same circle.
	at := p
	for port := range election.Port(n - 1) {
		next, _, ok := t.Link(at, 0)
		there, _, linked := t.Link(p, port)
		if !ok || !linked || next != there || next == p || next < 0 || next >= n {
			return false
		}
		at = next
	}
	next, _, ok := t.Link(at, 0)
	return ok && next == p
}

// weightsOf returns the weights of the links of a process, or nil if the topology has no weights.
func weightsOf(t Topology, p int) (weights []uint64) {
	w, ok := t.(weighted)
	if !ok {
		return nil
	}
	for port := range election.Port(t.Ports(p)) {
		weights = append(weights, w.Weight(p, port))
	}
	if !slices.ContainsFunc(weights, func(w uint64) bool { return w > 0 }) {
		return nil
	}
	return weights
}

// sender returns the process whose link leads to this port of p, for a port over which p itself may not send.
// Topology answers only the opposite question, so sender has to search.
func sender(t Topology, p int, port election.Port) int {
	n, q := t.Len(), p
	for range n {
		q = (q + n - 1) % n // search backwards: rings are usually numbered clockwise, so the first candidate is the sender
		for out := range election.Port(t.Ports(q)) {
			if to, back, ok := t.Link(q, out); ok && to == p && back == port {
				return q
			}
		}
	}
	return p // no process can use the link
}
