package bridge_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/page/bridge"
)

type found struct {
	Words                 string
	States, Depth, Length int
	More                  int
	Exhausted             bool
	Stopped, Property     string
	Reason, Outside       string
	Verdicts              []struct {
		Property, Words string
		Holds           *bool
	}
	Counterexample json.RawMessage
}

// checked checks a scenario, and returns the number of reports too.
func checked(t *testing.T, b *bridge.Bridge, args object) (f found) {
	t.Helper()
	ask(t, b, "check", args, &f)
	return f
}

// TestCheck: in all orders, within a budget, and after a step of a run.
func TestCheck(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lcr", "n": 3, "delay": "random", "seed": 4})
	all := checked(t, &b, object{"scenario": text})
	require.Equal(t, []any{249, true, ""}, []any{all.States, all.Exhausted, all.Property})
	words := make(map[string]string)
	for _, v := range all.Verdicts {
		require.True(t, *v.Holds, v.Words)
		words[v.Property] = v.Words
	}
	require.Equal(t, []string{"in every state: one leader per Term", "in the end: all live processes follow one leader",
		"in some state: a process leads", "every run ends"}, []string{words["one-leader-a-term"],
		words["agreement"], words["leads"], words["ends"]})
	film, _ := film(t, &b, text)
	steps := len(film.Steps.Do)
	require.Equal(t, 1, checked(t, &b, object{"scenario": text, "after": steps}).States)
	some := checked(t, &b, object{"scenario": text, "after": steps - 4})
	require.True(t, some.Exhausted)
	require.Less(t, some.States, 20)
	require.Greater(t, some.States, 1)

	few := checked(t, &b, object{"scenario": text, "budget": object{"states": 50}})
	require.False(t, few.Exhausted)
	require.Contains(t, few.Stopped, "not every state was visited")
	require.Equal(t, []int{500, 0}, []int{few.More, all.More})
	few = checked(t, &b, object{"scenario": text, "budget": object{"states": few.More}})
	require.Equal(t, []any{true, 0}, []any{few.Exhausted, few.More})

	// The check does not model how long a pause or a cut lasts, and states its assumption.
	const goesOn = "Processes that are paused or cut off at this step are assumed to continue later."
	for what, act := range map[string]object{"pause": {"process": 1}, "cut": {"groups": [][]int{{1}}},
		"crash": {"process": 1}} {
		act["after"], act["do"] = 6, what
		stopped := object{"algorithm": "lcr", "ids": []int{1, 3, 2}, "acts": []object{act}}
		require.NotContains(t, checked(t, &b, object{"scenario": stopped, "after": 6}).Words, goesOn)
		words := checked(t, &b, object{"scenario": stopped, "after": 9}).Words
		require.Equal(t, what != "crash", strings.Contains(words, goesOn), "%s: %s", what, words)
	}

	// Leases last longer by the error of the clocks that they allow for.
	text = asked(t, &b, object{"algorithm": "lease", "n": 3, "params": object{"lease": 4}})
	require.Contains(t, checked(t, &b, object{"scenario": text}).Stopped, "a drift of 0")
	text = asked(t, &b, object{"algorithm": "lease", "n": 3, "params": object{"drift": 0}})
	lease := checked(t, &b, object{"scenario": text})
	require.Equal(t, []any{true, ""}, []any{lease.Exhausted, lease.Property})

	// A run between units of time has no place in a check that counts them.
	text = asked(t, &b, object{"algorithm": "modbully", "n": 3, "delay": "random", "seed": 4})
	args, err := json.Marshal(object{"scenario": text, "after": 9})
	require.NoError(t, err)
	_, err = b.Call(t.Context(), "check", args, nil)
	require.ErrorContains(t, err, "take delays of one unit each")

	text = asked(t, &b, object{"algorithm": "lease", "n": 3, "params": object{"drift": 0}, "until": 20})
	args, err = json.Marshal(object{"scenario": text, "after": 12})
	require.NoError(t, err)
	_, err = b.Call(t.Context(), "check", args, nil)
	require.ErrorContains(t, err, "here timers run out within one: ask at an earlier step")

	text = asked(t, &b, object{"algorithm": "lcr", "n": 3, "delay": "random", "seed": 4})
	lost := checked(t, &b, object{"scenario": text, "budget": object{"losses": 1}})
	require.NotEmpty(t, lost.Property)
	require.Contains(t, lost.Outside, "messages are lost")
	require.Positive(t, lost.Length)
	_, head := shown(t, &b, lost.Counterexample)
	require.Contains(t, head, "violated: ")
}

