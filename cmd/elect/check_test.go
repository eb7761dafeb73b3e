package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

// checkedAs is what elect check --json writes.
type checkedAs struct {
	Algorithm, Variant, Network string
	N, States, Transitions      int
	Depth                       int
	Properties                  []struct {
		Name     string
		Holds    *bool
		Kind     verdict.Kind
		Property verdict.Property
	}
	Longest, Messages *int
	Exhausted         bool
	Stopped           *string
	Counterexample    *struct {
		Property, Reason string
		Cycle            *int
		Scenario         *scenario.Scenario
	}
}

// holds returns what is said of a property.
func (c *checkedAs) holds(t *testing.T, name string) *bool {
	t.Helper()
	for _, p := range c.Properties {
		if p.Name == name {
			require.Equal(t, name, p.Property.Text())
			return p.Holds
		}
	}
	require.Fail(t, "no such property", name)
	return nil
}

// checks runs elect check --json.
func checks(t *testing.T, code int, line string) *checkedAs {
	t.Helper()
	r := elect(t, "", append(strings.Fields("check "+line), "--json")...)
	require.Equal(t, code, r.code, "%s: %s", line, r.stderr)
	c := &checkedAs{}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), c), line)
	require.Equal(t, 1, strings.Count(r.stdout, "\n"))
	require.Equal(t, code == 0, c.Exhausted && r.stderr == "")
	return c
}

// TestCheckCounts: the numbers of states that are known.
func TestCheckCounts(t *testing.T) {
	for line, want := range map[string][3]int{
		"lcr -n 5 --order worst --no-announcement":                     {132, 330, 15}, // a Catalan number
		"lcr --ids 5,4,3,2,1 --no-announcement":                        {132, 330, 15},
		"lcr -n 5 --order worst --no-announcement --network unordered": {720, 2556, 15}, // a factorial
		"lcr -n 5 --order worst --no-announcement --exact --workers 1": {132, 330, 15},
		"dkr -n 5 --started": {150, 393, 20},
	} {
		c := checks(t, 0, line)
		require.Equal(t, want, [3]int{c.States, c.Transitions, c.Depth}, line)
		require.Equal(t, c.Depth, *c.Longest)
		require.Equal(t, c.Depth, *c.Messages)
		require.Nil(t, c.Counterexample)
		require.Nil(t, c.Stopped)
		for _, p := range c.Properties {
			require.True(t, *p.Holds, "%s: %s", line, p.Name)
		}
	}
}

func TestCheckJSON(t *testing.T) {
	r := elect(t, "", strings.Fields("check hs -n 2 --json")...)
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t,
		`^\{"algorithm":"hs","variant":"probe","n":2,"network":"fifo","states":\d+,"transitions":\d+,"depth":\d+,`+
			`"properties":\[\{"name":"[^"]+","holds":true.*\],"seconds":[\d.e-]+,"states_per_second":[\d.]+,"bytes_per_state":[\d.]+,`+
			`"counterexample":null,"longest":\d+,"messages":\d+,"exhausted":true,"stopped":null,"collision_probability":[\d.e-]+,"reduced":0,"delay":null,"until":null,"outside_model":null\}\n$`, r.stdout)
}

func TestCheckSummary(t *testing.T) {
	r := elect(t, "", strings.Fields("check bully -n 2 --crashes 1 --restarts 1 --initiators 1 --window "+
		"2")...)
	require.Zero(t, r.code, r.stderr)
	require.Empty(t, r.stderr)
	for _, want := range []string{
		"bully/rules, 2 processes, complete graph\n", "  network      fifo: links keep the order\n",
		"  time         messages take up to 1, starts until 2\n", "  processes    1 crash, 1 return with " +
			"state\n  crashes      followers eventually notice that their leader is down\n",
		" bytes a state\n", "missed       a state with a probability of at most ",
	} {
		require.Contains(t, r.stdout, want)
	}
	require.Regexp(t, `\n  one leader per Term +holds\n`,
		elect(t, "", strings.Fields("check bully -n 2 --crashes 1")...).stdout)
	r = elect(t, "", strings.Fields("check lcr -n 3 --losses 2 --duplicates 1 --exact --max-states 1")...)
	r.requireLine(t, exit.StatusUnfinished, "not exhausted: stopped at the limit of states after 1 state")
	require.Contains(t, r.stdout, "lossy: links keep the order, 2 messages may be lost, 1 message\n"+
		"               may arrive twice\n")
	require.Contains(t, r.stdout, "  states       1, not all\n")
	require.Contains(t, r.stdout, "missed       none, whole states were compared\n")
	require.Regexp(t, `\n  one leader per Term +not violated so far\n`, r.stdout)
	require.Regexp(t, `\n  a process leads +not seen so far\n`, r.stdout)
}

