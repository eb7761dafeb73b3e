package soak

import (
	"fmt"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// Scenario returns the Plan as a scenario that the simulator runs: what was drawn, and the Seed. Where a
// process got an event in the course of the run, which a scenario cannot state in advance, or where the
// violation may be over by the end, it lists step by step what has happened until then. The note is what was
// violated, if anything.
func (p *Plan) Scenario() (*scenario.Scenario, error) {
	w := &steps{plan: p, at: p.Positions(), links: make(map[int][]uint64)}
	o := p.Run(w.observe)
	in := p.Input
	// What was posted in the course of the run stands in no field of a scenario, only in its steps.
	stepwise := o.Posted > 0 || o.Violation != nil && momentary(o.Violation.Property)
	if stepwise {
		if w.list == nil {
			w.list = []scenario.Step{}
		}
		in.Initiators = w.starters()
		in.StartTimes, in.CrashAt, in.RecoverAt, in.RestartAt, in.PauseAt = nil, nil, nil, nil, nil
		in.Faults, in.SuspectAfter = fault.Plan{}, 0
	}
	s, err := scenario.Of(&in)
	if err != nil {
		return nil, err
	}
	s.Name = fmt.Sprintf("soak %s, seed %d", p.Algorithm.Title(), p.Number)
	if o.Violation != nil {
		s.Property, s.Note = o.Violation.Property, o.Violation.Reason
	}
	s.Params = p.params
	if stepwise {
		s.Steps = w.list
		s.Params = scenario.WithDelay(p.Algorithm, p.params)
		return s, nil
	}
	s.Schedule, s.Seed = p.Schedule, p.Config.Seed
	if p.Algorithm.NeverQuiesces {
		s.Until = o.Time
	}
	if p.Schedule == sim.RandomDelay {
		delay, fifo := p.Delay, !p.Unordered
		s.Delay, s.FIFO = &delay, &fifo
	}
	return s, nil
}

// momentary reports whether a property is one of a moment, of which the end may show nothing. A run that is
// not sound ends at that moment.
func momentary(p verdict.Property) bool { return p.Kind() == verdict.Always && p != verdict.Sound }

// steps writes down what happens.
type steps struct {
	plan  *Plan
	at    map[election.ID]int
	links map[int][]uint64 // by receiving port: the numbers of the messages that are on the link
	list  []scenario.Step

	// of the last step of a process: its sender, the number of its first message, and where they go
	sender int
	first  uint64
	ends   []topology.End
}

// starters returns the processes that start, in this order.
func (w *steps) starters() []election.ID {
	all := []election.ID{}
	for i := range w.list {
		if s := &w.list[i]; s.Do == observe.Start && !slices.Contains(all, s.Process) {
			all = append(all, s.Process)
		}
	}
	return all
}

// observe adds a step.
func (w *steps) observe(o *observe.Occurrence) {
	at := o.At
	s := scenario.Step{Process: o.Process, At: &at}
	switch o.What {
	case observe.Crash:
		if len(w.list) == 0 && slices.Contains(w.plan.Crashed, o.Process) {
			return // it was down from the beginning
		}
	case observe.Recover, observe.Restart:
	case observe.Lose:
		if s = w.lost(s, o); s.Do != 0 {
			w.list = append(w.list, s)
		}
		return
	case observe.Step:
		w.step(s, o)
		return
	default:
		return
	}
	s.Do = o.What
	w.list = append(w.list, s)
}

// step adds what a process has done, and notes what it has sent.
func (w *steps) step(s scenario.Step, o *observe.Occurrence) {
	p := w.at[o.Process]
	switch ev := o.Event; ev.Op {
	case election.Start:
		s.Do = observe.Start
	case election.Suspect, election.Trust:
		s.Do, s.Port = observe.What(ev.Op), ev.Port
	case election.Timeout:
		s.Do, s.Timer, s.Layer = observe.Timeout, ev.Timer, ev.Layer
	case election.Recv:
		link := w.plan.Topology.Index(p, ev.Port)
		s.Do, s.Port = observe.Deliver, ev.Port
		s.Nth = slices.Index(w.links[link], o.Message)
		w.links[link] = slices.Delete(w.links[link], s.Nth, s.Nth+1)
	}
	for _, c := range o.Choices {
		if c.Of > 1 {
			s.Choices = append(s.Choices, c.Chosen)
		}
	}
	w.sender, w.first, w.ends = p, o.First, w.ends[:0]
	for i := range o.Effects.Sends {
		q, back, ok := w.plan.Topology.Link(p, o.Effects.Sends[i].Port)
		w.ends = append(w.ends, topology.End{Process: q, Port: back})
		if ok {
			link := w.plan.Topology.Index(q, back)
			w.links[link] = append(w.links[link], o.First+uint64(i))
		}
	}
	if s.Do != 0 { // else an Init or Rejoin, which comes with the beginning or with a return
		w.list = append(w.list, s)
	}
}

// lost returns the step by which a link loses a message that the process has just sent. What comes to a
// process that is down simply stays where it is.
func (w *steps) lost(s scenario.Step, o *observe.Occurrence) scenario.Step {
	i := o.Message - w.first
	if w.at[o.Process] != w.sender || i >= uint64(len(w.ends)) {
		return s
	}
	end := w.ends[i]
	link := w.plan.Topology.Index(end.Process, end.Port)
	s.Do, s.Process, s.Port = observe.Lose, w.plan.IDs[end.Process], end.Port
	s.Nth = slices.Index(w.links[link], o.Message)
	w.links[link] = slices.Delete(w.links[link], s.Nth, s.Nth+1)
	return s
}

// Params returns the parameters with which the algorithm was configured, times in units.
func (p *Plan) Params() map[string]params.Value {
	if p.params == nil {
		return map[string]params.Value{}
	}
	return p.params
}