// shown returns the steps of the film of a counterexample, and its result.
func shown(t *testing.T, b *bridge.Bridge, text json.RawMessage) (steps int, result string) {
	t.Helper()
	f, head := film(t, b, text)
	return len(f.Steps.Do), head.Result
}

// TestCheckWhatNeverRests: what counts on time and has no end is checked for some time.
func TestCheckWhatNeverRests(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lease", "n": 2})
	f := checked(t, &b, object{"scenario": text, "budget": object{"states": 3000}})
	require.Empty(t, f.Property)
	text = asked(t, &b, object{"algorithm": "bully", "params": object{"heartbeat": 2}, "n": 2})
	f = checked(t, &b, object{"scenario": text, "after": 3, "budget": object{"states": 3000, "until": 6}})
	require.Empty(t, f.Property)
}

// TestCheckOfWrongClocks: a check of a run with drifting clocks has the same clocks, and so has its
// counterexample. If time is not modeled, clocks make no difference.
func TestCheckOfWrongClocks(t *testing.T) {
	var b bridge.Bridge
	setting := object{"algorithm": "lease", "params": object{"lease": 2, "renew": 1, "delay": 1},
		"ids": []int{1, 2, 3}, "clock_rates": [][]float64{{2, 4}}}
	f := checked(t, &b, object{"scenario": setting, "budget": object{"until": 12}})
	require.Equal(t, "one-lease", f.Property)
	require.Contains(t, string(f.Counterexample), `"clock_rates":[[2,4]]`)
	var v struct{ Property string }
	ask(t, &b, "broken", object{"scenario": f.Counterexample}, &v)
	require.Equal(t, f.Property, v.Property)

	drifting := object{"algorithm": "lcr", "ids": []int{1, 2, 3}, "clock_rates": [][]float64{{1, 2}}}
	require.Empty(t, checked(t, &b, object{"scenario": drifting}).Property)
}

// TestBrokenWithoutEnd: a run without end, which no film holds to its end, is judged by its beginning.
func TestBrokenWithoutEnd(t *testing.T) {
	var b bridge.Bridge
	for variant, want := range map[string]string{
		"lcr-maximum-passed-before-own-id-looked": "bounded", // before that it leads back
		"itairodeh-generators-same-seed":          "ends",
	} {
		text := asked(t, &b, object{"algorithm": "museum/" + variant})
		var v struct{ Property string }
		ask(t, &b, "broken", object{"scenario": text}, &v)
		require.Equal(t, want, v.Property, variant)
		var less struct {
			Property string
			Steps    []object
		}
		ask(t, &b, "shrink", object{"scenario": text}, &less)
		require.Less(t, len(less.Steps), 200, variant)
		require.Equal(t, want, less.Property)
	}
	// No violation is known here: the run has more steps than are judged.
	text := asked(t, &b, object{"algorithm": "museum/lease-broken-connection-ends-grant"})
	for _, call := range []string{"broken", "shrink"} {
		args, err := json.Marshal(object{"scenario": text})
		require.NoError(t, err)
		_, err = b.Call(t.Context(), call, args, nil)
		require.EqualError(t, err, "election: bad input: scenario: the run has more than 20000 steps, "+
			"and the first 20000 violate nothing")
	}
}

// TestMuseumIsJudged: each run of the museum can be judged, whatever its mistake does to an Event.
func TestMuseumIsJudged(t *testing.T) {
	var b bridge.Bridge
	judged := 0
	for _, x := range museum.All() {
		args, err := json.Marshal(object{"algorithm": "museum/" + x.ID()})
		require.NoError(t, err)
		r, err := b.Call(t.Context(), "scenario", args, nil)
		if err != nil {
			continue // a scenario cannot express it, such as the links of some graphs
		}
		args, err = json.Marshal(object{"scenario": json.RawMessage(r.JSON)})
		require.NoError(t, err)
		if _, err := b.Call(t.Context(), "broken", args, nil); err != nil {
			require.ErrorContains(t, err, "the first 20000 violate nothing", x.ID())
		}
		judged++
	}
	require.GreaterOrEqual(t, judged, 100)
}

