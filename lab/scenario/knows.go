package scenario

import (
	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
)

// Self returns the Rank of process p. With Ports and Peer it makes the Input the
// [election.View] of all its processes.
func (in *Input) Self(p int) election.Rank {
	r := election.Rank{ID: in.IDs[p]}
	if in.Priorities != nil {
		r.Priority = in.Priorities[p]
	}
	return r
}

// Ranks returns the Rank of every process.
func (in *Input) Ranks() []election.Rank {
	ranks := make([]election.Rank, len(in.IDs))
	for p := range ranks {
		ranks[p] = in.Self(p)
	}
	return ranks
}

// Ports returns how many links process p has.
func (in *Input) Ports(p int) int { return in.Topology.Ports(p) }

// Peer returns the Rank of the process behind a port where each knows all others, on a complete graph, or
// its neighbours, if the algorithm knows LinkWeights. Elsewhere it returns the zero Rank.
func (in *Input) Peer(p int, port election.Port) election.Rank {
	if in.Topology.Shape() != election.Complete && in.Algorithm.Knows != election.LinkWeights {
		return election.Rank{}
	}
	q, _, ok := in.Topology.Link(p, port)
	if !ok {
		return election.Rank{}
	}
	return in.Self(q)
}

// Weight returns the weight of the link behind a port.
func (in *Input) Weight(p int, port election.Port) uint64 {
	return topology.Weight(in.Topology, p, port)
}

// Setup returns what process p knows of itself. It knows its place in a rooted tree, and how many processes
// there are, only if the algorithm needs that.
func (in *Input) Setup(p int) election.Setup {
	s := election.Setup{Self: in.Self(p), Ports: in.Topology.Ports(p)}
	if in.Algorithm.Knows == election.NetworkSize {
		s.Size = len(in.IDs)
	}
	if in.Algorithm.Knows == election.RootPort {
		tree := in.Topology.(topology.Rooted)
		s.Parent, s.Root = tree.Parent(p), p == tree.Root()
	}
	return s
}

// Node makes the Node of process p as a driver holds it.
func (in *Input) Node(p int) election.TermKeeper {
	return in.Algorithm.NewNode(in.Setup(p), in.Topology.OneWay())
}
