package trace_test

import (
	"encoding/xml"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

var update = flag.Bool("update", false, "regenerate the golden files")

// node is a part of an SVG.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Nodes   []node     `xml:",any"`
}

func (n *node) get(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (n *node) number(name string) (x float64) {
	_, _ = fmt.Sscan(n.get(name), &x)
	return x
}

// columns are the processes, by where their lines are.
type columns struct {
	ids []string
	x   []float64
}

// of returns the process whose line is the nearest to x.
func (c *columns) of(x float64) string {
	best := 0
	for p := range c.x {
		if math.Abs(c.x[p]-x) < math.Abs(c.x[best]-x) {
			best = p
		}
	}
	return c.ids[best]
}

// structure lists what an SVG shows, one thing a line, without the exact places.
func structure(t *testing.T, text string) string {
	t.Helper()
	var svg node
	require.NoError(t, xml.Unmarshal([]byte(text), &svg))
	var c columns
	for i := range svg.Nodes {
		if n := &svg.Nodes[i]; n.get("class") == "process" {
			c.ids, c.x = append(c.ids, n.Text), append(c.x, n.number("x"))
		}
	}
	var b strings.Builder
	for i := range svg.Nodes {
		n := &svg.Nodes[i]
		name, class := n.XMLName.Local, n.get("class")
		switch {
		case class == "process":
			fmt.Fprintf(&b, "process %s\n", n.Text)
		case name == "line" && class != "":
			fmt.Fprintf(&b, "%s %s\n", class, c.of(n.number("x1")))
		case name == "rect" && class != "":
			fmt.Fprintf(&b, "%s %s\n", class, c.of(n.number("x")+5))
		case name == "g":
			fmt.Fprintf(&b, "%s %q:%s\n", class, n.Nodes[0].Text, shapes(n.Nodes[1:], &c, class == "message"))
		case name == "text" || name == "title":
			fmt.Fprintf(&b, "%s %q %s\n", name, n.Text, class)
		}
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// shapes lists the shapes of a drawing, and of an arrow its ends.
func shapes(nodes []node, c *columns, arrow bool) string {
	var text strings.Builder
	for i := range nodes {
		n := &nodes[i]
		text.WriteString(" " + n.XMLName.Local)
		for _, name := range []string{"fill", "stroke", "stroke-dasharray"} {
			if v := n.get(name); v != "" && v != "none" && v != "#333333" {
				text.WriteString(" " + v)
			}
		}
		if arrow && i == 0 && n.XMLName.Local == "line" {
			down := "down"
			if n.number("y2") <= n.number("y1") {
				down = "UP"
			}
			fmt.Fprintf(&text, " from %s %s to %s", c.of(n.number("x1")), down, c.of(n.number("x2")))
		}
	}
	return text.String()
}

// pictured are the elections whose pictures are compared with those of before.
func pictured(t *testing.T) map[string]sim.Config {
	t.Helper()
	in := func(name string, n int) scenario.Input {
		a, err := catalog.Find(name, "")
		require.NoError(t, err)
		return scenario.Input{Algorithm: a, IDs: numbered(n)}
	}
	bully := in("bully", 5)
	bully.Crashed, bully.Initiators = []election.ID{4}, []election.ID{2}
	bully.CrashAt = []scenario.At{{ID: 5, Time: scenario.Unit / 2}, {ID: 3, Time: 9 * scenario.Unit}}
	bully.RecoverAt = []scenario.At{{ID: 4, Time: 12 * scenario.Unit}}
	return map[string]sim.Config{
		"hs":    {Input: in("hs", 8), Schedule: sim.UnitDelay},
		"lcr":   {Input: in("lcr", 4), Schedule: sim.UnitDelay},
		"bully": {Input: bully, Schedule: sim.UnitDelay},
		"mutex": {Input: in("mutex", 4), Schedule: sim.UnitDelay},
	}
}

// TestGolden: what a picture shows is what it showed before: a line for each process, the arrows, the
// labels and the marks, in their colours and in this order. The golden files do not say where.
func TestGolden(t *testing.T) {
	for name, c := range pictured(t) {
		text := drawn(t, simulated(t, c), svgOf)
		require.Equal(t, text, drawn(t, simulated(t, c), svgOf),
			"the same run gives the same picture")
		file := filepath.Join("testdata", name+".golden")
		have := structure(t, text)
		if *update {
			require.NoError(t, os.MkdirAll("testdata", 0o777))
			require.NoError(t, os.WriteFile(file, []byte(have), 0o666))
			continue
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), have, "%s: make docs regenerates it, look at the picture before", name)
		require.NotContains(t, have, " UP ")
	}
}
