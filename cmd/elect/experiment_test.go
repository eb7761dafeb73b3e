package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/lab/experiment"
)

func TestBadExperiment(t *testing.T) {
	dir := t.TempDir()
	refused{
		"experiment redundnacy": `unknown command "redundnacy": did you mean ` +
			`redundancy?`,
		"experiment redundancy 3":                `unknown command "3" for "elect experiment redundancy"`,
		"experiment redundancy -n 2":             `-n: 2 is not between 3 and 1000`,
		"experiment redundancy -n 1e9":           `-n: 1e9 is not between 3 and 1000`,
		"experiment redundancy -n x":             `-n: "x" is not a whole number`,
		"experiment redundancy --n=":             `-n: "" is not a whole number`,
		"experiment redundancy --iterations 0":   `--iterations: 0 is not between 1 and 1000000`,
		"experiment redundancy --iterations 1e7": `--iterations: 1e7 is not between 1 and 1000000`,
		"experiment redundancy --iterations 2.5": `--iterations: "2.5" is not a whole number`,
		"experiment redundancy --model c":        `--model: "c" is not one of a, b, both`,
		"experiment redundancy --model bot":      `--model: "bot" is not one of a, b, both: did you mean both?`,
		"experiment redundancy --seed -1":        `invalid argument "-1" for "--seed" flag: strconv.ParseUint: parsing "-1": invalid syntax`,
		"experiment redundancy --svg=":           `--svg: no file is given`,
		"experiment redundancy --svg " + dir + "/none/x.svg": `--svg ` + dir +
			`/none/x.svg: there is no such folder`,
		"experiment redundancy --svg - --json": `--json: standard output is taken by a file ` +
			`named -`,
		"experiment redundancy --iteration 3": `unknown flag: --iteration: did you mean --iterations?`,
		"experiment complexity 3":             `unknown command "3" for "elect experiment complexity"`,
		"experiment complexity -n 2":          `-n: 2 is not between 3 and 100`,
		"experiment complexity -n 101":        `-n: 101 is not between 3 and 100`,
		"experiment complexity --seed 1":      `unknown flag: --seed`,
	}.test(t)
	r := elect(t, "", "experiment", "redundancy", "--svg", dir)
	r.requireLine(t, exit.StatusUsage, "--svg "+dir+": it is a folder, not a file")
}

func TestExperimentHelp(t *testing.T) {
	require.Contains(t, elect(t, "", "experiment").stdout, "redundancy")
	require.Equal(t, "a\nb\nboth\n:4\n", elect(t, "", "__complete", "experiment", "redundancy", "--model",
		"").stdout)
}

func TestRedundancyText(t *testing.T) {
	r := elect(t, "", "experiment", "redundancy")
	require.Zero(t, r.code, r.stderr)
	require.Empty(t, r.stderr)
	require.Equal(t, r.stdout, elect(t, "", "experiment", "redundancy").stdout)
	require.Equal(t, 2, strings.Count(r.stdout, "  METHOD "))
	require.Equal(t, 2, strings.Count(r.stdout, "  STARTED IN EACH ITERATION\n"))
	for _, m := range experiment.Methods() {
		require.Equal(t, 4, strings.Count(r.stdout, "\n  "+m.String()+" "), m)
	}
	for _, want := range []string{
		`model a  convenience, paper +does not hold\n    more than one in \S+ %, always as many as base\n`,
		`model a  convenience, own, tied at maximum  holds `,
		`model b  convenience, own, tied anywhere +does not hold\n    \S`,
		`model b  convenience, rank +holds +never more than one\n`,
		`model b  number  does not hold  .* always as many as\n {34}base\n`,
		`model b  number  holds  1.0 elections served on average, 11.7 for base\n`,
	} {
		require.Regexp(t, want, r.stdout)
	}
	for line := range strings.Lines(r.stdout) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 81, line) // with its end
	}
	r = elect(t, "", strings.Fields("experiment redundancy -n 8 --iterations 21 --model a")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "8 processes, 8 leads and crashes, 21 iterations, seed 0; too few for "+
		"exactly\nequal")
	require.NotContains(t, r.stdout, "EACH ITERATION")
	require.NotContains(t, r.stdout, "model b")
}

