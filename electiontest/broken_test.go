package electiontest

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/params"
)

// failures returns what the suite reports about an algorithm, by property, without some properties.
func failures(t *testing.T, a *election.Algorithm, o Options, without ...string) map[string]string {
	t.Helper()
	said := make(map[string]string)
	for _, p := range properties() {
		if p.promised != nil && !p.promised(&trial{Options: o, Algorithm: a}) ||
			slices.Contains(without, p.name) {
			continue
		}
		if err := try(t, p, a, o); err != nil {
			said[p.name] = err.Error()
		}
	}
	if said["Simulation"] != "" || said["Exhaustive"] != "" {
		delete(said, "Leaving") // as inOrder leaves it out
		delete(said, "Order")
	}
	return said
}

// spoilt is a Node of which a Step is replaced, or a field is added that State may visit.
type spoilt struct {
	election.Node
	extra uint64
	ev    *election.Event
	sent  []election.Message
	does  *spoiling
}

// spoiling describes how a Node is broken.
type spoiling struct {
	step   func(n *spoilt, e *election.Env, ev *election.Event)
	state  func(n *spoilt, s *election.State) // replaces the State of the Node
	adjust func(a *election.Algorithm)
}

func (n *spoilt) Step(e *election.Env, ev *election.Event) {
	if n.does.step == nil {
		n.Node.Step(e, ev)
		return
	}
	n.does.step(n, e, ev)
}

func (n *spoilt) State(s *election.State) {
	if n.does.state == nil {
		n.Node.State(s)
		return
	}
	n.does.state(n, s)
}

// spoil returns an algorithm whose Nodes are spoilt.
func spoil(a *election.Algorithm, does spoiling) *election.Algorithm {
	b := *a
	b.Name, b.Variant, b.Params, b.Configure = "spoilt", "", nil, nil
	b.Kinds = slices.Clone(a.Kinds)
	b.New = func(s election.Setup) election.Node { return &spoilt{Node: a.New(s), does: &does} }
	if does.adjust != nil {
		does.adjust(&b)
	}
	return &b
}

// throughout returns an algorithm that stays broken in this way when parameters configure it.
func throughout(a *election.Algorithm,
	spoil func(a *election.Algorithm) *election.Algorithm) *election.Algorithm {
	b := spoil(a)
	if b.Params = a.Params; a.Configure != nil {
		b.Configure = func(p *params.Given) (*election.Algorithm, error) {
			configured, err := a.Configure(p)
			if err != nil {
				return nil, err
			}
			return throughout(configured, spoil), nil
		}
	}
	return b
}

// elected reports whether an event is the announcement of LCR.
func elected(ev *election.Event) bool { return ev.Op == election.Recv && ev.Msg.Kind == 2 }

// calls counts Steps of all Nodes: what no Node may know.
var calls atomic.Uint64

// broken is an algorithm that breaks some properties, and what is said of each.
type broken struct {
	algorithm *election.Algorithm
	options   Options
	want      map[string]string // only the listed properties may fail
	may       []string
	races     bool // has data races as goroutines, so this test does not run it, since the race detector may be on
}

func TestBroken(t *testing.T) {
	tried := make(map[string]bool)
	all := slices.Concat(brokenDescriptions(), brokenNodes(), brokenStates(), brokenWithStrangers(),
		brokenMemories(), brokenElections(), brokenCopies(), brokenAllocations(), brokenStarts())
	for name, b := range named(all) {
		t.Run(name, func(t *testing.T) {
			var without []string
			if b.races {
				without = []string{"Goroutines"}
			}
			o := b.options
			if !*Long { // as many as it takes to find all these
				o.Seeds, o.States = 50, 1000
			}
			got := failures(t, b.algorithm, o, without...)
			for property, message := range b.want {
				tried[property] = true
				require.Contains(t, got, property, "%v", got)
				require.Contains(t, got[property], message, property)
			}
			for property, message := range got {
				_, wanted := b.want[property]
				require.True(t, wanted || slices.Contains(b.may, property), "%s: %s", property, message)
			}
		})
	}
	for _, p := range properties() {
		require.True(t, tried[p.name], "an algorithm that breaks %s", p.name)
	}
}

// sample is a broken algorithm with its name.
type sample struct {
	name string
	broken
}

func named(all []sample) map[string]broken {
	m := make(map[string]broken)
	for _, c := range all {
		m[c.name] = c.broken
	}
	return m
}

// bullyWithTimers returns bully with other names of timers.
func bullyWithTimers(names [][]string) *election.Algorithm {
	return throughout(bully.Algorithms()[0], func(a *election.Algorithm) *election.Algorithm {
		return spoil(a, spoiling{adjust: func(a *election.Algorithm) { a.Timers = names }})
	})
}

