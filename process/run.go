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

// Run runs the process in the calling goroutine: it returns nil after [Process.Close], the cause
// when ctx ends, and the transport's error when there is nothing more to receive. An error of
// the process itself is a [observe.ProcessError], and so is the panic of a Node or of a callback. Whatever
// ends it, the process then believes in no leader: its Outcome is Undecided, with which OnOutcome is called
// last. No timer, goroutine or callback outlives it. A process runs once, also if ctx has ended before.
func (p *Process) Run(ctx context.Context) error {
	switch {
	case ctx == nil:
		return p.fails(input.Errorf("context: none is given"))
	case p.ran.Swap(true):
		return p.fails(input.Errorf("it has run already"))
	case ctx.Err() != nil:
		p.finish(nil)
		return context.Cause(ctx)
	}
	err := p.run(ctx)
	if errors.Is(err, errStopped) {
		_, err = p.closeCause()
	}
	// Once ctx has ended, an error of the transport is most likely that end in other words, so the cause of
	// ctx stands for it. An error of the process itself is no consequence of that, and stays.
	if err != nil && ctx.Err() != nil && !errors.As(err, new(*observe.ProcessError)) {
		err = context.Cause(ctx)
	}
	p.log.Debug("process ends", "err", err)
	return err
}

// run lets the process take part, and leaves nothing behind.
func (p *Process) run(ctx context.Context) (err error) {
	// The deferred calls run in the reverse order, after a panic too. withdraw calls OnOutcome, which may
	// panic in its turn: so recover comes last.
	defer func() {
		if what := recover(); what != nil {
			err = p.panicked(p.inNode, what)
		}
	}()
	defer p.withdraw()
	// Close must end a Send that waits, so Send has a context of its own.
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
		p.finish(nil) // before release: the transport may only keep a packet once deliver refuses it
		release(append(p.packets(p.unread), p.packets(p.left)...))
	}()
	// The loop waits at box, which knows no context: so the end of ctx has to close it.
	defer context.AfterFunc(ctx, func() { p.finish(context.Cause(ctx)) })()
	if err := p.start(inner); err != nil {
		return err
	}
	return p.loop(inner)
}

// stopWith sets what finish calls, and returns false if the process is closed already.
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

// loop deals with whatever comes in, until the process ends.
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

// withdraw takes back what the process believes: once it has ended, nothing would correct that. The outcome
// of the one election that it was run for stays.
func (p *Process) withdraw() {
	p.finish(nil) // where attach has failed, nothing has closed box so far
	if !p.over {
		p.lap = time.Since(p.began) // after the last step it may have waited for long
		p.publish(election.Outcome{Term: p.outcome.Term})
	}
}

// start lets the process have its first events.
func (p *Process) start(ctx context.Context) error {
	p.began = time.Now()
	switch {
	case p.config.Clock != nil:
		p.now = p.config.Clock
	case p.config.Algorithm.Leases:
		p.now = suspend.Clock()
	default: // the clock is read in each step, and this one is cheaper
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

// comesBack reports whether the process gets a Rejoin. A saved state says that it has been in the group
// before, whatever Founding says: without a Rejoin it might wait for a leader for ever, as modbully does. A
// token ring all of whose members have been down has no leader, and makes its token anew if it is Founding.
func (p *Process) comesBack() bool {
	a := p.config.Algorithm
	return !p.config.Founding || len(p.config.Saved) > 0 && a.LongLived && !a.Leaderless
}

// first returns one of the first events. Where there are leases, Init brings the incarnation, and the time of
// day as a bound below all Terms to come: if all members lose what they knew, Terms still increase,
// unless the clock goes back. A process that has saved its state needs no such bound. One that has saved
// nothing yet does: it may have run without Save before, or what it saved may be lost.
func (p *Process) first(op election.Op) *election.Event {
	ev := &election.Event{Op: op}
	if op == election.Init && p.config.Algorithm.Leases {
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

// handle deals with one entry of the mailbox.
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
		p.depth.Store(max(p.depth.Load(), in.number))
		return p.receive(ctx, &in.event)
	case election.Timeout:
		key := alarm.Key{Layer: in.event.Layer, Timer: in.event.Timer}
		if !p.clock.Accept(alarm.Expiry{Key: key, Seq: in.number}) {
			return nil // stopped after it had run out
		}
	case election.Command:
		p.trust(in.event.Msg.Term) // no peer can send a Command
	case election.Start:
		// The caller of Start knows of no election that is under way: the last one has an outcome. The Node
		// may not know yet that it has ended everywhere, and would take the Start for a part of that one.
		if o := p.outcome; !p.config.Algorithm.LongLived && o.Role != election.Undecided &&
			o.Term == p.host.Term() {
			in.event.Op = election.Reelect
		}
	}
	return p.step(ctx, &in.event)
}

func (p *Process) fails(err error) error {
	return &observe.ProcessError{ID: p.config.Self.ID, Err: err}
}
