package bridge_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/page/bridge"
)

type object = map[string]any

// settings are what a page asks for, in short.
func settings(a *election.Algorithm) map[string]object {
	// More than the algorithm survives: what it does then has to be the same, too.
	faults := object{"algorithm": a.Title(), "seed": 3, "loss": 0.1, "duplicate": 0.1, "until": 12,
		"crash_at": [][]any{{2, 1}}, "restart_at": [][]any{{2, 4}}, "pause_at": [][]any{{3, 0.5, 2.5}}}
	all := map[string]object{
		"unit":   {"algorithm": a.Title()},
		"random": {"algorithm": a.Title(), "order": "random", "delay": "random", "seed": 5},
		"faults": faults,
	}
	if slices.ContainsFunc(a.Commands, func(c election.CommandKind) bool { return c.Wish }) {
		three, five := []int{1, 2, 3}, []int{1, 2, 3, 4, 5}
		all["voters"] = object{"algorithm": a.Title(), "n": 5, "order": "sorted", "until": 90, "initiators": []int{3},
			"params":   object{"lease": 12, "durable": 1},
			"wishes":   [][]any{{1, 0, three}, {2, 0, three}, {3, 0, three}, {4, 0, five}, {5, 0, five}},
			"commands": []object{{"at": 30, "command": "change", "voters": five}},
			"acts": []object{{"after": 240, "do": "command", "process": 3, "command": "resign"},
				{"after": 241, "do": "crash", "process": 4}, {"after": 241, "do": "restart", "process": 4, "voters": three}}}
	}
	return all
}

// asked makes a scenario of what a page asks for.
func asked(t *testing.T, b *bridge.Bridge, short object) json.RawMessage {
	t.Helper()
	return ask(t, b, "scenario", short, nil).JSON
}

// TestFilm: the film of every variant has the hash and the counts of the simulation that a command makes of
// the same scenario, without an observer.
func TestFilm(t *testing.T) {
	for _, a := range catalog.All() {
		for name, short := range settings(a) {
			t.Run(a.Title()+" "+name, func(t *testing.T) {
				var b bridge.Bridge
				text := asked(t, &b, short)
				reply := ask(t, &b, "film", object{"scenario": text}, nil)
				f, err := trace.ReadFilm(reply.Data)
				require.NoError(t, err)
				var head trace.FilmHead
				require.NoError(t, json.Unmarshal(reply.JSON, &head))
				require.Equal(t, f.Head, head, "the head comes twice")
				all, err := scenario.Read(strings.NewReader(string(text)))
				require.NoError(t, err)
				c, err := sim.FromScenario(all[0], catalog.Find)
				require.NoError(t, err)
				c.Force = true
				r, err := sim.Run(t.Context(), c)
				if err != nil {
					require.NotEmpty(t, head.Errors)
				}
				require.Equal(t, report.Hash(r.TraceHash).String(), head.Hash)
				require.Equal(t, r.Messages, head.Messages)
				require.Equal(t, r.Bits, head.Bits)
				require.Equal(t, strings.Contains(head.Command, "--force"), len(head.Outside) > 0)
				if name != "faults" {
					require.True(t, head.OK, "%v", head.Errors)
					require.Empty(t, head.Outside)
				}
			})
		}
	}
}

// TestFilmSpeaks: a film contains its result, and the command that makes the same run.
func TestFilmSpeaks(t *testing.T) {
	var b bridge.Bridge
	for _, c := range []struct {
		short           object
		result, command string
	}{
		{object{"algorithm": "lcr", "n": 3}, "3 leads after 3 units, 8 messages in all",
			"elect sim lcr/participant -n 3"},
		{object{"algorithm": "lcr/max", "ids": []int{5, 9, 7}, "delay": "1-3", "seed": 4,
			"initiators": []int{5}},
			"9 leads after 6.6 units, 7 messages in all",
			"elect sim lcr/max --ids 5,9,7 --initiators 5 --schedule random --delay 1,3 --seed 4"},
		{object{"algorithm": "bully", "n": 4, "crash_at": [][]any{{4, 0.5}},
			"params": object{"processing": 2}},
			"no process leads, 3 follow 4, which is down, 12 messages: no failure detector has reported the crash",
			"elect sim --scenario bully-rules.json"},
		{object{"algorithm": "bully", "n": 3, "crash_at": [][]any{{3, 9}}, "crashed": []int{1}},
			"no process leads, 1 follows 3, which is down, 5 messages: no failure detector has reported the crash",
			"elect sim --scenario bully-rules.json"},
		{object{"algorithm": "bully", "n": 3, "acts": []object{{"after": 15, "do": "crash", "process": 3}}},
			"no process leads, 2 follow 3, which is down, 10 messages: no failure detector has reported the crash",
			"elect sim --scenario bully-rules.json"},
		{object{"algorithm": "echo", "n": 9, "links": "grid:3x3", "initiators": "none"},
			"no process leads, 0 messages", "elect sim --scenario echo-implicit.json"},
	} {
		var head trace.FilmHead
		ask(t, &b, "film", object{"scenario": asked(t, &b, c.short)}, &head)
		require.Equal(t, c.result, head.Result)
		require.Equal(t, c.command, head.Command)
	}
}