func TestRedundancyJSON(t *testing.T) {
	line := strings.Fields("experiment redundancy -n 20 --iterations 4 --seed 18446744073709551615 --json")
	r := elect(t, "", line...)
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, 1, strings.Count(r.stdout, "\n"))
	require.Equal(t, r.stdout, elect(t, "", line...).stdout)
	require.True(t, strings.HasPrefix(r.stdout,
		`{"experiment":"redundancy","n":20,"iterations":4,"seed":"18446744073709551615","tied":2,`+
			`"series":[{"model":"a","variant":"base","wait":null,"ties":null,"mean_started":`),
		r.stdout[:200])
	var o struct {
		Series []struct {
			Noticed, Started, Served, Messages []int
			Wait                               *string
			Ties                               *experiment.Ties
		}
		Claims []any
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &o))
	require.Len(t, o.Series, 12)
	require.Len(t, o.Claims, 14)
	for _, s := range o.Series {
		for _, list := range [][]int{s.Noticed, s.Started, s.Served} {
			require.Len(t, list, 4)
		}
		require.Len(t, s.Messages, 4)
	}
	require.Equal(t, "own", *o.Series[2].Wait)
	require.Equal(t, experiment.TiedAtMaximum, *o.Series[2].Ties)
}

func TestComplexityText(t *testing.T) {
	r := elect(t, "", strings.Fields("experiment complexity -n 6")...)
	require.Zero(t, r.code, r.stderr)
	for _, want := range []string{
		"n counts all processes, also the old coordinator",
		"(1) modbully/convenience, all but n up, i < n-1: right for live n\n  paper 3n'-1, correct 3n-4\n",
		"  N     I  PAPER  CORRECT  MEASURED\n  3  1..2   1..3     1..3      1..3\n",
		"  6     5     12       12        12\n\n(5) modbully/convenience, mean of (4) over i: wrong\n",
		"  6  all   10.8        8         8\n",
		"all are correct\n",
	} {
		require.Contains(t, r.stdout, want)
	}
	for line := range strings.Lines(r.stdout) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 101, line)
	}
}

func TestComplexityJSON(t *testing.T) {
	r := elect(t, "", strings.Fields("experiment complexity -n 5 --json")...)
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, 1, strings.Count(r.stdout, "\n"))
	var o struct {
		Differing int
		Equations []any
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &o))
	require.Zero(t, o.Differing)
	require.Len(t, o.Equations, 13)
	require.Contains(t, r.stdout, `{"equation":"(5)","variant":"convenience","case":"mean of (4) over `+
		`i","paper":"sum over i=1..n of (n+2i-4)/(n-1)","correct":"2n-4","verdict":"wrong",`)
	require.Contains(t, r.stdout, `"rows":[{"n":3,"i":null,"paper":4.5,"correct":2,"measured":2},`)
	require.Contains(t, r.stdout, `"rows":[{"n":3,"i":null,"paper":null,"correct":3,"measured":3},`)
}

func TestExperimentInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	svg := filepath.Join(t.TempDir(), "figure.svg")
	for _, line := range []string{"experiment redundancy --iterations 1e6 --svg " + svg,
		"experiment complexity -n 100"} {
		var stdout, stderr strings.Builder
		require.Equal(t, exit.StatusInterrupted, run(ctx, strings.Fields(line), strings.NewReader(""),
			&stdout, &stderr))
		require.Equal(t, "elect: interrupted\n", stderr.String())
		require.Empty(t, stdout.String())
	}
	require.NoFileExists(t, svg)
}

// draws makes a figure with the command.
func draws(t *testing.T, line string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "figure.svg")
	r := elect(t, "", append(strings.Fields("experiment redundancy "+line), "--svg", path)...)
	require.Zero(t, r.code, r.stderr)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// TestFigureOfDocs: the figure in the documentation is what the command draws.
func TestFigureOfDocs(t *testing.T) {
	want, err := os.ReadFile("../../docs/redundancy.svg")
	require.NoError(t, err)
	require.Equal(t, string(want), draws(t, ""),
		"run: elect experiment redundancy --svg docs/redundancy.svg")
}
