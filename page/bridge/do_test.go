package bridge_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/page/bridge"
)

type branch struct {
	Scenario json.RawMessage
	Outside  string
}

func act(t *testing.T, b *bridge.Bridge, text json.RawMessage, step int, what object) (done branch) {
	t.Helper()
	ask(t, b, "do", object{"scenario": text, "step": step, "act": what}, &done)
	return done
}

// TestActs: five acts, at random steps, of what is pending and of faults, give the hash that a command makes
// of the scenario, for every variant under three settings. Until the act the run is what it was.
func TestActs(t *testing.T) {
	for _, a := range catalog.All() {
		for name, short := range settings(a) {
			t.Run(a.Title()+" "+name, func(t *testing.T) {
				var b bridge.Bridge
				text := asked(t, &b, short)
				random := rand.New(rand.NewPCG(7, uint64(len(name))))
				acts, from := 0, 0
				for try := 0; acts < 5 && try < 40; try++ {
					f, _ := film(t, &b, text)
					step := from + random.IntN(len(f.Steps.Do)-from)
					next, ok := drawn(t, &b, random, text, step)
					if !ok {
						continue
					}
					g, head := film(t, &b, next)
					require.Equal(t, simulated(t, next), head.Hash)
					for i := range f.Steps.Do[:step] {
						require.Equal(t, f.Steps.At[i], g.Steps.At[i])
						require.Equal(t, f.Steps.Process[i], g.Steps.Process[i])
					}
					text, from = next, step
					acts++
				}
				require.Equal(t, 5, acts)
			})
		}
	}
}

// film returns the film of a scenario.
func film(t *testing.T, b *bridge.Bridge, text json.RawMessage) (*trace.Film, *trace.FilmHead) {
	t.Helper()
	f, err := trace.ReadFilm(ask(t, b, "film", object{"scenario": text}, nil).Data)
	require.NoError(t, err)
	return f, &f.Head
}

// drawn does something at random after a step, if that is possible.
func drawn(t *testing.T, b *bridge.Bridge, random *rand.Rand, text json.RawMessage,
	step int) (json.RawMessage,
	bool) {
	t.Helper()
	var pending []struct {
		Act     object
		Refused string
	}
	ask(t, b, "pending", object{"scenario": text, "step": step}, &pending)
	what := object{"do": "pause", "process": 1 + random.IntN(4)}
	switch kind := random.IntN(6); {
	case kind == 0:
		what["do"] = "crash"
	case kind == 1:
		what = object{"do": "cut", "groups": [][]int{{1}}, "one_way": true}
	case len(pending) == 0:
	default:
		p := pending[random.IntN(len(pending))]
		if p.Refused != "" {
			return nil, false
		}
		what = p.Act
		if what["do"] == "deliver" && kind < 4 {
			what["do"] = []string{"lose", "duplicate"}[random.IntN(2)]
		}
	}
	args, err := json.Marshal(object{"scenario": text, "step": step, "act": what})
	require.NoError(t, err)
	reply, err := b.Call(t.Context(), "do", args, nil)
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		return nil, false
	}
	var done branch
	require.NoError(t, json.Unmarshal(reply.JSON, &done))
	return done.Scenario, true
}

// simulated returns the hash that elect sim gives for a scenario.
func simulated(t *testing.T, text json.RawMessage) string {
	t.Helper()
	all, err := scenario.Read(strings.NewReader(string(text)))
	require.NoError(t, err)
	c, err := sim.FromScenario(all[0], catalog.Find)
	require.NoError(t, err)
	c.Force = true
	r, _ := sim.Run(t.Context(), c)
	return report.Hash(r.TraceHash).String()
}

// TestOutside: an act that leaves the model of the algorithm is marked as such, before it is done and in the
// film.
func TestOutside(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lcr", "ids": []int{2, 3, 1}})
	done := act(t, &b, text, 6, object{"do": "lose", "process": 1, "port": 1})
	require.Contains(t, done.Outside, "promises nothing if messages are lost")
	f, head := film(t, &b, done.Scenario)
	require.Equal(t, []trace.FilmOutside{{Step: 7, Why: done.Outside}}, head.Outside)
	require.Equal(t, "lose", head.Does[f.Steps.Do[6]])
	require.False(t, head.OK)
	require.Equal(t, "elect sim --scenario lcr-participant.json", head.Command)
	var words []string
	ask(t, &b, "words", object{"scenario": done.Scenario, "from": 7, "to": 7}, &words)
	require.Equal(t, []string{"election 3 from 3 to 1 is lost"}, words)

	// A later act comes behind it; one at an earlier step takes its place.
	crash := object{"do": "crash", "process": 1}
	both := act(t, &b, done.Scenario, 8, crash)
	require.Equal(t, 2, strings.Count(string(both.Scenario), `"after"`))
	first := act(t, &b, both.Scenario, 3, crash)
	require.Equal(t, 1, strings.Count(string(first.Scenario), `"after"`))
	var states []processState
	ask(t, &b, "fields", object{"scenario": first.Scenario, "step": 4, "process": 1}, &states)
	require.Equal(t, "false", states[0].value("participates"), "it crashes before it starts")

	_,
		err := b.Call(t.Context(), "do",
		[]byte(`{"step": 3, "act": {"do": "resume", "process": 1}, "scenario": `+
			string(text)+`}`), nil)
	require.ErrorContains(t, err, "resume: 1 is not paused")
}

