package bridge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
)

// TestChallengesByAct: the checker's steps solve each challenge also as acts, which a unit parts, and no
// acts solve none.
func TestChallengesByAct(t *testing.T) {
	for i, x := range museum.All() {
		if x.NoExercise() != "" || testing.Short() && i%4 > 0 {
			continue
		}
		c, err := challengeOf(&x)
		require.NoError(t, err, x.ID())
		var b Bridge
		text, err := c.Scenario.MarshalJSON()
		require.NoError(t, err)
		a, err := b.ask(t.Context(), &question{Scenario: text, Budget: c.Budget})
		require.NoError(t, err, x.ID())
		found, err := check.Run(t.Context(), a.Config)
		require.NoError(t, err, x.ID())
		steps := found.Counterexample.Steps
		for n, solved := range map[int]bool{len(steps): true, 0: false} {
			j, err := c.judge(t.Context(), &b, byAct(t, a.with(steps[:n])))
			require.NoError(t, err, x.ID())
			require.Equal(t, solved, j.Solved, "%s, %d steps: %s", x.ID(), n, j.Words)
			require.LessOrEqual(t, j.Steps, n, x.ID())
		}
	}
}

// byAct returns the run in which a hand does the steps of a scenario.
func byAct(t *testing.T, s *scenario.Scenario) *run {
	r, err := newRun(s, usualEvents)
	require.NoError(t, err)
	acted := *s
	require.NoError(t, handed(&acted, r, usualEvents))
	acted.Property, acted.Note, acted.Name = "", "", ""
	r, err = newRun(&acted, usualEvents)
	require.NoError(t, err)
	return r
}