// TestFilmDoubts: the Property of a scenario is shown only if its run violates it.
func TestFilmDoubts(t *testing.T) {
	var b bridge.Bridge
	var found struct{ Counterexample json.RawMessage }
	ask(t, &b, "check", object{"scenario": asked(t, &b, object{"algorithm": "lcr", "n": 2}),
		"budget": object{"losses": 1}}, &found)
	require.Contains(t, string(found.Counterexample), `"agreement"`)
	for _, c := range []struct {
		scenario string
		violates bool
	}{
		{`{"algorithm": "lcr", "ids": [1, 2, 3], "property": "ends", "note": "it continues"}`, false},
		{`{"algorithm": "bully", "ids": [1, 2, 3], "property": "sound"}`, false},
		{`{"algorithm": "lcr", "ids": [1, 2], "property": "right-leader",
			"steps": [{"do": "start", "process": 1}]}`, false},
		{string(found.Counterexample), true},
		{strings.Replace(string(found.Counterexample), `"agreement"`, `"one-leader-a-term"`, 1), false},
	} {
		_, head := film(t, &b, json.RawMessage(c.scenario))
		require.Equal(t, c.violates, head.Scenario.Property != "", c.scenario)
		require.Equal(t, c.violates, strings.Contains(head.Result, "violated: "), head.Result)
		_, again := film(t, &b, json.RawMessage(c.scenario))
		require.Equal(t, head, again)
	}
}

// TestFilmBelieves: what the checker finds against each mistake of the museum is shown as found.
func TestFilmBelieves(t *testing.T) {
	var b bridge.Bridge
	var all []struct {
		ID, Property     string
		Scenario, Budget json.RawMessage
	}
	ask(t, &b, "challenges", object{}, &all)
	found := 0
	for _, c := range all {
		if c.Property == "" { // a number of messages is the aim
			continue
		}
		var f struct {
			Property       string
			Counterexample json.RawMessage
		}
		ask(t, &b, "check", object{"scenario": c.Scenario, "budget": c.Budget}, &f)
		steps, head := film(t, &b, f.Counterexample)
		require.EqualValues(t, f.Property, head.Scenario.Property, c.ID)
		require.Contains(t, head.Result, "violated: ", c.ID)
		if head.Scenario.Property.Kind() == verdict.Always {
			require.NotEmpty(t, head.Wrong, c.ID)
			require.InDelta(t, len(steps.Steps.Do), head.Wrong[0].Step, 1, c.ID)
		} else {
			require.Empty(t, head.Wrong, c.ID)
		}
		found++
	}
	require.Greater(t, found, 50)
}

