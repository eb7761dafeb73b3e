package verdict

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/observe"
)

func TestBeliefs(t *testing.T) {
	lead := election.Outcome{Leader: election.Rank{ID: 3}, Role: election.Leader}
	follow := election.Outcome{Leader: election.Rank{ID: 3}, Role: election.Follower}
	astray := election.Outcome{Leader: election.Rank{ID: 2}, Role: election.Follower}
	for _, tt := range []struct {
		name   string
		heard  []election.Outcome
		ended  int // the number that know that the election has ended
		result Result
		fails  string
	}{
		{"no process", nil, 0, Result{}, "no process is up"},
		{"all agree", []election.Outcome{follow, lead, follow}, 3,
			Result{Leader: 3, Claimants: 1, Agreed: true, Terminated: true}, ""},
		{"alone", []election.Outcome{lead}, 1,
			Result{Leader: 3, Claimants: 1, Agreed: true, Terminated: true}, ""},
		{"one does not know the end", []election.Outcome{follow, lead}, 1,
			Result{Leader: 3, Claimants: 1, Agreed: true}, "not every process knows"},
		{"one undecided", []election.Outcome{{}, lead}, 2,
			Result{Claimants: 1, Terminated: true}, "1 process believes it leads"},
		{"two names", []election.Outcome{astray, lead}, 2,
			Result{Claimants: 1, Terminated: true}, "1 process believes it leads"},
		{"two leaders of one name", []election.Outcome{lead, lead}, 2,
			Result{Leader: 3, Claimants: 2, Agreed: true, Terminated: true}, "2 processes believe they lead"},
		{"leaders without a name", []election.Outcome{{Role: election.Leader}, {Role: election.Leader}}, 2,
			Result{Claimants: 2, Terminated: true}, "2 processes believe they lead"},
		{"two names, the last as the first", []election.Outcome{lead, astray, follow}, 3,
			Result{Claimants: 1, Terminated: true}, "1 process believes it leads"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b Beliefs
			for i, o := range tt.heard {
				b.Add(o, i < tt.ended)
			}
			var r Result
			b.Fill(&r)
			tt.result.Live = len(tt.heard)
			require.Equal(t, tt.result, r)
			if tt.fails == "" {
				require.NoError(t, r.Err())
			} else {
				require.ErrorIs(t, r.Err(), ErrNoLeader)
				require.ErrorContains(t, r.Err(), tt.fails)
			}
		})
	}
}

// TestBeliefsInGroups: with a leader a group all is well if each process leads or follows one that leads
// in the same Term, however many leaders there are.
func TestBeliefsInGroups(t *testing.T) {
	in := func(role election.Role, leader election.ID, term uint64) election.Outcome {
		return election.Outcome{Role: role, Leader: election.Rank{ID: leader}, Term: term}
	}
	const lead, follow = election.Leader, election.Follower
	for _, c := range []struct {
		name    string
		heard   []election.Outcome
		grouped bool
	}{
		{"one group", []election.Outcome{in(follow, 3, 1), in(lead, 3, 1)}, true},
		{"two groups", []election.Outcome{in(follow, 3, 1), in(lead, 2, 1), in(lead, 3, 1)}, true},
		{"a follower of no leader", []election.Outcome{in(lead, 2, 1), in(follow, 3, 1)}, false},
		{"a leader in a later Term", []election.Outcome{in(lead, 3, 2), in(follow, 3, 1)}, false},
		{"a leader in an earlier Term", []election.Outcome{in(follow, 3, 2), in(lead, 3, 1)}, false},
		{"undecided", []election.Outcome{in(lead, 3, 1), {}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, groups := range []bool{true, false} {
				b := Beliefs{Groups: groups}
				for _, o := range c.heard {
					b.Add(o, true)
				}
				var r Result
				b.Fill(&r)
				require.Equal(t, groups, r.Groups)
				require.Equal(t, groups && c.grouped, r.Grouped)
				switch {
				case groups && c.grouped:
					require.NoError(t, r.Err())
				case groups:
					require.Equal(t, InGroups, r.Broken(Rightful{}))
					require.ErrorIs(t, r.Err(), ErrNoLeader)
					require.ErrorContains(t, r.Err(),
						"not every process leads a group or follows its leader, ")
				case c.name == "one group":
					require.NoError(t, r.Err())
				case c.name == "two groups":
					require.ErrorIs(t, r.Err(), ErrNoLeader)
				}
			}
		})
	}
	var r Result
	b := Beliefs{Groups: true}
	b.Add(in(lead, 3, 1), false)
	b.Fill(&r)
	require.Equal(t, Terminated, r.Broken(Rightful{}))
}

func TestTally(t *testing.T) {
	a := &election.Algorithm{Name: "a", Kinds: []election.Kind{
		{Name: "one", Bits: func(w cost.Widths) uint64 { return w.Rank() }},
		{Name: "two", Bits: func(w cost.Widths) uint64 { return w.N + w.LogN }},
		{Name: "three"},
		{Name: "four", Bits: func(cost.Widths) uint64 { return 100 }},
	}}
	var tally Tally
	tally.AddN(1, 10)
	tally.Add(2)
	tally.Add(4)
	tally.Add(election.CatchUp)
	tally.Add(9)
	var r Result
	tally.Fill(&r, a, cost.NewWidths(8, 255, 3))
	require.EqualValues(t, 14, r.Messages)
	require.EqualValues(t, 10*(8+2)+(4+3)+100, r.Bits)
	require.Equal(t, []observe.KindCount{
		{Kind: "catch_up", Count: 1}, {Kind: "one", Count: 10},
		{Kind: "two", Count: 1}, {Kind: "four", Count: 1}, {Kind: "unknown_9", Count: 1},
	}, r.ByKind)
	require.EqualValues(t, 1, r.Count("two"))
	require.Zero(t, r.Count("three"))
}
