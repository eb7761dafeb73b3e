package soak

import (
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

var update = flag.Bool("update", false, "write what is pinned anew")

// pinned compares a text with a file, or writes the file.
func pinned(t *testing.T, name string, text []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(text), "if that is meant: go test ./lab/soak -update")
}

// shown returns all that a Plan says, but for its algorithm.
func (p *Plan) shown() string {
	text := fmt.Sprintf("ids %v priorities %v start %v at %v crash %v recover %v restart %v pause %v "+
		"prompts %v",
		p.IDs, p.Priorities, p.Initiators, p.StartTimes, p.CrashAt, p.RecoverAt, p.RestartAt, p.PauseAt,
		p.Prompts)
	text += fmt.Sprintf(" %s %v unordered %v seed %d until %v faults %+v links", p.Schedule, p.Delay,
		p.Unordered,
		p.Config.Seed, p.Until, p.Config.Faults)
	for from, to := range topology.All(p.Topology) {
		text += fmt.Sprintf(" %d.%d-%d.%d", from.Process, from.Port, to.Process, to.Port)
	}
	if tree, ok := p.Topology.(topology.Rooted); ok {
		text += fmt.Sprintf(" root %d", tree.Root())
	}
	return text
}

// TestPinnedPlans: a seed draws the same plan for ever, as long as the description of the algorithm is
// the same. Those of Chaos depend on what a Node does, so only one that does little is pinned.
func TestPinnedPlans(t *testing.T) {
	var b bytes.Buffer
	sum := func(a *election.Algorithm, profile Profile) {
		c := Config{Algorithm: a, Profile: profile}
		h := fnv.New64a()
		faults := 0
		for seed := range uint64(60) {
			plan, err := c.Plan(seed)
			require.NoError(t, err)
			fmt.Fprintln(h, plan.shown())
			faults += plan.Faults()
		}
		fmt.Fprintf(&b, "%s %s %016x, %d faults\n", a.Title(), profile, h.Sum64(), faults)
	}
	for _, a := range catalog.All() {
		sum(a, Broad)
	}
	idle := &election.Algorithm{Name: "idle", Topology: election.Complete, TwoWay: true, Delay: unit,
		New: func(election.Setup) election.Node { return &idler{} }}
	for _, f := range []election.Faults{{}, {Loss: true}, {Pause: true}, {Cut: true}, {Crash: true},
		{Crash: true, Recover: true}, {Crash: true, Restart: true},
		{Crash: true, Recover: true, Restart: true, Loss: true, Pause: true, Cut: true}} {
		for _, restless := range []bool{false, true} {
			idle.Faults, idle.NeverQuiesces = f, restless
			sum(idle, Broad)
			sum(idle, Chaos)
		}
	}
	pinned(t, "plans.txt", b.Bytes())
}

// idler sends its Rank to a neighbour when it starts.
type idler struct{}

func (*idler) State(*election.State) {}

func (*idler) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start && e.Ports() > 0 {
		e.Send(0, election.Message{Kind: 1, Rank: e.Self()})
	}
}

// TestPinnedShrinking: from a plan in which all goes wrong that can, each way to make it smaller leads
// where it should.
func TestPinnedShrinking(t *testing.T) {
	const unit = sim.Unit
	ids := []election.ID{9, 4, 17, 6}
	p := &Plan{Prompts: []Prompt{{At: unit, To: 4}, {At: 2 * unit, To: 6, Of: 9},
		{At: 3*unit + 1, To: 17, Of: 4},
		{At: 4 * unit, To: 4, Of: 9}, {At: 6 * unit, To: 6, Of: 9, Back: true}}}
	p.IDs, p.Priorities, p.Initiators = ids, []uint64{1, 0, 0, 2}, []election.ID{17, 4, 9}
	p.StartTimes = append(p.StartTimes, 0, unit/3, 5*unit/2)
	p.CrashAt = []scenario.At{{ID: 9, Time: unit + 5}, {ID: 4, Time: unit / 2}, {ID: 9, Time: 7 * unit}}
	p.RecoverAt = []scenario.At{{ID: 9, Time: 5 * unit}}
	p.RestartAt = []scenario.At{{ID: 4, Time: unit + 1}, {ID: 9, Time: 9 * unit}}
	p.PauseAt = []scenario.Pause{{ID: 6, From: unit / 4, Until: 8 * unit}}
	p.Config.Faults = fault.Plan{Loss: 0.3, Partitions: []fault.Partition{
		{From: 1, Until: unit, Groups: [][]election.ID{{9}}},
		{From: unit, Until: 2 * unit, Groups: [][]election.ID{{6, 4}}}}}
	p.Schedule, p.Delay, p.Unordered = sim.RandomDelay, sim.Delay{Min: unit / 8, Max: unit / 3}, true
	var b bytes.Buffer
	for _, name := range []string{"bully", "lcr", "echo", "treeelect"} {
		a, err := catalog.Find(name, "")
		require.NoError(t, err)
		p.Algorithm, p.Topology = a, nil
		if name == "echo" || name == "treeelect" { // an algorithm of one initiator
			p.Initiators, p.StartTimes = p.Initiators[:1:1], p.StartTimes[:1:1]
		}
		require.NoError(t, p.Check())
		before := p.shown()
		for kind, smaller := range smallerPlans {
			if name != "bully" && kind > 0 && kind < len(smallerPlans)-1 {
				continue // the links make no difference
			}
			for i := 0; ; i++ {
				q, more := smaller(p, i)
				if !more {
					break
				}
				if q == nil {
					fmt.Fprintf(&b, "%s %d.%d none\n", name, kind, i)
				} else {
					fmt.Fprintf(&b, "%s %d.%d %v %s\n", name, kind, i, q.Check() == nil, q.shown())
				}
			}
		}
		require.Equal(t, before, p.shown(), "the plan stays as it is")
	}
	pinned(t, "smaller.txt", b.Bytes())
}
