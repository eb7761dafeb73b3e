package museum

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// teller puts a run into words, a line for each step.
type teller struct {
	in      *scenario.Input
	where   map[election.ID]int
	timed   bool
	leaders map[election.ID]election.Outcome
	sent    map[uint64]string // messages by their numbers
	back    election.ID       // the process that has just come back
	before  []string          // what there is before the first step
	lines   []string
}

func newTeller(c check.Config) *teller {
	if err := c.Input.Check(); err != nil {
		panic(err)
	}
	return &teller{in: &c.Input, where: c.Positions(), timed: c.Delay > 0,
		leaders: make(map[election.ID]election.Outcome), sent: make(map[uint64]string)}
}

// describe runs a counterexample in the simulator, and says what happens in it. So it is seen as well that
// the simulator finds the same way.
func describe(c check.Config, trail *check.Trail) (before, lines []string, err error) {
	t := newTeller(c)
	s, err := sim.New(sim.Config{Input: c.Input, Steps: trail.Steps, Observe: t.see})
	if err != nil {
		return nil, nil, err
	}
	err = s.Run(context.Background())
	if errors.Is(err, observe.ErrPanic) { // the step at which a Node has broken the rules
		step := &trail.Steps[len(trail.Steps)-1]
		_, what, audited := strings.Cut(trail.Reason.Error(), Audit)
		if !audited {
			_, what, _ = strings.Cut(trail.Reason.Error(), "election: ")
		}
		line := t.beginning(step) + "; " + what
		if step.At != nil {
			line = t.dated(*step.At, line)
		}
		t.lines, err = append(t.lines, line), nil
	}
	return t.before, t.lines, err
}

// beginning says what happens in a step of which no observer hears, as the Node panics.
func (t *teller) beginning(step *scenario.Step) string {
	peer := func() election.ID {
		p, _, _ := t.in.Topology.Link(t.where[step.Process], step.Port)
		return t.in.IDs[p]
	}
	switch step.Do {
	case observe.Deliver:
		return fmt.Sprintf("%d receives a message from %d", step.Process, peer())
	case observe.Timeout:
		return fmt.Sprintf("%d: a timer runs out", step.Process)
	case observe.Suspect, observe.Trust:
		return t.report(step.Process, election.Op(step.Do), peer())
	}
	return fmt.Sprintf("%d starts", step.Process)
}

// see notes one occurrence: as a line of its own if it is a step. What is there from the beginning comes
// before them all, and what a process does as it comes back belongs to its return.
func (t *teller) see(o *observe.Occurrence) {
	line := t.what(o)
	switch last := len(t.lines) - 1; {
	case line == "":
	case o.What == observe.Step && o.Process == t.back &&
		(o.Event.Op == election.Init || o.Event.Op == election.Rejoin):
		t.lines[last] += "; " + line
	case o.What == observe.Step && o.Event.Op == election.Init,
		o.What == observe.Crash && last < 0 && slices.Contains(t.in.Crashed, o.Process):
		t.before = append(t.before, line)
	default:
		t.lines = append(t.lines, t.dated(o.At, line))
	}
	switch {
	case o.What == observe.Recover || o.What == observe.Restart:
		t.back = o.Process
	case o.What != observe.Step || o.Process != t.back:
		t.back = 0
	}
}

func (t *teller) dated(at time.Duration, line string) string {
	if !t.timed {
		return line
	}
	return fmt.Sprintf("at %v: %s", float64(at)/float64(scenario.Unit), line)
}

func (t *teller) what(o *observe.Occurrence) string {
	switch o.What {
	case observe.Crash:
		delete(t.leaders, o.Process)
		if slices.Contains(t.in.Crashed, o.Process) {
			return fmt.Sprintf("%d is down", o.Process)
		}
		return fmt.Sprintf("%d crashes", o.Process)
	case observe.Recover:
		return fmt.Sprintf("%d comes back without its state", o.Process)
	case observe.Restart:
		return fmt.Sprintf("%d comes back", o.Process)
	case observe.Lose:
		return t.sent[o.Message] + " is lost"
	case observe.Duplicate:
		return t.sent[o.Message] + " is copied"
	case observe.Step:
		return t.step(o)
	}
	return ""
}

