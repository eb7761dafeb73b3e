package electiontest

import (
	"fmt"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// What one process may be told, messages and time-outs together, before an election counts as one without
// end: plenty, or more among many, and where it goes on by itself, as with heartbeats, so many a unit of
// time.
const (
	plenty    = 1 << 15
	ofEach    = 1 << 12
	heartbeat = 200
)

// limit bounds an election: once a process is told too much all fall silent, so that all comes to rest, in
// whichever driver and whether or not its clock goes on. Each process counts for itself: what they share
// would hide from the race detector what else they share.
type limit struct {
	most  int
	later int                          // so many more in each unit of time
	fell  atomic.Pointer[limitReached] // who was told too much
}

type limitReached struct {
	process election.ID
	told    int
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

// or returns the error that says that somebody has fallen silent, or err if nobody has.
func (l *limit) or(err error) error {
	if f := l.fell.Load(); f != nil {
		return fmt.Errorf("it goes on and on: more than %d messages and time-outs reach process %d", f.told,
			f.process)
	}
	return err
}

// boundedNode is a Node that falls silent when anybody was told too much.
type boundedNode struct {
	election.Node
	self  election.ID
	told  int
	limit *limit
}

func (n *boundedNode) Step(e *election.Env, ev *election.Event) {
	if n.limit.fell.Load() != nil {
		return
	}
	most := n.limit.most + n.limit.later*int(ev.At/scenario.Unit)
	if n.told >= most {
		n.limit.fell.CompareAndSwap(nil, &limitReached{n.self, most})
		return
	}
	n.told++
	n.Node.Step(e, ev)
}
