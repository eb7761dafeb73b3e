package bridge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/local"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/page/bridge"
)

type field struct{ Name, Value string }

type processState struct {
	Process  string
	Machines []struct {
		Type   string
		Fields []field
		Timers []struct {
			Timer uint8
			Name  string
			Due   float64
		}
	}
}

func (s *processState) value(name string) string {
	for _, m := range s.Machines {
		for _, f := range m.Fields {
			if f.Name == name {
				return f.Value
			}
		}
	}
	return "no such field"
}

func fieldsAt(t *testing.T, b *bridge.Bridge, text json.RawMessage, step int) (all []processState) {
	t.Helper()
	ask(t, b, "fields", object{"scenario": text, "step": step}, &all)
	return all
}

// TestFieldsOfSteps: the fields after each step are the state that the step has left, also if several steps
// are one turn of the simulator, and in any order of calls.
func TestFieldsOfSteps(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lcr", "ids": []int{2, 3, 1}})
	participates := func(step int) (all []string) {
		for _, s := range fieldsAt(t, &b, text, step) {
			all = append(all, s.value("participates"))
		}
		return all
	}
	require.Equal(t, []string{"false", "false", "false"}, participates(0))
	require.Equal(t, []string{"false", "false", "false"}, participates(3), "three have begun")
	require.Equal(t, []string{"true", "false", "false"}, participates(4), "2 starts")
	require.Equal(t, []string{"true", "true", "true"}, participates(6))
	require.Equal(t, []string{"true", "true", "false"}, participates(5), "back")
	require.Equal(t, "true", fieldsAt(t, &b, text, 14)[1].value("won"))
	var one []processState
	ask(t, &b, "fields", object{"scenario": text, "step": 4, "process": "2"}, &one)
	require.Len(t, one, 1)
	require.Equal(t, "lcr.participant", one[0].Machines[0].Type)
	require.Equal(t, field{"me", "2"}, one[0].Machines[0].Fields[0])
	require.Equal(t, "election.TermKeeper", one[0].Machines[1].Type)
	require.Equal(t, "1", one[0].value("term"))
}

// TestFieldsOfAll: every variant shows the fields of its machines, at random steps as after walking there.
func TestFieldsOfAll(t *testing.T) {
	for _, a := range catalog.All() {
		var b bridge.Bridge
		text := asked(t, &b, settings(a)["faults"])
		var head trace.FilmHead
		reply := ask(t, &b, "film", object{"scenario": text}, &head)
		f, err := trace.ReadFilm(reply.Data)
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(1, 2))
		for range 6 {
			step := random.IntN(len(f.Steps.Do) + 1)
			all := fieldsAt(t, &b, text, step)
			require.Equal(t, all, fieldsAt(t, new(bridge.Bridge), text, step), "%s, step %d", a.Title(), step)
			require.Len(t, all, len(head.IDs))
			for _, s := range all {
				require.NotEmpty(t, s.Machines, a.Title())
				for _, m := range s.Machines {
					require.NotEmpty(t, m.Fields, "%s %s", a.Title(), m.Type)
					require.NotContains(t, m.Type, "stack")
				}
			}
		}
	}
}

// TestFieldsOfAStack: each machine of a stack is shown, with the timers of its layer by their names.
func TestFieldsOfAStack(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "mutex/arbiter", "n": 3, "params": object{"election": "bully"}})
	names, types := make(map[string]bool), make(map[string]bool)
	for step := 1; step < 28; step += 3 {
		for _, s := range fieldsAt(t, &b, text, step) {
			for _, m := range s.Machines {
				types[m.Type] = true
				for _, running := range m.Timers {
					names[m.Type+": "+running.Name] = true
				}
			}
		}
	}
	require.True(t, types["mutex.arbiter"] && types["bully.process"] && len(types) == 2, types)
	require.True(t, names["bully.process: the wait for answers"], names)
}

