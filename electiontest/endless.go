package electiontest

import (
	"fmt"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// How many messages and time-outs may reach one process before an election counts as one without end.
const (
	plenty    = 1 << 15
	ofEach    = 1 << 12 // times the number of processes, if that is more
	heartbeat = 200     // more in each unit of time, where the algorithm never comes to rest
)

// limit bounds an election: once too much has reached a process all fall silent, so that the run comes
// to rest, in any driver and whether or not its clock goes on. Each process has a count of its own: a
// shared one would order their steps, and so hide from the race detector what else they share.
type limit struct {
	most  int
	later int                          // how many more in each unit of time
	fell  atomic.Pointer[limitReached] // the process that too much has reached
}

type limitReached struct {
	process election.ID
	reached int
}

// bounded returns an election that does not go on for ever, and what bounds it.
func bounded(in scenario.Input) (scenario.Input, *limit) {
	l := &limit{most: max(plenty, ofEach*len(in.IDs))}
	if in.Algorithm.NeverQuiesces {
		l.later = heartbeat
	}
	in.Algorithm = l.over(in.Algorithm)
	return in, l
}

// over returns an algorithm with this bound.
func (l *limit) over(a *election.Algorithm) *election.Algorithm {
	b := *a
	b.New = func(s election.Setup) election.Node {
		return &boundedNode{Node: a.New(s), self: s.Self.ID, limit: l}
	}
	return &b
}

// stop lets all fall silent.
func (l *limit) stop() { l.fell.CompareAndSwap(nil, &limitReached{}) }

// or returns the error of a process that too much has reached, or err if there is none.
func (l *limit) or(err error) error {
	if f := l.fell.Load(); f != nil {
		return fmt.Errorf("it goes on and on: more than %d messages and time-outs reach process %d",
			f.reached,
			f.process)
	}
	return err
}

// boundedNode is a Node that falls silent when too much has reached any process.
type boundedNode struct {
	election.Node
	self  election.ID
	count int // messages and time-outs
	limit *limit
}

func (n *boundedNode) Step(e *election.Env, ev *election.Event) {
	// All processes fall silent together, so that the driver comes to rest and the test ends.
	if n.limit.fell.Load() != nil {
		return
	}
	most := n.limit.most + n.limit.later*int(ev.At/scenario.Unit)
	if n.count >= most {
		n.limit.fell.CompareAndSwap(nil, &limitReached{n.self, most})
		return
	}
	n.count++
	n.Node.Step(e, ev)
}
