package soak

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/topology"
)

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

// TestPinnedPlans: a seed draws the same plan forever, as long as the description of the algorithm is the same.
// Plans of the profile Chaos depend on what a Node does, so only plans of a Node that does little are pinned.
func TestPinnedPlans(t *testing.T) {
	of := func(name string) *election.Algorithm {
		a, err := catalog.Find(name, "")
		require.NoError(t, err)
		return a
	}
	all := election.Faults{Crash: election.MayRecover, Loss: true, Pause: true, Cut: true}
	idle := &election.Algorithm{Name: "idle", Topology: election.Complete, TwoWay: true, Delay: unit, Faults: all,
		New: func(election.Setup) election.Node { return &idler{} }}
	restless := *idle
	restless.NeverQuiesces = true
	for want, c := range map[string]Config{
		"63f46f31f89bd68f": {Algorithm: of("lcr")},
		"9cd156ee1330693a": {Algorithm: of("bully")},
		"cc4bd527271d4469": {Algorithm: of("mutex")},
		"36b082472009370f": {Algorithm: idle},
		"f128465ef039b482": {Algorithm: idle, Profile: Chaos},
		"c0e41784c1f9ad1f": {Algorithm: &restless},
		"61d3bfbe302c76e0": {Algorithm: &restless, Profile: Chaos},
	} {
		h := fnv.New64a()
		for seed := range uint64(60) {
			plan, err := c.Plan(seed)
			require.NoError(t, err)
			fmt.Fprintln(h, plan.shown())
		}
		require.Equal(t, want, fmt.Sprintf("%016x", h.Sum64()), "%s %s", c.Algorithm.Title(), c.Profile)
	}
}

// idler sends its Rank to a neighbour when it starts.
type idler struct{}

func (*idler) State(*election.State) {}

func (*idler) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start && e.Ports() > 0 {
		e.Send(0, election.Message{Kind: 1, Rank: e.Self()})
	}
}