// TestTimersByPurpose: machines that use one timer for all deadlines tell which one is next, in the state of a process
// and in the list of what may happen next.
func TestTimersByPurpose(t *testing.T) {
	for algorithm, want := range map[string][]string{
		"lease":      {"its lease", "the wait until it renews", "the loan of its vote", "the wait for votes that are lent"},
		"storelease": {"the wait until it renews", "the wait until it reads the record", "the wait for the store"},
	} {
		var b bridge.Bridge
		text := asked(t, &b, object{"algorithm": algorithm, "n": 4, "order": "sorted", "until": 300})
		text = act(t, &b, text, 40, object{"do": "cut", "groups": [][]int{{4}, {1, 2, 3}}}).Scenario
		f, _ := film(t, &b, text)
		found := make(map[string]bool)
		for step := 1; step <= len(f.Steps.Do); step += 3 {
			for _, s := range fieldsAt(t, &b, text, step) {
				for _, m := range s.Machines {
					for _, running := range m.Timers {
						found[running.Name] = true
					}
				}
			}
			var all []struct{ Words string }
			ask(t, &b, "pending", object{"scenario": text, "step": step}, &all)
			for _, next := range all {
				require.NotContains(t, next.Words, "deadline")
			}
		}
		require.Subset(t, slices.Collect(maps.Keys(found)), want)
		require.NotContains(t, found, "the next deadline")
	}
}

// TestFieldsInWords: ports are the processes behind them, times are in units.
func TestFieldsInWords(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "inquiry/naive", "ids": []int{7, 8, 9}})
	seen := make(map[string]bool)
	for step := range 20 {
		for _, s := range fieldsAt(t, &b, text, step) {
			seen[s.Process+" "+s.value("acks")] = true
		}
	}
	require.True(t, seen["7 []"] && seen["8 [0 (to 7)]"], "%v", seen)
	text = asked(t, &b, object{"algorithm": "modbully", "n": 3})
	s := fieldsAt(t, &b, text, 3)[0]
	require.Equal(t, []string{"none", "0 (to 2)", "0"}, []string{s.value("suspect"), s.value("port"),
		s.value("longest")})
	// A constant has its type, also in a list: the page knows the names.
	text = asked(t, &b, object{"algorithm": "mutex/ricartagrawala", "n": 3})
	m := fieldsAt(t, &b, text, 5)[0]
	require.Contains(t, m.value("seats"), "phase mutex.phase(1)")
	text = asked(t, &b, object{"algorithm": "ghs", "n": 3})
	require.Equal(t, "ghs.state(2)", fieldsAt(t, &b, text, 5)[0].value("state"))
}

// TestPending: what is pending after a step is what happens next, in the words of the step.
func TestPending(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "bully", "n": 4, "initiators": []int{1}})
	var head trace.FilmHead
	f, err := trace.ReadFilm(ask(t, &b, "film", object{"scenario": text}, &head).Data)
	require.NoError(t, err)
	var words []string
	ask(t, &b, "words", object{"scenario": text, "from": 1, "to": 999}, &words)
	type pending struct {
		Act struct {
			Do      string
			Process election.ID
		}
		Due, From, To float64
		Words         string
		Message       *struct{ Kind string }
	}
	seen := 0
	for step := 5; step < len(f.Steps.Do); step++ {
		var all []pending
		ask(t, &b, "pending", object{"scenario": text, "step": step}, &all)
		require.NotEmpty(t, all)
		first := all[0]
		require.Equal(t, f.Head.Does[f.Steps.Do[step]], first.Act.Do)
		require.EqualValues(t, head.IDs[f.Steps.Process[step]], fmt.Sprint(first.Act.Process))
		require.InDelta(t, f.Steps.At[step], first.Due, 1e-9)
		require.True(t, strings.HasPrefix(words[step], first.Words), "%q, %q", words[step], first.Words)
		if first.Act.Do == "deliver" {
			require.NotNil(t, first.Message)
			seen++
		}
	}
	require.Greater(t, seen, 5)
	var rest []pending
	ask(t, &b, "pending", object{"scenario": text, "step": len(f.Steps.Do)}, &rest)
	require.Empty(t, rest)
}