func brokenDescriptions() []sample {
	adjusted := func(adjust func(a *election.Algorithm)) *election.Algorithm {
		return spoil(lcr.Participant(), spoiling{adjust: adjust})
	}
	return []sample{
		{"nothing", broken{algorithm: adjusted(nil)}},
		{"no LateStart", broken{algorithm: adjusted(func(a *election.Algorithm) { a.LateStart = "" }),
			want: map[string]string{"Description": `its LateStart is "", not one of`}}},
		{"two kinds of one name",
			broken{algorithm: adjusted(func(a *election.Algorithm) { a.Kinds[1].Name = a.Kinds[0].Name }),
				want: map[string]string{"Description": `two kinds have the name "election"`}}},
		{"a timer without a name", broken{algorithm: bullyWithTimers(nil),
			want: map[string]string{"Description": "its Timers have no name for timer 0 of layer 0, which "}}},
		{"two timers of one name", broken{algorithm: bullyWithTimers([][]string{{0: "a wait",
			1: "a wait"}}),
			want: map[string]string{"Description": `timer 1 of layer 0 has the name "a wait", as another has`}}},
		{"best above worst", broken{algorithm: adjusted(func(a *election.Algorithm) {
			a.Best, a.Worst, a.Mean = a.Worst, a.Best, cost.Bound{}
		}),
			want: map[string]string{"Description": "Best of 3 processes is 9 messages, more than Worst, 8",
				"Bounds": "messages, "},
			may: []string{"Exhaustive"}}},
		{"exceeds its bound", broken{algorithm: adjusted(func(a *election.Algorithm) {
			a.Worst = cost.Bound{Formula: "3n", Count: func(n int) float64 { return 3 * float64(n) }}
			a.Mean, a.Best = cost.Bound{}, cost.Bound{}
		}), want: map[string]string{"Bounds": "more than Worst allows for: 12 (3n); seed 6, unit delays"}}},
		{"arranges nothing", broken{algorithm: adjusted(func(a *election.Algorithm) {
			best := a.Best.Arrange
			a.Worst.Arrange = best
		}), want: map[string]string{"Bounds": "the arrangement of Worst, "}}},
		{"another winner",
			broken{
				algorithm: adjusted(func(a *election.Algorithm) { a.Winner = election.LargestOfInitiators }),
				want: map[string]string{"Simulation": "the leader is the right process: process ",
					"Exhaustive": "only the right process leads", "Repeated": "leads, not"}}},
		{"another leader", broken{algorithm: adjusted(wins("smallest",
			func(a, b election.Rank) bool { return b.Less(a) })),
			want: map[string]string{"Simulation": "leads, not ",
				"Exhaustive": "process 2 leads, not 1, which is the smallest",
				"Repeated":   "leads, not 1", "Goroutines": "leads, not 1"}}},
		{"priorities forgotten", broken{
			algorithm: adjusted(wins("largest ID", func(a, b election.Rank) bool { return a.ID < b.ID })),
			want: map[string]string{"Simulation": "leads, not ",
				"Exhaustive": "among [1 2], priorities [1 0]: only the right process leads: ",
				"Repeated":   "leads, not"}}},
		{"keeps no order", broken{algorithm: spoil(dkr.Algorithm(),
			spoiling{adjust: func(a *election.Algorithm) { a.NeedsFIFO = false }}),
			want: map[string]string{"Simulation": "", "Exhaustive": "on links that do not keep the order"},
			may:  []string{"Repeated", "Unknown"}}},
		{"scenario", broken{algorithm: adjusted(nil),
			options: Options{Scenarios: []string{"testdata/wrong.json"}},
			want: map[string]string{"Scenarios": "testdata/wrong.json: scenario 0, wrong: scenario: " +
				"not what was expected: leader: 3, not 2"}}},
		{"no scenario", broken{algorithm: adjusted(nil),
			options: Options{Scenarios: []string{"testdata/none.json"}},
			want:    map[string]string{"Scenarios": "testdata/none.json"}}},
	}
}

// wins gives an algorithm a Winner of its own: the process that no other is better than.
func wins(name string, worse func(a, b election.Rank) bool) func(*election.Algorithm) {
	return func(a *election.Algorithm) {
		a.Winner = &election.Winner{Name: name, Of: func(all []election.Candidate) election.ID {
			best := all[0].Rank
			for _, c := range all {
				if worse(best, c.Rank) {
					best = c.Rank
				}
			}
			return best.ID
		}}
	}
}

// stepping is LCR with another Step.
func stepping(step func(n *spoilt, e *election.Env, ev *election.Event)) *election.Algorithm {
	return spoil(lcr.Participant(), spoiling{step: step})
}

