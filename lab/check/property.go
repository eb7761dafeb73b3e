package check

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/verdict"
)

// The rules are the properties that follow from a description, in the order in which they are listed.
const (
	ruleSound = iota
	ruleOneLeader
	ruleRightLeader
	ruleTermAgreement
	ruleNoChange
	ruleExclusive
	ruleTokens
	ruleOneLease
	ruleLaterTerms
	ruleChain
	ruleGroupsOnce
	ruleBounded
	ruleAgreement
	ruleInGroups
	ruleRightAtEnd
	ruleTerminated
	ruleServed
	ruleEnds
	ruleLeads // where there are critical sections, verdict.Enters
	ruleCount
)

// noRule stands in place of a rule that is broken.
const noRule = -1

// ruleProperties are the properties by rule. The loops over states go by rules, which are small numbers.
var ruleProperties = [ruleCount]verdict.Property{
	verdict.Sound, verdict.OneLeader, verdict.RightLeader, verdict.TermAgreement, verdict.NoChange,
	verdict.Exclusive, verdict.Tokens, verdict.OneLease, verdict.LaterTerms, verdict.Chain, verdict.GroupsOnce,
	verdict.Bounded, verdict.Agreement, verdict.InGroups, verdict.RightAtEnd,
	verdict.Terminated, verdict.Served, verdict.Ends, verdict.Leads,
}

// isTaken reports whether a property of the package is called so.
func isTaken(name string) bool {
	return slices.ContainsFunc(verdict.Properties(), func(p verdict.Property) bool {
		return name == string(p) || name == p.Text()
	})
}

// report is a step, or a state, that breaks a rule.
type report struct {
	rule int
	act  action
	err  error
}

// applicableRules returns which rules apply.
func (m *model) applicableRules() (rules [ruleCount]bool) {
	c, a := m.config, m.config.Algorithm
	elects, faultless, whole := a.Elects != election.NoLeader, c.faultless(), c.Pauses+c.Cuts == 0
	leases, groups := a.Elects == election.LeaseHolders, a.Elects == election.GroupLeaders
	rules[ruleSound] = true
	// A process that comes back may lead a Term that has had a leader; see package bully on Terms.
	rules[ruleOneLeader] = elects && !groups && (!a.LongLived() || c.Recoveries+c.Restarts == 0 && whole)
	rules[ruleRightLeader] = elects && faultless && !a.LongLived() && a.Winner != nil
	rules[ruleTermAgreement] = elects && !a.LongLived() && !c.NoAnnouncement
	rules[ruleNoChange] = elects && !a.LongLived()
	// A process that is paused or cut off inside does not hear that its time is over. Its token is then the
	// smaller one, so that what the section guards can refuse it. Which tokens are judged says wasApart.
	rules[ruleExclusive], rules[ruleTokens] = a.Sections > 0 && whole, a.Sections > 0
	rules[ruleOneLease], rules[ruleLaterTerms] = leases, leases
	rules[ruleChain] = m.voters != nil && !m.voters.Leases
	rules[ruleBounded] = elects && faultless && (c.Started || !a.LongLived()) && m.bound() > 0
	rules[ruleGroupsOnce] = groups
	rules[ruleAgreement] = elects && !groups && !c.NoAnnouncement
	rules[ruleInGroups] = groups && !c.NoAnnouncement
	// Under other faults than the algorithm survives all may agree on a process that the rule does not name.
	rules[ruleRightAtEnd] = rules[ruleAgreement] && a.Winner != nil &&
		(faultless || a.Faults.Crash != election.NoCrash)
	rules[ruleTerminated] = rules[ruleAgreement] || rules[ruleInGroups]
	rules[ruleServed] = a.Sections > 0
	rules[ruleEnds] = !a.NeverQuiesces
	rules[ruleLeads] = (elects && !c.NoAnnouncement || a.Sections > 0) && m.hasStarter()
	if m.keeps { // what is kept may arrive forever: no run comes to rest, or has a number of messages
		for rule, property := range ruleProperties {
			rules[rule] = rules[rule] && property.Kind() != verdict.Finally && rule != ruleEnds &&
				rule != ruleBounded
		}
	}
	return rules
}

