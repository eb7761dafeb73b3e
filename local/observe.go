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
	tell observe.Observer

	mu     sync.Mutex
	depths []uint32 // of every message that was sent; message number n is depths[n-1]
}

// choose returns what serves the Env of the desk. Where somebody observes, choices are noted.
func (d *desk) choose() func(n int) int {
	if d.run.watch == nil {
		return rand.IntN
	}
	return func(n int) int {
		chosen := rand.IntN(n)
		d.choices = append(d.choices, observe.Choice{Of: n, Chosen: chosen})
		return chosen
	}
}

// stepped numbers the messages of a step, which are sent next, and tells the observer of it.
func (d *desk) stepped(p int, depth uint32, ev *election.Event, fx *election.Effects) {
	w := d.run.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if uint64(len(w.depths))+uint64(len(fx.Sends)) > math.MaxUint32 {
		panic("local: too many messages to be observed")
	}
	d.first, d.at = uint32(len(w.depths))+1, ev.At
	for range fx.Sends {
		w.depths = append(w.depths, depth)
	}
	o := observe.Occurrence{
		What: observe.Step, Process: d.run.config.IDs[p], At: ev.At, Event: ev, Effects: fx,
		Choices: d.choices, First: uint64(d.first),
	}
	if ev.Op == election.Recv {
		o.Message = uint64(d.message)
	}
	w.tell(&o)
	d.choices = d.choices[:0]
}

// number returns the number of the message that is sent now, which stands for its depth.
func (d *desk) number() uint32 {
	d.first++
	return d.first - 1
}

// receive returns the depth of the message that a process is about to be given.
func (d *desk) receive(number uint32) uint32 {
	d.message = number
	w := d.run.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.depths[number-1]
}

// report tells the observer, if there is one, of something that happens to a process.
func (r *run) report(p int, what observe.What, at time.Duration, message uint32) {
	if w := r.watch; w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.tell(&observe.Occurrence{What: what, Process: r.config.IDs[p], At: at, Message: uint64(message)})
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
