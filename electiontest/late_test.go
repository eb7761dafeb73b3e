package electiontest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lcr"
)

// brokenStarts returns algorithms that handle a late Start differently from their description.
func brokenStarts() []sample {
	declared := func(a *election.Algorithm, late election.LateStart) *election.Algorithm {
		return spoil(a, spoiling{adjust: func(a *election.Algorithm) { a.LateStart = late }})
	}
	return []sample{
		{"never refuses", broken{algorithm: declared(lcr.Participant(), election.LateRefused),
			want: map[string]string{"LateStart": `its LateStart is "refused", and a Start of a process that has relayed is not refused`}}},
		{"refuses, as not declared", broken{algorithm: declared(lcr.Initiators(), election.LateJoins),
			want: map[string]string{"LateStart": `its LateStart is "joins", and a Start of a process that has relayed is refused with `,
				"Simulation": "no permitted Start is refused"},
			may: []string{"Repeated", "Exhaustive"}}},
		{"refuses for another reason", broken{algorithm: refusing(lcr.Initiators(), election.ErrClosed),
			want: map[string]string{"LateStart": "is refused with election: closed, which does not wrap " +
				"election.ErrLateStart"},
			may: []string{"Simulation", "Repeated", "Exhaustive", "Unknown"}}},
		{"refuses another initiator, where any may start", broken{algorithm: refusing(lcr.Initiators(),
			election.ErrNotInitiator),
			want: map[string]string{"LateStart": "which does not wrap election.ErrLateStart"},
			may:  []string{"Simulation", "Repeated", "Exhaustive", "Unknown"}}},
		{"decides on a late Start", broken{algorithm: deciding(lcr.Participant()),
			want: map[string]string{"LateStart": `its LateStart is "ignored", and a Start of a process that has relayed sends [] and does [`},
			may: []string{"Bounds", "Simulation", "Repeated", "Exhaustive", "Goroutines", "Leaving",
				"Unknown"}}},
		{"joins, as not declared", broken{algorithm: stepping(func(n *spoilt, e *election.Env,
			ev *election.Event) {
			if n.Node.Step(e, ev); ev.Op == election.Start {
				e.Send(0, election.Message{Kind: 1, Rank: e.Self()})
			}
		}),
			want: map[string]string{"LateStart": `its LateStart is "ignored", and a Start of a process that has relayed sends [`},
			may:  []string{"Bounds", "Simulation", "Repeated", "Exhaustive", "Goroutines"}}},
	}
}

// deciding returns an algorithm that decides on a Start after a message.
func deciding(a *election.Algorithm) *election.Algorithm {
	return spoil(a, spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
		n.Node.Step(e, ev)
		if ev.Op == election.Start && n.extra > 0 {
			e.Decide(e.Self())
		}
		if ev.Op == election.Recv {
			n.extra = 1
		}
	}, state: func(n *spoilt, s *election.State) {
		n.Node.State(s)
		s.Uint64(&n.extra)
	}})
}

// refusing returns an algorithm that refuses with this error a Start after a message.
func refusing(a *election.Algorithm, err error) *election.Algorithm {
	return spoil(a, spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
		n.Node.Step(e, ev)
		if ev.Op == election.Start && n.extra > 0 {
			e.Refuse(err)
		}
		if ev.Op == election.Recv {
			n.extra = 1
		}
	}, state: func(n *spoilt, s *election.State) {
		n.Node.State(s)
		s.Uint64(&n.extra)
	}})
}

