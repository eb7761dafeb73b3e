package trace

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// checker holds the events of a trace against each other, as they come.
type checker struct {
	where map[election.ID]int
	links topology.Topology
	seq   []uint64
	at    []time.Duration     // of the last event of each process
	sends map[Ref]election.ID // the receiver of each
	step  []bool              // a step of this process was the last, so that it may have done something
}

func newChecker(h *Header) *checker {
	c := &checker{links: h.Links, where: make(map[election.ID]int), sends: make(map[Ref]election.ID)}
	for p, id := range h.Scenario.IDs {
		c.where[id] = p
	}
	c.seq, c.step = make([]uint64, len(c.where)), make([]bool, len(c.where))
	c.at = make([]time.Duration, len(c.where))
	return c
}

func (c *checker) event(e *Event) error {
	p, ok := c.where[e.Process]
	switch {
	case !ok:
		return input.Errorf("process: %d is not a process of this run", e.Process)
	case e.Seq != c.seq[p]+1:
		return input.Errorf("seq: %d of process %d, after %d", e.Seq, e.Process, c.seq[p])
	case e.At < 0:
		return input.Errorf("at: %s is less than 0", short(e.At))
	case e.At < c.at[p] && c.clocked(e):
		return input.Errorf("at: %s of process %d, after %s", short(e.At), e.Process, short(c.at[p]))
	case e.Do.Effect() && !c.step[p]:
		return input.Errorf("do: process %d cannot %s when nothing has happened to it", e.Process, e.Do)
	case e.Do == observe.Choose && (e.Chosen < 0 || e.Chosen >= e.Of):
		return input.Errorf("chosen: %d is not below %d", e.Chosen, e.Of)
	}
	// A loss has the time of the process that notices it, so it has no part in the clock of this one.
	if c.seq[p] = e.Seq; e.Do != observe.Lose {
		c.at[p] = e.At
	}
	// Effects belong to the step before them. A crash or a pause is no step, so no effect may follow it.
	if !e.Do.Effect() {
		c.step[p] = e.Do.Op() != 0
	}
	if e.Do == observe.Send {
		c.sends[e.Ref()] = e.Peer
	}
	// A trace of one process names no sendings: these are in the traces of the others.
	if e.From == (Ref{}) {
		return c.link(e, p)
	}
	to, sent := c.sends[e.From]
	switch {
	case !sent:
		return input.Errorf("from: event %d of process %d is no sending, so far", e.From.Seq, e.From.Process)
	case e.Do == observe.Deliver && to != e.Process:
		return input.Errorf("from: event %d of process %d was sent to %d", e.From.Seq, e.From.Process, to)
	case e.Do == observe.Deliver && e.From.Process != e.Peer:
		return input.Errorf("from: process %d, but the peer is %d", e.From.Process, e.Peer)
	case (e.Do == observe.Duplicate || e.Do == observe.Delay) && e.From.Process != e.Process,
		e.Do == observe.Lose && e.From.Process != e.Process && to != e.Process:
		return input.Errorf("from: the message is not one of process %d", e.Process)
	}
	return c.link(e, p)
}

// clocked reports whether an event cannot be earlier than the one before it. A process
// that comes back may have another clock, and a loss has the time of the process that finds out about it.
func (c *checker) clocked(e *Event) bool {
	switch e.Do {
	case observe.Init, observe.Recover, observe.Restart, observe.Lose:
		return false
	}
	return true
}

// link wants a cut to be of a port that a process may send over. It wants a message to go over a link of the
// process that leads to its peer, or to no process if there is none.
func (c *checker) link(e *Event, p int) error {
	q, ok := 0, uint64(e.Port) < uint64(c.links.Ports(p))
	switch e.Do {
	case observe.Send, observe.Deliver:
	case observe.Cut, observe.Heal:
		if ok {
			_, _, ok = c.links.Link(p, e.Port)
		}
		if !ok {
			return input.Errorf("port: process %d has no link at port %d to be cut", e.Process, e.Port)
		}
		return nil
	default:
		return nil
	}
	switch {
	case !ok:
	case e.Do == observe.Send:
		q, _, ok = c.links.Link(p, e.Port)
	default:
		q, ok = topology.Behind(c.links, p, e.Port)
	}
	switch to, known := c.where[e.Peer]; {
	case !ok && e.Peer != 0:
		return input.Errorf("port: process %d has no link at port %d", e.Process, e.Port)
	case ok && (!known || to != q):
		return input.Errorf("port: %d of process %d does not lead to %d", e.Port, e.Process, e.Peer)
	}
	return nil
}
