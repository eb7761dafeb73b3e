package elector

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/tcp"
)

// Stats are the gauges and counters of a member. Counters count from New. [Metrics] returns them in the form of
// Prometheus.
type Stats struct {
	Group, Self string
	Version     string // of this module in the program, if it is known
	View        View   // current one

	// Lease is Times.Lease, and Left how long the lease of this member lasts unless it is renewed. Both are zero
	// without leases; Left is zero if this member does not lead.
	Lease, Left time.Duration
	RoundTrip   time.Duration // see Elector.RoundTrip
	// Members are the agreed members, or the list of this member if none are agreed; empty with a Store.
	Members []string
	// Heard contains the other Members. While this member leads or claims, it is true for members that have sent
	// something in the last two leases; otherwise for members to which there is a connection.
	Heard    map[string]bool
	Changing bool // a change of the members is in progress
	Lists    int  // different lists of this member and the members connected to it
	// Overrunning means that the work of a Term has not returned although its lease has expired.
	Overrunning bool

	Transitions [Ended + 1]uint64 // changes of the leader, its Term or the reason, by Reason
	Leaderless  time.Duration     // for which this member has known no leader, since Run or Serve
	Claims      uint64            // attempts to become the leader that have asked for a lease
	Terms       uint64            // Terms in which this member has led
	// TermEnds counts why Terms have ended: deposed, paused, unreachable, resigned and transferred as the causes of the
	// context; new_term as ErrNewTerm; returned if the work returned nil or a Pause, failed if it returned another
	// error; stopped if the context of Run ended. A Term is counted when its work has returned.
	TermEnds map[string]uint64
	// Renewals counts renewals of the lease: granted; late, granted more than 1.5 Renew after the last one was sent; and
	// lost, which no majority has answered.
	Renewals map[string]uint64
	Rounds   Histogram // how long a majority, or the Store, takes to answer claims and renewals
	Overruns uint64    // Terms whose work has not returned before the lease expired

	Packets process.Stats
	Network *tcp.Stats  // nil with a Store or a Transport
	Shared  bool        // other groups may use the Network, too
	Store   *StoreStats // nil without a Store
}

// StoreStats are the calls of a Store.
type StoreStats struct{ Get, Put CallStats }

// CallStats are the calls of one method of a Store.
type CallStats struct {
	Took Histogram // of all calls, also those that have failed or timed out
	// Errors counts calls that have failed: conflict, another member has written first; timeout, no answer while it
	// mattered; refused, the value is not a record; busy, too many calls have not returned; and other.
	Errors map[string]uint64
}

// Histogram counts durations.
type Histogram struct {
	Bounds []time.Duration // largest duration of each bucket; do not modify
	Counts []uint64        // durations in each bucket, the last one of which has no bound
	Sum    time.Duration
}

// Count returns the number of durations.
func (h Histogram) Count() (n uint64) {
	for _, one := range h.Counts {
		n += one
	}
	return n
}

// bounds are the bounds of all histograms: round trips in a data center, and between regions.
var bounds = [...]time.Duration{500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond,
	5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond,
	5 * time.Second, 10 * time.Second}

// histogram is a Histogram that goroutines share.
type histogram struct {
	counts [len(bounds) + 1]atomic.Uint64
	sum    atomic.Int64
}

func (h *histogram) add(d time.Duration) {
	at, _ := slices.BinarySearch(bounds[:], d)
	h.counts[at].Add(1)
	h.sum.Add(int64(d))
}

func (h *histogram) read() Histogram {
	out := Histogram{Bounds: bounds[:], Sum: time.Duration(h.sum.Load())}
	for i := range h.counts {
		out.Counts = append(out.Counts, h.counts[i].Load())
	}
	return out
}

// tally counts by name.
type tally map[string]*atomic.Uint64

func newTally(names ...string) tally {
	t := make(tally)
	for _, name := range names {
		t[name] = new(atomic.Uint64)
	}
	return t
}

func (t tally) read() map[string]uint64 {
	out := make(map[string]uint64)
	for name, n := range t {
		out[name] = n.Load()
	}
	return out
}

// counts are the counters of a member that nothing else keeps.
type counts struct {
	transitions [Ended + 1]atomic.Uint64
	leaderless  atomic.Int64 // until the last leader was known
	terms       atomic.Uint64
	ends        tally
	renewals    tally // granted and late; roundTrips counts the lost ones
	overruns    atomic.Uint64
	overrunning atomic.Int32
}

func newCounts() counts {
	return counts{renewals: newTally("granted", "late"), ends: newTally("deposed", "paused", "unreachable", "resigned",
		"transferred", "new_term", "returned", "failed", "stopped")}
}

