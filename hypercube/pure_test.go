package hypercube_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/internal/ringtest"
	"github.com/go-election/election/sim"
)

// twin is a Node that is restored from the state which it shows before every step, in a Node that
// has been used for other states before. It remembers the longest state.
type twin struct {
	fresh   func() election.Node
	state   []byte
	node    election.Node
	clean   []byte
	problem *string
	longest *int
}

func (n *twin) Step(e *election.Env, ev *election.Event) {
	if err := election.RestoreState(n.node, n.state); err != nil {
		*n.problem = err.Error()
	}
	again := n.fresh()
	if err := election.RestoreState(again, n.state); err != nil || !bytes.Equal(n.state, election.AppendState(nil, again)) {
		*n.problem = fmt.Sprintf("%v: the state does not come back", err)
	}
	n.node.Step(e, ev)
	n.state = election.AppendState(nil, n.node)
	*n.longest = max(*n.longest, len(n.state))
	election.ResetState(again)
	if !bytes.Equal(n.clean, election.AppendState(nil, again)) {
		*n.problem = "it is not reset"
	}
}

func (n *twin) State(s *election.State) {
	if err := election.RestoreState(n.node, n.state); err != nil {
		*n.problem = err.Error()
	}
	n.node.State(s)
	n.state = election.AppendState(nil, n.node)
}

// TestPure: the state that a Node shows decides alone what it does, and is never longer than that
// of d-1 delayed duels.
func TestPure(t *testing.T) {
	const fixed, delayed = 1 + 1 + 1 + 4 + 4, 16 + 4 + 1
	for d := range 7 {
		longest, problem := 0, ""
		for seed := range uint64(100) {
			c := cube(t, d, ringtest.Random(1<<d, seed))
			c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, true, seed
			want := elect(t, c)
			alg := *c.Algorithm
			alg.New = func(s election.Setup) election.Node {
				fresh := func() election.Node { return c.Algorithm.New(s) }
				node := fresh()
				clean := election.AppendState(nil, node)
				return &twin{fresh: fresh, node: node, clean: clean, state: clean, problem: &problem, longest: &longest}
			}
			with := c
			with.Algorithm = &alg
			got := elect(t, with)
			require.Empty(t, problem)
			require.Equal(t, want.TraceHash, got.TraceHash)
		}
		require.LessOrEqual(t, longest, fixed+delayed*max(d-1, 0))
	}
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
	c := cube(t, 6, ringtest.Random(64, 1))
	c.Schedule, c.Seed = sim.RandomDelay, 1
	var all []moment
	alg := *c.Algorithm
	alg.New = func(s election.Setup) election.Node {
		p := slices.Index(c.IDs, s.Self.ID)
		return recorder{hypercube.Algorithm().New(s), func(ev election.Event) { all = append(all, moment{p, ev}) }}
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
			election.ResetState(nodes[p])
		}
		worn = append(worn, nodes)
	}
	require.Zero(t, testing.AllocsPerRun(runs, func() {
		replay(worn[0])
		worn = worn[1:]
	}))
}
