package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

func TestTopologyOfTheCommand(t *testing.T) {
	for line, want := range map[string]string{
		"sim lcr -n 3 --topology ring":                      "lcr/participant, 3 processes, one-way ring\n",
		"sim hs -n 3 --topology ring":                       "hs/probe, 3 processes, two-way ring\n",
		"run bully -n 3":                                    "bully/rules, 3 processes, complete graph\n",
		"sim bully -n 3 --topology complete --order random": "bully/rules, 3 processes, complete graph\n",
	} {
		r := elect(t, "", strings.Fields(line)...)
		require.Zero(t, r.code, r.stderr)
		require.True(t, strings.HasPrefix(r.stdout, want), r.stdout)
	}
	refused{
		"sim lcr -n 8 --topology hypercube":     `topology: lcr/participant needs a ring, not a hypercube`,
		"run bully --topology grid:2x2":         `topology: bully/rules needs a complete graph, not a graph`,
		"sim --scenario x.json --topology ring": `if any flags in the group [scenario topology] are set none of the others can be; [scenario topology] were all set`,
		"run lcr --topology hypercube:25":       `--topology "hypercube:25": 33554432 processes, at most 2000000 can be run as goroutines`,
	}.test(t)
	require.Contains(t, elect(t, "", "help", "topology").stdout, "--topology is one of\n")
	require.Contains(t, elect(t, "", "__complete", "sim", "lcr", "--topology", "h").stdout, "hypercube\n")
}

