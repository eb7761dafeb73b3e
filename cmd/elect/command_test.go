package main

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/exit"
)

// refused maps a command line to the one line that it is answered with.
type refused map[string]string

func (lines refused) test(t *testing.T) {
	for line, want := range lines {
		t.Run(line, func(t *testing.T) {
			r := elect(t, "", strings.Fields(line)...)
			r.requireLine(t, exit.StatusUsage, want)
			require.Empty(t, r.stdout)
		})
	}
}

func TestUnknownNames(t *testing.T) {
	refused{
		"smi":      `unknown command "smi": did you mean sim?`,
		"zzzzzz":   `unknown command "zzzzzz": elect --help lists them`,
		"--jsno":   `unknown flag: --jsno`,
		"help smi": `unknown command "smi": did you mean sim?`,
		"list lrc": `unknown algorithm "lrc": did you mean lcr?`,
		"list lcr/wav": `unknown variant "wav": lcr has participant, initiators, max, ` +
			`wave`,
		"list lcr lcr/":          `"lcr/": a variant is missing after the slash`,
		"list --jsn":             `unknown flag: --jsn: did you mean --json?`,
		"completion foo":         `unknown command "foo": elect completion --help lists them`,
		"help experiment zzzzzz": `unknown command "zzzzzz": elect experiment --help lists them`,
		"help topology x":        `unknown command "x" for "elect topology"`,
		"help sim x":             `unknown command "x" for "elect sim"`,
		"check museum -n 3":      `which of the museum? docs/museum.md lists them, as museum/lcr-...`,
		"sim": `which algorithm? There are ` + strings.Join(catalog.Names(),
			", "),
		"sim lrc -n 3": `unknown algorithm "lrc": did you mean lcr?`,
		"sim lcr/mxa -n 3": `unknown variant "mxa": lcr has participant, initiators, max, ` +
			`wave`,
		"sim lcr -n 3 --variant mxa": `unknown variant "mxa": lcr has participant, initiators, max, ` +
			`wave`,
		"sim lcr/max -n 3 --variant wave": `--variant: "wave" contradicts "lcr/max"`,
		"sim lcr/ -n 3":                   `"lcr/": a variant is missing after the slash`,
		"sim lcr -n 3 --variant=":         `--variant: no variant is given`,
		"sim lcr -n 3 more":               `unexpected argument "more"`,
		"sim lcr -n 3 --sede 1":           `unknown flag: --sede: did you mean --seed?`,
		"sim lcr -n 3 -x":                 `unknown shorthand flag: 'x' in -x`,
		"sim lcr -n":                      `flag needs an argument: 'n' in -n`,
		"run lcr -n 3 --schedule unit":    `unknown flag: --schedule`,
		"run lcr -n 3 --start-times 1":    `start_times: 1 for 3 initiators`,
		"run lcr -n 3 --unit -1s":         `--unit: -1s is not above 0`,
		"run lcr -n 3 --unit 0s":          `--unit: 0s is not above 0`,
		"run lcr -n 3 --unit 3":           `--unit: "3" is not a time, as in 20ms or 1.5s`,
		"sim lcr -n 3 --unit 1s":          `unknown flag: --unit`,
		"run lcr --delay 1,2":             `unknown flag: --delay`,
		"list --ids 1":                    `unknown flag: --ids`,
		"sim LCR -n 3":                    `unknown algorithm "LCR": did you mean lcr?`,
		"sim Dkr/x -n 3":                  `unknown algorithm "Dkr": did you mean dkr?`,
		"run LCR/max -n 3":                `unknown algorithm "LCR": did you mean lcr?`,
		"sim lcr --ids 3, 1,4":            `--ids[1]: a number is missing`,
		"sim --ids 3 ,1 4 lcr":            `unexpected argument ",1": a list has commas only, no spaces`,
		"sim lcr -n 2 --start-times 0, 1": `--start-times[1]: "" is not a time`,
	}.test(t)
}

