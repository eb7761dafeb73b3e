package process

import (
	"sync"
	"time"

	"github.com/go-election/election"
)

// Kinds of warnings that a peer or the network can cause without limit.
const (
	warnDropped = iota
	warnOverflow
	warnUnsent
	warnTerm
	warnRejected
	warnSlow
	warnTwins
	warningKinds
)

// warnEvery is the minimum interval between two warnings of one kind: a flood of packets must not become a
// flood of log lines. Stats count everything.
const warnEvery = 10 * time.Second

// warning throttles one kind of warning.
type warning struct {
	mu   sync.Mutex
	next time.Time // when it may be logged again
	left uint64    // number of warnings suppressed since
}

// due reports whether the warning may be logged now, and how many were suppressed before.
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

// warn logs a warning, unless one of the same kind was logged recently.
func (p *Process) warn(kind int, text string, args ...any) {
	if left, ok := p.warnings[kind].due(time.Now()); ok {
		if left > 0 {
			args = append(args, "left_out", left)
		}
		p.log.Warn(text, args...)
	}
}

// waited warns if a call for which the process has just waited took longer than a message may take. Other
// processes may then suspect this one, as if its messages were late. All sends of a step count as one call.
func (p *Process) waited(call string) {
	bound := p.config.Algorithm.Delay
	if bound == 0 {
		return // no time-out depends on this process, so do not read the clock
	}
	now := time.Since(p.began)
	took := now - p.lap
	p.lap = now // the next call of this step begins
	if took > bound {
		p.warn(warnSlow, "a call takes longer than a message may: other processes may suspect this one",
			"call", call, "took", took, "delay", bound)
	}
}

// warnOfSilence warns if the algorithm relies on the caller to report crashes, because it requires a failure
// detector or has no heartbeats. Without a report it would follow a dead leader forever, and the process cannot
// know whether the caller runs a failure detector. On a ring, no report helps: a crashed process interrupts the
// ring.
func (p *Process) warnOfSilence() {
	const only = "this algorithm learns of a crash by Suspect only"
	switch a := p.config.Algorithm; {
	case !a.LongLived() || a.Faults.Crash == election.NoCrash || a.Topology == election.Ring:
	case a.Faults.Reported:
		// Do not print "no heartbeats": the algorithm may have none to enable, for example on an overlay.
		p.log.Warn("a failure detector has to report each crash: "+only, "algorithm", a.Title())
	case !a.Heartbeats:
		p.log.Warn("no heartbeats: "+only, "algorithm", a.Title())
	}
}

// warnOfSolitude warns if there is no peer: if Peers is forgotten, every process becomes a leader.
func (p *Process) warnOfSolitude() {
	if len(p.config.Peers) == 0 {
		p.log.Warn("no peers: this process decides alone, and no other takes over; is the list complete?")
	}
}
