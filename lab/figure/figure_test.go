package figure_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/svg"
)

// redundancy draws the figures of an experiment.
func redundancy(t *testing.T, r experiment.Redundancy) string {
	t.Helper()
	require.NoError(t, r.Complete())
	series, err := r.Run(t.Context())
	require.NoError(t, err)
	// Both forms are in order, whichever the test looks at.
	inspect(t, figure.Redundancy(&r, series, true))
	return figure.Redundancy(&r, series, false)
}

func TestRedundancy(t *testing.T) {
	some := experiment.Redundancy{}
	for name, r := range map[string]experiment.Redundancy{
		"default": some, "one": {Iterations: 1, Models: []experiment.Model{experiment.Skewed}},
		"wide":   {Iterations: 20, N: 100},
		"shares": {Iterations: 40}, "instant": {Iterations: 25, N: 300,
			Models: []experiment.Model{experiment.Instant}},
		"few": {N: 3}, "few shares": {N: 3, Iterations: 30}, "many": {N: 1000, Iterations: 1},
	} {
		t.Run(name, func(t *testing.T) {
			svg := redundancy(t, r)
			require.NotContains(t, svg, "poly")
			require.Greater(t, inspect(t, svg), 20)
		})
	}
	// The bars are those of the paper, and only few iterations have some.
	r := experiment.Redundancy{Iterations: 21}
	require.NoError(t, r.Complete())
	series, err := r.Run(t.Context())
	require.NoError(t, err)
	bars := figure.Redundancy(&r, series, true)
	require.Equal(t, figure.Redundancy(&r, series, false), bars)
	sum := 0
	for _, trial := range series[0].Trials {
		sum += trial.Started
	}
	require.Contains(t, bars, fmt.Sprintf("<title>Without a wait %.2f (model a) or ", float64(sum)/21))
	require.Contains(t, bars, " processes start an election after a crash; with a slot by rank, 1</title>")
	grid := redundancy(t, experiment.Redundancy{})
	require.NotContains(t, grid, ">iteration</text>")
	// Each method has a row, and each model has a panel in it.
	for _, name := range []string{"no wait", "own waits, 5 tied anywhere", "election numbers: elections that are served"} {
		require.Equal(t, 1, strings.Count(grid, ">"+name+"</text>"), name)
		require.Equal(t, 2, strings.Count(grid, "<g><title>"+name+", model "), name)
	}
	r.Iterations = 10
	require.Equal(t, 4, strings.Count(figure.Redundancy(&r, cut(series, 10), true), ">iteration</text>"))
	require.NotEqual(t, redundancy(t, experiment.Redundancy{Seed: 1}),
		redundancy(t, experiment.Redundancy{Seed: 2}))
}

// cut leaves some of the trials.
func cut(all []experiment.Series, most int) []experiment.Series {
	some := slices.Clone(all)
	for i := range some {
		some[i].Trials = some[i].Trials[:most]
	}
	return some
}

// comparison draws a measure of algorithms, each of a name as in lcr/max, among n processes.
func comparison(t *testing.T, names, by string, seeds int, prepare func(*sim.Config) error,
	sizes ...int) string {
	t.Helper()
	return drawn(t, figure.Comparison{By: experiment.Measure(by), About: names, Seeds: seeds}, names, prepare,
		sizes)
}

// drawn draws a figure of what it runs.
func drawn(t *testing.T, f figure.Comparison, names string, prepare func(*sim.Config) error,
	sizes []int) string {
	t.Helper()
	c := experiment.Comparison{Sizes: sizes, Seeds: f.Seeds, Prepare: prepare}
	for name := range strings.FieldsSeq(names) {
		name, variant, _ := strings.Cut(name, "/")
		a, err := catalog.Find(name, variant)
		require.NoError(t, err)
		c.Algorithms = append(c.Algorithms, a)
	}
	var err error
	f.Cells, err = c.Run(t.Context())
	require.NoError(t, err)
	return f.Draw()
}

// upTo returns the sizes from first to last.
func upTo(first, last int) (sizes []int) {
	for n := first; n <= last; n++ {
		sizes = append(sizes, n)
	}
	return sizes
}

