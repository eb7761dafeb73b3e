package topology

import (
	"fmt"
	"math"

	"github.com/go-election/election"
)

// table holds the ports of all processes one after another: those of p are
// ends[first[p]:first[p+1]].
type table struct {
	shape election.Shape
	first []uint32
	ends  []tableEnd
}

type tableEnd struct {
	peer uint32
	port election.Port
}

// New returns a topology of n processes with the given two-way links. A process's ports are
// numbered in the order in which its links are listed. The links must connect all processes,
// none to itself and no two twice; a tree has no cycle.
func New(shape election.Shape, n int, links [][2]int) (Topology, error) {
	if n < 1 || n > math.MaxInt32 || len(links) > math.MaxInt32/2 {
		return nil, fmt.Errorf("%w: %d processes and %d links", ErrTopology, n, len(links))
	}
	seen := make(map[[2]int]bool, len(links))
	for i, l := range links {
		a, b := min(l[0], l[1]), max(l[0], l[1])
		switch {
		case a < 0 || b >= n:
			return nil, fmt.Errorf("%w: link %d joins %d and %d, of %d processes", ErrTopology, i, l[0], l[1], n)
		case a == b:
			return nil, fmt.Errorf("%w: link %d joins %d to itself", ErrTopology, i, a)
		case seen[[2]int{a, b}]:
			return nil, fmt.Errorf("%w: link %d joins %d and %d again", ErrTopology, i, a, b)
		}
		seen[[2]int{a, b}] = true
	}
	if shape == election.Tree && len(links) > n-1 {
		return nil, fmt.Errorf("%w: a tree of %d processes with %d links has a cycle", ErrTopology, n, len(links))
	}
	t := newTable(shape, n, links)
	if p := t.unreached(); p >= 0 {
		return nil, fmt.Errorf("%w: process %d is not connected to process 0", ErrTopology, p)
	}
	return t, nil
}

func newTable(shape election.Shape, n int, links [][2]int) *table {
	t := &table{shape: shape, first: make([]uint32, n+1), ends: make([]tableEnd, 2*len(links))}
	for _, l := range links {
		t.first[l[0]+1]++
		t.first[l[1]+1]++
	}
	for p := range n {
		t.first[p+1] += t.first[p]
	}
	next := make([]uint32, n)
	for _, l := range links {
		a, b := l[0], l[1]
		t.ends[t.first[a]+next[a]] = tableEnd{uint32(b), election.Port(next[b])}
		t.ends[t.first[b]+next[b]] = tableEnd{uint32(a), election.Port(next[a])}
		next[a]++
		next[b]++
	}
	return t
}

// unreached returns a process that process 0 has no path to, or -1.
func (t *table) unreached() int {
	reached := make([]bool, t.Len())
	reached[0] = true
	todo := []int{0}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, end := range t.ends[t.first[p]:t.first[p+1]] {
			if q := int(end.peer); !reached[q] {
				reached[q] = true
				todo = append(todo, q)
			}
		}
	}
	for p, ok := range reached {
		if !ok {
			return p
		}
	}
	return -1
}

func (t *table) Shape() election.Shape               { return t.shape }
func (t *table) Len() int                            { return len(t.first) - 1 }
func (t *table) OneWay() bool                        { return false }
func (t *table) Ports(p int) int                     { return int(t.first[p+1] - t.first[p]) }
func (t *table) Links() int                          { return len(t.ends) }
func (t *table) Index(p int, port election.Port) int { return int(t.first[p]) + int(port) }

func (t *table) Link(p int, port election.Port) (int, election.Port, bool) {
	if int(port) >= t.Ports(p) {
		return 0, 0, false
	}
	end := t.ends[int(t.first[p])+int(port)]
	return int(end.peer), end.port, true
}
