package process

import (
	"sync"
	"time"
)

// The kinds of warning that a peer, or the network, can cause without end.
const (
	warnDropped = iota
	warnOverflow
	warnUnsent
	warnTerm
	warnRejected
	warningKinds
)

// warnEvery is how often a kind of warning is logged at most: a flood of packets must not become a flood of
// lines. Stats count everything.
const warnEvery = 10 * time.Second

// warning is the throttle of one kind.
type warning struct {
	mu   sync.Mutex
	next time.Time // when it may be logged again
	left uint64    // how many were not logged since
}

// due reports whether the warning may be logged now, and how many were left out before.
func (w *warning) due(now time.Time) (left uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ok = !now.Before(w.next); !ok {
		w.left++
		return left, ok
	}
	left, w.left, w.next = w.left, 0, now.Add(warnEvery)
	return left, ok
}

// warn logs a warning, unless its kind was logged a moment ago.
func (p *Process) warn(kind int, text string, args ...any) {
	if left, ok := p.warnings[kind].due(time.Now()); ok {
		p.log.Warn(text, append(args, "left_out", left)...)
	}
}

// warnOfSilence warns where the algorithm relies on the caller to notice a crash: it says that it does, or
// has no heartbeats. Without a report it would follow a dead leader for ever, and the process cannot know
// whether the caller has a failure detector.
func (p *Process) warnOfSilence() {
	a := p.config.Algorithm
	if a.LongLived && a.Faults.Crash && (a.Faults.Reported || !a.Heartbeats) {
		p.log.Warn("no heartbeats: this algorithm learns of a crash by Suspect or Left only",
			"algorithm", a.Title())
	}
}