func TestComparison(t *testing.T) {
	down := func(c *sim.Config) error { // the two largest: one is down, one starts with the smallest
		n := election.ID(len(c.IDs))
		c.Crashed, c.Initiators, c.Schedule = []election.ID{n}, []election.ID{1, n - 1}, sim.RandomDelay
		return nil
	}
	for _, test := range []struct {
		names, by string
		seeds     int
		prepare   func(*sim.Config) error
		sizes     []int
	}{
		{"lcr hs franklin dkr", "messages", 20, nil, []int{8, 16, 32, 64, 128, 256}},
		{"lcr", "messages", 20, nil, []int{1}},
		{"lcr", "messages", 20, nil, []int{7}},
		{"lcr hs", "messages", 1, nil, []int{1, 2, 3}},
		{"lcr", "messages", 1, nil, []int{1, 100_000}},
		{"lcr", "messages", 2, nil, upTo(2, 200)},
		{"lcr dkr", "messages", 2, nil, upTo(100, 150)},
		{"modbully", "messages", 1, nil, []int{1}},
		{"modbully", "time", 20, nil, []int{1, 2}},
		{"inquiry/naive modbully/number", "messages", 1, nil, []int{2, 4, 8, 12}},
		{"hypercube", "messages", 20, nil, []int{1, 2, 4, 8, 16}},
		{"mesh echo treeelect/graph", "bits", 20, nil, []int{9, 16, 25}},
		{"lcr lcr/max lcr/wave lcr/initiators hs hs/respond dkr", "messages", 2, nil, []int{4, 8, 16}},
		{"lcr", "time", 20, nil, upTo(8, 13)},
		{"bully modbully/base modbully/convenience", "messages", 20, down, []int{5, 10}},
	} {
		t.Run(fmt.Sprint(test.names, test.sizes[0], test.by), func(t *testing.T) {
			require.Greater(t, inspect(t, comparison(t, test.names, test.by, test.seeds, test.prepare,
				test.sizes...)), 6)
		})
	}
	svg := comparison(t, "lcr mesh hypercube", "messages", 1, nil, 16, 64)
	// Closed forms have no name in the picture: a reader sees them that points at them.
	for _, label := range []string{"lcr best: 2n-1 + n; lcr worst: n(n+1)/2 + n", "lcr mean: n*H(n) + n",
		"lcr/participant"} {
		require.Contains(t, svg, "<title>"+label+"</title>")
	}
	require.Contains(t, svg, "; hypercube worst ≤: ")
	require.Equal(t, 2, strings.Count(svg, "fill-opacity"), "a band where best and worst differ")
	require.NotContains(t, svg, ">lcr mean</text>")
	require.Contains(t, svg, ">lcr/participant</text>")
	require.Contains(t, comparison(t, "treeelect/any", "messages", 2, nil, 8, 16),
		"<title>treeelect always: ")
	// The title says the point, where there is one.
	require.Contains(t, comparison(t, "lcr hs", "messages", 2, nil, 8, 16),
		"<title>lcr/participant takes the fewest messages among 16 processes</title>")
	for _, same := range []string{"lcr", "lcr/max lcr/wave"} {
		require.Contains(t, comparison(t, same, "time", 2, nil, 8), "<title>How long an election takes</title>")
	}
}

// TestPanels: divided by n or n log n each algorithm has a panel, all on one scale, with the others behind.
func TestPanels(t *testing.T) {
	for _, per := range []string{"n", "nlog"} {
		for _, names := range []string{"lcr", "lcr hs franklin",
			"lcr lcr/max lcr/wave lcr/initiators hs hs/respond dkr"} {
			for _, sizes := range [][]int{{1}, {1, 2, 9}, {8, 16, 32, 64, 128}} {
				svg := divided(t, per, names, sizes...)
				require.Greater(t, inspect(t, svg), 6)
				for _, name := range strings.Fields(names) {
					require.Regexp(t, `font-weight="bold">`+name+"[a-z/]*</text>", svg)
				}
			}
		}
	}
	svg := divided(t, "nlog", "lcr hs", 8, 16)
	require.Contains(t, svg, ">messages / (n log2 n), among n processes</text>")
	require.Equal(t, 2, strings.Count(svg, "fill-opacity"))
	require.Contains(t, divided(t, "n", "treeelect/any", 8), ">messages / n, among 8 processes</text>")
}

// divided draws messages divided by n or n log n.
func divided(t *testing.T, per, names string, sizes ...int) string {
	t.Helper()
	return drawn(t, figure.Comparison{By: experiment.ByMessages, About: names, Seeds: 2, Per: per}, names,
		nil, sizes)
}