func (t *teller) step(o *observe.Occurrence) string {
	p := t.where[o.Process]
	var does []string
	for i, s := range o.Effects.Sends {
		to, _, _ := t.in.Topology.Link(p, s.Port)
		does = append(does, fmt.Sprintf("sends %s to %d", t.message(&s.Msg), t.in.IDs[to]))
		t.sent[o.First+uint64(i)] = fmt.Sprintf("%s of %d to %d", t.message(&s.Msg), o.Process, t.in.IDs[to])
	}
	if o.Effects.Decided() {
		does = append(does, t.outcome(o.Process, o.Effects.Outcome)...)
	}
	for i := range o.Effects.Signals {
		switch o.Effects.Signals[i].Event.Op {
		case election.Entered:
			does = append(does, "enters the critical section")
		case election.Exited:
			does = append(does, "leaves it")
		}
	}
	var line string
	switch ev := o.Event; ev.Op {
	case election.Init, election.Rejoin: // no steps of a trail
		if len(does) == 0 {
			return ""
		}
		return fmt.Sprintf("%d %s", o.Process, strings.Join(does, ", "))
	case election.Recv:
		from, _, _ := t.in.Topology.Link(p, ev.Port)
		line = fmt.Sprintf("%d receives %s from %d", o.Process, t.message(&ev.Msg), t.in.IDs[from])
	case election.Start:
		line = fmt.Sprintf("%d starts", o.Process)
	case election.Timeout:
		line = fmt.Sprintf("%d: a timer runs out", o.Process)
	case election.Suspect, election.Left, election.Trust, election.Joined:
		of, _, _ := t.in.Topology.Link(p, ev.Port)
		line = t.report(o.Process, ev.Op, t.in.IDs[of])
	default:
		line = fmt.Sprintf("%d: %v", o.Process, ev.Op)
	}
	if len(does) == 0 {
		return line
	}
	return line + "; " + strings.Join(does, ", ")
}

// report says what a process learns about another one.
func (t *teller) report(process election.ID, op election.Op, of election.ID) string {
	switch {
	case op == election.Trust || op == election.Joined:
		return fmt.Sprintf("%d learns that %d is up", process, of)
	case op == election.Left:
		return fmt.Sprintf("%d learns that %d has left", process, of)
	case t.leaders[process].Leader.ID == of:
		return fmt.Sprintf("%d notices that its leader is down", process)
	}
	return fmt.Sprintf("%d learns that %d is down", process, of)
}

// breaks adds the step at which an audit breaks a run: an observer is not given the step of a Node that
// panics.
func (t *teller) breaks(line string) { t.lines = append(t.lines, line) }

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

// message names a message, with the ID that it carries and its phase.
func (t *teller) message(m *election.Message) string {
	if m.Kind == election.CatchUp {
		return "catch-up"
	}
	name := t.in.Algorithm.KindName(m.Kind)
	var about []string
	if m.Rank.ID == 0 && m.Rank.Priority != 0 { // a number that was drawn
		about = append(about, m.Rank.String())
	}
	if m.Rank.ID != 0 {
		about = append(about, fmt.Sprint(uint64(m.Rank.ID)))
	}
	if m.Round != 0 {
		about = append(about, fmt.Sprintf("phase %d", m.Round))
	}
	if t.in.Algorithm.Sections > 0 && m.Value != 0 {
		noun := map[string]string{"grant": "token", "claim": "reign",
			"later": "reign"}[t.in.Algorithm.KindName(m.Kind)]
		about = append(about, fmt.Sprintf("%s %d", cmp.Or(noun, "time"), m.Value))
	}
	if len(about) == 0 {
		return name
	}
	return name + "(" + strings.Join(slices.Compact(about), ", ") + ")"
}
