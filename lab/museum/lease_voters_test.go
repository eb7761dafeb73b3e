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
		name: "a founding does not bind", wrong: "A voter founds one group, and another one after it has returned.",
		rule: "rule 16: it keeps its wish", setting: "Processes return with a list that contains only process 3.",
		in: changed{voters: "wishes=123 returns=3 terms=2 stay", crashes: 1, restarts: 1, candidates: []election.ID{1, 3},
			arrives: func(from, to election.ID, kind uint8) bool { return kind != leaseClaim || from == 1 }},
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if ev.Op == election.Init {
				n.setLease(func(l *leaseState) { l.bound = false })
			}
			return true
		}),
	}, {
		name: "a change that another leader has begun is taken back", wrong: "A leader takes back a change that " +
			"another leader has begun. The other leader may have completed it.",
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
		name: "a voter without memory reads the Term alone", wrong: "A voter without memory reads only the Term, " +
			"not the configuration. It votes under a configuration whose voters have changed.",
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
		name: "labels have no Terms", wrong: "Labels contain no Terms, so the steps of two leaders are not " +
			"ordered. One leader does not know of the other's changes.",
		rule: "rule 14: by Term, then by step",
		in: changed{voters: "agreed=123 to=3 changes=1 by=1 terms=4", still: true, candidates: []election.ID{1, 3},
			arrives: func(from, to election.ID, kind uint8) bool {
				switch kind {
				case leaseRelease:
					return true
				case leaseClaim:
					return from != 2
				case leaseGranted:
					return from != 1 && to != 2
				case leaseMember:
					return from == 1 && to == 3 || from == 3 && to == 2
				}
				return kind == leaseRefused && from == 2 && to == 3
			}},
		step: withoutTermsInLabels,
	}, {
		name: "a voter without memory reads from the old voters alone", wrong: "A voter without memory reads " +
			"only from the old voters. The new ones may have granted a larger Term.",
		rule: "rule 20: no quorum without an answer, in either set", setting: onlyThree + " Process 2 knows that " +
			"it has granted nothing before.",
		in: changed{voters: "agreed=13 to=123 changes=1 by=3 terms=3", candidates: []election.ID{3}, length: 1, ticks: 1,
			crashes: 1, restarts: 1, fresh: true, forgets: true,
			arrives: func(from, to election.ID, kind uint8) bool {
				return from+to != 3 && (to != 2 || kind == leaseClaim || kind == leaseRelease) &&
					(from != 2 || kind == leaseGranted)
			}},
		step: adding(func(n *bent, e *election.Env, _ *election.Event, _ leaseState) {
			l := n.lease()
			unread := l.voting.old.len() - l.voting.old.in(&l.sure, false)
			if l.memory == leaseRecovering && l.voting.joint() && 2*unread <= l.voting.old.len() {
				remember(n, e)
			}
		}),
	}, {
		// No mistake of the code, but of its use: see Config.Cold.
		name: "a voter that remembers gives up waiting", wrong: "A voter gives up waiting for the others after " +
			"Cold. One lost memory is then enough, if the other voters are unreachable for that long.",
		rule: "rule 20: Cold is off where voters remember", setting: onlyThree,
		in: changed{voters: "agreed=123 terms=2 stay", candidates: []election.ID{1, 2}, arrives: apart(1, 2),
			crashes: 1, restarts: 1, forgets: true, ticks: 3, cold: unit},
	}}
}

// TestMistakesOfVotersLong: the checker finds them too, and nothing without them as far as it looks.
func TestMistakesOfVotersLong(t *testing.T) {
	found := []shortest{{verdict.Chain, 39, false}, {verdict.OneLeader, 34, false}, {verdict.OneLease, 28, false},
		{verdict.OneLeader, 32, false}, {verdict.LaterTerms, 33, false}, {verdict.LaterTerms, 18, false}}
	for i, m := range farther() {
		t.Run(m.name, func(t *testing.T) {
			x := m.exhibit()
			require.Len(t, x.Config.IDs, 3)
			if !*long {
				return
			}
			r, err := check.Run(t.Context(), x.Config)
			require.NoError(t, err)
			require.NotNil(t, r.Counterexample)
			require.Equal(t, found[i], shortest{r.Counterexample.Property, len(r.Counterexample.Steps), false})
			if m.step == nil {
				return
			}
			right := x.Control.Config
			right.MaxStates = most
			r, err = check.Run(t.Context(), right)
			require.NoError(t, err)
			t.Logf("without the mistake: %d states, to depth %d, all: %t", r.States, r.Depth, r.Exhausted)
			require.Nil(t, r.Counterexample, m.rule)
		})
	}
}

// TestJointUnconfirmed: if each change has a joint configuration, it may begin before the configuration with which the
// leader begins to lead is confirmed. If voters change one at a time without one, it may not, as an Entry shows.
func TestJointUnconfirmed(t *testing.T) {
	in := changed{voters: "agreed=123 to=12,23 changes=1 by=12 terms=4", still: true, candidates: []election.ID{1, 2},
		arrives: apart(1, 2)}
	r, err := check.Run(t.Context(), in.check(unconfirmed))
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.True(t, r.Exhausted)
	right, err := check.Run(t.Context(), in.check())
	require.NoError(t, err)
	require.Less(t, right.States, r.States, "the mistake makes no difference")
}
