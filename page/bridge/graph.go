package bridge

import (
	"context"
	"encoding/json"
	"strconv"

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

// vertex is a state.
type vertex struct {
	Depth    int      `json:"depth"`
	Leaders  []string `json:"leaders"`
	Done     bool     `json:"done"` // each process that is up knows that the election has ended
	Last     bool     `json:"last"` // nothing is left to happen
	Violated string   `json:"violated,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}

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
	states := make([]vertex, len(g.graph.States))
	for i := range g.graph.States {
		v := &g.graph.States[i]
		states[i] = vertex{Depth: v.Depth, Leaders: []string{}, Done: v.Ended, Last: v.Last,
			Violated: string(v.Violated)}
		for _, id := range v.Leaders {
			states[i].Leaders = append(states[i].Leaders, strconv.FormatUint(uint64(id), 10))
		}
		if v.Reason != nil {
			states[i].Reason = input.Reason(oneLine(v.Reason))
		}
	}
	edges := make([][3]int, len(g.graph.Edges))
	for i, e := range g.graph.Edges {
		edges[i] = [3]int{e.From, e.To, e.Move}
	}
	words, processes := []string{}, []string{}
	for _, m := range g.graph.Moves {
		words = append(words, m.Words)
		processes = append(processes, strconv.FormatUint(uint64(m.Process), 10))
	}
	return written(map[string]any{"states": states, "edges": edges, "words": words, "processes": processes,
		"truncated": g.graph.Truncated})
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
	return written(g.asked.with(append(steps, g.graph.Path(state)...)))
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
		return nil, 0, err
	}
	b.graphs = &graphed{string(key), a, g}
	return b.graphs, state, nil
}
