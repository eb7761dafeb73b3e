package sim

import (
	"cmp"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// Do lets a step happen now, whatever the schedule has next, and leaves the rest of the schedule as it is. A
// message is one of [Sim.Pending] that has not come to a paused process yet. Do allows what the model of an
// algorithm excludes: the caller that delivers a message before an earlier one of its link breaks the order
// of that link. A step that cannot be now, or not at all, changes nothing and is an [election.ErrInput].
func (s *Sim) Do(step scenario.Step) error {
	switch {
	case s.script != nil:
		return input.Errorf("do: %s, but the steps of this run are given", step.Do)
	case step.At != nil:
		return input.Errorf("at: a step by hand happens now")
	case step.Choices != nil:
		return input.Errorf("choices: those of a step by hand are left to the seed")
	case step.Do == observe.Restart && s.saved == nil:
		return input.Errorf("keep_saved: %v, so nothing is kept of process %d to restart with",
			s.config.KeepSaved, step.Process)
	}
	if err := s.config.CheckStep(&step); err != nil {
		return err
	}
	p := slices.Index(s.config.IDs, step.Process)
	var err error
	s.byHand(func() {
		if err = s.err; err == nil {
			err = s.take(&step, p)
		}
	})
	return cmp.Or(err, s.err)
}

// doMessage carries out a step with a message on its way to process p.
func (s *Sim) doMessage(step *scenario.Step, p int) error {
	all := s.onTheWay()
	var link []int // in the order of arrival
	for i := range all {
		if m := &all[i]; int(m.to) == p && m.ev.Port == step.Port {
			link = append(link, i)
		}
	}
	slices.SortStableFunc(link, func(a, b int) int { return cmp.Compare(all[a].ev.At, all[b].ev.At) })
	if err := s.onLink(step, len(link)); err != nil {
		return err
	}
	m := all[link[step.Nth]]
	from, port, twoWay := s.config.Topology.Link(p, step.Port)
	if !twoWay {
		from, _ = topology.Behind(s.config.Topology, p, step.Port)
		port = election.Clockwise
	}
	if step.Do == observe.Duplicate {
		s.duplicated++
		s.report(from, observe.Duplicate, m.tag, nil)
		m.ev.At = s.now + s.delay()
		s.enqueue(append(all, m))
		return nil
	}
	s.enqueue(slices.Delete(all, link[step.Nth], link[step.Nth]+1))
	if step.Do == observe.Lose {
		s.lost++
		s.hash.add(&election.Event{At: s.now, Port: port, Msg: m.ev.Msg}, uint32(from))
		s.report(from, observe.Lose, m.tag, nil)
		return nil
	}
	m.ev.At = s.now
	s.deliver(&m)
	return nil
}

// onTheWay returns the messages of the queue; those of one instant in their order.
func (s *Sim) onTheWay() []entry {
	all := make([]entry, 0, s.fifo.n)
	keep := func(e *entry) { all = append(all, *e) }
	if s.byTime != nil {
		s.byTime.each(keep)
	} else {
		s.fifo.each(keep)
	}
	return all
}

// enqueue makes a queue of messages anew: a caller acts seldom, and the queues need no way to take one out.
func (s *Sim) enqueue(all []entry) {
	s.fifo = fifo{}
	if s.byTime != nil {
		s.byTime = newCalendar(s.horizon())
	}
	for i := range all {
		if m := &all[i]; s.byTime != nil {
			*s.byTime.push(s.now, m.ev.At) = *m
		} else {
			*s.fifo.push() = *m
		}
	}
}
