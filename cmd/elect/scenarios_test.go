package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

const right = `{"name": "six", "algorithm": "lcr", "ids": [3, 1, 4, 8, 5, 2], "any_schedule": true,
	"expect": {"leader": 8, "messages": 22, "by_kind": {"election": 16, "elected": 6}, "time": 12}}`

func TestScenario(t *testing.T) {
	crashed := `{"name": "dead", "algorithm": "lcr", "ids": [1, 2, 3], "crash_at": [[3, 0]],
		"expect": {"leader": null, "messages": 2, "time": 1}}`
	random := `{"algorithm": "lcr", "ids": [3, 1, 2], "schedule": "random", "seed": 5, "fifo": false,
		"delay": {"distribution": "exponential", "mean": 1}, "expect": {"leader": 3, "messages": 8}}`
	for _, c := range []struct{ about, file, line string }{
		{"as planned", right, "sim --scenario -"},
		{"a time differs under another schedule", right, "sim --scenario - --schedule random --seed 3"},
		{"goroutines", right, "run --scenario -"},
		{"no leader is right if none is expected", crashed, "sim --scenario -"},
		{"random", random, "sim --scenario -"},
		{"random as goroutines", random, "run --scenario -"},
		{"back to unit", random, "sim --scenario - --schedule unit"},
		{"in order", random, "sim --scenario - --fifo --delay 1,1"},
		{"a list", "[" + right + "," + right + "]", "sim --scenario -"},
		{"counts of one schedule", strings.Replace(strings.Replace(right, "true", "false", 1), "22", "23", 1),
			"run --scenario -"},
	} {
		t.Run(c.about, func(t *testing.T) {
			r := elect(t, c.file, append(strings.Fields(c.line), "--json")...)
			require.Zero(t, r.code, r.stderr)
			require.Empty(t, r.stderr)
			require.Equal(t, max(1, strings.Count(c.file, `"six"`)), strings.Count(r.stdout, "\n"))
		})
	}
}

// TestAsExpected: the report mentions an expectation that holds.
func TestAsExpected(t *testing.T) {
	const expected = "\n  outcome   as expected\n"
	require.Contains(t, elect(t, right, "sim", "--scenario", "-").stdout, expected)
	require.Contains(t, elect(t, right, "run", "--scenario", "-").stdout, expected)
	none := `{"algorithm": "lcr", "ids": [1, 2]}`
	require.NotContains(t, elect(t, none, "sim", "--scenario", "-").stdout, "expected")
	require.NotContains(t, elect(t, strings.Replace(right, "22", "23", 1), "sim", "--scenario", "-").stdout,
		"as expected")
}

func TestScenarioNotAsExpected(t *testing.T) {
	for _, c := range []struct{ from, to, line, want string }{
		{`"leader": 8`, `"leader": 5`, "sim", "six: not what was expected: leader: 8, not 5"},
		{`"leader": 8`, `"leader": null`, "sim",
			"six: not what was expected: leader: all name 8, not none"},
		{`"messages": 22`, `"messages": 21`, "sim", "six: not what was expected: messages: 22, not 21"},
		{`"messages": 22`, `"messages": 21`, "run", "six: not what was expected: messages: 22, not 21"},
		{`"messages": 22`, `"messages": 21`, "sim --schedule random",
			"six: not what was expected: messages: 22, not 21"},
		{`"election": 16`, `"election": 17`, "sim",
			"six: not what was expected: by_kind.election: 16, not 17"},
		{`"time": 12`, `"time": 11.5`, "sim", "six: not what was expected: time: 12, not 11.5"},
	} {
		file := strings.Replace(right, c.from, c.to, 1)
		r := elect(t, file, append(strings.Fields(c.line), "--scenario", "-")...)
		r.requireLine(t, exit.StatusFailed, c.want)
		require.Contains(t, r.stdout, "six: lcr/participant")
	}
	wrong := strings.Replace(right, `"messages": 22`, `"messages": 21`, 1)
	r := elect(t, "["+wrong+","+right+","+wrong+"]", "sim", "--scenario", "-", "--json")
	require.Equal(t, exit.StatusFailed, r.code)
	require.Equal(t, 3, strings.Count(r.stdout, "\n"), "one that fails does not stop the others")
	require.Equal(t, 2, strings.Count(r.stderr, "\n"), "a line for each that fails")
}

