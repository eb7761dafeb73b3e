package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/lab/topology"
)

// aboutTopology is the part of the help that says what --topology may be.
const aboutTopology = `

--topology is one of

  ring, complete          as algorithms on them need it
  tree                    a complete binary tree
  path, star              trees, too
  randomtree              each tree is equally likely
  grid:3x4, torus:3x4     rows and columns; without them close to a square
  hypercube:3             of this dimension; without it of as many processes as there are
  random:20               a connected graph of 20 links; without a number of two links a process
  circulant:1,5           a graph: each process has links to those 1 and 5 further in a circle
  dot:file                a graph or tree in a small part of the DOT language, whose names are ids

Where it tells how many processes there are, -n and --ids are not needed. The first process is the
root of a tree. What is random is drawn from --seed. A tree is a graph as well, and so are a ring,
a complete graph, a grid and a hypercube for an algorithm that runs on any graph. Without
--topology, graphs are rings with chords, trees complete binary trees, and meshes close to a
square.`

// topologies are the values of --topology, without what follows a colon.
var topologies = []string{
	"ring", "complete", "tree", "path", "star", "randomtree", "grid", "torus", "hypercube", "random", "circulant", "dot",
}

// layout is what --topology asks for.
type layout struct {
	text, kind, size string

	n          int           // how many processes; 0 where that is not said
	rows, cols int           // of a grid or torus
	numbers    []int         // of links, or of steps
	ids        []election.ID // of a file
	links      topology.Topology
}

// layout reads --topology as far as it can without the processes; nil where it is not given.
func (f *flags) layout(a *election.Algorithm) (*layout, error) {
	if !f.given("topology") {
		return nil, nil
	}
	if f.topology == "" {
		return nil, usage("--topology: none is given")
	}
	l := &layout{text: f.topology}
	var sized bool
	l.kind, l.size, sized = strings.Cut(f.topology, ":")
	if err := among("topology", l.kind, topologies...); err != nil {
		return nil, err
	}
	var err error
	switch {
	case l.kind == "dot":
		err = l.open(a)
	case l.kind == "circulant" && !sized:
		err = usage("--topology %s: the steps are missing, as in circulant:1,5", l.kind)
	case !sized:
		return l, nil
	case l.kind == "grid" || l.kind == "torus":
		err = l.sides(f.most)
	case l.kind == "hypercube":
		var d uint64
		if d, err = parseNumber(l.flag(), l.size); err == nil && d > topology.MaxDimension {
			err = usage("%s: the dimension is at most %d", l.flag(), topology.MaxDimension)
		}
		l.n = 1 << d
	case l.kind == "random" || l.kind == "circulant":
		if l.numbers, err = parseList(l.flag(), l.size, l.count); err == nil && l.kind == "random" && len(l.numbers) > 1 {
			err = usage("%s: one number of links is needed", l.flag())
		}
	default:
		err = usage("%s: a %s takes its size from -n or --ids", l.flag(), l.kind)
	}
	if err != nil {
		return nil, err
	}
	if l.n > f.most {
		return nil, usage("%s: %d processes, at most %d can be %s", l.flag(), l.n, f.most, f.driven)
	}
	return l, nil
}

// flag returns the flag as people write it.
func (l *layout) flag() string { return fmt.Sprintf("--topology %.60q", l.text) }

// wrong says what is wrong with a topology.
func (l *layout) wrong(err error) error {
	if err == nil {
		return nil
	}
	return input.Errorf("%s: %s", l.flag(), strings.TrimPrefix(err.Error(), "topology: "))
}

// count reads a number of links, or of steps.
func (l *layout) count(_, text string) (int, error) {
	n, err := parseCount(l.flag(), text)
	switch {
	case err != nil:
		return 0, err
	case n < 0:
		return 0, usage("%s: %s is negative", l.flag(), text)
	case n > 1<<40:
		return 0, usage("%s: %s is too large", l.flag(), text)
	}
	return int(n), nil
}

// sides reads rows and columns: 3x4.
func (l *layout) sides(most int) error {
	rows, cols, ok := strings.Cut(l.size, "x")
	if !ok {
		return usage("%s: rows and columns are written as in %s:3x4", l.flag(), l.kind)
	}
	for _, side := range []struct {
		to   *int
		text string
	}{{&l.rows, rows}, {&l.cols, cols}} {
		n, err := strconv.Atoi(side.text)
		if err != nil || n < 1 || n > most {
			return usage("%s: %.60q is not a number from 1 to %d", l.flag(), side.text, most)
		}
		*side.to = n
	}
	l.n = l.rows * l.cols
	return nil
}

