package electiontest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
)

func brokenWithStrangers() []sample {
	return []sample{
		{"panics on an unknown kind", broken{algorithm: stepping(func(n *spoilt, e *election.Env,
			ev *election.Event) {
			if ev.Op == election.Recv && ev.Msg.Kind > 2 {
				panic("what is this?")
			}
			n.Node.Step(e, ev)
		}), want: map[string]string{"Unknown": "a message of a Kind that it does not know: process "}}},
		{"takes an unknown kind for another",
			broken{algorithm: stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
				known := *ev
				known.Msg.Kind = min(ev.Msg.Kind, 2)
				n.Node.Step(e, &known)
			}),
				want: map[string]string{"Unknown": "a message of a Kind that it does not know is not " +
					"ignored: process "}, may: []string{"Allocation"}}},
		{"knows which priorities there are", broken{algorithm: stepping(func(n *spoilt, e *election.Env,
			ev *election.Event) {
			if e.Self().Priority > 1000 {
				panic("too high a priority")
			}
			n.Node.Step(e, ev)
		}), want: map[string]string{"Order": "where the smallest wins: seed 0: "}}},
		{"sends where a message says", broken{algorithm: stepping(func(n *spoilt, e *election.Env,
			ev *election.Event) {
			if ev.Op == election.Recv && ev.Msg.Value > 0 {
				e.Send(election.Port(ev.Msg.Value), ev.Msg)
			}
			n.Node.Step(e, ev)
		}), want: map[string]string{"Unknown": "makes it send over port "}}},
		{"fails on a second forged message", broken{algorithm: stepping(func(n *spoilt, e *election.Env,
			ev *election.Event) {
			if ev.Op == election.Recv && ev.Msg.Value > 99 {
				n.extra++
			}
			if n.extra == 2 {
				panic("again?")
			}
			n.Node.Step(e, ev)
		}), want: map[string]string{"Unknown": "after messages that no process sends: process "},
			may: []string{"State"}}},
		{"panics on an unknown op", broken{algorithm: stepping(func(n *spoilt, e *election.Env,
			ev *election.Event) {
			if ev.Op > 100 {
				panic("what is this?")
			}
			n.Node.Step(e, ev)
		}), want: map[string]string{"Unknown": "an Op that it does not know: process "}}},
	}
}

// brokenMemories keep what they should ignore.
func brokenMemories() []sample {
	return []sample{
		{"remembers an unknown op", broken{algorithm: spoil(lcr.Participant(), spoiling{
			step: func(n *spoilt, e *election.Env, ev *election.Event) {
				if ev.Op > 100 {
					n.extra = 1
				}
				n.Node.Step(e, ev)
			},
			state: func(n *spoilt, s *election.State) {
				n.Node.State(s)
				s.Uint64(&n.extra)
			}}), want: map[string]string{
			"Unknown": "an Op that it does not know is not ignored: the state of process "}}},
		{"saves on an unknown kind", broken{algorithm: stepping(func(n *spoilt, e *election.Env,
			ev *election.Event) {
			if n.Node.Step(e, ev); ev.Op == election.Recv && ev.Msg.Kind > 2 {
				e.Save()
			}
		}),
			want: map[string]string{"Unknown": "a message of a Kind that it does not know is not " +
				"ignored: process "}}},
	}
}

// TestStrangers: if every Kind is a kind of the algorithm, none is unknown.
func TestStrangers(t *testing.T) {
	for kinds, want := range map[int]int{2: 4, 254: 4, 255: 0} {
		a := *lcr.Participant()
		a.Kinds = make([]election.Kind, kinds)
		in, err := (&trial{Algorithm: lcr.Participant()}).input(upTo(2))
		require.NoError(t, err)
		in.Algorithm = &a
		h := &history{in: in}
		host := in.Node(0)
		unknown := 0
		for _, s := range h.strangers(&host, &moment{ev: election.Event{Op: election.Recv}}) {
			if s.name == "a message of a Kind that it does not know" {
				unknown++
			}
		}
		require.Equal(t, want, unknown, "%d Kinds", kinds)
	}
}
