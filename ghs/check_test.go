package ghs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/ghs"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/nodetest"
)

// guarded is a Node that panics where it makes a link a branch that is not in the tree. All that are decided
// know the leader over branches, so there are as many as the tree has.
type guarded struct {
	election.Node
	tree [][2]election.ID
}

// around is the View of one Step.
type around struct{ *election.Env }

func (a around) Self(int) election.Rank                       { return a.Env.Self() }
func (a around) Ports(int) int                                { return a.Env.Ports() }
func (a around) Peer(_ int, port election.Port) election.Rank { return a.Env.Peer(port) }
func (a around) Weight(_ int, port election.Port) uint64      { return a.Env.Weight(port) }

func (g *guarded) Step(e *election.Env, ev *election.Event) {
	const connect = 1
	own := election.NewEnv(around{e}, nil)
	fx := own.Begin(0)
	g.Node.Step(own, ev)
	for _, o := range fx.Sends {
		a, b := e.Self().ID, e.Peer(o.Port).ID
		if o.Msg.Kind == connect && !slices.Contains(g.tree, [2]election.ID{min(a, b), max(a, b)}) {
			panic(fmt.Sprintf("%d-%d is not in the tree", a, b))
		}
		e.Send(o.Port, o.Msg)
	}
	if fx.Decided() {
		e.Decide(fx.Outcome.Leader)
	}
	if fx.Ended() {
		e.Done()
	}
}

// guard returns the algorithm for an election, of which it knows the tree.
func guard(in *scenario.Input) *election.Algorithm {
	a, tree := *in.Algorithm, kruskal(in)
	a.New = func(s election.Setup) election.Node { return &guarded{ghs.Algorithm().New(s), tree} }
	return &a
}

// TestChecked: on every connected graph of up to four, with every order of the weights, in every order of
// messages, the links that are chosen are those of the minimum spanning tree, and one process is elected.
func TestChecked(t *testing.T) {
	// 12 orders of the links of three, up to symmetry, are those of a path and of a triangle; of four
	// 1896 are 79.
	checked(t, 1, true, 83, 29566)
}

// TestCheckedStarts: also where each process starts at any moment, on some of these graphs.
func TestCheckedStarts(t *testing.T) {
	if !*long {
		checked(t, 79, false, 5, 10723)
		return
	}
	checked(t, 16, false, 9, 457444)
}

// checked checks of the graphs of four one in step, and requires how many graphs and states that are.
func checked(t *testing.T, step int, started bool, wantGraphs, wantStates uint64) {
	var graphs, states uint64
	for n := 1; n <= 4; n++ {
		for i, links := range nodetest.Weighted(n) {
			if n == 4 && i%step != 0 {
				continue
			}
			in := scenario.Input{Algorithm: ghs.Algorithm(), Topology: links, IDs: nodetest.Sorted(n)}
			in.Algorithm = guard(&in)
			r, err := check.Run(t.Context(), check.Config{Input: in, Started: started, Reduce: true,
				Workers: 1})
			require.NoError(t, err)
			require.NoError(t, r.Err(), "%v: %v", edges(&in), r.Counterexample)
			require.True(t, r.Exhausted)
			graphs, states = graphs+1, states+r.States
		}
	}
	require.Equal(t, [2]uint64{wantGraphs, wantStates}, [2]uint64{graphs, states})
}

// TestCheckedUnordered: where links do not keep the order, the checker finds that it goes wrong.
func TestCheckedUnordered(t *testing.T) {
	wrong := 0
	for _, links := range nodetest.Weighted(3) {
		in := scenario.Input{Algorithm: ghs.Algorithm(), Topology: links, IDs: nodetest.Sorted(3)}
		in.Algorithm = guard(&in)
		r, err := check.Run(t.Context(), check.Config{Input: in, Started: true, Unordered: true, Workers: 1})
		require.NoError(t, err)
		if r.Counterexample != nil {
			wrong++
		}
	}
	require.Equal(t, 2, wrong)
}
