package elector

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
)

// ErrObserver is returned by [Elector.Run] if Self is an observer.
var ErrObserver = errors.New("elector: an observer never leads; call Serve")

// observes reports whether this is an observer.
func (c *Config) observes() bool {
	_, ok := c.Observers[c.Self]
	return ok
}

// all returns the addresses of members, observers and this process.
func (c *Config) all() map[string]string {
	all := map[string]string{c.Self: ""}
	maps.Copy(all, c.Members)
	maps.Copy(all, c.Observers)
	if all[c.Self] == "" { // it is not listed, or Resolve knows its address
		all[c.Self] = c.Listen
	}
	return all
}

// observers informs the observers while this member leads.
type observers struct {
	send        func(election.Packet)
	self        election.ID
	incarnation uint64 // of the packets to them
	every       time.Duration
	all         []election.ID

	// Only the goroutine of the process uses these.
	sent uint64        // number of packets sent to each
	led  uint64        // the Term in which this member leads; zero if it does not
	last time.Duration // when all were informed last

	mu  sync.Mutex
	new map[election.ID]bool // observers that connected since
}

func newObservers(c *Config) *observers {
	// Inform observers with the renewal closest to a Lease after the last time: renewals may be Renew/8 late.
	o := &observers{self: ID(c.Self), incarnation: rand.Uint64(), send: func(election.Packet) {},
		every: c.Times.Lease - c.Times.Renew/2, new: make(map[election.ID]bool)}
	for _, name := range slices.Sorted(maps.Keys(c.Observers)) {
		if name != c.Self {
			o.all = append(o.all, ID(name))
		}
	}
	return o
}

// followed returns how long an observer follows a leader without hearing from it. A leader informs it once in a
// Lease, so one message may be lost or late.
func (t Times) followed() time.Duration { return min(t.Lease/2*5, max(t.Lease, longestLease)) }

// came records that an observer has connected: the next renewal informs it.
func (o *observers) came(id election.ID) {
	if slices.Contains(o.all, id) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.new[id] = true
	}
}

// hear takes each outcome of the process, renewals included.
func (o *observers) hear(out election.Outcome, now time.Duration) {
	switch {
	case out.Role == election.Leader && (o.led != out.Term || now-o.last >= o.every):
		o.led, o.last = out.Term, now
		o.arrivals()
		o.announce(o.all, lease.Leads(out.Term))
	case out.Role == election.Leader:
		o.announce(o.arrivals(), lease.Leads(out.Term))
	case o.led != 0:
		o.announce(o.all, lease.Left(o.led))
		o.led = 0
	}
}

// arrivals returns the observers that have connected since the last call. It does not hold mu during sends, in which
// the transport may call came.
func (o *observers) arrivals() (ids []election.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range o.new {
		ids = append(ids, id)
	}
	clear(o.new)
	return ids
}

// announce sends a message to observers. They drop copies by the numbers of packets, as any process does.
func (o *observers) announce(to []election.ID, m election.Message) {
	if len(to) == 0 {
		return
	}
	o.sent++
	for _, id := range to {
		o.send(election.Packet{From: o.self, To: id, Msg: m, Incarnation: o.incarnation, Seq: o.sent})
	}
}

// muted is the transport of an observer, which must not send votes.
type muted struct{ election.Transport }

func (muted) Send(context.Context, election.Packet) error { return nil }
