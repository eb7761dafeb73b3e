package electiontest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/params"
)

var (
	Long   = flag.Bool("long", false, "try more elections and more states")
	update = flag.Bool("update", false, "regenerate testdata/tried.txt")
)

// tally counts what a property does with the Nodes of an algorithm.
type tally struct {
	property             string
	nodes, steps, states atomic.Int64
	sum                  atomic.Uint64 // of the events and the processes that take them, in any order
}

// over returns an algorithm that is counted.
func (c *tally) over(a *election.Algorithm) *election.Algorithm {
	b := *a
	b.New = func(s election.Setup) election.Node {
		c.nodes.Add(1)
		return &counted{a.New(s), c}
	}
	if a.Configure != nil {
		b.Configure = func(p *params.Given) (*election.Algorithm, error) {
			configured, err := a.Configure(p)
			if err != nil {
				return nil, err
			}
			return c.over(configured), nil
		}
	}
	return &b
}

type counted struct {
	election.Node
	*tally
}

func (n *counted) Step(e *election.Env, ev *election.Event) {
	self, m := e.Self(), &ev.Msg
	h := uint64(14695981039346656037)
	for _, v := range [...]uint64{uint64(self.ID), self.Priority, uint64(ev.Op), uint64(ev.At),
		uint64(ev.Port),
		uint64(ev.Timer), uint64(ev.Layer), m.Term, uint64(m.Rank.ID), m.Rank.Priority, m.Value,
		uint64(m.Round),
		uint64(m.Kind), uint64(m.Flags), uint64(m.Layer)} {
		h = (h ^ v) * 1099511628211 // FNV, which does not allocate here: Allocation would find that
	}
	n.steps.Add(1)
	// Without this, numbers that differ evenly in their last bits have the same sum.
	n.sum.Add((h ^ h>>32) * 1099511628211)
	n.Node.Step(e, ev)
}

func (n *counted) State(s *election.State) {
	n.states.Add(1)
	n.Node.State(s)
}

// String returns the counts that are the same in each run. Package check makes Nodes for each of its workers,
// and the order in which goroutines handle events is random.
func (c *tally) String() string {
	nodes, steps := fmt.Sprintf("%d Nodes", c.nodes.Load()),
		fmt.Sprintf("%d Steps, %d States, %016x", c.steps.Load(), c.states.Load(), c.sum.Load())
	switch c.property {
	case "Exhaustive", "Order":
		return steps
	case "Goroutines":
		return nodes
	}
	return nodes + ", " + steps
}

// TestTried pins how much each property tries, of algorithms that break none: a suite that tries less, or
// something else, finds nothing wrong either.
func TestTried(t *testing.T) {
	const file = "testdata/tried.txt"
	b := new(strings.Builder)
	tried := func(name string, a *election.Algorithm, o Options) {
		for _, p := range properties() {
			if p.promised != nil && !p.promised(&trial{Options: o, Algorithm: a}) || p.name == "Description" {
				continue
			}
			c := &tally{property: p.name}
			require.NoError(t, try(t, p, c.over(a), o), "%s: %s", name, p.name)
			if p.name == "Allocation" {
				// Try again, since another goroutine may have allocated meanwhile. The smallest count is
				// valid.
				for range 2 {
					again := &tally{property: p.name}
					require.NoError(t, try(t, p, again.over(a), o))
					if again.steps.Load() < c.steps.Load() {
						c = again
					}
				}
			}
			fmt.Fprintf(b, "%s: %s: %v\n", name, p.name, c)
		}
	}
	all := sound(t)
	for _, a := range all {
		tried(a.Title(), a, Options{Seeds: 10, States: 150, Processes: 5, Allocates: true})
	}
	tried("with heartbeats", all[0], Options{Seeds: 3, States: 150, Processes: 3})
	under, err := detect.Under(lcr.Participant(), detect.Deadline{})
	require.NoError(t, err)
	tried("in layers", under, Options{Seeds: 2, States: 150, Processes: 3, Allocates: true})
	// More processes than any property uses, except for properties that use Options.Processes.
	tried("many processes", lcr.Initiators(), Options{Seeds: 10, States: 150, Processes: 10, Allocates: true})
	given := bully.Algorithms()[0]
	tried("with parameters", given, Options{Seeds: 4, States: 150, Processes: 3, Allocates: true,
		Params: map[string]params.Value{given.Params.Names()[0]: {Number: 3}}})
	tried("few seeds", lcr.Participant(), Options{Seeds: 2, States: 150, Processes: 3})
	// More Seeds than any property takes, but Simulation.
	tried("many seeds", lcr.Participant(), Options{Seeds: 60, States: 150, Processes: 3})
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "go test ./electiontest -run TestTried -update regenerates it")
}

// sound returns algorithms of each sort that properties distinguish.
func sound(t *testing.T) (all []*election.Algorithm) {
	t.Helper()
	beating, err := bully.Rules(bully.Config{Heartbeat: 8 * scenario.Unit})
	require.NoError(t, err)
	ring, err := lcr.Participant().OverComplete()
	require.NoError(t, err)
	all = append(all, beating, ring)
	for _, of := range [][2]string{{"lcr", "initiators"}, {"lcr", "max"}, {"dkr"}, {"treeelect", "root"},
		{"mesh"}, {"hypercube"}, {"echo"}, {"echo", "extinction"}, {"modbully", "grant"},
		{"bully", "rules"}, {"mutex"}, {"mutex", "ricartagrawala"}, {"mutex", "tokenring"}} {
		a, err := catalog.Find(of[0], of[1])
		require.NoError(t, err)
		all = append(all, a)
	}
	return all
}
