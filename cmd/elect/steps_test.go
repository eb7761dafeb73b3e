package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/lab/scenario"
)

// counterexamples are elections that fail because something happens that the algorithm does not allow
// for, step by step.
func counterexamples(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open("testdata/counterexamples.json")
	require.NoError(t, err)
	defer file.Close()
	all, err := scenario.Read(file)
	require.NoError(t, err)
	texts := make(map[string]string)
	for _, s := range all {
		var b bytes.Buffer
		require.NoError(t, scenario.Write(&b, s))
		texts[s.Name] = b.String()
	}
	return texts
}

// TestCounterexamples: a failure of steps is reported, recorded, drawn and replayed like any other.
func TestCounterexamples(t *testing.T) {
	texts := counterexamples(t)
	for _, c := range []struct {
		name, failure, leader, counts, last, violated string
	}{
		{"dkr-overtaken", "no leader that all agree on: no process believes it leads",
			"none, no process believes it leads",
			`"messages":9,"by_kind":{"first":4,"second":5},"bits":18,"time":11,"chain":6,"trace_hash":"c428498b12adda6a"`, "receives second 3 from 1",
			"all live processes follow one leader: no event is left, and "},
		{"bully-early", "the steps end before the election does, with 6 messages in flight: no leader that " +
			"all agree on: 2 processes believe they lead; " +
			"elect check --replay judges such steps", "none, 2 processes believe they lead",
			`"messages":7,"by_kind":{"election":2,"alive":1,"coordinator":4},"bits":14,"time":2,"chain":2,"trace_hash":"64237452d1d4dbd4"`, "is not received",
			"one leader per Term: processes 1 and 3 both lead in Term 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			file := func(name string) string { return filepath.Join(dir, name) }
			r := elect(t, texts[c.name], "sim", "--scenario", "-")
			r.requireLine(t, exit.StatusFailed, c.name+": "+c.failure)
			require.Contains(t, r.stdout, "leader    "+c.leader)
			require.Regexp(t, `time +\d+ units \(\d+ steps\)`, r.stdout)
			require.NotContains(t, r.stdout, "worst", "bounds are of other runs")

			line := "sim --scenario - --json --trace " + file("t") + " --svg " + file("svg") + " --mermaid " +
				file("mmd") + " --log " + file("log")
			r = elect(t, texts[c.name], strings.Fields(line)...)
			r.requireLine(t, exit.StatusFailed, c.name+": "+c.failure)
			require.Contains(t, r.stdout, c.counts)
			require.Contains(t, r.stdout, `"schedule":"steps"`)
			require.NotContains(t, r.stdout, `"lost"`)
			read := func(name string) string {
				b, err := os.ReadFile(file(name))
				require.NoError(t, err)
				return string(b)
			}
			require.NoError(t, xml.Unmarshal([]byte(read("svg")), new(struct{ XMLName xml.Name })))
			require.True(t, strings.HasPrefix(read("mmd"), "sequenceDiagram\n"))
			lines := strings.Split(strings.TrimSpace(read("log")), "\n")
			require.Contains(t, lines[len(lines)-1], c.last)
			r = elect(t, "", "trace", "replay", file("t"))
			require.Zero(t, r.code, r.stderr)

			r = elect(t, texts[c.name], "check", "--replay", "-")
			require.Equal(t, exit.StatusFailed, r.code)
			require.Contains(t, r.stderr, ": violated: "+c.violated)

			expected := strings.Replace(texts[c.name], `"note"`, `"expect": {"leader": null}, "note"`, 1)
			if r = elect(t, expected, "sim", "--scenario", "-"); c.name == "dkr-overtaken" {
				require.Zero(t, r.code, "a scenario may expect that it fails: %s", r.stderr)
			}
			elect(t, texts[c.name], "run", "--scenario", "-").requireLine(t, exit.StatusUsage,
				c.name+": steps and acts need virtual time, which elect sim has")
			elect(t, texts[c.name], "sim", "--scenario", "-", "--schedule", "random").
				requireLine(t, exit.StatusUsage,
					c.name+": schedule: random, not allowed with steps, which contain all events")
		})
	}
}

