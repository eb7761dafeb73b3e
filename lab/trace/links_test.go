package trace_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// network runs an election of n processes on some links, the algorithm's own if t is nil.
func network(t *testing.T, name string, n int, links topology.Topology) sim.Config {
	t.Helper()
	a, err := catalog.Find(name, "")
	require.NoError(t, err)
	return sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(n), Topology: links},
		Schedule: sim.UnitDelay}
}

// must returns a topology that can be built.
func must[T topology.Topology](t *testing.T) func(topo T, err error) topology.Topology {
	return func(topo T, err error) topology.Topology {
		t.Helper()
		require.NoError(t, err)
		return topo
	}
}

// networks are pictures of every form.
func networks(t *testing.T) map[string]sim.Config {
	t.Helper()
	plain, rooted := must[topology.Topology](t), must[topology.Rooted](t)
	cut := network(t, "bully", 5, nil)
	cut.Faults.Partitions = []fault.Partition{{Groups: [][]election.ID{{1, 2}}, From: scenario.Unit,
		Until: 30 * scenario.Unit}}
	cut.Crashed = []election.ID{3}
	return map[string]sim.Config{
		"one-way ring": network(t, "lcr", 6, nil),
		"two-way ring": network(t, "hs", 8, nil),
		"large ring":   network(t, "lcr", 256, nil),
		"pair":         network(t, "hs", 2, nil),
		"alone":        network(t, "lcr", 1, nil),
		"complete":     network(t, "bully", 64, nil),
		"cut":          cut,
		"layers":       network(t, "treeelect", 9, nil),
		"path":         network(t, "treeelect", 20, rooted(topology.Path(20))),
		"rings":        network(t, "treeelect", 64, nil),
		"cube":         network(t, "hypercube", 16, nil),
		"grid":         network(t, "echo", 12, plain(topology.Grid(3, 4))),
		"torus":        network(t, "echo", 16, plain(topology.Torus(4, 4))),
		"circulant":    network(t, "echo", 9, plain(topology.Circulant(9, 1, 3))),
		"distances":    network(t, "echo", 24, plain(topology.RandomGraph(24, 40, 3))),
	}
}

// linkTitles are those of links, each alone or several of one look.
var linkTitles = regexp.MustCompile(`<g class="link"><title>([^<]*)</title>`)

// TestLinksAddUp: each message is on a link of its picture, whichever topology it went over.
func TestLinksAddUp(t *testing.T) {
	count := regexp.MustCompile(`: ([0-9,]+) messages?`)
	runs := map[string]*trace.Trace{}
	for name, c := range networks(t) {
		runs[name] = simulated(t, c)
	}
	for name, tr := range shown(t) {
		runs[name] = tr
	}
	for name, tr := range runs {
		sent := 0
		for i := range tr.Events {
			if e := &tr.Events[i]; e.Do == observe.Send && e.Peer != 0 {
				sent++
			}
		}
		written := 0
		for _, title := range linkTitles.FindAllStringSubmatch(drawn(t, tr, trace.WriteLinks), -1) {
			for _, m := range count.FindAllStringSubmatch(title[1], -1) {
				number, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
				require.NoError(t, err)
				written += number
			}
		}
		require.Equal(t, sent, written, name)
	}
}

// TestLinkCounts: a number on a link is the sum of both ways, and stands at its own link.
func TestLinkCounts(t *testing.T) {
	for name, c := range map[string]sim.Config{"ring": network(t, "hs", 8, nil),
		"tree": network(t, "treeelect", 7, nil)} {
		var picture node
		require.NoError(t, xml.Unmarshal([]byte(drawn(t, simulated(t, c), trace.WriteLinks)), &picture))
		var titled, written []int
		for _, n := range picture.Nodes {
			switch n.get("class") {
			case "link":
				sum := 0
				for _, m := range regexp.MustCompile(`: (\d+) message`).FindAllStringSubmatch(n.Nodes[0].Text,
					-1) {
					k, err := strconv.Atoi(m[1])
					require.NoError(t, err)
					sum += k
				}
				titled = append(titled, sum)
			case "count":
				k, err := strconv.Atoi(n.Text)
				require.NoError(t, err)
				written = append(written, k)
			}
		}
		slices.Sort(titled)
		slices.Sort(written)
		require.NotEmpty(t, written)
		require.Equal(t, titled, written, "%s: each link has room for its number", name)
	}
}

