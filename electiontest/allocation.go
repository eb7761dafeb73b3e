package electiontest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// allocation replays histories to Nodes that have already been through them.
func allocation(t *trial) error {
	all, err := t.histories(14, lasting)
	if err != nil {
		return err
	}
	for _, h := range all {
		h.moments = h.moments[:min(len(h.moments), 400)]
		where, err := twice(h.allocates)
		if err != nil {
			return err
		}
		if where, err = t.eachTime(h, where); err != nil {
			return err
		}
		if len(where) > 0 {
			m := &h.moments[where[0]]
			return fmt.Errorf("a Step allocates memory, of a Node that has been used for all this before: %v",
				&happens{h, m.p, &m.ev})
		}
	}
	return nil
}

// twice returns the moments that allocate in both of two measurements: in a single one, another goroutine of
// the program may have allocated.
func twice(measure func() ([]int, error)) ([]int, error) {
	first, err := measure()
	if err != nil || len(first) == 0 {
		return nil, err
	}
	again, err := measure()
	return slices.DeleteFunc(first, func(i int) bool { return !slices.Contains(again, i) }), err
}

// allocates returns the moments in which a Step allocates on Nodes that have been through the history before
// and were reset.
func (h *history) allocates() (where []int, err error) {
	worn := [2][]election.TermKeeper{h.hosts(), h.hosts()}
	for _, hosts := range worn {
		for range 2 {
			if err := h.play(hosts, nil); err != nil {
				return nil, err
			}
			for p := range hosts {
				new(election.State).Reset(&hosts[p])
			}
		}
	}
	_, where = h.measure(worn, 0)
	return where, nil
}

// measure replays the history to two Nodes of each process. From moment from on, it returns the moments that
// count, and the ones among them in which the second Node allocates. Steps that start an election do not count,
// because they may allocate.
func (h *history) measure(hosts [2][]election.TermKeeper, from int) (counted, where []int) {
	for i := range h.moments {
		m := &h.moments[i]
		turn := 0
		step := func() {
			h.drawn = i
			h.env.Begin(m.p)
			hosts[turn][m.p].Step(h.env, &m.ev)
			turn++
		}
		// A long-lived Node keeps Terms itself, and its host knows none.
		current := h.in.Algorithm.LongLived() || m.ev.Msg.Term == hosts[turn][m.p].Term()
		// When a crash or recovery is reported, algorithms that need the report start another election.
		report := h.in.Algorithm.Faults.Reported && (m.ev.Op == election.Suspect || m.ev.Op == election.Trust)
		if i < from || begins(m.ev.Op) || report || m.ev.Op == election.Recv && !current {
			step()
			step()
			continue
		}
		counted = append(counted, i)
		// AllocsPerRun calls step twice, first to warm up, so there are two sets of hosts.
		if testing.AllocsPerRun(1, step) >= 1 {
			where = append(where, i)
		}
	}
	return counted, where
}

// begins reports whether an event of this kind makes a process start again, or asks it to.
func begins(op election.Op) bool {
	switch op {
	case election.Init, election.Rejoin, election.Start, election.Reelect:
		return true
	}
	return false
}

// eachTime returns the moments in which a Step allocates every time, as opposed to only after a reset that has
// lost capacity, such as the capacity of lists inside the elements of a list. It plays a series of elections
// without a reset: Steps of the same sort in the last rounds must not allocate.
func (t *trial) eachTime(h *history, where []int) ([]int, error) {
	if len(where) == 0 {
		return nil, nil
	}
	long, begins, err := t.rounds(h.in.IDs)
	if err != nil {
		return nil, err
	}
	if err := long.play(long.hosts(), nil); err != nil {
		return nil, err
	}
	var counted []int
	still, err := twice(func() (where []int, err error) {
		counted, where = long.measure([2][]election.TermKeeper{long.hosts(), long.hosts()}, begins[rounds-2])
		return where, nil
	})
	if err != nil {
		return nil, err
	}
	last := begins[rounds-1]
	return slices.DeleteFunc(where, func(i int) bool {
		s := sortOf(&h.moments[i])
		return long.inBoth(counted, s, last) && !long.inBoth(still, s, last)
	}), nil
}

// inBoth reports whether some of these moments are of the given sort both before the last round and in it.
func (h *history) inBoth(moments []int, s stepSort, last int) bool {
	var before, in bool
	for _, i := range moments {
		if sortOf(&h.moments[i]) == s {
			before, in = before || i < last, in || i >= last
		}
	}
	return before && in
}

// stepSort is the common property of moments in which a Node does the same.
type stepSort struct {
	op                 election.Op
	kind, layer, timer uint8
}

func sortOf(m *moment) stepSort {
	return stepSort{op: m.ev.Op, kind: m.ev.Msg.Kind, layer: max(m.ev.Layer, m.ev.Msg.Layer),
		timer: m.ev.Timer}
}

// rounds is the number of elections in a long history.
const rounds = 6

// rounds records identical consecutive elections among these processes, and returns the moments in which they
// begin.
func (t *trial) rounds(ids []election.ID) (h *history, begins []int, err error) {
	in, err := t.input(ids)
	if err != nil {
		return nil, nil, err
	}
	h = &history{in: in}
	where := in.Positions()
	s, err := sim.New(sim.Config{Input: in, Observe: func(o *observe.Occurrence) {
		if o.What == observe.Step {
			h.moments = append(h.moments, moment{p: where[o.Process], ev: *o.Event})
		}
	}})
	if err != nil {
		return nil, nil, err
	}
	for round := range rounds {
		if begins = append(begins, len(h.moments)); round > 0 {
			again(s, &in)
		}
		for range longest / rounds {
			if !s.Step() {
				break
			}
		}
	}
	h.prepare()
	return h, begins, nil
}

// again starts another election: the processes that have started do so again, and followers briefly suspect
// their leader, because for critical sections a Start is only a request.
func again(s *sim.Sim, in *scenario.Input) {
	where := in.Positions()
	starters := in.Starters()
	if starters == nil {
		starters = in.IDs
	}
	for _, id := range starters {
		s.Post(where[id], election.Event{Op: election.Start})
	}
	for p := range in.IDs {
		leader := s.Outcome(p).Leader.ID
		for port := range election.Port(in.Ports(p)) {
			if q, _, ok := in.Topology.Link(p, port); ok && q != p && in.IDs[q] == leader {
				s.Post(p, election.Event{Op: election.Suspect, Port: port})
				s.Post(p, election.Event{Op: election.Trust, Port: port})
			}
		}
	}
}