// TestCheckBullies: it counts on the bound of delays, and without it there are two leaders.
func TestCheckBullies(t *testing.T) {
	c := checks(t, 0, "bully -n 2 --crashes 1")
	require.True(t, *c.holds(t, "one leader per Term"))
	for _, line := range []string{"bully -n 3 --untimed", "modbully -n 3 --untimed",
		"bully -n 3 --delay 2 --param delay=1"} {
		c = checks(t, exit.StatusFailed, line)
		require.False(t, *c.holds(t, "one leader per Term"))
		require.Nil(t, c.holds(t, "every run ends"), "that is not known")
		require.Equal(t, "one-leader-a-term", c.Counterexample.Property)
		require.Contains(t, c.Counterexample.Reason, "both lead in Term")
	}
}

// TestCheckStartsOnceMore: if the only candidate crashes and its lease expires, the others start, provided
// that the algorithm leaves starting to the service.
func TestCheckStartsOnceMore(t *testing.T) {
	const line = "lease -n 3 --initiators 1 --crashes 1 --until 4 --param lease=3 --param renew=3 " +
		"--param drift=0 --param eager=yes"
	c := checks(t, 0, line)
	require.True(t, *c.holds(t, "one valid lease at a time"))
	require.Nil(t, c.holds(t, "all live processes follow one leader"), "runs are cut off before there is one")
	require.Contains(t, elect(t, "", strings.Fields("check "+line)...).stdout,
		"  processes    1 crash, in the end processes without a leader start\n")
}

// TestCounterexampleOfACheck: the simulator comes to the same end, by either command.
func TestCounterexampleOfACheck(t *testing.T) {
	for line, want := range map[string]struct{ reason, sim, replay string }{
		"dkr -n 3 --network unordered": {"process 2 leads", "no leader that all agree on",
			": violated: only the right process leads: process 2 leads, not 3, which is the largest of the " +
				"initiators, as recorded"},
		"bully -n 3 --untimed --crashes 1": {"processes 1 and 3 both lead in Term 1",
			"no leader that all agree on", ": violated: one leader per Term: processes 1 and 3 both lead in " +
				"Term 1, as recorded"},
		"bully -n 3 --delay 2 --param delay=1": {"processes 1 and 3 both lead in Term 2",
			"no leader that all agree on", ": violated: one leader per Term: processes 1 and 3 both lead in " +
				"Term 2, as recorded"},
		"lcr/max -n 3 --network lossy --started": {"no event is left",
			"no leader that all agree on", "no event is left, and no leader that all agree on: "},
		"mutex/arbiter -n 2 --crashes 2 --recoveries 1": {"entered section 0 with token", "",
			"with token"},
		"mutex/ricartagrawala -n 2 --losses 1 --started": {"was never served", "", "was never served"},
		"echo -n 4 --topology random:5 --duplicates 1": {"no event is left", "",
			"no leader that all agree on"},
	} {
		t.Run(line, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.json")
			c := checks(t, exit.StatusFailed, line+" --out "+file)
			require.Contains(t, c.Counterexample.Reason, want.reason)
			written, err := os.ReadFile(file)
			require.NoError(t, err)
			all, err := scenario.Read(strings.NewReader(string(written)))
			require.NoError(t, err)
			require.Len(t, all[0].Steps, len(c.Counterexample.Scenario.Steps))
			require.Equal(t, "counterexample to: "+all[0].Property.Text(), all[0].Name)
			require.EqualValues(t, c.Counterexample.Property, all[0].Property)
			if want.sim != "" {
				r := elect(t, "", "sim", "--scenario", file)
				require.Equal(t, exit.StatusFailed, r.code)
				require.Contains(t, r.stdout+r.stderr, want.sim)
			}
			r := elect(t, string(written), "check", "--replay", "-")
			require.Equal(t, exit.StatusFailed, r.code)
			require.True(t, strings.HasPrefix(r.stderr, "elect: --replay -: "), r.stderr)
			require.Contains(t, r.stderr, want.replay)
			require.Contains(t, r.stdout, "starts\n")
			require.NotContains(t, r.stderr, "election: ")
			steps := len(c.Counterexample.Scenario.Steps)
			require.Regexp(t, fmt.Sprintf(`\n *%d\. `, steps), r.stdout)
			require.NotRegexp(t, fmt.Sprintf(`\n *%d\. `, steps+1), r.stdout)
		})
	}
}