// TestLinksShowTheTree: the thick links are the tree that echo makes: each process and its parent, which is
// the first to have sent it a demand.
func TestLinksShowTheTree(t *testing.T) {
	for _, title := range []string{"echo/implicit", "echo/nok"} {
		name, variant, _ := strings.Cut(title, "/")
		a, err := catalog.Find(name, variant)
		require.NoError(t, err)
		graph, err := topology.RandomGraph(12, 24, 7)
		require.NoError(t, err)
		tr := simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(12), Topology: graph},
			Schedule: sim.RandomDelay, Seed: 5})
		parent := map[election.ID]election.ID{}
		root := election.ID(0)
		for i := range tr.Events {
			e := &tr.Events[i]
			if e.Do == observe.Start {
				root = e.Process
			}
			if _, ok := parent[e.Process]; e.Do == observe.Deliver && e.Message.Kind == 1 && !ok {
				parent[e.Process] = e.Peer
			}
		}
		delete(parent, root)
		require.Len(t, parent, 11)
		text := drawn(t, tr, trace.WriteLinks)
		thick := map[string]bool{}
		for _, m := range regexp.MustCompile(`<path d="([^"]*)" [^>]*stroke="`+
			svg.Gold).FindAllStringSubmatch(
			text, -1) {
			thick[m[1]] = true
		}
		require.Len(t, thick, 11, title)
		links := regexp.MustCompile(`class="link"><title>(\d+) to (\d+): [^<]*</title>\n<path d="([^"]*)"`)
		found := 0
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			a, _ := strconv.ParseUint(m[1], 10, 64)
			b, _ := strconv.ParseUint(m[2], 10, 64)
			p, q := election.ID(a), election.ID(b)
			require.Equal(t, parent[p] == q || parent[q] == p, thick[m[3]], "%s: %d to %d", title, p, q)
			found++
		}
		require.Equal(t, 24, found)
	}
}

// TestLinksApart: no process lies on another or hides the link between them, all lie within the picture, and
// no letter is below 11 px on a screen of 390 px.
func TestLinksApart(t *testing.T) {
	for name, c := range networks(t) {
		text := drawn(t, simulated(t, c), trace.WriteLinks)
		var width, height float64
		var discs [][3]float64
		for _, e := range elements(t, text) {
			switch e.name {
			case "svg":
				_, err := fmt.Sscanf(e.attr["viewBox"], "0 0 %f %f", &width, &height)
				require.NoError(t, err)
			case "text":
				require.GreaterOrEqual(t, e.number(t, "font-size")*min(390/width, 1), 11.0, "%s: %q", name,
					e.text)
				from, to := e.reach(t)
				require.True(t, from >= 0 && to <= width, "%s: %q", name, e.text)
			case "circle":
				discs = append(discs, [3]float64{e.number(t, "cx"), e.number(t, "cy"), e.number(t, "r")})
			}
		}
		for i, a := range discs {
			require.True(t, a[0] > a[2] && a[0]+a[2] < width && a[1] > a[2] && a[1]+a[2] < height, name)
			for _, b := range discs[:i] {
				require.Greater(t, math.Hypot(a[0]-b[0], a[1]-b[1]), 1.3*(a[2]+b[2]), name)
			}
		}
	}
}

// TestLinksOfAFile: a trace that was written and read again has the same picture, although a file keeps no
// name of its topology.
func TestLinksOfAFile(t *testing.T) {
	for name, c := range networks(t) {
		tr := simulated(t, c)
		again, err := trace.Read(bytes.NewReader(written(t, tr)))
		require.NoError(t, err)
		require.Equal(t, drawn(t, tr, trace.WriteLinks), drawn(t, again, trace.WriteLinks), name)
	}
}

// TestLinksOfEveryAlgorithm: each has a picture, with a role for each process.
func TestLinksOfEveryAlgorithm(t *testing.T) {
	for _, a := range catalogtest.Resting() {
		tr := simulated(t, sim.Config{Input: inputOf(t, a)})
		text := drawn(t, tr, trace.WriteLinks)
		require.Equal(t, len(tr.Header.Scenario.IDs), strings.Count(text, `<g class="process `), a.Title())
	}
}

func TestLinksRefuse(t *testing.T) {
	err := trace.WriteLinks(io.Discard, &trace.Trace{Header: trace.Header{Scenario: scenario.Scenario{
		IDs: numbered(2)}}})
	require.EqualError(t, err,
		"election: bad input: links: the trace does not say how its processes are joined")
	large := &trace.Trace{Header: trace.Header{Scenario: scenario.Scenario{IDs: numbered(trace.MostLanes +
		1)}}}
	require.ErrorIs(t, trace.WriteLinks(io.Discard, large), trace.ErrTooLarge)
}

// TestLinksGolden: a picture has the title, the signs, the processes with their roles, the links with their
// messages, the cuts and the numbers that it had before.
func TestLinksGolden(t *testing.T) {
	for _, name := range []string{"one-way ring", "cut", "layers", "grid", "cube"} {
		var picture node
		require.NoError(t, xml.Unmarshal([]byte(drawn(t, simulated(t, networks(t)[name]), trace.WriteLinks)),
			&picture))
		var b strings.Builder
		for i := range picture.Nodes {
			n := &picture.Nodes[i]
			switch {
			case n.XMLName.Local == "g":
				fmt.Fprintf(&b, "%s %q:%s\n", n.get("class"), n.Nodes[0].Text, shapes(n.Nodes[1:], &columns{},
					false))
			case n.Text != "" && n.XMLName.Local != "style":
				fmt.Fprintf(&b, "%s %q\n", n.XMLName.Local, n.Text)
			}
		}
		file := filepath.Join("testdata", "links-"+strings.ReplaceAll(name, " ", "-")+".golden")
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o666))
			continue
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), b.String(), "%s: make docs regenerates it, look at the picture before",
			name)
	}
}
