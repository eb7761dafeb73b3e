// Package topology describes which processes are linked, and by which ports.
//
// A topology numbers its processes from 0 to Len()-1, and the ports of each process from 0. It is read-only
// and safe for concurrent use. Rings, complete graphs and hypercubes are computed and take no memory. Other
// topologies are tables of ports, with 8 bytes for each end of a link.
//
// [New] makes a graph or tree from a list of links, [TreeOf] from parents, and [ReadDOT] from a file. [Ring],
// [Complete], [BinaryTree], [Path], [Star], [Grid], [Mesh], [Torus], [Circulant] and [Hypercube] generate a
// topology from its size, and [RandomTree] and [RandomGraph] from a seed as well. Generated topologies are
// the same in every run. The root of a generated tree ([Rooted]) is process 0; [RootAt] chooses another one.
package topology

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/go-election/election"
)

// Topology is a set of processes and their links.
type Topology interface {
	// Shape returns what algorithms ask for.
	Shape() election.Shape
	// Len returns the number of processes.
	Len() int
	// OneWay reports whether messages travel over port 0 only, and arrive over port 1.
	OneWay() bool
	// Ports returns how many ports a process has.
	Ports(p int) int
	// Link returns the process behind a port, and the port of that process for the same link. ok is false if
	// p has no such port or may not send over it.
	Link(p int, port election.Port) (q int, back election.Port, ok bool)
	// Links returns how many pairs of a process and a port there are.
	Links() int
	// Index numbers these pairs from 0 to Links()-1.
	Index(p int, port election.Port) int
}

// Name returns a short description of a topology, such as "two-way ring" or "grid of 3 x 4".
func Name(t Topology) string {
	if named, ok := t.(fmt.Stringer); ok {
		return named.String()
	}
	return string(t.Shape())
}

// All yields every link once in each direction that it can be used in.
func All(t Topology) iter.Seq2[End, End] {
	return func(yield func(End, End) bool) {
		for p := range t.Len() {
			for port := range election.Port(t.Ports(p)) {
				q, back, ok := t.Link(p, port)
				if ok && !yield(End{p, port}, End{q, back}) {
					return
				}
			}
		}
	}
}

// Behind returns the process behind a port, also behind one that a process only receives over.
func Behind(t Topology, p int, port election.Port) (q int, ok bool) {
	if q, _, ok := t.Link(p, port); ok {
		return q, true
	}
	// On a one-way ring Link knows only the links that a process sends over. Messages come from the process
	// before it.
	if t.OneWay() && port == election.Counterclockwise {
		return (p + t.Len() - 1) % t.Len(), true
	}
	return 0, false
}

// End is one end of a link.
type End struct {
	Process int
	Port    election.Port
}

// Equal reports whether every port of two topologies leads to the same place over a link of the same weight,
// and their trees have the same root.
func Equal(a, b Topology) bool {
	if a.Shape() != b.Shape() || a.Len() != b.Len() || a.OneWay() != b.OneWay() || rootOf(a) != rootOf(b) {
		return false
	}
	for p := range a.Len() {
		if a.Ports(p) != b.Ports(p) {
			return false
		}
		for port := range election.Port(a.Ports(p)) {
			q, back, ok := a.Link(p, port)
			r, end, also := b.Link(p, port)
			if ok != also || ok && (q != r || back != end || Weight(a, p, port) != Weight(b, p, port)) {
				return false
			}
		}
	}
	return true
}

// rootOf returns the root of a tree, -1 if it has none.
func rootOf(t Topology) int {
	if tree, ok := t.(Rooted); ok {
		return tree.Root()
	}
	return -1
}

type ring struct {
	n      int
	oneWay bool
}

// Ring returns a ring of n processes in clockwise order. On a one-way ring messages travel
// clockwise. A ring of one is a loop from the process to itself; on a two-way ring of two both
// ports lead to the same neighbour.
func Ring(n int, oneWay bool) (Topology, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, refuse("a ring of %d processes", n)
	}
	return ring{n: n, oneWay: oneWay}, nil
}

func (r ring) Shape() election.Shape               { return election.Ring }
func (r ring) Len() int                            { return r.n }
func (r ring) OneWay() bool                        { return r.oneWay }
func (r ring) Ports(int) int                       { return 2 }
func (r ring) Links() int                          { return 2 * r.n }
func (r ring) Index(p int, port election.Port) int { return 2*p + int(port) }

