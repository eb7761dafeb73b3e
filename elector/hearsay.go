package elector

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
)

// hearsay is what other members report of a leader that this one does not hear itself: while it asks for votes
// in vain, they answer to whom they have lent theirs. It sees the steps of the process, and only its goroutine
// uses it.
type hearsay struct {
	renew, lease time.Duration
	tell         func(rumor) // takes each new rumor, and the zero value when there is none any more
	votes        []vote      // by port
	told         rumor
	followed     rumor // the last leader that the process has found itself
}

// vote is to whom a member has lent its vote.
type vote struct {
	member, owner election.ID
	term          uint64
	first, last   time.Duration // the ends of the grant that the first answer has named, and the last
}

// rumor is a leader by hearsay.
type rumor struct {
	leader election.ID
	term   uint64
	until  time.Duration // when it is too old
}

func newHearsay(c *Config, tell func(rumor)) *hearsay {
	h := &hearsay{renew: c.Times.Renew, lease: c.Times.Lease, tell: tell}
	for _, r := range c.others() {
		h.votes = append(h.votes, vote{member: r.ID})
	}
	return h
}

// observe sees a step.
func (h *hearsay) observe(o *observe.Occurrence) {
	if o.What != observe.Step || o.Event.Op != election.Recv {
		return
	}
	m := &o.Event.Msg
	owner, left, ok := lease.Lent(m)
	if !ok {
		return
	}
	v := &h.votes[o.Event.Port]
	end := o.At + min(left, 2*h.lease) // a grant lasts little more than one
	if v.owner != owner || v.term != m.Term || o.At >= h.expiry(v) {
		*v = vote{member: v.member, owner: owner, term: m.Term, first: end}
	}
	v.last = end
	if now := h.best(o.At); now != h.told {
		h.told = now
		h.tell(now)
	}
}

// follow takes the leader that the process has found itself, and forgets what was reported.
func (h *hearsay) follow(leader election.ID, term uint64) {
	for i := range h.votes {
		h.votes[i] = vote{member: h.votes[i].member}
	}
	h.told, h.followed = rumor{}, rumor{leader: leader, term: term}
}

// expiry returns when a vote is too old. A member that was refused asks again within a Lease after the grant.
func (h *hearsay) expiry(v *vote) time.Duration { return v.last + h.lease }

// best returns the leader that was reported last.
func (h *hearsay) best(now time.Duration) (best rumor) {
	for i := range h.votes {
		v := &h.votes[i]
		if until := h.expiry(v); h.isMember(v.owner) && h.leads(v) && now < until && until > best.until {
			best = rumor{leader: v.owner, term: v.term, until: until}
		}
	}
	return best
}

// leads reports whether a vote shows that its owner leads. A grant alone shows nothing: it may be for a candidate,
// or for a leader that has crashed. A candidate renews its grants for a Lease at most, in one Term; a
// leader that this member has followed in that Term is none.
func (h *hearsay) leads(v *vote) bool {
	renewed := v.last - v.first
	if v.owner == h.followed.leader && v.term == h.followed.term {
		return renewed >= h.renew/2 // what is less may be the delay of an answer
	}
	return renewed >= h.lease+h.renew
}

// isMember reports whether an ID is of another member.
func (h *hearsay) isMember(id election.ID) bool {
	for i := range h.votes {
		if h.votes[i].member == id {
			return true
		}
	}
	return false
}

// hearOf takes a leader by hearsay. What the process knows itself is better.
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

// fadeOut ends a hearsay that is too old.
func (e *Elector) fadeOut() {
	e.publish(func(before View) View {
		if before.Why != Hearsay {
			return before
		}
		if left := e.rumored - e.clock(); left > 0 { // the Clock is slower than the timer, or the hearsay is newer
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
