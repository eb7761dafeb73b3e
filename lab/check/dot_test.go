package check_test

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
)

// TestDOT is the whole text of a small Graph, but for its colours.
func TestDOT(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			n.believe(e, uint64(n.self.ID))
		}
	})
	var b bytes.Buffer
	require.NoError(t, check.WriteDOT(t.Context(), &b, c))
	require.Equal(t, `digraph {
	label="toy, 2 processes" labelloc=t fontname="sans-serif" ranksep=0.6
	node [shape=circle width=0.3 fontsize=10 fontname="sans-serif" color=#]
	edge [fontsize=8 fontname="sans-serif" arrowsize=0.6]
	subgraph key { rank=source; `+
		`p0 [shape=plaintext label="process 1" fontcolor=#]; `+
		`p1 [shape=plaintext label="process 2" fontcolor=#]; }
	{ rank=same; s0; }
	{ rank=same; s1; s2; }
	{ rank=same; s3; }
	s0 [label="" tooltip="no process leads"]
	s1 [label="1" color=# penwidth=2 tooltip="1 leads"]
	s2 [label="2" color=# penwidth=2 tooltip="2 leads"]
	s3 [label="1,2" peripheries=2 color=# penwidth=2 tooltip="1 and 2 lead"]
	s0 -> s1 [color=# label="1 starts"]
	s0 -> s2 [color=# label="2 starts"]
	s1 -> s3 [color=# label="2 starts"]
	s2 -> s3 [color=# label="1 starts"]
}
`, regexp.MustCompile(`"#[0-9A-F]{6}"`).ReplaceAllString(b.String(), "#"))
	c.Losses = -7
	require.ErrorIs(t, check.WriteDOT(t.Context(), &b, c), election.ErrInput)
}
