// Package storelease elects one leader at a time by a record in a store that can compare and swap, such as a database, etcd
// or an object store. However requests fail, and however long processes pause, no two processes hold a valid lease at the
// same time.
//
// [New] describes the algorithm. Services use it through package elector, which connects each member to a store of package
// store. In a simulation the process with the smallest ID is the store, and the others are the members.
//
// # The rules
//
// The record contains a Term, an owner with its incarnation, and the length of its lease. Each value of the record has a
// revision, which differs from the revisions of all other values.
//
//  1. Store. GET returns the record and its revision, which may be out of date (VALUE), or that there is none (ABSENT). PUT
//     names a revision, zero if there is no record, and a new record. If the revision is the present one, the store replaces
//     the record and returns the new revision (WRITTEN); otherwise it changes nothing (CONFLICT). If a request fails, the
//     answer is OPEN, or none: the PUT may have been carried out, or may be carried out later.
//  2. Look. A member reads the record when it begins, whenever it has heard nothing for Poll, and if the record may have
//     changed (CHANGED). If there is no answer within Patience, it asks again; after OPEN, it does so after a quarter of Patience.
//  3. Wait. A record of another owner, or none, must stand for GrantTime before a candidate may replace it. The time counts
//     from the arrival of the message that first showed its revision. If a PUT that names the revision fails with CONFLICT,
//     it counts from then. A message that shows the revision before is stale, and is ignored. If there is no record, and
//     for SilentTime no answer has shown that there is still none, the time counts from the next answer that does.
//  4. Turn. A candidate then waits for a random time, so that several candidates seldom write simultaneously, and for
//     larger priorities.
//  5. Take. A candidate notes the time and sends PUT with a larger Term and itself as the owner. If it is written, it leads
//     until Lease after the noted time.
//  6. Renew. Every Renew, a leader notes the time and sends PUT with the same Term. If it is written, the lease lasts until
//     Lease after the noted time. An answer counts until the lease ends, however late it is. When the lease ends, the
//     leader stops: the Term is never used again.
//  7. Doubt. If a PUT fails, or is not answered within Patience, the process reads the record. If the record is the leader's
//     own, in its Term, or absent, the leader renews with the revision that it has read. A candidate whose PUT was written
//     without its knowledge finds that the record is its own, and takes it again without waiting, in another Term. A
//     process with the same name and another incarnation is another owner. A leader that finds a larger Term stops.
//  8. Release. A leader that resigns ends its lease, and then sends PUT without an owner, with the largest Term that it
//     knows. The record may name a successor, which takes it without waiting; the others wait as for an owner. If it
//     names none, all candidates take it without waiting. If the PUT fails, it is repeated until the lease would have
//     ended. The process does not take the lease again before a Lease has passed, unless it is named. The record is
//     never deleted.
//  9. Terms. A Term is larger than all Terms that the member has read, and the Terms of its program (Init, Raise). If
//     Durable, members save the largest Term that they know.
//  10. Follow. A member follows the owner of the record until the record has stood for GrantTime.
//
// # Why it is safe
//
// Let a leader hold a lease because of a PUT that it has sent at time s, and let the PUT be written at w, after s. The lease
// ends Lease after s by the leader's clock. Another process takes the record only by a PUT that names the revision that is
// stored then. This is the revision of w, or a later one of the same leader, since the record has no other owner before. The
// other process has waited since a message showed it this revision, which was after w, for at least the leader's Lease: the
// record contains it, rounded up to milliseconds. By GrantTime, a Lease measured by the slowest clock has then passed even
// if its own clock is the fastest. So the lease has ended. If the leader has released the record, it has stopped before.
//
// Only PUT has to be atomic. A stale read shows a revision that has been replaced: a PUT that names it fails. A PUT that is
// carried out late either fails, because the record has changed, or makes the sender owner of a record that others have
// not taken: it leads only if the answer arrives in time. A member that finds the record of its own incarnation takes it
// without waiting, because the record shows that no other process has taken it since. No time of another machine is compared.
//
// A store must not lose its data. If it does, it shows ABSENT, for which candidates wait, too. A revision that is shown again
// has not been replaced since, but ABSENT may come back: a record may have been written and lost between two answers. So
// ABSENT stands only while answers confirm it. Let a record stand for SilentTime before it is lost. A candidate for which
// ABSENT still stands then has sent a GET in this time and received an answer, and so has read the record. It waits from the
// next ABSENT, which comes after the leader's last PUT, and longer than the lease. A candidate whose own PUT creates the
// record, but is confirmed later than that, has not ruled out that another record was lost before the PUT was carried out.
// It does not lead, and waits as for another owner. So no second leader begins while a lease is valid if all members have
// the same Lease, unless the store loses a record within SilentTime of its creation, returns stale answers that are older
// than this, or returns to an earlier record. Terms increase nevertheless if the candidate knows the last Term.
//
// SilentTime is Poll and two Leases. A process sends a GET at most Poll after an answer. If the answers before and after
// take less than a Lease each, it does not pass, and a leader needs such answers anyway. If the store does not answer for
// longer, the first leader of an empty store begins a GrantTime after the store returns.
//
// # Priorities
//
// If a process has a priority p (Prefer), it waits for (10 - p) times Stagger, but not less than zero, before it takes a
// lease that nobody holds. Give a priority to all processes or to none.
//
// # Messages
//
// A renewal takes 2 messages, and so does a takeover. Each follower reads once in Renew (2 messages), unless the store reports
// changes: then it receives one message for each renewal, and does not read.
//
// # Limitations
//
// The store must be available: while it is not, a leader stops when its lease ends. Any process that can write to the store
// can end a lease or begin one. As in package lease, actions carry the Term, because an action that a leader starts during its
// lease may end after it; and a virtual machine whose clock stood still cannot detect this.
//
// Sources: C. Gray, D. Cheriton, Leases, SOSP 1989; M. Burrows, The Chubby Lock Service, OSDI 2006.
package storelease

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/params"
)

