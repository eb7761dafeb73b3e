package scenario

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/verdict"
)

// Schedule says when messages arrive.
type Schedule string

// The schedules.
const (
	UnitDelay   Schedule = "unit"   // every message takes one [Unit]
	RandomDelay Schedule = "random" // every message takes a [Delay] of its own
	// Nothing happens but acts. Each comes one [Unit] after the one before, the first one Unit after the
	// beginning. Where an algorithm measures time, none comes after a message or a timer is due, and a
	// time-out comes when its timer is due. Messages wait on their links, as with Steps.
	Hand Schedule = "hand"
)

// Distribution is a family of delays.
type Distribution string

// The distributions.
const (
	Uniform     Distribution = "uniform"     // between Min and Max
	Exponential Distribution = "exponential" // with mean Mean, at most [LongestMeans] times that
)

// LongestMeans bounds exponential delays: a longer one is cut to this multiple of the mean. That
// happens to one in nine million.
const LongestMeans = 16

// Delay says how long messages take in a random schedule. If Min, Max and Mean are all zero, the
// simulator chooses a delay that the algorithm allows for.
type Delay struct {
	Distribution Distribution  // If empty, Uniform.
	Min, Max     time.Duration // of Uniform; if Min is zero, one nanosecond
	Mean         time.Duration // of Exponential
}

// Longest returns how long a message takes at most.
func (d *Delay) Longest() time.Duration {
	if d.Distribution == Exponential {
		return LongestMeans * d.Mean
	}
	return d.Max
}

func (d *Delay) check() error {
	exponential := d.Distribution == Exponential
	switch {
	case d.Distribution != "" && !slices.Contains(distributions, d.Distribution):
		return input.Errorf("delay.distribution: %s is not a distribution %s",
			quote(string(d.Distribution)), listed(distributions))
	case exponential && d.Min != 0:
		return input.Errorf("delay.min: an exponential delay has only a mean")
	case exponential && d.Max != 0:
		return input.Errorf("delay.max: an exponential delay has only a mean")
	case exponential && d.Mean < 1:
		return input.Errorf("delay.mean: an exponential delay needs a mean above 0, not %s", InUnits(d.Mean))
	case !exponential && d.Mean != 0:
		return input.Errorf("delay.mean: a uniform delay has only min and max")
	case !exponential && d.Max < 1:
		return input.Errorf("delay.max: a uniform delay needs a max above 0, not %s", InUnits(d.Max))
	case !exponential && (d.Min < 0 || d.Min > d.Max):
		return input.Errorf("delay.min: %s is not between 0 and max, %s", InUnits(d.Min), InUnits(d.Max))
	}
	return nil
}

// The values of the fields that hold one of a few names.
var (
	shapes = []election.Shape{
		election.Ring, election.Complete, election.Tree, election.Graph, election.Hypercube, election.Mesh,
	}
	schedules     = []Schedule{UnitDelay, RandomDelay, Hand}
	distributions = []Distribution{Uniform, Exponential}
	properties    = verdict.Properties()
)
