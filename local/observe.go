package local

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// watch reports occurrences to an observer, and numbers messages for it.
type watch struct {
	observe observe.Observer

	mu   sync.Mutex
	sent uint32 // number of the last message sent
}

// choose returns the implementation of Choose for the Env of a worker. If there is an observer, it records the
// choices.
func (w *worker) choose() func(n int) int {
	draw := rand.IntN
	if w.run.config.Draws != nil {
		draw = w.draw
	}
	if w.run.watch == nil {
		return draw
	}
	return func(n int) int {
		chosen := draw(n)
		// A replay of the run has to make the same choices, so every choice is part of the step's report.
		w.choices = append(w.choices, observe.Choice{Of: n, Chosen: chosen})
		return chosen
	}
}

// draw returns the next choice of the current process, from Config.Draws if the Input has them.
func (w *worker) draw(n int) int {
	p := w.stepping
	drawn, err := w.run.config.Draw(p, int(w.run.drawn[p]), n)
	w.run.drawn[p]++
	if err != nil {
		w.run.fail(p, err)
		return 0
	}
	return drawn - 1
}

// stepped numbers the messages of a step, which are sent next, and reports the step to the observer.
func (w *worker) stepped(p int, ev *election.Event, fx *election.Effects) {
	seen := w.run.watch
	seen.mu.Lock()
	defer seen.mu.Unlock()
	// Entries store the message number in 32 bits to fit into a cache line. After a wrap-around the number
	// would identify another message.
	if uint64(seen.sent)+uint64(len(fx.Sends)) > math.MaxUint32 {
		panic("local: too many messages to be observed")
	}
	w.first = seen.sent + 1
	seen.sent += uint32(len(fx.Sends))
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

// number returns the number of the message that is being sent. It is meaningless if the run is not observed.
func (w *worker) number() uint32 {
	w.first++
	return w.first - 1
}

// report reports an occurrence to the observer, if there is one.
func (r *run) report(p int, what observe.What, at time.Duration, message uint32) {
	if seen := r.watch; seen != nil {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		seen.observe(&observe.Occurrence{What: what, Process: r.config.IDs[p], At: at,
			Message: uint64(message)})
	}
}

// reportCrashed reports the processes that are down at the beginning.
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