// TestPendingOfMany: the time to describe a pending message does not depend on the number of processes.
func TestPendingOfMany(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "bully", "n": 256})
	args, err := json.Marshal(object{"scenario": text, "step": 256 + 30})
	require.NoError(t, err)
	var all []struct{ Words string }
	require.NoError(t, json.Unmarshal(ask(t, &b, "pending", json.RawMessage(args), nil).JSON, &all))
	require.Greater(t, len(all), 7000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = b.Call(t.Context(), "pending", args, nil)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Less(t, int(after.TotalAlloc-before.TotalAlloc)/len(all), 8000, "bytes for each")
}

// TestPendingStarts: a start that is planned comes in its turn; an act is another one. By hand the act is it.
func TestPendingStarts(t *testing.T) {
	var b bridge.Bridge
	for delay, refused := range map[string]string{"unit": "it starts in its turn, and an act would start it " +
		"once more", "hand": ""} {
		text := asked(t, &b, object{"algorithm": "lcr", "n": 3, "delay": delay})
		var all []struct{ Words, Refused string }
		ask(t, &b, "pending", object{"scenario": text, "step": 3}, &all)
		require.Len(t, all, 3)
		require.Equal(t, "1 starts", all[0].Words)
		require.Equal(t, refused, all[0].Refused)
	}
}

// TestPendingOutside: a pending event that may not happen yet has a reason.
func TestPendingOutside(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "dkr", "n": 4})
	var all []struct {
		Act     struct{ Nth int }
		Outside string
	}
	overtakes := 0
	for step := range 20 {
		ask(t, &b, "pending", object{"scenario": text, "step": step}, &all)
		for _, p := range all {
			require.Equal(t, p.Act.Nth > 0, p.Outside != "")
			if p.Act.Nth > 0 {
				overtakes++
			}
		}
	}
	require.Positive(t, overtakes)
}

func TestTheory(t *testing.T) {
	var b bridge.Bridge
	var c forms
	ask(t, &b, "theory", object{"algorithm": "lcr/participant", "ns": []int{1, 2, 8}}, &c)
	require.Equal(t, []int{1, 2, 8}, c.Ns)
	require.Len(t, c.Messages, 3)
	for i, name := range []string{"best", "mean", "worst"} {
		require.Equal(t, []string{name}, c.Messages[i].Names, "from the lowest to the highest")
	}
	worst := c.Messages[2].At
	require.Equal(t, []float64{2, 5, 44}, []float64{*worst[0], *worst[1], *worst[2]})
	require.InDelta(t, 23, *c.Messages[0].At[2], 0)
	require.Equal(t, []int{2, 4, 16}, c.Ports)
	require.Len(t, c.Bits, 1)
	require.Greater(t, *c.Bits[0].At[2], *worst[2])
	require.Len(t, c.Time, 1)
	for i, n := range c.Ns { // it takes as long in any order
		_, head := film(t, &b, asked(t, &b, object{"algorithm": "lcr/participant", "n": n, "seed": 3}))
		require.InDelta(t, head.Time, *c.Time[0].At[i], 0)
	}
	require.InDelta(t, 16, *c.Time[0].At[2], 0)
	ask(t, &b, "theory", object{"algorithm": "hypercube", "ns": []int{3, 4, 5, 8}}, &c)
	require.Equal(t, []int{4, 8}, c.Ns, "those that the shape can have")
	ask(t, &b, "theory", object{"algorithm": "lease", "ns": []int{3}}, &c)
	require.Empty(t, c.Messages, "no closed form")
	require.Empty(t, c.Bits)
	require.Empty(t, c.Time, "no end")
	ask(t, &b, "theory", object{"algorithm": "lcr/wave", "n": 5}, &c)
	require.Equal(t, [][]string{{"best", "mean", "worst"}}, [][]string{c.Messages[0].Names}, "all are equal")
	for _, n := range []int{1, 8, 77, 1024} {
		ask(t, &b, "theory", object{"algorithm": "lcr", "n": n}, &c)
		require.Contains(t, c.Ns, n)
		require.IsIncreasing(t, c.Ns)
		require.LessOrEqual(t, len(c.Ns), 49)
		for i, n := range c.Ns {
			require.False(t, n > 64 && c.Time[0].At[i] != nil, "it would take too long")
		}
		require.Greater(t, max(9, 1025-n), 1025-c.Ns[len(c.Ns)-1], "there is room beyond it")
	}
}

