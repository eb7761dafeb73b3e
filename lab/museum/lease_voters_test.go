package museum

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// farther are mistakes in how voters change that take more than a million states to find.
func farther() []votersMistake {
	return []votersMistake{{
		name: "a founding does not bind", wrong: "a voter founds one group, and after a return another one",
		rule: "rule 16: it keeps its wish", setting: "Processes return with a list of 3 alone",
		in: changed{voters: "wishes=123 returns=3 terms=2 stay", crashes: 1, restarts: 1, candidates: []election.ID{1, 3},
			arrives: func(from, to election.ID, kind uint8) bool { return kind != leaseClaim || from == 1 }},
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if ev.Op == election.Init {
				n.setLease(func(l *leaseState) { l.bound = false })
			}
			return true
		}),
	}, {
		name: "a change that another leader has begun is taken back", wrong: "that leader may have completed it",
		rule: "rule 18: once it is confirmed in the Term of this leader",
		in: changed{voters: "agreed=123 to=3 changes=1 by=1 terms=4", still: true,
			arrives: func(from, to election.ID, kind uint8) bool {
				return kind != leaseClaim || from != 3 && (from != 1 || to != 2)
			}},
		step: adding(func(n *bent, _ *election.Env, _ *election.Event, _ leaseState) {
			if l := n.lease(); l.phase == leaseLeading && l.voting.joint() && !l.confirmed && !l.begun {
				n.setLease(func(l *leaseState) { l.begun = true })
			}
		}),
	}, {
		name: "a voter without memory reads the Term alone", wrong: "it grants under voters that have become none",
		rule: "rule 20: and the configuration", setting: onlyThree,
		in: changed{voters: "agreed=123 to=1 changes=1 by=1 terms=3 stay leases", candidates: []election.ID{1, 2},
			arrives: apart(1, 2), crashes: 1, restarts: 1, forgets: true},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			if l := n.lease(); l.memory == leaseRecovering {
				switch {
				case received(ev, leaseMember):
					return
				case received(ev, leaseHolds):
					ev.Msg.Value = l.voting.label
				}
			}
			n.Node.Step(e, ev)
		},
	}, {
		// No mistake of the code, but of its use: see Config.Cold.
		name: "a voter that remembers gives up waiting", wrong: "one lost memory is enough if the other voters are away for that long",
		rule: "rule 20: Cold is off where voters remember", setting: onlyThree,
		in: changed{voters: "agreed=123 terms=2 stay", candidates: []election.ID{1, 2}, arrives: apart(1, 2),
			crashes: 1, restarts: 1, forgets: true, ticks: 3, cold: unit},
	}}
}

// TestMistakesOfVotersLong: the checker finds them too.
func TestMistakesOfVotersLong(t *testing.T) {
	found := []shortest{{verdict.Chain, 39, false}, {verdict.OneLeader, 34, false}, {verdict.OneLease, 28, false},
		{verdict.LaterTerms, 18, false}}
	for i, m := range farther() {
		x := m.exhibit()
		require.Len(t, x.Config.IDs, 3)
		if !*long {
			continue
		}
		r, err := check.Run(t.Context(), x.Config)
		require.NoError(t, err)
		require.NotNil(t, r.Counterexample, m.name)
		require.Equal(t, found[i], shortest{r.Counterexample.Property, len(r.Counterexample.Steps), false}, m.name)
	}
}
