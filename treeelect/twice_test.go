package treeelect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/treeelect"
)

// tree returns a tree that there is.
func tree(t *testing.T) func(tree topology.Topology, err error) topology.Topology {
	return func(tree topology.Topology, err error) topology.Topology {
		require.NoError(t, err)
		return tree
	}
}

// TestTwice: messages that come twice do not disturb saturation, however many links a process has.
func TestTwice(t *testing.T) {
	must := tree(t)
	trees := []topology.Topology{must(topology.Star(5)), must(topology.Star(33)), must(topology.Star(34)),
		must(topology.Star(150))}
	for seed := range uint64(100) {
		trees = append(trees, must(topology.RandomTree(30, seed)))
	}
	for i, tree := range trees {
		n := tree.Len()
		in := nodetest.Input(treeelect.Saturation(), tree, nodetest.Sorted(n))
		in.Initiators, in.Faults = nil, fault.Plan{Duplicate: 0.5}
		r, err := sim.Run(t.Context(), sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: uint64(i)})
		require.NoError(t, err)
		require.EqualValues(t, n, r.Leader)
	}
}

// TestManyLinks: what a process with many links has heard is saved, and forgotten when an election is void.
func TestManyLinks(t *testing.T) {
	in := nodetest.Input(treeelect.Saturation(), tree(t)(topology.Star(150)), nodetest.Sorted(150))
	require.NoError(t, in.Check())
	env := election.NewEnv(&in, nil)
	node := in.Algorithm.New(in.Setup(0))
	fresh := new(election.State).Append(nil, node)
	for _, port := range []election.Port{0, 31, 32, 148} {
		env.Begin(0)
		node.Step(env, &election.Event{Op: election.Recv, Port: port, Msg: message(kReport, larger)})
	}
	saved := new(election.State).Append(nil, node)
	require.Len(t, saved, len(fresh)+4*4, "ports 32 to 159 take four words")
	for range 2 { // the second time it has more than it needs
		require.NoError(t, new(election.State).Restore(node, saved))
		require.Equal(t, saved, new(election.State).Append(nil, node))
		for _, port := range []election.Port{31, 32, 148} {
			env.Begin(0)
			node.Step(env, &election.Event{Op: election.Recv, Port: port, Msg: message(kReport, larger)})
		}
		require.Equal(t, saved, new(election.State).Append(nil, node), "they have been heard")
		new(election.State).Reset(node)
		require.Equal(t, fresh, new(election.State).Append(nil, node))
		node = in.Algorithm.New(in.Setup(0))
	}
}

// TestEnded: a message that comes again after the end changes nothing.
func TestEnded(t *testing.T) {
	in := nodetest.Input(treeelect.Root(), tree(t)(topology.Path(2)), nodetest.Sorted(2))
	require.NoError(t, in.Check())
	env := election.NewEnv(&in, nil)
	node := as(in.Algorithm, true, election.NoPort).New(in.Setup(0))
	done := election.Event{Op: election.Recv, Msg: message(kDone)}
	for _, ev := range []election.Event{{Op: election.Start},
		{Op: election.Recv, Msg: message(kReport, larger)}, done} {
		env.Begin(0)
		node.Step(env, &ev)
	}
	ended := new(election.State).Append(nil, node)
	require.Empty(t, env.Begin(0).Sends)
	node.Step(env, &done)
	require.Equal(t, ended, new(election.State).Append(nil, node))
}
