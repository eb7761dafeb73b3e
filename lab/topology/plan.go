package topology

import (
	"strings"

	"github.com/go-election/election"
)

// Kinds returns the kinds of a [Plan].
func Kinds() []string {
	return []string{
		"ring", "complete", "tree", "path", "star", "randomtree", "grid", "torus", "hypercube", "random",
		"circulant", "dot",
	}
}

// Plan describes the links of processes by a word, one of [Kinds].
type Plan struct {
	Kind       string
	Rows, Cols int // of a grid or torus; if zero, close to a square
	// Of random the number of links, two a process if nil; of circulant the steps; of a hypercube its
	// dimension, which may be nil.
	Numbers []int
	Given   Topology // of dot, see [ReadDOT]
}

// Build makes the topology of these processes for an algorithm, as far as it can run there: it is a graph for
// an algorithm on graphs. What is random is drawn from the seed.
func (p *Plan) Build(a *election.Algorithm, ids []election.ID, seed uint64) (Topology, error) {
	t, err := p.make(a, ids, seed)
	// A tree stays a tree: algorithms on graphs run on it, and its name is more precise.
	if err == nil && a.Topology == election.Graph && t.Shape() != election.Graph &&
		t.Shape() != election.Tree {
		t, err = AsGraph(t)
	}
	return t, err
}

func (p *Plan) make(a *election.Algorithm, ids []election.ID, seed uint64) (Topology, error) {
	n := len(ids)
	switch p.Kind {
	case "ring":
		return Ring(n, a.Topology == election.Ring && !a.TwoWay)
	case "complete":
		return CompleteFor(a, ids)
	case "tree":
		return BinaryTree(n)
	case "path":
		return Path(n)
	case "star":
		return Star(n)
	case "randomtree":
		return RandomTree(n, seed)
	case "grid", "torus":
		return p.grid(a, n)
	case "hypercube":
		dimension, ok := Dimension(n)
		if !ok {
			return nil, refuse("%d processes are not a power of two, up to 2^%d", n, MaxDimension)
		}
		if len(p.Numbers) > 0 && p.Numbers[0] != dimension {
			return nil, refuse("a hypercube of dimension %d has 2^%[1]d processes, not %d", p.Numbers[0], n)
		}
		return Hypercube(dimension)
	case "random":
		return p.random(n, seed)
	case "circulant":
		return Circulant(n, p.Numbers...)
	case "dot":
		return p.Given, nil
	}
	return nil, refuse("%.60q is not one of %s", p.Kind, strings.Join(Kinds(), ", "))
}

// grid makes a grid, torus or mesh.
func (p *Plan) grid(a *election.Algorithm, n int) (Topology, error) {
	least := 1
	if p.Kind == "torus" || a.Topology == election.Mesh {
		least = 3
	}
	rows, cols, ok := p.Rows, p.Cols, true
	if rows == 0 {
		rows, cols, ok = Square(n, least)
	}
	switch {
	case !ok:
		return nil, refuse("%d processes make none of at least %d x %d", n, least, least)
	// Compare before making the links: a wrong number of rows may ask for far more of them than memory holds.
	case rows*cols != n:
		return nil, refuse("%d x %d do not make %d processes", rows, cols, n)
	case p.Kind == "torus":
		return Torus(rows, cols)
	case a.Topology == election.Mesh:
		return Mesh(rows, cols)
	}
	return Grid(rows, cols)
}

// random draws a graph. Without a number it has two links a process, as far as that number exists.
func (p *Plan) random(n int, seed uint64) (Topology, error) {
	links := min(2*n, n*(n-1)/2)
	if len(p.Numbers) > 0 {
		links = p.Numbers[0]
	}
	return RandomGraph(n, links, seed)
}