// TestJoining: a process has joined by relaying once it has sent on a message of its Term, and not started.
func TestJoining(t *testing.T) {
	sent := election.Effects{Sends: []election.Outgoing{{}}}
	c := &trial{Algorithm: lcr.Participant()}
	in, err := c.input(upTo(1))
	require.NoError(t, err)
	h := &history{in: in}
	h.prepare()
	none := *h.env.Begin(0)
	fx := h.env.Begin(0)
	h.env.Refuse(election.ErrLateStart)
	refused := *fx
	at := func(op election.Op, term uint64, kind uint8) *moment {
		return &moment{ev: election.Event{Op: op, Msg: election.Message{Term: term, Kind: kind}}}
	}
	type took struct {
		m  *moment
		fx *election.Effects
	}
	for _, c := range []struct {
		name      string
		took      []took
		longLived bool
		want      bool
	}{
		{"begins", []took{{at(election.Init, 0, 0), &sent}}, false, false},
		{"relays", []took{{at(election.Recv, 0, 1), &sent}}, false, true},
		{"is silent", []took{{at(election.Recv, 0, 1), &none}}, false, false},
		{"relays for another Term", []took{{at(election.Recv, 4, 1), &sent}}, false, false},
		{"relays for another Term, which it keeps itself", []took{{at(election.Recv, 4, 1), &sent}}, true,
			true},
		{"is silent, and keeps the Term itself", []took{{at(election.Recv, 0, 1), &none}}, true, false},
		{"relays, and is silent", []took{{at(election.Recv, 0, 1), &sent}, {at(election.Recv, 0, 1), &none}},
			false, true},
		{"catches up", []took{{at(election.Recv, 0, election.CatchUp), &sent}}, false, false},
		{"starts first", []took{{at(election.Start, 0, 0), &sent}, {at(election.Recv, 0, 1), &sent}}, false,
			false},
		{"asks again first", []took{{at(election.Reelect, 0, 0), &none}, {at(election.Recv, 0, 1), &sent}},
			false,
			false},
		{"is refused", []took{{at(election.Start, 0, 0), &refused}, {at(election.Recv, 0, 1), &sent}}, false,
			true},
		{"times out", []took{{at(election.Timeout, 0, 0), &none}, {at(election.Recv, 0, 1), &sent}}, false,
			true},
		{"times out, and is long-lived", []took{{at(election.Timeout, 0, 0), &none},
			{at(election.Recv, 0, 1), &sent}}, true, false},
	} {
		var host election.TermKeeper
		var is joining
		got := false
		for _, s := range c.took {
			got = is.step(&host, s.m, s.fx, c.longLived)
		}
		require.Equal(t, c.want, got, c.name)
	}
}

// TestSizes: an election that may take too many messages is held among as few as possible.
func TestSizes(t *testing.T) {
	sizes := func(a *election.Algorithm) (all []int) {
		c := &trial{Options: Options{Processes: 4}, Algorithm: a}
		for seed := range uint64(5) {
			all = append(all, c.size(seed))
		}
		return all
	}
	costly := func(most float64) *election.Algorithm {
		return spoil(lcr.Participant(), spoiling{adjust: func(a *election.Algorithm) {
			a.Worst = cost.Bound{Count: func(n int) float64 { return most * float64(n/3) }}
		}})
	}
	require.Equal(t, []int{1, 2, 3, 4, 1}, sizes(costly(5000)))
	require.Equal(t, []int{1, 2, 1, 1, 1}, sizes(costly(5001)))
	require.Equal(t, []int{1, 2, 3, 4, 1}, sizes(spoil(lcr.Participant(),
		spoiling{adjust: func(a *election.Algorithm) { a.Worst = cost.Bound{} }})))
}

// TestWinner: the rule has a name, and an algorithm without a leader has no rule.
func TestWinner(t *testing.T) {
	winning := func(w *election.Winner) *election.Algorithm {
		return spoil(lcr.Participant(), spoiling{adjust: func(a *election.Algorithm) { a.Winner = w }})
	}
	leaderless := func(w *election.Winner) *election.Algorithm {
		return spoil(lcr.Participant(), spoiling{adjust: func(a *election.Algorithm) {
			a.Winner, a.Elects = w, election.NoLeader
		}})
	}
	nameless := winning(&election.Winner{Of: election.LargestOfAll.Of})
	require.ErrorIs(t, nameless.Check(), election.ErrInput)
	require.Contains(t, says(t, "Description", nameless, Options{}), "the Winner of spoilt has no Name")
	require.Contains(t, says(t, "Description", leaderless(election.LargestOfAll), Options{}),
		"spoilt elects no single leader, and has a Winner, the largest of all")
	require.Contains(t, says(t, "Description", winning(&election.Winner{Name: "one of them"}), Options{}),
		`the Winner of spoilt, "one of them", has no Of`)
	require.NoError(t, winning(nil).Check())
	require.Equal(t, "spoilt: it has no Winner: any one leader will do", unsaid(winning(nil)))
	require.Empty(t, unsaid(winning(election.LargestOfAll)))
	require.Empty(t, unsaid(leaderless(nil)))
	require.Empty(t, unsaid(nil))
}
