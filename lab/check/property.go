package check

import (
	"errors"
	"fmt"
	"math"
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
	ruleBounded
	ruleAgreement
	ruleTerminated
	ruleServed
	ruleEnds
	ruleLeads // where there are critical sections, verdict.Enters
	ruleCount
)

// ruleProperties are the properties by rule. The loops over states go by rules, which are small numbers.
var ruleProperties = [ruleCount]verdict.Property{
	verdict.Sound, verdict.OneLeader, verdict.RightLeader, verdict.TermAgreement, verdict.NoChange,
	verdict.Exclusive, verdict.Tokens, verdict.Bounded, verdict.Agreement, verdict.Terminated,
	verdict.Served, verdict.Ends, verdict.Leads,
}

// taken reports whether a property of the package is called so.
func taken(name string) bool {
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

// judged says which rules apply.
func (m *model) judged() (rules [ruleCount]bool) {
	c, a := m.config, m.config.Algorithm
	elects, faultless := !a.Leaderless, c.faultless()
	rules[ruleSound] = true
	rules[ruleOneLeader] = elects && (!a.LongLived || c.Recoveries+c.Restarts == 0) // see package bully on Terms
	rules[ruleRightLeader] = elects && faultless && !a.LongLived && wins(a.Winner)
	rules[ruleTermAgreement] = elects && !a.LongLived && !c.NoAnnouncement
	rules[ruleNoChange] = elects && !a.LongLived
	rules[ruleExclusive], rules[ruleTokens] = a.Sections > 0, a.Sections > 0
	rules[ruleBounded] = elects && faultless && (c.Started || !a.LongLived) && m.bound() > 0
	rules[ruleAgreement] = elects && !c.NoAnnouncement
	rules[ruleTerminated] = elects && !c.NoAnnouncement
	rules[ruleServed] = a.Sections > 0
	rules[ruleEnds] = !a.NeverQuiesces
	rules[ruleLeads] = (elects && !c.NoAnnouncement || a.Sections > 0) && m.begins()
	return rules
}

// begins reports whether anybody who is to start is up.
func (m *model) begins() bool {
	starters := m.config.Starters()
	if starters == nil {
		starters = m.config.IDs
	}
	return slices.ContainsFunc(starters, func(id election.ID) bool { return !slices.Contains(m.config.Crashed, id) })
}

// wins reports whether a description says who is elected.
func wins(w *election.Winner) bool { return w != nil && w.Of != nil }

// faultless reports whether nothing can go wrong.
func (c *Config) faultless() bool {
	return c.Losses == 0 && c.Duplicates == 0 && c.Crashes == 0 && len(c.Crashed) == 0
}

// bound returns the most messages that the description allows, zero where it says nothing for this
// election.
func (m *model) bound() int {
	c, worst := m.config, &m.config.Algorithm.Worst
	most := worst.At(m.n, c.Topology.Links())
	if c.Algorithm.LongLived && c.Starts() != m.n || worst.Ordered && c.Unordered || math.IsNaN(most) {
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
func (s *State) Started(p int) bool { return s.local(p).flags&hasGone != 0 }

// Outcome returns what a process believes.
func (s *State) Outcome(p int) election.Outcome { return s.local(p).outcome }

// Ended reports whether a process knows that its current election has ended.
func (s *State) Ended(p int) bool { return s.local(p).flags&hasEnded != 0 }

// Inside reports whether a process is in a critical section.
func (s *State) Inside(p int, section uint8) bool { return s.local(p).inside>>(section&63)&1 == 1 }

func (s *State) local(p int) *local { return s.w.locals[p].at(s.state[p]) }

// judge looks for rules that a state breaks, whatever comes next.
func (s *State) judge(rules *[ruleCount]bool) (rule int, err error) {
	for p := range s.w.n {
		is := s.local(p)
		if is.flags&isDown != 0 {
			continue
		}
		if is.outcome.Role == election.Leader && rules[ruleRightLeader] && !s.rightful(p) {
			return ruleRightLeader, s.usurped(p)
		}
		for q := range p {
			other := s.local(q)
			if other.flags&isDown != 0 {
				continue
			}
			same := is.outcome.Term == other.outcome.Term
			switch {
			case rules[ruleOneLeader] && same && is.outcome.Role == election.Leader && other.outcome.Role == election.Leader:
				return ruleOneLeader, verdict.BothLead(s.w.config.IDs[q], s.w.config.IDs[p], is.outcome.Term)
			case rules[ruleTermAgreement] && same && is.outcome.Role != election.Undecided && other.outcome.Role != election.Undecided &&
				is.outcome.Leader != other.outcome.Leader:
				return ruleTermAgreement, fmt.Errorf("process %d follows %v, process %d follows %v, in Term %d", s.w.config.IDs[q], other.outcome.Leader,
					s.w.config.IDs[p], is.outcome.Leader, is.outcome.Term)
			case rules[ruleExclusive] && is.inside&other.inside != 0:
				return ruleExclusive, fmt.Errorf("processes %d and %d are in a critical section together", s.w.config.IDs[q], s.w.config.IDs[p])
			}
		}
	}
	return -1, nil
}

// rightful reports whether a process is the one that should lead.
func (s *State) rightful(leader int) bool { return s.heir(leader) == leader }

// heir returns who should lead where one does; -1 if nobody should.
func (s *State) heir(leader int) int {
	all := s.w.candidates
	for p := range s.w.n {
		all[p].Up = s.Up(p)
		all[p].Initiator = s.Started(p) && s.local(p).gone == s.Outcome(leader).Term
	}
	return slices.Index(s.w.config.IDs, s.w.config.Algorithm.Winner.Of(all))
}

// usurped says who leads, and who should.
func (s *State) usurped(leader int) error {
	ids := s.w.config.IDs
	heir := s.heir(leader)
	if heir < 0 {
		return fmt.Errorf("process %d leads in Term %d, which nobody has begun", ids[leader], s.Outcome(leader).Term)
	}
	return fmt.Errorf("process %d leads, not %d, which is the %s", ids[leader], ids[heir], s.w.config.Algorithm.Winner)
}

// last judges a state in which nothing is left to happen.
func (s *State) last(rules *[ruleCount]bool) (rule int, err error) {
	if rules[ruleServed] {
		for p := range s.w.n {
			if is := s.local(p); is.flags&isDown == 0 && is.flags&hasGone != 0 && is.flags&hasBeen == 0 {
				return ruleServed, fmt.Errorf("process %d is not served", s.w.config.IDs[p])
			}
		}
	}
	if !rules[ruleAgreement] || s.idle() {
		return -1, nil
	}
	var poll verdict.Beliefs
	leader := -1
	for p := range s.w.n {
		if s.Up(p) {
			poll.Add(s.Outcome(p), s.Ended(p))
			if s.Outcome(p).Role == election.Leader {
				leader = p
			}
		}
	}
	var r verdict.Result
	poll.Fill(&r)
	switch {
	case r.Live == 0:
		return -1, nil
	case !r.Agreed || r.Claimants != 1 || s.w.config.IDs[leader] != r.Leader:
		return ruleAgreement, fmt.Errorf("nothing is left to happen, and %w", unsettled(&r))
	case wins(s.w.config.Algorithm.Winner) && (s.w.config.faultless() || s.w.config.Algorithm.Faults.Unaided()) && !s.rightful(leader):
		return ruleAgreement, fmt.Errorf("nothing is left to happen, and %w", s.usurped(leader))
	case !r.Terminated:
		return ruleTerminated, fmt.Errorf("nothing is left to happen, and %w", r.Err())
	}
	return -1, nil
}

func unsettled(r *verdict.Result) error {
	if r.Claimants == 1 {
		return fmt.Errorf("%w: not all know the one who believes it leads", verdict.ErrNoLeader)
	}
	return r.Err()
}

// idle reports whether nobody that is up has been asked to elect, or has heard of an election.
func (s *State) idle() bool {
	for p := range s.w.n {
		if is := s.local(p); is.flags&isDown == 0 && (is.flags&(hasGone|hasHeard) != 0 || is.outcome.Role != election.Undecided) {
			return false
		}
	}
	return true
}

// properties judges by what the user has added.
func (s *search) properties(is *State, f finding, last bool) {
	for i := range s.config.Properties {
		p := &s.config.Properties[i]
		switch {
		case p.Kind == verdict.Sometimes && !s.sometimes[i].Load():
			if is.so(p) == nil {
				s.sometimes[i].Store(true)
			}
		case p.Kind == verdict.Always && !last || p.Kind == verdict.Finally && last:
			if f.err = is.so(p); f.err != nil {
				f.rule = ruleCount + i
				s.found(f)
			}
		}
	}
}

// errNotSo is the reason of a property that does not hold.
var errNotSo = errors.New("not so in this state")

// so returns an error unless a property holds in a state. One that panics does not.
func (s *State) so(p *Property) (err error) {
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
