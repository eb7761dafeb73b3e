package elector

import (
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
)

// standings are the priorities of the other members, which they report when they renew the lease of this member.
type standings struct {
	renew, preempt time.Duration
	transfer       func(to election.ID) // hands over to another member
	prefers        bool                 // this member has a Priority
	mixed          func(id election.ID) // one of this member and another candidate has a Priority

	mu     sync.Mutex
	now    time.Duration // time of the last step
	own    uint64
	rank   func(election.Port) election.Rank
	votes  func(election.Port) bool // whether a process is a member
	others []standing               // by port, as far as they have reported
}

// standing is what another member has reported.
type standing struct {
	rank     election.Rank // breaks ties: the larger one claims first
	stands   bool          // it is a candidate and has a Priority
	priority uint64
	heard    time.Duration // when it reported last
	larger   time.Duration // since when its priority has been larger than the priority of this member
	ahead    bool          // its priority is larger now
}

func newStandings(c *Config, rank func(election.Port) election.Rank, votes func(election.Port) bool,
	transfer, mixed func(election.ID)) *standings {
	return &standings{renew: c.Times.Renew, preempt: c.Preempt, rank: rank, votes: votes, transfer: transfer,
		prefers: c.Priority != nil, mixed: mixed}
}

// at returns the standing of the member at a port. The caller holds mu.
func (s *standings) at(port election.Port) *standing {
	for election.Port(len(s.others)) <= port {
		s.others = append(s.others, standing{rank: s.rank(election.Port(len(s.others)))})
	}
	return &s.others[port]
}

// observe watches the steps of the process. It takes the time of every step: otherwise old reports would seem recent
// while no new ones arrive.
func (s *standings) observe(o *observe.Occurrence) {
	if o.What != observe.Step {
		return
	}
	s.mu.Lock()
	s.now = o.At
	s.mu.Unlock()
	switch o.Event.Op {
	case election.Suspect:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.at(o.Event.Port).stands = false
	case election.Recv:
		if priority, ok := lease.Standing(&o.Event.Msg); ok && s.votes(o.Event.Port) {
			s.hear(o.Event.Port, priority, o.At)
		}
		if has, ok := lease.Prefers(&o.Event.Msg); ok && has != s.prefers {
			s.mixed(s.rank(o.Event.Port).ID)
		}
	}
}

// hear records the priority that a member has reported.
func (s *standings) hear(port election.Port, priority uint64, at time.Duration) {
	s.mu.Lock()
	s.now = at
	other := s.at(port)
	steady := other.stands && at-other.heard <= 2*s.renew // no report was missed
	other.stands, other.priority, other.heard = true, priority, at
	switch was := other.ahead; {
	case priority <= s.own:
		other.ahead = false
	case !was || !steady:
		other.ahead, other.larger = true, at
	}
	due := s.preempt > 0 && other.ahead && at-other.larger >= s.preempt
	if due {
		other.ahead = false // transfer once, not at each later report
	}
	s.mu.Unlock()
	if due {
		s.transfer(other.rank.ID)
	}
}

// best returns the candidate with the largest priority that was reported recently; zero if there is none.
func (s *standings) best() election.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *standing
	for i := range s.others {
		o := &s.others[i]
		if o.stands && s.now-o.heard <= 2*s.renew && (best == nil || o.priority > best.priority ||
			o.priority == best.priority && best.rank.Less(o.rank)) {
			best = o
		}
	}
	if best == nil {
		return 0
	}
	return best.rank.ID
}

// setOwn records the priority of this member.
func (s *standings) setOwn(priority uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own = priority
	for i := range s.others {
		if o := &s.others[i]; o.priority <= priority {
			o.ahead = false
		}
	}
}

// preempt hands over to a member whose priority has been larger for long enough.
func (e *Elector) preempt(to election.ID) {
	e.mu.Lock()
	t := e.tenure
	e.mu.Unlock()
	if t != nil && t.Left() > 0 {
		e.log.Info("another member has had a larger priority for Preempt", "peer", e.name(to))
		t.stop(ErrTransferred, to)
	}
}

// warnMixed warns once that another candidate has a Priority and this one has none, or the reverse.
func (e *Elector) warnMixed(id election.ID) {
	if e.stands.Load() {
		e.mixed.Do(func() {
			e.log.Warn("either all members must have a Priority, or none: priorities are not compared with a "+
				"member that has none", "peer", e.name(id), "this_member_has_one", e.config.Priority != nil)
		})
	}
}

// sitDown gives up the lead, if this member leads, in favor of the candidate with the largest priority, and ends the
// candidacy of this member.
func (e *Elector) sitDown() {
	if v := e.Leader(); v.Self {
		if to := e.standings.best(); to != 0 {
			e.giveUp(lease.Resign(v.Term, to), true)
		}
	}
	e.giveUp(lease.SitDown(), true)
	if e.link != nil {
		e.link.settle(e.ended)
	}
}
