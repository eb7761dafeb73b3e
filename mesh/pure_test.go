package mesh_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/graphtest"
	"github.com/go-election/election/internal/ringtest"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/mesh"
)

// TestPure: the state that a Node shows decides alone what it does, and is never longer than that
// of four messages which wait.
func TestPure(t *testing.T) {
	const fixed, waiting = 3 + 1 + 2 + 4, 16 + 4 + 4
	var found graphtest.Twins
	for seed := range uint64(600) {
		rows, cols := 3+int(seed%3), 3+int(seed%4)
		c := grid(t, rows, cols, ringtest.Random(rows*cols, seed))
		c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, true, seed
		if seed%2 == 1 {
			c.Delay = sim.Delay{Distribution: sim.Exponential, Mean: sim.Unit}
		}
		want := elect(t, c)
		with := c
		with.Algorithm = found.Of(c.Algorithm)
		got := elect(t, with)
		require.Empty(t, found.Problem)
		require.Equal(t, want.TraceHash, got.TraceHash)
	}
	require.LessOrEqual(t, found.Longest, fixed+4*waiting)
	require.GreaterOrEqual(t, found.Longest, fixed+3*waiting, "four are rare")
}

// moment is something that has happened to a process.
type moment struct {
	p  int
	ev election.Event
}

// recorder is a Node that tells what happens to it.
type recorder struct {
	election.Node
	tell func(ev election.Event)
}

func (r recorder) Step(e *election.Env, ev *election.Event) {
	r.tell(*ev)
	r.Node.Step(e, ev)
}

// TestNoAllocations replays a run on Nodes that have been through it before.
func TestNoAllocations(t *testing.T) {
	c := grid(t, 4, 5, ringtest.Random(20, 1))
	c.Schedule, c.Seed = sim.RandomDelay, 1
	var all []moment
	alg := *c.Algorithm
	alg.New = func(s election.Setup) election.Node {
		p := slices.Index(c.IDs, s.Self.ID)
		return recorder{mesh.Algorithm().New(s), func(ev election.Event) { all = append(all, moment{p, ev}) }}
	}
	with := c
	with.Algorithm = &alg
	elect(t, with)
	require.NoError(t, c.Check())
	env := election.NewEnv(&c.Input, nil)
	replay := func(nodes []election.Node) {
		for i := range all {
			env.Begin(all[i].p)
			nodes[all[i].p].Step(env, &all[i].ev)
		}
	}
	const runs = 20
	var worn [][]election.Node // one set for each run, and one for the run before them
	for range runs + 1 {
		nodes := make([]election.Node, len(c.IDs))
		for p := range nodes {
			host := c.Node(p)
			nodes[p] = host.Node()
		}
		replay(nodes)
		for p := range nodes {
			new(election.State).Reset(nodes[p])
		}
		worn = append(worn, nodes)
	}
	require.Zero(t, testing.AllocsPerRun(runs, func() {
		replay(worn[0])
		worn = worn[1:]
	}))
}