// TestFilmErrors: impossible runs are refused as by the command. The result contains the reason of a failure,
// with the right plural after each count.
func TestFilmErrors(t *testing.T) {
	var b bridge.Bridge
	var head trace.FilmHead
	for why, more := range map[string]object{
		"acts[0], after 99: crash: the run has ended after 14": {
			"acts": []object{{"after": 99, "do": "crash", "process": 1}}},
		"acts[1], after 5: crash: 1 is down": {"acts": []object{{"after": 4, "do": "crash", "process": 1},
			{"after": 5, "do": "crash", "process": 1}}},
		"acts[0], after 4: lose: no message is on the link to port 1 of 1": {
			"acts": []object{{"after": 4, "do": "lose", "process": 1, "port": 1, "nth": 77}}},
	} {
		more["algorithm"], more["ids"] = "lcr", []int{2, 3, 1}
		text, err := json.Marshal(object{"scenario": more})
		require.NoError(t, err)
		_, err = b.Call(t.Context(), "film", text, nil)
		require.ErrorContains(t, err, why)
	}
	for why, more := range map[string]object{
		"3 leads after 3 units, 8 messages in all: not what was expected: leader: 3, not 1": {
			"algorithm": "lcr", "n": 3, "expect": object{"leader": 1}},
		"3 leads after 3 units, 7 messages in all: not all follow it": {"algorithm": "lcr", "n": 3,
			"acts": []object{{"after": 12, "do": "lose", "process": 2, "port": 1}}},
		"no process leads, 0 messages: inquiry/naive: 24 processes, at most 20 can do without states: " +
			"process 1": {"algorithm": "inquiry/naive", "n": 24},
	} {
		ask(t, &b, "film", object{"scenario": asked(t, &b, more)}, &head)
		require.Equal(t, why, head.Result)
	}
	for n, want := range map[int]string{1: "1 entry, 6 messages", 3: "3 entries, 6 messages"} {
		ask(t, &b, "film", object{"scenario": asked(t, &b, object{"algorithm": "mutex/tokenring", "n": 3,
			"initiators": []int{1, 2, 3}[:n]})}, &head)
		require.Equal(t, want, head.Result)
	}
}

// TestFilmJudgesActs: acts are judged as steps are: they decide which process may lead.
func TestFilmJudgesActs(t *testing.T) {
	var b bridge.Bridge
	for _, c := range []struct {
		run    object
		errors []string
	}{
		{object{"acts": []object{{"do": "crash", "process": 3}}}, []string{}},
		{object{"schedule": "hand", "acts": []object{{"do": "crash", "process": 3},
			{"after": 4, "do": "start", "process": 2}, {"after": 5, "do": "timeout", "process": 2}}},
			[]string{"the steps end before the election does, with 1 message in flight: no leader that all " +
				"agree on: 1 process believes it leads"}},
	} {
		c.run["algorithm"], c.run["ids"] = "bully", []int{1, 2, 3}
		var head trace.FilmHead
		ask(t, &b, "film", object{"scenario": c.run}, &head)
		require.Equal(t, c.errors, head.Errors)
	}
}

// TestStepsOfLongRun: a run of too many events has the same steps whichever call comes first.
func TestStepsOfLongRun(t *testing.T) {
	var fresh, seen bridge.Bridge
	// Each start sends to all others: 1,024 starts would be more than a million events.
	text := asked(t, &fresh, object{"algorithm": "bully", "n": 1024})
	f, err := trace.ReadFilm(ask(t, &seen, "film", object{"scenario": text}, nil).Data)
	require.NoError(t, err)
	last := len(f.Steps.First)
	for _, b := range []*bridge.Bridge{&fresh, &seen} {
		args, err := json.Marshal(object{"scenario": text, "step": last + 1, "process": 1})
		require.NoError(t, err)
		_, err = b.Call(t.Context(), "fields", args, nil)
		require.ErrorContains(t, err, "step: "+strconv.Itoa(last+1)+", and the run has "+strconv.Itoa(last))
	}
}

// TestFilmStops: a run with too many events stops, reports this, and is not judged.
func TestFilmStops(t *testing.T) {
	var b bridge.Bridge
	var head trace.FilmHead
	text := asked(t, &b, object{"algorithm": "lcr", "n": 8})
	ask(t, &b, "film", object{"scenario": text, "most": 40}, &head)
	require.Equal(t, "after 41 events", head.Stopped)
	require.True(t, head.OK)
	require.Equal(t, "unknown", head.Hash, "that of the command is of the whole run")
	require.Contains(t, head.Result, "the film ends after 41 events: ")
	head = trace.FilmHead{}
	ask(t, &b, "film", object{"scenario": text}, &head)
	require.Empty(t, head.Stopped)
	require.Len(t, head.Hash, 16)
}

// TestRefusedStart: a planned start that a process refuses ends the command without a hash, so the film has
// none; with acts it is a part of the run, which the command reports.
func TestRefusedStart(t *testing.T) {
	var b bridge.Bridge
	planned := object{"algorithm": "treeelect", "variant": "root", "ids": []int{4, 1, 5, 3, 2},
		"initiators": []int{1}}
	var head trace.FilmHead
	ask(t, &b, "film", object{"scenario": planned}, &head)
	require.Equal(t, "unknown", head.Hash)
	require.False(t, head.OK)
	planned["acts"] = []object{{"after": 9, "do": "crash", "process": 1}}
	head = trace.FilmHead{}
	ask(t, &b, "film", object{"scenario": planned}, &head)
	require.Len(t, head.Hash, 16)
}