// Config contains the parameters. The zero value is ready for a store in a local network.
type Config struct {
	// Lease is how long a leader leads unless it renews its lease. Members may have different Leases: each waits for
	// the longer one of its own and the leader's. If zero, 100 times Delay: 750 ms.
	Lease time.Duration
	// Renew is the interval between renewals. If zero, Lease/4. If it equals Lease, leases are not renewed. It must not
	// be longer.
	Renew time.Duration
	// Drift is the largest error of the rate of a clock. If zero, 0.001; if negative, none. It must be less than 0.5.
	Drift float64
	// Delay is how long a request usually takes. If requests take longer, elections take longer. If zero,
	// lease.DefaultDelay.
	Delay time.Duration
	// Stagger is how long a candidate waits at most, at random, before it takes a lease that has expired, and for how
	// long it lets each larger priority go first. If zero, twice Delay; if negative, none.
	Stagger time.Duration
	// Poll is the interval at which a member that does not lead reads the record if it hears nothing. If zero, Renew;
	// with Watch, 1.5 times Renew: a leader that renews in time then saves its followers from reading.
	Poll time.Duration
	// Patience is how long a member waits for an answer before it asks again. If a request fails, it waits for a quarter of
	// that. If zero, half of Renew.
	Patience time.Duration
	// Watch means that the store reports changes by itself.
	Watch bool
	// Durable means that members save the largest Term that they have heard of. If the store loses its data, Terms then
	// increase nevertheless.
	Durable bool

	// Stale and Fails are for the store of a simulation: how many reads return the record before the present one, and how
	// many requests fail, whether or not they have been carried out.
	Stale, Fails uint32
}

// GrantTime returns how long a candidate waits for a record of a leader with this Lease to change: the longer one of
// the Lease and its own, measured by the slowest clock, converted to the fastest.
func (c Config) GrantTime(other time.Duration) time.Duration {
	return lease.Config{Lease: max(c.Lease, other), Drift: c.Drift}.GrantTime()
}

// silentTime returns how long ABSENT stands without an answer that confirms it.
func (c *Config) silentTime() time.Duration { return c.Poll + 2*c.Lease }

// complete replaces zero values by defaults, and rejects invalid values.
func (c *Config) complete(words params.Wording) error {
	l := lease.Config{Lease: c.Lease, Renew: c.Renew, Drift: c.Drift, Delay: c.Delay, Stagger: c.Stagger}
	if err := l.Complete(words); err != nil {
		return err
	}
	c.Lease, c.Renew, c.Drift, c.Delay, c.Stagger = l.Lease, l.Renew, l.Drift, l.Delay, l.Stagger
	if c.Poll == 0 {
		if c.Poll = c.Renew; c.Watch {
			c.Poll += c.Renew / 2
		}
	}
	if c.Patience == 0 {
		c.Patience = max(c.Renew/2, 1)
	}
	for _, of := range []struct {
		name string
		time.Duration
	}{{"poll", c.Poll}, {"patience", c.Patience}} {
		if t := of.Duration; t < 1 || t > 8*c.Lease {
			return words.Errorf(of.name, "%s is not between 1 ns and 8 times a {lease} of %s", words.Time(t, c.Delay),
				words.Time(c.Lease, c.Delay))
		}
	}
	return nil
}

