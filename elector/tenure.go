package elector

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
)

// Term is the time during which a member leads without interruption.
type Term struct {
	Number uint64 // larger than the Term of every earlier leader
	e      *Elector
}

// Token returns the fencing token of the leader. Attach it to every write, and have the receiver refuse a token
// smaller than one that it has seen. It is below 2^53, so it fits into JSON numbers and signed columns. After Term
// 2^53-1 no member claims the lead any more, and each logs that; Advance leaves 2^32 Terms before.
func (t Term) Token() uint64 { return t.Number }

// String returns the number in decimal.
func (t Term) String() string { return strconv.FormatUint(t.Number, 10) }

// LogValue returns the number, for package log/slog.
func (t Term) LogValue() slog.Value { return slog.Uint64Value(t.Number) }

// Valid reports whether the lease lasts for longer than margin. It reads the clock, so it is right even just after a
// pause of the process.
func (t Term) Valid(margin time.Duration) bool { return t.Left() > max(margin, 0) }

// Left returns how long the lease lasts unless it is renewed; zero or less if it has expired. Without leases it is a
// hundred years while this member believes that it leads.
func (t Term) Left() time.Duration {
	if t.e == nil {
		return 0 // the zero Term, in a test for instance
	}
	switch o := t.e.process.Outcome(); {
	case o.Role != election.Leader || o.Term != t.Number:
		return 0
	case !t.e.leases:
		return endless
	default:
		return o.Until - t.e.clock()
	}
}

