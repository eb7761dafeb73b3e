package sim

import (
	"container/heap"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// timer is a timer that has been set. One that was stopped or set anew stays in the heap until
// its time and is then passed over.
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

// timers are those of all processes.
type timers struct {
	heap    timerHeap
	running map[int32][]running // by process
	seq     uint64
	next    time.Duration // when the first one that counts is due
}

type timerHeap []timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(timer)) }
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// change starts or stops a timer, as a Node asks.
func (t *timers) change(p int, now time.Duration, c *election.TimerChange, clocks *scenario.Clocks,
	r *random) error {
	own := func(r running) bool {
		return r.layer == c.Layer && (r.name == c.Timer || c.All)
	}
	t.drop(int32(p), own) // its entry stays in the heap: to find that takes longer than to pass over it later
	defer t.findNext()
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
		t.running = make(map[int32][]running)
	}
	t.seq++
	t.running[int32(p)] = append(t.running[int32(p)], running{name: c.Timer, layer: c.Layer, seq: t.seq})
	heap.Push(&t.heap, timer{at: now + wait, seq: t.seq, p: int32(p), name: c.Timer, layer: c.Layer})
	return nil
}

// drop forgets those timers of a process for which which holds.
func (t *timers) drop(p int32, which func(running) bool) {
	if list := t.running[p]; len(list) > 0 {
		t.running[p] = slices.DeleteFunc(list, which)
	}
}

// due returns when a timer that runs is to run out; zero if it has, and a paused process has yet to take
// that.
func (t *timers) due(seq uint64) time.Duration {
	if i := slices.IndexFunc(t.heap, func(t timer) bool { return t.seq == seq }); i >= 0 {
		return t.heap[i].at
	}
	return 0
}

// stopAll stops every timer of a process.
func (t *timers) stopAll(p int) {
	delete(t.running, int32(p))
	t.findNext()
}

// isRunning reports whether a timer of the heap was neither stopped nor set anew.
func (t *timers) isRunning(first timer) bool {
	return slices.ContainsFunc(t.running[first.p], func(r running) bool { return r.seq == first.seq })
}

// findNext drops what no longer counts and finds when the next one is due.
func (t *timers) findNext() {
	for len(t.heap) > 0 {
		if first := t.heap[0]; t.isRunning(first) {
			t.next = first.at
			return
		}
		heap.Pop(&t.heap)
	}
	t.next = never
}

// pop takes the first one that counts off the heap. It goes on counting until expire is called.
func (t *timers) pop() timer {
	return heap.Pop(&t.heap).(timer)
}

// expire reports whether a timer that has run out still counts, which it does from now on no
// more.
func (t *timers) expire(p int32, seq uint64) (counted bool) {
	t.drop(p, func(r running) bool {
		counted = counted || r.seq == seq
		return r.seq == seq
	})
	t.findNext()
	return counted
}

// timeout lets the first timer run out.
func (s *Sim) timeout() {
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
