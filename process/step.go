package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/observe"
)

// step steps the Node and carries out its effects.
func (p *Process) step(ctx context.Context, ev *election.Event) error {
	return p.carryOut(ctx, ev, p.stepNode(ev))
}

// carryOut carries out the effects of a Step in this order: save, send, timers, raise, publish. State is saved
// before any message leaves: a process that restarts must know every Term in which it may have sent one.
func (p *Process) carryOut(ctx context.Context, ev *election.Event, fx *election.Effects) error {
	p.noteTerm(fx)
	if p.config.Observe != nil { // before Save, so that a step whose Save fails is observed as well
		p.report(&observe.Occurrence{What: observe.Step, At: ev.At, Event: ev, Effects: fx, Choices: p.seen})
		p.seen = p.seen[:0]
		p.waited("Observe")
	}
	if fx.Saved() && p.config.Save != nil {
		p.state = p.visitor.Append(p.state[:0], &p.host)
		err := p.config.Save(p.state)
		if p.waited("Save"); err != nil {
			return p.fails(fmt.Errorf("saving the state: %w", err))
		}
	}
	if fx.Decided() {
		p.endLease(fx.Outcome)
	}
	for i := range fx.Sends {
		if err := p.send(ctx, &fx.Sends[i]); err != nil {
			return err
		}
	}
	if len(fx.Sends) > 0 {
		p.waited("Transport.Send")
	}
	if fx.Rare() {
		p.effects(fx)
	}
	return nil
}

// self is the number of the process in its view, which contains only this process.
const self = 0

// stepNode steps the Node.
func (p *Process) stepNode(ev *election.Event) *election.Effects {
	ev.At = p.now()
	p.lap = time.Since(p.began)
	fx := p.env.Begin(self)
	p.inNode = true
	p.host.Step(p.env, ev)
	p.inNode = false // not deferred: after a panic it stays true, which identifies the Node as the cause
	return fx
}

// send passes a message to the transport.
func (p *Process) send(ctx context.Context, out *election.Outgoing) error {
	if err := p.wrongPort(out.Port); err != nil {
		return p.fails(err)
	}
	p.sent[min(int(out.Msg.Kind), len(p.sent)-1)].Add(1)
	p.links[out.Port].sent++
	packet := election.Packet{From: p.config.Self.ID, To: p.config.Peers[out.Port].ID, Port: out.Port,
		Msg: out.Msg, Incarnation: p.incarnation, Seq: p.links[out.Port].sent}
	err := p.config.Transport.Send(ctx, packet)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // ignore the error: the process is ending, and the network has not lost the message
		return context.Cause(ctx)
	case errors.Is(err, election.ErrClosed):
		return err
	}
	p.unsent.Add(1)
	p.waited("Transport.Send")
	p.report(&observe.Occurrence{What: observe.Lose, At: p.now(),
		Event: &election.Event{Port: out.Port, Msg: out.Msg}})
	p.waited("Observe")
	p.warn(warnUnsent, "message not sent", "peer", p.config.called(packet.To), "err", err)
	return nil
}

// effects carries out the effects other than messages.
func (p *Process) effects(fx *election.Effects) {
	for i := range fx.Timers {
		p.timer(&fx.Timers[i])
	}
	if p.config.OnRaise != nil {
		for i := range fx.Signals {
			if !fx.Signals[i].Down {
				p.config.OnRaise(fx.Signals[i].Event)
				p.waited("OnRaise")
			}
		}
	}
	if fx.Refused() {
		p.refused = p.fails(fx.Err)
		p.log.Warn("start refused", "err", fx.Err)
		p.waited("Log")
		if p.config.OnRefuse != nil {
			p.config.OnRefuse(p.refused)
			p.waited("OnRefuse")
		}
	}
	if fx.Decided() {
		p.publish(fx.Outcome)
	}
	if fx.Ended() {
		p.end()
	}
}

// end reports that the election has ended. A Node may repeat Done for the same outcome.
func (p *Process) end() {
	p.over = p.once // the loop ends after this step, whose messages have been sent
	if p.ended != p.outcome {
		p.ended = p.outcome
		p.noteTree()
		if p.config.OnEnd != nil {
			p.config.OnEnd(p.ended)
			p.waited("OnEnd")
		}
	}
}

// noteTree stores the tree that the election has built.
func (p *Process) noteTree() {
	for _, machine := range p.host.Machines() {
		if m, ok := machine.(interface {
			Tree() (parent election.Port, children []election.Port, ok bool)
		}); ok {
			parent, children, made := m.Tree()
			p.mu.Lock()
			p.tree = tree{parent, children, made}
			p.mu.Unlock()
		}
	}
}

// endLease ends a lease that a step gives up, for readers of Outcome. Everything else waits for publish, but
// one of the messages about to be sent may release the lease, and another process may lead before the last of
// them is sent.
func (p *Process) endLease(o election.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.outcome.Until != 0 && (o.Role != election.Leader || o.Term != p.outcome.Term) {
		p.outcome.Until = -1 // always in the past; zero would mean a belief without a lease
	}
}

// publish publishes the new belief of the process.
func (p *Process) publish(o election.Outcome) {
	p.mu.Lock()
	// A renewal is not a change: OnOutcome is called only when a belief starts or ends.
	changed, renewed := !p.outcome.Same(o), p.outcome != o
	p.outcome = o
	p.mu.Unlock() // OnOutcome may call Outcome and Close, which lock it
	if !changed {
		if renewed && p.config.OnRenew != nil {
			p.config.OnRenew(o)
			p.waited("OnRenew")
		}
		return
	}
	if o.Role == election.Undecided {
		p.log.Info("undecided", "term", o.Term)
	} else {
		p.log.Info("decided", "term", o.Term, "leader", p.config.called(o.Leader.ID), "role", o.Role.String())
	}
	p.waited("Log")
	if p.config.OnOutcome != nil {
		p.config.OnOutcome(o)
		p.waited("OnOutcome")
	}
}

// timer carries out one change of a timer.
func (p *Process) timer(c *election.TimerChange) {
	key := alarm.Key{Layer: c.Layer, Timer: c.Timer}
	switch {
	case c.All:
		p.clock.StopLayer(c.Layer)
	case c.Stop:
		p.clock.Stop(key)
	default:
		p.clock.Set(key, c.Min, c.Max, func(r alarm.Expiry) {
			// This runs in another goroutine, which must not touch the Node. The expiry waits in box, from
			// which Stop cannot remove it, so handle asks Accept whether it still counts.
			ev := election.Event{Op: election.Timeout, Timer: r.Timer, Layer: r.Layer}
			handle := func() { p.box.Send(&entry{event: ev, number: r.Seq}) }
			if p.config.Expire != nil {
				p.config.Expire(r.Timer, handle)
				return
			}
			handle()
		})
	}
}