func TestBadProcesses(t *testing.T) {
	refused{
		"sim lcr":                  `the number of processes is missing: set -n or --ids`,
		"sim lcr -n 0":             `-n: 0 is not between 1 and 33554432`,
		"sim lcr -n -1":            `-n: -1 is not between 1 and 33554432`,
		"sim lcr --n=":             `-n: "" is not a whole number`,
		"sim lcr -n x":             `-n: "x" is not a whole number`,
		"sim lcr -n 2.5":           `-n: "2.5" is not a whole number`,
		"sim lcr -n NaN":           `-n: "NaN" is not a whole number`,
		"sim lcr -n 1e12":          `-n: 1e12 is not between 1 and 33554432`,
		"sim lcr -n 1000000000000": `-n: 1000000000000 is not between 1 and 33554432`,
		"sim lcr -n 1e999":         `-n: 1e999 is not between 1 and 33554432`,
		"run lcr -n 2000001":       `-n: 2000001 is not between 1 and 2000000`,
		"sim lcr -n 3 --ids 1,2":   `if any flags in the group [n ids] are set none of the others can be; [ids n] were all set`,
		"sim lcr --n 3 --ids 1,2":  `if any flags in the group [n ids] are set none of the others can be; [ids n] were all set`,
		"sim lcr --ids=":           `--ids: the list is empty`,
		"sim lcr --ids 1,,2":       `--ids[1]: a number is missing`,
		"sim lcr --ids 1,x":        `--ids[1]: "x" is not a whole number`,
		"sim lcr --ids -1":         `--ids[0]: -1 is negative`,
		"sim lcr --ids 18446744073709551616": `--ids[0]: 18446744073709551616 is above the largest number ` +
			`there is, 18446744073709551615`,
		"sim lcr --ids 1,0":                  `ids[1]: 0 is not a valid id`,
		"sim lcr --ids 1,2,1":                `ids[2]: 1 is already the id of ids[0]`,
		"sim lcr --ids 1,2,1 --order random": `ids[2]: 1 is already the id of ids[0]`,
		"sim lcr -n 3 --priorities 1,2":      `priorities: 2 for 3 ids`,
		"sim lcr -n 1 --priorities -2":       `--priorities[0]: -2 is negative`,
		"sim lcr -n 3 --seed -1":             `invalid argument "-1" for "--seed" flag: strconv.ParseUint: parsing "-1": invalid syntax`,
		"sim lcr -n 3 --seed=":               `invalid argument "" for "--seed" flag: strconv.ParseUint: parsing "": invalid syntax`,
	}.test(t)
}

func TestBadInitiators(t *testing.T) {
	refused{
		"sim lcr -n 3 --initiators 4":        `initiators[0]: 4 is not a process`,
		"sim lcr -n 3 --initiators 1,1":      `initiators[1]: 1 is listed twice`,
		"sim lcr -n 3 --initiators=":         `--initiators: the list is empty`,
		"sim lcr -n 3 --initiators some":     `--initiators[0]: "some" is not a whole number`,
		"sim lcr -n 3 --start-times 0,1":     `start_times: 2 for 3 initiators`,
		"sim lcr -n 2 --start-times 0,-1":    `--start-times[1]: -1 is less than 0`,
		"sim lcr -n 2 --start-times 0,NaN":   `--start-times[1]: "NaN" is not a time`,
		"sim lcr -n 2 --start-times 0,Inf":   `--start-times[1]: Inf is longer than 1000000 units`,
		"sim lcr -n 2 --start-times 0,1e300": `--start-times[1]: 1e300 is longer than 1000000 units`,
		"sim lcr -n 2 --start-times=":        `--start-times: the list is empty`,
	}.test(t)
}