// TestWritingACounterexample: as a log, as pictures, and as nothing but the scenario.
func TestWritingACounterexample(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	const line = "check dkr -n 3 --network unordered"
	r := elect(t, "", append(strings.Fields(line), "--mermaid", "-", "--svg", file("svg"), "--trace",
		file("t"))...)
	r.requireLine(t, exit.StatusFailed, "violated: only the right process leads: process 2 leads, not 3, which "+
		"is the largest of the initiators")
	require.Contains(t, r.stdout, ", up to the violation\n")
	require.Regexp(t, `\n  missed .*\n  only the right process leads +violated\n  no Node panics .* not `+
		`violated so far\n`, r.stdout)
	require.Regexp(t, `\n  a process leads +seen\n`, r.stdout)
	_, log, ok := strings.Cut(r.stdout, "\ncounterexample to: only the right process leads, after 8 steps: "+
		"process 2 leads, not 3, which is the largest of the initiators\ndkr, 3 processes\n")
	require.True(t, ok)
	require.Contains(t, log, "3.5  receives second 3 from 2 (2.6)\n")
	require.Contains(t, log, "decides: it leads\n")
	require.Contains(t, log, "\nsequenceDiagram\n")
	replayed := elect(t, "", "trace", "replay", file("t"))
	require.Zero(t, replayed.code, replayed.stderr)

	silent := elect(t, "", append(strings.Fields(line), "--out", "-")...)
	require.Equal(t, r.stderr, silent.stderr)
	_, err := scenario.Read(strings.NewReader(silent.stdout))
	require.NoError(t, err)
	r = elect(t, silent.stdout, "check", "--replay", "-", "--log", file("log"), "--mermaid", file("mmd"))
	require.Empty(t, r.stdout)
	written, err := os.ReadFile(file("log"))
	require.NoError(t, err)
	require.Contains(t, log, strings.TrimPrefix(string(written), "dkr, 3 processes\n"))
	r = elect(t, silent.stdout, "check", "--replay", "-", "--json")
	require.Contains(t, r.stdout, `"leaders":1,"agreed":false`)
}

// TestNameOfACounterexample: the name of a property is not taken for what has happened, in any file.
func TestNameOfACounterexample(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.json")
	r := elect(t, "", append(strings.Fields("check dkr -n 3 --network unordered --out"), file)...)
	require.True(t, strings.HasSuffix(r.stdout,
		"\n\n"+file+" is written. After a correction this judges it:\n  elect check --replay "+file+"\n"), r.stdout)
	now, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(now), `{"name": "counterexample to: only the right process leads", `)
	named := strings.Replace(string(now), `{"name": "counterexample to: only the right process leads", `,
		`{"name": "mine", `, 1)
	for name, text := range map[string]string{"counterexample to: only the right process leads": string(now),
		"mine": named, "m; ine?": strings.Replace(named, "mine", `m\nine\u001b`, 1)} {
		r := elect(t, text, "check", "--replay", "-")
		r.requireLine(t, exit.StatusFailed, "--replay -: violated: only the right process leads: process 2 "+
			"leads, not 3, which is the largest of the initiators, as recorded")
		require.True(t, strings.HasPrefix(r.stdout, name+"\ndkr, 3 processes\n"), r.stdout)
		r = elect(t, text, "sim", "--scenario", "-")
		require.True(t, strings.HasPrefix(r.stdout, name+": dkr, 3 processes, "), r.stdout)
	}
	r = elect(t, string(now), "sim", "--scenario", "-")
	require.True(t, strings.HasPrefix(r.stdout,
		"counterexample to: only the right process leads: dkr, 3 processes"), r.stdout)
	require.NotContains(t, elect(t, "", strings.Fields("check dkr -n 3 --network unordered --json "+
		"--out "+file)...).stdout, "is written")
}

