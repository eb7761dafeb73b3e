package trace

import (
	"fmt"
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
	"github.com/go-election/election/observe"
)

// The bit of Flags in a CLAIM that renews a lease, and in a record that was released.
const (
	renewal  = 1
	released = 1
)

// leases describes the steps of an algorithm with leases by their purpose: whose vote is lent to whom and until when,
// not which fields a message has.
type leases struct {
	*story
	store bool
	until map[Ref]time.Duration // by the step of a voter: when its vote is free again
	freed map[Ref]bool          // steps in which a voter finds that its vote is free
}

// leases returns nil if the algorithm of the story has no leases.
func (s *story) leases() *leases {
	name := s.trace.Header.Scenario.Algorithm
	if name != leaseName && name != storeName {
		return nil
	}
	return &leases{story: s, store: name == storeName}
}

// lend notes when votes are free again.
func (l *leases) lend(loans []Loan) {
	l.until, l.freed = make(map[Ref]time.Duration), make(map[Ref]bool)
	of := make(map[int][]Loan)
	for _, v := range loans {
		of[v.Of] = append(of[v.Of], v)
	}
	for i := range l.trace.Events {
		e := &l.trace.Events[i]
		if e.Do.Op() == 0 {
			continue
		}
		for _, v := range of[l.where[e.Process]] {
			switch at := inUnits(e.At); {
			case v.From == at && v.Until > 0:
				l.until[e.Ref()] = fromUnits(v.Until)
			case e.Do == observe.Timeout && v.End == v.Until && math.Abs(at-v.End) < tiny:
				l.freed[e.Ref()] = true
			}
		}
	}
}

// round writes a time for people: hundredths of a unit.
func (l *leases) round(at time.Duration) string {
	if l.trace.Header.Driver == "sim" {
		at = at.Round(scenario.Unit / 100)
	}
	return l.time(at)
}

// leaseStep is what a process does in a step, as far as leases are concerned.
type leaseStep struct {
	event   *Event   // what happens to the process
	sent    []*Event // messages
	leads   bool     // it leads now, and did not before
	renewed bool     // it leads as before, for longer
	until   time.Duration
	stops   bool // it has led
	forgets bool // it has followed
	follows bool // it follows another process than before
	freeAt  time.Duration
}

// look collects what a process does in a step, whose first event is given.
func (l *leases) look(first int) leaseStep {
	t := l.trace
	is := leaseStep{event: &t.Events[first]}
	for i := first + 1; i < len(t.Events) && t.Events[i].Do.Effect() && t.Events[i].Process == is.event.Process; i++ {
		e := &t.Events[i]
		switch e.Do {
		case observe.Send:
			is.sent = append(is.sent, e)
		case observe.Decide:
			switch {
			case e.Outcome.Role == election.Leader:
				is.leads, is.renewed, is.until = l.changed[i], !l.changed[i], e.Outcome.Until
			case e.Outcome.Role == election.Follower:
				is.follows = l.changed[i]
			case l.lost[i]:
				is.stops = true
			case l.changed[i]:
				is.forgets = true
			}
		}
	}
	is.freeAt = l.until[is.event.Ref()]
	return is
}

// sends reports whether a step sends a message of a kind, and returns the first one.
func (is *leaseStep) sends(name string, names *names) *Event {
	for _, e := range is.sent {
		if names.name(e.Message.Kind) == name {
			return e
		}
	}
	return nil
}

// sentence describes a step; it is empty if other words are as good.
func (l *leases) sentence(first int) string {
	e, is := &l.trace.Events[first], l.look(first)
	id := fmt.Sprint(e.Process)
	switch e.Do {
	case observe.Timeout:
		return l.timeout(id, &is)
	case observe.Deliver:
		if l.store {
			return l.request(id, &is)
		}
		return l.vote(id, &is)
	}
	return ""
}

// purpose describes a timeout for the caption of a picture; it is empty if nothing comes of it. If several processes
// may do the same at one instant, all has the words for them, with a place for their IDs.
func (l *leases) purpose(first int) (text, all string) {
	is := l.look(first)
	switch {
	case is.stops:
	case l.freed[is.event.Ref()]:
		all = "the votes of %s are free again"
	case len(is.sent) > 0:
	case is.forgets:
		all = "%s have heard of no leader for a lease"
	default:
		return "", ""
	}
	return l.timeout(fmt.Sprint(is.event.Process), &is), all
}

// timeout describes what a process does when a timer fires.
func (l *leases) timeout(id string, is *leaseStep) string {
	m := l.names
	switch claim := is.sends("claim", m); {
	case is.stops:
		return id + "'s lease ends, it stops"
	case claim != nil && claim.Message.Flags&renewal != 0:
		return id + " renews"
	case claim != nil:
		return id + " asks for the votes"
	case is.sends("probe", m) != nil:
		return id + " asks who would lend it a vote"
	case is.sends("put", m) != nil && l.leadsBefore(is):
		return id + " renews its record"
	case is.sends("put", m) != nil:
		return id + " writes its name into the store"
	case is.sends("get", m) != nil:
		return id + " reads the record"
	case l.freed[is.event.Ref()]:
		return id + "'s vote is free again"
	case is.forgets:
		return id + " has heard of no leader for a lease"
	case is.sends("memory", m) == nil && len(is.sent) > 0:
		return ""
	case is.event.Timer == lease.TurnTimer:
		return id + "'s turn comes, and its vote is lent"
	}
	return id + " looks at its clock"
}