func brokenNodes() []sample {
	return []sample{
		{"knows of others", broken{algorithm: stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
			if calls.Add(1)%7 == 0 {
				e.Save()
			}
			n.Node.Step(e, ev)
		}), want: map[string]string{"Purity": "the same is not the same again: process "},
			may: []string{"State", "Unknown", "Exhaustive"}}},
		{"keeps the event", broken{algorithm: spoil(lcr.Participant(),
			spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
				if n.ev != nil && n.ev.Op == 0xee {
					panic("the event that was kept has changed")
				}
				n.ev = ev
				n.Node.Step(e, ev)
			}}), want: map[string]string{"Purity": "panics: the event that was kept has changed",
			"State": "panics"},
			may: []string{"Unknown", "Allocation", "LateStart"}, races: true}},
		{"changes the event", broken{algorithm: stepping(func(n *spoilt, e *election.Env,
			ev *election.Event) {
			n.Node.Step(e, ev)
			ev.Msg.Value++
		}), want: map[string]string{"Purity": "the Node changes the event"},
			may: []string{"State", "LateStart", "Allocation", "Unknown", "Simulation", "Repeated"}}},
	}
}

func brokenStates() []sample {
	counting := func(n *spoilt, e *election.Env, ev *election.Event) {
		if n.Node.Step(e, ev); ev.Op == election.Recv {
			n.extra++
		}
		if n.extra == 2 {
			e.Save()
		}
	}
	return []sample{
		{"forgets a field", broken{algorithm: stepping(counting),
			want: map[string]string{"State": "does State visit every field that a Step changes?"},
			may:  []string{"Unknown", "Exhaustive", "Purity"}}},
		{"is not zero at first", broken{algorithm: spoil(lcr.Participant(), spoiling{
			step: func(n *spoilt, e *election.Env, ev *election.Event) {
				if ev.Op == election.Recv {
					n.extra++
				}
				n.Node.Step(e, ev)
			},
			state: func(n *spoilt, s *election.State) {
				n.Node.State(s)
				shown := n.extra + 1
				if s.Uint64(&shown); shown > 0 {
					n.extra = shown - 1
				}
			}}), want: map[string]string{"State": "once reset, the state is "},
			may: []string{"Simulation", "Exhaustive", "Repeated", "Unknown"}}},
		{"panics on a bad state", broken{algorithm: spoil(lcr.Participant(),
			spoiling{state: func(n *spoilt, s *election.State) {
				n.Node.State(s)
				if s.Uint64(&n.extra); n.extra > 7 {
					panic("more than seven")
				}
			}}), want: map[string]string{"State": "changed panics: more than seven"}}},
		{"panics on half a state", broken{algorithm: spoil(lcr.Participant(), spoiling{
			step: func(n *spoilt, e *election.Env, ev *election.Event) {
				if ev.Op == election.Init {
					n.extra = 1
				}
				n.Node.Step(e, ev)
			},
			state: func(n *spoilt, s *election.State) {
				n.Node.State(s)
				first, second := n.extra, n.extra
				s.Uint64(&first)
				if s.Uint64(&second); first > second {
					panic("where is the rest?")
				}
				n.extra = first
			}}), want: map[string]string{"State": "restoring a state cut off after "}}},
		{"is made with a state", broken{algorithm: spoil(lcr.Participant(), spoiling{
			adjust: func(a *election.Algorithm) {
				made := a.New
				a.New = func(s election.Setup) election.Node {
					n := made(s).(*spoilt)
					n.extra = uint64(s.Self.ID)
					return n
				}
			},
			state: func(n *spoilt, s *election.State) {
				n.Node.State(s)
				s.Uint64(&n.extra)
			}}),
			want: map[string]string{"State": "the constructor must leave what State visits zero: set it " +
				"on Init"}}},
	}
}

// brokenCopies claims to bear messages that arrive twice, and does not.
func brokenCopies() []sample {
	a := spoil(lcr.Participant(), spoiling{
		step: func(n *spoilt, e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				if this := uint64(ev.Msg.Kind)<<32 | uint64(ev.Msg.Rank.ID); this == n.extra {
					panic("it has arrived before")
				} else {
					n.extra = this
				}
			}
			n.Node.Step(e, ev)
		},
		state: func(n *spoilt, s *election.State) {
			n.Node.State(s)
			s.Uint64(&n.extra)
		}})
	a.Faults.Copies = true
	return []sample{{"bears no copies", broken{algorithm: a,
		may: []string{"Unknown", "LateStart", "Allocation"},
		want: map[string]string{"Simulation": "links that double 25 of 100",
			"Exhaustive": "doubled messages: 1"}}}}
}