func TestSteps(t *testing.T) {
	const begin = `{"name": "s", "algorithm": "lcr", "ids": [1, 3], "steps": [{"do": "start", "process": 3}`
	const deliver = `, {"do": "deliver", "process": 1, "port": 1}, {"do": "deliver", "process": 3, "port": 1}`
	right := begin + strings.Repeat(deliver, 2) + `]}`
	r := elect(t, right, "sim", "--scenario", "-", "--json")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, `"leader":3`)

	faulty := begin +
		`, {"do": "duplicate", "process": 1, "port": 1}, {"do": "lose", "process": 1, "port": 1}` +
		strings.Repeat(deliver, 2) + `]}`
	r = elect(t, faulty, "sim", "--scenario", "-", "--json")
	require.Zero(t, r.code, r.stderr)
	require.True(t, json.Valid([]byte(r.stdout)))
	require.Contains(t, r.stdout, `"lost":1,"duplicated":1`)
	require.Contains(t, elect(t, faulty, "sim", "--scenario", "-").stdout, "links     1 lost, 1 duplicated")

	for text, want := range map[string]string{
		begin + deliver +
			`, {"do": "deliver", "process": 3, "port": 1}]}`: "s: steps[3]: deliver: no message is on the " +
			"link to port 1 of 3",
		begin + `, {"do": "timeout", "process": 1, "timer": 2}]}`: "s: steps[1]: timeout: timer 2 " +
			"of layer 0 does not run at 1",
		begin + `, {"do": "recover", "process": 1}]}`: "s: steps[1]: recover: 1 is " +
			"not down",
		begin + `, {"do": "recover", "process": 2}]}`: "s: steps[1].process: 2 is not " +
			"a process",
	} {
		elect(t, text, "sim", "--scenario", "-").requireLine(t, exit.StatusUsage, want)
	}
	restless := `{"name": "s", "algorithm": "bully", "ids": [1, 2], "params": {"heartbeat": 5},
		"steps": [{"do": "timeout", "process": 2}]}`
	r = elect(t, restless, "sim", "--scenario", "-")
	require.NotContains(t, r.stderr, "until", "steps come to an end, whatever beats")
}

// TestActs: what a hand does is done again by the command, with the same hash each time; what leaves the
// model is reported, and an act that cannot be names itself.
func TestActs(t *testing.T) {
	const text = `{"algorithm": "bully", "ids": [1, 2, 3], "acts": [{"after": 7, "do": "delay", "process": 3, "port": 0, "by": 1.5}, ` +
		`{"after": 7, "do": "lose", "process": 3, "port": 1}, {"after": 9, "do": "crash", "process": 1}]}`
	r := elect(t, text, "sim", "--scenario", "-")
	require.Contains(t, r.stdout, "unit schedule, seed 0, 3 acts")
	require.Contains(t, r.stdout,
		"outside   after 7: bully/rules needs messages that take at most 1, here they")
	require.Contains(t, r.stdout, "links     1 lost, 0 duplicated")
	require.NotContains(t, r.stdout, "worst", "bounds are of other runs")
	_, hash, _ := strings.Cut(r.stdout, "trace     ")
	r = elect(t, text, "sim", "--scenario", "-", "--json")
	var report struct {
		Hash    string `json:"trace_hash"`
		Outside []struct {
			After uint64
			Why   string
		} `json:"outside_model"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	require.Equal(t, strings.Fields(hash)[0], report.Hash)
	require.Len(t, report.Outside, 2)
	require.EqualValues(t, 8, report.Outside[1].After)
	require.Equal(t, "bully/rules promises nothing if messages are lost", report.Outside[1].Why)
	r = elect(t, text, "sim", "--scenario", "-", "--log", "-")
	require.Contains(t, r.stdout, "is to arrive at another time")

	hand := `{"algorithm": "lcr", "ids": [1, 3, 2], "schedule": "hand", "acts": [{"do": "start", "process": 3}, ` +
		`{"do": "deliver", "process": 2, "port": 1}]}`
	r = elect(t, hand, "sim", "--scenario", "-", "--log", "-")
	require.Contains(t, r.stdout, "lcr/participant, 3 processes, by hand\n")
	require.Equal(t, exit.StatusFailed, r.code)
	for command, want := range map[string]string{
		"run":   "steps and acts need virtual time, which elect sim has",
		"check": "acts: a check tries all that can happen; elect sim --scenario does them",
	} {
		elect(t, hand, command, "--scenario", "-").requireLine(t, exit.StatusUsage,
			"--scenario -: "+want)
	}
	late := strings.Replace(text, `"after": 9, "do": "crash"`, `"after": 99, "do": "crash"`, 1)
	elect(t, late, "sim", "--scenario", "-").requireLine(t, exit.StatusUsage,
		"--scenario -: acts[2], after 99: crash: the run has ended after 15")
}