// Confirm asks a majority of the members, and returns nil if this member still led when Confirm was called. A read
// that begins before the call then sees all writes of earlier leaders. Confirm takes a round trip, or two if a
// renewal is in flight; concurrent calls share round trips. Without leases it returns ErrNoLease.
func (t Term) Confirm(ctx context.Context) error {
	if t.e == nil {
		return ErrDeposed
	}
	e := t.e
	if !e.leases {
		return ErrNoLease
	}
	asked := e.clock()
	for posted := false; ; {
		// Take the channels before reading the outcome: a later change closes one of them.
		e.mu.Lock()
		renewed, changed := e.renewed, e.changed
		e.mu.Unlock()
		o := e.process.Outcome()
		switch {
		case o.Role != election.Leader || o.Term != t.Number:
			return ErrDeposed
		case posted && o.Until-e.config.Times.Lease >= asked:
			return nil // this renewal was sent after the call
		}
		if !posted {
			posted = true
			if err := e.process.Command(lease.Renew()); err != nil {
				return e.byName(err)
			}
		}
		// Also wait for the clock: a process that hangs does not report that its lease has expired.
		select {
		case <-renewed:
		case <-changed:
		case <-time.After(max(t.Left(), 0)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tenure is a Term of this member, and the work in it.
type tenure struct {
	Term
	view     View
	requests *requests
	done     chan struct{} // closed when the work has returned and the lead is given up

	mu     sync.Mutex
	cancel context.CancelCauseFunc // ends the context of the work; nil before it begins
	why    error                   // why the work has to stop; nil if the context of Run ended
	to     election.ID             // the successor of a transfer
	drain  chan struct{}           // closed when the work is asked to stop

	beat time.Time // of the next renewal; used by the guard only
}

func newTenure(e *Elector, term uint64) *tenure {
	return &tenure{Term: Term{term, e}, view: e.view, requests: newRequests(), done: make(chan struct{}), drain: make(chan struct{})}
}

// stop asks the work to stop. The first reason counts.
func (t *tenure) stop(why error, to election.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil {
		t.why, t.to = why, to
		if t.cancel != nil {
			t.cancel(why)
		}
	}
}

func (t *tenure) reason() (to election.ID, why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.to, t.why
}

// serve runs the work, and then gives up the lead.
func (t *tenure) serve(ctx context.Context, lead func(context.Context, Term) error) error {
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.mu.Lock()
	if t.cancel = cancel; t.why != nil { // stop was called before the work began
		cancel(t.why)
	}
	t.mu.Unlock()
	returned := make(chan struct{})
	var guard sync.WaitGroup
	guard.Go(func() { t.guard(work, returned) })
	defer close(t.done)
	// A function of its own, so that the guard ends before the code below runs, also if lead panics.
	err := func() error {
		defer guard.Wait()
		defer close(returned)
		defer t.expel()
		err := lead(work, t.Term)
		t.awaitRequests()
		return err
	}()
	e := t.e
	e.mu.Lock()
	e.tenure = nil
	e.mu.Unlock()
	to, why := t.reason()
	e.counts.ended(ctx.Err() != nil, why, err)
	switch {
	case ctx.Err() != nil:
		return nil // run gives up the lead
	case why == nil && err != nil:
		return err
	default:
		if to == 0 {
			to = e.standings.best()
		}
		// Name the Term: if the lease was lost, the process may already lead in a later Term, which must not end.
		e.giveUp(lease.Resign(t.Number, to), isPlanned(why))
	}
	if pause, ok := errors.AsType[Pause](err); ok {
		return pause
	}
	return nil
}

// guard renews the lease, stops the work before the lease ends, and reports work that does not stop.
func (t *tenure) guard(work context.Context, returned <-chan struct{}) {
	e := t.e
	t.beat = e.nextBeat()
	for work.Err() == nil {
		left := t.Left() - e.config.Times.Stop
		if left <= 0 {
			t.stop(t.lost(), 0)
			break
		}
		// Sleep for less than left: if Clock runs faster than the timer, the lease would expire first.
		if !t.sleep(e.config.Times.surely(left), work.Done(), returned) {
			return
		}
	}
	// In a planned handover the lease is renewed until the work has returned, for at most Drain.
	if _, why := t.reason(); isPlanned(why) {
		// Count down instead of adding to the time, which could overflow: Drain may be very long.
		for began, rest := e.clock(), e.config.Times.Drain; rest > 0 && t.Left() > 0; {
			left := t.Left()
			if left <= e.config.Times.Stop {
				t.requests.end(t.lost()) // the work has been asked before
			} else {
				left = e.config.Times.surely(left - e.config.Times.Stop)
			}
			if !t.sleep(max(min(rest, left), t.e.leastStep()), nil, returned) {
				return
			}
			rest = e.config.Times.Drain - (e.clock() - began)
		}
	}
	t.expel()
	// From here on the lease must expire: renewed for work that hangs, it would last forever.
	if e.leases {
		_ = e.process.Command(lease.Lapse())
	}
	// Log after Lapse: a log handler may hang, and the lease must expire nevertheless.
	if _, why := t.reason(); !isPlanned(why) {
		e.log.Warn("the work is asked to stop", "term", t.Number, "cause", why)
	}
	for e.leases && t.Left() > 0 {
		if !t.sleep(max(t.Left(), t.e.leastStep()), nil, returned) {
			return
		}
	}
	e.lose(t.view)
	if t.hasReturned(returned) {
		return
	}
	e.counts.overruns.Add(1)
	e.counts.overrunning.Add(1)
	defer e.counts.overrunning.Add(-1)
	if e.config.Overrun != nil {
		e.call("Overrun", func() { e.config.Overrun(t.Term) })
	} else {
		e.log.Error("the work has not stopped although its lease has expired: only tokens protect what it writes", "term",
			t.Number)
	}
	<-returned
}

// leastStep returns the shortest time for which the guard sleeps once the work was asked to stop. If the Clock stands
// still, the rest of a Drain or lease does not shrink, and without this bound the guard would spin.
func (e *Elector) leastStep() time.Duration {
	return min(time.Millisecond, e.config.Times.Lease/100)
}

// expel asks the requests in progress to end.
func (t *tenure) expel() {
	_, why := t.reason()
	if why == nil {
		why = ErrResigned // the work has returned, or the context of Run has ended
	}
	t.requests.end(why)
}

// hasReturned reports whether the work has returned. Without leases it waits for up to Times.Stop, since the work was
// not warned before the lead was lost.
func (t *tenure) hasReturned(returned <-chan struct{}) bool {
	var wait time.Duration
	if _, why := t.reason(); !t.e.leases && !isPlanned(why) {
		wait = t.e.config.Times.Stop
	}
	// A context instead of a timer: the race detector of Go 1.26 crashes when two goroutines of one synctest bubble
	// read timers that have fired (golang/go#78156), and here wait may be zero in all members at the same moment.
	over, stop := context.WithTimeout(context.Background(), wait)
	defer stop()
	select {
	case <-returned:
		return true
	case <-over.Done():
	}
	select { // both may be ready
	case <-returned:
		return true
	default:
		return false
	}
}

// isPlanned reports whether the work stops for a handover, although its lease could be renewed.
func isPlanned(why error) bool {
	return why == nil || errors.Is(why, ErrResigned) || errors.Is(why, ErrTransferred)
}

// sleep waits for d, the next beat, more, or the end of this Term, whichever comes first. At a beat it renews the
// lease. It returns false if the work has returned.
func (t *tenure) sleep(d time.Duration, more <-chan struct{}, returned <-chan struct{}) bool {
	t.e.mu.Lock()
	v, changed := t.e.view, t.e.changed
	t.e.mu.Unlock()
	if !v.Self || v.Term != t.view.Term {
		return true
	}
	timer := time.NewTimer(min(d, time.Until(t.beat)))
	defer timer.Stop()
	select {
	case <-timer.C:
		if !time.Now().Before(t.beat) {
			t.beat = t.e.nextBeat()
			// An error means that the process has ended, and the lease with it.
			_ = t.e.process.Command(lease.Renew())
		}
	case <-changed: // after a pause the process may be the first to see that the lease has expired
	case <-more:
	case <-returned:
		return false
	}
	return true
}

// nextBeat returns when a leader renews next. Beats are Renew apart, and the same for all groups of this member that
// have the same Renew. So the renewals of all groups travel together in a few packets, whenever the groups elected
// their leaders. The first renewal comes earlier than Renew after the election.
func (e *Elector) nextBeat() time.Time {
	// Beats are multiples of Renew in the time of day, since groups need not share a Clock. The ID shifts them, so
	// that members on several machines do not all send at the same moment. If the time of day is set, one renewal
	// comes early.
	now, renew := time.Now(), e.config.Times.Renew
	if !e.leases {
		return now.Add(endless)
	}
	since := (uint64(now.UnixNano()) + uint64(ID(e.config.Self))) % uint64(renew)
	return now.Add(renew - time.Duration(since))
}

// lost returns why the work has to stop.
func (t *tenure) lost() error {
	e := t.e
	e.mu.Lock()
	v := e.view
	e.mu.Unlock()
	switch left := t.Left(); {
	case !e.leases && (v.Leader == "" || v.Self):
		return ErrNewTerm
	case !e.leases || v.Term > t.Number && !v.Self:
		return ErrDeposed
	case left <= 0:
		return ErrPaused // otherwise the guard would have stopped the work before
	}
	return ErrUnreachable
}
