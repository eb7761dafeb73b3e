package bridge

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// shown is how long a run is shown that does not end.
const shown = 40 * scenario.Unit

// endOf returns the default end of a run of an algorithm, or zero if the algorithm comes to rest by itself.
func endOf(a *election.Algorithm) time.Duration {
	switch {
	case !a.NeverQuiesces:
		return 0
	case a.Store: // the first leader waits for as long as a lease lasts
		return 4 * shown
	}
	return shown
}

// units returns a time in units.
func units(t time.Duration) float64 { return float64(t) / float64(scenario.Unit) }

// inTime returns a time that is in units.
func inTime(units float64) time.Duration {
	return time.Duration(math.Round(units * float64(scenario.Unit)))
}
