package elector

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
)

// ErrObserver: an observer cannot lead, so only [Elector.Serve] runs it.
var ErrObserver = errors.New("elector: an observer never leads: use Serve")

// observes reports whether this is an observer.
func (c *Config) observes() bool {
	_, ok := c.Observers[c.Self]
	return ok
}

// all returns the addresses of members and observers, and of this member if it leaves.
func (c *Config) all() map[string]string {
	all := make(map[string]string)
	if c.leaves() {
		all[c.Self] = c.Listen
	}
	maps.Copy(all, c.Members)
	maps.Copy(all, c.Observers)
	return all
}

// observers are those to which a leader says that it leads. Only the goroutine of the process uses it.
type observers struct {
	send        func(election.Packet)
	self        election.ID
	incarnation uint64 // of what is sent to them
	all         []election.ID
	sent        uint64 // packets to each
	led         uint64 // the Term in which this member leads; zero if it does not
}

func newObservers(c *Config) *observers {
	o := &observers{self: ID(c.Self), incarnation: rand.Uint64(), send: func(election.Packet) {}}
	for _, name := range slices.Sorted(maps.Keys(c.Observers)) {
		if name != c.Self {
			o.all = append(o.all, ID(name))
		}
	}
	return o
}

// hear takes each outcome of the process, also one that renews a lease.
func (o *observers) hear(out election.Outcome) {
	switch {
	case out.Role == election.Leader:
		o.led = out.Term
		o.announce(lease.Leads(out.Term))
	case o.led != 0:
		o.announce(lease.Left(o.led))
		o.led = 0
	}
}

// announce sends a message to all observers. They receive like any process: copies are dropped by their
// numbers.
func (o *observers) announce(m election.Message) {
	o.sent++
	for _, id := range o.all {
		o.send(election.Packet{From: o.self, To: id, Msg: m, Incarnation: o.incarnation, Seq: o.sent})
	}
}

// muted is the transport of an observer, or of a member that leaves: the voters do not expect packets from it.
type muted struct{ election.Transport }

func (muted) Send(context.Context, election.Packet) error { return nil }
