package sim

import (
	"container/heap"
	"time"

	"github.com/go-election/election"
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

type timerKey struct {
	p           int32
	layer, name uint8
}

// timers are those of all processes.
type timers struct {
	heap    timerHeap
	running map[timerKey]uint64 // the number of the one that counts
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

func (t timer) key() timerKey { return timerKey{t.p, t.layer, t.name} }

// change carries out one wish of a Node.
func (t *timers) change(p int, now time.Duration, c *election.TimerChange, r *random) {
	key := timerKey{int32(p), c.Layer, c.Timer}
	switch c.Act {
	case election.TimerStop:
		delete(t.running, key)
	case election.TimerStopAll:
		for k := range t.running {
			if k.p == key.p && k.layer == key.layer {
				delete(t.running, k)
			}
		}
	case election.TimerSet:
		if t.running == nil {
			t.running = make(map[timerKey]uint64)
		}
		wait := max(c.Min, 0)
		if c.Max > wait {
			wait += time.Duration(r.below(uint64(c.Max-wait) + 1))
		}
		t.seq++
		t.running[key] = t.seq
		heap.Push(&t.heap, timer{at: now + wait, seq: t.seq, p: key.p, name: c.Timer, layer: c.Layer})
	}
	t.look()
}

// stopAll stops every timer of a process.
func (t *timers) stopAll(p int) {
	for k := range t.running {
		if k.p == int32(p) {
			delete(t.running, k)
		}
	}
	t.look()
}

// look drops what no longer counts and finds when the next one is due.
func (t *timers) look() {
	for len(t.heap) > 0 {
		if first := t.heap[0]; t.running[first.key()] == first.seq {
			t.next = first.at
			return
		}
		heap.Pop(&t.heap)
	}
	t.next = never
}

func (t *timers) pop() timer {
	first := heap.Pop(&t.heap).(timer)
	delete(t.running, first.key())
	t.look()
	return first
}

func (s *Sim) timeout(t timer) {
	s.local(int(t.p), election.Event{Op: election.Timeout, Timer: t.name, Layer: t.layer})
}
