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
	claim   uint8   // the kind of message that begins a round; zero if the algorithm has none
	answers []uint8 // the kinds that answer it
	enough  int     // this number of answers makes a majority, with the own vote
	renew   time.Duration
	log     *slog.Logger

	sent [16]round // an answer that is 16 renewals late is older than any lease

	mu       sync.Mutex
	measured int                   // how many there were
	last     [window]time.Duration // the last of them, at their numbers modulo window
	warned   bool
}

// round is a claim to all others.
type round struct {
	number uint32
	at     time.Duration
	heard  int
}

// newRoundTrips returns what measures the round trips of a member.
func newRoundTrips(a *election.Algorithm, c *Config, log *slog.Logger) *roundTrips {
	r := &roundTrips{enough: len(c.Members) / 2, renew: c.Times.Renew, log: log}
	for i, kind := range a.Kinds {
		switch kind.Name {
		case "claim":
			r.claim = uint8(i + 1)
		case "granted", "refused":
			r.answers = append(r.answers, uint8(i+1))
		}
	}
	return r
}

// observe sees a step.
func (r *roundTrips) observe(o *observe.Occurrence) {
	if o.What != observe.Step {
		return
	}
	if m := &o.Event.Msg; o.Event.Op == election.Recv && slices.Contains(r.answers, m.Kind) {
		// An answer counts even if another round has begun: that it is late is what has to be measured. A
		// GRANTED of Round 0 answers no claim: a voter sends it to say to whom it has lent its vote.
		if s := &r.sent[m.Round%uint32(len(r.sent))]; s.number == m.Round && m.Round > 0 {
			if s.heard++; s.heard == r.enough {
				r.note(o.At - s.at)
			}
		}
	}
	// A claim goes to all others in one step.
	if sends := o.Effects.Sends; len(sends) > 0 && sends[0].Msg.Kind == r.claim {
		number := sends[0].Msg.Round
		r.sent[number%uint32(len(r.sent))] = round{number: number, at: o.At}
	}
}

// RoundTrip takes the last window of round trips, which are those of 20 seconds with the Times of LAN, and
// leaves out the longest of them, one in rare. A start or a pause makes one or two long, which cost no
// lease: the next renewal follows. A network that is slow makes many long.
const window, rare = 100, 20

// note takes a round trip.
func (r *roundTrips) note(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last[r.measured%window] = took
	r.measured++
	if took >= r.renew && !r.warned {
		r.warned = true
		r.log.Warn("a round trip took longer than Times.Renew: one of twice that renews no lease",
			"round_trip", took, "renew", r.renew, "suggested_lease", Suggest(took).Lease)
	}
}

// typical returns the longest of the last window of round trips but for rare ones.
func (r *roundTrips) typical() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(r.measured, window)
	if n == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(r.last[:n]))[n-1-n/rare]
}

// RoundTrip returns how long a majority of the members takes to answer this member when it leads or claims
// the lead: 95 of the last 100 answers took no longer. [Suggest] makes Times of it. It is zero if this
// member has not claimed the lead.
func (e *Elector) RoundTrip() time.Duration { return e.roundTrips.typical() }
