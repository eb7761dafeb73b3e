package elector

import (
	"context"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lease"
)

// Resign lets another member lead: it stops the work, waits until that has returned, and gives up the
// lead. This member stands again after a lease. The error is ErrNotLeader if it does not lead, or that
// of ctx.
func (e *Elector) Resign(ctx context.Context) error { return e.handOver(ctx, ErrResigned, 0) }

// Transfer does the same in favour of one member, and waits until that leads. The error is ErrNotTaken
// if another member leads instead, or none within a lease.
func (e *Elector) Transfer(ctx context.Context, to string) error {
	if _, ok := e.config.Members[to]; !ok || to == e.config.Self {
		return input.Errorf("to: %.60q is not another member", to)
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
	e.mu.Lock()
	t := e.tenure
	e.mu.Unlock()
	if t == nil || t.Left() <= 0 { // it may be Overrun that asks: the work has not ended yet
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

// mostTerm is the largest Term that can be a token, see [Term.Token].
const mostTerm = 1<<53 - 1

// Advance says that something refuses the tokens of this group, since it has seen this larger one:
// members have lost their memory. All later Terms of this member are larger, and one that leads in a smaller
// Term resigns. The next leader may be a member that Advance was not called for: its Term may be too small
// as well. The error wraps [election.ErrInput] if the token is so large that the next Term would be none,
// see [Term.Token].
func (e *Elector) Advance(token uint64) error {
	if token >= mostTerm {
		return input.Errorf("token: %d is none that a Term could exceed", token)
	}
	if err := e.process.Command(lease.Raise(token)); err != nil {
		return err
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
