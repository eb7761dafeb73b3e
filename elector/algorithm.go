package elector

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
	"github.com/go-election/election/store"
)

// ErrNoLease is returned by methods that need leases if [Config.Algorithm] is set.
var ErrNoLease = errors.New("elector: the algorithm has no leases")

// ErrNewTerm is the cause with which the context of the work is canceled if [Config.Algorithm] is set and another
// election begins. Usually this member then leads again in the later Term.
var ErrNewTerm = errors.New("elector: another election has begun")

// endless is Term.Left without leases: longer than any program runs, and short enough for sums.
const endless = 100 * 365 * 24 * time.Hour

// algorithm returns leases, or the Algorithm of the Config. lastGrant is how long this member granted its vote before
// a restart.
func (c *Config) algorithm(lastGrant time.Duration) (a *election.Algorithm, err error) {
	if c.Store != nil {
		_, watches := c.Store.(store.Watcher)
		return storelease.New(c.Times.inStore(watches, c.Dir != ""))
	}
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
	case a.Elects == election.LeaseHolders:
		return nil, input.Errorf("Algorithm: %s has leases; leave Algorithm nil and set Times", a.Title())
	case a.Elects == election.NoLeader || a.Sections > 0:
		return nil, input.Errorf("Algorithm: %s elects no leader", a.Title())
	case !a.LongLived() || !a.Faults.Unaided() || !a.Heartbeats:
		return nil,
			input.Errorf("Algorithm: %s does not detect crashes; give it heartbeats, or a failure detector by "+
				"detect.Under", a.Title())
	case a.Topology != election.Complete:
		return nil, input.Errorf("Algorithm: %s runs on a %v, not on a complete graph; use "+
			"Algorithm.OverComplete", a.Title(), a.Topology)
	case c.Priority != nil:
		return nil, input.Errorf("Priority: %s compares IDs; leave Priority nil", a.Title())
	}
	return a, nil
}

// kinds returns the numbers of the kinds of messages with these names, as far as the algorithm has them.
func kinds(a *election.Algorithm, names ...string) (numbers []uint8) {
	for i := range a.Kinds {
		if slices.Contains(names, a.Kinds[i].Name) {
			numbers = append(numbers, uint8(i+1))
		}
	}
	return numbers
}

// timing returns what must be equal at all members.
func (c *Config) timing() string {
	if a := c.Algorithm; a != nil {
		return fmt.Sprintf("%s with a Delay of %v", a.Title(), a.Delay)
	}
	return fmt.Sprintf("Lease %v, Drift %v", c.Times.Lease, c.Times.Drift)
}
