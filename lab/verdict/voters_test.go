package verdict

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestVoters: the voters change by a step to both sets, and from there to one of the two; labels increase.
func TestVoters(t *testing.T) {
	ids := func(text string) (list []election.ID) {
		for _, c := range text {
			list = append(list, election.ID(c-'0'))
		}
		return list
	}
	type note struct {
		label    uint64
		old, now string
	}
	for name, c := range map[string]struct {
		notes   []note
		changes int
		wrong   string // of the last note
	}{
		"founded":         {[]note{{7, "", "12"}}, 0, ""},
		"the same again":  {[]note{{7, "", "12"}, {8, "", "12"}}, 0, ""},
		"completed":       {[]note{{7, "", "12"}, {8, "12", "23"}, {9, "", "23"}}, 2, ""},
		"taken back":      {[]note{{7, "", "12"}, {8, "12", "23"}, {9, "", "12"}}, 2, ""},
		"during a change": {[]note{{7, "12", "23"}, {8, "", "23"}}, 1, ""},
		"at once":         {[]note{{7, "", "12"}, {8, "", "23"}}, 0, "the voters are 2 3, after the voters are 1 2"},
		"from others": {[]note{{7, "", "12"}, {8, "1", "23"}}, 0,
			"the voters change from 1 to 2 3, after the voters are 1 2"},
		"to others": {[]note{{7, "1", "2"}, {8, "", "12"}}, 0,
			"the voters are 1 2, after the voters change from 1 to 2"},
		"another change": {[]note{{7, "1", "2"}, {8, "2", "3"}}, 0,
			"the voters change from 2 to 3, after the voters change from 1 to 2"},
		"a smaller label": {[]note{{7, "", "12"}, {6, "12", "3"}}, 1,
			"the voters change from 1 2 to 3, with a smaller label than the voters are 1 2"},
	} {
		var v Voters
		for i, n := range c.notes {
			property, err := v.Note(n.label, ids(n.old), ids(n.now))
			if i < len(c.notes)-1 || c.wrong == "" {
				require.NoError(t, err, name)
				continue
			}
			require.Equal(t, Chain, property, name)
			require.EqualError(t, err, c.wrong, name)
		}
		require.Equal(t, c.changes, v.Changes(), name)
	}
}
