package trace_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/lab/trace"
)

// signs returns the lines of the legend at the top of a picture, and the signs below the captions.
func signs(t *testing.T, text string) (top [][]string, below []string) {
	t.Helper()
	all, first := elements(t, text), math.Inf(1)
	for _, e := range all {
		if class := e.attr["class"]; class == "process" || strings.HasPrefix(class, "process ") {
			first = min(first, yOf(t, &e, all))
		}
	}
	row := 0.0
	for i, e := range all {
		if e.name != "text" || e.attr["text-anchor"] != "start" || e.attr["fill"] != svg.Ink ||
			e.attr["class"] != "" || e.attr["font-weight"] != "" {
			continue
		}
		switch y := e.number(t, "y"); {
		case y < first && y > row:
			top, row = append(top, []string{e.text}), y
		case y < first:
			top[len(top)-1] = append(top[len(top)-1], e.text)
		// Before the text of a caption stands its number, in a circle.
		case i > 0 && all[i-1].attr["class"] != "number" && all[i-1].name != "text":
			below = append(below, e.text)
		}
	}
	return top, below
}

// yOf returns where the name of a process is, or its disc, which follows the title of its group.
func yOf(t *testing.T, e *element, all []element) float64 {
	t.Helper()
	if e.name == "text" {
		return e.number(t, "y")
	}
	for i := range all {
		if all[i].name == "circle" && i > 1 && all[i-2].name == "g" {
			return all[i].number(t, "cy")
		}
	}
	return math.Inf(1)
}

// TestLegendIsShort: what the signs mean stands at the top, in one line where that is wide enough, never in
// more than two. What has no room there stands below.
func TestLegendIsShort(t *testing.T) {
	pictures := map[string]string{}
	for name, tr := range shown(t) {
		pictures[name], pictures[name+", all"] = drawn(t, tr, svgOf), drawn(t, tr, allSVG)
	}
	for name, c := range networks(t) {
		pictures["links of "+name] = drawn(t, simulated(t, c), trace.WriteLinks)
	}
	short := 0
	for name, text := range pictures {
		top, below := signs(t, text)
		require.LessOrEqual(t, len(top), 2, name)
		if len(top) < 2 {
			require.Empty(t, below, name)
			short++
		}
		all := slices.Concat(slices.Concat(top...), below)
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(all))), len(all), "%s: %v", name, all)
	}
	require.Greater(t, short, len(pictures)/2)
	for _, name := range []string{
		"lcr/participant", "bully/rules", "hs/probe, faulty", "links of two-way ring",
	} {
		top, _ := signs(t, pictures[name])
		require.Len(t, top, 1, name)
	}
}

// TestLegendIsOfWhatOccurs: the legend has what occurs and is not said elsewhere. A crash has a caption; its
// sign is explained where it has none.
func TestLegendIsOfWhatOccurs(t *testing.T) {
	a, err := catalog.Find("bully", "")
	require.NoError(t, err)
	c := sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(5),
		Initiators: []election.ID{2}}}
	c.CrashAt = []scenario.At{{ID: 5, Time: scenario.Unit / 2}}
	tr := simulated(t, c)
	top, below := signs(t, drawn(t, tr, svgOf))
	require.Equal(t, [][]string{{"election", "alive", "coordinator", "lost", "follows"}}, top)
	require.Empty(t, below)
	c.CrashAt = nil
	c.Crashed = []election.ID{5}
	top, _ = signs(t, drawn(t, simulated(t, c), svgOf))
	require.Equal(t, [][]string{{"election", "alive", "coordinator", "lost"}, {"follows", "crashes"}}, top)
}