// rulesFor returns the rule of a property alone, whether or not it applies. If the property has no rule, it returns
// all rules that apply.
func (m *model) rulesFor(property verdict.Property) (rules [ruleCount]bool) {
	all, rule := m.applicableRules(), slices.Index(ruleProperties[:], property)
	if rule < 0 {
		return all
	}
	rules[rule] = true
	// These are judged together, the first that does not hold is reported.
	switch rule {
	case ruleAgreement, ruleInGroups, ruleRightAtEnd, ruleTerminated:
		rules[ruleAgreement], rules[ruleTerminated] = true, true
		rules[ruleRightAtEnd] = all[ruleRightAtEnd] || rule == ruleRightAtEnd
	}
	return rules
}

// unbreakable returns why no run of steps can break a property in this election, or an empty string if one can.
func (m *model) unbreakable(p verdict.Property) string {
	a := m.config.Algorithm
	leads := []verdict.Property{verdict.OneLeader, verdict.RightLeader, verdict.TermAgreement,
		verdict.NoChange,
		verdict.Bounded, verdict.Agreement, verdict.RightAtEnd, verdict.Terminated}
	enters := []verdict.Property{verdict.Exclusive, verdict.Tokens, verdict.Served}
	switch {
	case p.Kind() == verdict.Sometimes:
		return "it is a property of all runs together"
	case p == verdict.Rests:
		return "steps have an end"
	case p == verdict.Ends && a.NeverQuiesces:
		return a.Title() + " never comes to rest"
	case slices.Contains(enters, p) && a.Sections == 0:
		return a.Title() + " has no critical section"
	case (p == verdict.OneLease || p == verdict.LaterTerms) && a.Elects != election.LeaseHolders:
		return a.Title() + " has no leases"
	case p == verdict.Chain && m.voters == nil:
		return "the voters do not change"
	case (p == verdict.GroupsOnce || p == verdict.InGroups) && a.Elects != election.GroupLeaders:
		return a.Title() + " forms no groups"
	case (p == verdict.OneLeader || p == verdict.Agreement) && a.Elects == election.GroupLeaders:
		return a.Title() + " has one leader per group"
	case slices.Contains(leads, p) && a.Elects == election.NoLeader:
		return a.Title() + " elects no leader"
	case (p == verdict.RightLeader || p == verdict.RightAtEnd) && a.Winner == nil:
		return a.Title() + " does not say which process must lead"
	case (p == verdict.RightLeader || p == verdict.TermAgreement || p == verdict.NoChange) && a.LongLived():
		return a.Title() + " is long-lived, and may change what it has decided"
	case p == verdict.Bounded && m.bound() == 0:
		return a.Title() + " promises no number of messages in this election"
	}
	return ""
}

// hasStarter reports whether any process that is to start is up.
func (m *model) hasStarter() bool {
	starters := m.config.Starters()
	if starters == nil {
		starters = m.config.IDs
	}
	return slices.ContainsFunc(starters, func(id election.ID) bool {
		idle := m.config.Algorithm.Store && m.n > 1 && id == slices.Min(m.config.IDs) // a store takes no notice of a Start
		return !idle && !slices.Contains(m.config.Crashed, id)
	})
}

// faultless reports whether nothing can go wrong.
func (c *Config) faultless() bool {
	return c.Losses == 0 && c.Duplicates == 0 && c.Crashes == 0 && len(c.Crashed) == 0 &&
		c.Pauses == 0 && c.Cuts == 0 && len(c.Kept) == 0
}

// bound returns the most messages that the description allows, zero where it says nothing for this
// election.
func (m *model) bound() int {
	c, worst := m.config, &m.config.Algorithm.Worst
	most := worst.At(m.n, c.Topology.Links())
	if c.Algorithm.LongLived() && c.Starts() != m.n || worst.Ordered && m.unordered || math.IsNaN(most) {
		return 0
	}
	return int(most)
}

