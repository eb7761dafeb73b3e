package scenario

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// StepRecorder is an observer of a run that writes it down as steps, with which the same happens again. What
// no Step can say becomes something that one can: a message that a cut loses is simply lost.
type StepRecorder struct {
	in    *Input
	where map[election.ID]int
	// by topology.Index of the receiver: the numbers of the messages on the link
	links map[int][]uint64
	on    map[uint64]topology.End // where each message arrives that is on a link
	down  map[election.ID]bool
	steps []Step
	err   error
}

// NewStepRecorder returns a recorder of a run of the Input, which must have been checked.
func NewStepRecorder(in *Input) *StepRecorder {
	r := &StepRecorder{in: in, where: in.Positions(), links: make(map[int][]uint64),
		on:   make(map[uint64]topology.End),
		down: make(map[election.ID]bool), steps: []Step{}}
	for _, id := range in.Crashed {
		r.down[id] = true
	}
	return r
}

// Steps returns all that has happened so far, each with its time. The error wraps [election.ErrInput]: a
// service has given a process an event that no Step can be.
func (r *StepRecorder) Steps() ([]Step, error) { return slices.Clone(r.steps), r.err }

// Observe adds what happens.
func (r *StepRecorder) Observe(o *observe.Occurrence) {
	at := o.At
	s := Step{Do: o.What, Process: o.Process, At: &at}
	switch o.What {
	case observe.Crash:
		if r.down[o.Process] { // from the beginning
			return
		}
		r.down[o.Process] = true
	case observe.Recover, observe.Restart:
		delete(r.down, o.Process)
	case observe.Pause, observe.Resume:
	case observe.Lose:
		end := r.onLink(&s, o.Message)
		if r.down[r.in.IDs[end.Process]] && r.in.IDs[end.Process] == o.Process {
			s.Do = observe.Deliver // it has come to a process that is down: no link has lost it
		}
		r.take(o.Message)
	case observe.Duplicate:
		end := r.onLink(&s, o.Message)
		link := r.in.Topology.Index(end.Process, end.Port)
		r.links[link] = append(r.links[link], o.Message)
	case observe.Step:
		r.step(&s, o)
	default:
		return
	}
	if s.Do != 0 {
		r.steps = append(r.steps, s)
	}
}

// onLink fills in which message it is, and returns where that arrives.
func (r *StepRecorder) onLink(s *Step, message uint64) topology.End {
	end := r.on[message]
	s.Process, s.Port = r.in.IDs[end.Process], end.Port
	s.Nth = slices.Index(r.links[r.in.Topology.Index(end.Process, end.Port)], message)
	return end
}

// take takes a message off its link.
func (r *StepRecorder) take(message uint64) {
	end := r.on[message]
	link := r.in.Topology.Index(end.Process, end.Port)
	i := slices.Index(r.links[link], message)
	r.links[link] = slices.Delete(r.links[link], i, i+1)
	if !slices.Contains(r.links[link], message) { // a copy of it may be in flight
		delete(r.on, message)
	}
}

// step fills in what a process takes, and notes what it sends.
func (r *StepRecorder) step(s *Step, o *observe.Occurrence) {
	s.Do = observe.What(o.Event.Op)
	switch o.Event.Op {
	case election.Start:
	case election.Suspect, election.Trust:
		s.Port = o.Event.Port
	case election.Timeout:
		s.Timer, s.Layer = o.Event.Timer, o.Event.Layer
	case election.Command:
		s = r.command(s, o)
	case election.Recv:
		r.onLink(s, o.Message)
		r.take(o.Message)
	case election.Init, election.Rejoin:
		s.Do = 0                                 // it comes with the beginning, or with a return
		if last := len(r.steps) - 1; last >= 0 { // and what chance brings in it, with the return
			s = &r.steps[last]
		}
	default:
		s.Do = 0
		r.refuse(o)
	}
	for _, c := range o.Choices {
		if c.Of > 1 {
			s.Choices = append(s.Choices, c.Chosen)
		}
	}
	p := r.where[o.Process]
	for i := range o.Effects.Sends {
		q, back, ok := r.in.Topology.Link(p, o.Effects.Sends[i].Port)
		if !ok { // the Node is wrong, and its run ends here
			continue
		}
		number := o.First + uint64(i)
		r.on[number] = topology.End{Process: q, Port: back}
		link := r.in.Topology.Index(q, back)
		r.links[link] = append(r.links[link], number)
	}
}

// command fills in a command, and returns the step that it belongs to. A list of commands is one step, and the
// wish of a process belongs to its return.
func (r *StepRecorder) command(s *Step, o *observe.Occurrence) *Step {
	m, commands := &o.Event.Msg, r.in.Algorithm.Commands
	if m.Kind == 0 || int(m.Kind) > len(commands) || commands[m.Kind-1].Name == "" {
		s.Do = 0
		r.refuse(o)
		return s
	}
	kind := &commands[m.Kind-1]
	if !kind.Wish {
		s.Command = kind.Name
	}
	if !kind.Listed {
		return s
	}
	if kind.Wish || m.Value > 0 {
		s.Do = 0
		last := len(r.steps) - 1
		if last < 0 || r.steps[last].Process != o.Process || kind.Wish && r.steps[last].Do != observe.Recover &&
			r.steps[last].Do != observe.Restart {
			return s // the first wish comes with the beginning
		}
		s = &r.steps[last]
	}
	s.Voters = append(s.Voters, m.Rank.ID)
	return s
}

// refuse notes an event that no step can be.
func (r *StepRecorder) refuse(o *observe.Occurrence) {
	if r.err == nil {
		r.err = input.Errorf("steps: %d takes %v at %s, which cannot be a step", o.Process,
			observe.What(o.Event.Op), InUnits(o.At))
	}
}
