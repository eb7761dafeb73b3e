package check

import "github.com/go-election/election"

// Where an algorithm needs a failure detector, the checker has one that is never wrong. It reports the crash
// of a process to each neighbour that is up, at any moment after the last message of the process has
// arrived, and as late as the run allows: nothing is judged to be over while a report is still to come. It
// reports a return to each neighbour that it has reported the crash to. A process that comes back itself has
// forgotten what was reported to it, and gets the reports of all that are down again.

// detects reports whether there is such a detector, and anything to report.
func (c *Config) detects() bool {
	return c.Algorithm.Faults.Reported && c.Crashes+len(c.Crashed) > 0
}

// hasReportOf reports whether the last report of process q to this one was that of its crash.
func (l *local) hasReportOf(q int) bool { return l.reported>>q&1 == 1 }

// offerReports offers the reports of the detector.
func (w *worker) offerReports(state []uint32, hash uint64) {
	for q := range w.n {
		down := w.locals[q].at(state[q]).flags&isDown != 0
		if down && w.isUnderWayFrom(state, q) {
			continue
		}
		for _, l := range w.outOf[q] {
			p := w.links[l].to
			is := w.locals[p].at(state[p])
			if p != q && is.flags&(isDown|isPaused) == 0 && is.hasReportOf(q) != down {
				w.offer(state, hash, newAction(doNotice, p, q))
			}
		}
	}
}

// isUnderWayFrom reports whether a message of a process has not arrived. No report waits for one that may
// never arrive.
func (w *worker) isUnderWayFrom(state []uint32, q int) bool {
	if w.keeps {
		return false
	}
	for _, l := range w.outOf[q] {
		if len(w.queues[l].at(state[w.n+l]).items) > 0 {
			return true
		}
	}
	return false
}

// reportOf returns what a notice reports to its process: a Suspect or a Trust, and by which port that reaches
// the process that it is about. Without a detector a process notices only that its leader is down.
func (w *worker) reportOf(state []uint32, a action) (election.Op, election.Port) {
	p := a.index()
	if !w.detects {
		return election.Suspect, w.portOf(p, w.locals[p].at(state[p]).outcome.Leader.ID)
	}
	port := w.portOf(p, w.config.IDs[a.part()])
	if w.locals[p].at(state[p]).hasReportOf(a.part()) {
		return election.Trust, port
	}
	return election.Suspect, port
}

// noteReport notes a report that a run gives to process p.
func (w *worker) noteReport(p int, ev *election.Event, is *local) {
	q, _, ok := w.config.Topology.Link(p, ev.Port)
	switch {
	case !ok:
	case ev.Op == election.Suspect:
		is.reported |= 1 << q
	default:
		is.reported &^= 1 << q
	}
}
