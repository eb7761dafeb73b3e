package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/exit"
)

// literal asks for the variant that package modbully shows to be wrong.
var literal = []string{"soak", "modbully/number", "--param", "reset=literal"}

// TestSoak: no run fails, and the report contains the number of runs.
func TestSoak(t *testing.T) {
	r := elect(t, "", "soak", "bully", "--runs", "300", "--seed", "5", "--processes", "6", "-v")
	require.Zero(t, r.code, r.stderr)
	require.Empty(t, r.stderr)
	for _, want := range []string{"bully/rules\n", "runs       300, seeds 5 to 304", " runs a second, ",
		" units, simulated", "messages ", "crashes ", "failures   none"} {
		require.Contains(t, r.stdout, want)
	}
	require.NotContains(t, r.stdout, "begins", "the log is for one run")
}

// TestSoakLog: a single run shows its log.
func TestSoakLog(t *testing.T) {
	r := elect(t, "", "soak", "lcr", "--runs", "1", "--seed", "17")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "\nseed 17: lcr/participant, ")
	require.Contains(t, r.stdout, "decides: it leads")
}

// soaked is the JSON form of a soak, except for values that depend on the machine.
type soaked struct {
	Algorithm, Variant, Hash      string
	Seed, Runs, Messages, Crashes uint64
	Time                          float64 `json:"simulated_time"`
	Failure                       any
	Stopped                       *string
}

// sameSoak returns a report without what depends on the machine.
func sameSoak(t *testing.T, text string) soaked {
	t.Helper()
	var r soaked
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	return r
}

// TestSoakJSON: one object for each algorithm, the same for any number of workers.
func TestSoakJSON(t *testing.T) {
	var first []soaked
	for i, workers := range []string{"1", "3"} {
		r := elect(t, "", "soak", "--all", "--runs", "20", "--workers", workers, "--json")
		require.Zero(t, r.code, r.stderr)
		lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
		require.Len(t, lines, len(catalog.All()))
		for k, line := range lines {
			report := sameSoak(t, line)
			require.EqualValues(t, 20, report.Runs)
			require.NotEmpty(t, report.Hash)
			if i == 0 {
				first = append(first, report)
			}
			require.Equal(t, first[k], report)
		}
	}
}

// TestSoakFails: the failure is shown with its seed, which brings it again, and the smallest run is a
// scenario that fails as well.
func TestSoakFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "smallest.json")
	r := elect(t, "", append(literal, "--runs", "1000", "--out", file)...)
	const why = "elect: modbully/number: seed 2: violated: all live processes know that the election has " +
		"ended: process 9 does not know\n"
	require.Equal(t, exit.StatusFailed, r.code)
	require.Equal(t, why, r.stderr)
	require.Contains(t, r.stdout, "replay     elect soak modbully/number --seed 2 --runs 1 --param "+
		"reset=literal\n")
	require.Contains(t, r.stdout, "smallest   2 processes, 0 initiators, 1 crash\n")
	require.Contains(t, r.stdout, "\nsmallest: modbully/number, 2 processes, ")

	again := elect(t, "", append(literal, "--runs", "1", "--seed", "2")...)
	require.Equal(t, exit.StatusFailed, again.code)
	require.Equal(t, why, again.stderr)
	require.Contains(t, again.stdout, "\nseed 2: modbully/number, 9 processes, ")

	left := elect(t, "", "sim", "--scenario", file)
	left.requireLine(t, exit.StatusFailed, "soak modbully/number, seed 2: no leader that all agree on: not "+
		"every process knows that the election has ended")

	out := elect(t, "", append(literal, "--runs", "1000", "--out", "-")...)
	require.Equal(t, exit.StatusFailed, out.code)
	require.True(t, json.Valid([]byte(out.stdout)))

	failed := elect(t, "", append(literal, "--runs", "1000", "--json")...)
	require.Equal(t, exit.StatusFailed, failed.code)
	var object struct {
		Failure struct {
			Seed             uint64
			Property, Replay string
			Smallest         struct{ Property string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(failed.stdout), &object))
	require.EqualValues(t, 2, object.Failure.Seed)
	require.Equal(t, "elect soak modbully/number --seed 2 --runs 1 --param reset=literal",
		object.Failure.Replay)
	require.Equal(t, "terminated", object.Failure.Property)
	require.Equal(t, object.Failure.Property, object.Failure.Smallest.Property)
}

// TestSoakAll: a row for each algorithm, and a sum.
func TestSoakAll(t *testing.T) {
	r := elect(t, "", "soak", "--all", "--runs", "3")
	require.Zero(t, r.code, r.stderr)
	require.Empty(t, r.stderr)
	lines := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
	all := catalog.All()
	require.Len(t, lines, len(all)+2)
	require.Regexp(t, `^ALGORITHM +RUNS  FAILED  SIMULATED UNITS$`, lines[0])
	for i, alg := range all {
		require.Regexp(t, "^"+alg.Title()+` +3 +0 +[\d,]+$`, lines[i+1])
		require.Len(t, lines[i+1], len(lines[0]))
	}
	require.Equal(t, fmt.Sprintf("%d algorithms, %d runs, 0 failed", len(all), 3*len(all)), lines[len(all)+1])

	help := elect(t, "", "soak", "--help").stdout
	require.Contains(t, help, "Equal runs")
}

