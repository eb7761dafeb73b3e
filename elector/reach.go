package elector

import (
	"log/slog"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// reach warns if too few members are heard to elect a leader. It watches the steps of the process.
type reach struct {
	asks         []uint8         // kinds of messages to all others that expect answers
	heard        []time.Duration // time of the last message, by port; zero if none
	members      int
	lease        time.Duration
	asked, since time.Duration // when this member asked last; since when too few are heard
	few, warned  bool
	log          *slog.Logger
}

func newReach(a *election.Algorithm, c *Config, log *slog.Logger) *reach {
	return &reach{asks: kinds(a, "read", "probe", "claim"), heard: make([]time.Duration, len(c.others())),
		members: len(c.Members), lease: c.Times.Lease, log: log}
}

// observe watches a step. A member asks while it knows no leader, and when it renews its lease. It warns only after a
// Lease, since just after a pause or a crash of the leader no other member has been heard for long; the wait starts
// again if it has not asked for a while.
func (r *reach) observe(o *observe.Occurrence) {
	if o.What != observe.Step {
		return
	}
	if o.Event.Op == election.Recv {
		r.heard[o.Event.Port] = o.At
	}
	sends := o.Effects.Sends
	if len(sends) == 0 || !slices.Contains(r.asks, sends[0].Msg.Kind) {
		return
	}
	up := 1 // this member
	for _, at := range r.heard {
		if at > 0 && o.At-at <= 2*r.lease {
			up++
		}
	}
	before := r.few
	r.few = up <= r.members/2
	if !before || o.At-r.asked > 2*r.lease {
		r.since = o.At
	}
	r.asked = o.At
	switch {
	case !r.few:
		r.warned = false
	case !r.warned && o.At-r.since > r.lease:
		r.warned = true
		r.log.Warn("too few members are heard: only a majority elects a leader", "heard", up,
			"needed", r.members/2+1, "members", r.members)
	}
}