// TestSamePlaces: the processes of another run of the same network keep the places of the last film.
func TestSamePlaces(t *testing.T) {
	var b bridge.Bridge
	head := func(b *bridge.Bridge, short object) (h trace.FilmHead) {
		ask(t, b, "film", object{"scenario": asked(t, b, short)}, &h)
		return h
	}
	echo := object{"algorithm": "echo", "n": 30, "links": "random:50"}
	first := head(&b, echo)
	echo["delay"], echo["crash_at"] = "random", [][]any{{3, 1}}
	require.Equal(t, first.Positions, head(&b, echo).Positions)
	require.Equal(t, first.Positions, head(new(bridge.Bridge), echo).Positions)
	echo["seed"] = 2 // which draws other links
	other := head(&b, echo)
	require.NotEqual(t, first.Positions, other.Positions)
	require.Equal(t, other.Positions, head(new(bridge.Bridge), echo).Positions)
}

// TestWords: each step has a sentence.
func TestWords(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "lcr", "ids": []int{2, 3, 1}})
	words := func(from, to int) (all []string) {
		ask(t, &b, "words", object{"scenario": text, "from": from, "to": to}, &all)
		return all
	}
	all := words(1, 100)
	reply := ask(t, &b, "film", object{"scenario": text}, nil)
	f, err := trace.ReadFilm(reply.Data)
	require.NoError(t, err)
	require.Len(t, all, len(f.Steps.Do))
	require.Equal(t, []string{"2 starts; sends election 2 to 3", "3 starts; sends election 3 to 1",
		"1 starts; sends election 1 to 2", "3 receives election 2 from 2"}, all[3:7])
	require.Equal(t, all[4:6], words(5, 6))
	require.Empty(t, words(len(all)+1, len(all)+9))
	require.Contains(t, all[len(all)-1], "receives elected 3")
	for i, do := range f.Steps.Do {
		require.Contains(t, all[i], map[observe.What]string{observe.Init: "begins", observe.Start: "starts",
			observe.Deliver: "receives"}[observe.What(do)])
	}
}

// TestScenario: what a page asks for in short becomes a scenario.
func TestScenario(t *testing.T) {
	var b bridge.Bridge
	for _, c := range []struct {
		short object
		want  string
	}{
		{object{"algorithm": "lcr/max", "n": 3}, `{"algorithm": "lcr", "variant": "max", "ids": [1, 2, 3]}`},
		{object{"algorithm": "lcr", "n": 4, "order": "worst"},
			`{"algorithm": "lcr", "variant": "participant", "ids": [4, 3, 2, 1]}`},
		{object{"algorithm": "hypercube", "n": 7}, `{"algorithm": "hypercube", "ids": [1, 2, 3, 4]}`},
		{object{"algorithm": "lcr", "n": 2, "delay": "0.5-2", "initiators": "none", "seed": 9},
			`{"algorithm": "lcr", "variant": "participant", "ids": [1, 2], "initiators": [], "schedule": "random", ` +
				`"seed": 9, "delay": {"min": 0.5, "max": 2}}`},
		{object{"algorithm": "lcr", "n": 2, "delay": object{"distribution": "exponential", "mean": 3}},
			`{"algorithm": "lcr", "variant": "participant", "ids": [1, 2], "schedule": "random", ` +
				`"delay": {"distribution": "exponential", "mean": 3}}`},
		{object{"algorithm": "echo", "n": 4, "links": "ring"},
			`{"algorithm": "echo", "variant": "implicit", "ids": [1, 2, 3, 4], ` +
				`"topology": {"kind": "graph", "edges": [[1, 2], [1, 4], [2, 3], [3, 4]]}}`},
		{object{"algorithm": "echo", "n": 4, "links": "path"},
			`{"algorithm": "echo", "variant": "implicit", ` +
				`"topology": {"kind": "tree", "edges": [[1, 2], [2, 3], [3, 4]], ` +
				`"parent": {"2": 1, "3": 2, "4": 3}}, "ids": [1, 2, 3, 4]}`},
	} {
		require.JSONEq(t, c.want, string(asked(t, &b, c.short)))
	}
}
