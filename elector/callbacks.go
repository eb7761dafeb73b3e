package elector

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-election/election/lease"
	"github.com/go-election/election/process"
)

// call calls a callback of the Config. If it panics, on whichever goroutine, the work is asked to stop, the lead is
// given up, and Run returns the panic as an error.
func (e *Elector) call(name string, callback func()) {
	defer func() {
		what := recover()
		if what == nil {
			return
		}
		err := fmt.Errorf(prefix+"member %q: %w: %s: %v", e.config.Self, process.ErrCallback, name, what)
		e.mu.Lock()
		if e.fault == nil {
			e.fault = err
		}
		abort := e.abort
		e.mu.Unlock()
		if abort != nil { // nil before Run: Close calls Observe, too
			abort(err)
		}
		e.log.Error(process.ErrCallback.Error(), "callback", name, "panic", fmt.Sprint(what), "stack",
			string(debug.Stack()))
	}()
	callback()
}

// failure returns the error of the first callback that panicked.
func (e *Elector) failure() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fault
}

// prioritize calls Priority now, whenever the View changes and once in each Renew, and passes the result to the
// process, until ctx ends. first is closed after the first call, done after the last.
func (e *Elector) prioritize(ctx context.Context) (first, done <-chan struct{}) {
	answered, ended := make(chan struct{}), make(chan struct{})
	if e.config.Priority == nil {
		close(answered)
		close(ended)
		return answered, ended
	}
	// A separate goroutine, since a Priority that hangs must not prevent Run from giving up the lead.
	go func() {
		defer close(ended)
		tick := time.NewTicker(e.config.Times.Renew)
		defer tick.Stop()
		var last uint64
		for known := false; ctx.Err() == nil; {
			e.mu.Lock()
			changed := e.changed
			e.mu.Unlock()
			priority, ok := uint64(0), false
			e.call("Priority", func() { priority, ok = e.config.Priority(), true })
			if !ok {
				return
			}
			if !known || priority != last {
				e.standings.setOwn(priority)
				if e.process.Command(lease.Prefer(priority)) != nil {
					return // the process has ended; run returns its error
				}
			}
			if last = priority; !known {
				known = true
				close(answered)
			}
			select {
			case <-changed:
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}()
	return answered, ended
}

// await waits until done is closed, for at most a Lease: the lead is given up by now, and Run has to return. done may
// be nil.
func (e *Elector) await(done <-chan struct{}, complaint string) {
	if done == nil {
		return
	}
	select { // no timer if done is closed already
	case <-done:
		return
	default:
	}
	patience := time.NewTimer(e.config.Times.Lease)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
		e.log.Error(complaint)
	}
}