// forms are the closed forms of an algorithm.
type forms struct {
	Ns, Ports            []int
	Messages, Bits, Time []struct {
		Names []string
		At    []*float64
	}
}

// TestDiff: two runs of the same scenario are the same; else the first step that differs is named.
func TestDiff(t *testing.T) {
	var b bridge.Bridge
	one := asked(t, &b, object{"algorithm": "lcr", "ids": []int{2, 3, 1}})
	require.JSONEq(t, "null", string(ask(t, &b, "diff", object{"a": one, "b": one}, nil).JSON))
	other := asked(t, &b, object{"algorithm": "lcr", "ids": []int{2, 3, 1}, "crash_at": [][]any{{1, 1.5}}})
	var d struct {
		Step  int
		Words string
	}
	ask(t, &b, "diff", object{"a": one, "b": other}, &d)
	require.Equal(t, 10, d.Step)
	require.Equal(t, "2 receives election 3 from 1; sends election 3 to 3 here, 1 crashes in the other run",
		d.Words)
	third := asked(t, &b, object{"algorithm": "lcr", "ids": []int{2, 3}})
	ask(t, &b, "diff", object{"a": one, "b": third}, &d)
	require.Contains(t, d.Words, "they are different elections: ids [2 3 1]")
}

// TestExport: each form is written, and a scenario and a trace can be read back to the same run.
func TestExport(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lcr", "ids": []int{2, 3, 1}})
	export := func(kind string, dark bool) (f struct{ Name, Type, Text string }) {
		ask(t, &b, "export", object{"kind": kind, "scenario": text, "dark": dark}, &f)
		return f
	}
	for kind, want := range map[string]string{"svg": "<svg", "links": "<svg", "mermaid": "sequenceDiagram",
		"log": "lcr/participant", "chrome": "traceEvents", "shiviz": "(?<host>"} {
		require.Contains(t, export(kind, false).Text, want)
	}
	require.Contains(t, export("svg", false).Text, "prefers-color-scheme")
	require.NotContains(t, export("svg", true).Text, "prefers-color-scheme")
	const sheet = `<rect width="100%" height="100%"`
	require.Contains(t, export("svg", true).Text, sheet, "it may be painted")
	require.Contains(t, export("svg", false).Text, sheet)
	var free struct{ Text string }
	ask(t, &b, "export", object{"kind": "svg", "scenario": text}, &free)
	require.Contains(t, free.Text, "prefers-color-scheme")
	require.NotContains(t, free.Text, sheet, "it lies on the reader's page")
	require.Equal(t, "lcr-participant.ndjson", export("trace", false).Name)

	var back struct {
		Kind      string
		Scenarios []json.RawMessage
		Replay    *struct{ Step int }
	}
	ask(t, &b, "read", object{"text": export("scenario", false).Text}, &back)
	require.Equal(t, "scenarios", back.Kind)
	require.JSONEq(t, string(text), string(back.Scenarios[0]))
	other := `[{"algorithm": "hs", "ids": [2, 1]}, {"algorithm": "echo", "ids": [1]}]`
	ask(t, &b, "read", object{"text": export("scenario", false).Text, "more": []string{other}}, &back)
	require.Len(t, back.Scenarios, 3)
	require.JSONEq(t, string(text), string(back.Scenarios[0]))
	require.JSONEq(t, `{"algorithm": "echo", "ids": [1]}`, string(back.Scenarios[2]))
	// The simulator repeats its own trace, so that is the scenario. A trace by others is a record.
	made := export("trace", false).Text
	back.Scenarios = nil
	ask(t, &b, "read", object{"text": made}, &back)
	require.Equal(t, "scenarios", back.Kind)
	require.Len(t, back.Scenarios, 1)
	again, err := trace.ReadFilm(ask(t, &b, "film", object{"scenario": back.Scenarios[0]}, nil).Data)
	require.NoError(t, err)
	reply := ask(t, &b, "read", object{"text": strings.Replace(made, `"sim"`, `"local"`, 1)}, &back)
	require.Equal(t, "trace", back.Kind)
	require.Nil(t, back.Replay)
	got, err := trace.ReadFilm(reply.Data)
	require.NoError(t, err)
	want, err := trace.ReadFilm(ask(t, &b, "film", object{"scenario": text}, nil).Data)
	require.NoError(t, err)
	require.Equal(t, want.Events, got.Events)
	require.Equal(t, want.Events, again.Events)
}

