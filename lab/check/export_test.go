package check

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

// SetHeap replaces what the collector of garbage says of the memory in use, which depends on when it
// last ran.
func (c *Config) SetHeap(heap func() int64) { c.heap = heap }

// LiveHeap returns what the collector says.
func LiveHeap() int64 { return liveHeap() }

// Budget returns what may go wrong in steps.
func Budget(in scenario.Input, steps []scenario.Step) Config { return *budgeted(in, steps) }

// Follow replays the steps of a Trail from their text alone. It returns the Outcome of every process at the
// end: a process that is down has none.
func Follow(c Config, t *Trail) ([]election.Outcome, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	w := newWorker(newModel(&c))
	p, err := newPen(w)
	if err != nil {
		return nil, err
	}
	for i := len(p.steps); i < len(t.Steps); i++ {
		if err := p.retrace(&t.Steps[i]); err != nil {
			return nil, fmt.Errorf("steps[%d]: %w", i, err)
		}
	}
	var outcomes []election.Outcome
	for q := range w.n {
		outcomes = append(outcomes, w.locals[q].at(p.state[q]).outcome)
	}
	return outcomes, nil
}

// retrace takes the step that is written like this one, after letting time go on until then.
func (p *pen) retrace(want *scenario.Step) error {
	for {
		p.w.expand(p.state, p.w.hash(p.state))
		out := slices.Clone(p.w.out)
		now := time.Duration(p.w.frames.at(p.state[p.w.slots-1]).now) * p.w.config.Tick
		early := p.w.timed() && now < *want.At
		at := slices.IndexFunc(out, func(next successor) bool {
			if early {
				return next.act.kind() == doTick
			}
			return next.act.kind() != doTick && p.try(next.act).writes(want)
		})
		if at < 0 {
			return fmt.Errorf("%+v is not one of %d steps", *want, len(out))
		}
		p.state, p.sent = p.try(out[at].act).state, p.try(out[at].act).sent
		if !early {
			return nil
		}
	}
}

// try takes a step with another pen.
func (p *pen) try(a action) *pen {
	other := &pen{w: p.w, state: slices.Clone(p.state)}
	for _, sent := range p.sent {
		other.sent = append(other.sent, slices.Clone(sent))
	}
	other.write(a)
	return other
}

// writes reports whether the step that was taken is written so.
func (p *pen) writes(want *scenario.Step) bool {
	if len(p.steps) == 0 { // a start that is refused
		return false
	}
	is := p.steps[0]
	if !p.w.timed() {
		is.At = want.At
	}
	return reflect.DeepEqual(is, *want)
}

// Held is what a process holds in a state.
type Held struct {
	Down    bool
	Node    string
	Outcome election.Outcome
	Ended   bool
}

// FirstState returns what each process holds in the first state of a check.
func FirstState(c Config) (all []Held, err error) {
	if c.Tick == 0 {
		c.Tick = c.tickOf()
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	w := newWorker(newModel(&c))
	p, err := newPen(w)
	if err != nil {
		return nil, err
	}
	for q := range w.n {
		is := w.locals[q].at(p.state[q])
		w.restore(&w.nodes[q], is.node)
		all = append(all, Held{is.flags&isDown != 0,
			string(new(election.State).Append(nil, w.nodes[q].Node())),
			is.outcome, is.flags&hasEnded != 0})
	}
	return all, nil
}

// Components returns the number of the component that each state of a graph is in, -1 for none.
func Components(next [][]int) []int { return components(next) }

// Untrimmed takes all deliveries, also those that Kept makes superfluous.
func (c *Config) Untrimmed() { c.untrimmed = true }

// Untidy keeps all messages, including messages that Voters leaves out because no process acts on them.
func (c *Config) Untidy() { c.untidy = true }

// Only lets a check judge one property alone.
func (c *Config) Only(p verdict.Property) { c.only = p }

// Locals returns all that the processes of a state hold, the timers that run, the time and what may still go
// wrong: the whole state, without what is on links.
func Locals(s *State) [sha256.Size]byte {
	f := s.w.frames.at(s.state[s.w.slots-1])
	b := f.key(nil)
	for p := range s.w.n {
		is := *s.local(p)
		is.flags &^= hasHeard // which is for what is judged at the end of a run
		b = is.key(append(b, byte(p)))
	}
	return sha256.Sum256(b)
}
