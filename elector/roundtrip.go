package elector

import (
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease/storelease"
	"github.com/go-election/election/observe"
)

// roundTrips measures how long a majority takes to answer a claim or renewal. It watches the steps of the process.
type roundTrips struct {
	claims  []uint8                  // kinds of messages that begin a round
	answers []uint8                  // kinds that answer them
	enough  int                      // this many answers of others are enough for a majority
	store   bool                     // the others are a Store
	votes   func(election.Port) bool // whether the answers of a member count; nil if all do
	renew   time.Duration
	lease   time.Duration
	log     *slog.Logger

	sent  [16]round // an answer that is 16 renewals late is older than any lease
	leads bool

	begun, lost atomic.Uint64 // claims of the lead, and renewals that no majority has answered
	took        histogram     // of all round trips

	mu       sync.Mutex
	measured int                   // number of round trips so far
	last     [window]time.Duration // ring buffer of the last ones

	next map[string]time.Duration // when each warning may be logged again

	// Since the last warning, of either kind:
	count, long int // round trips, and those of Renew or longer
	longest     time.Duration
}

// round is a claim to all others.
type round struct {
	number uint32
	at     time.Duration
	heard  int
	renews bool // a renewal, and not a claim
}

// newRoundTrips returns what measures the round trips of a member.
func newRoundTrips(a *election.Algorithm, c *Config, log *slog.Logger) *roundTrips {
	enough := len(c.Members) / 2
	if c.Store != nil {
		enough = 1 // the store alone answers
	}
	return &roundTrips{claims: kinds(a, "claim", "put"), answers: kinds(a, "granted", "refused", "written", "conflict"),
		enough: enough, store: c.Store != nil, renew: c.Times.Renew, lease: c.Times.Lease, log: log,
		next: make(map[string]time.Duration)}
}

// observe watches a step of the process.
func (r *roundTrips) observe(o *observe.Occurrence) {
	if o.What != observe.Step {
		return
	}
	if o.Effects.Decided() {
		r.leads = o.Effects.Outcome.Role == election.Leader
	}
	if o.Effects.Decided() && !r.leads {
		// The lease has expired while renewals were in flight. If they are still answered, that measures the outage,
		// not a round trip.
		for i := range r.sent {
			r.retire(&r.sent[i], o.At)
		}
		clear(r.sent[:])
	}
	if m := &o.Event.Msg; o.Event.Op == election.Recv && slices.Contains(r.answers, m.Kind) {
		// Late answers count, even if the next round has begun: lateness is what is measured. A GRANTED with Round 0
		// answers no claim, but reports to whom a voter has lent its vote.
		if s := &r.sent[m.Round%uint32(len(r.sent))]; s.number == m.Round && m.Round > 0 &&
			(r.votes == nil || r.votes(o.Event.Port)) {
			if s.heard++; s.heard == r.enough {
				// Cap at a Lease: a claim answered later than that leads to no lease, and the rest is outage.
				r.note(o.At, min(o.At-s.at, r.lease))
			}
		}
	}
	// A claim is sent to all others in one step.
	if sends := o.Effects.Sends; len(sends) > 0 && slices.Contains(r.claims, sends[0].Msg.Kind) && !r.releases(&sends[0].Msg) {
		number := sends[0].Msg.Round
		s := &r.sent[number%uint32(len(r.sent))]
		r.retire(s, o.At)
		if *s = (round{number: number, at: o.At, renews: r.leads}); !r.leads {
			r.begun.Add(1)
		}
	}
}

// releases reports whether a message gives up a lease in a Store: it has the kind of a claim.
func (r *roundTrips) releases(m *election.Message) bool {
	if !r.store {
		return false
	}
	_, record := storelease.Read(m)
	return record.Owner == 0
}

// retire counts a renewal that no majority has answered. One that was sent a moment ago is in flight, and not lost,
// when this member gives up the lead.
func (r *roundTrips) retire(s *round, now time.Duration) {
	if s.renews && s.heard < r.enough && now-s.at >= r.renew/2 {
		r.lost.Add(1)
	}
}

// RoundTrip considers the last window round trips, 20 seconds with LAN times, without the longest 1/rare of them. A
// start or a pause makes one or two round trips long and costs no lease, since the next renewal follows. A slow
// network makes many long.
const window, rare = 100, 20

// judged is how many round trips are needed before the typical one counts, so that the one or two of a start or pause
// are left out.
const judged = 2 * rare

// The warnings, each at most once in quiet.
const (
	quiet      = time.Minute
	longSingle = "a round trip took longer than Times.Renew; one that takes twice Renew does not renew " +
		"the lease"
	longMost = "round trips take longer than Times.Renew: the Lease is too short for this network"
)

// note records a round trip. A single long one may be due to a pause of the program, and a Lease of 50 times as much
// would be far too long. So only the typical round trip leads to a suggestion.
func (r *roundTrips) note(now, took time.Duration) {
	// Log without the lock: a log handler that hangs must not block RoundTrip.
	if warning, args := r.add(now, took); warning != "" {
		r.log.Warn(warning, args...)
	}
}

// add records a round trip, and returns the warning that is due, if any.
func (r *roundTrips) add(now, took time.Duration) (warning string, args []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took.add(took)
	r.last[r.measured%window] = took
	r.measured++
	r.count++
	if took < r.renew {
		return "", nil
	}
	r.long++
	r.longest = max(r.longest, took)
	typical := r.typical()
	warning = longSingle
	args = []any{"longest", r.longest, "renew", r.renew, "long", r.long, "of", r.count}
	if r.measured >= judged && typical >= r.renew {
		warning = longMost
		args = append(args, "round_trip", typical, "suggested_lease", Suggest(typical).Lease)
	}
	if now < r.next[warning] {
		return "", nil
	}
	r.next[warning] = now + quiet
	r.count, r.long, r.longest = 0, 0, 0
	return warning, args
}

// typical returns the longest round trip of the window, except for rare ones. The caller holds mu.
func (r *roundTrips) typical() time.Duration {
	n := min(r.measured, window)
	if n == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(r.last[:n]))[n-1-n/rare]
}

// RoundTrip returns how long a majority of the members, or the Store, takes to answer this member when it claims or
// renews the lead: the 95th percentile of the last 100 round trips, at most Times.Lease. Answers to renewals of an
// expired lease do not count. Pass it to [Suggest]. It is zero if this member has never claimed the lead.
func (e *Elector) RoundTrip() time.Duration {
	e.roundTrips.mu.Lock()
	defer e.roundTrips.mu.Unlock()
	return e.roundTrips.typical()
}
