package topology_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
)

func TestReadDOT(t *testing.T) {
	for text, want := range map[string]struct {
		ids   []election.ID
		peers string
	}{
		"graph{7}":                         {[]election.ID{7}, "[[]]"},
		"graph { 5 -- 3 -- 9 -- 5; 3--1 }": {[]election.ID{5, 3, 9, 1}, "[[1 2] [0 2 3] [1 0] [1]]"},
		"# made by hand\nstrict graph \"a b\" { // links\n\"5\"--\"3\" /* \n */\n }\n# end": {
			[]election.ID{5, 3}, "[[1] [0]]"},
		"\xef\xbb\xbf\t # after a byte order mark\ngraph {\r\n  # behind blanks\r\n 1 -- 2\n\t#}\n}\n \t#": {[]election.ID{1, 2}, "[[1] [0]]"},
		"strict graph { 1 -- 2 -- 3\n2 -- 1; 3 -- 2 -- 1 }":                                                {[]election.ID{1, 2, 3}, "[[1] [0 2] [1]]"},
		`GRAPH g { Node [shape=circle, style="a;]"; label=x y] edge[] graph [] rankdir=LR; "k" = "v"
			2 [color=red][pos="1,2!"] 1 -- 2 [len=-1.5 weight] ;; 18446744073709551615 -- 1 }`: {
			[]election.ID{2, 1, 18446744073709551615}, "[[1] [0 2] [1]]"},
	} {
		g, ids, err := topology.ReadDOT(strings.NewReader(text), election.Graph)
		require.NoError(t, err, text)
		require.Equal(t, want.ids, ids, text)
		require.Equal(t, want.peers, shown(g), text)
		require.Equal(t, election.Graph, g.Shape())
	}
	tree, _, err := topology.ReadDOT(strings.NewReader("graph {1 -- 2 -- 3}"), election.Tree)
	require.NoError(t, err)
	require.Equal(t, election.Tree, tree.Shape())
}

func TestReadDOTRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    `line 1: the end, where the word graph is needed`,
		"digraph { 1 -> 2 }":                  `line 1: a digraph, whose links lead one way; only a graph can be read`,
		"strict digraph {":                    `line 1: a digraph, whose links lead one way; only a graph can be read`,
		"tree {":                              `line 1: "tree", where the word graph is needed`,
		"graph 1 2":                           `line 1: "2", where { before the first link is needed`,
		"graph {\n1 -- 2\n":                   `line 3: the end, where a process or a link is needed`,
		"graph {} ":                           `line 1: the graph has no processes`,
		"graph { 1 }\n}":                      `line 2: } after the end of the graph`,
		"graph {\n\n1 -> 2 }":                 `line 3: ->, but links are two-way: --`,
		"graph { a -- 2 }":                    `line 1: "a" is not an id, a whole number`,
		"graph { -1 -- 2 }":                   `line 1: "-1" is not an id, a whole number`,
		"graph { 1.5 }":                       `line 1: "1.5" is not an id, a whole number`,
		"graph { 1 -- \n0 }":                  `line 2: 0 is not a valid id`,
		"graph { 18446744073709551616 }":      `line 1: "18446744073709551616" is above the largest id there is`,
		"graph { 1 -- }":                      `line 1: }, where a process is needed`,
		"graph { 1:n -- 2 }":                  `line 1: a port, which is not read`,
		"graph { { 1 2 } -- 3 }":              `line 1: a subgraph, which is not read`,
		"graph { subgraph x { 1 } }":          `line 1: a subgraph, which is not read`,
		"graph { 1 -- { 2 3 } }":              `line 1: a subgraph, which is not read`,
		"graph { 1 -- subgraph { 2 } }":       `line 1: a subgraph, which is not read`,
		"graph { node }":                      `line 1: }, where [ before attributes is needed`,
		"graph { 1 [":                         `line 1: the end, where an attribute or ] is needed`,
		"graph { 1 [a=] }":                    `line 1: ], where the value of an attribute is needed`,
		"graph { 1 [a=<b>] }":                 `line 1: '<' does not belong here`,
		"graph { 1 # 2\n }":                   `line 1: '#' does not belong here`,
		"graph { \"a\" = }":                   `line 1: }, where the value of an attribute is needed`,
		"graph { 1\n/* */ # 2\n }":            `line 2: '#' does not belong here`,
		"\xef\xbb\xbf\xef\xbb\xbfgraph { 1 }": `line 1: "\ufeffgraph", where the word graph is needed`,
		"graph {\n/* 1 }":                     `line 2: a comment begins here and does not end`,
		"graph {\n\"1 }\n\\\"":                `line 2: a name in quotes begins here and does not end`,
		"graph {\n\"1\n1\"}":                  `line 2: "1\n1" is not an id, a whole number`,
		"graph { 1 -- 2\n2 -- 1 }":            `line 2: 2 and 1 are joined already, in line 1`,
		"graph { 1 -- 2 --\n2 }":              `line 2: 2 is joined to itself`,
		"strict graph {1 -- 1 }":              `line 1: 1 is joined to itself`,
		"graph { 1 -- 2; 8 -- 9 }":            `no path joins 1 and 8`,
		"graph { 1; 2 }":                      `no path joins 1 and 2`,
		"graph { " + strings.Repeat("x", 99): `line 1: "` + strings.Repeat("x", 40) +
			`"... is not an id, a whole number`,
	} {
		_, _, err := topology.ReadDOT(strings.NewReader(text), election.Graph)
		require.ErrorIs(t, err, topology.ErrTopology, text)
		require.EqualError(t, err, "topology: "+want, text)
	}
	_, _, err := topology.ReadDOT(strings.NewReader("graph { 1 -- 2 -- 3\n3 -- 1 }"), election.Tree)
	require.EqualError(t, err, "topology: line 2: 3 and 1 close a cycle, which a tree cannot have")
	_, _, err = topology.ReadDOT(iotest.ErrReader(errors.New("the disk is gone")), election.Graph)
	require.EqualError(t, err, "topology: it cannot be read: the disk is gone")
}

// FuzzReadDOT wants any text to be refused in one printable line, or to make a connected graph.
func FuzzReadDOT(f *testing.F) {
	for _, text := range []string{
		"graph g { 1 -- 2 -- \"3\" [a=b, c=\"d\"]; 4 -- 1 /* x */ // y\n}",
		"strict graph { node [a] k=v; 1 }",
		"graph {\n# comment\n 1 -- 1 }", "graph { 1 -- 2 -- 1 }", "graph { 1; 2 }", "digraph{1->2}",
		"graph { subgraph {", `graph { "\"`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, ids, err := topology.ReadDOT(strings.NewReader(text), election.Graph)
		if err == nil {
			require.Equal(t, len(ids), g.Len())
			connected(t, g)
			return
		}
		require.ErrorIs(t, err, topology.ErrTopology)
		line := err.Error()
		require.True(t, utf8.ValidString(line), "%q", line)
		require.Less(t, len(line), 500, "%q", line)
		for _, r := range line {
			require.True(t, unicode.IsPrint(r), "%q", line)
		}
	})
}
