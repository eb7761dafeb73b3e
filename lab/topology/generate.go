package topology

import (
	"fmt"
	"slices"

	"github.com/go-election/election"
)

// Bounds on what is generated, some gigabytes.
const (
	maxProcesses = 1 << 25
	maxLinks     = 1 << 28
)

// links are pairs of processes, the smaller one in the upper half. A table that is made of them
// numbers the ports of each process in the order of the processes behind them.
type links []uint64

func (l *links) add(p, q int) { *l = append(*l, uint64(min(p, q))<<32|uint64(max(p, q))) }

// pairs yields the links.
func (l links) pairs(yield func(int, int) bool) {
	for _, link := range l {
		if !yield(int(link>>32), int(uint32(link))) {
			return
		}
	}
}

// table makes a table of links that connect n processes. A link that is listed twice is one.
func (l links) table(shape election.Shape, n int, name string, args ...any) *table {
	slices.Sort(l)
	// A circulant graph with a step of n/2 lists links from both of their ends.
	l = slices.Compact(l)
	return newTable(shape, fmt.Sprintf(name, args...), n, len(l), l.pairs)
}

// checkSize wants a number of processes that can be had.
func checkSize(what string, n int) error {
	if n < 1 || n > maxProcesses {
		return refuse("a %s of %d processes, not 1 to %d", what, n, maxProcesses)
	}
	return nil
}

// Grid returns a graph of rows*cols processes, row by row, each of which has a link to the next
// in its row and in its column. There are no compass points: a process numbers its links in the
// order of the processes behind them, which is up, left, right and down as far as there are any.
func Grid(rows, cols int) (Topology, error) {
	return grid(election.Graph, "grid", rows, cols, 1)
}

// Mesh returns a [Grid] of the shape Mesh. It has at least three rows and three columns, so that
// corners, borders and the inside can be distinguished by their 2, 3 and 4 links.
func Mesh(rows, cols int) (Topology, error) {
	return grid(election.Mesh, "mesh", rows, cols, 3)
}

func grid(shape election.Shape, what string, rows, cols, least int) (Topology, error) {
	if err := checkSides(what, rows, cols, least); err != nil {
		return nil, err
	}
	l := make(links, 0, 2*rows*cols)
	for p := range rows * cols {
		if (p+1)%cols != 0 {
			l.add(p, p+1)
		}
		if p+cols < rows*cols {
			l.add(p, p+cols)
		}
	}
	return l.table(shape, rows*cols, "%s of %d x %d", what, rows, cols), nil
}

// Torus returns a graph: a [Grid] in which the last of each row has a link to the first, and the
// last of each column likewise. It has at least three rows and three columns; each process has four
// links, numbered in the order of the processes behind them.
func Torus(rows, cols int) (Topology, error) {
	if err := checkSides("torus", rows, cols, 3); err != nil {
		return nil, err
	}
	l := make(links, 0, 2*rows*cols)
	for p := range rows * cols {
		row, col := p/cols, p%cols
		l.add(p, row*cols+(col+1)%cols)
		l.add(p, (row+1)%rows*cols+col)
	}
	return l.table(election.Graph, rows*cols, "torus of %d x %d", rows, cols), nil
}

func checkSides(what string, rows, cols, least int) error {
	if rows < least || cols < least {
		return refuse("a %s of %d x %d, at least %d x %d are needed", what, rows, cols,
			least, least)
	}
	// Divide, as the product may overflow.
	if rows > maxProcesses/cols {
		return refuse("a %s of %d x %d, more than %d processes", what, rows, cols,
			maxProcesses)
	}
	return nil
}

// Sizes returns the numbers of processes up to a largest that the default links of a shape can join, rising:
// powers of two for hypercubes, grids of at least three rows and columns for meshes, any for the others.
func Sizes(shape election.Shape, most int) (sizes []int) {
	for n := 1; n <= most; n++ {
		ok := true
		switch shape {
		case election.Hypercube:
			_, ok = Dimension(n)
		case election.Mesh:
			_, _, ok = Square(n, 3)
		}
		if ok {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// Square returns the sides of the grid of n processes that is closest to a square, with at least
// least rows. There may be none; rows is never more than cols.
func Square(n, least int) (rows, cols int, ok bool) {
	// The largest divisor up to the square root comes last.
	for r := 1; r <= n/r; r++ {
		if n%r == 0 {
			rows = r
		}
	}
	if rows < max(least, 1) {
		return 0, 0, false
	}
	return rows, n / rows, true
}

// Circulant returns a graph of n processes in a circle. For each step s, every process has a link to the
// process s places further. One step makes a ring, several make a ring with chords. No step may be larger
// than n/2. A process numbers its links in the order of the processes behind them.
func Circulant(n int, steps ...int) (Topology, error) {
	if err := checkSize("circulant graph", n); err != nil {
		return nil, err
	}
	common := n
	for _, s := range steps {
		if s < 1 || s > n/2 {
			return nil, refuse("a circulant graph of %d processes with steps of %d, not 1 to %d", n, s, n/2)
		}
		// The graph is connected if n and all steps have no common divisor: this is the algorithm of Euclid.
		for s != 0 {
			common, s = s, common%s
		}
	}
	switch {
	case common > 1:
		return nil, refuse("a circulant graph of %d processes with steps of %v is not connected", n, steps)
	case len(steps) > maxLinks/n:
		return nil, refuse("a circulant graph of %d processes with %d steps is too large", n, len(steps))
	}
	l := make(links, 0, n*len(steps))
	for p := range n {
		for _, s := range steps {
			l.add(p, (p+s)%n)
		}
	}
	return l.table(election.Graph, n, "circulant graph of steps %v", steps), nil
}

// Chords returns a [Circulant] graph for uses that need any graph: a ring of n processes with chords of about
// the square root of n. The distance between two processes is at most about the square root of n.
func Chords(n int) (Topology, error) {
	root := 1
	// The whole square root, without floating point: a rounded one could differ between machines.
	for root+1 <= n/(root+1) {
		root++
	}
	switch {
	case n < 2:
		return Circulant(n)
	case root < 2 || root > n/2:
		return Circulant(n, 1)
	}
	return Circulant(n, 1, root)
}

// asGraph is a topology that promises nothing but its links.
type asGraph struct{ Topology }

// AsGraph returns the same links as a mere graph, for algorithms that run on any. It refuses one-way rings,
// and rings of one or two processes.
func AsGraph(t Topology) (Topology, error) {
	switch {
	case t.OneWay():
		return nil, refuse("a one-way ring is no graph, whose links are two-way")
	case t.Shape() == election.Ring && t.Len() < 3:
		return nil, refuse("a ring of %d processes is no graph: it has a loop, or two links "+
			"of the same", t.Len())
	}
	return asGraph{t}, nil
}

func (g asGraph) Shape() election.Shape { return election.Graph }
func (g asGraph) String() string        { return Name(g.Topology) }
