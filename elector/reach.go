package elector

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// reach warns if too few members are heard to elect a leader. It watches the steps of the process.
type reach struct {
	asks         []uint8         // kinds of messages to all others that expect answers
	heard        []time.Duration // time of the last message, by port; zero if none
	voters       func() voters
	lease        time.Duration
	asked, since time.Duration // when this member asked last; since when too few are heard
	few, warned  bool
	log          *slog.Logger

	mu     sync.Mutex
	seen   []time.Duration // what was heard when this member asked last, by port
	seenAt time.Duration
}

// voters are the ports of the members whose votes count.
type voters struct {
	others []election.Port
	self   bool // this member is one of them
	all    bool // all of them are needed, to found the group
}

// needed returns how many members must be heard.
func (v voters) needed() int {
	n := v.count()
	if v.all {
		return n
	}
	return n/2 + 1
}

func (v voters) count() int {
	if v.self {
		return len(v.others) + 1
	}
	return len(v.others)
}

func newReach(a *election.Algorithm, c *Config, members func() voters, log *slog.Logger) *reach {
	return &reach{asks: kinds(a, "read", "probe", "claim"), voters: members, lease: c.Times.Lease, log: log}
}

// observe watches a step. A member asks while it knows no leader, and when it renews its lease. It warns only after a
// Lease, since just after a pause or a crash of the leader no other member has been heard for long; the wait starts
// again if it has not asked for a while.
func (r *reach) observe(o *observe.Occurrence) {
	if o.What != observe.Step {
		return
	}
	if o.Event.Op == election.Recv {
		for election.Port(len(r.heard)) <= o.Event.Port {
			r.heard = append(r.heard, 0)
		}
		r.heard[o.Event.Port] = o.At
	}
	sends := o.Effects.Sends
	if len(sends) == 0 || !slices.Contains(r.asks, sends[0].Msg.Kind) {
		return
	}
	r.keep(o.At)
	members, up := r.voters(), 0
	if members.self {
		up = 1
	}
	for _, port := range members.others {
		if port < election.Port(len(r.heard)) && r.isRecent(r.heard[port], o.At) {
			up++
		}
	}
	before := r.few
	r.few = up < members.needed()
	if !before || o.At-r.asked > 2*r.lease {
		r.since = o.At
	}
	r.asked = o.At
	switch {
	case !r.few:
		r.warned = false
	case !r.warned && o.At-r.since > r.lease:
		r.warned = true
		text := "too few members are heard: only a majority elects a leader"
		if members.all {
			text = "too few members are heard: all members of one list found the group"
		}
		r.log.Warn(text, "heard", up, "needed", members.needed(), "members", members.count())
	}
}

// isRecent reports whether a peer that was heard at a time still counts as heard.
func (r *reach) isRecent(heard, now time.Duration) bool { return heard > 0 && now-heard <= 2*r.lease }

// keep keeps what was heard for other goroutines.
func (r *reach) keep(now time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen, r.seenAt = append(r.seen[:0], r.heard...), now
}

// recent returns which peers were heard when this member asked last, by port, and false if that is too long ago.
func (r *reach) recent(now time.Duration) (heard []bool, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.seen {
		heard = append(heard, r.isRecent(at, r.seenAt))
	}
	return heard, r.isRecent(r.seenAt, now)
}
