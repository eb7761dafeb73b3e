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

// Term is the time for which a member leads without interruption.
type Term struct {
	Number uint64 // larger than those of all leaders before
	e      *Elector
}

// Token is what accompanies every effect of the leader: what is written to refuses a token that is
// smaller than one that it has seen. It is below 2^53, so that JSON and signed columns hold it. After 2^53-1
// no member claims any more, and each says so in its log; Advance leaves 2^32 Terms before that.
func (t Term) Token() uint64 { return t.Number }

// String returns the number in decimal.
func (t Term) String() string { return strconv.FormatUint(t.Number, 10) }

// LogValue returns the number, for package log/slog.
func (t Term) LogValue() slog.Value { return slog.Uint64Value(t.Number) }

// Valid reports whether the lease lasts for another while. It asks the clock: it is right also after a pause.
func (t Term) Valid(margin time.Duration) bool { return t.Left() > max(margin, 0) }

// Left returns for how long the lease lasts unless it is renewed; zero or less if it has ended. Without
// leases it is a hundred years while this member takes itself for the leader.
func (t Term) Left() time.Duration {
	if t.e == nil {
		return 0 // a Term that no Elector has made: of a test, say
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

// Confirm asks a majority, and returns nil if this member has led when Confirm was called: a read that began
// before sees all that earlier leaders have written. It takes a round trip, or two if one is under way: calls
// share them, however many there are. Without leases the error is ErrNoLease.
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
		// Before the outcome is read: what comes later closes one of these.
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
		// A process that hangs reports no end of its lease.
		select {
		case <-renewed:
		case <-changed:
		case <-time.After(max(t.Left(), 0)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tenure is a Term, and the work in it.
type tenure struct {
	Term
	view View
	done chan struct{} // closed when the work has returned, and the lead is given up

	mu     sync.Mutex
	cancel context.CancelCauseFunc // ends the context of the work; nil before it begins
	why    error                   // the reason for which it has ended, nil if the caller's context did
	to     election.ID             // the successor of a transfer
	drain  chan struct{}           // closed when the work is asked to stop

	beat time.Time // of the next renewal; the guard's
}

func newTenure(e *Elector, term uint64) *tenure {
	return &tenure{Term: Term{term, e}, view: e.view, done: make(chan struct{}), drain: make(chan struct{})}
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
	if t.cancel = cancel; t.why != nil { // it was asked to stop before it began
		cancel(t.why)
	}
	t.mu.Unlock()
	returned := make(chan struct{})
	var guard sync.WaitGroup
	guard.Go(func() { t.guard(work, returned) })
	defer close(t.done)
	// The deferred calls run before what follows, also if lead panics: no guard outlives its work.
	err := func() error {
		defer guard.Wait()
		defer close(returned)
		return lead(work, t.Term)
	}()
	e := t.e
	e.mu.Lock()
	e.tenure = nil
	e.mu.Unlock()
	to, why := t.reason()
	switch {
	case ctx.Err() != nil:
		return nil // run gives up the lead
	case why == nil && err != nil:
		return err
	default:
		if to == 0 {
			to = e.standings.best()
		}
		// If the lease was lost, the process may lead again by now, in a later Term: that is not given up.
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
		// Not all of it: by a Clock that runs faster than the timer, the lease might end before.
		if !t.sleep(e.config.Times.surely(left), work.Done(), returned) {
			return
		}
	}
	// Asked to stop by a hand-over, the work may take its time: the lease is renewed until then.
	if _, why := t.reason(); isPlanned(why) {
		// Not until a time: Drain may be endless.
		for began, rest := e.clock(), e.config.Times.Drain; rest > 0 && t.Left() > 0; {
			if !t.sleep(max(min(rest, t.Left()), t.e.leastStep()), nil, returned) {
				return
			}
			rest = e.config.Times.Drain - (e.clock() - began)
		}
	}
	// Now the lease must end, whatever the work does: renewed for work that hangs, it would never.
	if e.leases {
		_ = e.process.Command(lease.Lapse())
	}
	// Only now: a log may hang, and then the lease must end all the same.
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
	if e.config.Overrun != nil {
		e.call("Overrun", func() { e.config.Overrun(t.Term) })
	} else {
		e.log.Error("the work has not stopped although its lease has ended: its writes need tokens", "term",
			t.Number)
	}
	<-returned
}

// leastStep returns the shortest time for which the guard waits once the work was asked to stop. While the
// Clock stands still, what is left of a Drain or of a lease does not shrink: if that were all it waited for,
// the guard would turn once a nanosecond, say.
func (e *Elector) leastStep() time.Duration {
	return min(time.Millisecond, e.config.Times.Lease/100)
}

// hasReturned reports whether the work has returned. Without leases it gets Times.Stop for that, as the
// loss of the lead came without a warning.
func (t *tenure) hasReturned(returned <-chan struct{}) bool {
	var wait time.Duration
	if _, why := t.reason(); !t.e.leases && !isPlanned(why) {
		wait = t.e.config.Times.Stop
	}
	// No timer: the race detector of Go 1.26 crashes when two goroutines of one synctest bubble read timers
	// that ran out before (golang/go#78156), and here wait may be zero in all members at the same moment.
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

// isPlanned reports whether work ends for this reason although its lease could go on.
func isPlanned(why error) bool {
	return why == nil || errors.Is(why, ErrResigned) || errors.Is(why, ErrTransferred)
}

// sleep waits for d, for the next beat, until more is ready, or until this member leads no more in this
// Term. It renews the lease at the beat. It returns false if the work has returned.
func (t *tenure) sleep(d time.Duration, more <-chan struct{}, returned <-chan struct{}) bool {
	t.e.mu.Lock()
	v, changed := t.e.view, t.e.changed
	t.e.mu.Unlock()
	if v != t.view {
		return true
	}
	timer := time.NewTimer(min(d, time.Until(t.beat)))
	defer timer.Stop()
	select {
	case <-timer.C:
		if !time.Now().Before(t.beat) {
			t.beat = t.e.nextBeat()
			// An error: the process has ended, and its lease with it.
			_ = t.e.process.Command(lease.Renew())
		}
	case <-changed: // after a pause the process may notice first that the lease has ended
	case <-more:
	case <-returned:
		return false
	}
	return true
}

// nextBeat returns the next moment at which a leader renews: they are Renew apart, and the same for all
// groups of this member whose Renew is the same. So the renewals of all groups travel together, in a few
// packets, whenever this member was elected in each. The first renewal comes earlier than after Renew,
// none comes later.
func (e *Elector) nextBeat() time.Time {
	// Counted by the time of day, since groups need not share a clock, and from the ID on, since members on
	// several machines need not send all at once. Where that clock is set, one renewal comes early.
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
		return ErrPaused // it was to be stopped earlier
	}
	return ErrUnreachable
}
