package check

import (
	"slices"

	"github.com/go-election/election/input"
)

// A message of a kind that is kept stays on its link when it is delivered: it may arrive again at any time, or
// never. So a link holds the set of those that were ever sent on it, and no state has to tell which of them have
// arrived. That a message is lost needs no step either: it does not arrive.
//
// A state is richer than another if it has the same locals and the same frame, and each link holds at least
// what it holds in the other state. No step needs a link to be empty: messages have no age, no link keeps the
// order, and no report waits for the last message of a process. So a richer state can take each step that the
// other state can, and the state that follows is richer again. Properties depend on locals, frames and what
// handlers do, never on what is on a link. So each violation that can be reached from a state can be reached
// from a richer one, and two kinds of delivery need not be taken, or not be combined with others:
//
//   - If a delivery leads to a state of which this one is richer, it changes nothing, except that it may take a
//     message off its link. It is left out.
//   - If a delivery leads to a state that is richer than this one, it changes nothing, except that it sends
//     something. It is the only step that is taken: an answer of a process that does not change is sent
//     immediately, rather than before and after each other step.
//
// The second ends as long as processes that do not change send a finite number of messages.

// checkKept returns an error unless what is said above is true of c.
func (c *Config) checkKept() error {
	ageless := c.Delay == 0 || c.Until > 0 && c.Delay >= c.Until
	switch {
	case len(c.Kept) == 0:
		return nil
	case !c.Unordered || !ageless || c.Algorithm.Synchronous:
		return input.Errorf("kept: needs links that do not keep the order, and a delay of at least until")
	case c.Nudge || c.Reduce || len(c.After) > 0:
		return input.Errorf("kept: not allowed with nudge, reduce or after")
	}
	return nil
}

// trim looks at the delivery that was offered last. It leaves that out if this state is richer than the one that
// follows, and all others if that one is richer than this, and reports whether it has left out all others.
func (w *worker) trim(state []uint32) (alone bool) {
	richer, poorer := w.compare(state)
	switch last := len(w.out) - 1; {
	case w.config.untrimmed:
	case poorer:
		w.out = w.out[:last]
	case richer:
		w.out = append(w.out[:0], w.out[last])
		return true
	}
	return false
}

// compare reports whether the state that follows the step at hand is richer than this one, and whether this one
// is richer than that. If they are the same, both are.
func (w *worker) compare(state []uint32) (richer, poorer bool) {
	if w.broken != 0 {
		return false, false
	}
	richer, poorer = true, true
	for _, c := range w.changed {
		if c.slot < w.n || c.slot == w.slots-1 {
			return false, false
		}
		l := c.slot - w.n
		was, is := w.queues[l].at(state[c.slot]).items, w.queues[l].at(c.to).items
		richer, poorer = richer && contains(is, was), poorer && contains(was, is)
	}
	return richer, poorer
}

// contains reports whether all holds each item of some, at least as often.
func contains(all, some []item) bool {
	all = slices.Clone(all)
	for _, t := range some {
		at := slices.Index(all, t)
		if at < 0 {
			return false
		}
		all = slices.Delete(all, at, at+1)
	}
	return true
}

// copied reports of each step whether it delivers a message that a later step delivers again.
func (p *pen) copied(acts []action) []bool {
	type sent struct {
		link int
		msg  uint32
	}
	again, last, state := make([]bool, len(acts)), make(map[sent]int), slices.Clone(p.state)
	for i, a := range acts {
		if l := a.index(); a.kind() == doDeliver {
			is := sent{l, p.w.queues[l].at(state[p.w.n+l]).items[a.part()].msg}
			if before, ok := last[is]; ok {
				again[before] = true
			}
			last[is] = i
		}
		p.w.take(state, a)
		for _, c := range p.w.changed {
			state[c.slot] = c.to
		}
	}
	return again
}
