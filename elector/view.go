package elector

import (
	"context"
	"fmt"
	"iter"

	"github.com/go-election/election"
)

// View is what a member knows of the leader. If another member leads, the View is a hint: its lease may have
// expired since. If Self is true, it was right when it was asked for.
type View struct {
	Leader string // its name; empty if there is none
	Term   uint64 // of the leader, or of the last one; if Why is Hearsay, the leader's may be smaller
	Self   bool   // this member leads
	Why    Reason
	// Reachable reports whether the transport has a connection to the leader. A leader that crashes is named
	// until its lease expires, but its connections break immediately: do not forward requests to a leader that
	// is not reachable, and retry when the View changes. A member is reachable to itself. If the transport is no
	// [transport.Watcher], every leader counts as reachable, except one by Hearsay.
	Reachable bool
}

// Reason is why a View is as it is.
type Reason uint8

// The reasons.
const (
	Starting Reason = iota // this member has not heard of a leader yet
	Elected                // a leader was elected
	Hearsay                // this member does not hear the leader, but others do; members that Serve ask none
	Vacant                 // the leader that this member followed has resigned, or was not heard of in time
	Lost                   // this member has lost its lease
	GivenUp                // this member has given up its lease
	Ended                  // this member takes no part any more
)

// String returns the reason in lower case.
func (r Reason) String() string {
	names := [...]string{"starting", "elected", "hearsay", "vacant", "lost", "given up", "ended"}
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}

// Leader returns the present View.
func (e *Elector) Leader() View {
	v, _ := e.look()
	return v
}

// look returns the present View, and what is closed when another one is published.
func (e *Elector) look() (v View, changed <-chan struct{}) {
	e.mu.Lock()
	v, changed = e.view, e.changed
	e.mu.Unlock()
	// The clock may have ended the lease while no goroutine of this member ran.
	if v.Self && !(Term{v.Term, e}).Valid(0) {
		v = View{Term: v.Term, Why: e.whyLost()}
	}
	return v, changed
}

// whyLost returns why a lease of this member has ended.
func (e *Elector) whyLost() Reason {
	if e.giving.Load() {
		return GivenUp
	}
	return Lost
}

// Watch yields the present View, and then each new one, until ctx ends or this member takes no part any
// more. It may skip Views if the caller is slow, but never the last.
func (e *Elector) Watch(ctx context.Context) iter.Seq[View] {
	return func(yield func(View) bool) {
		for first, last := true, (View{}); ; {
			v, changed := e.look()
			if first || v != last {
				if !yield(v) || v.Why == Ended {
					return
				}
				first, last = false, v
				continue // it may have changed while the caller was busy
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Wait waits until there is a leader, also one by [Hearsay]. The error is that of ctx, or wraps [election.ErrClosed].
func (e *Elector) Wait(ctx context.Context) (View, error) {
	for v := range e.Watch(ctx) {
		if v.Leader != "" {
			return v, nil
		}
		if v.Why == Ended {
			return v, fmt.Errorf(prefix+"%w", election.ErrClosed)
		}
	}
	return e.Leader(), context.Cause(ctx)
}

// publish replaces the View by what next makes of it. Observe may call methods of e, so it is called
// without mu; turn keeps the order of its calls.
func (e *Elector) publish(next func(View) View) {
	e.turn.Lock()
	defer e.turn.Unlock()
	now := e.clock()
	e.mu.Lock()
	v := next(e.view)
	v.Reachable = e.reaches(v)
	// Ended is the last: Watch has returned at it, and no later View may name a leader.
	if v == e.view || e.view.Why == Ended {
		e.mu.Unlock()
		return
	}
	if v.Leader == "" && e.view.Leader != "" {
		e.vacant = now
	}
	what := v.Why.String()
	if before := e.view; v.Leader == before.Leader && v.Term == before.Term && v.Why == before.Why {
		what = "the connection to the leader has changed"
	}
	e.view = v
	close(e.changed)
	e.changed = make(chan struct{})
	e.mu.Unlock()
	e.log.Info(what, "leader", v.Leader, "term", v.Term, "reachable", v.Reachable)
	if e.config.Observe != nil {
		e.call("Observe", func() { e.config.Observe(v) })
	}
}

// heard takes an outcome of the process.
func (e *Elector) heard(o election.Outcome) {
	e.observers.hear(o, e.clock())
	if o.Role != election.Undecided {
		e.attempts.led()
	}
	if o.Role == election.Leader {
		e.callRenewed(o.Term)
	}
	if o.Role != election.Undecided {
		e.hearsay.follow(o.Leader.ID, o.Term)
	}
	e.publish(func(before View) View {
		v := View{Term: o.Term}
		e.until = o.Until
		switch {
		case e.leases && o.Term < e.decided:
			return before // a LEADS that is late: this member has led since
		case o.Role != election.Undecided:
			v.Leader, v.Self, v.Why = e.name(o.Leader.ID), o.Role == election.Leader, Elected
			e.decided = o.Term
		case e.ending.Load():
			return before // the next View says so
		case before.Leader == "" || before.Why == Hearsay:
			return before // the end of a lease, say, that was noticed by the clock
		case before.Self:
			if v.Why = e.whyLost(); v.Why == Lost {
				e.attempts.lost()
			}
		default:
			v.Why = Vacant
		}
		return v
	})
}

// lose publishes that the lease of a View has ended by the clock.
func (e *Elector) lose(v View) {
	e.publish(func(before View) View {
		if before == v {
			return View{Term: v.Term, Why: e.whyLost()}
		}
		return before
	})
}

// reaches reports whether the transport has a connection to the leader of a View. The caller holds mu.
func (e *Elector) reaches(v View) bool {
	switch {
	case v.Leader == "" || v.Self:
		return v.Self
	case e.watches:
		return e.up[v.Leader]
	}
	return v.Why != Hearsay
}
