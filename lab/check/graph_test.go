package check_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// ExampleNewGraph lists the moves of a small check.
func ExampleNewGraph() {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{2, 1}, Initiators: []election.ID{1}}
	g, err := check.NewGraph(context.Background(), check.Config{Input: in}, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range g.Edges {
		fmt.Printf("%d -> %d: %s, and %s\n", e.From, e.To, g.Moves[e.Move].Words, g.States[e.To].Led())
	}
	// Output:
	// 0 -> 1: 1 starts, and no process leads
	// 1 -> 2: 2 receives election 1 from 1, and no process leads
	// 2 -> 3: 1 receives election 2 from 2, and no process leads
	// 3 -> 4: 2 receives election 2 from 1, and 2 leads
	// 4 -> 5: 1 receives elected 2 from 2, and 2 leads
	// 5 -> 6: 2 receives elected 2 from 1, and 2 leads
}

// graphed returns the graph of a check.
func graphed(t *testing.T, c check.Config, most int) *check.Graph {
	t.Helper()
	g, err := check.NewGraph(t.Context(), c, most)
	require.NoError(t, err)
	return g
}

// TestGraphIsTheSearch: a graph has the states and moves that a check counts, in any of its models.
func TestGraphIsTheSearch(t *testing.T) {
	for name, c := range map[string]check.Config{
		"ring":  {Input: input(find(t, "lcr", "participant", rising(3), nil), rising(3))},
		"lossy": {Input: input(find(t, "lcr", "max", rising(3), nil), rising(3)), Unordered: true},
		"timed": {Input: input(find(t, "bully", "rules", rising(2), nil), rising(2)), Delay: sim.Unit,
			Crashes: 1},
		"paused": {Input: input(find(t, "bully", "rules", rising(2), nil), rising(2)), Delay: 2 * sim.Unit,
			Tick: sim.Unit, Pauses: 1},
		"after": {Input: input(find(t, "lcr", "participant", rising(3), nil), rising(3)),
			After: []scenario.Step{{Do: observe.Start, Process: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, c)
			require.NoError(t, r.Err())
			g := graphed(t, c, 100_000)
			require.Equal(t, []any{r.States, r.Transitions, false},
				[]any{uint64(len(g.States)), uint64(len(g.Edges)), g.Truncated})
			depth := 0
			for at, v := range g.States {
				require.Empty(t, v.Violated)
				require.LessOrEqual(t, depth, v.Depth, "in the breadth")
				depth = v.Depth
				if at%7 == 0 {
					followed(t, c, g, at)
				}
			}
			require.Equal(t, r.Depth, depth)
			require.Equal(t, g, graphed(t, c, 100_000))
		})
	}
}

// followed wants the simulator to take the path to a state, where the same processes lead, and all that
// are up, or not all, to know that the election has ended.
func followed(t *testing.T, c check.Config, g *check.Graph, at int) {
	t.Helper()
	in := c.Input
	require.NoError(t, in.Check())
	steps := append(append([]scenario.Step{}, c.After...), g.Path(at)...)
	s, err := sim.New(sim.Config{Input: in, Steps: steps})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()), steps)
	var leaders []election.ID
	ended := true
	for p, id := range g.IDs {
		if s.Status(p) == sim.Down {
			continue
		}
		ended = ended && s.Ended(p)
		if s.Outcome(p).Role == election.Leader {
			leaders = append(leaders, id)
		}
	}
	require.Equal(t, leaders, g.States[at].Leaders, steps)
	require.Equal(t, ended, g.States[at].Ended, steps)
}

