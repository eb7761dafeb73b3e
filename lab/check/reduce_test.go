package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/check"
)

// TestReducedIsTheSame: the reduction changes the verdict of no property, on all networks of up to two processes
// (three in a long run) and with any initiators, and it omits the same steps with any number of workers.
func TestReducedIsTheSame(t *testing.T) {
	most := 2
	if *long {
		most = 3
	}
	for _, a := range catalog.All() {
		if s, ok := every[a.Title()]; ok {
			for n := 1; n <= min(most, s.ordered); n++ {
				for _, net := range networks(t, a, n) {
					for _, initiators := range starters(a, net) {
						for _, together := range []bool{false, true} {
							if together && drawsAtStart(a) {
								continue
							}
							c := check.Config{Input: input(a, net.of), Started: together}
							c.Topology, c.Initiators = net.links, initiators
							sameReduced(t, c)
						}
					}
				}
			}
		}
	}
}

// sameReduced wants the reduced search to come to the same.
func sameReduced(t *testing.T, c check.Config) {
	t.Helper()
	full := run(t, c)
	c.Reduce = true
	reduced := run(t, c)
	require.Equal(t, full.Properties, reduced.Properties, "%s %v %v", c.Algorithm.Title(), c.IDs,
		c.Initiators)
	require.Equal(t, full.Exhausted, reduced.Exhausted)
	require.LessOrEqual(t, reduced.States, full.States)
	if full.Messages >= 0 && reduced.Messages >= 0 {
		require.Equal(t, full.Messages, reduced.Messages)
		require.Equal(t, full.Longest, reduced.Longest)
	}
	if full.Counterexample != nil {
		require.Equal(t, full.Counterexample.Property, reduced.Counterexample.Property)
		require.GreaterOrEqual(t, len(reduced.Counterexample.Steps), len(full.Counterexample.Steps))
		replayed(t, c, full.Counterexample.Property)
	}
}

// twist does something before a step, or instead of it.
type twist func(m *mutant, e *election.Env, ev *election.Event) (instead bool)

// mutant is a Node of which one process does something else now and then.
type mutant struct {
	election.Node
	self  election.ID
	steps uint64
	twist twist
}

func (m *mutant) State(s *election.State) {
	s.Uint64(&m.steps)
	m.Node.State(s)
}

func (m *mutant) Step(e *election.Env, ev *election.Event) {
	if !m.twist(m, e, ev) {
		m.Node.Step(e, ev)
	}
}

// twisted returns an algorithm with a mistake.
func twisted(a *election.Algorithm, twist twist) *election.Algorithm {
	b := *a
	b.New = func(s election.Setup) election.Node {
		return &mutant{Node: a.New(s), self: s.Self.ID, twist: twist}
	}
	return &b
}

// mistakes are ways to be wrong, each of which breaks another promise.
var mistakes = map[string]twist{
	"swallows its second message": func(m *mutant, _ *election.Env, ev *election.Event) bool {
		if m.self == 2 && ev.Op == election.Recv {
			m.steps++
			return m.steps == 2
		}
		return false
	},
	"elects itself": func(m *mutant, e *election.Env, ev *election.Event) bool {
		if m.self == 1 && ev.Op == election.Recv {
			e.Decide(e.Self())
		}
		return false
	},
	"follows another": func(m *mutant, e *election.Env, ev *election.Event) bool {
		if m.self == 1 && ev.Op == election.Recv && ev.Msg.Kind > 1 {
			e.Decide(election.Rank{ID: 2})
			e.Done()
			return true
		}
		return false
	},
	"panics": func(m *mutant, _ *election.Env, ev *election.Event) bool {
		if m.self == 2 && ev.Op == election.Recv && ev.Msg.Rank.ID == 1 {
			panic("a small one")
		}
		return false
	},
	"never lets go": func(m *mutant, e *election.Env, ev *election.Event) bool {
		if ev.Op == election.Recv && ev.Msg.Kind == 1 && ev.Msg.Rank.ID == 1 {
			e.Send(election.Clockwise, ev.Msg)
			return true
		}
		return false
	},
}