// TestSoakPasted: the command in the report makes the run again, whatever was typed.
func TestSoakPasted(t *testing.T) {
	args := append(slices.Clone(literal), "--param", "reply_timeout= 9", "--processes", "1e1", "--runs",
		"1000")
	r := elect(t, "", args...)
	require.Equal(t, exit.StatusFailed, r.code, r.stderr)
	_, command, ok := strings.Cut(r.stdout, "\n  replay     ")
	require.True(t, ok, r.stdout)
	command, _, _ = strings.Cut(command, "\n")
	require.Regexp(t, `^elect soak modbully/number --seed \d+ --runs 1 --param reset=literal --param `+
		`'reply_timeout= 9' --processes 10$`, command)
	pasted := exec.CommandContext(t.Context(), "sh", "-c", command)
	pasted.Env = append(os.Environ(), "PATH="+filepath.Dir(binary(t))+":"+os.Getenv("PATH"))
	var stdout, stderr strings.Builder
	pasted.Stdout, pasted.Stderr = &stdout, &stderr
	require.Error(t, pasted.Run())
	require.Equal(t, exit.StatusFailed, pasted.ProcessState.ExitCode())
	require.Equal(t, r.stderr, stderr.String())
}

// TestSoakExamples: the run of the help is there, with something to see.
func TestSoakExamples(t *testing.T) {
	require.Contains(t, elect(t, "", "soak", "--help").stdout, "elect soak bully --seed 4 --runs 1\n")
	r := elect(t, "", "soak", "bully", "--seed", "4", "--runs", "1")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "\nseed 4: bully/rules, 3 processes, ")
	require.Contains(t, r.stdout, "  crashes\n")
}

// TestSoakUnwritten: without a failure no file is written, and that is said.
func TestSoakUnwritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none")
	r := elect(t, "", "soak", "lcr", "--runs", "2", "--out", file)
	require.Zero(t, r.code, r.stderr)
	require.True(t, strings.HasSuffix(r.stdout, "\n\nno failure, "+file+" is not written\n"), r.stdout)
	r = elect(t, "", "soak", "lcr", "--runs", "2", "--out", file, "--json")
	require.Equal(t, "elect: no failure, "+file+" is not written\n", r.stderr)
	require.True(t, json.Valid([]byte(r.stdout)))
	require.NoFileExists(t, file)
}

// TestSoakLongLog: of a long run the report shows the beginning.
func TestSoakLongLog(t *testing.T) {
	r := elect(t, "", "soak", "bully", "--processes", "300", "--seed", "3", "--runs", "1")
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t, `\nand so on, [\d,]+ steps in all\n$`, r.stdout)
	require.Less(t, strings.Count(r.stdout, "\n"), 420)
}

func TestSoakStops(t *testing.T) {
	r := elect(t, "", "soak", "lcr", "--runs", "1e12", "--duration", "1ns")
	require.Equal(t, exit.StatusUnfinished, r.code)
	require.Contains(t, r.stderr, "elect: lcr/participant: the time was up after ")
	require.Contains(t, r.stdout, "failures   none")

	r = elect(t, "", "soak", "lcr", "--duration", "1ns")
	require.Equal(t, exit.StatusUnfinished, r.code, "no run has ended")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	require.Equal(t, exit.StatusInterrupted, run(ctx, []string{"soak", "lcr"}, strings.NewReader(""), &stdout,
		&stderr))
}

func TestSoakRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"which algorithm? There are " + strings.Join(catalog.Names(), ", "):                             {},
		`unknown algorithm "lrc": did you mean lcr?`:                                                    {"lrc"},
		`--all: unexpected argument "lcr"`:                                                              {"--all", "lcr"},
		"if any flags in the group [all out] are set none of the others can be; [all out] were all set": {"--all", "--out", "x"},
		"--runs: 0 is not between 1 and 9007199254740992":                                               {"lcr", "--runs", "0"},
		`--runs: "many" is not a whole number`:                                                          {"lcr", "--runs", "many"},
		"--workers: 5000 is not between 1 and 1024": {"lcr", "--workers",
			"5000"},
		"--processes: 0 is not between 1 and 1024":                                                 {"lcr", "--processes", "0"},
		`--duration: "5" is not a time, as in 20ms or 1.5s`:                                        {"lcr", "--duration", "5"},
		`invalid argument "-1" for "--seed" flag: strconv.ParseUint: parsing "-1": invalid syntax`: {"lcr", "--seed", "-1"},
		`--profile: "wild" is not one of chaos, voters`:                                            {"lcr", "--profile", "wild"},
		"--out: no file is given":                                                                  {"lcr", "--out", ""},
		"--out /: it is a folder, not a file":                                                      {"lcr", "--out", "/"},
		"--out nowhere/x.json: there is no such folder":                                            {"lcr", "--out", "nowhere/x.json"},
		"--json: standard output is taken by a file named -":                                       {"lcr", "--out", "-", "--json"},
		`params: "hops" is not a parameter; there is only order`: {"lcr", "--param",
			"hops=3"},
	} {
		elect(t, "", append([]string{"soak"}, args...)...).requireLine(t, exit.StatusUsage, want)
	}
}