func brokenElections() []sample {
	everywhere := func(message string) map[string]string {
		return map[string]string{"Simulation": message, "Exhaustive": "", "Goroutines": "", "Repeated": ""}
	}
	return []sample{
		{"never done", broken{algorithm: spoil(lcr.Participant(),
			spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
				if !elected(ev) || ev.Msg.Rank == e.Self() {
					n.Node.Step(e, ev)
					return
				}
				e.Decide(ev.Msg.Rank)
				e.Send(0, ev.Msg)
			}}),
			want: map[string]string{"Simulation": "all live processes know that the election has ended: process ", "Exhaustive": "know that the election has ended",
				"Goroutines": "not every process knows that the election has ended", "Repeated": ""}}},
		{"never decides", broken{algorithm: stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
			if !elected(ev) {
				n.Node.Step(e, ev)
			}
		}), want: everywhere("all live processes "), may: []string{"Bounds"}}},
		{"two leaders", broken{algorithm: stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
			if n.Node.Step(e, ev); elected(ev) && ev.Msg.Rank.ID%2 == 0 {
				e.Decide(e.Self())
			}
		}), want: everywhere("one leader per Term: processes ")}},
		{"leaves too early", broken{algorithm: spoil(lcr.Wave(),
			spoiling{adjust: func(a *election.Algorithm) { a.RelaysAfterEnd = false }}),
			want: map[string]string{"Leaving": "is it still needed, so that its RelaysAfterEnd must be true?"}}},
		{"two leaders in the second election", broken{algorithm: spoil(lcr.Participant(), spoiling{
			step: func(n *spoilt, e *election.Env, ev *election.Event) {
				if n.Node.Step(e, ev); elected(ev) && ev.Msg.Term == 2 {
					e.Decide(e.Self())
				}
			}}), want: map[string]string{"Repeated": "both lead in Term 2"},
			may: []string{"Simulation", "Exhaustive"}}},
		{"changes its mind", broken{algorithm: stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
			if n.Node.Step(e, ev); ev.Op == election.Recv && ev.Msg.Kind == 1 &&
				e.Self().ID != ev.Msg.Rank.ID && n.extra == 0 {
				e.Decide(ev.Msg.Rank)
			}
		}), want: map[string]string{"Simulation": "no decision changes: in Term 1 process ",
			"Exhaustive": ""}, may: []string{"Unknown", "Repeated"}}},
		{"sends where there is no link", broken{algorithm: stepping(func(n *spoilt, e *election.Env,
			ev *election.Event) {
			if n.Node.Step(e, ev); elected(ev) && e.Self().ID == 2 {
				e.Send(5, ev.Msg)
			}
		}), want: map[string]string{"Simulation": "process 2: no such port 5", "Exhaustive": "",
			"Goroutines": "no such port", "Unknown": "", "Repeated": "", "Bounds": ""}}},
		{"refuses", broken{algorithm: stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start && e.Self().ID == 2 {
				e.Refuse(errors.New("not today"))
				return
			}
			n.Node.Step(e, ev)
		}),
			want: map[string]string{"Simulation": "no permitted Start is refused: process 2: not today"},
			may:  []string{"Goroutines", "Exhaustive", "Bounds", "Repeated", "LateStart"}}},
		{"deaf to suspicion", broken{algorithm: spoil(bully.Algorithms()[0],
			spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
				if ev.Op != election.Suspect {
					n.Node.Step(e, ev)
				}
			}}), want: map[string]string{
			"Simulation": "all live processes follow one leader: ", "Exhaustive": "",
			"Repeated": "after the leader has crashed: "}}},
	}
}

// TestSaid: a failure contains the algorithm, its parameters, and the way to repeat only this test.
func TestSaid(t *testing.T) {
	a := spoil(lcr.Participant(), spoiling{})
	o := Options{Params: map[string]params.Value{"x": {Number: 1.5}, "reset": {Text: "literal"},
		"wait": {ByID: map[uint64]float64{1: 2}}}}
	require.Equal(t, "spoilt, reset literal, wait map[1:2], x 1.5: Simulation: seed 3: it is wrong\n"+
		`alone: go test -run '^TestCatalog$/^lcr$/^it'\''s_1\.5$/^Simulation$'`,
		said("TestCatalog/lcr/it's_1.5/Simulation", "Simulation", a, o, errors.New("seed 3: it is wrong")))
	require.Equal(t, []uint64{1, 1, 0}, falling(3))
}

// TestMessages: what is said fits on a screen.
func TestMessages(t *testing.T) {
	for _, c := range brokenElections()[:3] {
		for property, text := range failures(t, c.algorithm, Options{Seeds: 50, States: 2000}) {
			require.Less(t, len(text), 1500, "%s: %s", property, text)
			require.False(t, strings.Contains(text, "%!"), text)
		}
	}
}
