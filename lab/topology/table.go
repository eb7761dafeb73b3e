package topology

import (
	"fmt"
	"iter"
	"math"

	"github.com/go-election/election"
)

// table contains the ports of all processes in one slice. The ports of process p are
// ends[first[p]:first[p+1]]. A table takes 8 bytes for each end of a link, and 4 for each process.
type table struct {
	shape election.Shape
	name  string
	first []uint32
	ends  []tableEnd
}

type tableEnd struct {
	peer uint32 // absent if the port leads nowhere
	port election.Port
}

const absent = math.MaxUint32

// New returns a topology of n processes with the given two-way links. A process numbers its ports in the
// order of the list. The links must connect all processes. A link to itself, a repeated link, and a cycle in
// a tree are errors of type [*LinkError]. The shape must be [election.Graph] or [election.Tree], since a list
// of links cannot express what the ports of other shapes mean.
func New(shape election.Shape, n int, links [][2]int) (Topology, error) {
	if shape != election.Graph && shape != election.Tree {
		return nil, refuse("a list of links makes a graph or a tree, not a %s", shape)
	}
	if n < 1 || n > math.MaxInt32 || len(links) > math.MaxInt32/2 {
		return nil, refuse("%d processes and %d links", n, len(links))
	}
	joined := newParts(n)
	cycle := -1 // the first link that closes one
	for i, l := range links {
		switch {
		case min(l[0], l[1]) < 0 || max(l[0], l[1]) >= n:
			return nil, &LinkError{Why: OutOfRange, Link: i, A: l[0], B: l[1], n: n}
		case l[0] == l[1]:
			return nil, &LinkError{Why: ToItself, Link: i, A: l[0], B: l[1]}
		}
		// A link within one part closes a cycle. A double link does too, and gets a clearer error below.
		if !joined.join(l[0], l[1]) && cycle < 0 {
			cycle = i
		}
	}
	t := newTable(shape, string(shape), n, len(links), all(links))
	if cycle >= 0 && t.parallel() {
		return nil, twice(links)
	}
	if cycle >= 0 && shape == election.Tree {
		return nil, &LinkError{Why: Cycle, Link: cycle, A: links[cycle][0], B: links[cycle][1]}
	}
	for p := range n {
		if joined.root(p) != joined.root(0) {
			return nil, &LinkError{Why: Apart, Link: -1, A: 0, B: p}
		}
	}
	if shape != election.Tree {
		t.name = fmt.Sprintf("%s of %d links", shape, len(links))
	}
	return t, nil
}

// Listed returns an end of each link, in an order in which [New] numbers the ports of each process as t does,
// as long as there is one; links that come after that are left out.
func Listed(t Topology) (list []End) {
	next := make([]election.Port, t.Len())
	for more := true; more; {
		more = false
		for p := range next {
			for int(next[p]) < t.Ports(p) {
				q, back, ok := t.Link(p, next[p])
				// A link may be listed only when it is the next one of both its ends.
				if !ok || q == p || back != next[q] {
					break
				}
				list = append(list, End{p, next[p]})
				next[p]++
				next[q]++
				more = true
			}
		}
	}
	return list
}

func all(links [][2]int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, l := range links {
			if !yield(l[0], l[1]) {
				return
			}
		}
	}
}

// newTable makes a table of count links, which it goes through twice.
func newTable(shape election.Shape, name string, n, count int, links iter.Seq2[int, int]) *table {
	t := &table{shape: shape, name: name, first: make([]uint32, n+1), ends: make([]tableEnd, 2*count)}
	for a, b := range links {
		t.first[a+1]++
		t.first[b+1]++
	}
	for p := range n {
		t.first[p+1] += t.first[p]
	}
	// In the second pass, the first port of each process is known, so no process needs a slice of its own.
	next := make([]uint32, n)
	for a, b := range links {
		t.ends[t.first[a]+next[a]] = tableEnd{uint32(b), election.Port(next[b])}
		t.ends[t.first[b]+next[b]] = tableEnd{uint32(a), election.Port(next[a])}
		next[a]++
		next[b]++
	}
	return t
}

// parallel reports whether two links join the same processes.
func (t *table) parallel() bool {
	seen := make([]uint32, t.Len()) // seen[q] is p+1 if a link from p leads there
	for p := range t.Len() {
		for _, end := range t.ends[t.first[p]:t.first[p+1]] {
			if seen[end.peer] == uint32(p+1) {
				return true
			}
			seen[end.peer] = uint32(p + 1)
		}
	}
	return false
}

// twice returns the error about two links that join the same processes.
func twice(links [][2]int) error {
	first := make(map[[2]int]int, len(links))
	for i, l := range links {
		pair := [2]int{min(l[0], l[1]), max(l[0], l[1])}
		if k, ok := first[pair]; ok {
			return &LinkError{Why: Twice, Link: i, A: l[0], B: l[1], First: k}
		}
		first[pair] = i
	}
	panic("topology: no two links are parallel")
}

func (t *table) Shape() election.Shape               { return t.shape }
func (t *table) String() string                      { return t.name }
func (t *table) Len() int                            { return len(t.first) - 1 }
func (t *table) OneWay() bool                        { return false }
func (t *table) Ports(p int) int                     { return int(t.first[p+1] - t.first[p]) }
func (t *table) Links() int                          { return len(t.ends) }
func (t *table) Index(p int, port election.Port) int { return int(t.first[p]) + int(port) }

func (t *table) Link(p int, port election.Port) (int, election.Port, bool) {
	if port >= election.Port(t.Ports(p)) {
		return 0, 0, false
	}
	end := t.ends[int(t.first[p])+int(port)]
	return int(end.peer), end.port, end.peer != absent
}

// FromPorts returns a two-way topology with the given ports: ports[p] contains the ends to which the ports of
// process p lead. A negative Process is a port that leads nowhere. FromPorts does not check that both ends of
// a link agree.
func FromPorts(shape election.Shape, ports [][]End) Topology {
	t := &table{shape: shape, name: string(shape), first: make([]uint32, 1, len(ports)+1)}
	for _, ends := range ports {
		for _, end := range ends {
			peer := uint32(absent)
			if end.Process >= 0 {
				peer = uint32(end.Process)
			}
			t.ends = append(t.ends, tableEnd{peer, end.Port})
		}
		t.first = append(t.first, uint32(len(t.ends)))
	}
	return t
}

// parts are the connected parts of a graph: a forest in which each points towards the root of
// its part.
type parts []int32

func newParts(n int) parts {
	p := make(parts, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

// root returns the root of the part of i.
func (p parts) root(i int) int {
	for p[i] != int32(i) {
		p[i] = p[p[i]] // halves the way of the next search
		i = int(p[i])
	}
	return i
}

// join makes one part of two and reports whether they were two.
func (p parts) join(i, j int) bool {
	i, j = p.root(i), p.root(j)
	p[i] = int32(j)
	return i != j
}
