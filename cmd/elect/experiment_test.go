package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/experiment"
)

func TestBadExperiment(t *testing.T) {
	dir := t.TempDir()
	refused{
		"experiment redundnacy":                              `unknown command "redundnacy": did you mean redundancy?`,
		"experiment redundancy 3":                            `unexpected argument "3"`,
		"experiment redundancy -n 2":                         `-n: 2 processes, at least 3 are needed`,
		"experiment redundancy -n 1e9":                       `-n: 1e9 processes, at most 1000 can be`,
		"experiment redundancy -n x":                         `-n: "x" is not a whole number`,
		"experiment redundancy --n=":                         `-n: "" is not a whole number`,
		"experiment redundancy --iterations 0":               `--iterations: 0 iterations, at least one is needed`,
		"experiment redundancy --iterations 1e7":             `--iterations: 1e7 iterations, at most 1000000 can be`,
		"experiment redundancy --iterations 2.5":             `--iterations: "2.5" is not a whole number`,
		"experiment redundancy --model c":                    `--model: "c" is not one of a, b, both`,
		"experiment redundancy --model bot":                  `--model: "bot" is not one of a, b, both`,
		"experiment redundancy --seed -1":                    `--seed: -1 is negative`,
		"experiment redundancy --svg=":                       `--svg: no file is given`,
		"experiment redundancy --svg " + dir + "/none/x.svg": `--svg ` + dir + `/none/x.svg: there is no such folder`,
		"experiment redundancy --svg - --json":               `--json: standard output is taken by a file named -`,
		"experiment redundancy --iteration 3":                `unknown flag --iteration: did you mean --iterations?`,
		"experiment complexity 3":                            `unexpected argument "3"`,
		"experiment complexity -n 2":                         `-n: 2 processes, at least 3 are needed`,
		"experiment complexity -n 101":                       `-n: 101 processes, at most 100 can be`,
		"experiment complexity --seed 1":                     `unknown flag --seed`,
	}.test(t)
	r := elect(t, "", "experiment", "redundancy", "--svg", dir)
	r.requireLine(t, statusUsage, "--svg "+dir+": it is a folder, not a file")
}

func TestExperimentHelp(t *testing.T) {
	require.Contains(t, elect(t, "", "experiment").stdout, "redundancy")
	help := elect(t, "", "experiment", "redundancy", "--help").stdout
	for _, want := range []string{"(default 50)\n", "(default 10)\n", "(default both)\n", "(default 0)\n"} {
		require.Contains(t, help, want)
	}
	require.Equal(t, "a\nb\nboth\n:4\n", elect(t, "", "__complete", "experiment", "redundancy", "--model", "").stdout)
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
		`model a  convenience, paper +does not hold  more than one in \S+ %, always as many as base\n`,
		`model a  convenience, own, tied at maximum  holds `,
		`model b  convenience, own, tied anywhere +does not hold `,
		`model b  convenience, rank +holds +never more than one\n`,
		`model b  number  does not hold  .* always as many as base\n`,
		`model b  number  holds  1.0 elections served on average, 11.7 for base\n`,
	} {
		require.Regexp(t, want, r.stdout)
	}
	for line := range strings.Lines(r.stdout) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 121, line)
	}
	r = elect(t, "", strings.Fields("experiment redundancy -n 8 --iterations 21 --model a")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "8 processes, 8 leads and crashes, 21 iterations, seed 0; too few for exactly equal")
	require.NotContains(t, r.stdout, "EACH ITERATION")
	require.NotContains(t, r.stdout, "model b")
}

func TestRedundancyJSON(t *testing.T) {
	line := strings.Fields("experiment redundancy -n 20 --iterations 4 --seed 18446744073709551615 --json")
	r := elect(t, "", line...)
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, 1, strings.Count(r.stdout, "\n"))
	require.Equal(t, r.stdout, elect(t, "", line...).stdout)
	require.True(t, strings.HasPrefix(r.stdout, `{"experiment":"redundancy","n":20,"iterations":4,"seed":"18446744073709551615","tied":2,`+
		`"series":[{"model":"a","variant":"base","wait":null,"ties":null,"mean_started":`), r.stdout[:200])
	var o redundancyJSON
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
		"  n  i     PAPER  CORRECT  MEASURED\n  3  1..2  1..3   1..3     1..3\n",
		"  6  5     12     12       12\n\n(5) modbully/convenience, mean of (4) over i: wrong\n",
		"  6  all  10.8   8        8\n",
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
	var o complexityJSON
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &o))
	require.Zero(t, o.Differing)
	require.Len(t, o.Equations, 13)
	require.Contains(t, r.stdout, `{"equation":"(5)","variant":"convenience","case":"mean of (4) over i","paper":"sum over i=1..n of (n+2i-4)/(n-1)","correct":"2n-4","verdict":"wrong",`)
	require.Contains(t, r.stdout, `"rows":[{"n":3,"i":null,"paper":4.5,"correct":2,"measured":2},`)
	require.Contains(t, r.stdout, `"rows":[{"n":3,"i":null,"paper":null,"correct":3,"measured":3},`)
}

