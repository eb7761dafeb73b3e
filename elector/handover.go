package elector

import (
	"context"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
)

// Resign lets another member lead: it stops the work, waits until that has returned, and gives up the
// lead. This member stands again after a lease. The error is ErrNotLeader if it does not lead, or that
// of ctx. Work that calls Resign itself waits for its own end, and so until ctx ends: let it return nil
// instead, or pass its own context, which ends at once.
func (e *Elector) Resign(ctx context.Context) error { return e.handOver(ctx, ErrResigned, 0) }

// Transfer does the same in favour of another member, and waits until that leads. The error is ErrNotTaken
// if a third one leads instead, or none within a lease; it wraps [election.ErrInput] if to is no member, or
// leads already.
func (e *Elector) Transfer(ctx context.Context, to string) error {
	switch _, ok := e.config.Members[to]; {
	case !ok:
		return refuse("to: %.60q is no member", to)
	case to == e.config.Self && e.leading() == nil:
		return ErrNotLeader
	case to == e.config.Self:
		return refuse("to: %s leads already", to)
	}
	if err := e.handOver(ctx, ErrTransferred, ID(to)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, e.config.Times.Lease, ErrNotTaken)
	defer cancel()
	v, err := e.Wait(ctx)
	switch {
	case err != nil:
		return err
	case v.Leader != to:
		return ErrNotTaken
	}
	return nil
}

func (e *Elector) handOver(ctx context.Context, why error, to election.ID) error {
	if !e.leases {
		return ErrNoLease
	}
	t := e.leading()
	if t == nil {
		return ErrNotLeader
	}
	t.stop(why, to)
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leading returns the work of the Term in which this member leads; nil if it does not.
func (e *Elector) leading() *tenure {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.tenure; t != nil && t.Left() > 0 { // Overrun may ask: the work has not ended yet, the lease has
		return t
	}
	return nil
}

// Advance says that something refuses the tokens of this group, since it has seen this larger one:
// members have lost their memory. All later Terms of this member are larger, and one that leads in a smaller
// Term resigns, and names the token to the others, so that the Term of the next leader is larger as well. If
// those messages are lost, or Advance was called for a follower only, it may be too small: call Advance
// for that leader too.
//
// Call Advance at every member and observer if the token is larger than 2^52, and again after a restart of
// one without Dir: no member believes such a token of another member, which could use up the Terms of the
// whole group. The error wraps [election.ErrInput] if the token is 2^53-2^32 or more: it would leave too few
// Terms for later leaders, see [Term.Token].
func (e *Elector) Advance(token uint64) error {
	if token >= lease.RaiseBound {
		return refuse("token: %d is not below 2^53-2^32 = %d, which leaves 2^32 Terms for later "+
			"leaders", token, uint64(lease.RaiseBound))
	}
	if !e.leases {
		return ErrNoLease
	}
	if err := e.process.Command(lease.Raise(token)); err != nil {
		return e.byName(err)
	}
	e.mu.Lock()
	e.least = max(e.least, token)
	t := e.tenure
	e.mu.Unlock()
	if t != nil && t.Number <= token {
		t.stop(ErrResigned, 0)
	}
	return nil
}
