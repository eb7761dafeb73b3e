package check

import (
	"slices"
	"time"

	"github.com/go-election/election"
)

// offer adds a step, once for each thing that chance may bring.
func (w *worker) offer(state []uint32, hash uint64, a action) {
	// How many there are is known once the first was taken.
	for choice, choices := 0, 1; choice < choices; choice++ {
		is := a | action(choice)
		choices = w.take(state, is)
		w.out = append(w.out, successor{hash: w.nextHash(state, hash), act: is})
		if w.broken != 0 {
			w.reports = append(w.reports, report{rule: w.broken - 1, act: is, err: w.fault})
		}
	}
}

// nextHash returns the hash of the state that the step at hand leads to.
func (w *worker) nextHash(state []uint32, hash uint64) uint64 {
	for _, c := range w.changed {
		hash += w.hashOf(c.slot, c.to) - w.hashOf(c.slot, state[c.slot])
	}
	return hash
}

func (w *worker) hashOf(slot int, v uint32) uint64 {
	switch {
	case slot < w.n:
		return w.locals[slot].at(v).hash
	case slot < w.slots-1:
		return w.queues[slot-w.n].at(v).hash
	}
	return w.frames.at(v).hash
}

// hash returns the hash of a state. It is a sum, so that nextHash has to look only at the slots that change.
func (w *worker) hash(state []uint32) (h uint64) {
	for slot, v := range state {
		h += w.hashOf(slot, v)
	}
	return h
}

// expand leaves in w.out every step that is possible in a state, in an order that depends on
// nothing else. It reports whether any of them must happen in the end.
func (w *worker) expand(state []uint32, hash uint64) (must bool) {
	w.out, w.reports = w.out[:0], w.reports[:0]
	f := w.frames.at(state[w.slots-1])
	// The order decides by which of several steps a state is found, and so which counterexample is shown.
	late := w.offerStarts(state, hash, f)
	due, alone := w.offerDeliveries(state, hash)
	if alone {
		return true
	}
	if !due { // what arrives at the very moment at which a timer runs out is heard before
		for i := range f.timers {
			if w.canRunOut(f, i) && !w.isResting(state, f.timers[i].owner.process()) {
				w.offer(state, hash, newAction(doTimeout, 0, i))
			}
		}
	}
	w.offerNotices(state, hash)
	w.offerEnds(state, hash, f)
	if w.timed() && !due && !late && !w.isExpired(state, f) && w.timeMustGoOn(state, f) &&
		(w.config.Until == 0 || time.Duration(f.now) < w.ticks(w.config.Until)) {
		w.offer(state, hash, newAction(doTick, 0, 0))
	}
	// A nudge is the last resort, so it comes only where nothing else is possible: else it would compete with
	// the election that it is to begin.
	if w.config.Nudge && len(w.out) == 0 && !w.isCutOff(state) {
		for p := range w.n {
			if is := w.locals[p].at(state[p]); is.flags&(isDown|hasMissed) == 0 &&
				is.outcome.Role == election.Undecided {
				w.offer(state, hash, newAction(doNudge, p, 0))
			}
		}
	}
	must = len(w.out) > 0 // a state with nothing but failures ahead is one at rest
	w.offerFailures(state, hash, f)
	return must
}

// offerStarts offers the starts, and reports whether one can wait no longer.
func (w *worker) offerStarts(state []uint32, hash uint64, f *frame) (late bool) {
	for p := range w.n {
		if w.mayStart(state, p) {
			w.offer(state, hash, newAction(doStart, p, 0))
			late = late || w.timed() && w.ticks(w.config.Window) <= time.Duration(f.now)
		}
	}
	return late
}

// mayStart reports whether a start of p is still to come. Where a start says that the leader is down, a
// process that follows one that is up does not start. Of all other algorithms it does: the service that
// calls Start need not know the leader.
func (w *worker) mayStart(state []uint32, p int) bool {
	is := w.locals[p].at(state[p])
	if is.flags&(isToStart|isDown|isPaused) != isToStart {
		return false
	}
	if !w.config.Algorithm.StartSuspects || is.outcome.Leader.ID == 0 {
		return true
	}
	q := slices.Index(w.config.IDs, is.outcome.Leader.ID)
	return q >= 0 && w.locals[q].at(state[q]).flags&isDown != 0
}

