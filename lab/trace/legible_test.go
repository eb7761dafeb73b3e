package trace_test

import (
	"encoding/xml"
	"slices"
	"strings"
	"testing"
	"time"

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
		algorithm string
		n         int
		order     string
		darkest   int // how many cells are, at least
		messages  string
	}{
		{"lcr", 13, "lines", 0, "38 messages"}, {"lcr", 64, "lines", 0, "191 messages"},
		{"lcr", 256, "worst", 1000, "33,152 messages"}, {"bully", 64, "shades", 70, "4,158 messages"},
		{"bully", 256, "shades", 150, "65,790 messages"},
		{"floodmax", 64, "shades", 63 * 64, "16,128 messages"},
	} {
		ids := numbered(c.n)
		if c.order == "worst" {
			slices.Reverse(ids)
		}
		a, err := catalog.Find(c.algorithm, "")
		require.NoError(t, err)
		tr := simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: ids}})
		text := drawn(t, tr, svgOf)
		require.Contains(t, text, c.messages)
		sent, lines, leaders, cells := 0, 0, 0, 0
		for i := range tr.Events {
			if tr.Events[i].Do == observe.Send {
				sent++
			}
		}
		for _, e := range elements(t, text) {
			if e.attr["class"] == "messages" {
				lines += strings.Count(e.attr["d"], "M")
			}
			if e.name == "line" && e.attr["stroke"] == svg.Gold && e.attr["x1"] == e.attr["x2"] {
				leaders++
			}
			if shade := e.attr["fill"]; e.name == "rect" && shade != svg.Paper {
				require.Zero(t, leaders, "a cell hides the line of the leader")
				require.Greater(t, e.number(t, "height"), 6.0)
				if shade == svg.Shade5 {
					cells++
				}
			}
		}
		require.Equal(t, 1, leaders)
		if c.order != "lines" {
			require.Zero(t, lines)
			require.Greater(t, cells, c.darkest)
			continue
		}
		// One that goes around the ring is two lines.
		require.GreaterOrEqual(t, lines, sent)
		require.LessOrEqual(t, lines, sent+sent/c.n+c.n)
	}
}

// TestOverviewNames: the process that leads and those that are down have their names in a large picture.
func TestOverviewNames(t *testing.T) {
	c := network(t, "bully", 64, nil)
	c.CrashAt = []scenario.At{{ID: 64, Time: scenario.Unit / 2}, {ID: 39, Time: scenario.Unit}}
	c.SuspectAfter = 2 * scenario.Unit
	text := drawn(t, simulated(t, c), svgOf)
	names := map[string]bool{}
	for _, e := range elements(t, text) {
		if e.attr["class"] == "process" {
			names[e.text] = true
		}
	}
	require.True(t, names["39"], names)
	require.True(t, names["63"], names) // the leader, which 64 stands beside
	require.Greater(t, len(names), 9)
}

// TestCutAxis: what is left out where the axis is cut stands beside it, since messages may be under way
// there: here those to a process that pauses.
func TestCutAxis(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		n         int
		until     time.Duration // of the pause, in units
		says      string
	}{{"inquiry", 3, 12, ">10 units<"}, {"echo", 3, 12, ">11 units<"}, {"bully", 9, 12, ">10 units<"},
		{"lcr", 5, 120, `>118</text>\s*<text [^>]*>units<`}, {"hs", 8, 1200, ">units<"}} {
		in := network(t, c.algorithm, c.n, nil)
		in.Until = (c.until + 20) * scenario.Unit
		in.PauseAt = []scenario.Pause{{ID: 3, From: 3 * scenario.Unit / 10, Until: c.until * scenario.Unit}}
		text := drawn(t, simulated(t, in), svgOf)
		require.Regexp(t, c.says, text)
	}
}

// TestKindsDiffer: two kinds differ in grey, too: by their dash or their head.
func TestKindsDiffer(t *testing.T) {
	for _, a := range catalogtest.Resting() {
		in := inputOf(t, a)
		var b strings.Builder
		if trace.WriteSVG(&b, simulated(t, sim.Config{Input: in}), trace.Picture{}) != nil {
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
	require.Contains(t, some, "times<")
	require.Contains(t, some, ">the same<")
	require.NotContains(t, every, ">the same<")
	require.Less(t, strings.Count(some, `class="message"`), strings.Count(every, `class="message"`)/2)
}

// TestFoldsRounds: a lease is renewed in a new round each time, and drawn once.
func TestFoldsRounds(t *testing.T) {
	a, err := catalog.Find("lease", "")
	require.NoError(t, err)
	in := scenario.Input{Algorithm: a, IDs: numbered(3)}
	tr := simulated(t, sim.Config{Input: in, Until: 400 * scenario.Unit})
	some, every := drawn(t, tr, svgOf), drawn(t, tr, allSVG)
	require.Contains(t, some, "claim round 3 incarnation 1 renewal")
	require.NotContains(t, some, "claim round 4 incarnation 1 renewal")
	require.NotContains(t, some, "claim round 17 incarnation 1 renewal")
	require.Contains(t, every, "claim round 17 incarnation 1 renewal")
	require.Regexp(t, `>10 more</text>\s*<text [^>]*>rounds<`, some)
	require.NotContains(t, some, ">40</text>", "the silence before the first that is left out")
	require.NotContains(t, every, ">rounds<")
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