// TestJudgeOfACorrection: steps that have become correct but do not reach the end pass a replay. A simulation
// of them fails, and explains why.
func TestJudgeOfACorrection(t *testing.T) {
	const steps = `{"name": "counterexample to: only the right process leads", "algorithm": "dkr", "ids": [1, 2, 3], "property": "right-leader", "note": "process 2 leads, not 3, which is the largest of the initiators", "steps": [
		{"do": "start", "process": 3}, {"do": "start", "process": 2}, {"do": "duplicate", "process": 1,
			"port": 1},
		{"do": "lose", "process": 1, "port": 1}, {"do": "deliver", "process": 1, "port": 1}]`
	r := elect(t, steps+"}", "check", "--replay", "-")
	require.Zero(t, r.code, r.stderr)
	require.True(t, strings.HasSuffix(r.stdout, "\nnot violated in these steps: only the right process leads\n"),
		r.stdout)
	elect(t, steps+"}", "sim", "--scenario", "-").requireLine(t, exit.StatusFailed,
		"counterexample to: only the right process leads: the steps end before the "+
			"election does, with 2 messages in flight: no leader that all agree on: no process believes it "+
			"leads; "+
			"elect check --replay judges such steps")
	const acts = `{"algorithm": "lcr", "ids": [1, 2], "schedule": "hand", "acts": [{"do": "start", "process": 2}]}`
	elect(t, acts, "sim", "--scenario", "-").requireLine(t, exit.StatusFailed,
		"--scenario -: the steps end before the election does, with 1 message in flight: no leader that all "+
			"agree on: no process believes it leads; "+
			"elect page --scenario continues the run by hand")
	require.Contains(t, elect(t, "", "help", "check").stdout, "use --replay: it judges")
	require.Zero(t, elect(t, steps+`, "expect": {"leader": null}}`, "sim", "--scenario", "-").code)
	r = elect(t, steps+`, "expect": {"messages": 3}}`, "sim", "--scenario", "-")
	require.NotContains(t, r.stderr, "its steps end")
}

// TestMessagesOfElections: if some processes start late, the messages of several elections are counted.
func TestMessagesOfElections(t *testing.T) {
	const several = " in all, over as many elections as late starts begin\n"
	for line, want := range map[string]bool{
		"lcr -n 3": true, "lcr -n 3 --started": false, "lcr -n 3 --no-announcement": false, "lcr -n 3 " +
			"--initiators 2": false,
		"bully -n 2": false, "bully -n 2 --window 1": true,
	} {
		r := elect(t, "", append([]string{"check"}, strings.Fields(line)...)...)
		require.Zero(t, r.code, r.stderr)
		require.Regexp(t, `\n  messages     at most \d+`, r.stdout)
		require.Equal(t, want, strings.Contains(r.stdout, several), line)
	}
	help := strings.Join(strings.Fields(elect(t, "", "check", "--help").stdout), " ")
	require.Contains(t, help, "a late start may begin another election")
}

// TestNoCounterexample: nothing is written, and that is said.
func TestNoCounterexample(t *testing.T) {
	dir := t.TempDir()
	file, picture := filepath.Join(dir, "none"), filepath.Join(dir, "svg")
	of := func(more ...string) ran {
		r := elect(t, "", append(strings.Fields("check lcr -n 2"), more...)...)
		require.Zero(t, r.code, r.stderr)
		require.NoFileExists(t, file)
		return r
	}
	r := of("--out", file)
	require.Empty(t, r.stderr)
	require.True(t, strings.HasSuffix(r.stdout, "\n\nno counterexample, "+file+" is not written\n"), r.stdout)
	require.Contains(t, of("--out", file, "--svg", picture).stdout,
		"\nno counterexample, "+file+" and "+picture+" are not written\n")
	r = of("--out", file, "--json")
	require.Equal(t, "elect: no counterexample, "+file+" is not written\n", r.stderr)
	require.True(t, json.Valid([]byte(r.stdout)))
	r = of("--out", "-")
	require.Equal(t, "elect: no counterexample, nothing is written\n", r.stderr)
	require.Empty(t, r.stdout)
	require.NotContains(t, of().stdout, "no counterexample")
}

