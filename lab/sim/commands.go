package sim

import (
	"maps"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// noProcess is the place of a process that there is not.
const noProcess = -1

// planCommand returns a command of Config as a step.
func (s *Sim) planCommand(i election.Port) *scenario.Step {
	c := &s.config.Commands[i]
	return &scenario.Step{Do: observe.Command, Process: c.Process, Command: c.Name, Voters: c.Voters}
}

// place returns the process of a step. It is any if the step has none.
func (s *Sim) place(step *scenario.Step) int {
	if step.Do == observe.Command {
		return max(s.commanded(step), 0)
	}
	return s.control.where[step.Process]
}

// commanded returns the process that takes a command, or noProcess if there is none.
func (s *Sim) commanded(step *scenario.Step) int {
	if step.Process != 0 {
		return s.control.where[step.Process]
	}
	leads, term := noProcess, uint64(0)
	for p := range s.procs {
		// A process that leads no more, and does not know it yet, has a smaller Term than its successor.
		if o := s.Outcome(p); s.procs[p].status != Down && o.Role == election.Leader && o.Term >= term {
			leads, term = p, o.Term
		}
	}
	return leads
}

// command gives a command to a process.
func (s *Sim) command(step *scenario.Step, p int) {
	for _, m := range s.config.Algorithm.CommandsOf(step.Command, step.Voters) {
		s.post(p, election.Event{Op: election.Command, Msg: m})
	}
}

// wish makes voters the wish of a process from now on.
func (s *Sim) wish(p int, voters []election.ID) {
	if voters == nil {
		return
	}
	all := maps.Clone(s.wishes) // never in place, since snapshots share it
	if all == nil {
		all = make(map[int32][]election.ID)
	}
	all[int32(p)] = voters
	s.wishes = all
}

// wished gives a process, after Init, the commands that name the voters which its program wishes.
func (s *Sim) wished(p int) {
	voters, ok := s.wishes[int32(p)]
	if !ok {
		voters = s.config.Wish(p, s.now)
	}
	for _, m := range s.config.WishCommands(voters) {
		s.local(p, election.Event{Op: election.Command, Msg: m})
	}
}
