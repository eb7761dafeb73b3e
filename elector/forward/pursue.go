package forward

import (
	"context"
	"errors"
	"time"

	"github.com/go-election/election/elector"
)

// ErrReplaced is the cancellation cause of a request whose leader was replaced. Forwarders of other protocols, such as
// adapters/grpc, use it with [Leader], [Await] and [Replaced].
var ErrReplaced = errors.New("the leader was replaced")

// grace is how long a leader that was replaced may take to answer: it completes its requests before the next one begins,
// so the responses are on their way.
const grace = time.Second

// Leader waits at most d until a leader can be reached, this member leads, or it has ended. It returns the last View, and
// reports whether one of these conditions holds.
func Leader(ctx context.Context, e *elector.Elector, d time.Duration) (elector.View, bool) {
	return Await(ctx, e, d, func(v elector.View) bool {
		return v.Self || v.Why == elector.Ended || v.Reachable && v.Address != ""
	})
}

// Await waits at most d until ready accepts a View. It returns the last View, and reports whether ready accepts it.
func Await(ctx context.Context, e *elector.Elector, d time.Duration, ready func(elector.View) bool) (elector.View, bool) {
	ctx, stop := context.WithTimeout(ctx, d)
	defer stop()
	var last elector.View
	for last = range e.Watch(ctx) {
		if ready(last) {
			return last, true
		}
	}
	return last, false
}

// Replaced waits until another leader is elected after the given View, or the same one again, and then a second for the
// responses that are in flight. It returns false if ctx ends first.
func Replaced(ctx context.Context, e *elector.Elector, of elector.View) bool {
	for v := range e.Watch(ctx) {
		if !replaces(v, of) {
			continue
		}
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// replaces reports whether next names another leader than of, or the same leader in a later Term.
func replaces(next, of elector.View) bool {
	// By hearsay, the Term of of is an upper bound.
	return next.Why == elector.Elected && (next.Leader != of.Leader || next.Term > of.Term)
}