// TestBoundOfACheck: a bound is shown with its formula, and a bound that is not judged is not said to hold.
func TestBoundOfACheck(t *testing.T) {
	r := elect(t, "", strings.Fields("check lcr -n 3 --started")...)
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t, `\n  no more messages than promised +holds\n    worst case: n\(n\+1\)/2 \+ n\n`, r.stdout)
}

// TestNumberedLog: a log of steps shows their numbers, and times only if there are any.
func TestNumberedLog(t *testing.T) {
	for line, want := range map[string][]string{
		"dkr -n 3 --network unordered": {"\n       1.1  begins\n",
			"\n   1.  3.2  starts\n       3.3  saves its state\n", "\n   8.  2.7  receives first 2",
			"\n  end  2.8  elected 2 to 3 is not received\n"},
		"bully -n 3 --untimed": {"\n        1.1  begins\n", "\n   1.   2.2  starts\n",
			"  2.9  the wait for answers runs out\n"},
		"bully -n 3 --delay 2 --param delay=1": {"\n              0   1.1  begins\n",
			"\n   1.         0   3.2  starts\n", "\n   9.         3  1.17  the wait for answers runs out\n",
			"\n            end  3.18  alive 3 term 2 to 2 is not received\n"},
		"lcr/max -n 3 --network lossy --started": {"\n   1.  1.2  starts\n",
			"\n   6.  2.5  loses election 2 from 2 to 3"},
		"echo -n 3 --duplicates 1": {" its message 3.4 is duplicated\n"},
	} {
		r := elect(t, "", append([]string{"check"}, strings.Fields(line)...)...)
		require.Equal(t, exit.StatusFailed, r.code, r.stderr)
		for _, text := range want {
			require.Contains(t, r.stdout, text, line)
		}
	}
}

// TestRunWithoutEnd: the counterexample states which steps repeat.
func TestRunWithoutEnd(t *testing.T) {
	c := checks(t, exit.StatusFailed, "dkr -n 3 --network duplicating")
	require.Equal(t, "ends", c.Counterexample.Property)
	require.NotNil(t, c.Counterexample.Cycle)
	require.Less(t, *c.Counterexample.Cycle, len(c.Counterexample.Scenario.Steps))
	r := elect(t, "", strings.Fields("check dkr -n 3 --network duplicating")...)
	require.Regexp(t, `\nthe last \d+ steps repeat forever\n`, r.stdout)
}