// note counts a change of the View. missed is how long there was no leader before it.
func (c *counts) note(before, v View, missed time.Duration) {
	if v.Leader == before.Leader && v.Term == before.Term && v.Why == before.Why {
		return
	}
	c.transitions[v.Why].Add(1)
	if before.Leader == "" && (v.Leader != "" || v.Why == Ended) {
		c.leaderless.Add(int64(missed))
	}
}

// renewed counts a renewal. left is how long the lease still lasted.
func (c *counts) renewed(left time.Duration, t *Times) {
	if left < t.Lease-t.Renew*3/2 { // it lasts for a Lease from when it is sent
		c.renewals["late"].Add(1)
	} else {
		c.renewals["granted"].Add(1)
	}
}

// ended counts a Term that has ended by why, or by itself if that is nil.
func (c *counts) ended(stopped bool, why, err error) {
	_, pause := errors.AsType[Pause](err)
	end := "returned"
	switch {
	case errors.Is(why, ErrDeposed):
		end = "deposed"
	case errors.Is(why, ErrPaused):
		end = "paused"
	case errors.Is(why, ErrUnreachable):
		end = "unreachable"
	case errors.Is(why, ErrResigned):
		end = "resigned"
	case errors.Is(why, ErrTransferred):
		end = "transferred"
	case errors.Is(why, ErrNewTerm):
		end = "new_term"
	case stopped:
		end = "stopped"
	case err != nil && !pause:
		end = "failed"
	}
	c.ends[end].Add(1)
}

// storeCalls are the calls of a method of a Store.
type storeCalls struct {
	took   histogram
	errors tally
}

func newStoreCalls() *storeCalls {
	return &storeCalls{errors: newTally("conflict", "timeout", "refused", "busy", "other")}
}

// note counts a call.
func (c *storeCalls) note(took time.Duration, late, conflict bool, err error) {
	c.took.add(took)
	_, refused := errors.AsType[*refusedRecord](err)
	switch {
	case conflict:
		c.errors["conflict"].Add(1)
	case err == nil:
	case late:
		c.errors["timeout"].Add(1)
	case refused:
		c.errors["refused"].Add(1)
	default:
		c.errors["other"].Add(1)
	}
}

func (c *storeCalls) read() CallStats { return CallStats{c.took.read(), c.errors.read()} }

// Stats returns the current Stats. The member keeps them anyway, or counts at most once in each Renew, so reading them
// is the only cost.
func (e *Elector) Stats() Stats {
	c, t := &e.counts, &e.config.Times
	s := Stats{Group: e.config.Group, Self: e.config.Self, Version: version(), View: e.Leader(), RoundTrip: e.RoundTrip(),
		Overrunning: c.overrunning.Load() > 0, Claims: e.roundTrips.begun.Load(), Terms: c.terms.Load(), TermEnds: c.ends.read(),
		Renewals: c.renewals.read(), Rounds: e.roundTrips.took.read(), Overruns: c.overruns.Load(),
		Packets: e.process.Stats()}
	s.Renewals["lost"] = e.roundTrips.lost.Load()
	for why := range c.transitions {
		s.Transitions[why] = c.transitions[why].Load()
	}
	if e.leases {
		if s.Lease = t.Lease; s.View.Self {
			s.Left = max(Term{s.View.Term, e}.Left(), 0)
		}
	}
	e.mu.Lock()
	s.Leaderless = time.Duration(c.leaderless.Load())
	if e.abort != nil && e.view.Leader == "" && e.view.Why != Ended {
		s.Leaderless += e.clock() - e.vacant
	}
	e.mu.Unlock()
	if e.link != nil {
		s.Store = &StoreStats{Get: e.link.gets.read(), Put: e.link.puts.read()}
		return s
	}
	if e.network != nil {
		n := e.network.Stats()
		s.Network, s.Shared = &n, e.config.Network != nil
	}
	heard, recent := e.reach.recent(e.clock())
	ports := e.process.Peers()
	m := e.members
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Members, s.Lists, s.Changing = m.wish, len(grouped(m.wishes())), m.now.Joint
	if m.now.Agreed {
		s.Members = m.now.agreed()
	}
	s.Members, s.Heard = slices.Clone(s.Members), make(map[string]bool)
	for _, name := range s.Members {
		if name != e.config.Self {
			s.Heard[name] = m.connected(name)
		}
	}
	for port, r := range ports {
		name := m.nameOf(r.ID)
		if _, member := s.Heard[name]; member && recent {
			s.Heard[name] = port < len(heard) && heard[port]
		}
	}
	return s
}
