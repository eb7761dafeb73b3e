package process

import (
	"context"
	"errors"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/observe"
)

// Run runs the process in the calling goroutine: it returns nil after [Process.Close], the cause
// when ctx ends, and the transport's error when there is nothing more to receive. An error of
// the process itself is a [observe.ProcessError]. Whatever ends it, the process then believes in no leader:
// its Outcome is Undecided, which OnOutcome is told as the last thing. No timer, goroutine or callback
// outlives it. A process runs once, also if ctx has ended before.
func (p *Process) Run(ctx context.Context) error {
	if p.ran.Swap(true) {
		return p.fails(input.Errorf("it has run already"))
	}
	if ctx.Err() != nil {
		p.finish(nil)
		return context.Cause(ctx)
	}
	if closed, _ := p.closeCause(); closed {
		return nil
	}
	err := p.run(ctx)
	if err != nil && ctx.Err() != nil && !errors.As(err, new(*observe.ProcessError)) {
		err = context.Cause(ctx)
	}
	p.log.Debug("process ends", "err", err)
	return err
}

// run lets the process take part, and leaves nothing behind.
func (p *Process) run(ctx context.Context) error {
	defer p.withdraw()
	release, err := p.attach(ctx)
	if err != nil {
		return err
	}
	var rest *mailbox.Item[entry]
	defer func() {
		p.clock.StopAll()
		p.finish(nil) // before release: the transport may only keep a packet once deliver refuses it
		release(append(packets(rest), packets(p.left)...))
	}()
	defer context.AfterFunc(ctx, func() { p.finish(context.Cause(ctx)) })()
	if err := p.start(ctx); err != nil {
		return err
	}
	rest, err = p.loop(ctx)
	return err
}

// loop deals with whatever comes in, until the process ends. It returns what it has taken out of the mailbox
// and not dealt with.
func (p *Process) loop(ctx context.Context) (rest *mailbox.Item[entry], err error) {
	for !p.over {
		batch := p.box.Take()
		if batch == nil {
			_, cause := p.closeCause()
			return nil, cause
		}
		for batch != nil {
			in := batch
			batch = in.Next()
			err := p.handle(ctx, &in.Value)
			p.box.Free(in)
			if err != nil || p.over {
				return batch, err
			}
		}
	}
	return nil, nil
}

// withdraw takes back what the process believes: once it has ended, nothing would correct that. The outcome
// of the one election that it was run for stays.
func (p *Process) withdraw() {
	p.finish(nil)
	if !p.over {
		p.publish(election.Outcome{Term: p.outcome.Term})
	}
}

// start lets the process have its first events.
func (p *Process) start(ctx context.Context) error {
	p.began = time.Now()
	if len(p.config.Saved) > 0 {
		p.report(&observe.Occurrence{What: observe.Restart, State: p.config.Saved})
	}
	for _, first := range []struct {
		op election.Op
		do bool
	}{{election.Init, true}, {election.Rejoin, p.config.Rejoin}, {election.Start, p.config.Start}} {
		if first.do {
			if err := p.step(ctx, &election.Event{Op: first.op}); err != nil {
				return err
			}
		}
	}
	return nil
}

// handle deals with one entry of the mailbox.
func (p *Process) handle(ctx context.Context, in *entry) error {
	switch in.event.Op {
	case election.Recv:
		if !p.admits(in) {
			p.dropped.Add(1)
			p.log.Warn("packet dropped: no link leads to its sender by this port; "+
				"are Links what they are at the other end?",
				"from", uint64(in.from), "to", uint64(in.to), "port", uint32(in.event.Port))
			return nil
		}
		p.received.Add(1)
		if p.depth.Load() < in.number {
			p.depth.Store(in.number)
		}
	case election.Timeout:
		key := alarm.Key{Layer: in.event.Layer, Timer: in.event.Timer}
		if !p.clock.Accept(alarm.Expiry{Key: key, Seq: in.number}) {
			return nil // stopped after it had run out
		}
	}
	return p.step(ctx, &in.event)
}

// admits reports whether a packet is for this process, and from the process that its port leads to.
func (p *Process) admits(in *entry) bool {
	links, port := p.config.Links, in.event.Port
	return in.to == p.config.Self.ID && port < election.Port(len(links)) && links[port].Peer.ID == in.from &&
		!(p.config.OneWay && port == election.Clockwise)
}

func (p *Process) fails(err error) error {
	return &observe.ProcessError{ID: p.config.Self.ID, Err: err}
}