// TestReplayIsDrawn: the picture of a replay marks the violation and its place, like the picture of the
// check.
func TestReplayIsDrawn(t *testing.T) {
	dir := t.TempDir()
	file, first := filepath.Join(dir, "c.json"), filepath.Join(dir, "a.svg")
	again := filepath.Join(dir, "b.svg")
	r := elect(t, "", "check", "dkr", "-n", "3", "--network", "unordered", "--out", file, "--svg", first)
	require.Equal(t, 1, r.code)
	require.Equal(t, 1, elect(t, "", "check", "--replay", file, "--svg", again).code)
	want, err := os.ReadFile(first)
	require.NoError(t, err)
	require.Contains(t, string(want), "only the right process leads")
	got, err := os.ReadFile(again)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// TestReplayOfWhatIsRight: the report of a complete and correct run states both.
func TestReplayOfWhatIsRight(t *testing.T) {
	const begin = `{"algorithm": "lcr", "ids": [1, 3], "steps": [{"do": "start", "process": 3}`
	const deliver = `, {"do": "deliver", "process": 1, "port": 1}, {"do": "deliver", "process": 3, "port": 1}`
	r := elect(t, begin+deliver+deliver+"]}", "check", "--replay", "-")
	require.Zero(t, r.code, r.stderr)
	require.Empty(t, r.stderr)
	require.Contains(t, r.stdout, "decides")
	elect(t, begin+deliver+deliver+deliver+"]}", "check", "--replay", "-").
		requireLine(t, exit.StatusUsage, "--replay -: steps[5]: deliver: no message is on the link to port "+
			"1 of 1")
	named := strings.Replace(begin, "{", `{"property": "one-leader-a-term", "note": "process 12 leads",`, 1)
	r = elect(t, named+deliver+deliver+"]}", "check", "--replay", "-")
	require.Zero(t, r.code, r.stderr)
	require.True(t, strings.HasSuffix(r.stdout, "\nnot violated in these steps: one leader per Term\n"),
		r.stdout)
	elect(t, strings.Replace(named, "one-leader-a-term", "exclusive", 1)+deliver+"]}", "check", "--replay",
		"-").
		requireLine(t, exit.StatusUsage,
			`--replay -: property: no steps break "exclusive": lcr/participant has no critical section`)
	elect(t, right, "check", "--replay", "-").requireLine(t, exit.StatusUsage,
		"--replay -: it has no steps; elect sim --scenario runs it")
	elect(t, "["+right+","+right+"]", "check", "--replay", "-").requireLine(t, exit.StatusUsage,
		"--replay -: it holds 2 scenarios, one is needed")
}

// TestCheckOfAScenario: a file has the same effect as flags.
func TestCheckOfAScenario(t *testing.T) {
	file := `{"algorithm": "bully", "ids": [1, 2, 3], "initiators": [1], "crashed": [3], "fifo": false, "schedule": "random",
		"delay": {"max": 2}, "params": {"alive_timeout": 5}}`
	one := elect(t, file, "check", "--scenario", "-", "--json")
	two := elect(t, "", strings.Fields("check bully -n 3 --initiators 1 --crashed 3 --network unordered "+
		"--delay 2 --param alive_timeout=5 --json")...)
	require.Zero(t, one.code, one.stderr)
	require.Contains(t, one.stdout, `"network":"unordered"`)
	require.Contains(t, one.stdout, `"delay":2`)
	until := func(s string) string { return s[:strings.Index(s, `"seconds"`)] }
	require.Equal(t, until(two.stdout), until(one.stdout))

	for text, want := range map[string]string{
		`"algorithm": "lcr", "start_times": [0, 1]`: `start_times: a check starts ` +
			`each process at every moment`,
		`"algorithm": "lcr", "loss": 0.5`: `loss, duplicate, reorder, ` +
			`partitions: a check tries every loss; give the number of losses`,
		`"algorithm": "lcr", "steps": [{"do": "start", "process": 1}]`: `steps: a check tries all that can ` +
			`happen; --replay runs them`,
	} {
		elect(t, `{"ids": [1, 2], `+text+`}`, "check", "--scenario", "-").requireLine(t, exit.StatusUsage,
			"--scenario -: "+want)
	}
	elect(t, "["+right+","+right+"]", "check", "--scenario", "-").requireLine(t, exit.StatusUsage,
		"--scenario -: it holds 2 scenarios, one is needed")
	for until, named := range map[string]bool{"": true, `, "until": 3`: false} {
		r := elect(t, `{"algorithm": "bully", "ids": [1, 2], "params": {"heartbeat": 2}`+until+`}`, "check",
			"--scenario", "-")
		require.Zero(t, r.code, r.stderr)
		require.Equal(t, named, strings.Contains(r.stdout, "--until"), r.stdout)
	}
}

// TestCheckInterrupted: the report contains the findings so far, and states that they are incomplete.
func TestCheckInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	code := run(ctx, strings.Fields("check lcr -n 5 --json"), strings.NewReader(""), &stdout, &stderr)
	require.Equal(t, exit.StatusUnfinished, code)
	require.Equal(t, "elect: not exhausted: interrupted after 1 state\n", stderr.String())
	require.Contains(t, stdout.String(), `"exhausted":false,"stopped":"not exhausted: interrupted after 1 `+
		`state"`)
	require.Contains(t, stdout.String(), `"holds":null`)
}

func TestCheckMemory(t *testing.T) {
	elect(t, "", strings.Fields("check echo/extinction -n 4 --network unordered --memory 2MB")...).exits(t,
		exit.StatusUnfinished,
		"not exhausted: stopped at the limit of memory, 2 MB after ")
}

