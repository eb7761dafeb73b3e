package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// TestOutsideOfAModel: the report warns if more may happen than the algorithm tolerates, and only then.
func TestOutsideOfAModel(t *testing.T) {
	const some = " --max-states 100"
	for line, want := range map[string]string{
		"dkr -n 2":                         "",
		"dkr -n 3 --network unordered":     "dkr needs links that keep messages in order",
		"lcr/max -n 3 --network unordered": "",
		"lcr -n 3 --crashes 1":             "lcr/participant promises nothing if processes crash",
		"lcr -n 3 --crashed 2":             "lcr/participant promises nothing if processes crash",
		"hs -n 2 --losses 1":               "hs/probe promises nothing if messages are lost",
		"dkr -n 2 --network duplicating":   "dkr promises nothing if messages arrive twice",
		"dkr -n 2 --network unordered --losses 1 --duplicates 1 --crashes 1" +
			some: "dkr needs links that keep messages in order, and " +
			"promises nothing if messages are lost, or messages arrive twice, or processes crash",
		"bully -n 2 --crashes 1 --recoveries 1": "",
		"bully -n 2 --delay 0.5":                "",
		"bully -n 3 --untimed": "bully/rules needs " +
			"messages that take at most 1",
		"bully -n 2 --delay 2 --param delay=1": "bully/rules needs " +
			"messages that take at most 1, here they take up to 2",
		"modbully -n 2 --losses 1": "modbully/base " +
			"promises nothing if messages are lost",
		"mutex/ricartagrawala -n 2 --crashes " +
			"1": "mutex/ricartagrawala promises nothing if " +
			"processes crash",
		"mutex/arbiter -n 2 --crashes 1 --restarts 1" + some: "",
		"mutex/arbiter -n 2 --crashes 1 --recoveries 1" +
			some: "mutex/arbiter promises nothing if processes return " +
			"without their state",
		"mutex/arbiter -n 2 --crashes 2" +
			some: "mutex/arbiter promises nothing if all " +
			"processes crash",
		"mutex/tokenring -n 2 --losses 1": "mutex/tokenring " +
			"promises nothing if messages are lost",
		"mutex/tokenring -n 2 --losses 1 --crashes 1 --param regenerate=3" + some: "",
		"mutex/tokenring -n 2 --crashes 1 --recoveries 1 --param regenerate=3" +
			some: "mutex/tokenring promises nothing if processes return without their state",
		"mutex/tokenring -n 2 --crashes 1 --restarts 1 --duplicates 1 --param first=1": "mutex/tokenring " +
			"promises nothing if messages arrive twice, or processes crash",
	} {
		r := elect(t, "", append([]string{"check"}, strings.Fields(line)...)...)
		require.NotEqual(t, exit.StatusUsage, r.code, r.stderr)
		require.Equal(t, want != "", strings.Contains(r.stdout, "outside its model"), line)
		if want != "" {
			text := strings.Join(strings.Fields(r.stdout), " ")
			require.Contains(t, text, " outside its model: "+want+" states ", line)
		}
	}
	json := elect(t, "", strings.Fields("check lcr -n 3 --crashes 1 --json")...).stdout
	require.Contains(t, json, `,"outside_model":"lcr/participant promises nothing if processes crash"}`)
}

// TestPictureOfACounterexample: each step has a time of its own, even with faults.
func TestPictureOfACounterexample(t *testing.T) {
	for line, steps := range map[string]int{
		"lcr -n 3 --crashes 1": 5, "lcr -n 3 --losses 1 --started": 4, "bully -n 3 --untimed --crashes 1": 3,
	} {
		scenario := elect(t, "", strings.Fields("check "+line+" --out -")...).stdout
		require.NotContains(t, scenario, `"at"`, line)
		_, log, _ := strings.Cut(elect(t, scenario, "sim", "--scenario", "-", "--log", "-").stdout,
			"processes\n")
		times := map[string]bool{}
		for row := range strings.Lines(log) {
			times[strings.Fields(row)[0]] = true
		}
		require.GreaterOrEqual(t, len(times), steps, log)
	}
}