// State is one state, for a [Property] to look at.
type State struct {
	w     *worker
	state []uint32
}

// Len returns the number of processes.
func (s *State) Len() int { return s.w.n }

// Up reports whether a process is up.
func (s *State) Up(p int) bool { return s.local(p).flags&isDown == 0 }

// Started reports whether a process has started, and was not refused.
func (s *State) Started(p int) bool { return s.local(p).flags&hasStarted != 0 }

// Outcome returns what a process believes.
func (s *State) Outcome(p int) election.Outcome { return s.local(p).outcome }

// Ended reports whether a process knows that its current election has ended.
func (s *State) Ended(p int) bool { return s.local(p).flags&hasEnded != 0 }

func (s *State) local(p int) *local { return s.w.locals[p].at(s.state[p]) }

// judge looks for rules that a state breaks, whatever comes next.
func (s *State) judge(rules *[ruleCount]bool) (rule int, err error) {
	for p := range s.w.n {
		is := s.local(p)
		if is.flags&isDown != 0 {
			continue
		}
		if is.outcome.Role == election.Leader && rules[ruleRightLeader] {
			if err := s.judgeLeader(p); err != nil {
				return ruleRightLeader, err
			}
		}
		for q := range p {
			if other := s.local(q); other.flags&isDown == 0 {
				if rule, err := s.judgePair(rules, q, p, other, is); err != nil {
					return rule, err
				}
			}
		}
	}
	return noRule, nil
}

// judgePair looks for rules that processes q and p break together.
func (s *State) judgePair(rules *[ruleCount]bool, q, p int, a, b *local) (rule int, err error) {
	ids := s.w.config.IDs
	term, same := b.outcome.Term, a.outcome.Term == b.outcome.Term
	leads := same && a.outcome.Role == election.Leader && b.outcome.Role == election.Leader
	decided := same && a.outcome.Role != election.Undecided && b.outcome.Role != election.Undecided
	switch {
	case rules[ruleOneLeader] && leads:
		return ruleOneLeader, verdict.BothLead(ids[q], ids[p], term)
	case rules[ruleTermAgreement] && decided && a.outcome.Leader != b.outcome.Leader:
		return ruleTermAgreement, fmt.Errorf("process %d follows %v, process %d follows %v, in Term %d",
			ids[q], a.outcome.Leader, ids[p], b.outcome.Leader, term)
	case rules[ruleOneLease] && s.leads(q, a) && s.leads(p, b):
		return ruleOneLease, verdict.BothHold(ids[p], term, ids[q], a.outcome.Term)
	case rules[ruleExclusive] && a.inside&b.inside != 0:
		section := uint8(bits.TrailingZeros64(a.inside & b.inside))
		return ruleExclusive, verdict.BothInside(ids[q], ids[p], section)
	}
	return noRule, nil
}

// leads reports whether a process leads by its own clock.
func (s *State) leads(p int, is *local) bool {
	return is.outcome.Role == election.Leader &&
		is.outcome.LeadsAt(s.w.now(p, s.w.frames.at(s.state[s.w.slots-1]).now))
}

// judgeLeader returns an error if another process must lead in the Term of a leader.
func (s *State) judgeLeader(leader int) error {
	all := s.w.candidates
	for p := range s.w.n {
		all[p].Up = s.Up(p)
		is := s.local(p)
		// Term 0 may have a leader, and is the startedTerm of a process that has started no election.
		all[p].Initiator = (s.Started(p) || is.startedTerm > 0) && is.startedTerm == s.Outcome(leader).Term
	}
	return verdict.ByRule(s.w.config.Algorithm.Winner, all).Judge(s.w.config.IDs[leader])
}

