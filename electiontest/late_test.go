package electiontest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
)

// brokenStarts do something else with a late Start than their description says.
func brokenStarts() []sample {
	declared := func(a *election.Algorithm, late election.LateStart) *election.Algorithm {
		return spoil(a, spoiling{adjust: func(a *election.Algorithm) { a.LateStart = late }})
	}
	return []sample{
		{"never refuses", broken{algorithm: declared(lcr.Participant(), election.LateRefused),
			want: map[string]string{"LateStart": `its LateStart is "refused", and a Start of a process that has relayed is not refused`}}},
		{"refuses, as not declared", broken{algorithm: declared(lcr.Initiators(), election.LateJoins),
			want: map[string]string{"LateStart": `its LateStart is "joins", and a Start of a process that has relayed is refused with `,
				"Simulation": "no Start is refused that may be made"},
			may: []string{"Repeated", "Exhaustive"}}},
		{"refuses for another reason", broken{algorithm: spoil(lcr.Initiators(),
			spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
				n.Node.Step(e, ev)
				if ev.Op == election.Start && n.extra > 0 {
					e.Refuse(election.ErrClosed)
				}
				if ev.Op == election.Recv {
					n.extra = 1
				}
			}, state: func(n *spoilt, s *election.State) {
				n.Node.State(s)
				s.Uint64(&n.extra)
			}}),
			want: map[string]string{"LateStart": "is refused with election: closed, which does not wrap " +
				"election.ErrLateStart"},
			may: []string{"Simulation", "Repeated", "Exhaustive", "Unknown"}}},
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

// TestWinner: the rule has a name, and an algorithm without a leader has no rule.
func TestWinner(t *testing.T) {
	winning := func(w *election.Winner) *election.Algorithm {
		return spoil(lcr.Participant(), spoiling{adjust: func(a *election.Algorithm) { a.Winner = w }})
	}
	leaderless := func(w *election.Winner) *election.Algorithm {
		return spoil(lcr.Participant(), spoiling{adjust: func(a *election.Algorithm) {
			a.Winner, a.Leaderless = w, true
		}})
	}
	nameless := winning(&election.Winner{Of: election.LargestOfAll.Of})
	require.ErrorIs(t, nameless.Check(), election.ErrInput)
	require.Contains(t, says(t, "Description", nameless, Options{}), "the Winner of spoilt has no Name")
	require.Contains(t, says(t, "Description", leaderless(election.LargestOfAll), Options{}),
		"spoilt is Leaderless, and has a Winner, the largest of all")
	require.Contains(t, says(t, "Description", winning(&election.Winner{Name: "one of them"}), Options{}),
		`the Winner of spoilt, "one of them", has no Of`)
	require.NoError(t, winning(nil).Check())
	require.Equal(t, "spoilt: it has no Winner: any one leader will do", unsaid(winning(nil)))
	require.Empty(t, unsaid(winning(election.LargestOfAll)))
	require.Empty(t, unsaid(leaderless(nil)))
	require.Empty(t, unsaid(nil))
}