// open reads a file.
func (l *layout) open(a *election.Algorithm) error {
	if l.size == "" {
		return usage("--topology dot: the file is missing, as in dot:graph.dot")
	}
	if isFolder(l.size) {
		return l.wrong(usage("it is a folder, not a file"))
	}
	file, err := os.Open(l.size)
	if err != nil {
		return l.wrong(err.(*os.PathError).Err) // the path is said already
	}
	defer file.Close()
	shape := election.Graph
	if a.Topology == election.Tree {
		shape = election.Tree
	}
	if l.links, l.ids, err = topology.ReadDOT(file, shape); err != nil {
		return l.wrong(err)
	}
	if shape == election.Tree {
		if l.links, err = topology.RootAt(l.links, 0); err != nil {
			return l.wrong(err)
		}
	}
	l.n = len(l.ids)
	return nil
}

// processes returns the ids where the topology alone says how many there are.
func (l *layout) processes() []election.ID {
	if l.ids != nil {
		return l.ids
	}
	return numbered(l.n)
}

// numbered returns the ids from 1 to n.
func numbered(n int) []election.ID {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	return ids
}

// build makes the topology of these processes, for this algorithm.
func (l *layout) build(a *election.Algorithm, ids []election.ID, seed uint64) (topology.Topology, error) {
	if l.n != 0 && l.n != len(ids) {
		return nil, usage("%s: %d processes, not %d", l.flag(), l.n, len(ids))
	}
	t, err := l.make(a, ids, seed)
	if err == nil && a.Topology == election.Graph && t.Shape() != election.Graph && t.Shape() != election.Tree {
		t, err = topology.AsGraph(t)
	}
	return t, l.wrong(err)
}

// elsewhere adds to an error which variant of the algorithm would run on these links, if that is what is wrong.
func (l *layout) elsewhere(j *job, err error) error {
	if l == nil || j.Topology.Shape() == j.Algorithm.Topology {
		return err
	}
	for _, variant := range catalog.Variants(j.Algorithm.Name) {
		if a, failed := catalog.Find(j.Algorithm.Name, variant); failed == nil && a.Topology == election.Graph && j.Algorithm.Topology != election.Graph {
			return fmt.Errorf("%w; %s runs on any graph", err, a.Title())
		}
	}
	return err
}

func (l *layout) make(a *election.Algorithm, ids []election.ID, seed uint64) (topology.Topology, error) {
	n := len(ids)
	switch l.kind {
	case "ring":
		return topology.Ring(n, a.Topology == election.Ring && !a.TwoWay)
	case "complete":
		return topology.CompleteOf(ids)
	case "tree":
		return topology.BinaryTree(n)
	case "path":
		return topology.Path(n)
	case "star":
		return topology.Star(n)
	case "randomtree":
		return topology.RandomTree(n, seed)
	case "grid", "torus":
		return l.grid(a, n)
	case "hypercube":
		dimension, ok := topology.Dimension(n)
		if !ok {
			return nil, fmt.Errorf("%d processes are not a power of two, up to 2^%d", n, topology.MaxDimension)
		}
		return topology.Hypercube(dimension)
	case "random":
		return l.random(n, seed)
	case "circulant":
		return topology.Circulant(n, l.numbers...)
	}
	return l.links, nil
}

func (l *layout) grid(a *election.Algorithm, n int) (topology.Topology, error) {
	least := 1
	if l.kind == "torus" || a.Topology == election.Mesh {
		least = 3
	}
	rows, cols, ok := l.rows, l.cols, true
	if rows == 0 {
		rows, cols, ok = topology.Square(n, least)
	}
	switch {
	case !ok:
		return nil, fmt.Errorf("%d processes make none of at least %d x %d", n, least, least)
	case l.kind == "torus":
		return topology.Torus(rows, cols)
	case a.Topology == election.Mesh:
		return topology.Mesh(rows, cols)
	}
	return topology.Grid(rows, cols)
}

// random draws a graph. Without a number it has two links a process, as far as there are so many.
func (l *layout) random(n int, seed uint64) (topology.Topology, error) {
	links := min(2*n, n*(n-1)/2)
	if l.numbers != nil {
		links = l.numbers[0]
	}
	return topology.RandomGraph(n, links, seed)
}
