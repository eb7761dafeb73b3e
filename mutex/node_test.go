package mutex_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
)

// table is a View of process 0 among others.
type table []election.Rank

func (v table) Self(int) election.Rank                       { return v[0] }
func (v table) Ports(int) int                                { return len(v) - 1 }
func (v table) Peer(_ int, port election.Port) election.Rank { return v[port+1] }

var view = table{{ID: 3}, {ID: 1}, {ID: 2}, {ID: 4}, {ID: 5}}

// variants returns all, with every part of them at work.
func variants(t *testing.T) []*election.Algorithm {
	var all []*election.Algorithm
	for _, id := range []election.ID{0, 3, 4} {
		c := mutex.Config{Sections: 3, Election: bully.Algorithms()[0], Arbiter: id, First: id, Regenerate: unit}
		for _, variant := range []func(mutex.Config) (*election.Algorithm, error){mutex.Arbiter, mutex.RicartAgrawala, mutex.TokenRing} {
			for _, c.Bridge = range []bool{false, true} {
				a, err := variant(c)
				require.NoError(t, err)
				all = append(all, a)
				c.Election = lcr.Participant()
			}
			c.Election = bully.Algorithms()[0]
		}
	}
	return all
}

// random returns an event that may or may not make sense.
func random(r *rand.Rand, ports int) election.Event {
	ops := []election.Op{election.Init, election.Rejoin, election.Start, election.Recv, election.Recv, election.Recv, election.Recv,
		election.Timeout, election.Timeout, election.Suspect, election.Trust, election.Command, election.Command, election.Command}
	timers := []uint8{0, 1, 2, 3, 64, 65, 66, 67, 128, 129, 130, 131, 192, 193, 255}
	return election.Event{Op: ops[r.IntN(len(ops))], Port: election.Port(r.IntN(ports)), Timer: timers[r.IntN(len(timers))], Layer: uint8(r.IntN(3)),
		Msg: election.Message{Kind: uint8(r.IntN(9)), Term: r.Uint64N(4), Value: r.Uint64N(6), Round: r.Uint32N(4),
			Flags: uint8(r.IntN(4) | r.IntN(2)<<7), Layer: uint8(r.IntN(2)), Rank: election.Rank{ID: election.ID(1 + r.IntN(5))}}}
}

// TestPure: the same state and the same event give the same effects and the same state, and a
// state that is saved and restored is the same.
func TestPure(t *testing.T) {
	for _, alg := range variants(t) {
		r := rand.New(rand.NewPCG(1, 2))
		node := alg.New(election.Setup{Self: view[0], Ports: 4})
		one, two := election.NewEnv(view, nil), election.NewEnv(view, nil)
		one.Begin(0)
		node.Step(one, &election.Event{Op: election.Init})
		for range 20_000 {
			ev := random(r, 4)
			before := new(election.State).Append(nil, node)
			twin := alg.New(election.Setup{Self: view[0], Ports: 4})
			require.NoError(t, new(election.State).Restore(twin, before))
			require.Equal(t, before, new(election.State).Append(nil, twin))
			fx, fx2 := one.Begin(0), two.Begin(0)
			again := ev
			node.Step(one, &ev)
			twin.Step(two, &again)
			require.Equal(t, len(fx.Sends), len(fx2.Sends), "%v", ev)
			require.Equal(t, append([]election.Outgoing{}, fx.Sends...), append([]election.Outgoing{}, fx2.Sends...))
			require.Equal(t, append([]election.TimerChange{}, fx.Timers...), append([]election.TimerChange{}, fx2.Timers...))
			require.Equal(t, append([]election.Signal{}, fx.Signals...), append([]election.Signal{}, fx2.Signals...))
			require.Equal(t, fx.Outcome, fx2.Outcome)
			require.Equal(t, new(election.State).Append(nil, node), new(election.State).Append(nil, twin))
		}
		fresh := alg.New(election.Setup{Self: view[0], Ports: 4})
		new(election.State).Reset(node)
		require.Equal(t, new(election.State).Append(nil, fresh), new(election.State).Append(nil, node))
	}
}

// TestNoAllocation: a step allocates nothing.
func TestNoAllocation(t *testing.T) {
	for _, alg := range variants(t) {
		r := rand.New(rand.NewPCG(1, 2))
		node := alg.New(election.Setup{Self: view[0], Ports: 4})
		env := election.NewEnv(view, nil)
		ev := election.Event{Op: election.Init}
		step := func() {
			env.Begin(0)
			node.Step(env, &ev)
			ev = random(r, 4)
		}
		for range 10_000 {
			step() // until all lists are as long as they get
		}
		require.Zero(t, testing.AllocsPerRun(10_000, step), alg.Title())
	}
}
