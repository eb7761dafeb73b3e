package forward

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestReplaces: a leader is replaced by another one, and by itself in a later Term. That the member hears the leader itself,
// after hearsay with the upper bound of a Term, is no change.
func TestReplaces(t *testing.T) {
	of := elector.View{Leader: "a", Term: 7, Why: elector.Elected}
	hearsay := elector.View{Leader: "a", Term: 9, Why: elector.Hearsay}
	for _, test := range []struct {
		next, of elector.View
		want     bool
	}{
		{of, of, false},
		{of, hearsay, false},
		{hearsay, of, false},
		{elector.View{Term: 7, Why: elector.Vacant}, of, false},
		{elector.View{Leader: "a", Term: 8, Why: elector.Elected}, of, true},
		{elector.View{Leader: "b", Term: 8, Why: elector.Elected}, of, true},
		{elector.View{Leader: "b", Term: 8, Why: elector.Elected}, hearsay, true},
	} {
		require.Equal(t, test.want, replaces(test.next, test.of), test)
	}
}