// TestReducedFindsMistakes: what is wrong is found as well where steps are left out.
func TestReducedFindsMistakes(t *testing.T) {
	found := 0
	for _, name := range []string{"swallows its second message", "elects itself", "follows another",
		"panics", "never lets go"} {
		for _, title := range []string{"lcr/participant", "lcr/max", "franklin", "dkr", "hs/probe"} {
			base, variant, _ := strings.Cut(title, "/")
			for n := 2; n <= 4; n++ {
				a := twisted(find(t, base, variant, falling(n), nil), mistakes[name])
				c := check.Config{Input: input(a, falling(n)), Started: true}
				full := run(t, c)
				c.Reduce = true
				reduced := run(t, c)
				require.Equal(t, full.Err() == nil, reduced.Err() == nil, "%s %s %d: %v, %v", title, name, n,
					full.Err(), reduced.Err())
				require.Equal(t, full.Exhausted, reduced.Exhausted)
				if full.Counterexample != nil {
					found++
					require.GreaterOrEqual(t,
						len(reduced.Counterexample.Steps[:reduced.Counterexample.Cycle]), 1)
				}
			}
		}
	}
	require.Greater(t, found, 40)
}

// TestReductionIsWorthIt: how many states are left.
func TestReductionIsWorthIt(t *testing.T) {
	var b strings.Builder
	b.WriteString(headed("algorithm | network | start | all states | reduced | fewer by"))
	for _, some := range []struct {
		title string
		n     int
		start bool
		least float64
	}{
		{"lcr/participant", 4, false, 1}, {"lcr/participant", 8, true, 1}, {"lcr/max", 7, true, 1},
		{"lcr/wave", 6, true, 1},
		{"franklin", 6, true, 1}, {"dkr", 10, true, 1}, {"hs/probe", 4, true, 1},
		{"inquiry/states", 3, true, 1},
		{"treeelect/saturation", 6, true, 1}, {"echo/extinction", 3, true, 1},
		{"mutex/ricartagrawala", 3, true, 1},
	} {
		base, variant, _ := strings.Cut(some.title, "/")
		c := check.Config{Input: input(find(t, base, variant, falling(some.n), nil), falling(some.n)),
			Started: some.start}
		full := holds(t, c)
		c.Reduce = true
		reduced := holds(t, c)
		factor := float64(full.States) / float64(reduced.States)
		require.GreaterOrEqual(t, factor, some.least, some.title)
		fmt.Fprintf(&b, "| %s | %d processes | %s | %d | %d | %.1f |\n", some.title, some.n,
			either(some.start, "all together", "each at any moment"),
			full.States, reduced.States, factor)
	}
	document(t, "reduced", b.String())
}

// TestReducedToys: of drawn Nodes as well, whatever they do, leaving out steps changes no verdict.
func TestReducedToys(t *testing.T) {
	reduced := 0
	for seed := range 500 {
		d := draw(seed)
		c := drawnCheck(&d)
		if c.Delay = 0; c.Algorithm.Elects == election.LeaseHolders {
			c.Algorithm.Elects = election.Successors
		}
		c.Properties, c.Reduce, c.MaxStates = nil, false, 300
		c.Crashes, c.Losses = d.of(2), d.of(2)
		full, err := check.Run(t.Context(), c)
		if err != nil || full.Stopped != nil {
			continue
		}
		c.Reduce = true
		r := run(t, c)
		require.Equal(t, full.Err() == nil, r.Err() == nil, "%d: %v, %v", seed, full.Err(), r.Err())
		if full.Exhausted {
			require.Equal(t, full.Properties, r.Properties, seed)
		}
		reduced += min(int(r.Reduced), 1)
	}
	require.Greater(t, reduced, 25)
}