func TestBadSchedules(t *testing.T) {
	refused{
		"sim lcr -n 3 --order bset": `--order: "bset" is not one of sorted, ` +
			`random, best, worst: did you mean best?`,
		"sim hs -n 100 --order worst": `--order worst: no such arrangement is known ` +
			`for hs/probe with 100 processes`,
		"sim lcr -n 3 --order best --initiators 1": `--order best: it is the best case only if ` +
			`all processes start simultaneously`,
		"sim lcr -n 2 --order worst --start-times 0,1": `--order worst: it is the worst case only if ` +
			`all processes start simultaneously`,
		"sim lcr -n 3 --schedule unti": `--schedule: "unti" is not one of unit, ` +
			`random: did you mean unit?`,
		"sim lcr -n 3 --fifo=maybe": `invalid argument "maybe" for "--fifo" flag: strconv.ParseBool: parsing "maybe": invalid syntax`,
		"sim lcr -n 3 --fifo=false": `fifo: the unit schedule keeps the order, ` +
			`only the random one need not`,
		"sim lcr -n 3 --delay 1,2": `--delay: a message of the unit schedule ` +
			`takes one unit, only --schedule random has delays`,
		"sim lcr -n 3 --schedule random --delay 2,1": `--delay: "2,1" is not a range of delays ` +
			`above 0`,
		"sim lcr -n 3 --schedule random --delay 0,0": `--delay: "0,0" is not a range of delays ` +
			`above 0`,
		"sim lcr -n 3 --schedule random --delay 1": `--delay: "1" is not a shortest and a ` +
			`longest delay`,
		"sim lcr -n 3 --schedule random --delay 1,NaN": `--delay[1]: "NaN" is not a time`,
		"sim lcr -n 3 --schedule random --delay 1,2e6": `--delay[1]: 2e6 is longer than 1000000 units`,
		"sim lcr -n 3 --schedule random --delay 1,1000000.1": `--delay[1]: 1000000.1 is longer than ` +
			`1000000 units`,
		"sim dkr -n 3 --schedule random --fifo=false": `the algorithm needs links that keep ` +
			`messages in order: dkr (--force runs it anyway)`,
		"sim lcr/initiators --ids 3,2,1 --start-times 0,2,2": `start after the process has already ` +
			`relayed: process 2`,
	}.test(t)
}

// TestForce: --force runs each election that is refused with that advice, and its help names each case.
func TestForce(t *testing.T) {
	help := strings.Join(strings.Fields(elect(t, "", "sim", "--help").stdout), " ")
	_, help, force := strings.Cut(help, " --force ")
	require.True(t, force)
	help, _, _ = strings.Cut(help, " --crashed ")
	for line, word := range map[string]string{
		"sim dkr -n 3 --schedule random --fifo=false":                  "the order",
		"sim bully -n 3 --schedule random --delay 1,4 --param delay=2": "the delay",
		"sim bully -n 3 --duplicate 0.1":                               "--duplicate",
		"sim floodmax -n 3 --start-times 0,1,2":                        "starts at several times",
	} {
		r := elect(t, "", strings.Fields(line)...)
		require.Equal(t, exit.StatusUsage, r.code, line)
		require.Contains(t, r.stderr, "--force runs it anyway", line)
		require.NotEqual(t, exit.StatusUsage, elect(t, "", strings.Fields(line+" --force")...).code, line)
		require.Contains(t, help, word)
	}
}

// TestUnnamedInPartition: processes in no group of a --partition form another group, as documented in the
// help. Without times the partition lasts for the whole run.
func TestUnnamedInPartition(t *testing.T) {
	for partition, leaders := range map[string]string{"1,2": "2", "1|2": "3"} {
		r := elect(t, "", "sim", "bully", "-n", "4", "--json", "--partition", partition)
		require.Equal(t, exit.StatusFailed, r.code)
		require.Contains(t, r.stdout, `"leaders":`+leaders+`,`)
	}
	for _, page := range [][]string{{"sim", "--help"}, {"help", "faults"}} {
		text := strings.Join(strings.Fields(elect(t, "", page...).stdout), " ")
		require.Regexp(t, `processes in no group form another group`, text)
		require.Regexp(t, `without @\S* (it lasts )?for the whole run`, text)
	}
}

