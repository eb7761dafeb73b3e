package museum

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/check"
)

// TestReduced: with partial order reduction, the checker finds every mistake and reports nothing right as a
// mistake.
func TestReduced(t *testing.T) {
	saved := 0
	for _, x := range exhibits() {
		if x.counted != "" || x.played {
			continue
		}
		for name, c := range map[string]check.Config{x.Name: x.Config,
			ofRight(x.Name, x.Control): x.Control.Config} {
			// If time is modeled, the reduction omits nothing, and the search would be the same again.
			if !*long && c.Delay > 0 {
				continue
			}
			full := checked(t, name, c)
			c.MaxStates, c.Reduce = most, true
			reduced, err := check.Run(t.Context(), c)
			require.NoError(t, err, name)
			require.Equal(t, errors.Is(full.Err(), check.ErrViolated),
				errors.Is(reduced.Err(), check.ErrViolated), "%s: %v, %v", name, full.Err(), reduced.Err())
			require.Equal(t, full.Exhausted, reduced.Exhausted, name)
			if reduced.Reduced > 0 {
				saved++
			}
		}
	}
	require.Greater(t, saved, 30, "there is something to leave out in many of them")
}
