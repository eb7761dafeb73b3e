package elector

import (
	"context"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
)

// Resign hands the lead over to another member: it asks the work to stop, waits until that has returned, and gives up
// the lead. This member becomes a candidate again after a lease. Resign returns ErrNotLeader if this member does not
// lead, and the cause of ctx if that ends first. Do not call it from the work with a context that outlives it: it
// would wait for itself. Let the work return nil instead, or pass the context of the work.
func (e *Elector) Resign(ctx context.Context) error { return e.handOver(ctx, ErrResigned, 0) }

// Transfer does the same in favor of the member to, and waits until that member leads. It returns ErrNotTaken if
// another member leads instead, or none within a lease. The error wraps [election.ErrInput] if to is no member or
// leads already.
func (e *Elector) Transfer(ctx context.Context, to string) error {
	switch {
	case e.link != nil && !isName(to):
		return refuse("to: %.60q is not a name", to)
	case e.link == nil && !e.members.votes(to):
		return refuse("to: %.60q is not one of the members", to)
	case to == e.config.Self && e.leading() == nil:
		return ErrNotLeader
	case to == e.config.Self:
		return refuse("to: %s leads already", to)
	}
	if e.link != nil {
		e.link.know(to)
	}
	if err := e.handOver(ctx, ErrTransferred, ID(to)); err != nil {
		return err
	}
	// Without this limit the call could wait forever: if the successor is gone, others elect, or nobody can.
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

// leading returns the tenure in which this member leads; nil if it does not lead.
func (e *Elector) leading() *tenure {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.tenure; t != nil && t.Left() > 0 { // the lease may expire before the work returns
		return t
	}
	return nil
}

// Advance raises the Terms of this group above a token that a resource has seen, after members have lost their memory
// and the resource refuses the tokens of the current leader. All later Terms of this member are larger than token. If
// it leads in a smaller Term, it resigns, and its messages raise the Term of the next leader as well. If those
// messages are lost, or this member is a follower, the next leader may still have a smaller token: then call Advance
// at that leader.
//
// If the token is larger than 2^52, call Advance at every member and observer, and again after each restart of one
// without a Dir: no member accepts such a Term from another member, since it could use up the Terms of the group. The
// error wraps [election.ErrInput] if the token is 2^53-2^32 or more: too few Terms would be left, see [Term.Token].
func (e *Elector) Advance(token uint64) error {
	if token >= lease.RaiseBound {
		return refuse("token: %d is not less than 2^53-2^32 = %d, so that 2^32 Terms are left for later "+
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
