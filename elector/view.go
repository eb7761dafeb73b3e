package elector

import (
	"context"
	"fmt"
	"iter"

	"github.com/go-election/election"
)

// View is what a member knows about the leader. If Self is true, this member led when the View was taken. If another
// member leads, the View is a hint: its lease may have expired since.
type View struct {
	Leader string // name of the leader; empty if there is none
	Term   uint64 // Term of the leader, or of the last one; if Why is Hearsay, an upper bound
	Self   bool   // this member leads
	Why    Reason
	// Reachable reports whether the transport has a connection to the leader. A leader that crashes is reported until
	// its lease expires, but its connections break immediately: do not forward requests to a leader that is not
	// reachable, and retry when the View changes. Reachable is true if this member leads. If the transport does not
	// implement [transport.Watcher], it is true for every leader that this member hears itself.
	Reachable bool
	// Address is the Config.Advertise of the leader. It is empty if there is no leader or the leader has advertised none,
	// and if this member has never had a connection to the leader.
	Address string
	// Members are the members whose votes count, in order and separated by spaces. It is empty before the group is
	// founded, at observers, and without leases.
	Members string
}

// Reason is why there is a leader, or none.
type Reason uint8

// The reasons.
const (
	Starting Reason = iota // this member has not heard of a leader yet
	Elected                // a leader was elected
	Hearsay                // reported by other members; this member does not hear the leader. Not after Serve
	Vacant                 // the leader that this member followed has resigned, or its lease has expired
	Lost                   // this member has lost its lease
	GivenUp                // this member has given up its lease
	Ended                  // this member has left the election: its context has ended, or it failed
)

// String returns the reason in lower case.
func (r Reason) String() string {
	names := [...]string{"starting", "elected", "hearsay", "vacant", "lost", "given up", "ended"}
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}

// Leader returns the current View.
func (e *Elector) Leader() View {
	v, _ := e.look()
	return v
}

// look returns the current View, and a channel that is closed when it changes.
func (e *Elector) look() (v View, changed <-chan struct{}) {
	e.mu.Lock()
	v, changed = e.view, e.changed
	e.mu.Unlock()
	// The lease may have expired while no goroutine of this member ran.
	if v.Self && !(Term{v.Term, e}).Valid(0) {
		v = View{Term: v.Term, Why: e.whyLost()}
	}
	return v, changed
}

// whyLost returns why this member no longer leads.
func (e *Elector) whyLost() Reason {
	if e.giving.Load() {
		return GivenUp
	}
	return Lost
}

// Watch yields the current View and then each change, until ctx ends or the member does. A slow caller may miss
// Views, but never the latest.
func (e *Elector) Watch(ctx context.Context) iter.Seq[View] {
	return func(yield func(View) bool) {
		for first, last := true, (View{}); ; {
			v, changed := e.look()
			if first || v != last {
				if !yield(v) || v.Why == Ended {
					return
				}
				first, last = false, v
				continue // the View may have changed during yield
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Wait waits until there is a leader, which may be known by [Hearsay] only. It returns the cause of ctx if that ends
// first, and an error that wraps [election.ErrClosed] if the member ends first.
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

// publish replaces the View by next(View). It calls Observe without mu, since Observe may call methods of e; turn
// keeps the calls in order.
func (e *Elector) publish(next func(View) View) {
	e.turn.Lock()
	defer e.turn.Unlock()
	e.mu.Lock()
	now := e.clock() // with mu, like Stats: what it reports must not go back
	v := next(e.view)
	// Here, since a connection or the members may have changed and nothing else.
	v.Reachable, v.Address, v.Members = e.reaches(v), e.addressOf(v.Leader), e.members.agreedNames()
	// No View follows Ended: Watch has returned then.
	if v == e.view || e.view.Why == Ended {
		e.mu.Unlock()
		return
	}
	if v.Leader == "" && e.view.Leader != "" {
		e.vacant = now
	}
	missed := now - e.vacant
	if e.abort == nil {
		missed = 0 // closed without Run
	}
	e.counts.note(e.view, v, missed)
	what := v.Why.String()
	if before := e.view; v.Leader == before.Leader && v.Term == before.Term && v.Why == before.Why {
		what = "the connection to the leader has changed"
		if v.Reachable == before.Reachable {
			what = "" // the change of the members is logged elsewhere
		}
	}
	e.view = v
	close(e.changed)
	e.changed = make(chan struct{})
	e.mu.Unlock()
	if what != "" {
		e.log.Info(what, "leader", v.Leader, "term", v.Term, "reachable", v.Reachable)
	}
	if e.config.Observe != nil {
		e.call("Observe", func() { e.config.Observe(v) })
	}
}

// heard publishes an outcome of the process.
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
			return before // a delayed LEADS: this member has led in a later Term
		case o.Role != election.Undecided:
			v.Leader, v.Self, v.Why = e.name(o.Leader.ID), o.Role == election.Leader, Elected
			e.decided = o.Term
		case e.ending.Load():
			return before // end publishes Ended
		case before.Leader == "" || before.Why == Hearsay:
			return before // already published, for instance by lose
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

// lose publishes that the lease of a View has expired by the clock.
func (e *Elector) lose(v View) {
	e.publish(func(before View) View {
		if before.Self && before.Term == v.Term {
			return View{Term: v.Term, Why: e.whyLost()}
		}
		return before
	})
}

// addressOf returns the address that a leader advertises, or "".
func (e *Elector) addressOf(leader string) string {
	switch {
	case leader == e.config.Self:
		return e.config.Advertise
	case e.link != nil:
		return e.link.serves(leader)
	}
	return e.members.serves(leader)
}

// reaches reports whether the transport has a connection to the leader of a View.
func (e *Elector) reaches(v View) bool {
	switch {
	case v.Leader == "" || v.Self:
		return v.Self
	case e.up != nil:
		return e.up.reached(ID(v.Leader))
	}
	return v.Why != Hearsay
}
