package sim

import (
	"cmp"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// Do carries out a step now, before the next event of the schedule, and leaves the rest of the schedule
// unchanged. Under the schedule [Hand] it happens at the time that this schedule assigns. A message must be
// one of [Sim.Pending] that does not wait for a paused process. To repeat the step in another run, add it to
// Config.Acts with the value of [Sim.Occurred] before Do as its After.
//
// Do allows steps that the model of the algorithm excludes, and returns in one line why the step left the
// model, or "" if it did not. If the step is impossible, Do returns an error that wraps [election.ErrInput]
// and changes nothing, except that the run has begun.
func (s *Sim) Do(step scenario.Step) (outside string, err error) {
	switch {
	case s.config.Steps != nil:
		return "", input.Errorf("do: %s, but the steps of this run are given", step.Do)
	case step.Do == observe.Restart && s.saved == nil:
		return "", input.Errorf("keep_saved: %v, so nothing is kept of process %d to restart with",
			s.config.KeepSaved, step.Process)
	}
	if err := s.config.CheckAct(&step); err != nil {
		return "", err
	}
	s.byHand(func() {
		p := max(slices.Index(s.config.IDs, step.Process), 0) // a cut has no process
		if step.Do == observe.Command && step.Process == 0 {
			p = s.place(&step)
		}
		if err = s.err; err == nil {
			outside, err = s.take(&step, p, s.handTime(&step, p))
		}
	})
	return outside, cmp.Or(err, s.err)
}

// find returns the message of a step, and which one of the queue it is; nil if the step has none. The message
// stays there, and is not to be changed.
func (s *Sim) find(step *scenario.Step, p int) (place int, m *entry, err error) {
	switch step.Do {
	case observe.Deliver, observe.Lose, observe.Duplicate, observe.Delay:
	default:
		return 0, nil, nil
	}
	n := 0
	if s.byTime == nil { // most often it is among the first, so that the rest need not be looked at
		for m := range s.fifo.all() {
			if int(m.to) == p && m.ev.Port == step.Port {
				if n == step.Nth {
					return place, m, nil
				}
				n++
			}
			place++
		}
	} else {
		link := s.onLink(p, step.Port)
		if n = len(link); step.Nth < n {
			return link[step.Nth].place, &link[step.Nth].entry, nil
		}
	}
	if n == 0 {
		return 0, nil, impossible(step, "no message is on the link to port %d of %d", step.Port, step.Process)
	}
	return 0, nil, impossible(step, "nth is %d, and on the link to port %d of %d there are %d, from 0 on",
		step.Nth, step.Port, step.Process, n)
}

// placed is a message and its place in the queue.
type placed struct {
	entry
	place int
}

// onLink returns the messages on the link to a port of process p, in the order of arrival.
func (s *Sim) onLink(p int, port election.Port) (link []placed) {
	for i, m := range s.onTheWay() {
		if int(m.to) == p && m.ev.Port == port {
			link = append(link, placed{m, i})
		}
	}
	order.Stable(link, func(a, b placed) int { return cmp.Compare(a.ev.At, b.ev.At) })
	return link
}

// takeMessage carries out a step with a message on its way to process p.
func (s *Sim) takeMessage(step *scenario.Step, p, place int) {
	from, port, twoWay := s.config.Topology.Link(p, step.Port)
	if !twoWay {
		from, _ = topology.Behind(s.config.Topology, p, step.Port)
		port = election.Clockwise
	}
	switch step.Do {
	case observe.Duplicate:
		m := s.onTheWayAt(place)
		m.ev.At = s.now + s.delay()
		s.duplicated++
		s.report(from, observe.Duplicate, m.tag, nil)
		s.push(&m)
	case observe.Delay:
		all := s.onTheWay()
		m := all[place]
		m.ev.At += step.By
		s.report(from, observe.Delay, m.tag, nil)
		// Put it behind all other messages of its instant. Its former place in the queue may depend on a
		// Restore.
		s.enqueue(append(slices.Delete(all, place, place+1), m))
	case observe.Lose:
		m := s.remove(place)
		s.lost++
		s.hash.add(&election.Event{At: s.now, Port: port, Msg: m.ev.Msg}, uint32(from))
		s.report(from, observe.Lose, m.tag, nil)
	case observe.Deliver:
		s.delivering = s.remove(place)
		s.delivering.ev.At = s.now
		s.deliver(&s.delivering)
	}
}

// onTheWay returns the messages of the queue. Messages of one instant are in their order.
func (s *Sim) onTheWay() []entry {
	all := make([]entry, 0, s.fifo.n)
	if s.byTime != nil {
		s.byTime.each(func(m *entry) { all = append(all, *m) })
		return all
	}
	for m := range s.fifo.all() {
		all = append(all, *m)
	}
	return all
}

func (s *Sim) onTheWayAt(place int) entry {
	if s.byTime != nil {
		return s.onTheWay()[place]
	}
	i := 0
	for m := range s.fifo.all() {
		if i == place {
			return *m
		}
		i++
	}
	panic("sim: a message is not in its place")
}

// remove takes a message off the queue.
func (s *Sim) remove(place int) entry {
	if s.byTime == nil {
		return s.fifo.remove(place)
	}
	// Rebuild the queue. Acts are rare, so a calendar needs no way to remove a message.
	all := s.onTheWay()
	m := all[place]
	s.enqueue(slices.Delete(all, place, place+1))
	return m
}

// push adds a message after all others of its instant.
func (s *Sim) push(m *entry) {
	if s.byTime != nil {
		*s.byTime.push(s.now, m.ev.At) = *m
	} else {
		*s.fifo.push() = *m
	}
}

// enqueue rebuilds the queue from a list of messages.
func (s *Sim) enqueue(all []entry) {
	horizon, inOrder := s.horizon(), true
	for i := range all {
		at := all[i].ev.At
		horizon = max(horizon, at-s.now)
		inOrder = inOrder && at <= s.now+Unit && (i == 0 || all[i-1].ev.At <= at)
	}
	s.fifo = fifo{}
	if s.byTime != nil || !inOrder && !s.still {
		s.byTime = newCalendar(horizon)
	}
	for i := range all {
		s.push(&all[i])
	}
}