// TestReadReplays: a trace of a process that did something else names the step.
func TestReadReplays(t *testing.T) {
	in := scenario.Input{Algorithm: must(catalog.Find("lcr", "max")), IDs: []election.ID{2, 3, 1}}
	r, err := trace.NewRecorder(&in, trace.About{})
	require.NoError(t, err)
	_, err = sim.Run(t.Context(), sim.Config{Input: in, Observe: r.Observe})
	require.NoError(t, err)
	events := r.Trace().Events
	i := slices.IndexFunc(events, func(e trace.Event) bool { return e.Do == observe.Decide })
	events[i].Outcome.Leader.ID = 1 // it follows another than it should
	var text bytes.Buffer
	require.NoError(t, trace.Write(&text, r.Trace()))
	var b bridge.Bridge
	var back struct {
		OK     bool
		Errors []string
		Replay *struct {
			Step  int
			Words string
		}
	}
	ask(t, &b, "read", object{"text": text.String()}, &back)
	require.False(t, back.OK)
	require.NotNil(t, back.Replay)
	steps := 0
	for _, e := range events[:i] {
		if !e.Do.Effect() {
			steps++
		}
	}
	require.Equal(t, steps, back.Replay.Step)
	require.Equal(t, back.Errors, []string{back.Replay.Words})
	// The trace has these words, and a scenario does not.
	var said []string
	ask(t, &b, "words", object{"from": 1, "to": steps}, &said)
	require.Equal(t, trace.NewSentences(r.Trace()).Of(1, steps), said)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// apart are the traces of an election among goroutines, one for each process, as programs of their own
// write them.
func apart(t *testing.T) (texts []string) {
	t.Helper()
	in := scenario.Input{Algorithm: must(catalog.Find("bully", "")), IDs: []election.ID{1, 2, 3},
		Initiators: []election.ID{1}}
	r, err := trace.NewRecorder(&in, trace.About{Driver: "local"})
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) { // in which no timer runs out because the machine is slow
		_, err := local.Run(t.Context(), local.Config{Input: in, Unit: time.Millisecond, Observe: r.Observe})
		require.NoError(t, err)
	})
	for _, id := range in.IDs {
		part := &trace.Trace{Header: r.Trace().Header}
		for _, e := range r.Trace().Events {
			if e.Process == id {
				e.From = trace.Ref{}
				part.Events = append(part.Events, e)
			}
		}
		var text bytes.Buffer
		require.NoError(t, trace.Write(&text, part))
		texts = append(texts, text.String())
	}
	return texts
}