// TestByHand: nothing happens but acts, and what they bring.
func TestByHand(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lcr", "n": 2, "delay": "hand"})
	steps := 0
	for turn := 0; ; turn++ {
		f, head := film(t, &b, text)
		steps = len(f.Steps.Do)
		var pending []struct{ Act object }
		ask(t, &b, "pending", object{"scenario": text, "step": steps}, &pending)
		if len(pending) == 0 {
			require.Equal(t, "2 leads after 5 units, 5 messages in all", head.Result)
			require.Equal(t, simulated(t, text), head.Hash)
			break
		}
		require.Less(t, turn, 20)
		text = act(t, &b, text, steps, pending[0].Act).Scenario
	}
	require.Equal(t, 9, steps)
}

// TestWordsNameFields: the list of what may happen, and the words of what has happened, call the fields of a
// message as its algorithm does.
func TestWordsNameFields(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "hs", "n": 3})
	var pending []struct{ Words string }
	ask(t, &b, "pending", object{"scenario": text, "step": 6}, &pending)
	var words []string
	for _, p := range pending {
		words = append(words, p.Words)
	}
	require.Regexp(t, `probe \d hops 1`, strings.Join(words, "\n"))
	ask(t, &b, "words", object{"scenario": text, "from": 1, "to": 20}, &words)
	require.Regexp(t, `probe 3 phase 1 hops 2`, strings.Join(words, "\n"))
	require.NotRegexp(t, ` (value|round) \d`, strings.Join(words, "\n"))
}

// TestActInSteps: acts can continue a run that the steps of a counterexample determine.
func TestActInSteps(t *testing.T) {
	var b bridge.Bridge
	text := json.RawMessage(`{"algorithm": "lcr", "ids": [1, 2], "property": "no-change", "steps": [
		{"do": "start", "process": 2}, {"do": "deliver", "process": 1, "port": 1},
		{"do": "deliver", "process": 2, "port": 1}]}`)
	f, _ := film(t, &b, text)
	require.Len(t, f.Steps.Do, 5)
	done := act(t, &b, text, 4, object{"do": "lose", "process": 2, "port": 1})
	g, head := film(t, &b, done.Scenario)
	require.Equal(t, f.Steps.Do[:4], g.Steps.Do[:4])
	require.Equal(t, "lose", head.Does[g.Steps.Do[4]])
	require.NotContains(t, string(done.Scenario), "property")
}

// TestActReplacesLaterOnes: an act at a step replaces all later acts of the run. The first events of all
// processes are one turn of the simulator, during which no act happens, so it also replaces an act with a
// smaller number.
func TestActReplacesLaterOnes(t *testing.T) {
	var b bridge.Bridge
	text := json.RawMessage(`{"algorithm":"lcr","variant":"participant","ids":[1,2,3],"schedule":"unit",` +
		`"acts":[{"after":2,"do":"pause","process":2},{"after":7,"do":"resume","process":2}]}`)
	for step, kept := range map[int]int{0: 0, 2: 0, 3: 0, 4: 1, 9: 2} {
		var s struct{ Acts []struct{ Do string } }
		next := act(t, &b, text, step, object{"do": "crash", "process": 1}).Scenario
		require.NoError(t, json.Unmarshal(next, &s))
		require.Len(t, s.Acts, kept+1, "step %d", step)
		require.Equal(t, "crash", s.Acts[kept].Do)
		film(t, &b, next)
	}
}

// TestTwoActsInTheFirstSteps: the first events of all processes are one turn of the simulator, and an
// act among them comes after all. The next one, at a later step of these, takes its place.
func TestTwoActsInTheFirstSteps(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lcr/participant", "n": 4})
	for first := range 4 {
		for second := first; second < 4; second++ {
			once := act(t, &b, text, first, object{"do": "crash", "process": 1})
			twice := act(t, &b, once.Scenario, second, object{"do": "crash", "process": 1})
			require.JSONEq(t, string(once.Scenario), string(twice.Scenario), "%d, %d", first, second)
			film(t, &b, twice.Scenario)
		}
	}
}

// TestRefusedActChangesNothing: an impossible act changes no step, even at the beginning, when it would begin
// the run.
func TestRefusedActChangesNothing(t *testing.T) {
	for name, short := range map[string]object{
		"arbiter": {"algorithm": "mutex/ricartagrawala", "n": 3}, "ring": {"algorithm": "lcr/participant",
			"n": 3},
	} {
		var b bridge.Bridge
		text := asked(t, &b, short)
		for step := range 4 {
			look := object{"scenario": text, "step": step}
			fields := ask(t, &b, "fields", look, nil).JSON
			pending := ask(t, &b, "pending", look, nil).JSON
			args, err := json.Marshal(object{"scenario": text, "step": step,
				"act": object{"do": "resume", "process": 1}})
			require.NoError(t, err)
			_, err = b.Call(t.Context(), "do", args, nil)
			require.ErrorContains(t, err, "resume", name)
			require.JSONEq(t, string(fields), string(ask(t, &b, "fields", look, nil).JSON), "%s %d", name,
				step)
			require.JSONEq(t, string(pending), string(ask(t, &b, "pending", look, nil).JSON), "%s %d", name,
				step)
		}
	}
}
