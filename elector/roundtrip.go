package elector

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// roundTrips measures how long a majority takes to answer a claim, or a renewal. It sees the steps of the
// process.
type roundTrips struct {
	claims  []uint8 // the kind of message that begins a round
	answers []uint8 // the kinds that answer it
	enough  int     // this number of answers makes a majority, with the own vote
	renew   time.Duration
	lease   time.Duration
	log     *slog.Logger

	sent [16]round // an answer that is 16 renewals late is older than any lease

	mu       sync.Mutex
	measured int                   // how many there were
	last     [window]time.Duration // the last of them, at their numbers modulo window

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
}

// newRoundTrips returns what measures the round trips of a member.
func newRoundTrips(a *election.Algorithm, c *Config, log *slog.Logger) *roundTrips {
	return &roundTrips{claims: kinds(a, "claim"), answers: kinds(a, "granted", "refused"),
		enough: len(c.Members) / 2, renew: c.Times.Renew, lease: c.Times.Lease, log: log,
		next: make(map[string]time.Duration)}
}

// observe sees a step.
func (r *roundTrips) observe(o *observe.Occurrence) {
	if o.What != observe.Step {
		return
	}
	if o.Effects.Decided() && o.Effects.Outcome.Role != election.Leader {
		// A lease has ended while its renewals were in flight. If they are answered yet, that tells how long an
		// outage took, not how long a round trip does.
		clear(r.sent[:])
	}
	if m := &o.Event.Msg; o.Event.Op == election.Recv && slices.Contains(r.answers, m.Kind) {
		// An answer counts even if another round has begun: that it is late is what has to be measured. A
		// GRANTED of Round 0 answers no claim: a voter sends it to say to whom it has lent its vote.
		if s := &r.sent[m.Round%uint32(len(r.sent))]; s.number == m.Round && m.Round > 0 {
			if s.heard++; s.heard == r.enough {
				// A claim that was answered more than a Lease later would not have led to one. How much later depends on
				// the outage.
				r.note(o.At, min(o.At-s.at, r.lease))
			}
		}
	}
	// A claim goes to all others in one step.
	if sends := o.Effects.Sends; len(sends) > 0 && slices.Contains(r.claims, sends[0].Msg.Kind) {
		number := sends[0].Msg.Round
		r.sent[number%uint32(len(r.sent))] = round{number: number, at: o.At}
	}
}

// RoundTrip takes the last window of round trips, which are those of 20 seconds with the Times of LAN, and
// leaves out the longest of them, one in rare. A start or a pause makes one or two long, which cost no
// lease: the next renewal follows. A network that is slow makes many long.
const window, rare = 100, 20

// judged is the number of round trips from which on the typical one counts: the two of a start or a pause
// are left out of them.
const judged = 2 * rare

// The warnings, each at most once in quiet.
const (
	quiet      = time.Minute
	longSingle = "a round trip took longer than Times.Renew; one that takes twice Renew does not renew " +
		"the lease"
	longMost = "round trips take longer than Times.Renew: the Lease is too short for this network"
)

// note takes a round trip that has ended now. A single long one may be a pause of a program: a Lease that
// would bear it, of 50 times as long, may be far too long for the network. So only the typical one is a
// reason to suggest a Lease.
func (r *roundTrips) note(now, took time.Duration) {
	// Without the lock: a log that hangs must not hold up RoundTrip.
	if warning, args := r.add(now, took); warning != "" {
		r.log.Warn(warning, args...)
	}
}

// add takes a round trip, and returns the warning that is due, if any.
func (r *roundTrips) add(now, took time.Duration) (warning string, args []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
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

// typical returns the longest of the last window of round trips but for rare ones. The caller holds mu.
func (r *roundTrips) typical() time.Duration {
	n := min(r.measured, window)
	if n == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(r.last[:n]))[n-1-n/rare]
}

// RoundTrip returns how long a majority of the members takes to answer this member when it leads or claims
// the lead: 95 of the last 100 answers took no longer. It is at most Times.Lease, and answers to renewals of a
// lease that has ended do not count. [Suggest] makes Times of it. It is zero if this member has not claimed the
// lead.
func (e *Elector) RoundTrip() time.Duration {
	e.roundTrips.mu.Lock()
	defer e.roundTrips.mu.Unlock()
	return e.roundTrips.typical()
}
