package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
)

// TestPlan: each kind makes links for an algorithm, as far as it can run there.
func TestPlan(t *testing.T) {
	graph := &election.Algorithm{Topology: election.Graph}
	mesh := &election.Algorithm{Topology: election.Mesh}
	nine := []election.ID{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for kind, links := range map[string]int{
		"ring": 9, "complete": 36, "tree": 8, "path": 8, "star": 8, "randomtree": 8, "grid": 12, "torus": 18,
		"random": 18, "circulant": 18,
	} {
		p := topology.Plan{Kind: kind}
		if kind == "circulant" {
			p.Numbers = []int{1, 2}
		}
		made, err := p.Build(graph, nine, 1)
		require.NoError(t, err, kind)
		require.Equal(t, 2*links, made.Links(), kind)
	}
	p := topology.Plan{Kind: "grid", Rows: 3, Cols: 3}
	made, err := p.Build(mesh, nine, 1)
	require.NoError(t, err)
	require.Equal(t, election.Mesh, made.Shape())

	// The sides are compared with the processes before anything is made.
	p = topology.Plan{Kind: "grid", Rows: 1 << 11, Cols: 1 << 13}
	require.Less(t, testing.AllocsPerRun(1, func() { _, err = p.Build(graph, nine, 1) }), 100.0)
	require.EqualError(t, err, "topology: 2048 x 8192 do not make 9 processes")

	p = topology.Plan{Kind: "hypercube", Numbers: []int{2}}
	made, err = p.Build(graph, nine[:4], 1)
	require.NoError(t, err)
	require.Equal(t, 8, made.Links())
	_, err = p.Build(graph, nine[:8], 1)
	require.EqualError(t, err, "topology: a hypercube of dimension 2 has 2^2 processes, not 8")
	for kind, n := range map[string]int{"hypercube": 8, "random": 9} {
		p := topology.Plan{Kind: kind, Numbers: []int{}}
		_, err := p.Build(graph, nine[:n], 1)
		require.NoError(t, err, kind)
	}
	for kind, want := range map[string]string{
		"hypercube": "topology: 9 processes are not a power of two, up to 2^25",
		"web":       `topology: "web" is not one of ring, `,
	} {
		p := topology.Plan{Kind: kind}
		_, err := p.Build(graph, nine, 1)
		require.ErrorIs(t, err, topology.ErrTopology)
		require.ErrorContains(t, err, want)
	}
}