// offerDeliveries offers what is on links, and reports whether any of it can wait no longer, and whether one
// delivery is enough for all steps.
func (w *worker) offerDeliveries(state []uint32, hash uint64) (due, alone bool) {
	if w.voters != nil && !w.voters.Late && w.offerReleases(state, hash) {
		return false, true
	}
	for l := range w.links {
		q := w.queues[l].at(state[w.n+l])
		if w.isResting(state, w.links[l].to) {
			continue
		}
		due = due || q.due
		for _, part := range q.heads {
			w.offer(state, hash, newAction(doDeliver, l, int(part)))
			if w.keeps && w.trim(state) {
				return false, true
			}
		}
	}
	return due, false
}

// canRunOut reports whether a timer may run out.
func (w *worker) canRunOut(f *frame, i int) bool {
	if w.timed() {
		return f.timers[i].min <= 0
	}
	return len(f.timers[i].before) == 0
}

// timeMustGoOn reports whether anything is still to come for which time must go on.
func (w *worker) timeMustGoOn(state []uint32, f *frame) bool {
	// What has waited for a process that is paused for as long as it may waits for the end of the pause
	// alone: if time went on for it, it would go on forever.
	for i := range f.timers {
		if t := &f.timers[i]; t.max > 0 || !w.isResting(state, t.owner.process()) {
			return true
		}
	}
	for l := range w.links {
		q := w.queues[l].at(state[w.n+l])
		if w.isResting(state, w.links[l].to) {
			if slices.ContainsFunc(q.items, func(t item) bool { return t.left > 0 }) {
				return true
			}
		} else if len(q.items) > 0 {
			return true
		}
	}
	for p := range w.n {
		if w.mayStart(state, p) {
			return true
		}
	}
	return false
}

// offerNotices offers that a process notices that its leader is down. As long as a message of the leader is
// in flight no process does: without a detector, a process notices by a time-out that is longer than a delay.
func (w *worker) offerNotices(state []uint32, hash uint64) {
	if w.detects {
		w.offerReports(state, hash)
	}
	if !w.config.Algorithm.Faults.Unaided() || w.config.Crashes == 0 {
		return
	}
	for p := range w.n {
		is := w.locals[p].at(state[p])
		if is.flags&(isDown|isPaused|hasMissed) != 0 || is.outcome.Leader.ID == 0 {
			continue
		}
		q := slices.Index(w.config.IDs, is.outcome.Leader.ID)
		if q >= 0 && w.locals[q].at(state[q]).flags&isDown != 0 && !w.isUnderWayFrom(state, q) {
			w.offer(state, hash, newAction(doNotice, p, 0))
		}
	}
}

// offerFailures offers what may go wrong.
func (w *worker) offerFailures(state []uint32, hash uint64, f *frame) {
	b := &f.left
	for p := range w.n {
		switch down := w.locals[p].at(state[p]).flags&isDown != 0; {
		case !down && b.crashes > 0:
			w.offer(state, hash, newAction(doCrash, p, 0))
		case down && b.recoveries > 0:
			w.offer(state, hash, newAction(doRecover, p, 0))
		}
		// Not a case of the switch: where both budgets are left, both ways to come back are open.
		if w.locals[p].at(state[p]).flags&isDown != 0 && b.restarts > 0 {
			w.offer(state, hash, newAction(doRestart, p, 0))
		}
	}
	w.offerPauses(state, hash, f)
	// Losses may be Unlimited, which is negative; duplicates may not, or there would be states without end.
	if b.losses == 0 && b.duplicates <= 0 || w.keeps {
		return
	}
	for l := range w.links {
		for _, part := range w.queues[l].at(state[w.n+l]).heads {
			if b.losses != 0 {
				w.offer(state, hash, newAction(doLose, l, int(part)))
			}
			if b.duplicates > 0 {
				w.offer(state, hash, newAction(doDuplicate, l, int(part)))
			}
		}
	}
}
