package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// TestOverlays: an overlay keeps Terms itself, and all the same it is known which processes have started the
// election of a Term, of which the largest must win.
func TestOverlays(t *testing.T) {
	for _, a := range catalog.All() {
		if a.Winner == nil || !a.Winner.ByStart || a.Synchronous { // the last have no overlay
			continue
		}
		over, err := a.OverComplete()
		require.NoError(t, err, a.Title())
		for n := 1; n <= 3; n++ {
			for _, some := range subsets(rising(n)) {
				c := check.Config{Input: input(over, rising(n)), Reduce: true, Started: n == 3}
				c.Initiators = some
				r := holds(t, c, "%s, %d, %d", a.Title(), n, some)
				require.True(t, judged(t, r, verdict.RightAtEnd).Known, a.Title())
			}
		}
	}
}