// lateStart is refused when it is run, not before.
const lateStart = `{"name": "late", "algorithm": "lcr", "variant": "initiators", "ids": [3, 2, 1],
	"initiators": [3, 2, 1], "start_times": [0, 2, 2]}`

func TestScenariosThatFailDoNotKeepOthersFromBeingRun(t *testing.T) {
	wrong := strings.Replace(right, `"messages": 22`, `"messages": 21`, 1)
	nameless := strings.Replace(wrong, `"name": "six", `, "", 1)
	r := elect(t, "["+wrong+","+lateStart+","+nameless+","+right+"]", "sim", "--scenario", "-", "--json")
	require.Equal(t, exit.StatusUsage, r.code)
	require.Equal(t, 3, strings.Count(r.stdout, "\n"))
	require.Equal(t, `elect: scenario[0] (six): not what was expected: messages: 22, not 21
elect: scenario[1] (late): start after the process has already relayed: process 2
elect: scenario[2]: not what was expected: messages: 22, not 21
`, r.stderr)
}

// A start that a process refuses is a part of a run with acts or steps: the page shows such a run with its
// hash, and the command reports it with the same.
func TestRefusedStartsHaveAHash(t *testing.T) {
	head := `{"name": "by hand", "algorithm": "lcr", "variant": "initiators", "ids": [1, 2, 3], `
	for file, want := range map[string]string{
		`"schedule": "hand", "acts": [{"after": 3, "do": "start", "process": 1},
			{"after": 4, "do": "deliver", "process": 2, "port": 1},
			{"after": 4, "do": "start", "process": 2}]}`: "2 units (hand schedule, seed 0, 3 acts)",
		`"steps": [{"do": "start", "process": 1}, {"do": "deliver", "process": 2, "port": 1},
			{"do": "start", "process": 2}]}`: "1 units (3 steps)",
	} {
		r := elect(t, head+file, "sim", "--scenario", "-")
		require.Equal(t, exit.StatusUsage, r.code)
		require.Contains(t, r.stdout, want)
		require.Regexp(t, `(?m)^  trace     [0-9a-f]{16}$`, r.stdout)
		require.Contains(t, r.stderr, "elect: by hand: start after the process has already relayed: process 2\n")
	}
}

func TestScenariosAreCheckedBeforeTheFirstIsRun(t *testing.T) {
	unordered := `{"name": "loose", "algorithm": "dkr", "ids": [1, 2], "schedule": "random", "fifo": false}`
	slow := `{"algorithm": "lcr", "ids": [1, 2], "schedule": "random", "delay": {"distribution": ` +
		`"exponential", "mean": 1e6}}`
	file := "[" + right + "," + unordered + "," + slow + "]"
	r := elect(t, file, "sim", "--scenario", "-")
	require.Equal(t, exit.StatusUsage, r.code)
	require.Empty(t, r.stdout)
	require.Regexp(t,
		`^elect: scenario\[1\] \(loose\): the algorithm needs links .*: dkr \(--force runs it anyway\)
elect: scenario\[2\]: delay: a mean of .*
$`, r.stderr)
	r = elect(t, file, "run", "--scenario", "-", "--json")
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, 3, strings.Count(r.stdout, "\n"))
}

