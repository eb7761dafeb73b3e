package check

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/svg"
)

// MostDrawn is the largest number of states that WriteDOT draws.
const MostDrawn = 5000

// mostLabelled is up to how many moves each has its words in the picture; else a pointer shows them.
const mostLabelled = 100

// strokes are the colours of processes, which repeat.
var strokes = []string{svg.Blue, svg.Orange, svg.Green, svg.Pink, svg.Amber, svg.Sky, svg.Red, svg.Grey}

// WriteDOT draws the states of a check in the language of Graphviz; see [Graph.WriteDOT].
func WriteDOT(ctx context.Context, w io.Writer, c Config) error {
	g, err := NewGraph(ctx, c, MostDrawn)
	if err != nil {
		return err
	}
	return g.WriteDOT(w, c.Algorithm.Title()+", "+prose.Plural(len(g.IDs), "process"))
}

// WriteDOT writes the Graph in the language of Graphviz: a layer for each depth, moves in the colour of their
// process. A state says which processes lead in it; where nothing is left to happen it has two lines around
// it, and where a property does not hold it is red. A Graph that is truncated, or has more than [MostDrawn]
// states, is an [election.ErrInput].
func (g *Graph) WriteDOT(w io.Writer, title string) error {
	if g.Truncated || len(g.States) > MostDrawn {
		return input.Errorf("states: more than the %d that can be drawn", min(len(g.States), MostDrawn))
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "digraph {\n\tlabel=%q labelloc=t fontname=\"sans-serif\" ranksep=0.6\n", title)
	fmt.Fprintf(b, "\tnode [shape=circle width=0.3 fontsize=10 fontname=\"sans-serif\" color=%q]\n", svg.Mid)
	fmt.Fprint(b, "\tedge [fontsize=8 fontname=\"sans-serif\" arrowsize=0.6]\n\tsubgraph key { rank=source;")
	for p, id := range g.IDs {
		fmt.Fprintf(b, " p%d [shape=plaintext label=\"process %d\" fontcolor=%q];", p, id, g.stroke(id))
	}
	fmt.Fprint(b, " }\n")
	for at := 0; at < len(g.States); {
		depth := g.States[at].Depth
		fmt.Fprint(b, "\t{ rank=same;")
		for ; at < len(g.States) && g.States[at].Depth == depth; at++ {
			fmt.Fprintf(b, " s%d;", at)
		}
		fmt.Fprint(b, " }\n")
	}
	for at := range g.States {
		g.drawState(b, at)
	}
	for _, e := range g.Edges {
		m := &g.Moves[e.Move]
		words := "tooltip"
		if len(g.Edges) <= mostLabelled {
			words = "label"
		}
		fmt.Fprintf(b, "\ts%d -> s%d [color=%q %s=%q", e.From, e.To, g.stroke(m.Process), words, m.Words)
		if g.States[e.To].Depth <= g.States[e.From].Depth {
			fmt.Fprint(b, " constraint=false") // back, or within a layer
		}
		fmt.Fprint(b, "]\n")
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}

// drawState writes one state.
func (g *Graph) drawState(b *bufio.Writer, at int) {
	v := &g.States[at]
	words := v.Led()
	fmt.Fprintf(b, "\ts%d [label=\"", at)
	for i, id := range v.Leaders {
		if i > 0 {
			fmt.Fprint(b, ",")
		}
		fmt.Fprint(b, id)
	}
	fmt.Fprint(b, "\"")
	if v.Last {
		fmt.Fprint(b, " peripheries=2")
	}
	if len(v.Leaders) > 0 {
		fmt.Fprintf(b, " color=%q penwidth=2", svg.Gold)
	}
	if v.Violated != "" {
		words += "; violated: " + v.Violated.Text() + ": " + v.Reason.Error()
		fmt.Fprintf(b, " style=filled fillcolor=%q fontcolor=%q", svg.Red, svg.Paper)
	}
	fmt.Fprintf(b, " tooltip=%q]\n", words)
}

// stroke returns the colour of what happens to a process; to none, of time and cuts.
func (g *Graph) stroke(id election.ID) string {
	if p := slices.Index(g.IDs, id); p >= 0 {
		return strokes[p%len(strokes)]
	}
	return svg.Faint
}
