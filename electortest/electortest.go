package electortest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/wholefile"
)

// Config configures a test. The zero value means five runs of three members, with all faults.
type Config struct {
	Members int           // If zero, 3.
	For     time.Duration // duration of the faults in virtual time. If zero, 10 minutes.
	Seed    uint64        // seed of the first run, incremented for each further run. If zero, 1.
	Runs    int           // If zero, 5.
	Times   elector.Times // If zero, elector.LAN.
	Durable bool          // Members have a Dir that survives crashes. If false, they have no memory.
	Faults  Faults        // If zero, All without Lists.
	// Store means that the members keep the lease in a Store, with and without Watch. BadLinks then means that calls of
	// the store are late, their answers are lost, writes are carried out after the caller has given up, and reads are
	// stale; Cuts, that members do not reach the store, or that it is away.
	Store bool
	// Elector sets additional fields of a member's elector.Config, such as Priority. The fields that the test
	// itself needs are set afterwards: names, Transport, Store, Dir, Times, Clock, Observe, Renewed and Overrun. If
	// nil, nothing is set.
	Elector func(*elector.Config)

	drift float64 // largest error of a clock; if zero, Times.Drift
	mixed bool    // if Durable, every other member has no Dir
	fates []fate  // if nil, all fates that Faults allow
}

// Faults is a set of kinds of faults.
type Faults uint

// Kinds of faults.
const (
	Crashes   Faults = 1 << iota // members crash
	Pauses                       // members pause
	Holds                        // packets of a member are held
	Cuts                         // the network is partitioned
	BadLinks                     // packets are lost, duplicated and late
	HandOvers                    // the leader resigns, transfers, or is stopped
	Lists                        // members start with other lists, join and leave, and SetMembers is called
	All       Faults = 1<<iota - 1
)

// Limits of a Config.
const (
	mostMembers = 26
	mostFor     = 1000 * time.Hour
)

// complete replaces zero values by defaults, and rejects invalid values.
func (c *Config) complete() error {
	if c.Members == 0 {
		c.Members = 3
	}
	if c.For == 0 {
		c.For = 10 * time.Minute
	}
	if c.Runs == 0 {
		c.Runs = 5
	}
	if c.Seed == 0 {
		c.Seed = 1
	}
	if c.Faults == 0 {
		c.Faults = All &^ Lists
	}
	c.Times = c.Times.Complete()
	if c.drift == 0 {
		c.drift = max(c.Times.Drift, 0)
	}
	switch {
	case c.Members < 1 || c.Members > mostMembers:
		return input.Errorf("Members: %d is not between 1 and %d", c.Members, mostMembers)
	case c.For < 0 || c.For > mostFor:
		return input.Errorf("For: %v is not between 0 and %v", c.For, mostFor)
	case c.Runs < 0:
		return input.Errorf("Runs: %d is negative", c.Runs)
	case c.Faults > All:
		return input.Errorf("Faults: %#x is not one of them", uint(c.Faults))
	case c.Store && c.Faults&Lists != 0:
		return input.Errorf("Faults: Lists needs a list of members, which a group with a Store does not have")
	}
	return nil
}

// Test tests a service, with one subtest per seed. The service is called in a goroutine of each member, and
// must return after m.Context has ended.
func Test(t *testing.T, c Config, service func(m *Member) error) {
	t.Helper()
	if err := c.complete(); err != nil {
		t.Fatal(err)
	}
	for seed := c.Seed; seed < c.Seed+uint64(c.Runs); seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			dir := t.TempDir()
			// Members crash, but the machine does not, so do not sync. In a bubble, each wait for the disk
			// takes real time.
			wholefile.Unsynced.Add(1)
			defer wholefile.Unsynced.Add(-1)
			synctest.Test(t, func(t *testing.T) {
				if err := try(c, seed, dir, service); err != nil {
					t.Errorf("%v\nto try it again: go test -run '%s' -count=10", err, pattern(t.Name()))
				}
			})
		})
	}
}

// pattern returns the pattern that selects a test by its full name.
func pattern(name string) string {
	return "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
}