func TestComplexityDiffers(t *testing.T) {
	e := experiment.Equations()[3]
	rows := []experiment.Row{{Equation: &e, N: 5, I: 2, Formula: 5, Measured: 5}, {Equation: &e, N: 5, I: 3, Formula: 7, Measured: 8}}
	err := differing(rows)
	require.EqualError(t, err, "1 of 2 counts are not what the formula says; the first: (4), modbully/convenience, n=5, i=3: 8, not 7")
	require.Equal(t, statusFailed, status(err))
	require.NoError(t, differing(rows[:1]))
	require.Contains(t, (&app{}).complexityText(5, 2, rows), "not all are correct")
}

func TestExperimentInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	svg := filepath.Join(t.TempDir(), "figure.svg")
	for _, line := range []string{"experiment redundancy --iterations 1e6 --svg " + svg, "experiment complexity -n 100"} {
		var stdout, stderr strings.Builder
		require.Equal(t, statusInterrupted, run(ctx, strings.Fields(line), strings.NewReader(""), &stdout, &stderr))
		require.Equal(t, "elect: interrupted\n", stderr.String())
		require.Empty(t, stdout.String())
	}
	require.NoFileExists(t, svg)
}

func TestExperimentProgress(t *testing.T) {
	var b strings.Builder
	m := &meter{w: &b, begin: time.Now().Add(-3 * time.Second)}
	m.count(1500, 10_000, "iterations")
	m.count(1501, 10_000, "iterations") // too soon
	require.Equal(t, "\r1,500 of 10,000 iterations in 3 s\x1b[K", b.String())
	m.clear()
	(*meter)(nil).count(1, 2, "iterations")
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
	require.Equal(t, string(want), draws(t, ""), "run: elect experiment redundancy --svg docs/redundancy.svg")
}

func TestFigures(t *testing.T) {
	for _, line := range []string{"", "--iterations 1 --model b", "--iterations 20 -n 100", "--iterations 40", "--iterations 25 -n 300 --model a", "-n 3", "-n 3 --iterations 30", "-n 1000 --iterations 1"} {
		t.Run(line, func(t *testing.T) {
			svg := draws(t, line)
			require.NotContains(t, svg, "%!")
			require.NotContains(t, svg, "NaN")
			checkFigure(t, svg)
		})
	}
	require.NotEqual(t, draws(t, "--seed 1"), draws(t, "--seed 2"))
}

// box is where something is drawn.
type box struct {
	left, top, right, bottom float64
	what                     string
}

// checkFigure wants valid XML without anything that is loaded or run, all of it inside the viewBox,
// and no text upon another.
func checkFigure(t *testing.T, svg string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(svg))
	var whole box
	var all, texts []box
	var text *xml.StartElement
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			require.Contains(t, []string{"svg", "title", "rect", "line", "circle", "text"}, e.Name.Local)
			text = nil
			switch e.Name.Local {
			case "svg":
				sides := strings.Fields(of(e, "viewBox"))
				require.Len(t, sides, 4)
				whole = box{right: parsed(t, sides[2]), bottom: parsed(t, sides[3])}
			case "text":
				text = &e
			default:
				all = append(all, extent(t, e))
			}
		case xml.CharData:
			if text != nil && len(strings.TrimSpace(string(e))) > 0 {
				texts = append(texts, textExtent(t, *text, string(e)))
			}
		}
	}
	require.Greater(t, len(texts), 20)
	for _, b := range append(all, texts...) {
		require.True(t, b.left >= 0 && b.top >= 0 && b.right <= whole.right && b.bottom <= whole.bottom, "%+v in %+v", b, whole)
	}
	for i, b := range texts {
		for _, c := range texts[:i] {
			require.False(t, b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom, "%+v upon %+v", b, c)
		}
	}
}

func of(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func parsed(t *testing.T, number string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(number, 64)
	require.NoError(t, err)
	return x
}

func extent(t *testing.T, e xml.StartElement) box {
	t.Helper()
	at := func(name string) float64 { return parsed(t, of(e, name)) }
	switch e.Name.Local {
	case "rect":
		require.GreaterOrEqual(t, at("width"), 0.0)
		require.GreaterOrEqual(t, at("height"), 0.0)
		return box{at("x"), at("y"), at("x") + at("width"), at("y") + at("height"), "rect"}
	case "line":
		return box{min(at("x1"), at("x2")), min(at("y1"), at("y2")), max(at("x1"), at("x2")), max(at("y1"), at("y2")), "line"}
	case "circle":
		return box{at("cx") - at("r"), at("cy") - at("r"), at("cx") + at("r"), at("cy") + at("r"), "circle"}
	}
	return box{}
}

// textExtent reckons with letters somewhat wider than those of Helvetica are on average.
func textExtent(t *testing.T, e xml.StartElement, text string) box {
	t.Helper()
	x, y, size := parsed(t, of(e, "x")), parsed(t, of(e, "y")), parsed(t, of(e, "font-size"))
	wide := 0.56 * size * float64(utf8.RuneCountInString(text))
	before := map[string]float64{"start": 0, "middle": wide / 2, "end": wide}[of(e, "text-anchor")]
	if of(e, "transform") != "" { // upwards
		return box{x - 0.8*size, y - wide/2, x + 0.25*size, y + wide/2, text}
	}
	return box{x - before, y - 0.8*size, x - before + wide, y + 0.25*size, text}
}