// TestReadLooksInto: what goroutines did is read from several files, and each step of it shows its words and
// the state in which it left the processes.
func TestReadLooksInto(t *testing.T) {
	texts := apart(t)
	var b bridge.Bridge
	var head struct {
		Kind, Driver string
		OK           bool
	}
	reply := ask(t, &b, "read", object{"text": texts[0], "more": texts[1:]}, &head)
	require.Equal(t, []any{"trace", "local", true}, []any{head.Kind, head.Driver, head.OK})
	f, err := trace.ReadFilm(reply.Data)
	require.NoError(t, err)
	var words []string
	ask(t, &b, "words", object{"from": 1, "to": 999}, &words)
	require.Len(t, words, len(f.Steps.Do))
	timers := 0
	for step, do := range f.Steps.Do {
		all := fieldsAt(t, &b, nil, step+1)
		p := all[f.Steps.Process[step]]
		require.NotEmpty(t, p.Machines)
		for i := range p.Machines {
			timers += len(p.Machines[i].Timers)
		}
		if observe.What(do) == observe.Start {
			require.Equal(t, "true", p.value("electing"))
		}
	}
	require.Positive(t, timers)
	require.Empty(t, fieldsAt(t, &b, nil, 0)[0].Machines)
	require.Equal(t, "3", fieldsAt(t, &b, nil, len(f.Steps.Do))[0].value("leader"))
	require.Equal(t, reply.Data, ask(t, &b, "film", object{"scenario": nil}, nil).Data)

	args, err := json.Marshal(object{"step": 3})
	require.NoError(t, err)
	_, err = b.Call(t.Context(), "pending", args, nil)
	require.ErrorContains(t, err, "a recorded run is over")
	_, err = new(bridge.Bridge).Call(t.Context(), "fields", args, nil)
	require.ErrorContains(t, err, "scenario: missing")
}

// TestFieldsAfterReturn: a step shows the same fields whether the run was at its end before, or at a branch,
// or is looked at for the first time.
func TestFieldsAfterReturn(t *testing.T) {
	for _, a := range catalog.All() {
		for name, short := range settings(a) {
			var b bridge.Bridge
			text := asked(t, &b, short)
			f, _ := film(t, &b, text)
			last := len(f.Steps.Do)
			for _, step := range []int{0, 1, last / 3, last / 2, last} {
				look := object{"scenario": text, "step": step}
				var first bridge.Bridge
				want := string(ask(t, &first, "fields", look, nil).JSON)
				ask(t, &b, "fields", object{"scenario": text, "step": last}, nil)
				require.Equal(t, want, string(ask(t, &b, "fields", look, nil).JSON), "%s %s %d", a.Title(),
					name,
					step)
			}
		}
	}
}

// TestPendingCommand: a command that is planned is pending, with its words, and can be given sooner.
func TestPendingCommand(t *testing.T) {
	a, err := catalog.Find("lease", "")
	require.NoError(t, err)
	var b bridge.Bridge
	text := asked(t, &b, settings(a)["voters"])
	type pending struct {
		Act     object
		To      int
		Words   string
		Refused string
	}
	at := func(step int) pending {
		var all []pending
		ask(t, &b, "pending", object{"scenario": text, "step": step}, &all)
		for _, p := range all {
			if p.Act["do"] == "command" {
				return p
			}
		}
		return pending{}
	}
	five := []any{1., 2., 3., 4., 5.}
	require.Equal(t, pending{Act: object{"do": "command", "command": "change", "voters": five}, To: 2,
		Words: "3 is told: change 1, 2, 3, 4 and 5"}, at(100))
	require.Equal(t, "command: no process leads; name the process that is to take it", at(1).Refused)
	done := act(t, &b, text, 100, at(100).Act)
	_, head := film(t, &b, done.Scenario)
	require.Equal(t, simulated(t, done.Scenario), head.Hash)
	require.Contains(t, string(done.Scenario), `{"after":100,"do":"command","command":"change","voters":[1,2,3,4,5]}`)
}
