package elector

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lease"
)

// ErrNoLease: [Config.Algorithm] is set, and what was asked for needs leases.
var ErrNoLease = errors.New("elector: the algorithm has no leases")

// ErrNewTerm is a cause with which the context of the work ends where [Config.Algorithm] is set. Mostly this
// member leads again in the later Term.
var ErrNewTerm = errors.New("elector: another election has begun")

// endless is what is left of a Term without a lease: longer than any program runs, and short enough for sums.
const endless = 100 * 365 * 24 * time.Hour

// algorithm returns what elects: leases, or the Algorithm of the Config. Before a restart this member granted its
// vote for lastGrant.
func (c *Config) algorithm(lastGrant time.Duration) (a *election.Algorithm, err error) {
	if c.Algorithm == nil {
		t := c.Times
		if c.observes() {
			t.Lease = t.followed()
		}
		config := t.lease(c.Dir != "")
		config.LastGrant = lastGrant
		return lease.New(config)
	}
	a = c.Algorithm
	if err := a.Check(); err != nil {
		return nil, about("Algorithm", err)
	}
	switch {
	case a.Leases:
		return nil, input.Errorf("Algorithm: %s is the one that a nil Algorithm stands for, with Times",
			a.Title())
	case a.Leaderless || a.Sections > 0:
		return nil, input.Errorf("Algorithm: %s elects no leader for a service", a.Title())
	case !a.LongLived || !a.Faults.Crash || a.Faults.Reported || !a.Heartbeats:
		return nil,
			input.Errorf("Algorithm: %s does not notice that a leader has crashed; give it heartbeats, or "+
				"a failure detector by detect.Under", a.Title())
	case a.Topology != election.Complete:
		return nil, input.Errorf("Algorithm: %s runs on a %v, and members are all connected; see "+
			"OverComplete", a.Title(), a.Topology)
	case c.Priority != nil:
		return nil, input.Errorf("Priority: %s goes by the IDs of the members", a.Title())
	}
	return a, nil
}

// kinds returns the numbers of the kinds of message with these names, of those that the algorithm has.
func kinds(a *election.Algorithm, names ...string) (numbers []uint8) {
	for i := range a.Kinds {
		if slices.Contains(names, a.Kinds[i].Name) {
			numbers = append(numbers, uint8(i+1))
		}
	}
	return numbers
}

// agreed returns the first thing that members must agree on.
func (c *Config) agreed() string {
	if a := c.Algorithm; a != nil {
		return fmt.Sprintf("%s with a Delay of %v", a.Title(), a.Delay)
	}
	return fmt.Sprintf("Lease %v, Drift %v", c.Times.Lease, c.Times.Drift)
}