func (r ring) String() string {
	if r.oneWay {
		return "one-way ring"
	}
	return "two-way ring"
}

func (r ring) Link(p int, port election.Port) (int, election.Port, bool) {
	if port == election.Clockwise {
		if p++; p == r.n {
			p = 0
		}
		return p, election.Counterclockwise, true
	}
	if p == 0 {
		p = r.n
	}
	return p - 1, election.Clockwise, port == election.Counterclockwise && !r.oneWay
}

type complete struct {
	n       int
	at      []int32 // at[k]: the process with the k-th smallest ID; nil if IDs are in the order of processes
	in      []int32 // in[p]: how many have a smaller ID than process p
	chordal bool
}

// Complete returns n processes of which each has a link to every other, its ports in the order
// of the processes.
func Complete(n int) (Topology, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, refuse("a complete graph of %d processes", n)
	}
	return complete{n: n}, nil
}

// CompleteOf is Complete for processes of these IDs, whose ports are in the order of the IDs: a process that
// sends over one port after another sends to ascending IDs.
func CompleteOf(ids []election.ID) (Topology, error) {
	// Sorted IDs need no tables, which would take 8 bytes a process.
	if t, err := Complete(len(ids)); err != nil || slices.IsSorted(ids) {
		return t, err
	}
	c := complete{n: len(ids), at: make([]int32, len(ids)), in: make([]int32, len(ids))}
	sorted := slices.Sorted(slices.Values(ids))
	for p, id := range ids {
		k, _ := slices.BinarySearch(sorted, id)
		c.at[k], c.in[p] = int32(p), int32(k)
	}
	return c, nil
}

// CompleteFor is CompleteOf for an algorithm. If it knows [election.PortsByID], the ports lead to
// ascending IDs from the next larger one on, and from the largest around to the smallest. If it
// knows [election.PortsAround], they lead around in the order of the processes, whatever their IDs are.
func CompleteFor(a *election.Algorithm, ids []election.ID) (Topology, error) {
	if a.Knows == election.PortsAround {
		t, err := Complete(len(ids))
		if err == nil {
			t = complete{n: len(ids), chordal: true}
		}
		return t, err
	}
	t, err := CompleteOf(ids)
	if c, ok := t.(complete); ok {
		c.chordal = a.Knows == election.PortsByID
		return c, err
	}
	return t, err
}

// Around reports whether ports lead around a circle of all processes: port k to the one k+1 places on.
func Around(t Topology) bool {
	n := t.Len()
	if c, ok := t.(complete); ok && (c.chordal || n < 3) {
		return true
	}
	circle, place := []int{0}, make([]int, n)
	for len(circle) < n {
		q, _, ok := t.Link(circle[len(circle)-1], 0)
		if !ok || q == 0 || place[q] != 0 {
			return false
		}
		place[q] = len(circle)
		circle = append(circle, q)
	}
	for p := range n {
		for port := range n - 1 {
			if q, _, ok := t.Link(p, election.Port(port)); !ok || q != circle[(place[p]+port+1)%n] {
				return false
			}
		}
	}
	return true
}

func (c complete) Shape() election.Shape               { return election.Complete }
func (c complete) String() string                      { return "complete graph" }
func (c complete) Len() int                            { return c.n }
func (c complete) OneWay() bool                        { return false }
func (c complete) Ports(int) int                       { return c.n - 1 }
func (c complete) Links() int                          { return c.n * (c.n - 1) }
func (c complete) Index(p int, port election.Port) int { return p*(c.n-1) + int(port) }

func (c complete) Link(p int, port election.Port) (int, election.Port, bool) {
	if c.at != nil {
		k, back, ok := complete{n: c.n, chordal: c.chordal}.Link(int(c.in[p]), port)
		if !ok {
			return 0, 0, false
		}
		return int(c.at[k]), back, true
	}
	if c.chordal {
		// Port k leads k+1 places on, and so the way back leads the rest of the way around.
		return (p + 1 + int(port)) % c.n, election.Port(c.n-2) - port, port < election.Port(c.n-1)
	}
	if port >= election.Port(p) {
		// A process has no port to itself, so from its own place on a port leads to the process of the next
		// number.
		return int(port) + 1, election.Port(p), port < election.Port(c.n-1)
	}
	return int(port), election.Port(p - 1), true
}
