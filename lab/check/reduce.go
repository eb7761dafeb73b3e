package check

// reduce moves steps of w.out to its front that are enough, and returns how many; all of them if
// none can be left out.
//
// Steps of different processes that neither set timers nor enter sections commute: each changes its own
// process, takes from the head of links into that, and adds to the tail of links out of it. So all steps of
// one process are enough if no other process can bring about another step of it before it takes one: that
// is, if on each link into it there is something (the head of a link that keeps the order stays what it is),
// or can never come anything, since no process that could send it has anything to do. That every step of
// these is invisible to all properties, and that nothing is put off forever on a cycle, comes on top (the
// second is for the search to see to).
func (w *worker) reduce(state []uint32) int {
	f := w.frames.at(state[w.slots-1])
	if w.timed() || w.config.Nudge || w.detects || len(f.timers) > 0 || f.left != (budgets{}) ||
		f.group != 0 || len(w.config.Properties) > 0 {
		return len(w.out)
	}
	best, most := -1, len(w.out)
	for p := range w.n {
		if count := w.stepsOf(p); count > 0 && count < most && w.closed(state, p) && w.hidden(state, p) {
			best, most = p, count
		}
	}
	if best < 0 {
		return len(w.out)
	}
	front := 0
	for i := range w.out {
		if w.processOf(w.out[i].act) == best {
			w.out[front], w.out[i] = w.out[i], w.out[front]
			front++
		}
	}
	return front
}

// processOf returns whose step it is. There is no other kind while steps may be left out.
func (w *worker) processOf(a action) int {
	if a.kind() == doDeliver {
		return w.links[a.index()].to
	}
	return a.index()
}

func (w *worker) stepsOf(p int) (n int) {
	for i := range w.out {
		if w.processOf(w.out[i].act) == p {
			n++
		}
	}
	return n
}

// closed reports whether no other process can bring about another step of p.
func (w *worker) closed(state []uint32, p int) bool {
	var busy []bool // the processes that can have anything to do while p does nothing; nil until needed
	for _, l := range w.into[p] {
		if !w.config.Unordered && len(w.queues[l].at(state[w.n+l]).items) > 0 {
			continue
		}
		if busy == nil {
			busy = w.busyWithout(p)
		}
		if busy[w.links[l].from] {
			return false
		}
	}
	return true
}

// busyWithout returns the processes that can have anything to do while p does nothing.
func (w *worker) busyWithout(p int) []bool {
	busy := make([]bool, w.n)
	for i := range w.out {
		busy[w.processOf(w.out[i].act)] = true
	}
	busy[p] = false
	for more := true; more; {
		more = false
		for _, l := range w.links {
			if busy[l.from] && !busy[l.to] && l.to != p {
				busy[l.to], more = true, true
			}
		}
	}
	return busy
}

// hidden reports whether no property can see the steps of p, and none of them touches what belongs to
// all, the timers and tokens.
func (w *worker) hidden(state []uint32, p int) bool {
	for i := range w.out {
		if w.processOf(w.out[i].act) != p {
			continue
		}
		w.take(state, w.out[i].act)
		if w.broken != 0 || w.visible || w.value(state, w.slots-1) != state[w.slots-1] {
			return false
		}
	}
	return true
}