// TestSingleInitiator: without --initiators, an algorithm with a single initiator has one, as documented in
// the help.
func TestSingleInitiator(t *testing.T) {
	for _, flags := range []string{"", "--initiators all", "--initiators 1"} {
		line := "sim echo/implicit -n 4 --start-times 0 --json " + flags
		r := elect(t, "", strings.Fields(line)...)
		require.Zero(t, r.code, r.stderr)
	}
	elect(t, "", strings.Fields("sim echo/implicit -n 4 --start-times 0,1,2,3")...).requireLine(t,
		exit.StatusUsage, "start_times: 4 given, but echo/implicit allows one initiator")
	for _, command := range []string{"sim", "run", "check", "compare"} {
		text := strings.Join(strings.Fields(elect(t, "", command, "--help").stdout), " ")
		require.Contains(t, text, "if the algorithm allows one, all means one (default all)")
	}
}

func TestNamesWithControlCharactersStayOnOneLine(t *testing.T) {
	elect(t, "", "sim", "l\ncr", "-n", "3").requireLine(t, exit.StatusUsage,
		`unknown algorithm "l\ncr": did you mean lcr?`)
	elect(t, "", "sim", "--scenario", "/no\n\x1bfile").requireLine(t, exit.StatusUsage,
		"--scenario /no; ?file: no such file or directory")
}

func TestGoodUsage(t *testing.T) {
	for _, line := range []string{
		"", "--help", "help", "help sim", "completion", "completion bash --help", "list", "list --json",
		"sim lcr/max -n 3", "sim lcr --variant max -n 3", "sim lcr/max --variant max -n 3",
		"sim lcr -n 1e3", "sim lcr -n 3 --schedule random --fifo=false --seed 9",
		"sim dkr -n 5 --schedule random --fifo=false --force --initiators 5",
		"sim lcr -n 3 --schedule random --delay 0,2", "sim lcr -n 3 --schedule random --delay 1e6,1000000",
		"sim lcr -n 1 --start-times 1e6", "--version",
		"run lcr -n 3 --order random", "run franklin -n 9 --order worst",
		"sim hs --ids 40,10,30,20 --order best", "sim lcr/wave -n 4 --initiators 2",
	} {
		t.Run(line, func(t *testing.T) {
			r := elect(t, "", strings.Fields(line)...)
			require.Zero(t, r.code, r.stderr)
			require.Empty(t, r.stderr)
			require.NotEmpty(t, r.stdout)
		})
	}
}

func TestNobodyStarts(t *testing.T) {
	for _, command := range []string{"sim", "run"} {
		r := elect(t, "", command, "lcr", "-n", "3", "--initiators", "none", "--json")
		r.requireLine(t, exit.StatusFailed, "no leader that all agree on: no process believes it leads")
		require.Contains(t, r.stdout,
			`"leader":null,"leaders":0,"agreed":false,"terminated":false,"messages":0,"by_kind":{}`)
		require.Contains(t, r.stdout, `"ns_per_message":0}`)
	}
}

func TestOrder(t *testing.T) {
	for line, messages := range map[string]string{
		"sim lcr -n 8":                                              `"messages":23,`,
		"sim lcr -n 8 --order worst":                                `"messages":44,`,
		"sim lcr --ids 90,10,30,20":                                 `"messages":12,`,
		"sim lcr --ids 40,10,30,20 --order sorted":                  `"messages":11,`,
		"sim lcr --ids 40,10,30,20 --order worst":                   `"messages":14,`,
		"sim lcr --ids 1,2,3,4 --priorities 4,3,2,1":                `"messages":14,`,
		"sim lcr -n 4 --priorities 4,3,2,1 --order best":            `"messages":11,`,
		"run lcr -n 4 --priorities 9,3,5,1 --order worst":           `"messages":14,`,
		"sim lcr --ids 1,2,3,4 --priorities 4,3,2,1 --order sorted": `"leader":1,`,
	} {
		r := elect(t, "", append(strings.Fields(line), "--json")...)
		require.Zero(t, r.code, r.stderr)
		require.Contains(t, r.stdout, messages, line)
	}
	first := elect(t, "", strings.Fields("sim lcr -n 50 --order random --seed 1 --json")...)
	second := elect(t, "", strings.Fields("sim lcr -n 50 --order random --seed 2 --json")...)
	require.NotEqual(t, hashOf(t, first.stdout), hashOf(t, second.stdout))
}

