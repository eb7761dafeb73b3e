package nodetest

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/go-election/election"
)

// Rule is one rule of an algorithm: a step of one process, and its effects.
type Rule struct {
	Name    string
	Given   []election.Event    // earlier events, after Init
	When    election.Event      // the event of the step
	Sends   []election.Outgoing // messages that the step sends, in order
	Outcome election.Outcome    // outcome that the step decides
	Did     Marks               // other effects of the step
	Err     error               // error with which the step refuses a start
}

// Marks is a set of effects of a step.
type Marks uint8

// The effects in Marks.
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

// Rules tests each rule on a Node of its own, whose process has Rank self and two ports. The link of port 1 is
// lighter than the link of port 0.
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
			got := rule
			got.Sends, got.Outcome, got.Did = append([]election.Outgoing(nil), fx.Sends...), fx.Outcome, marks(fx)
			if !reflect.DeepEqual(got, rule) {
				t.Errorf("sends %v, outcome %v, did %b; want %v, %v, %b", got.Sends, got.Outcome, got.Did,
					rule.Sends, rule.Outcome, rule.Did)
			}
			if !errors.Is(fx.Err, rule.Err) {
				t.Errorf("error %v, want %v", fx.Err, rule.Err)
			}
		})
	}
}

// alone is the View of a process that knows only itself.
type alone struct{ self election.Rank }

func (v alone) Self(int) election.Rank                { return v.self }
func (v alone) Ports(int) int                         { return 2 }
func (v alone) Peer(int, election.Port) election.Rank { return election.Rank{} }

func (v alone) Weight(_ int, port election.Port) uint64 { return uint64(2 - port) }

// Start returns the event that asks a process to start.
func Start() election.Event { return election.Event{Op: election.Start} }

// From returns the event that delivers a message over a port.
func From(port election.Port, m election.Message) election.Event {
	return election.Event{Op: election.Recv, Port: port, Msg: m}
}

// To returns a message that a step sends over a port.
func To(port election.Port, m election.Message) election.Outgoing {
	return election.Outgoing{Port: port, Msg: m}
}

// Follow returns the outcome of a process that follows a leader.
func Follow(leader election.Rank) election.Outcome {
	return election.Outcome{Leader: leader, Role: election.Follower}
}

// Lead returns the outcome of a process that leads.
func Lead(me election.Rank) election.Outcome {
	return election.Outcome{Leader: me, Role: election.Leader}
}

// States tests that the first byte of a saved state is restored if it is smaller than n, and refused if it is n.
func States(t testing.TB, node election.Node, n byte) {
	t.Helper()
	saved := new(election.State).Append(nil, node)
	for state := range n + 1 {
		saved[0] = state
		err := new(election.State).Restore(node, saved)
		if state < n && err != nil || state == n && !errors.Is(err, election.ErrState) {
			t.Fatalf("state %d of %d: error %v", state, n, err)
		}
	}
}
