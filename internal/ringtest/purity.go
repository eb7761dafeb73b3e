package ringtest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// walk is a run at random of bare Nodes on links that keep the order. It shows every event before
// it happens.
type walk struct {
	in     scenario.Input
	env    *election.Env
	nodes  []election.Node
	starts []int               // who has not started yet
	links  [][]*election.Event // by topology.Index of the receiving end: what is under way
}

func newWalk(a *election.Algorithm, n int, seed uint64) (*walk, error) {
	w := &walk{in: scenario.Input{Algorithm: a, IDs: Random(n, seed)}}
	if err := w.in.Check(); err != nil {
		return nil, err
	}
	w.env = election.NewEnv(&w.in, nil)
	w.links = make([][]*election.Event, w.in.Topology.Links())
	for p := range n {
		w.nodes = append(w.nodes, w.fresh(p))
	}
	return w, nil
}

// fresh makes another Node of process p.
func (w *walk) fresh(p int) election.Node {
	return w.in.Algorithm.New(w.in.Setup(p))
}

// run initialises everybody, then starts processes and delivers messages at random until nothing
// is left. It ends early when show returns an error.
func (w *walk) run(seed uint64, show func(p int, ev *election.Event) error) error {
	random := rand.New(rand.NewPCG(seed, 2))
	for p := range w.nodes {
		if err := w.step(p, &election.Event{Op: election.Init}, show); err != nil {
			return err
		}
		w.starts = append(w.starts, p)
	}
	for {
		var busy []topology.End
		for _, end := range topology.All(w.in.Topology) {
			if len(w.links[w.in.Topology.Index(end.Process, end.Port)]) > 0 {
				busy = append(busy, end)
			}
		}
		k := len(busy) + len(w.starts)
		if k == 0 {
			return nil
		}
		k = random.IntN(k)
		p, ev := 0, &election.Event{Op: election.Start}
		if k < len(busy) {
			link := &w.links[w.in.Topology.Index(busy[k].Process, busy[k].Port)]
			p, ev = busy[k].Process, (*link)[0]
			*link = (*link)[1:]
		} else {
			k -= len(busy)
			p = w.starts[k]
			w.starts = slices.Delete(w.starts, k, k+1)
		}
		if err := w.step(p, ev, show); err != nil {
			return err
		}
	}
}

func (w *walk) step(p int, ev *election.Event, show func(p int, ev *election.Event) error) error {
	if err := show(p, ev); err != nil {
		return fmt.Errorf("process %d, %v %+v: %w", w.in.IDs[p], ev.Op, ev.Msg, err)
	}
	fx := w.env.Begin(p)
	w.nodes[p].Step(w.env, ev)
	for _, out := range fx.Sends {
		q, back, ok := w.in.Topology.Link(p, out.Port)
		if !ok {
			return fmt.Errorf("process %d has no port %d", w.in.IDs[p], out.Port)
		}
		link := w.in.Topology.Index(q, back)
		w.links[link] = append(w.links[link], &election.Event{Op: election.Recv, Port: back, Msg: out.Msg})
	}
	return nil
}

// Pure requires of the Nodes of an algorithm, in every state of many runs, that the state which
// they show is whole, comes back from its bytes, and alone decides what an event does.
func Pure(t *testing.T, a *election.Algorithm) {
	for seed := range uint64(60) {
		require.NoError(t, checkPure(a, 1+int(seed%9), seed), "%s seed %d", a.Title(), seed)
	}
}

func checkPure(a *election.Algorithm, n int, seed uint64) error {
	w, err := newWalk(a, n, seed)
	if err != nil {
		return err
	}
	env := election.NewEnv(&w.in, nil)
	return w.run(seed, func(p int, ev *election.Event) error {
		return checkTwin(w.nodes[p], w.fresh(p), w.fresh(p), func(n election.Node) election.Effects {
			fx := env.Begin(p)
			n.Step(env, ev)
			copied := *fx
			copied.Sends = slices.Clone(fx.Sends)
			return copied
		})
	})
}

// checkTwin restores the state of a Node into a twin and takes a step with it, time and again: the
// twin must be like the Node before, and do the same. another is a fresh Node, to compare with one
// that is reset.
func checkTwin(node, twin, another election.Node, step func(election.Node) election.Effects) error {
	state := new(election.State).Append(nil, node)
	var first election.Effects
	var after []byte
	for i := range 3 {
		if err := new(election.State).Restore(twin, state); err != nil {
			return err
		}
		if field := difference(node, twin); field != "" {
			return fmt.Errorf("%s does not come back", field)
		}
		fx := step(twin)
		if i == 0 {
			first, after = fx, new(election.State).Append(nil, twin)
			continue
		}
		if field := difference(first, fx); field != "" {
			return fmt.Errorf("%s of the effects is another when the step is taken again", field)
		}
		if !bytes.Equal(after, new(election.State).Append(nil, twin)) {
			return errors.New("the state is another when the step is taken again")
		}
	}
	new(election.State).Reset(twin)
	if field := difference(another, twin); field != "" {
		return fmt.Errorf("%s is not reset", field)
	}
	return nil
}

// difference returns the path of a field in which a and b differ, unexported ones included. A nil
// slice and an empty one are the same.
func difference(a, b any) string { return differ(reflect.ValueOf(a), reflect.ValueOf(b), "it") }

func differ(a, b reflect.Value, path string) string {
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() == b.IsNil() {
				return ""
			}
			return path
		}
		return differ(a.Elem(), b.Elem(), path)
	case reflect.Struct:
		for i := range a.NumField() {
			if d := differ(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name); d != "" {
				return d
			}
		}
		return ""
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return path
		}
		for i := range a.Len() {
			if d := differ(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i)); d != "" {
				return d
			}
		}
		return ""
	}
	if !a.Equal(b) {
		return path
	}
	return ""
}

// NoAllocations replays whole runs on Nodes that have been through them before, and requires that
// not one of their steps allocates.
func NoAllocations(t *testing.T, a *election.Algorithm) {
	type moment struct {
		p  int
		ev election.Event
	}
	w, err := newWalk(a, 12, 3)
	require.NoError(t, err)
	var all []moment
	require.NoError(t, w.run(3, func(p int, ev *election.Event) error {
		all = append(all, moment{p, *ev})
		return nil
	}))
	replay := func(nodes []election.Node) {
		for i := range all {
			w.env.Begin(all[i].p)
			nodes[all[i].p].Step(w.env, &all[i].ev)
		}
	}
	const runs = 20
	var worn [][]election.Node // one set for each run, and one for the run before them
	for range runs + 1 {
		nodes := make([]election.Node, len(w.nodes))
		for p := range nodes {
			nodes[p] = w.fresh(p)
		}
		replay(nodes)
		for p := range nodes {
			new(election.State).Reset(nodes[p])
		}
		worn = append(worn, nodes)
	}
	require.Equal(t, 0.0, testing.AllocsPerRun(runs, func() {
		replay(worn[0])
		worn = worn[1:]
	}))
}

// LongestState returns how many bytes the largest state of a Node takes in many runs at random.
func LongestState(t *testing.T, a *election.Algorithm) int {
	longest := 0
	for seed := range uint64(300) {
		w, err := newWalk(a, 1+int(seed%16), seed)
		require.NoError(t, err)
		require.NoError(t, w.run(seed, func(int, *election.Event) error {
			for _, node := range w.nodes {
				longest = max(longest, len(new(election.State).Append(nil, node)))
			}
			return nil
		}))
	}
	return longest
}
