package local

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// watch tells an observer what happens. Where there is one, messages carry their number in place of
// their depth, which is looked up here.
type watch struct {
	observe observe.Observer

	mu     sync.Mutex
	depths []uint32 // of every message that was sent; message number n is depths[n-1]
}

// choose returns what serves the Env of a worker. Where somebody observes, choices are noted.
func (w *worker) choose() func(n int) int {
	if w.run.watch == nil {
		return rand.IntN
	}
	return func(n int) int {
		chosen := rand.IntN(n)
		w.choices = append(w.choices, observe.Choice{Of: n, Chosen: chosen})
		return chosen
	}
}

// stepped numbers the messages of a step, which are sent next, and tells the observer of it.
func (w *worker) stepped(p int, depth uint32, ev *election.Event, fx *election.Effects) {
	seen := w.run.watch
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if uint64(len(seen.depths))+uint64(len(fx.Sends)) > math.MaxUint32 {
		panic("local: too many messages to be observed")
	}
	w.first, w.at = uint32(len(seen.depths))+1, ev.At
	for range fx.Sends {
		seen.depths = append(seen.depths, depth)
	}
	o := observe.Occurrence{
		What: observe.Step, Process: w.run.config.IDs[p], At: ev.At, Event: ev, Effects: fx,
		Choices: w.choices, First: uint64(w.first),
	}
	if ev.Op == election.Recv {
		o.Message = uint64(w.message)
	}
	seen.observe(&o)
	w.choices = w.choices[:0]
}

// number returns the number of the message that is sent now, which stands for its depth.
func (w *worker) number() uint32 {
	w.first++
	return w.first - 1
}

// receive returns the depth of the message that a process is about to be given.
func (w *worker) receive(number uint32) uint32 {
	w.message = number
	seen := w.run.watch
	seen.mu.Lock()
	defer seen.mu.Unlock()
	return seen.depths[number-1]
}

// report tells the observer, if there is one, of something that happens to a process.
func (r *run) report(p int, what observe.What, at time.Duration, message uint32) {
	if seen := r.watch; seen != nil {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		seen.observe(&observe.Occurrence{What: what, Process: r.config.IDs[p], At: at,
			Message: uint64(message)})
	}
}

// reportCrashed tells the observer who is down at the beginning.
func (r *run) reportCrashed() {
	if r.watch == nil {
		return
	}
	for p := range r.procs {
		if r.procs[p].crashed {
			r.report(p, observe.Crash, 0, 0)
		}
	}
}
