package trace

import (
	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// effects visits what a process did in a step, in the order in which a driver carries it out. The
// events have no number yet.
func effects(h *Header, p int, o *observe.Occurrence, visit func(Event)) {
	add := func(do observe.What, e Event) {
		e.Process, e.At, e.Do = o.Process, o.At, do
		visit(e)
	}
	for _, c := range o.Choices {
		add(observe.Choose, Event{Of: c.Of, Chosen: c.Chosen})
	}
	fx := o.Effects
	if fx.Saved() {
		add(observe.Save, Event{})
	}
	for i := range fx.Sends {
		out := &fx.Sends[i]
		e := Event{Port: out.Port, Message: out.Msg}
		if out.Port < election.Port(h.Links.Ports(p)) {
			if q, _, ok := h.Links.Link(p, out.Port); ok {
				e.Peer = h.Scenario.IDs[q]
			}
		}
		add(observe.Send, e)
	}
	// Most steps only send, and then the rest is empty.
	if !fx.Rare() {
		return
	}
	for _, t := range fx.Timers {
		switch {
		case t.All:
			add(observe.StopAll, Event{Layer: t.Layer})
		case t.Stop:
			add(observe.Stop, Event{Timer: t.Timer, Layer: t.Layer})
		default:
			add(observe.Set, Event{Timer: t.Timer, Layer: t.Layer, Min: t.Min, Max: t.Max})
		}
	}
	for i := range fx.Signals {
		if r := &fx.Signals[i]; !r.Down {
			ev := &r.Event
			add(observe.Raise, Event{Op: ev.Op.String(), Port: ev.Port, Message: ev.Msg, Timer: ev.Timer,
				Layer: ev.Layer})
		}
	}
	if fx.Refused() {
		add(observe.Refuse, Event{Error: fx.Err.Error()})
	}
	if fx.Decided() {
		add(observe.Decide, Event{Outcome: fx.Outcome})
	}
	if fx.Ended() {
		add(observe.Done, Event{})
	}
}

// stimulus returns the event without what has no meaning for it.
func (e Event) stimulus() Event {
	kept := Event{Process: e.Process, Seq: e.Seq, At: e.At, Do: e.Do}
	switch e.Do {
	case observe.Deliver:
		kept.From, kept.Peer, kept.Port, kept.Message = e.From, e.Peer, e.Port, e.Message
	case observe.Suspect, observe.Trust:
		kept.Port = e.Port
	case observe.Init, observe.Command:
		kept.Message = e.Message
	case observe.Timeout:
		kept.Timer, kept.Layer = e.Timer, e.Layer
	}
	return kept
}

// nodeEvent returns what the Node is given.
func (e *Event) nodeEvent() election.Event {
	return election.Event{At: e.At, Op: e.Do.Op(), Msg: e.Message, Port: e.Port, Timer: e.Timer,
		Layer: e.Layer}
}
