package job

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// laidOut returns the input that these flags make for an algorithm on this shape.
func laidOut(shape election.Shape, line string) (scenario.Input, error) {
	in := scenario.Input{Algorithm: &election.Algorithm{Name: "some", Topology: shape,
		New: func(election.Setup) election.Node { return nil }}}
	o := &Options{Most: 1000, Driven: "simulated"}
	cmd := &cobra.Command{}
	o.Define(cmd)
	if err := cmd.ParseFlags(strings.Fields(line)); err != nil {
		return in, errors.Unwrap(err)
	}
	links, err := o.Layout(in.Algorithm)
	if err != nil {
		return in, err
	}
	if in, err = o.Input(in.Algorithm, links, 7); err != nil {
		return in, err
	}
	return in, in.Check()
}

func TestTopology(t *testing.T) {
	dot := filepath.Join(t.TempDir(), "a.dot")
	require.NoError(t, os.WriteFile(dot, []byte("graph { 9 -- 4 -- 7 }"), 0o600))
	for _, c := range []struct {
		shape    election.Shape
		line     string
		n, links int
		name     string
	}{
		{election.Ring, "-n 4 --topology ring", 4, 8, "one-way ring"},
		{election.Graph, "-n 4 --topology ring", 4, 8, "two-way ring"},
		{election.Complete, "-n 4 --topology complete", 4, 12, "complete graph"},
		{election.Graph, "--ids 7,2,5 --topology complete", 3, 6, "complete graph"},
		{election.Tree, "-n 6 --topology tree", 6, 10, "binary tree"},
		{election.Tree, "-n 6 --topology path", 6, 10, "path"},
		{election.Graph, "-n 6 --topology star", 6, 10, "star"},
		{election.Tree, "-n 6 --topology randomtree", 6, 10, "random tree"},
		{election.Graph, "-n 6 --topology grid", 6, 14, "grid of 2 x 3"},
		{election.Graph, "--topology grid:1x5", 5, 8, "grid of 1 x 5"},
		{election.Mesh, "--topology grid:3x4", 12, 34, "mesh of 3 x 4"},
		{election.Mesh, "-n 9 --topology grid:3x3", 9, 24, "mesh of 3 x 3"},
		{election.Mesh, "-n 18 --topology grid", 18, 54, "mesh of 3 x 6"},
		{election.Graph, "--topology torus:3x4", 12, 48, "torus of 3 x 4"},
		{election.Graph, "-n 15 --topology torus", 15, 60, "torus of 3 x 5"},
		{election.Hypercube, "--topology hypercube:3", 8, 24, "hypercube of dimension 3"},
		{election.Hypercube, "--topology hypercube:0", 1, 0, "hypercube of dimension 0"},
		{election.Graph, "-n 8 --topology hypercube", 8, 24, "hypercube of dimension 3"},
		{election.Graph, "-n 8 --topology random:9", 8, 18, "random graph of 9 links"},
		{election.Graph, "-n 8 --topology random", 8, 32, "random graph of 16 links"},
		{election.Graph, "-n 3 --topology random", 3, 6, "random graph of 3 links"},
		{election.Graph, "-n 9 --topology circulant:1,3", 9, 36, "circulant graph of steps [1 3]"},
		{election.Graph, "--topology dot:" + dot, 3, 4, "graph of 2 links"},
		{election.Tree, "--topology dot:" + dot, 3, 4, "tree"},
	} {
		in, err := laidOut(c.shape, c.line)
		require.NoError(t, err, c.line)
		require.Equal(t, c.n, in.Topology.Len(), c.line)
		require.Equal(t, c.links, in.Topology.Links(), c.line)
		require.Equal(t, c.name, topology.Name(in.Topology), c.line)
		if tree, ok := in.Topology.(topology.Rooted); ok {
			require.Zero(t, tree.Root(), c.line)
		} else {
			require.NotEqual(t, election.Tree, c.shape, c.line)
		}
		if strings.Contains(c.line, "dot:") {
			require.Equal(t, []election.ID{9, 4, 7}, in.IDs)
		}
	}
}

