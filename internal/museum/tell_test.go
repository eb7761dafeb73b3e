package museum

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/check"
	"github.com/go-election/election/scenario"
	"github.com/go-election/election/sim"
)

// teller puts a run into words, a line for each step.
type teller struct {
	in      *scenario.Input
	where   map[election.ID]int
	timed   bool
	leaders map[election.ID]election.Outcome
	lines   []string
}

func newTeller(c check.Config) *teller {
	if err := c.Input.Check(); err != nil {
		panic(err)
	}
	return &teller{in: &c.Input, where: c.Positions(), timed: c.Delay > 0, leaders: make(map[election.ID]election.Outcome)}
}

// tell runs a counterexample in the simulator, and says what happens in it. So it is seen as well that
// the simulator finds the same way.
func tell(c check.Config, trail *check.Trail) (lines []string, err error) {
	t := newTeller(c)
	s, err := sim.New(sim.Config{Input: c.Input, Steps: trail.Steps, Observe: t.see})
	if err != nil {
		return nil, err
	}
	err = s.Run(context.Background())
	if errors.Is(err, election.ErrPanic) { // the step at which a Node has broken the rules
		step := trail.Steps[len(trail.Steps)-1]
		_, what, _ := strings.Cut(trail.Reason.Error(), audit)
		t.lines, err = append(t.lines, fmt.Sprintf("%d: %s: %s", step.Process, step.Do, what)), nil
	}
	return t.lines, err
}

// see notes one occurrence.
func (t *teller) see(o *election.Occurrence) {
	line := t.what(o)
	if line == "" {
		return
	}
	if t.timed {
		line = fmt.Sprintf("at %v: %s", float64(o.At)/float64(scenario.Unit), line)
	}
	t.lines = append(t.lines, line)
}

func (t *teller) what(o *election.Occurrence) string {
	switch o.What {
	case election.Crashed:
		delete(t.leaders, o.Process)
		return fmt.Sprintf("%d crashes", o.Process)
	case election.Recovered:
		return fmt.Sprintf("%d comes back without its state", o.Process)
	case election.Restarted:
		return fmt.Sprintf("%d comes back", o.Process)
	case election.MessageLost:
		if o.Event == nil {
			return fmt.Sprintf("a message of %d is lost", o.Process)
		}
		return fmt.Sprintf("a message to %d is lost", o.Process)
	case election.MessageDuplicated:
		return fmt.Sprintf("a message of %d is copied", o.Process)
	case election.Stepped:
		return t.step(o)
	}
	return ""
}

func (t *teller) step(o *election.Occurrence) string {
	p := t.where[o.Process]
	var does []string
	for _, s := range o.Effects.Sends {
		to, _, _ := t.in.Topology.Link(p, s.Port)
		does = append(does, fmt.Sprintf("sends %s to %d", t.message(&s.Msg), t.in.IDs[to]))
	}
	if o.Effects.Set&election.DidDecide != 0 {
		does = append(does, t.outcome(o.Process, o.Effects.Outcome)...)
	}
	for i := range o.Effects.Raised {
		switch o.Effects.Raised[i].Event.Op {
		case election.Entered:
			does = append(does, "enters the critical section")
		case election.Left:
			does = append(does, "leaves it")
		}
	}
	var line string
	switch ev := o.Event; ev.Op {
	case election.Init:
		if len(does) == 0 {
			return ""
		}
		line = fmt.Sprintf("%d begins", o.Process)
	case election.Recv:
		from, _, _ := t.in.Topology.Link(p, ev.Port)
		line = fmt.Sprintf("%d receives %s from %d", o.Process, t.message(&ev.Msg), t.in.IDs[from])
	case election.Start:
		line = fmt.Sprintf("%d starts", o.Process)
	case election.Timeout:
		line = fmt.Sprintf("%d: a timer runs out", o.Process)
	case election.Suspect:
		line = fmt.Sprintf("%d notices that its leader is down", o.Process)
	default:
		line = fmt.Sprintf("%d: %v", o.Process, ev.Op)
	}
	if len(does) == 0 {
		return line
	}
	return line + "; " + strings.Join(does, ", ")
}

// outcome says what is new in what a process believes.
func (t *teller) outcome(p election.ID, is election.Outcome) []string {
	was := t.leaders[p]
	t.leaders[p] = is
	switch {
	case is == was:
		return nil
	case is.Role == election.Leader:
		return []string{"**leads**"}
	case is.Role == election.Follower:
		return []string{fmt.Sprintf("follows %d", is.Leader.ID)}
	case was.Role == election.Undecided:
		return nil
	}
	return []string{"has no leader"}
}

// message names a message, with whom it is about and its phase.
func (t *teller) message(m *election.Message) string {
	if m.Kind == election.CatchUp {
		return "catch-up"
	}
	name := t.in.Algorithm.KindName(m.Kind)
	var about []string
	if m.Rank.ID != 0 {
		about = append(about, fmt.Sprint(uint64(m.Rank.ID)))
	}
	if m.Round != 0 {
		about = append(about, fmt.Sprintf("phase %d", m.Round))
	}
	if t.in.Algorithm.Sections > 0 && m.Value != 0 {
		about = append(about, fmt.Sprintf("time %d", m.Value))
	}
	if len(about) == 0 {
		return name
	}
	return name + "(" + strings.Join(slices.Compact(about), ", ") + ")"
}
