package museum

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

// TestPar: no run shows the mistake of an exercise in fewer steps than Par. The test tries all moves, unless
// there are too many, which a long run finds for two exercises: one has 141,631 states, and of the other one
// 500,000 states show no mistake.
func TestPar(t *testing.T) {
	most, tried, left := 3_000, 0, []string{}
	if *long {
		most = 30_000
	}
	for _, x := range All() {
		if x.NoExercise() != "" {
			continue
		}
		c := x.Config
		c.Started, c.NoAnnouncement = false, false
		g, err := check.NewGraph(t.Context(), c, most)
		require.NoError(t, err, x.ID())
		// Besides steps a way has ticks, and starts that are refused.
		deep := g.States[len(g.States)-1].Depth
		if g.Truncated && (c.Delay > 0 || x.Property == verdict.Ends || deep < x.Par+len(c.IDs)) {
			left = append(left, x.ID())
			continue
		}
		tried++
		ways := waysIn(g)
		if x.Property == verdict.Bounded { // by the messages of a run, which a state does not hold
			ways.all(0, x.Par-1, nil, func(steps []scenario.Step) {
				require.Empty(t, shownBy(t, &c, steps, x.Property), "%s: %v", x.ID(), steps)
			})
		}
		for at := range g.States {
			steps, ok := ways.to(at)
			switch {
			case !ok || len(steps) >= x.Par:
			case x.Property == verdict.Ends:
				again, ok := ways.around(at, x.Par-1-len(steps))
				require.False(t, ok, "%s: %v, and then for ever %v", x.ID(), steps, again)
			case g.States[at].Violated != "":
				// A wrong move may lead to the same state as a right one.
				require.Empty(t, shownBy(t, &c, steps, ""), "%s: %v", x.ID(), steps)
			}
		}
	}
	require.GreaterOrEqual(t, tried, 50, "left: %v", left)
	if *long {
		require.Equal(t, []string{"lease-broken-connection-ends-grant",
			"lease-voter-with-memory-does-not-wait"}, left)
	}
}

// ways are the shortest ways to the states of a graph.
type ways struct {
	graph *check.Graph
	out   [][]check.Edge // by state
	by    []*check.Edge  // by state: the last move of its way
	steps []int          // by state: the steps that lead to it
}

func waysIn(g *check.Graph) *ways {
	w := &ways{g, make([][]check.Edge, len(g.States)), make([]*check.Edge, len(g.States)),
		make([]int, len(g.States))}
	for _, e := range g.Edges {
		w.out[e.From] = append(w.out[e.From], e)
	}
	for todo := []int{0}; len(todo) > 0; todo = todo[1:] {
		for i := range w.out[todo[0]] {
			e := &w.out[todo[0]][i]
			steps := w.steps[e.From] + len(g.Moves[e.Move].Steps)
			if e.To != 0 && (w.by[e.To] == nil || steps < w.steps[e.To]) {
				w.by[e.To], w.steps[e.To] = e, steps
				todo = append(todo, e.To)
			}
		}
	}
	return w
}

// to returns the steps that lead to a state.
func (w *ways) to(at int) (steps []scenario.Step, ok bool) {
	var way []*check.Edge
	for at != 0 {
		if w.by[at] == nil {
			return nil, false
		}
		way, at = append(way, w.by[at]), w.by[at].From
	}
	for _, e := range slices.Backward(way) {
		steps = append(steps, w.graph.Moves[e.Move].Steps...)
	}
	return steps, true
}

// all calls do with each run of some moves, and with each shorter one that goes no further.
func (w *ways) all(from, moves int, steps []scenario.Step, do func([]scenario.Step)) {
	if moves == 0 || len(w.out[from]) == 0 {
		do(steps)
		return
	}
	for _, e := range w.out[from] {
		w.all(e.To, moves-1, slices.Concat(steps, w.graph.Moves[e.Move].Steps), do)
	}
}

// around returns a way from a state back to it of at most some moves.
func (w *ways) around(from, most int) (back []check.Edge, ok bool) {
	if most < 1 {
		return nil, false
	}
	for _, e := range w.out[from] {
		if e.To == from {
			return []check.Edge{e}, true
		}
	}
	type place struct{ at, moves int }
	seen := map[int]bool{from: true}
	for todo := []place{{from, 0}}; len(todo) > 0; todo = todo[1:] {
		if todo[0].moves == most {
			break
		}
		for _, e := range w.out[todo[0].at] {
			if e.To == from {
				return append(back, e), true
			}
			if !seen[e.To] {
				seen[e.To] = true
				todo = append(todo, place{e.To, todo[0].moves + 1})
			}
		}
	}
	return nil, false
}