// TestLegible: on a screen of 390 pixels letters have 11 at least.
func TestLegible(t *testing.T) {
	for _, svg := range []string{comparison(t, "lcr hs dkr modbully/convenience", "messages", 2, nil, 8, 16),
		divided(t, "n", "lcr hs dkr", 8, 16, 32), redundancy(t, experiment.Redundancy{Iterations: 3})} {
		width := parsed(t, regexp.MustCompile(`viewBox="0 0 ([\d.]+)`).FindStringSubmatch(svg)[1])
		for _, size := range regexp.MustCompile(`font-size="([\d.]+)"`).FindAllStringSubmatch(svg, -1) {
			require.GreaterOrEqual(t, parsed(t, size[1])*390/width, 11.0)
		}
	}
}

// TestFiguresOfDocs: what the documentation shows is in order, too.
func TestFiguresOfDocs(t *testing.T) {
	for _, name := range []string{"compare-bully", "compare-ring-worst", "compare-ring", "redundancy"} {
		svg, err := os.ReadFile("../../docs/" + name + ".svg")
		require.NoError(t, err)
		inspect(t, string(svg))
	}
}

// box is where something is drawn.
type box struct {
	left, top, right, bottom float64
	what                     string
}

// corners are the points of polylines and polygons.
var corners = regexp.MustCompile(`^-?[\d.]+( -?[\d.]+)*$`)

// inspect wants valid XML without anything that is loaded or run, all of it inside the viewBox, no text upon
// another, and each place to be a number. It returns the number of texts.
func inspect(t *testing.T, svg string) int {
	t.Helper()
	for _, no := range []string{"%!", "NaN", "Inf"} {
		require.NotContains(t, svg, no)
	}
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
			text = nil
			switch e.Name.Local {
			case "svg":
				sides := strings.Fields(of(e, "viewBox"))
				require.Len(t, sides, 4)
				whole = box{right: parsed(t, sides[2]), bottom: parsed(t, sides[3])}
			case "text":
				text = &e
			default:
				all = append(all, extents(t, e)...)
			}
		case xml.CharData:
			if text != nil && strings.TrimSpace(string(e)) != "" {
				texts = append(texts, textExtent(t, *text, string(e)))
			}
		}
	}
	for _, b := range slices.Concat(all, texts) {
		if b.left < 0 || b.top < 0 || b.right > whole.right || b.bottom > whole.bottom {
			t.Errorf("%+v is not in %+v", b, whole)
		}
	}
	for i, b := range texts {
		for _, c := range texts[:i] {
			if b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom {
				t.Errorf("%+v stands upon %+v", b, c)
			}
		}
	}
	return len(texts)
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

// extents returns where an element stands; of lines with corners, each corner.
func extents(t *testing.T, e xml.StartElement) (all []box) {
	t.Helper()
	at := func(name string) float64 { return parsed(t, of(e, name)) }
	switch e.Name.Local {
	case "title", "desc", "style", "g":
	case "polyline", "polygon":
		require.Regexp(t, corners, of(e, "points"))
		numbers := strings.Fields(of(e, "points"))
		for i := 0; i < len(numbers); i += 2 {
			x, y := parsed(t, numbers[i]), parsed(t, numbers[i+1])
			all = append(all, box{x, y, x, y, e.Name.Local})
		}
	case "rect":
		require.True(t, at("width") >= 0 && at("height") >= 0)
		if of(e, "x") == "" { // the sheet
			return []box{{0, 0, at("width"), at("height"), "rect"}}
		}
		return []box{{at("x"), at("y"), at("x") + at("width"), at("y") + at("height"), "rect"}}
	case "line":
		return []box{{min(at("x1"), at("x2")), min(at("y1"), at("y2")), max(at("x1"), at("x2")),
			max(at("y1"), at("y2")), "line"}}
	case "circle":
		return []box{{at("cx") - at("r"), at("cy") - at("r"), at("cx") + at("r"), at("cy") + at("r"),
			"circle"}}
	default:
		t.Errorf("there is a %s", e.Name.Local)
	}
	return all
}

// textExtent takes letters to be no wider than in a wide font. A picture may be shown in any.
func textExtent(t *testing.T, e xml.StartElement, text string) box {
	t.Helper()
	x, y, size := parsed(t, of(e, "x")), parsed(t, of(e, "y")), parsed(t, of(e, "font-size"))
	wide := size * svg.TextWidth(text, of(e, "font-weight") != "")
	if length := of(e, "textLength"); length != "" {
		wide = parsed(t, length)
	}
	before := map[string]float64{"start": 0, "middle": wide / 2, "end": wide}[of(e, "text-anchor")]
	if of(e, "transform") != "" { // upwards
		return box{x - 0.8*size, y - wide/2, x + 0.25*size, y + wide/2, text}
	}
	return box{x - before, y - 0.8*size, x - before + wide, y + 0.25*size, text}
}
