package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
)

// How many states a graph has.
const (
	usualVertices = 5_000
	mostVertices  = 50_000
)

// graphed is the last graph, for the way to a state of it.
type graphed struct {
	key   string
	asked *asked
	graph *check.Graph
}

// drawn is a graph as a picture needs it.
type drawn struct {
	States    []vertex `json:"states"`
	Edges     [][3]int `json:"edges"` // from, to, and which process moves; -1 for time and cuts
	Ends      []ending `json:"ends"`
	Deep      int      `json:"deep"` // the largest depth
	Wide      int      `json:"wide"` // the most states of one depth
	Truncated bool     `json:"truncated"`
}

// vertex is a state.
type vertex struct {
	X        float64  `json:"x"` // horizontal place among the states of the same depth, from 0 to 1
	Depth    int      `json:"depth"`
	Leaders  []string `json:"leaders"`
	Last     bool     `json:"last"`               // nothing is left to happen
	By       string   `json:"by,omitempty"`       // the first move that leads to it, in words
	Violated string   `json:"violated,omitempty"` // property, in words
	Reason   string   `json:"reason,omitempty"`
}

// ending is a way in which runs end.
type ending struct {
	State int `json:"state"` // the first such
	Count int `json:"count"` // of states
}

// mostEndings bounds what is told of the ends of all runs.
const mostEndings = 12

// wantedGraph is the arguments of graph and path.
type wantedGraph struct {
	question
	Most  int `json:"most"`  // states
	State int `json:"state"` // of path
}

// graph visits states and gives them with the moves between them.
func (b *Bridge) graph(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	g, _, err := b.graphed(ctx, args)
	if err != nil {
		return Reply{}, err
	}
	d := drawn{States: make([]vertex, len(g.graph.States)), Edges: make([][3]int, len(g.graph.Edges)),
		Truncated: g.graph.Truncated}
	for i := range g.graph.States {
		v := &g.graph.States[i]
		s := vertex{Depth: v.Depth, Leaders: []string{}, Last: v.Last,
			Violated: v.Violated.Text()}
		for _, id := range v.Leaders {
			s.Leaders = append(s.Leaders, strconv.FormatUint(uint64(id), 10))
		}
		if v.Reason != nil {
			s.Reason = input.Reason(oneLine(v.Reason))
		}
		d.States[i] = s
	}
	for i, e := range g.graph.Edges {
		move := &g.graph.Moves[e.Move]
		d.Edges[i] = [3]int{e.From, e.To, slices.Index(g.asked.Input.IDs, move.Process)}
		if s := &d.States[e.To]; s.By == "" && s.Depth > d.States[e.From].Depth {
			s.By = move.Words
		}
	}
	d.place()
	d.end()
	return written(d)
}

// place puts the states of one depth into a row, each near the states from which it comes.
func (d *drawn) place() {
	rows := [][]int{}
	for i := range d.States {
		for len(rows) <= d.States[i].Depth {
			rows = append(rows, nil)
		}
		rows[d.States[i].Depth] = append(rows[d.States[i].Depth], i)
	}
	n := len(d.States)
	next, key, from := make([][]int, n), make([]float64, n), make([]float64, n)
	for _, e := range d.Edges {
		if d.States[e[0]].Depth < d.States[e[1]].Depth {
			next[e[0]] = append(next[e[0]], e[1])
			from[e[1]]++
		}
	}
	for _, row := range rows {
		slices.SortStableFunc(row, func(a, b int) int {
			return cmp.Compare(key[a]/max(1, from[a]), key[b]/max(1, from[b]))
		})
		for k, i := range row {
			d.States[i].X = (float64(k) + 0.5) / float64(len(row))
			for _, j := range next[i] {
				key[j] += d.States[i].X
			}
		}
		d.Wide = max(d.Wide, len(row))
	}
	d.Deep = len(rows) - 1
}

// end finds the ways in which runs end.
func (d *drawn) end() {
	d.Ends = []ending{}
	at := make(map[string]int)
	for i := range d.States {
		s := &d.States[i]
		if !s.Last && s.Violated == "" {
			continue
		}
		key := cmp.Or(s.Violated, strings.Join(s.Leaders, " "))
		if k, known := at[key]; known {
			d.Ends[k].Count++
		} else if len(d.Ends) < mostEndings {
			at[key] = len(d.Ends)
			d.Ends = append(d.Ends, ending{i, 1})
		}
	}
}

// path gives the scenario of the way to a state of a graph.
func (b *Bridge) path(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	g, state, err := b.graphed(ctx, args)
	if err != nil {
		return Reply{}, err
	}
	if state < 0 || state >= len(g.graph.States) {
		return Reply{}, input.Errorf("state: %d, and the graph has %d", state, len(g.graph.States))
	}
	steps := append([]scenario.Step{}, g.asked.After...)
	s := g.asked.with(append(steps, g.graph.Path(state)...))
	if violated := g.graph.States[state].Violated; violated.Known() {
		s.Property = violated
	}
	return written(s)
}

// graphed returns the graph that the arguments ask for, and the state that they name.
func (b *Bridge) graphed(ctx context.Context, args json.RawMessage) (*graphed, int, error) {
	var w wantedGraph
	if err := read(args, &w); err != nil {
		return nil, 0, err
	}
	switch {
	case w.Most == 0:
		w.Most = usualVertices
	case w.Most < 0 || w.Most > mostVertices:
		return nil, 0, input.Errorf("most: %d states, it must be from 1 to %d", w.Most, mostVertices)
	}
	state := w.State
	w.State = 0
	key, err := json.Marshal(&w)
	if err != nil {
		return nil, 0, err
	}
	if b.graphs != nil && b.graphs.key == string(key) {
		return b.graphs, state, nil
	}
	a, err := b.ask(ctx, &w.question)
	if err != nil {
		return nil, 0, err
	}
	g, err := check.NewGraph(ctx, a.Config, w.Most)
	if err != nil {
		return nil, 0, a.refused(err)
	}
	b.graphs = &graphed{string(key), a, g}
	return b.graphs, state, nil
}