// TestVersion: it prints a version or a commit, or a text if the binary contains neither.
func TestVersion(t *testing.T) {
	const named = `^elect (version (v\d\S*|[0-9a-f]{40}(, changed since)?)|development version)\n$`
	require.Regexp(t, named, elect(t, "", "--version").stdout)
	r := execute(t, "A=", "", "--version")
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t, named, r.stdout)
	set := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	commit, changed := set("vcs.revision", "0123abc"), set("vcs.modified", "true")
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v1.2.3", nil, "version v1.2.3"},                                       // go install ...@v1.2.3
		{"v0.0.0-2026-0123abc+dirty", nil, "version v0.0.0-2026-0123abc+dirty"}, // go build in a clone
		{"(devel)", nil, "development version"},                                 // go run
		{"", nil, "development version"},                                        // a test
		{"(devel)", []debug.BuildSetting{commit}, "version 0123abc"},            // go build by an older Go
		{"(devel)", []debug.BuildSetting{commit, changed}, "version 0123abc, changed since"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		require.Equal(t, c.want, version(info))
	}
	require.Equal(t, "development version", version(nil))
}

// broken takes nothing.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestStandardOutputIsBroken(t *testing.T) {
	for _, line := range []string{"sim lcr -n 3", "run lcr -n 3 --json", "list", "list --json", "help",
		"--version", "completion bash", "sim --help"} {
		var stderr strings.Builder
		code := run(t.Context(), strings.Fields(line), strings.NewReader(""), broken{}, &stderr)
		require.Equal(t, exit.StatusFailed, code, line)
		require.Equal(t, "elect: the disk is full\n", stderr.String(), line)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{"sim lcr/max -n 100000", "run lcr/max -n 1000", "sim --scenario -"} {
		var stdout, stderr strings.Builder
		code := run(ctx, strings.Fields(line), strings.NewReader("["+right+","+right+"]"), &stdout, &stderr)
		require.Equal(t, exit.StatusInterrupted, code)
		require.Equal(t, "elect: interrupted\n", stderr.String())
		require.Empty(t, stdout.String())
	}
}

// TestErrorsAreShort: whatever is typed in any length, the error is one line that can be read.
func TestErrorsAreShort(t *testing.T) {
	const n = 2500
	for _, long := range []string{strings.Repeat("x", n), strings.Repeat("9", n), strings.Repeat("x ", n)} {
		for _, line := range []string{
			"L", "sim L", "sim lcr/L", "sim lcr --L", "sim lcr -n L", "sim lcr --ids 1,L",
			"sim lcr -n 3 --seed -L", "sim lcr -n 3 --topology L", "sim echo --topology grid:L",
			"sim lcr -n 3 --param L", "sim lcr -n 3 --param L=3", "sim modbully -n 3 --param wait=1:L",
			"sim invitation -n 3 --param groups=1:2/L", "sim lcr -n 3 --until L", "sim lcr -n 3 --log L/L",
			"sim --scenario L", "check lcr -n 3 --property L", "check L", "compare L", "page --addr L",
			"page --addr 127.0.0.1:L", "page --trace L", "trace L", "trace diff L L", "help L", "list L",
			"soak --profile L", "lead L", "experiment L", "experiment redundancy --model L",
		} {
			args := strings.Fields(line)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "L", long)
			}
			r := elect(t, "", args...)
			require.NotZero(t, r.code, line)
			require.Equal(t, 1, strings.Count(r.stderr, "\n"), line)
			require.Less(t, len(r.stderr), 1100, "%s: %.700s", line, r.stderr)
		}
	}
}
