package trace_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// TestOverview: a large run is drawn with every message, and a larger one is refused.
func TestOverview(t *testing.T) {
	for name, n := range map[string]int{"lcr": 64, "bully": 64, "floodmax": 64} {
		tr := simulated(t, network(t, name, n, nil))
		sent, lines, leaders := 0, 0, 0
		for i := range tr.Events {
			if tr.Events[i].Do == observe.Send {
				sent++
			}
		}
		for _, e := range elements(t, drawn(t, tr, svgOf)) {
			if e.attr["class"] == "messages" {
				lines += strings.Count(e.attr["d"], "M")
			}
			if e.name == "line" && e.attr["class"] == "leader" {
				leaders++
			}
		}
		require.Equal(t, 2, leaders, "%s: one, and its sign", name)
		// A message that goes around the ring is two lines.
		require.GreaterOrEqual(t, lines, sent, name)
		require.LessOrEqual(t, lines, sent+sent/n+n, name)
	}
	require.ErrorIs(t, svgOf(io.Discard, simulated(t, network(t, "bully", 256, nil))), trace.ErrTooLarge)
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

// TestCutAxis: if the axis is cut, a label states how much time is left out, even if messages are in flight then.
// Here they wait for a paused process.
func TestCutAxis(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		n         int
		until     time.Duration // of the pause, in units
		units     string        // that are cut out
	}{{"inquiry", 3, 12, "10"}, {"echo", 3, 12, "11"}, {"bully", 9, 12, "10"}, {"lcr", 5, 120, "118"},
		{"hs", 8, 1200, "1186"}} {
		in := network(t, c.algorithm, c.n, nil)
		in.Until = (c.until + 20) * scenario.Unit
		in.PauseAt = []scenario.Pause{{ID: 3, From: 3 * scenario.Unit / 10, Until: c.until * scenario.Unit}}
		text := drawn(t, simulated(t, in), svgOf)
		require.Regexp(t, `>`+c.units+`</text>\s*<text [^>]*>units<`, text, c.algorithm)
	}
}

// TestKindsDiffer: two kinds differ in grey, too: by their dash or their head.
func TestKindsDiffer(t *testing.T) {
	for _, a := range catalogtest.Resting() {
		in := inputOf(t, a)
		var b strings.Builder
		if trace.WriteSVG(&b, simulated(t, sim.Config{Input: in})) != nil {
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