// TestGraphShowsViolations: of each check that finds something wrong, the nearest state with that property in
// the graph is where the counterexample ends, and the graph continues behind it.
func TestGraphShowsViolations(t *testing.T) {
	for name, c := range mistaken(t) {
		if name == "ends" || name == "inside" { // no property of a state; behind very many states
			continue
		}
		trail := run(t, c).Counterexample
		g := graphed(t, c, 4000)
		first := -1
		for at, v := range g.States {
			if v.Violated != "" {
				first = at
				require.Error(t, v.Reason)
				break
			}
		}
		require.GreaterOrEqual(t, first, 0, name)
		require.Equal(t, trail.Property, g.States[first].Violated, name)
		starts := 0
		if c.Started {
			starts = len(c.IDs)
		}
		require.Len(t, g.Path(first), len(trail.Steps)-starts, name)
		require.Less(t, first+1, len(g.States))
	}
	never := check.Property{Name: "never", Kind: verdict.Finally,
		Holds: func(*check.State) bool { return false }}
	c := check.Config{Input: input(find(t, "lcr", "participant", rising(2), nil), rising(2))}
	c.Properties = []check.Property{never}
	for _, v := range graphed(t, c, 1000).States {
		require.Equal(t, v.Last, v.Violated == "never")
		require.True(t, v.Ended || !v.Last)
	}
}

// TestGraphIsTruncated: a graph has no more states than it may have, and says so; none is drawn that is not
// whole.
func TestGraphIsTruncated(t *testing.T) {
	c := check.Config{Input: input(find(t, "lcr", "participant", rising(3), nil), rising(3))}
	whole := graphed(t, c, 249)
	require.False(t, whole.Truncated)
	g := graphed(t, c, 248)
	require.True(t, g.Truncated)
	require.Equal(t, whole.States[:248], g.States)
	require.Less(t, len(g.Edges), len(whole.Edges))
	require.ErrorIs(t, g.WriteDOT(new(bytes.Buffer), ""), election.ErrInput)
	_, err := check.NewGraph(t.Context(), c, 0)
	require.EqualError(t, err, "election: bad input: most: 0 states, at least 1 is needed")
	c.After = []scenario.Step{{Do: observe.Recover, Process: 1}}
	_, err = check.NewGraph(t.Context(), c, 1)
	require.EqualError(t, err, "election: bad input: after: steps[0].do: 1 is not down")
	c.Losses = -7
	_, err = check.NewGraph(t.Context(), c, 1)
	require.ErrorIs(t, err, election.ErrInput)
	large := &check.Graph{States: make([]check.Vertex, check.MostDrawn+1)}
	require.ErrorContains(t, large.WriteDOT(new(bytes.Buffer), ""),
		"states: more than the 5000 that can be drawn")
}

// TestGraphEnds: a graph ends when its context does, between two states, and where a step does not fit.
func TestGraphEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	c := check.Config{Input: input(find(t, "lcr", "participant", rising(5), nil), rising(5))}
	states := 0
	c.Properties = []check.Property{{Name: "counts", Kind: verdict.Always, Holds: func(*check.State) bool {
		if states++; states == 100 {
			cancel(fmt.Errorf("enough"))
		}
		return true
	}}}
	_, err := check.NewGraph(ctx, c, 100_000)
	require.EqualError(t, err, "check: stopped: enough")
	require.Less(t, states, 120, "the successors of one state")

	many := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.Choose(1000)
		}
	})
	_, err = check.NewGraph(t.Context(), many, 100_000)
	require.ErrorIs(t, err, check.ErrTooLarge)
	same := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op != election.Init {
			e.SetTimer(0, second, second)
		}
		if ev.Op == election.Timeout {
			e.Choose(1000) // leads to no other state, so none is expanded after this one
		}
	})
	_, err = check.NewGraph(t.Context(), same, 100_000)
	require.ErrorIs(t, err, check.ErrTooLarge)
}

// TestGraphOfBrokenSteps: a step that breaks a rule marks the state that it leads to.
func TestGraphOfBrokenSteps(t *testing.T) {
	g := graphed(t, toys(election.Ring, 2, func(_ *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.Send(election.Clockwise, ball(0))
		case election.Recv:
			panic("ball")
		}
	}), 100)
	broken := make(map[int]bool)
	for _, e := range g.Edges {
		broken[e.To] = broken[e.To] || strings.Contains(g.Moves[e.Move].Words, "receives")
	}
	marked := 0
	for at, v := range g.States {
		if !broken[at] {
			require.Empty(t, v.Violated, at)
			continue
		}
		marked++
		require.Equal(t, verdict.Sound, v.Violated, at)
		require.ErrorIs(t, v.Reason, observe.ErrPanic, at)
	}
	require.Positive(t, marked)
}

