package job

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/topology"
)

// Layout is the value of --topology.
type Layout struct {
	topology.Plan
	text, size string

	N   int           // the number of processes; 0 if the flag does not give it
	IDs []election.ID // of a file
}

// Layout reads --topology as far as it can without the processes; nil if it is not given.
func (o *Options) Layout(a *election.Algorithm) (*Layout, error) {
	if o.topology == "" {
		return nil, nil
	}
	l := &Layout{text: o.topology}
	var sized bool
	l.Kind, l.size, sized = strings.Cut(o.topology, ":")
	var err error
	switch {
	case l.Kind == "dot":
		err = l.open(a)
	case l.Kind == "circulant" && !sized:
		err = input.Errorf("--topology %s: the steps are missing, as in circulant:1,5", l.Kind)
	case !sized:
		return l, nil
	case l.Kind == "grid" || l.Kind == "torus":
		err = l.sides(o.Most)
	case l.Kind == "hypercube":
		var d uint64
		if d, err = parse.Number(l.Flag(), l.size); err == nil && d > topology.MaxDimension {
			err = input.Errorf("%s: the dimension is at most %d", l.Flag(), topology.MaxDimension)
		}
		l.N = 1 << d
	case l.Kind == "random" || l.Kind == "circulant":
		if l.Numbers, err = parse.List(l.Flag(), l.size,
			l.count); err == nil && l.Kind == "random" && len(l.Numbers) > 1 {
			err = input.Errorf("%s: one number of links is needed", l.Flag())
		}
	default:
		err = input.Errorf("%s: a %s takes its size from -n or --ids", l.Flag(), l.Kind)
	}
	if err != nil {
		return nil, err
	}
	if l.N > o.Most {
		return nil, input.Errorf("%s: %d processes, at most %d can be %s", l.Flag(), l.N, o.Most, o.Driven)
	}
	return l, nil
}

// Flag returns the flag as people write it.
func (l *Layout) Flag() string { return fmt.Sprintf("--topology %.60q", l.text) }

// at puts the flag before err.
func (l *Layout) at(err error) error {
	if err == nil {
		return nil
	}
	return input.At(l.Flag(), err)
}

// count reads a number of links, or of steps.
func (l *Layout) count(_, text string) (int, error) {
	n, err := parse.Count(l.Flag(), text)
	switch {
	case err != nil:
		return 0, err
	case n < 0:
		return 0, input.Errorf("%s: %s is negative", l.Flag(), text)
	// Keep sums and products of such numbers within an int.
	case n > 1<<40:
		return 0, input.Errorf("%s: %s is too large", l.Flag(), text)
	}
	return int(n), nil
}

// sides reads rows and columns: 3x4.
func (l *Layout) sides(most int) error {
	rows, cols, ok := strings.Cut(l.size, "x")
	if !ok {
		return input.Errorf("%s: rows and columns are written as in %s:3x4", l.Flag(), l.Kind)
	}
	for _, side := range []struct {
		to   *int
		text string
	}{{&l.Rows, rows}, {&l.Cols, cols}} {
		n, err := strconv.Atoi(side.text)
		if err != nil || n < 1 || n > most {
			return input.Errorf("%s: %.60q is not a number from 1 to %d", l.Flag(), side.text, most)
		}
		*side.to = n
	}
	l.N = l.Rows * l.Cols
	return nil
}

// open reads a file.
func (l *Layout) open(a *election.Algorithm) error {
	if l.size == "" {
		return input.Errorf("--topology dot: the file is missing, as in dot:graph.dot")
	}
	if files.IsFolder(l.size) {
		return l.at(input.Errorf("it is a folder, not a file"))
	}
	file, err := os.Open(l.size)
	if err != nil {
		return l.at(err.(*os.PathError).Err) // the flag holds the path already
	}
	defer file.Close()
	shape := election.Graph
	if a.Topology == election.Tree {
		shape = election.Tree
	}
	if l.Given, l.IDs, err = topology.ReadDOT(file, shape); err != nil {
		return l.at(err)
	}
	// A file has no root, so its first process is the root, as for the generated trees.
	if shape == election.Tree {
		if l.Given, err = topology.RootAt(l.Given, 0); err != nil {
			return l.at(err)
		}
	}
	l.N = len(l.IDs)
	return nil
}

// processes returns the ids if the topology gives their number.
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
	t, err := l.Plan.Build(a, ids, seed)
	return t, l.at(err)
}