// TestGraph: the states of a check with the moves between them, and the way to each.
func TestGraph(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lcr", "n": 3})
	var g struct {
		States []struct {
			X       float64
			Depth   int
			Leaders []string
			Last    bool
			By      string
		}
		Edges      [][3]int
		Ends       []struct{ State, Count int }
		Deep, Wide int
		Truncated  bool
	}
	ask(t, &b, "graph", object{"scenario": text}, &g)
	require.Len(t, g.States, 249)
	require.False(t, g.Truncated)
	lasts, rows, places := 0, make([]int, g.Deep+1), map[[2]float64]bool{}
	for i, s := range g.States {
		rows[s.Depth]++
		place := [2]float64{s.X, float64(s.Depth)}
		require.False(t, places[place], "two states stand at %v", place)
		places[place] = true
		require.True(t, s.X > 0 && s.X < 1)
		require.Equal(t, s.Depth > 0, s.By != "")
		if !s.Last {
			continue
		}
		lasts++
		require.Equal(t, []string{"3"}, s.Leaders)
		way := json.RawMessage(ask(t, &b, "path", object{"scenario": text, "state": i}, nil).JSON)
		steps, result := shown(t, &b, way)
		require.Equal(t, 3+s.Depth, steps, "three begin")
		require.Contains(t, result, "3 leads")
	}
	require.Equal(t, slices.Max(rows), g.Wide)
	require.Positive(t, slices.Min(rows))
	require.Len(t, g.Ends, 1)
	require.Equal(t, lasts, g.Ends[0].Count)
	require.True(t, g.States[g.Ends[0].State].Last)
	for _, e := range g.Edges {
		require.LessOrEqual(t, g.States[e[1]].Depth, g.States[e[0]].Depth+1)
		require.Contains(t, []int{0, 1, 2}, e[2])
	}
	ask(t, &b, "graph", object{"scenario": text, "most": 100}, &g)
	require.True(t, g.Truncated)
	ask(t, &b, "graph", object{"scenario": text, "after": 8}, &g)
	require.Less(t, len(g.States), 249)
	way := json.RawMessage(ask(t, &b, "path", object{"scenario": text, "after": 8, "state": 0}, nil).JSON)
	steps, _ := shown(t, &b, way)
	require.Equal(t, 8, steps)
}

// TestShrink: a run with acts that violates a property becomes one of fewer steps that does.
func TestShrink(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lcr", "n": 4, "delay": "random", "seed": 2})
	require.JSONEq(t, "null", string(ask(t, &b, "broken", object{"scenario": text}, nil).JSON))
	_, head := film(t, &b, text)
	require.True(t, head.OK)
	for step := 9; step <= 15; step += 3 {
		var all []struct{ Act object }
		ask(t, &b, "pending", object{"scenario": text, "step": step}, &all)
		if lose := all[0].Act; lose["do"] == "deliver" {
			lose["do"] = "lose"
			text = act(t, &b, text, step, lose).Scenario
		}
	}
	var was struct{ Property, Words, Reason string }
	ask(t, &b, "broken", object{"scenario": text}, &was)
	require.NotEmpty(t, was.Property)
	before, _ := shown(t, &b, text)
	less := json.RawMessage(ask(t, &b, "shrink", object{"scenario": text}, nil).JSON)
	after, result := shown(t, &b, less)
	require.Less(t, after, before)
	require.Equal(t, "violated: "+was.Words, result)
	var is struct{ Property string }
	ask(t, &b, "broken", object{"scenario": less}, &is)
	require.Equal(t, was.Property, is.Property)

	args := `{"scenario": ` + string(asked(t, &b, object{"algorithm": "lcr", "n": 3})) + `}`
	_, err := b.Call(t.Context(), "shrink", []byte(args), nil)
	require.ErrorContains(t, err, "steps: they violate no property")
}
