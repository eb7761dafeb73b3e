package trace_test

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// TestOverview: a large run is drawn, with each message, or counted by place and time. Nothing is lost.
func TestOverview(t *testing.T) {
	for _, c := range []struct {
		n     int
		order string
	}{{13, "lines"}, {64, "lines"}, {256, "shades"}} {
		ids := numbered(c.n)
		if c.order == "shades" { // the worst case of LCR
			slices.Reverse(ids)
		}
		a, err := catalog.Find("lcr", "")
		require.NoError(t, err)
		tr := simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: ids}})
		text := drawn(t, tr, svgOf)
		sent, lines, leaders := 0, 0, 0
		for i := range tr.Events {
			if tr.Events[i].Do == observe.Send {
				sent++
			}
		}
		for _, e := range elements(t, text) {
			if e.attr["class"] == "messages" {
				lines += strings.Count(e.attr["d"], "M")
			}
			if e.attr["class"] == "life" && e.attr["stroke"] == svg.Gold {
				leaders++
			}
		}
		require.Equal(t, 1, leaders)
		if c.order == "shades" {
			require.Zero(t, lines)
			require.Greater(t, strings.Count(text, svg.Shade5), 1000)
			require.Contains(t, text, "33,152 messages")
			continue
		}
		// One that goes around the ring is two lines.
		require.GreaterOrEqual(t, lines, sent)
		require.LessOrEqual(t, lines, sent+sent/c.n+c.n)
	}
}

// TestLegible: on a screen of 390 px no letter is below 11 px, and a mark beside the line of its process
// lies on no arrow.
func TestLegible(t *testing.T) {
	for name, c := range pictured(t) {
		text := drawn(t, simulated(t, c), svgOf)
		var width float64
		var arrows [][4]float64
		for _, e := range elements(t, text) {
			if e.name == "svg" {
				_, err := fmt.Sscanf(e.attr["viewBox"], "0 0 %f", &width)
				require.NoError(t, err)
			}
			if e.name == "text" {
				require.GreaterOrEqual(t, e.number(t, "font-size")*min(390/width, 1), 11.0, "%s: %q", name,
					e.text)
			}
			if e.name == "line" && e.attr["stroke-width"] == "1.8" {
				arrows = append(arrows, [4]float64{e.number(t, "x1"), e.number(t, "y1"), e.number(t, "x2"),
					e.number(t, "y2")})
			}
		}
		require.NotEmpty(t, arrows)
		for _, circle := range elements(t, text) {
			if circle.name != "circle" || circle.attr["r"] != "5" {
				continue
			}
			x, y := circle.number(t, "cx"), circle.number(t, "cy")
			for _, a := range arrows {
				part := min(max(((x-a[0])*(a[2]-a[0])+(y-a[1])*(a[3]-a[1]))/
					((a[2]-a[0])*(a[2]-a[0])+(a[3]-a[1])*(a[3]-a[1])), 0), 1)
				away := math.Hypot(x-a[0]-part*(a[2]-a[0]), y-a[1]-part*(a[3]-a[1]))
				require.GreaterOrEqual(t, away, 5.0, "%s: the clock at %v, %v", name, x, y)
			}
		}
	}
}

// TestKindsDiffer: two kinds differ in grey, too: by their dash or their head.
func TestKindsDiffer(t *testing.T) {
	for _, a := range catalogtest.Resting() {
		in := inputOf(t, a)
		var b strings.Builder
		if trace.WriteSVG(&b, simulated(t, sim.Config{Input: in}), trace.Picture{}) != nil ||
			len(a.Kinds) > 8 {
			continue
		}
		var svg node
		require.NoError(t, xml.Unmarshal([]byte(b.String()), &svg))
		looks := map[string]string{} // by colour
		for i := range svg.Nodes {
			if n := &svg.Nodes[i]; n.get("class") == "message" && n.Nodes[1].XMLName.Local == "line" {
				last := n.Nodes[len(n.Nodes)-1]
				if last.XMLName.Local == "line" || last.XMLName.Local == "circle" {
					continue // it has not arrived
				}
				kind := strings.Fields(strings.SplitN(n.Nodes[0].Text, ": ", 2)[1])[0]
				looks[kind] = n.Nodes[1].get("stroke-dasharray") + last.XMLName.Local
			}
		}
		different := map[string]bool{}
		for _, look := range looks {
			different[look] = true
		}
		require.Len(t, different, len(looks), "%s: %v", a.Title(), looks)
	}
}

// TestFolds: what happens again and again is drawn once.
func TestFolds(t *testing.T) {
	a, err := catalog.Find("bully", "")
	require.NoError(t, err)
	in := scenario.Input{Algorithm: a, IDs: numbered(4)}
	in.Algorithm, err = scenario.Configure(a, map[string]params.Value{"heartbeat": params.Value{Number: 2}},
		in.IDs, a.Delay)
	require.NoError(t, err)
	tr := simulated(t, sim.Config{Input: in, Until: 60 * scenario.Unit})
	some, every := drawn(t, tr, svgOf), drawn(t, tr, allSVG)
	require.Contains(t, some, "times the same")
	require.NotContains(t, every, "times the same")
	require.Less(t, strings.Count(some, `class="message"`), strings.Count(every, `class="message"`)/2)
}

// TestOvertaking: the picture and the diagram name what arrives before what was sent earlier over the
// same link.
func TestOvertaking(t *testing.T) {
	a, err := catalog.Find("dkr", "")
	require.NoError(t, err)
	named := 0
	for seed := range uint64(20) {
		c := sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(4)}, Schedule: sim.RandomDelay,
			Seed: seed, Unordered: true, Until: 20 * scenario.Unit}
		c.Force = true
		tr := simulated(t, c)
		overtakes := false
		type link struct{ from, to election.ID }
		last := map[link]uint64{}
		for i := range tr.Events {
			if e := &tr.Events[i]; e.Do == observe.Deliver {
				l := link{e.From.Process, e.Process}
				overtakes = overtakes || e.From.Seq < last[l]
				last[l] = max(last[l], e.From.Seq)
			}
		}
		require.Equal(t, overtakes, strings.Contains(drawn(t, tr, mermaidOf), " overtakes "), "seed %d", seed)
		require.Equal(t, overtakes, strings.Contains(drawn(t, tr, svgOf), " overtakes "), "seed %d", seed)
		if overtakes {
			named++
		}
	}
	require.Positive(t, named)
}
