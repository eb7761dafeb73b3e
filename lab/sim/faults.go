package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// stretched is the largest number of delays that a message may take over faulty links: its own, another if it
// is reordered, and another if it is a duplicate.
const stretched = 3

// ErrFlood is wrapped by the error of a run in which copies of messages beget copies, without end:
// the algorithm does not bear duplicates.
var ErrFlood = input.Sentinel("sim", "duplicated messages multiply")

// leastFlood is the smallest limit for the messages in flight if links duplicate messages. The limit is
// higher on large topologies.
const leastFlood = 1 << 22

// floodOf returns the limit for the messages in flight on a number of links.
func floodOf(links int) int {
	// A day of the calendar has no room for more, and all of them may be on one day.
	return min(max(leastFlood, 8*links), 1<<indexBits-2)
}

// horizon bounds how far ahead a message may arrive.
func (s *Sim) horizon() time.Duration {
	h := Unit
	if s.config.Schedule == RandomDelay {
		h = s.config.Delay.Longest()
	}
	if f := &s.config.Faults; f.Duplicate > 0 || f.Reorder > 0 {
		h *= stretched
	}
	return h
}

// sendFaulty puts a message on its way over a link that may fail it, or is observed.
func (s *Sim) sendFaulty(from, to int, back election.Port, depth uint32, out *election.Outgoing) {
	f, ids := &s.config.Faults, s.config.IDs
	t := tag(depth)
	if s.watch != nil {
		t = s.watch.number(depth)
	}
	if s.cuts.Loses(ids[from], ids[to], s.now) || s.chance(f.Loss) {
		s.lost++
		s.hash.add(&election.Event{At: s.now, Port: out.Port, Msg: out.Msg}, uint32(from))
		s.report(from, observe.Lose, t, nil)
		return
	}
	// Before the delay is drawn: the order of draws is part of what a seed means, and pinned runs rest on it.
	twice, late := s.chance(f.Duplicate), s.chance(f.Reorder)
	at := s.arrival(from, out.Port)
	if late {
		s.reordered++
		at += s.delay()
	}
	s.arriveAt(at, from, to, back, t, out)
	if twice {
		if s.byTime.n > s.flood {
			s.err = fmt.Errorf("%w: %d messages are in flight", ErrFlood, s.byTime.n)
			return
		}
		s.duplicated++
		s.report(from, observe.Duplicate, t, nil)
		s.arriveAt(at+s.delay(), from, to, back, t, out)
	}
}

// chance draws whether something of a probability happens. What cannot happen draws nothing, so a run without
// faults draws the same delays as if there were no plan of them.
func (s *Sim) chance(probability float64) bool {
	return probability > 0 && s.random.float() <= probability
}

// delay returns how long a message takes.
func (s *Sim) delay() time.Duration {
	if s.config.Schedule != RandomDelay {
		return Unit
	}
	return s.random.delay(&s.config.Delay)
}

// arrival returns when a message that is sent now arrives, if nothing befalls it.
func (s *Sim) arrival(from int, port election.Port) time.Duration {
	if s.config.Schedule != RandomDelay {
		return s.now + Unit
	}
	return s.draw(from, port)
}

// arriveAt makes a message arrive at a time.
func (s *Sim) arriveAt(at time.Duration, from, to int, back election.Port, t tag, out *election.Outgoing) {
	var m *entry
	if s.byTime == nil {
		m = s.fifo.push()
	} else {
		m = s.byTime.push(s.now, at)
	}
	fill(m, at, to, back, t, out)
}

// cut cuts the links between groups of processes from now on. An observer is given each port over which
// messages are lost from now on.
func (s *Sim) cut(groups [][]election.ID, oneWay bool) {
	for g, group := range groups {
		for _, id := range group {
			// The number of the group takes the place of the port, which a cut does not have.
			s.hash.add(&election.Event{At: s.now, Timer: uint8(actCut), Port: election.Port(g),
				Msg: election.Message{Flags: flag(oneWay)}}, uint32(slices.Index(s.config.IDs, id)))
		}
	}
	s.changeCuts(s.cuts.With(fault.Partition{From: s.now, Groups: groups, OneWay: oneWay}))
	s.faulty = true
}

func flag(set bool) uint8 {
	if set {
		return 1
	}
	return 0
}

// heal ends every partition that there is now, also one that was to last longer.
func (s *Sim) heal() {
	s.hashAct(0, actHeal)
	s.changeCuts(s.cuts.Without(s.now))
}

// changeCuts cuts other links than before, and reports each port that this changes.
func (s *Sim) changeCuts(cuts fault.Cuts) {
	before := s.cuts
	s.cuts = cuts
	for a, b := range topology.All(s.config.Topology) {
		from, to := s.config.IDs[a.Process], s.config.IDs[b.Process]
		was, is := before.Loses(from, to, s.now), cuts.Loses(from, to, s.now)
		if was == is {
			continue
		}
		s.occurred++
		if s.watch == nil {
			continue
		}
		what := observe.Heal
		if is {
			what = observe.Cut
		}
		s.watch.what = observe.Occurrence{What: what, Process: from, At: s.now,
			Event: &election.Event{At: s.now, Port: a.Port}}
		s.watch.observer(&s.watch.what)
	}
}