// leadsBefore reports whether a process leads when it takes a step.
func (l *leases) leadsBefore(is *leaseStep) bool {
	leads := false
	for i := range l.trace.Events {
		e := &l.trace.Events[i]
		switch {
		case e == is.event:
			return leads
		case e.Process != is.event.Process:
		case e.Do == observe.Decide:
			leads = e.Outcome.Role == election.Leader
		case e.Do == observe.Crash:
			leads = false
		}
	}
	return leads
}

// leading returns the words for a lease that begins or is longer than before.
func (l *leases) leading(id string, is *leaseStep) string {
	p := l.where[is.event.Process]
	until := l.round(l.clocks.When(p, is.event.At, is.until))
	if is.renewed {
		return fmt.Sprintf("%s leads on, until %s", id, until)
	}
	return fmt.Sprintf("%s leads until %s", id, until)
}

// vote describes the receipt of a message between voters.
func (l *leases) vote(id string, is *leaseStep) string {
	e := is.event
	from, m := fmt.Sprint(e.Peer), l.names
	switch m.name(e.Message.Kind) {
	case "probe":
		switch {
		case is.sends("free", m) != nil:
			return fmt.Sprintf("%s tells %s that its vote is free", id, from)
		case is.sends("held", m) != nil:
			return fmt.Sprintf("%s tells %s that its vote is lent", id, from)
		}
	case "free":
		if is.sends("claim", m) != nil {
			return fmt.Sprintf("%s has found a majority of free votes, and asks for them", id)
		}
		return fmt.Sprintf("%s hears that the vote of %s is free", id, from)
	case "held":
		return fmt.Sprintf("%s hears that the vote of %s is lent", id, from)
	case "claim":
		switch again := e.Message.Flags&renewal != 0; {
		case is.sends("granted", m) != nil && is.freeAt > 0 && again:
			return fmt.Sprintf("%s lends its vote to %s again, until %s", id, from, l.round(is.freeAt))
		case is.sends("granted", m) != nil && is.freeAt > 0:
			return fmt.Sprintf("%s lends its vote to %s until %s", id, from, l.round(is.freeAt))
		case is.sends("granted", m) != nil:
			return fmt.Sprintf("%s lends its vote to %s", id, from)
		case is.sends("refused", m) != nil:
			return fmt.Sprintf("%s refuses its vote to %s", id, from)
		}
	case "granted":
		if is.leads || is.renewed {
			return fmt.Sprintf("%s has the votes of a majority: %s", id, l.leading(id, is))
		}
		return fmt.Sprintf("%s has the vote of %s", id, from)
	case "refused":
		return fmt.Sprintf("%s hears that %s refuses its vote", id, from)
	case "leads":
		if is.follows {
			return fmt.Sprintf("%s hears that %s leads, and follows it", id, from)
		}
		return fmt.Sprintf("%s hears that %s leads", id, from)
	case "release":
		return fmt.Sprintf("%s hears that %s gives its vote back", id, from)
	case "handoff":
		if is.sends("claim", m) != nil {
			return fmt.Sprintf("%s is to lead after %s, and asks for the votes", id, from)
		}
	}
	return ""
}

// request describes the receipt of a message between a member and the store.
func (l *leases) request(id string, is *leaseStep) string {
	e, m := is.event, l.names
	_, record := storelease.Read(&e.Message)
	switch m.name(e.Message.Kind) {
	case "put":
		switch {
		case is.sends("conflict", m) != nil:
			return fmt.Sprintf("the store refuses the record of %d: another was written meanwhile", e.Peer)
		case is.sends("written", m) != nil && e.Message.Flags&released != 0:
			return fmt.Sprintf("the store writes that %d gives its lease back", e.Peer)
		case is.sends("written", m) != nil:
			return fmt.Sprintf("the store writes that %d leads, with token %d", record.Owner, record.Term)
		}
	case "get":
		return fmt.Sprintf("the store tells %d its record", e.Peer)
	case "written":
		if is.leads || is.renewed {
			return "the record is written: " + l.leading(id, is)
		}
	case "value":
		if record.Owner != 0 {
			return fmt.Sprintf("%s reads that the record names %d", id, record.Owner)
		}
		return fmt.Sprintf("%s reads that nobody leads", id)
	case "conflict":
		return fmt.Sprintf("%s hears that another was faster", id)
	case "changed":
		return fmt.Sprintf("%s hears that the record has changed", id)
	}
	return ""
}
