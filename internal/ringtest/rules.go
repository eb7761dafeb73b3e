package ringtest

import (
	"slices"
	"testing"

	"github.com/go-election/election"
)

// Rule is one rule of an algorithm as a single step of one process.
type Rule struct {
	Name    string
	Given   []election.Event // what has happened before
	When    election.Event
	Sends   []election.Outgoing
	Outcome election.Outcome
	Did     Marks
	Err     error
}

// Marks say what else a step wants done: Decided, Ended, Refused, Saved.
type Marks uint8

// What a step may want done.
const (
	Decided Marks = 1 << iota
	Ended
	Refused
	Saved
)

func marks(fx *election.Effects) (m Marks) {
	for i, is := range [...]bool{fx.Decided(), fx.Ended(), fx.Refused(), fx.Saved()} {
		if is {
			m |= 1 << i
		}
	}
	return m
}

// Rules requires of a process of Rank self that it keeps every rule.
func Rules(t *testing.T, a *election.Algorithm, self election.Rank, rules []Rule) {
	for _, rule := range rules {
		t.Run(rule.Name, func(t *testing.T) {
			env := election.NewEnv(alone{self}, nil)
			node := a.New(election.Setup{Self: self, Ports: 2})
			for _, ev := range slices.Concat([]election.Event{{Op: election.Init}}, rule.Given) {
				env.Begin(0)
				node.Step(env, &ev)
			}
			fx := env.Begin(0)
			node.Step(env, &rule.When)
			require.Equal(t, rule.Sends, append([]election.Outgoing(nil), fx.Sends...))
			require.Equal(t, rule.Did, marks(fx))
			require.Equal(t, rule.Outcome, fx.Outcome)
			require.ErrorIs(t, fx.Err, rule.Err)
		})
	}
}

// alone is the View of a process that knows only itself.
type alone struct{ self election.Rank }

func (v alone) Self(int) election.Rank                { return v.self }
func (v alone) Ports(int) int                         { return 2 }
func (v alone) Peer(int, election.Port) election.Rank { return election.Rank{} }

// Weight makes the link of port 1 the lighter one.
func (v alone) Weight(_ int, port election.Port) uint64 { return uint64(2 - port) }

// Start is the event that asks a process to start.
func Start() election.Event { return election.Event{Op: election.Start} }

// From is the event that delivers a message.
func From(port election.Port, m election.Message) election.Event {
	return election.Event{Op: election.Recv, Port: port, Msg: m}
}

// To is a message on its way out.
func To(port election.Port, m election.Message) election.Outgoing {
	return election.Outgoing{Port: port, Msg: m}
}

// Follow is the outcome of all but the winner.
func Follow(leader election.Rank) election.Outcome {
	return election.Outcome{Leader: leader, Role: election.Follower}
}

// Lead is the outcome of the winner.
func Lead(me election.Rank) election.Outcome {
	return election.Outcome{Leader: me, Role: election.Leader}
}
