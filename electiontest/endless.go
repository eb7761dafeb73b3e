package electiontest

import (
	"fmt"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// Limits on messages and time-outs per process, above which an election counts as endless.
const (
	plenty    = 1 << 15
	ofEach    = 1 << 12 // times the number of processes, if that is more
	heartbeat = 200     // additional ones per unit of time, if the algorithm never comes to rest
)

// limit bounds an election: when too many events have reached one process, all processes fall silent, so that
// the run comes to rest, in any driver and whether or not its clock advances. Each process has its own count: a
// shared counter would order their steps, and so hide data races between them from the race detector.
type limit struct {
	most  int
	later int                          // additional events per unit of time
	fell  atomic.Pointer[limitReached] // the process that has reached the limit
}

type limitReached struct {
	process election.ID
	reached int
}

// bounded returns an election that cannot run forever, and its limit.
func bounded(in scenario.Input) (scenario.Input, *limit) {
	l := &limit{most: max(plenty, ofEach*len(in.IDs))}
	if in.Algorithm.NeverQuiesces {
		l.later = heartbeat
	}
	in.Algorithm = l.over(in.Algorithm)
	return in, l
}

// over returns an algorithm with this limit.
func (l *limit) over(a *election.Algorithm) *election.Algorithm {
	b := *a
	b.New = func(s election.Setup) election.Node {
		return &boundedNode{Node: a.New(s), self: s.Self.ID, limit: l}
	}
	return &b
}

// stop makes all processes fall silent.
func (l *limit) stop() { l.fell.CompareAndSwap(nil, &limitReached{}) }

// or returns the error of the process that has reached the limit, or err if there is none.
func (l *limit) or(err error) error {
	if f := l.fell.Load(); f != nil {
		return fmt.Errorf("it does not end: more than %d messages and time-outs reach process %d",
			f.reached,
			f.process)
	}
	return err
}

// boundedNode is a Node that falls silent when any process has reached the limit.
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
