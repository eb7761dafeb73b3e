package process

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/observe"
)

// Run runs the process in the calling goroutine. It returns nil after [Process.Close], the cause of ctx when
// ctx ends, and the transport's error if the transport fails to receive. An error of the process itself is an
// [observe.ProcessError], including a panic of a Node or a callback. When Run ends, the process withdraws its
// belief: its Outcome is Undecided, and OnOutcome is called with it last. No timer, goroutine or callback
// outlives Run. A process runs only once, even if ctx has already ended.
func (p *Process) Run(ctx context.Context) error {
	switch {
	case ctx == nil:
		return p.fails(input.Errorf("context: missing"))
	case p.ran.Swap(true):
		return p.fails(input.Errorf("the process has already run"))
	case ctx.Err() != nil:
		p.finish(nil)
		return context.Cause(ctx)
	}
	err := p.run(ctx)
	if errors.Is(err, errStopped) {
		_, err = p.closeCause()
	}
	// After ctx has ended, an error of the transport is most likely a consequence, so return the cause of ctx
	// instead. An error of the process itself is not a consequence and is kept.
	if err != nil && ctx.Err() != nil && !errors.As(err, new(*observe.ProcessError)) {
		err = context.Cause(ctx)
	}
	p.log.Debug("process ends", "err", err)
	return err
}

// run takes part in elections and releases everything when it returns.
func (p *Process) run(ctx context.Context) (err error) {
	// Deferred calls run in reverse order, also after a panic. withdraw calls OnOutcome, which may panic as
	// well, so recover must run last.
	defer func() {
		if what := recover(); what != nil {
			err = p.panicked(p.inNode, what)
		}
	}()
	defer p.withdraw()
	// Close must interrupt a Send that waits, so Send has a context of its own.
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if !p.stopWith(stop) {
		return nil
	}
	release, err := p.attach(inner)
	if err != nil {
		return err
	}
	defer func() {
		p.clock.StopAll()
		p.finish(nil) // before release: the transport may keep a packet only after deliver has refused it
		release(append(p.packets(p.unread), p.packets(p.left)...))
	}()
	// The loop waits at box, which does not watch a context, so close box when ctx ends.
	defer context.AfterFunc(ctx, func() { p.finish(context.Cause(ctx)) })()
	if err := p.start(inner); err != nil {
		return err
	}
	return p.loop(inner)
}

// stopWith sets the function that finish calls, and returns false if the process is already closed.
func (p *Process) stopWith(stop context.CancelCauseFunc) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = stop
	return !p.closed
}

// panicked logs a panic with its stack, and returns it as an error.
func (p *Process) panicked(inNode bool, what any) error {
	mistake := ErrCallback
	if inNode {
		mistake = observe.ErrPanic
	}
	p.log.Error(mistake.Error(), "panic", fmt.Sprint(what), "stack", string(debug.Stack()))
	return p.fails(fmt.Errorf("%w: %v", mistake, what))
}

// loop handles events until the process ends.
func (p *Process) loop(ctx context.Context) error {
	for !p.over {
		batch := p.box.Take()
		if batch == nil {
			_, cause := p.closeCause()
			return cause
		}
		for batch != nil && !p.over {
			in := batch
			batch = in.Next()
			p.unread = batch
			if err := p.handle(ctx, &in.Value); err != nil {
				return err
			}
			p.box.Free(in)
		}
	}
	return nil
}

// withdraw withdraws the belief of the process, which nothing would correct after it has ended. The outcome of
// Run's single election stays.
func (p *Process) withdraw() {
	p.finish(nil) // if attach has failed, nothing has closed box yet
	if !p.over {
		p.lap = time.Since(p.began) // after the last step, the process may have waited for a long time
		p.publish(election.Outcome{Term: p.outcome.Term})
	}
}

