package process

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/observe"
)

// direct is a transport that lets the driver at its mailboxes. The one in memory does.
type direct interface {
	Hold(ctx context.Context) (box *mailbox.Mailbox[election.Packet], release func(), err error)
	Route(from, to election.ID) *mailbox.Mailbox[election.Packet]
}

// Run runs the process in the calling goroutine: it returns nil after [Process.Close], the cause
// when ctx ends, and the transport's error when there is nothing more to receive. An error of
// the process itself is a [ProcessError]. Whatever ends it, the process then believes in no leader:
// its Outcome is Undecided, which OnOutcome is told as the last thing. No timer, goroutine or callback
// outlives it. A process runs once, also if ctx has ended before.
func (p *Process) Run(ctx context.Context) error {
	again, closed := p.enter()
	switch {
	case again:
		return p.fails(input.Errorf("it has run already"))
	case ctx.Err() != nil:
		p.leave()
		return context.Cause(ctx)
	case closed:
		return nil
	}
	release, err := p.open(ctx)
	defer p.leave()
	if err != nil {
		return err
	}
	defer release()
	defer p.clock.StopAll()
	defer context.AfterFunc(ctx, p.wake)()
	err = p.live(ctx)
	if err != nil && ctx.Err() != nil && !errors.As(err, new(*observe.ProcessError)) {
		err = context.Cause(ctx)
	}
	p.log.Debug("process ends", "err", err)
	return err
}

// enter notes that the process runs, unless it has done so before, or was closed.
func (p *Process) enter() (again, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	again, closed = p.ran, p.closed
	p.ran = true
	return again, closed
}

// leave notes that the process runs no more, and takes back what it believes: nobody would tell it of
// another leader. What it believes at the end of the one election that it was run for stays.
func (p *Process) leave() {
	p.mu.Lock()
	p.closed, p.calls, p.inbox = true, nil, nil
	p.mu.Unlock()
	if !p.over {
		p.publish(election.Outcome{Term: p.outcome.Term})
	}
}

// open finds the mailbox to read: the transport's own, or one that a pump fills. release undoes
// that.
func (p *Process) open(ctx context.Context) (release func(), err error) {
	if d, ok := p.config.Transport.(direct); ok {
		p.direct = d
		p.box, release, err = d.Hold(ctx)
	} else {
		p.pump = newPump(p.config.Transport, &p.dropped)
		p.box, release = &p.pump.box, p.pump.start(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inbox = p.box
	return release, err
}

// live is the life of the process: its first events, then whatever comes in.
func (p *Process) live(ctx context.Context) error {
	p.began = time.Now()
	if len(p.config.Saved) > 0 {
		p.report(&observe.Occurrence{What: observe.Restarted, State: p.config.Saved})
	}
	first := []struct {
		op election.Op
		do bool
	}{{election.Init, true}, {election.Rejoin, p.config.Rejoin}, {election.Start, p.config.Start}}
	for _, f := range first {
		if f.do {
			if err := p.step(ctx, &election.Event{Op: f.op}); err != nil {
				return err
			}
		}
	}
	if err := p.answer(ctx); err != nil {
		return err
	}
	for !p.stop {
		batch := p.box.Take()
		if batch == nil {
			return p.lost()
		}
		if err := p.read(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// lost returns why there is no mailbox any more.
func (p *Process) lost() error {
	if p.pump != nil {
		return p.pump.err
	}
	return fmt.Errorf("%w: process %d", election.ErrClosed, p.config.Self.ID)
}

// read deals with what has come in. Whatever it does not get to stays in the mailbox.
func (p *Process) read(ctx context.Context, batch *mailbox.Letter[election.Packet]) error {
	for batch != nil {
		l := batch
		batch = l.Next()
		err := p.packet(ctx, &l.Value)
		p.box.Free(l)
		if err != nil || p.stop {
			p.box.Back(batch)
			return err
		}
	}
	return nil
}

// packet delivers a packet, or drops it.
func (p *Process) packet(ctx context.Context, in *election.Packet) error {
	if in.From == 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return p.answer(ctx)
	}
	if !p.admits(in) {
		p.dropped.Add(1)
		p.log.Warn("packet dropped: no link leads to its sender by this port; are Links what they are at the other end?",
			"from", uint64(in.From), "to", uint64(in.To), "port", uint32(in.Port))
		return nil
	}
	p.received.Add(1)
	if p.depth.Load() < in.Depth {
		p.depth.Store(in.Depth)
	}
	return p.step(ctx, &election.Event{Op: election.Recv, Port: in.Port, Msg: in.Msg})
}

// admits reports whether a packet is for this process, and from whom its port leads to.
func (p *Process) admits(in *election.Packet) bool {
	links := p.config.Links
	return in.To == p.config.Self.ID && in.Port < election.Port(len(links)) && links[in.Port].Peer.ID == in.From &&
		!(p.config.OneWay && in.Port == election.Clockwise)
}

// answer deals with all calls.
func (p *Process) answer(ctx context.Context) error {
	for {
		p.mu.Lock()
		calls := p.calls
		p.calls = nil
		p.stop = p.stop || p.closed
		p.mu.Unlock()
		if len(calls) == 0 || p.stop {
			return nil
		}
		for i := range calls {
			ev := &calls[i].ev
			if ev.Op == election.Timeout && !p.clock.Answer(ring(&calls[i])) {
				continue // stopped after it had run out
			}
			if err := p.step(ctx, ev); err != nil || p.stop {
				return err
			}
		}
	}
}

func ring(c *call) alarm.Ring {
	return alarm.Ring{Key: alarm.Key{Layer: c.ev.Layer, Timer: c.ev.Timer}, Seq: c.seq}
}

// step steps the Node and carries out what it wants done, in this order: save, send, timers,
// raise, publish.
func (p *Process) step(ctx context.Context, ev *election.Event) error {
	ev.At = time.Since(p.began)
	fx := p.env.Begin(0)
	if err := p.stepNode(ev); err != nil {
		return err
	}
	if p.config.Observe != nil {
		p.report(&observe.Occurrence{What: observe.Stepped, At: ev.At, Event: ev, Effects: fx, Choices: p.seen})
		p.seen = p.seen[:0]
	}
	if fx.Saved() && p.config.Save != nil {
		p.state = new(election.State).Append(p.state[:0], &p.host)
		if err := p.config.Save(p.state); err != nil {
			return p.fails(fmt.Errorf("saving the state: %w", err))
		}
	}
	for i := range fx.Sends {
		if err := p.send(ctx, &fx.Sends[i]); err != nil {
			return err
		}
	}
	if fx.Rare() {
		p.effects(fx)
	}
	return nil
}

func (p *Process) fails(err error) error {
	return &observe.ProcessError{ID: p.config.Self.ID, Err: err}
}

// stepNode turns the panic of a Node into an error, and logs where it was.
func (p *Process) stepNode(ev *election.Event) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = p.fails(fmt.Errorf("%w: %v", observe.ErrPanic, what))
			p.log.Error("a node panicked", "panic", fmt.Sprint(what), "stack", string(debug.Stack()))
		}
	}()
	p.host.Step(p.env, ev)
	return nil
}

// send gives a message to the transport.
func (p *Process) send(ctx context.Context, out *election.Outgoing) error {
	if out.Port >= election.Port(len(p.config.Links)) || p.config.OneWay && out.Port != election.Clockwise {
		return p.fails(fmt.Errorf("%w %d", observe.ErrPort, out.Port))
	}
	p.sent[min(int(out.Msg.Kind), len(p.sent)-1)].Add(1)
	link := &p.config.Links[out.Port]
	packet := election.Packet{From: p.config.Self.ID, To: link.Peer.ID, Port: link.Port, Depth: p.depth.Load(), Msg: out.Msg}
	if packet.Depth < math.MaxUint32 {
		packet.Depth++
	}
	if p.direct != nil && p.hand(out.Port, &packet) {
		return nil
	}
	err := p.config.Transport.Send(ctx, packet)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, election.ErrClosed):
		return err
	}
	p.unsent.Add(1)
	p.report(&observe.Occurrence{What: observe.MessageLost, At: time.Since(p.began), Event: &election.Event{Port: out.Port, Msg: out.Msg}})
	p.log.Warn("message not sent", "to", uint64(packet.To), "err", err)
	return nil
}

