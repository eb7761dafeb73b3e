package topology

import "github.com/go-election/election"

// weighted is a topology whose links have weights.
type weighted struct {
	Topology
	weights []uint64 // by Index
}

// WithWeights returns the topology with a weight for each link, which replaces any weight that the link had.
// It calls of(p, q) once for each link between processes p and q, p < q. A tree keeps its root.
func WithWeights(t Topology, of func(p, q int) uint64) Topology {
	switch old := t.(type) {
	case weighted:
		return WithWeights(old.Topology, of)
	case rooted:
		// Replace the inner topology, since a tree must stay Rooted on the outside.
		old.Topology = WithWeights(old.Topology, of)
		return old
	}
	w := weighted{t, make([]uint64, t.Links())}
	for a, b := range All(t) {
		// Once for each link: what is drawn at random must be the same at both ends.
		if a.Process <= b.Process || t.OneWay() {
			weight := of(min(a.Process, b.Process), max(a.Process, b.Process))
			w.weights[t.Index(a.Process, a.Port)], w.weights[t.Index(b.Process, b.Port)] = weight, weight
		}
	}
	return w
}

// Weight returns the weight of the link behind a port, or zero if links have no weights.
func Weight(t Topology, p int, port election.Port) uint64 {
	if w, ok := t.(interface {
		Weight(p int, port election.Port) uint64
	}); ok {
		return w.Weight(p, port)
	}
	return 0
}

// IsWeighted reports whether a link weighs more than nothing.
func IsWeighted(t Topology) bool {
	for end := range All(t) {
		if Weight(t, end.Process, end.Port) > 0 {
			return true
		}
	}
	return false
}

// Weight returns the weight of the link behind a port.
func (w weighted) Weight(p int, port election.Port) uint64 {
	if port >= election.Port(w.Ports(p)) {
		return 0
	}
	return w.weights[w.Index(p, port)]
}

func (w weighted) String() string { return Name(w.Topology) }

// Weight returns the weight of a link of the tree.
func (r rooted) Weight(p int, port election.Port) uint64 { return Weight(r.Topology, p, port) }

// Weight returns the weight of a link of the graph.
func (g asGraph) Weight(p int, port election.Port) uint64 { return Weight(g.Topology, p, port) }
