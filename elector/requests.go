package elector

import (
	"context"
	"sync"
	"time"
)

// Term returns the Term in which this member leads, and a copy of ctx that is canceled when the Term ends, Times.Stop
// before the lease expires; [context.Cause] returns why. [TermOf] finds the Term in the copy. Term returns false if this
// member does not lead.
//
// Term is for requests that a leader handles in addition to its work. The ctx must end with the request, as it does in
// net/http and gRPC. In a planned handover, this member keeps the lead until the work has returned and each such ctx
// has ended. It accepts no more requests once the work has returned: Term then returns false. Requests that take longer
// than half of Times.Drain after that are canceled.
func (e *Elector) Term(ctx context.Context) (context.Context, Term, bool) {
	e.mu.Lock()
	t := e.tenure
	e.mu.Unlock()
	if t == nil || !t.Valid(e.config.Times.Stop) || !t.requests.begin() {
		return ctx, Term{}, false
	}
	own, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(t.requests.ctx, func() { cancel(context.Cause(t.requests.ctx)) })
	context.AfterFunc(ctx, func() {
		stop()
		t.requests.finish()
	})
	return context.WithValue(own, termKey{}, t.Term), t.Term, true
}

type termKey struct{}

// TermOf returns the Term in a context that [Elector.Term] has returned, for instance in a handler behind package
// forward. In other contexts it is the zero Term, which is never valid.
func TermOf(ctx context.Context) Term {
	t, _ := ctx.Value(termKey{}).(Term)
	return t
}

// requests are the requests in progress in one tenure.
type requests struct {
	ctx context.Context // canceled when they have to end
	end context.CancelCauseFunc

	mu     sync.Mutex
	number int
	closed bool
	gone   chan struct{} // closed when none is left and no other can begin
}

func newRequests() *requests {
	r := &requests{gone: make(chan struct{})}
	r.ctx, r.end = context.WithCancelCause(context.Background())
	return r
}

// begin reports whether another request may begin.
func (r *requests) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.ctx.Err() != nil {
		return false
	}
	r.number++
	return true
}

func (r *requests) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.number--; r.number == 0 && r.closed {
		close(r.gone)
	}
}

// close accepts no more requests.
func (r *requests) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed = true; r.number == 0 {
		close(r.gone)
	}
}

// awaitRequests waits for the requests in progress, once the work has returned and unless the lead is lost.
func (t *tenure) awaitRequests() {
	r := t.requests
	r.close()
	if _, why := t.reason(); !isPlanned(why) {
		return
	}
	if r.await(t.e.config.Times.Drain/2, r.ctx.Done()) {
		return
	}
	t.expel()
	// Less than Stop, so that the guard does not take the requests for work that has not stopped. What they write
	// afterwards is refused: their token is smaller than the next leader's.
	if !r.await(t.e.config.Times.Stop/2, nil) {
		t.e.log.Warn("requests continue although their contexts were canceled", "term", t.Number)
	}
}

// await reports whether no request is left, after at most d and not after more is closed.
func (r *requests) await(d time.Duration, more <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.gone:
		return true
	case <-more:
	case <-timer.C:
	}
	return false
}
