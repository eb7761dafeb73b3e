package elector

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
)

// hearsay finds a leader that other members report, while this member does not hear it: members that refuse a PROBE
// or CLAIM report to whom they have lent their votes. hearsay watches the steps of the process, and only the
// goroutine of the process uses it.
type hearsay struct {
	renew, lease time.Duration
	tell         func(rumor) // called with each new rumor, and with the zero rumor when there is none any more
	member       func(election.Port) election.ID
	knows        func(election.ID) bool // whether this is the ID of another member
	votes        []vote                 // by port, as far as they have reported
	told         rumor
	followed     rumor // the last leader that the process followed itself
}

// vote is a report of to whom a member has lent its vote.
type vote struct {
	member, owner election.ID
	term          uint64
	first, last   time.Duration // when the grant expires, as first and last reported
}

// rumor is a leader known by hearsay.
type rumor struct {
	leader election.ID
	term   uint64
	until  time.Duration // when it expires
}

func newHearsay(c *Config, member func(election.Port) election.ID, knows func(election.ID) bool,
	tell func(rumor)) *hearsay {
	return &hearsay{renew: c.Times.Renew, lease: c.Times.Lease, member: member, knows: knows, tell: tell}
}

// observe watches a step of the process.
func (h *hearsay) observe(o *observe.Occurrence) {
	if o.What != observe.Step || o.Event.Op != election.Recv {
		return
	}
	m := &o.Event.Msg
	owner, left, ok := lease.Lent(m)
	if !ok {
		return
	}
	for election.Port(len(h.votes)) <= o.Event.Port {
		h.votes = append(h.votes, vote{member: h.member(election.Port(len(h.votes)))})
	}
	v := &h.votes[o.Event.Port]
	end := o.At + min(left, 2*h.lease) // a grant lasts little more than a Lease
	if v.owner != owner || v.term != m.Term || o.At >= h.expiry(v) {
		*v = vote{member: v.member, owner: owner, term: m.Term, first: end}
	}
	v.last = end
	if now := h.best(o.At); now != h.told {
		h.told = now
		h.tell(now)
	}
}

// follow records a leader that the process follows itself, and forgets all reports.
func (h *hearsay) follow(leader election.ID, term uint64) {
	for i := range h.votes {
		h.votes[i] = vote{member: h.votes[i].member}
	}
	h.told, h.followed = rumor{}, rumor{leader: leader, term: term}
}

// expiry returns when a vote expires. A member that was refused asks again within a Lease after the grant.
func (h *hearsay) expiry(v *vote) time.Duration { return v.last + h.lease }

// best returns the leader that was reported last.
func (h *hearsay) best(now time.Duration) (best rumor) {
	for i := range h.votes {
		v := &h.votes[i]
		if until := h.expiry(v); v.owner != 0 && h.knows(v.owner) && h.leads(v) && now < until && until > best.until {
			best = rumor{leader: v.owner, term: v.term, until: until}
		}
	}
	return best
}

// leads reports whether a vote shows that its owner leads. A grant alone does not: it may be for a candidate, or for
// a leader that has crashed. A grant that is renewed for longer than a candidate would do so in one Term, a Lease, is
// for a leader. If this member followed the owner in that Term, it is no candidate, so any renewal will do.
func (h *hearsay) leads(v *vote) bool {
	renewed := v.last - v.first
	if v.owner == h.followed.leader && v.term == h.followed.term {
		return renewed >= h.renew/2 // a smaller difference may be the delay of an answer
	}
	return renewed >= h.lease+h.renew
}

// hearOf publishes a leader by hearsay, unless the process follows a leader itself.
func (e *Elector) hearOf(r rumor) {
	e.publish(func(before View) View {
		if before.Leader != "" && before.Why != Hearsay || e.ending.Load() {
			return before
		}
		e.rumored = r.until
		if r.leader == 0 {
			return withoutHearsay(before)
		}
		if left := max(r.until-e.clock(), e.leastStep()); e.fade == nil {
			e.fade = time.AfterFunc(left, e.fadeOut)
		} else {
			e.fade.Reset(left)
		}
		return View{Leader: e.name(r.leader), Term: r.term, Why: Hearsay}
	})
}

// fadeOut publishes the end of a hearsay that has expired.
func (e *Elector) fadeOut() {
	e.publish(func(before View) View {
		if before.Why != Hearsay {
			return before
		}
		if left := e.rumored - e.clock(); left > 0 { // the Clock is slower than the timer, or a new report arrived
			e.fade.Reset(max(left, e.leastStep()))
			return before
		}
		return withoutHearsay(before)
	})
}

func withoutHearsay(before View) View {
	if before.Why == Hearsay {
		return View{Term: before.Term, Why: Vacant}
	}
	return before
}
