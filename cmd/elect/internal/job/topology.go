package job

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/lab/topology"
)

// Topologies are the values of --topology, without what follows a colon.
var Topologies = []string{
	"ring", "complete", "tree", "path", "star", "randomtree", "grid", "torus", "hypercube", "random", "circulant", "dot",
}

// Layout is what --topology asks for.
type Layout struct {
	text, kind, size string

	N          int           // how many processes; 0 where that is not said
	rows, cols int           // of a grid or torus
	numbers    []int         // of links, or of steps
	IDs        []election.ID // of a file
	links      topology.Topology
}

// Layout reads --topology as far as it can without the processes; nil where it is not given.
func (f *Flags) Layout(a *election.Algorithm) (*Layout, error) {
	if !f.Given("topology") {
		return nil, nil
	}
	if f.Topology == "" {
		return nil, input.Errorf("--topology: none is given")
	}
	l := &Layout{text: f.Topology}
	var sized bool
	l.kind, l.size, sized = strings.Cut(f.Topology, ":")
	if err := suggest.Among("topology", l.kind, Topologies...); err != nil {
		return nil, err
	}
	var err error
	switch {
	case l.kind == "dot":
		err = l.open(a)
	case l.kind == "circulant" && !sized:
		err = input.Errorf("--topology %s: the steps are missing, as in circulant:1,5", l.kind)
	case !sized:
		return l, nil
	case l.kind == "grid" || l.kind == "torus":
		err = l.sides(f.Most)
	case l.kind == "hypercube":
		var d uint64
		if d, err = parse.Number(l.Flag(), l.size); err == nil && d > topology.MaxDimension {
			err = input.Errorf("%s: the dimension is at most %d", l.Flag(), topology.MaxDimension)
		}
		l.N = 1 << d
	case l.kind == "random" || l.kind == "circulant":
		if l.numbers, err = parse.List(l.Flag(), l.size, l.count); err == nil && l.kind == "random" && len(l.numbers) > 1 {
			err = input.Errorf("%s: one number of links is needed", l.Flag())
		}
	default:
		err = input.Errorf("%s: a %s takes its size from -n or --ids", l.Flag(), l.kind)
	}
	if err != nil {
		return nil, err
	}
	if l.N > f.Most {
		return nil, input.Errorf("%s: %d processes, at most %d can be %s", l.Flag(), l.N, f.Most, f.Driven)
	}
	return l, nil
}

// Flag returns the flag as people write it.
func (l *Layout) Flag() string { return fmt.Sprintf("--topology %.60q", l.text) }

// wrong says what is wrong with a topology.
func (l *Layout) wrong(err error) error {
	if err == nil {
		return nil
	}
	return input.Errorf("%s: %s", l.Flag(), strings.TrimPrefix(err.Error(), "topology: "))
}

// count reads a number of links, or of steps.
func (l *Layout) count(_, text string) (int, error) {
	n, err := parse.Count(l.Flag(), text)
	switch {
	case err != nil:
		return 0, err
	case n < 0:
		return 0, input.Errorf("%s: %s is negative", l.Flag(), text)
	case n > 1<<40:
		return 0, input.Errorf("%s: %s is too large", l.Flag(), text)
	}
	return int(n), nil
}

// sides reads rows and columns: 3x4.
func (l *Layout) sides(most int) error {
	rows, cols, ok := strings.Cut(l.size, "x")
	if !ok {
		return input.Errorf("%s: rows and columns are written as in %s:3x4", l.Flag(), l.kind)
	}
	for _, side := range []struct {
		to   *int
		text string
	}{{&l.rows, rows}, {&l.cols, cols}} {
		n, err := strconv.Atoi(side.text)
		if err != nil || n < 1 || n > most {
			return input.Errorf("%s: %.60q is not a number from 1 to %d", l.Flag(), side.text, most)
		}
		*side.to = n
	}
	l.N = l.rows * l.cols
	return nil
}

// open reads a file.
func (l *Layout) open(a *election.Algorithm) error {
	if l.size == "" {
		return input.Errorf("--topology dot: the file is missing, as in dot:graph.dot")
	}
	if files.IsFolder(l.size) {
		return l.wrong(input.Errorf("it is a folder, not a file"))
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
	if l.links, l.IDs, err = topology.ReadDOT(file, shape); err != nil {
		return l.wrong(err)
	}
	if shape == election.Tree {
		if l.links, err = topology.RootAt(l.links, 0); err != nil {
			return l.wrong(err)
		}
	}
	l.N = len(l.IDs)
	return nil
}

// processes returns the ids where the topology alone says how many there are.
func (l *Layout) processes() []election.ID {
	if l.IDs != nil {
		return l.IDs
	}
	return numbered(l.N)
}

// numbered returns the ids from 1 to n.
func numbered(n int) []election.ID {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	return ids
}

// Build makes the topology of these processes, for this algorithm.
func (l *Layout) Build(a *election.Algorithm, ids []election.ID, seed uint64) (topology.Topology, error) {
	if l.N != 0 && l.N != len(ids) {
		return nil, input.Errorf("%s: %d processes, not %d", l.Flag(), l.N, len(ids))
	}
	t, err := l.make(a, ids, seed)
	if err == nil && a.Topology == election.Graph && t.Shape() != election.Graph && t.Shape() != election.Tree {
		t, err = topology.AsGraph(t)
	}
	return t, l.wrong(err)
}

// elsewhere adds to an error which variant of the algorithm would run on these links, if that is what is wrong.
func (l *Layout) elsewhere(j *Job, err error) error {
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

func (l *Layout) make(a *election.Algorithm, ids []election.ID, seed uint64) (topology.Topology, error) {
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

func (l *Layout) grid(a *election.Algorithm, n int) (topology.Topology, error) {
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
func (l *Layout) random(n int, seed uint64) (topology.Topology, error) {
	links := min(2*n, n*(n-1)/2)
	if l.numbers != nil {
		links = l.numbers[0]
	}
	return topology.RandomGraph(n, links, seed)
}