// exits wants an exit status and how the line on standard error begins.
func (r ran) exits(t *testing.T, code int, begins string) {
	t.Helper()
	require.Equal(t, code, r.code, r.stderr)
	require.True(t, strings.HasPrefix(r.stderr, "elect: "+begins), r.stderr)
}

// TestCheckExampleOfLease: the example in the help ends soon, and leases hold.
func TestCheckExampleOfLease(t *testing.T) {
	_, line, ok := strings.Cut(elect(t, "", "check", "--help").stdout, "\n  elect check lease ")
	require.True(t, ok)
	line, _, _ = strings.Cut(line, "\n")
	r := elect(t, "", append([]string{"check", "lease"}, strings.Fields(line)...)...)
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t, `\n  states +559,632\n`, r.stdout, "enough for a crash and the next lease")
	require.Regexp(t, `\n  one valid lease at a time +holds\n`, r.stdout)
	require.Regexp(t, `\n  a process leads +seen\n`, r.stdout)
}

// TestCheckWithoutRest: an algorithm that never comes to rest is checked up to an end that the output names.
func TestCheckWithoutRest(t *testing.T) {
	for line, want := range map[string]string{
		"lease -n 2 --crashes 1":            "the end at 4 (lease never comes to rest; --until sets another end)",
		"lease -n 2 --tick 0.02":            "the end at 4 (lease",
		"lease -n 2 --tick 0.01":            "the end at 2 (lease", // more would be too many ticks
		"bully -n 2 --param heartbeat=2":    "the end at 4 (bully/rules never comes to rest",
		"lease -n 2 --crashes 1 --until 3":  "the end at 3\n",
		"bully -n 2 --crashes 1 --until 3":  "the end at 3\n",
		"bully -n 2 --crashes 1 --window 1": "starts until 1\n",
	} {
		r := elect(t, "", append(strings.Fields("check "+line), "--max-states", "20000", "--verbose")...)
		require.Contains(t, []int{0, exit.StatusUnfinished}, r.code, "%s: %s", line, r.stderr)
		require.Contains(t, strings.Join(strings.Fields(r.stdout), " ")+"\n", strings.TrimSuffix(want, "\n"), line)
	}
	const none = "leases none ends before that"
	for line, warned := range map[string]bool{"lease -n 2": true, "lease -n 2 --param lease=3 --param drift=0": false,
		"bully -n 2 --param heartbeat=2": false} {
		r := elect(t, "", append(strings.Fields("check "+line), "--max-states", "20000")...)
		require.Equal(t, warned, strings.Contains(strings.Join(strings.Fields(r.stdout), " "), none), line)
	}
	if !*longer {
		return
	}
	c := checks(t, 0, "lease -n 3 --crashes 1")
	require.True(t, c.Exhausted)
	require.Equal(t, 271_547, c.States)
}

// TestCheckOfTheCatalog: a check with a crash and no other flags runs for each algorithm, or fails with one
// line that explains what to do.
func TestCheckOfTheCatalog(t *testing.T) {
	for _, a := range catalog.All() {
		line := "check " + a.Name + " -n 3 --crashes 1 --max-states 1000"
		if a.Variant != "" {
			line += " --variant " + a.Variant
		}
		r := elect(t, "", strings.Fields(line)...)
		switch r.code {
		case 0, exit.StatusFailed, exit.StatusUnfinished:
			require.Contains(t, r.stdout, "states ", line)
		default:
			require.Contains(t, []string{
				"elect: topology: hypercube needs a hypercube, whose processes are a power of two up to 2^25, not 3\n",
				"elect: topology: mesh needs a mesh, and 3 processes do not form a mesh of at least 3 x 3\n",
			}, r.stderr, line)
		}
		require.LessOrEqual(t, strings.Count(r.stderr, "\n"), 1, line)
	}
}

// TestNudge: with --nudge, processes without a leader start when nothing is left to happen.
func TestNudge(t *testing.T) {
	const nudged = "in the end processes without a leader start"
	require.NotContains(t, elect(t, "", "check", "bully", "-n", "2").stdout, nudged)
	require.Contains(t, elect(t, "", "check", "bully", "-n", "2", "--nudge").stdout, nudged)
}
