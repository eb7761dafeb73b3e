package check

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/go-election/election/lab/verdict"
)

// finding is a rule that is broken, and where.
type finding struct {
	rule   int // from ruleCount on, of Config.Properties
	length int // steps from the first state
	order  [3]int
	state  number // in which, or before the step
	act    action // the step
	step   bool
	cycle  []action // that lead from the state back to it
	acts   []action // if not nil, all steps, in place of those to the state
	err    error
}

func (s *search) addFinding(f finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.findings = append(s.findings, f)
}

// nearestFinding returns the finding to show: the nearest to the first state, then by an order that depends
// on nothing else.
func (s *search) nearestFinding() *finding {
	if len(s.findings) == 0 {
		return nil
	}
	f := slices.MinFunc(s.findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.length, b.length), slices.Compare(a.order[:], b.order[:]),
			cmp.Compare(a.rule, b.rule))
	})
	return &f
}

// finish fills in what is known at the end.
func (s *search) finish(r *Result) {
	_ = s.limit(context.Background()) // it counts states and bytes; no limit stops what has ended
	r.States, r.Transitions, r.Depth, r.Reduced = s.states, s.transitions.Load(), s.depth, s.reduced.Load()
	if s.newest() > 0 {
		r.Depth++
	}
	r.Bytes, r.Wall = s.most, time.Since(s.begin)
	r.Exhausted = r.Stopped == nil && len(s.findings) == 0
	if !s.config.Exact {
		r.Collision = float64(r.States) * float64(r.States) / 2 / math.Exp2(64)
	}
	broken := make(map[int]bool)
	if f := s.nearestFinding(); f != nil {
		for _, g := range s.findings {
			if g.length == f.length {
				broken[g.rule] = true
			}
		}
		r.Counterexample = s.trail(f)
	}
	for rule, property := range ruleProperties {
		// A rule that does not apply is not listed at all: that it holds would be said of what was not
		// judged.
		if s.rules[rule] {
			if rule == ruleLeads && s.rules[ruleExclusive] {
				property = verdict.Enters
			}
			v := r.verdict(property, property.Kind(), broken[rule], s.goalSeen.Load())
			if v.Holds && s.isOpen(rule) {
				v.Known = false
			}
			r.Properties = append(r.Properties, v)
		}
	}
	for i, p := range s.config.Properties {
		v := r.verdict(verdict.Property(p.Name), p.Kind, broken[ruleCount+i], s.sometimes[i].Load())
		v.Known = v.Known && !(v.Holds && s.isUnjudged(p.Kind))
		r.Properties = append(r.Properties, v)
	}
}

// isOpen reports whether no run has broken a rule, and it may be broken all the same.
func (s *search) isOpen(rule int) bool {
	switch rule {
	case ruleBounded:
		return !s.bounded
	case ruleEnds:
		return s.cutOff.Load() // a run that was cut off might have gone on forever
	}
	return s.isUnjudged(ruleProperties[rule].Kind())
}

// isUnjudged reports whether what is to hold in the end was never looked at, or not in every run: where no
// run comes to rest before it is cut, and where some go on forever as they may.
func (s *search) isUnjudged(kind verdict.Kind) bool {
	return kind == verdict.Finally && (!s.ended.Load() || s.restless)
}

// verdict says what is known of a property.
func (r *Result) verdict(property verdict.Property, kind verdict.Kind, broken, seen bool) Verdict {
	if kind == verdict.Sometimes {
		return Verdict{Property: property, Kind: kind, Known: seen || r.Exhausted, Holds: seen}
	}
	return Verdict{Property: property, Kind: kind, Known: broken || r.Exhausted, Holds: !broken}
}