// New returns the algorithm. If a duration is invalid, the error wraps [election.ErrInput].
func New(c Config) (*election.Algorithm, error) { return newFor(c, params.ForPrograms) }

func newFor(c Config, words params.Wording) (*election.Algorithm, error) {
	given := c
	if err := c.complete(words); err != nil {
		return nil, err
	}
	revised := sized(96)
	record := sized(225)
	return &election.Algorithm{
		Name:     "storelease",
		Summary:  "a record in a store that can compare and swap: one leader at a time, whatever happens",
		Source:   "Gray, Cheriton 1989; Burrows 2006",
		Topology: election.Complete, TwoWay: true, Store: true,
		LateStart: election.LateJoins, Elects: election.LeaseHolders, NeverQuiesces: true, Heartbeats: true,
		Faults: election.Faults{Crash: election.MayRecover, Loss: true, Copies: true,
			Nudged: true, Pause: true, Cut: true, Drift: c.Drift},
		Kinds: []election.Kind{
			{Name: "get", Round: "number", Bits: sized(32)},
			{Name: "put", ID: "of", Priority: "incarnation", Round: "number", Value: both, Marks: released, Bits: record},
			{Name: "value", ID: "of", Priority: "incarnation", Round: "number", Value: both,
				Marks: released, Bits: record},
			{Name: "absent", Round: "number", Bits: sized(32)},
			{Name: "written", Round: "number", Value: both, Bits: revised},
			{Name: "conflict", Round: "number", Bits: sized(32)},
			{Name: "open", Round: "number", Bits: sized(32)},
			{Name: "changed", Bits: sized(0)},
		},
		Commands: lease.BasicCommands(),
		Timers:   [][]string{{timerDue: "the next deadline", timerTurn: "the wait for others"}},
		Delay:    c.Delay,
		Best:     cost.Bound{Formula: "4", When: "one member starts, and the store is up"},
		Params:   c.table(nil).Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) {
			own := given
			// A parameter that is given as zero means zero, not the default.
			permille := uint64(math.MaxUint64)
			own.Stagger = math.MinInt64
			if err := own.table(&permille).Read(g); err != nil {
				return nil, err
			}
			switch permille {
			case math.MaxUint64:
			case 0:
				own.Drift = -1
			default:
				own.Drift = float64(min(permille, 1000)) / 1000
			}
			switch own.Stagger {
			case math.MinInt64:
				own.Stagger = given.Stagger
			case 0:
				own.Stagger = -1
			}
			return newFor(own, params.ForFiles)
		},
		New: func(s election.Setup) election.Node { return &process{config: &c, me: s.Self} },
	}, nil
}

// both names the halves of Value: a revision, and the lease of a record.
const both = "revision,milliseconds"

var released = []string{"released"}

// Algorithms returns the only variant, with the zero Config.
func Algorithms() []*election.Algorithm {
	a, err := New(Config{Delay: time.Second}) // one unit of scenario files
	if err != nil {
		panic(err)
	}
	return []*election.Algorithm{a}
}

func sized(bits uint64) func(cost.Widths) uint64 { return func(cost.Widths) uint64 { return bits } }

// table returns the parameters. Reading them stores the values in c, and the drift in thousandths in permille.
func (c *Config) table(permille *uint64) params.Table {
	return params.Table{
		{Name: "delay", About: "how long a message mostly takes", Default: "1", Role: params.DelayBound,
			Positive: "zero leaves no time for a message", To: params.Time(&c.Delay)},
		{Name: "lease", About: "how long a leader leads unless it renews", Default: "100 delays",
			Role: params.LeaseTime, To: params.Time(&c.Lease)},
		{Name: "renew", About: "how often a leader renews", Default: "a quarter of lease", To: params.Time(&c.Renew)},
		{Name: "poll", About: "how often other members read", Default: "renew, half as long again with watch",
			To: params.Time(&c.Poll)},
		{Name: "patience", About: "how long a process waits for an answer", Default: "half of renew",
			To: params.Time(&c.Patience)},
		{Name: "drift", About: "the largest error of a clock, in thousandths", Default: "1", To: params.Count(permille)},
		{Name: "stagger", About: "how long a candidate waits at most for others", Default: "2 delays",
			To: params.Time(&c.Stagger)},
		{Name: "watch", About: "whether the store reports changes", Default: "no", To: params.Truth(&c.Watch)},
		{Name: "durable", About: "whether members remember Terms after a restart", Default: "no",
			To: params.Truth(&c.Durable)},
		{Name: "stale", About: "how many reads return the record before", Default: "0", To: params.Count(&c.Stale)},
		{Name: "fails", About: "how many requests fail, or only their answers", Default: "0", To: params.Count(&c.Fails)},
	}
}