func TestBadTopology(t *testing.T) {
	dir := t.TempDir()
	dot := filepath.Join(dir, "a.dot")
	require.NoError(t, os.WriteFile(dot, []byte("graph { 9 -- 4\n4 -- 9 }"), 0o600))
	good := filepath.Join(dir, "b.dot")
	require.NoError(t, os.WriteFile(good, []byte("graph { 9 -- 4 -- 1 -- 9 }"), 0o600))
	for _, c := range []struct {
		shape      election.Shape
		line, want string
	}{
		{election.Graph, "-n 3 --topology=", `--topology: "" is not one of ` + strings.Join(topology.Kinds(), ", ")},
		{election.Graph, "-n 3 --topology foo",
			`--topology: "foo" is not one of ` + strings.Join(topology.Kinds(), ", ")},
		{election.Graph, "-n 3 --topology grdi",
			`--topology: "grdi" is not one of ` + strings.Join(topology.Kinds(),
				", ") + `: did you mean grid?`},
		{election.Graph, "--topology random", `the number of processes is missing: set -n or --ids`},
		{election.Graph, "-n 3 --topology ring:3", `--topology "ring:3": a ring takes its size from -n or --ids`},
		{election.Graph, "-n 2 --topology ring", `--topology "ring": a ring of 2 processes is no graph: it has a loop, or two links of the same`},
		{election.Tree, "-n 3 --topology ring", `topology: some needs a tree, not a ring`},
		{election.Tree, "-n 9 --topology grid", `topology: some needs a tree, not a graph`},
		{election.Graph, "--topology grid:3", `--topology "grid:3": rows and columns are written as in grid:3x4`},
		{election.Graph, "--topology grid:3x0", `--topology "grid:3x0": "0" is not a number from 1 to 1000`},
		{election.Graph, "--topology grid:x", `--topology "grid:x": "" is not a number from 1 to 1000`},
		{election.Graph, "--topology grid:1e9x2", `--topology "grid:1e9x2": "1e9" is not a number from 1 to 1000`},
		{election.Graph, "--topology grid:100x100", `--topology "grid:100x100": 10000 processes, at most 1000 can be simulated`},
		{election.Graph, "-n 5 --topology grid:2x3", `--topology "grid:2x3": 6 processes, not 5`},
		{election.Mesh, "--topology grid:2x3", `--topology "grid:2x3": a mesh of 2 x 3, at least 3 x 3 are needed`},
		{election.Mesh, "-n 7 --topology grid", `--topology "grid": 7 processes make none of at least 3 x 3`},
		{election.Graph, "-n 8 --topology torus", `--topology "torus": 8 processes make none of at least 3 x 3`},
		{election.Graph, "--topology torus:2x3", `--topology "torus:2x3": a torus of 2 x 3, at least 3 x 3 are needed`},
		{election.Hypercube, "-n 6 --topology hypercube", `--topology "hypercube": 6 processes are not a power of two, up to 2^25`},
		{election.Hypercube, "--topology hypercube:x", `--topology "hypercube:x": "x" is not a whole number`},
		{election.Hypercube, "--topology hypercube:26", `--topology "hypercube:26": the dimension is at most 25`},
		{election.Hypercube, "--topology hypercube:10", `--topology "hypercube:10": 1024 processes, at most 1000 can be simulated`},
		{election.Hypercube, "-n 4 --topology hypercube:3", `--topology "hypercube:3": 8 processes, not 4`},
		{election.Graph, "-n 4 --topology random:2", `--topology "random:2": a random graph of 4 processes with 2 links, not 3 to 6`},
		{election.Graph, "-n 4 --topology random:", `--topology "random:": the list is empty`},
		{election.Graph, "-n 4 --topology random:4,5", `--topology "random:4,5": one number of links is needed`},
		{election.Graph, "-n 4 --topology random:1e99", `--topology "random:1e99": 1e99 is too large`},
		{election.Graph, "-n 4 --topology random:-1", `--topology "random:-1": -1 is negative`},
		{election.Graph, "-n 4 --topology random:x", `--topology "random:x": "x" is not a whole number`},
		{election.Graph, "-n 9 --topology circulant", `--topology circulant: the steps are missing, as in circulant:1,5`},
		{election.Graph, "-n 9 --topology circulant:3", `--topology "circulant:3": a circulant graph of 9 processes with steps of [3] is not connected`},
		{election.Graph, "--topology dot", `--topology dot: the file is missing, as in dot:graph.dot`},
		{election.Graph, "--topology dot:" + dir + "/none",
			`--topology "dot:` + dir + `/none": no such file or directory`},
		{election.Graph, "--topology dot:" + dot, `--topology "dot:` + dot + `": line 2: 4 and 9 are joined already, in line 1`},
		{election.Tree, "--topology dot:" + good, `--topology "dot:` + good + `": line 1: 1 and 9 close a cycle, which a tree cannot have`},
		{election.Ring, "--topology dot:" + good, `topology: some needs a ring, not a graph`},
		{election.Graph, "-n 3 --topology dot:" + good, `--topology "dot:` + good + `": the file gives the processes and their places; -n, --ids and --order cannot`},
		{election.Graph, "--order random --topology dot:" + good, `--topology "dot:` + good + `": the file gives the processes and their places; -n, --ids and --order cannot`},
	} {
		_, err := laidOut(c.shape, c.line)
		require.ErrorIs(t, err, election.ErrInput, c.line)
		require.Equal(t, cutPaths(c.want),
			cutPaths(strings.TrimPrefix(err.Error(), election.ErrInput.Error()+": ")), c.line)
	}
}

// cutPaths leaves out what is in quotes, which may be cut if it is a long path.
func cutPaths(line string) string {
	if before, rest, ok := strings.Cut(line, `"dot:`); ok {
		_, after, _ := strings.Cut(rest, `"`)
		return before + after
	}
	return line
}
