package verdict

import (
	"fmt"
	"slices"

	"github.com/go-election/election"
)

// Rightful is the process that must lead by a rule. The zero value: there is no rule, and any process may
// lead.
type Rightful struct {
	ID   election.ID // zero: no process may lead
	Rule string      // the name of the rule; empty: there is none
	err  error       // of a rule that is broken: no leader is right
}

// ByRule asks a rule which of the candidates must lead; without a rule any may. A rule that panics, or
// returns an ID that is no candidate's, makes every leader wrong: [Rightful.Judge] returns an error for all.
func ByRule(rule *election.Winner, all []election.Candidate) (r Rightful) {
	if rule == nil {
		return Rightful{}
	}
	r.Rule = rule.Name
	// The rule may be a caller's, and the run that it judges is over: its panic must not cost the result.
	defer func() {
		if what := recover(); what != nil {
			r.err = fmt.Errorf("the Winner %q panics: %v", rule.Name, what)
		}
	}()
	r.ID = rule.Of(all)
	if is := func(c election.Candidate) bool { return c.Rank.ID == r.ID }; r.ID != 0 &&
		!slices.ContainsFunc(all, is) {
		r.err = fmt.Errorf("the Winner %q names %d, which is not a candidate", rule.Name, r.ID)
	}
	return r
}

// Judge returns an error if the given process must not lead.
func (r Rightful) Judge(leader election.ID) error {
	switch {
	case r.err != nil:
		return fmt.Errorf("process %d leads, but %w", leader, r.err)
	case r.Rule == "" || r.ID == leader:
		return nil
	case r.ID == 0:
		return fmt.Errorf("process %d leads, but no process is the %s", leader, r.Rule)
	}
	return fmt.Errorf("process %d leads, not %d, which is the %s", leader, r.ID, r.Rule)
}