// TestBadGraphs: links that cannot be are refused in one line with status 2, whether they come from
// a flag, a DOT file or a scenario, and whichever driver is to run on them.
func TestBadGraphs(t *testing.T) {
	t.Chdir(t.TempDir())
	dot := func(name, text string) string {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return "--topology dot:" + name
	}
	refusedByBoth := refused{}
	for line, want := range map[string]string{
		"echo " + dot("parts", "graph { 1 -- 2\n3 -- 4 }"):        `--topology "dot:parts": no path joins 1 and 3`,
		"treeelect " + dot("trees", "graph { 1 -- 2\n3 -- 4 }"):   `--topology "dot:trees": no path joins 1 and 3`,
		"echo " + dot("loop", "graph { 1 -- 1 }"):                 `--topology "dot:loop": line 1: 1 is joined to itself`,
		"treeelect " + dot("cycle", "graph { 1 -- 2 -- 3 -- 1 }"): `--topology "dot:cycle": line 1: 3 and 1 close a cycle, which a tree cannot have`,
		"echo " + dot("none", "graph { }"):                        `--topology "dot:none": line 1: the graph has no processes`,
		"echo " + dot("ways", "digraph { 1 -> 2 }"):               `--topology "dot:ways": line 1: a digraph, whose links lead one way; only a graph can be read`,
		"echo " + dot("zero", "graph { 0 -- 1 }"):                 `--topology "dot:zero": line 1: 0 is not a valid id`,
		"echo " + dot("cut", "graph { 1 --"):                      `--topology "dot:cut": line 1: the end, where a process is needed`,
		"echo " + dot("names", "graph { a -- b }"):                `--topology "dot:names": line 1: "a" is not an id, a whole number`,

		"hypercube -n 6": "topology: hypercube needs a hypercube, whose processes are a power of two up to 2^25, not 6",
		"hypercube --ids 1,2,3 --topology hypercube:2": `--topology "hypercube:2": 4 processes, not 3`,
		"hypercube --topology hypercube:70":            `--topology "hypercube:70": the dimension is at most 25`,
		"hypercube --topology hypercube:-1":            `--topology "hypercube:-1": -1 is negative`,
		"mesh --topology grid:2x2":                     `--topology "grid:2x2": a mesh of 2 x 2, at least 3 x 3 are needed`,
		"echo --topology torus:2x2":                    `--topology "torus:2x2": a torus of 2 x 2, at least 3 x 3 are needed`,
		"mesh -n 7":                                    "topology: mesh needs a mesh, and 7 processes do not form a mesh of at least 3 x 3",
		"treeelect -n 4 --topology grid":               "topology: treeelect/root needs a tree, not a graph; treeelect/graph runs on any graph",
		"treeelect -n 4 --topology ring":               "topology: treeelect/root needs a tree, not a ring; treeelect/graph runs on any graph",
		"echo -n 6 --topology circulant:2":             `--topology "circulant:2": a circulant graph of 6 processes with steps of [2] is not connected`,
		"echo/implicit -n 4 --initiators 1,2":          "initiators: echo/implicit allows one, not 2; by default the root of a tree starts, starts, or else the first process",
		"treeelect/any -n 4 --initiators 1,2":          "initiators: treeelect/any allows one, not 2; by default the root of a tree starts, starts, or else the first process",
		"treeelect/root -n 4 --initiators 2":           "this process may not start the election: process 2",
	} {
		refusedByBoth["sim "+line], refusedByBoth["run "+line] = want, want
	}
	for _, side := range []string{"-2x3", "3x-2", "0x3", "9999999999x3"} {
		r := elect(t, "", "sim", "mesh", "--topology", "grid:"+side)
		require.Equal(t, exit.StatusUsage, r.code)
		require.Regexp(t, `^elect: --topology "grid:`+side+`": "[-0-9]+" is not a number from 1 to \d+\n$`, r.stderr)
	}
	for i, s := range []struct{ algorithm, topology, want string }{
		{"echo", `{"kind":"graph","edges":[[1,2]]}`, "topology.edges: no path joins 1 and 3"},
		{"echo", `{"kind":"graph","edges":[[1,1],[1,2],[2,3]]}`, "topology.edges[0]: joins 1 to itself"},
		{"echo", `{"kind":"graph","edges":[[1,2],[2,9]]}`, "topology.edges[1]: 9 is not a process"},
		{"echo", `{"kind":"graph","edges":[[1,2],[2,1]]}`, "topology.edges[1]: 2 and 1 are already joined by edges[0]"},
		{"treeelect", `{"kind":"tree","edges":[[1,2],[2,3],[3,1]]}`, "topology.edges[2]: 3 and 1 close a cycle, which a tree cannot have"},
		{"treeelect", `{"kind":"tree","parent":{"1":2,"2":3,"3":1}}`, "topology.parent: every process has a parent, so there is no root"},
		{"treeelect", `{"kind":"tree","parent":{"2":1,"2":3}}`, "scenario.topology.parent.2: given twice"},
		{"treeelect", `{"kind":"tree","parent":{"2":[1,3]}}`, "scenario.topology.parent.2: a list is not an id"},
		{"treeelect", `{"kind":"tree","parent":{"2":1}}`, "topology.parent: 1 and 3 have no parent, but a tree has one root"},
		{"treeelect", `{"kind":"tree","parent":{"2":1,"3":9}}`, "topology.parent.3: 9 is not a process"},
		{"treeelect", `{"kind":"tree","parent":{"2":1,"3":3}}`, "topology.parent.3: a process cannot be its own parent"},
		{"hypercube", `{"kind":"hypercube","dimension":2}`, "topology.dimension: 2 makes 4 processes, not 3"},
		{"hypercube", `{"kind":"hypercube","dimension":70}`, "topology.dimension: 70 is more than 25"},
		{"hypercube", `{"kind":"hypercube","dimension":-1}`, "scenario.topology.dimension: -1 is not a dimension"},
		{"mesh", `{"kind":"mesh","rows":2,"cols":2}`, "topology.rows: 2, a mesh has at least 3"},
		{"mesh", `{"kind":"mesh","rows":-3,"cols":3}`, "scenario.topology.rows: -3 is not a number of rows"},
		{"mesh", `{"kind":"mesh","rows":3,"cols":3}`, "topology: a mesh of 3 x 3 does not have 3 processes"},
	} {
		file := fmt.Sprintf("%d.json", i)
		text := fmt.Sprintf(`{"algorithm":%q,"topology":%s,"ids":[1,2,3]}`, s.algorithm, s.topology)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		for _, driver := range []string{"sim", "run"} {
			refusedByBoth[driver+" --scenario "+file] = "--scenario " + file + ": " + s.want
		}
	}
	two := `{"algorithm":"echo","variant":"implicit","ids":[1,2,3],"initiators":[1,2]}`
	require.NoError(t, os.WriteFile("two.json", []byte(two), 0o600))
	refusedByBoth["sim --scenario two.json"] = "--scenario two.json: initiators: echo/implicit allows one, not 2; by default the root of a tree starts, starts, or else the first process"
	refusedByBoth.test(t)
}

// TestFolderForAGraph: a folder is none.
func TestFolderForAGraph(t *testing.T) {
	elect(t, "", "check", "echo", "--topology", "dot:.").requireLine(t, exit.StatusUsage, `--topology "dot:.": it is a folder, not a file`)
}
