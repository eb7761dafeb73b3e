package trace

import "github.com/go-election/election"

// checker holds the events of a trace against each other, as they come.
type checker struct {
	where map[election.ID]int
	seq   []uint64
	sends map[Ref]election.ID // to whom
	step  []bool              // a step of this process was the last, so that it may have done something
}

func newChecker(h *Header) *checker {
	c := &checker{where: make(map[election.ID]int), sends: make(map[Ref]election.ID)}
	for p, id := range h.Scenario.IDs {
		c.where[id] = p
	}
	c.seq, c.step = make([]uint64, len(c.where)), make([]bool, len(c.where))
	return c
}

func (c *checker) event(e *Event) error {
	p, ok := c.where[e.Process]
	switch {
	case !ok:
		return bad("process: %d is not a process of this run", e.Process)
	case e.Seq != c.seq[p]+1:
		return bad("seq: %d of process %d, after %d", e.Seq, e.Process, c.seq[p])
	case e.Do.effect() && !c.step[p]:
		return bad("do: process %d cannot %s when nothing has happened to it", e.Process, e.Do)
	case e.Do == Choose && e.Chosen >= e.Of:
		return bad("chosen: %d is not below %d", e.Chosen, e.Of)
	}
	c.seq[p] = e.Seq
	if !e.Do.effect() {
		c.step[p] = e.Do.happens()
	}
	if e.Do == Send {
		c.sends[e.Ref()] = e.Peer
	}
	if e.From == (Ref{}) {
		return nil
	}
	to, sent := c.sends[e.From]
	switch {
	case !sent:
		return bad("from: event %d of process %d is no sending, so far", e.From.Seq, e.From.Process)
	case e.Do == Receive && to != e.Process:
		return bad("from: event %d of process %d was sent to %d", e.From.Seq, e.From.Process, to)
	case e.Do == Receive && e.From.Process != e.Peer:
		return bad("from: process %d, but the peer is %d", e.From.Process, e.Peer)
	case e.Do == Duplicated && e.From.Process != e.Process,
		e.Do == Lost && e.From.Process != e.Process && to != e.Process:
		return bad("from: the message is none of process %d", e.Process)
	}
	return nil
}
