package check

import (
	"fmt"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// first returns the state in which nothing has happened yet but what must come first. each is called
// for every process that has been initialised or started.
func (w *worker) first(each func(p int, starts bool)) ([]uint32, error) {
	c := w.config
	state := make([]uint32, w.slots)
	f := frame{tokens: w.noTokens(), left: c.budgets()}
	state[w.slots-1] = w.frame(f)
	for l := range w.links {
		state[w.n+l] = w.queue(l, nil, &w.messages)
	}
	starts := make(map[election.ID]bool)
	starters := c.Starters()
	if starters == nil {
		starters = c.IDs
	}
	for _, id := range starters {
		starts[id] = true
	}
	for p, id := range c.IDs {
		is := local{}
		if starts[id] {
			is.flags |= isToStart
		}
		if slices.Contains(c.Crashed, id) {
			is.flags |= isDown
			state[p] = w.local(p, is)
			continue
		}
		state[p] = w.local(p, is)
		w.changed = w.changed[:0]
		// A search has one first state.
		if w.handle(state, p, w.initKey(), 0, noTimer) > 1 {
			return nil, input.Errorf("algorithm: %s makes a random choice before the first step",
				c.Algorithm.Title())
		}
		if err := w.commit(state); err != nil {
			return nil, err
		}
		each(p, false)
	}
	if !c.Started {
		return state, nil
	}
	where := c.Positions()
	for _, id := range starters {
		if w.locals[where[id]].at(state[where[id]]).flags&isDown != 0 {
			continue
		}
		if w.take(state, newAction(doStart, where[id], 0)) > 1 {
			return nil, input.Errorf("started: %s makes a random choice when it starts; "+
				"only starts at any moment are checked for every choice", c.Algorithm.Title())
		}
		if err := w.commit(state); err != nil {
			return nil, err
		}
		each(where[id], true)
	}
	return state, nil
}

// noTokens returns room for the largest token of each section; of an algorithm with leases, for the largest
// Term of a lease.
func (m *model) noTokens() []uint64 {
	a := m.config.Algorithm
	if a.Elects == election.LeaseHolders {
		return make([]uint64, max(a.Sections, 1))
	}
	return make([]uint64, a.Sections)
}

// initKey returns the key of the first Init of a process.
func (w *worker) initKey() effectKey {
	key := effectKey{op: election.Init}
	if w.config.Algorithm.Elects == election.LeaseHolders {
		key.incarnation = 1
	}
	return key
}

// commit carries out the step at hand.
func (w *worker) commit(state []uint32) error {
	for _, c := range w.changed {
		state[c.slot] = c.to
	}
	if w.broken != 0 {
		return fmt.Errorf("before the first state: %w", w.fault)
	}
	return nil
}