// TestWordsOfMoves: each kind of move has its words.
func TestWordsOfMoves(t *testing.T) {
	all := make(map[string]bool)
	faulty := check.Config{Input: input(find(t, "bully", "rules", rising(2), nil), rising(2)),
		Delay:   sim.Unit,
		Crashes: 1, Recoveries: 1, Restarts: 1, Pauses: 1, Cuts: 1, Losses: 1, Duplicates: 1}
	timers := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start && e.Self().ID == 2:
			e.Refuse(election.ErrInput)
		case ev.Op == election.Start:
			e.Choose(2)
			e.SetTimer(0, second, second)
			e.SetTimer(1, second, second)
		}
	})
	timers.Algorithm.Timers = [][]string{{"the wait"}}
	timers.Algorithm.Faults = election.Faults{Crash: election.StaysDown, Reported: true}
	timers.Crashes, timers.Recoveries = 1, 1
	far := toys(election.Ring, 4, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			n.believe(e, 1)
		}
	})
	far.Initiators, far.Algorithm.Faults.Crash, far.Crashes = ids(3), election.StaysDown, 1
	for _, c := range []check.Config{faulty, timers, far} {
		for _, m := range graphed(t, c, 3000).Moves {
			all[m.Words] = true
			everywhere := strings.Contains(m.Words, "cut") || strings.HasPrefix(m.Words, "time")
			require.Equal(t, everywhere, m.Process == 0, m.Words)
			none := strings.HasPrefix(m.Words, "time") || strings.Contains(m.Words, "refused")
			require.Equal(t, none, len(m.Steps) == 0, m.Words)
		}
	}
	for _, want := range []string{"1 starts", "1 crashes", "time advances by 1",
		"a cut divides 2 from the others",
		"the cut ends", "2 pauses", "2 goes on", "1 comes back without its state",
		"2 comes back with the state that it saved", "1 suspects 2", "alive 2 from 2 to 1 is lost",
		"alive 2 from 2 to 1 is duplicated", "1 receives alive 2 from 2", "2 starts, and is refused",
		"1 starts, draws 1", "1: the wait runs out", "1: timer 1 runs out", "1 trusts 2",
		"3 notices that its leader is down"} {
		require.True(t, all[want], "%s is not one of %v", want, all)
	}
}

// TestWhatIsDrawn: the picture has the words of moves where there is room, colours, and what does not hold.
func TestWhatIsDrawn(t *testing.T) {
	drawn := func(c check.Config) string {
		var b bytes.Buffer
		require.NoError(t, graphed(t, c, 5000).WriteDOT(&b, "a \"title\""))
		return b.String()
	}
	c := check.Config{Input: input(find(t, "lcr", "participant", rising(3), nil), rising(3))}
	large := drawn(c)
	require.Contains(t, large, `label="a \"title\""`)
	require.Contains(t, large, `tooltip="1 starts"`)
	require.NotContains(t, large, `label="1 starts"`)
	require.NotContains(t, large, "fillcolor")
	require.Contains(t, large, "peripheries=2")
	c.Started = true // each run to a state is as long as any other
	require.NotContains(t, drawn(c), "constraint=false")
	c = mistaken(t)["served"]
	small := drawn(c)
	require.Contains(t, small, `fillcolor="#B3261E"`)
	require.Contains(t, small, "; violated: ")
	back := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op != election.Init {
			e.Send(0, ball(1))
		}
	})
	back.Initiators = rising(1)
	require.Contains(t, drawn(back), "constraint=false")
	timed := toys(election.Complete, 2, func(*toy, *election.Env, *election.Event) {})
	timed.Delay, timed.Tick, timed.Window = 1, 1, 1
	coloured := drawn(timed)
	for words, colour := range map[string]string{"1 starts": svg.Blue, "2 starts": svg.Orange,
		"time advances by 0.000000001": svg.Faint} {
		require.Contains(t, coloured, fmt.Sprintf("[color=%q label=%q", colour, words))
	}
}