// judgeLast judges a state in which nothing is left to happen.
func (s *State) judgeLast(rules *[ruleCount]bool) (rule int, err error) {
	switch a := s.w.config.Algorithm; {
	case a.Faults.Crash == election.MustRestart && s.isAnyDown():
		return noRule, nil // nothing is promised before each process that has crashed is back
	case a.Store && !s.hasStoreAndMember():
		return noRule, nil
	}
	if rules[ruleServed] {
		for p := range s.w.n {
			if is := s.local(p); is.flags&isDown == 0 && is.flags&hasStarted != 0 && is.flags&wasInside == 0 {
				return ruleServed, verdict.Unserved(s.w.config.IDs[p : p+1])
			}
		}
	}
	if !rules[ruleAgreement] && !rules[ruleInGroups] || s.isIdle() { // as where all are down
		return noRule, nil
	}
	beliefs := verdict.Beliefs{Groups: s.w.config.Algorithm.Elects == election.GroupLeaders}
	var leader int // read only where all agree on one
	for p := range s.w.n {
		if s.Up(p) {
			beliefs.Add(s.Outcome(p), s.Ended(p))
			if s.Outcome(p).Role == election.Leader {
				leader = p
			}
		}
	}
	var r verdict.Result
	beliefs.Fill(&r)
	broken := r.Broken(verdict.Rightful{})
	switch broken {
	case verdict.Agreement:
		return ruleAgreement, atRest(disagreement(&r))
	case verdict.InGroups:
		return ruleInGroups, atRest(r.Err())
	}
	if rules[ruleRightAtEnd] {
		if err := s.judgeLeader(leader); err != nil {
			return ruleRightAtEnd, atRest(err)
		}
	}
	if broken == verdict.Terminated {
		return ruleTerminated, atRest(r.Err())
	}
	return noRule, nil
}

// isAnyDown reports whether a process is down.
func (s *State) isAnyDown() bool {
	for p := range s.w.n {
		if !s.Up(p) {
			return true
		}
	}
	return false
}

// hasStoreAndMember reports whether the store is up, and another process, or the only one.
func (s *State) hasStoreAndMember() bool {
	up, store := 0, 0
	for p, id := range s.w.config.IDs {
		if s.Up(p) {
			up++
		}
		if id < s.w.config.IDs[store] {
			store = p
		}
	}
	return s.Up(store) && up >= min(2, s.w.n)
}

// atRest is the error of what does not hold once nothing is left to happen.
func atRest(err error) error { return fmt.Errorf("no event is left, and %w", err) }

// disagreement is the error of processes that do not all follow the one leader.
func disagreement(r *verdict.Result) error {
	if r.Claimants == 1 {
		return fmt.Errorf("%w: not all processes know which process believes that it leads", verdict.ErrNoLeader)
	}
	return r.Err()
}

// isIdle reports whether no process that is up has started an election, or received a message of one.
func (s *State) isIdle() bool {
	for p := range s.w.n {
		is := s.local(p)
		// A return clears the flags. A process that comes back with a saved state has taken part in an
		// election.
		back := is.saved != "" && s.w.config.Algorithm.Faults.Crash > election.StaysDown
		moved := back || is.flags&(hasStarted|hasHeard) != 0 || is.outcome.Role != election.Undecided
		if is.flags&isDown == 0 && moved {
			return false
		}
	}
	return true
}

// judgeProperties judges by what the user has added.
func (s *search) judgeProperties(is *State, f finding, last bool) {
	for i := range s.config.Properties {
		p := &s.config.Properties[i]
		switch {
		case p.Kind == verdict.Sometimes && !s.sometimes[i].Load():
			if is.check(p) == nil {
				s.sometimes[i].Store(true)
			}
		case p.Kind == verdict.Always && !last || p.Kind == verdict.Finally && last:
			if f.err = is.check(p); f.err != nil {
				f.rule = ruleCount + i
				s.addFinding(f)
			}
		}
	}
}

// errNotSo is the reason of a property that does not hold.
var errNotSo = errors.New("not so in this state")

// check returns an error unless a property holds in a state. One that panics does not.
func (s *State) check(p *Property) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics: %v", r)
		}
	}()
	if !p.Holds(s) {
		return errNotSo
	}
	return nil
}
