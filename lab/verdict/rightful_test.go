package verdict

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestByRule: a leader is right if the rule names it, or if there is no rule. Where the rule names no
// process, is no rule or panics, every leader is wrong.
func TestByRule(t *testing.T) {
	all := []election.Candidate{{Rank: election.Rank{ID: 2}, Up: true},
		{Rank: election.Rank{ID: 3}, Up: true}}
	rule := func(of func([]election.Candidate) election.ID) *election.Winner {
		return &election.Winner{Name: "one of these", Of: of}
	}
	for _, test := range []struct {
		rule *election.Winner
		want string
	}{
		{nil, ""},
		{rule(func([]election.Candidate) election.ID { return 2 }), ""},
		{election.LargestOfLive, "process 2 leads, not 3, which is the largest live process"},
		{election.LargestOfInitiators, "process 2 leads, but no process is the largest of the initiators"},
		{rule(func([]election.Candidate) election.ID { return 9 }),
			`process 2 leads, but the Winner "one of these" names 9, which is not a candidate`},
		{rule(func(all []election.Candidate) election.ID { return all[2].Rank.ID }),
			`process 2 leads, but the Winner "one of these" panics: runtime error: index out of range [2] ` +
				`with length 2`},
	} {
		must := ByRule(test.rule, all)
		r := Result{Live: 2, Leader: 2, Claimants: 1, Agreed: true, Terminated: true}
		if test.want == "" {
			require.NoError(t, must.Judge(2))
			require.Empty(t, r.Broken(must))
			require.NoError(t, r.Elected(must))
			continue
		}
		require.EqualError(t, must.Judge(2), test.want)
		require.EqualError(t, r.Elected(must), test.want)
		require.Equal(t, RightAtEnd, r.Broken(must))
		r.Agreed, r.Leader = false, 0
		require.Equal(t, Agreement, r.Broken(must), "an election that has begun ends with a leader")
	}
}