// hand puts a packet into its receiver's mailbox, which it looks up once a link, or again when
// that has been closed. It returns false if there is none.
func (p *Process) hand(port election.Port, packet *election.Packet) bool {
	if box := p.routes[port]; box != nil && box.Send(packet) {
		return true
	}
	box := p.direct.Route(packet.From, packet.To)
	p.routes[port] = box
	return box != nil && box.Send(packet)
}

// effects carries out the rarer things that a Step may want.
func (p *Process) effects(fx *election.Effects) {
	for i := range fx.Timers {
		p.timer(&fx.Timers[i])
	}
	if len(fx.Signals) > 0 && p.config.OnRaise != nil {
		for i := range fx.Signals {
			if !fx.Signals[i].Down {
				p.config.OnRaise(fx.Signals[i].Event)
			}
		}
	}
	if fx.Refused() {
		p.refused = p.fails(fx.Err)
		p.log.Warn("start refused", "err", fx.Err)
		if p.config.OnRefuse != nil {
			p.config.OnRefuse(p.refused)
		}
	}
	if fx.Decided() {
		p.publish(fx.Outcome)
	}
	if p.once && fx.Ended() {
		p.stop, p.over = true, true
	}
}

// publish makes known what the process now believes.
func (p *Process) publish(o election.Outcome) {
	p.mu.Lock()
	changed := p.outcome != o
	p.outcome = o
	p.mu.Unlock()
	if !changed {
		return
	}
	if o.Role == election.Undecided {
		p.log.Info("undecided", "term", o.Term)
	} else {
		p.log.Info("decided", "term", o.Term, "leader", uint64(o.Leader.ID), "role", o.Role.String())
	}
	if p.config.OnOutcome != nil {
		p.config.OnOutcome(o)
	}
}

// timer carries out one wish of the Node.
func (p *Process) timer(c *election.TimerChange) {
	key := alarm.Key{Layer: c.Layer, Timer: c.Timer}
	switch {
	case c.All:
		p.clock.StopLayer(c.Layer)
	case c.Stop:
		p.clock.Stop(key)
	default:
		p.clock.Set(key, c.Min, c.Max, func(r alarm.Ring) {
			p.call(call{ev: election.Event{Op: election.Timeout, Timer: r.Timer, Layer: r.Layer}, seq: r.Seq})
		})
	}
}