func TestBadScenario(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ file, line, want string }{
		{"", "sim --scenario " + dir + "/none.json",
			"--scenario " + dir + "/none.json: no such file or directory"},
		{"", "sim --scenario " + dir, "--scenario " + dir + ": it is a folder, not a file"},
		{"", "sim --scenario=", "--scenario: no file is given"},
		{"", "sim --scenario -", "--scenario -: the input is empty"},
		{"[]", "sim --scenario -", "--scenario -: the list is empty"},
		{right, "sim lcr --scenario -", `--scenario includes the algorithm: unexpected argument "lcr"`},
		{right, "sim -n 3 --scenario -", `if any flags in the group [scenario n] are set none of the others can be; [n scenario] were all set`},
		{right, "sim --ids 3 --scenario -", `if any flags in the group [scenario ids] are set none of the others can be; [ids scenario] were all set`},
		{right, "run --variant max --scenario -", `if any flags in the group [scenario variant] are set none of the others can be; [scenario variant] were all set`},
		{right, "run --order random --scenario -", `if any flags in the group [scenario order] are set none of the others can be; [order scenario] were all set`},
		{right, "sim --start-times 1 --scenario -", `if any flags in the group [scenario start-times] are set none of the others can be; [scenario start-times] were all set`},
		{right, "sim --fifo=false --scenario -",
			"six: fifo: the unit schedule keeps the order, only the random one need not"},
		{strings.Replace(right, `"lcr"`, `"lrc"`, 1), "sim --scenario -",
			`six: unknown algorithm "lrc": did you mean lcr?`},
		{strings.Replace(right, "5, 2", "5, 0", 1), "run --scenario -",
			"--scenario -: scenario.ids[5]: 0 is not a valid id"},
		{`{"algorithm": "lcr", "ids": [1, 2], "pause_at": [[1, 0, 1]]}`, "run --scenario -",
			"--scenario -: pause_at: pauses need the simulator's clock"},
		{"[" + right + `,{"algorithm": "lcr", "ids": [1, 1]}]`, "sim --scenario -",
			"scenario[1]: ids[1]: 1 is already the id of ids[0]"},
		{`{"algorithm": "dkr", "ids": [1, 2], "schedule": "random", "fifo": false}`, "sim --scenario -",
			"--scenario -: the algorithm needs links that keep messages in order: dkr (--force runs it " +
				"anyway)"},
		{`{"algorithm": "LCR", "ids": [1, 2]}`, "sim --scenario -",
			`--scenario -: unknown algorithm "LCR": did you mean lcr?`},
		{lateStart, "sim --scenario -", "late: start after the process has already relayed: process 2"},
	} {
		t.Run(c.want, func(t *testing.T) {
			r := elect(t, c.file, strings.Fields(c.line)...)
			r.requireLine(t, exit.StatusUsage, c.want)
			require.Empty(t, r.stdout)
		})
	}
}

func TestScenarioFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "six.json")
	require.NoError(t, os.WriteFile(path, []byte(right), 0o600))
	fromFile := elect(t, "", "sim", "--scenario", path, "--json")
	fromFlags := elect(t, "", "sim", "lcr", "--ids", "3,1,4,8,5,2", "--json")
	require.Zero(t, fromFile.code, fromFile.stderr)
	require.Equal(t, measured.ReplaceAllString(fromFlags.stdout, ""),
		measured.ReplaceAllString(fromFile.stdout, ""))
}

// TestSharedScenarios: each shared scenario has the expected result, and the expected leader on another
// schedule too. If the winner is random, the expectation covers its own schedule only, but two leaders are a
// failure on every schedule.
func TestSharedScenarios(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var all []json.RawMessage
		require.NoError(t, json.Unmarshal(text, &all), file)
		for _, one := range all {
			for _, how := range []string{"sim", "sim --schedule random --seed 11"} {
				r := elect(t, string(one), append(strings.Fields(how), "--json", "--scenario", "-")...)
				want := 0
				if how != "sim" && strings.Contains(string(one), "itairodeh/too small") {
					want = exit.StatusFailed
				}
				require.Equal(t, want, r.code, "%s %s: %s\n%s", how, file, r.stderr, one)
			}
		}
	}
}

// TestMuseum: an algorithm that is wrong on purpose is run and checked by its name, and stands in no list.
func TestMuseum(t *testing.T) {
	wrong := `{"algorithm": "museum", "variant": "lcr-process-relayed-may-still-start", "ids": [1, 2],
		"schedule": "hand", "acts": [{"after": 2, "do": "start", "process": 1},
		{"after": 3, "do": "deliver", "process": 2, "port": 1},
		{"after": 4, "do": "deliver", "process": 1, "port": 1}, {"after": 5, "do": "start", "process": 2}]}`
	r := elect(t, wrong, "sim", "--scenario", "-")
	require.Equal(t, exit.StatusFailed, r.code, r.stderr)
	require.Contains(t, r.stdout, "museum/lcr-process-relayed-may-still-start, 2 processes")
	r = elect(t, "", "check", "museum/lcr-process-relayed-may-still-start", "-n", "2")
	require.Regexp(t, "only the right process leads +violated", r.stdout)
	require.NotContains(t, elect(t, "", "list").stdout, "museum")
	elect(t, "", "sim", "museum/nothing", "-n", "2").requireLine(t, exit.StatusUsage,
		`algorithm: museum has no "nothing"`)
}
