package sim

import (
	"container/heap"
	"iter"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// timer is a timer that has been set. A timer that was stopped or set again stays in the queue until its
// time, and is then ignored.
type timer struct {
	at    time.Duration
	seq   uint64
	p     int32
	name  uint8
	layer uint8
}

// running is a timer that counts.
type running struct {
	name, layer uint8
	seq         uint64
}

// before reports whether t runs out before u.
func (t *timer) before(u *timer) bool { return t.at < u.at || t.at == u.at && t.seq < u.seq }

// timers contains the timers of all processes.
type timers struct {
	// line contains timers in the order in which they are due, from first on. If all timers have the same
	// duration, this is the order of setting, and the heap stays empty.
	line    []timer
	first   int
	heap    timerHeap // timers that are due before the last of the line
	running []few     // by process; nil before the first timer
	seq     uint64
	next    time.Duration // when the first one that counts is due
	nextSeq uint64        // its number, unless next is never
	changes uint64        // the number of times that timers were looked up, to be set, stopped or run out
}

// few are the timers of a process that run. Most processes have one at a time, which takes no memory of
// its own.
type few struct {
	one  running // of number zero if there is none
	more []running
}

type timerHeap []timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].before(&h[j]) }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)        { *h = append(*h, x.(timer)) }
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// push adds a timer.
func (t *timers) push(x timer) {
	switch n := len(t.line); {
	case t.first < n && x.before(&t.line[n-1]):
		heap.Push(&t.heap, x)
		return
	case n == cap(t.line) && t.first > n/2: // rather than let it grow
		t.line = t.line[:copy(t.line, t.line[t.first:])]
		t.first = 0
	}
	t.line = append(t.line, x)
}

// front returns the first timer, which may have been stopped; nil if there is none.
func (t *timers) front() *timer {
	switch {
	case t.inLine():
		return &t.line[t.first]
	case len(t.heap) > 0:
		return &t.heap[0]
	}
	return nil
}

// inLine reports whether the first timer is in the line.
func (t *timers) inLine() bool {
	return t.first < len(t.line) && (len(t.heap) == 0 || t.line[t.first].before(&t.heap[0]))
}

// all returns all timers, in any order.
func (t *timers) all() []timer { return slices.Concat(t.line[t.first:], t.heap) }

// of returns the timers of a process that count.
func (t *timers) of(p int32) iter.Seq[running] {
	return func(yield func(running) bool) {
		if t.running == nil {
			return
		}
		f := &t.running[p]
		if f.one.seq != 0 && !yield(f.one) {
			return
		}
		for _, r := range f.more {
			if !yield(r) {
				return
			}
		}
	}
}

// change starts or stops a timer of one of n processes, as its Node asks.
func (t *timers) change(p, n int, now time.Duration, c *election.TimerChange, clocks *scenario.Clocks,
	r *random) error {
	// Its entry stays: to find that takes longer than to pass over it later.
	t.drop(int32(p), func(r running) bool { return r.layer == c.Layer && (r.name == c.Timer || c.All) })
	if c.Stop {
		return nil
	}
	wait := max(c.Min, 0)
	if c.Max > wait {
		wait += time.Duration(r.uintN(uint64(c.Max-wait) + 1))
	}
	wait = clocks.After(p, wait)
	if wait > lastTime-now { // the sum of the two might be negative
		return ErrTime
	}
	if t.running == nil {
		t.running = make([]few, n)
	}
	t.seq++
	set := timer{at: now + wait, seq: t.seq, p: int32(p), name: c.Timer, layer: c.Layer}
	if f, r := &t.running[p], (running{name: c.Timer, layer: c.Layer, seq: t.seq}); f.one.seq == 0 {
		f.one = r
	} else {
		f.more = append(f.more, r)
	}
	t.push(set)
	if set.at < t.next { // of two that are due at one instant the first stays the first
		t.next, t.nextSeq = set.at, set.seq
	}
	return nil
}

// drop forgets those timers of a process for which which holds.
func (t *timers) drop(p int32, which func(running) bool) {
	t.changes++
	if t.running == nil {
		return
	}
	// Search for the next one only when this one is dropped: whether another one is still set is known to its
	// process, which may be anywhere in memory.
	next := false
	f := &t.running[p]
	if f.one.seq == 0 && len(f.more) == 0 {
		return
	}
	if f.one.seq != 0 && which(f.one) {
		next = f.one.seq == t.nextSeq
		f.one = running{}
	}
	if len(f.more) > 0 {
		f.more = slices.DeleteFunc(f.more, func(r running) bool {
			gone := which(r)
			next = next || gone && r.seq == t.nextSeq
			return gone
		})
	}
	if next {
		t.findNext()
	}
}

// due returns when a timer that runs is to run out; zero if it has, and a paused process has yet to take
// that.
func (t *timers) due(seq uint64) time.Duration {
	all := t.all()
	if i := slices.IndexFunc(all, func(t timer) bool { return t.seq == seq }); i >= 0 {
		return all[i].at
	}
	return 0
}

// stopAll stops every timer of a process.
func (t *timers) stopAll(p int) { t.drop(int32(p), func(running) bool { return true }) }

// isRunning reports whether a timer was neither stopped nor set again.
func (t *timers) isRunning(x timer) bool {
	if t.running == nil {
		return false
	}
	f := &t.running[x.p]
	return f.one.seq == x.seq || slices.ContainsFunc(f.more, func(r running) bool { return r.seq == x.seq })
}

// findNext drops what no longer counts and finds when the next one is due.
func (t *timers) findNext() {
	for first := t.front(); first != nil; first = t.front() {
		if t.isRunning(*first) {
			t.next, t.nextSeq = first.at, first.seq
			return
		}
		t.pop()
	}
	t.next, t.nextSeq = never, 0
}

// pop removes the first timer. If it is running, it continues to be until expire is called.
func (t *timers) pop() timer {
	if !t.inLine() {
		return heap.Pop(&t.heap).(timer)
	}
	t.first++
	return t.line[t.first-1]
}

// expire reports whether a timer that has run out still counts, which it does from now on no
// more.
func (t *timers) expire(p int32, seq uint64) (counted bool) {
	counted = t.isRunning(timer{p: p, seq: seq})
	if counted {
		t.drop(p, func(r running) bool { return r.seq == seq })
	}
	return counted
}

// timeout fires the first timer.
func (s *Sim) timeout() {
	if s.timers.first%prefetched == 0 && s.timers.inLine() {
		s.prefetch(s.timersAhead())
	}
	t := s.timers.pop()
	ev := election.Event{Op: election.Timeout, Timer: t.name, Layer: t.layer}
	if s.procs[t.p].status == Paused {
		s.timers.findNext()
		s.postpone(waiting{ev: ev, p: t.p, timer: t.seq})
		return
	}
	s.timers.expire(t.p, t.seq)
	s.local(int(t.p), ev)
}
