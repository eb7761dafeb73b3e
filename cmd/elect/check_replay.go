package main

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/go-election/election"
	"github.com/go-election/election/scenario"
)

// eachGiven tells of every flag that was given.
func (f *checkFlags) eachGiven(each func(name string)) {
	f.cmd.Flags().Visit(func(flag *pflag.Flag) { each(flag.Name) })
}

// calm reports whether all initiators start, and nothing goes wrong, in the steps of a job.
func (j *job) calm() bool {
	started := make(map[election.ID]bool)
	for _, s := range j.Steps {
		switch s.Do {
		case scenario.DoStart:
			started[s.Process] = true
		case scenario.DoDeliver, scenario.DoTimeout:
		default:
			return false
		}
	}
	return len(started) == j.Starts()
}

// sections notes who is in a critical section, and who waits for one.
type sections struct {
	inside map[uint8]election.ID
	token  map[uint8]uint64
	waits  []election.ID
	wrong  error
}

// observe is told of all that happens.
func (s *sections) observe(o *election.Occurrence) {
	if s.inside == nil {
		s.inside, s.token = make(map[uint8]election.ID), make(map[uint8]uint64)
	}
	switch o.What {
	case election.Crashed:
		s.leave(o.Process)
		s.served(o.Process)
	case election.Stepped:
		if o.Event.Op == election.Start && o.Effects.Set&election.DidRefuse == 0 && !slices.Contains(s.waits, o.Process) {
			s.waits = append(s.waits, o.Process)
		}
		for i := range o.Effects.Raised {
			if r := &o.Effects.Raised[i]; !r.Down {
				s.raised(o.Process, &r.Event)
			}
		}
	}
}

// raised notes an entry, or that somebody has left.
func (s *sections) raised(who election.ID, ev *election.Event) {
	section, token := ev.Msg.Flags, ev.Msg.Value
	switch ev.Op {
	case election.Entered:
		if other := s.inside[section]; other != 0 && other != who && s.wrong == nil {
			s.wrong = fmt.Errorf("processes %d and %d are in a critical section together", other, who)
		}
		if last, before := s.token[section]; before && token <= last && s.wrong == nil {
			s.wrong = fmt.Errorf("process %d entered a critical section with token %d, after one with %d", who, token, last)
		}
		s.inside[section], s.token[section] = who, max(token, s.token[section])
		s.served(who)
	case election.Left:
		if s.inside[section] == who {
			delete(s.inside, section)
		}
	}
}

// leave takes a process out of all sections.
func (s *sections) leave(who election.ID) {
	for section, is := range s.inside {
		if is == who {
			delete(s.inside, section)
		}
	}
}

// served takes a process from those that wait.
func (s *sections) served(who election.ID) {
	s.waits = slices.DeleteFunc(s.waits, func(id election.ID) bool { return id == who })
}

// check returns what went wrong, or who still waits.
func (s *sections) check() error {
	if s.wrong == nil && len(s.waits) > 0 {
		return fmt.Errorf("process %d is not served", s.waits[0])
	}
	return s.wrong
}