// start delivers the first events.
func (p *Process) start(ctx context.Context) error {
	p.began = time.Now()
	switch {
	case p.config.Clock != nil:
		p.now = p.config.Clock
	case p.config.Algorithm.Elects == election.LeaseHolders:
		p.now = suspend.Clock()
	default: // every step reads the clock, and time.Since is cheaper than a suspend-aware clock
		p.now = func() time.Duration { return time.Since(p.began) }
	}
	p.warnOfSilence()
	p.warnOfSolitude()
	if len(p.config.Saved) > 0 {
		p.report(&observe.Occurrence{What: observe.Restart, State: p.config.Saved})
		p.waited("Observe")
	}
	for _, first := range []struct {
		op election.Op
		do bool
	}{{election.Init, true}, {election.Rejoin, p.comesBack()}, {election.Start, p.config.Start}} {
		if first.do {
			if err := p.step(ctx, p.first(first.op)); err != nil {
				return err
			}
		}
	}
	return nil
}

// comesBack reports whether the process receives a Rejoin. If there is saved state, the process has been in the
// group before, whatever Founding is: without a Rejoin it might wait for a leader forever, as modbully does.
// The exception is a token ring: if all of its members have been down, there is no token left, and with
// Founding the process creates it again.
func (p *Process) comesBack() bool {
	a := p.config.Algorithm
	return !p.config.Founding || len(p.config.Saved) > 0 && a.LongLived() && a.Elects != election.NoLeader
}

// first returns one of the first events. If the algorithm has leases, Init contains the incarnation, and the
// time of day as a lower bound of all later Terms: even if all members lose their state, Terms still increase,
// unless the clock goes back. A process with saved state does not need this bound. A process without saved
// state does: it may have run without Save before, or its saved state may be lost.
func (p *Process) first(op election.Op) *election.Event {
	ev := &election.Event{Op: op}
	if op == election.Init && p.config.Algorithm.Elects == election.LeaseHolders {
		ev.Msg.Value = p.incarnation
		today := dayTerm(p.began)
		if len(p.config.Saved) == 0 {
			ev.Msg.Term = today
		}
		for _, machine := range p.host.Machines() {
			if voter, ok := machine.(interface{ Remembered() uint64 }); ok {
				p.trust(voter.Remembered())
			}
		}
		p.term = max(p.term, today)
	}
	return ev
}

// handle handles one entry of the mailbox.
func (p *Process) handle(ctx context.Context, in *entry) error {
	switch in.event.Op {
	case election.Recv:
		p.leaves(in.event.Port)
		link := &p.links[in.event.Port]
		if link.copied(in.incarnation, in.seq) {
			p.copies.Add(1)
			p.log.Debug("packet dropped: it has arrived before", "peer", p.config.called(in.from), "seq",
				in.seq)
			return nil
		}
		if link.alternates(in.incarnation, in.seq) {
			p.warn(warnTwins, "two processes use one ID: packets of two starts of it alternate", "peer",
				p.config.called(in.from))
		}
		p.received.Add(1)
		return p.receive(ctx, &in.event)
	case opPeer:
		p.addPeer(in.event.Msg.Rank)
		return nil
	case election.Timeout:
		key := alarm.Key{Layer: in.event.Layer, Timer: in.event.Timer}
		if !p.clock.Accept(alarm.Expiry{Key: key, Seq: in.number}) {
			return nil // the timer was stopped after it had fired
		}
	case election.Command:
		p.trust(in.event.Msg.Term) // no peer can send a Command
	case election.Start:
		// The caller of Start knows the outcome of the last election and of no other one. The Node may not know
		// yet that this election has ended everywhere, and would treat the Start as a part of it.
		if o := p.outcome; !p.config.Algorithm.LongLived() && o.Role != election.Undecided &&
			o.Term == p.host.Term() {
			in.event.Op = election.Reelect
		}
	}
	return p.step(ctx, &in.event)
}

func (p *Process) fails(err error) error {
	return &observe.ProcessError{ID: p.config.Self.ID, Err: err}
}
