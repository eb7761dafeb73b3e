package scenario

import (
	"encoding/json"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/observe"
)

// Act is a Step that a hand does to a run which has a schedule of its own: when that has come so far, and
// then at once. Under the schedule [Hand] nothing else happens.
type Act struct {
	// After is how many occurrences ([observe.Occurrence]) come first. The act is done as soon as there are
	// that many, before what the schedule has next. Acts of one After are done in their order.
	After uint64
	Step  // It has neither At nor Choices: chance has the seed of the run.
}

// CheckActs returns an error that wraps [election.ErrInput] unless these acts can be those of the Input,
// which is complete. Whether an Act is possible is known only when its turn comes.
func (in *Input) CheckActs(acts []Act) error {
	if len(acts) == 0 {
		return nil
	}
	where := in.Positions()
	for i := range acts {
		a := &acts[i]
		if err := in.checkAct(&a.Step, where); err != nil {
			return input.Errorf("acts[%d].%s", i, input.Reason(err))
		}
		if i > 0 && a.After < acts[i-1].After {
			return input.Errorf("acts[%d].after: %d is less than %d, the value of the previous act", i, a.After,
				acts[i-1].After)
		}
	}
	return nil
}

// CheckAct returns an error that wraps [election.ErrInput] unless a Step can be an act of the Input, which
// is complete. Whether it is possible is known only when its turn comes.
func (in *Input) CheckAct(s *Step) error { return in.checkAct(s, in.Positions()) }

func (in *Input) checkAct(s *Step, where map[election.ID]int) error {
	if err := in.checkStep(s, where, actNames); err != nil {
		return err
	}
	switch {
	case s.At != nil:
		return input.Errorf("at: an act has no at, only after")
	case s.Choices != nil:
		return input.Errorf("choices: the seed determines the choices of an act")
	case s.Do == observe.Delay && s.By == 0:
		return input.Errorf("by: missing")
	}
	return nil
}

// CheckHand returns an error that wraps [election.ErrInput] if the Input plans anything for a later time:
// under the schedule [Hand] time is what acts make of it.
func (in *Input) CheckHand() error {
	if field := in.planned(); field != "" {
		return input.Errorf("%s: not allowed with the schedule hand, which runs only acts", field)
	}
	return nil
}

// acts reads the list of what a hand does.
func (p *parser) acts() []Act {
	all := []Act{}
	p.list(maxSteps, func(int) {
		var a Act
		p.object(func(name string) bool { return p.step(&a.Step, name, actNames) || p.actAlone(&a, name) })
		all = append(all, a)
	})
	return all
}

// actAlone reads a field that no Step has.
func (p *parser) actAlone(a *Act, name string) bool {
	switch name {
	case "after":
		a.After = p.whole("a number of occurrences")
	case "by":
		a.By = p.span()
	default:
		return false
	}
	return true
}

// span reads a time in units that may be negative.
func (p *parser) span() time.Duration {
	numeral, _ := p.next.(json.Number)
	units := valueOf(numeral)
	if units >= 0 {
		return p.time()
	}
	if units < -maxUnits {
		p.wrong("%v is longer than %d units", units, maxUnits)
		return 0
	}
	p.advance()
	return inUnits(units)
}
