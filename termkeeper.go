package election

import (
	"cmp"
	"math"
)

// TermKeeper runs a Node that knows only one election through a sequence of elections. It gives every election
// a Term and
//   - sets the Term of everything that the Node sends and decides;
//   - drops messages of older Terms. If the link is two-way, it answers them with the current Term, so that a
//     process that was away catches up;
//   - resets the Node on a message of a newer Term and joins that election;
//   - begins the next Term on a Start, unless an election is in progress at this process: then the Node handles
//     the Start. On a Reelect it always begins the next Term;
//   - requests a save whenever the Term changes. After a restart from saved state it abstains from the saved
//     Term, because it does not know what it has sent in that Term.
//
// For algorithms that allow a single initiator, the initiator's ID is the lower half of the Term and is carried
// in Message.Value, so that two initiators never share an election.
//
// A long-lived Node (see [Algorithm.LongLived]) keeps Terms itself; the TermKeeper passes everything through.
// Drivers hold a TermKeeper by value: it costs one comparison per message rather than a second interface call.
type TermKeeper struct {
	node   Node
	term   uint64 // current election; zero before the first
	live   uint64 // term, or zero while abstaining or if long-lived: the Term whose messages go straight to the Node
	origin ID     // initiator of the election, if the algorithm has a single initiator
	opts   termOptions
	ended  bool // the Node knows that the election of this Term has ended
	asked  bool // this process has asked for the election of this Term
	back   bool // the process has restarted, and may have forgotten a Term
}

// flagEnded in a CatchUp means that the sender knows that the election of its Term has ended.
const flagEnded uint8 = 1

// termOptions determine how a TermKeeper keeps Terms.
type termOptions struct {
	longLived bool // pass everything through: the Node keeps Terms itself
	single    bool // one initiator per election; the Node must not use Message.Value
	oneWay    bool // a message cannot be answered over the port it arrived on
}

// newTermKeeper wraps a Node.
func newTermKeeper(n Node, o termOptions) TermKeeper { return TermKeeper{node: n, opts: o} }

// Term returns the current Term, or zero before the first election.
func (r *TermKeeper) Term() uint64 { return r.term }

// Ended reports whether the Node knows that the election of the current Term has ended.
func (r *TermKeeper) Ended() bool { return r.ended }

// Node returns the wrapped Node.
func (r *TermKeeper) Node() Node { return r.node }

// Step handles one event.
func (r *TermKeeper) Step(e *Env, ev *Event) {
	// Nearly every event is a message of the current Term, so make that the fast path. Compare with live, not
	// term: a process that abstains from its Term must not accept messages of it.
	if ev.Op == Recv && ev.Msg.Term == r.live && r.live != 0 && ev.Msg.Kind != CatchUp &&
		(!r.opts.single || ID(ev.Msg.Value) == r.origin) {
		r.pass(e, ev)
		return
	}
	r.judge(e, ev)
}

// pass steps the Node with ev and sets the Term of its output.
func (r *TermKeeper) pass(e *Env, ev *Event) {
	// In a Stack, machines below may already have acted in this Step. Set the Term of this Node's output only,
	// and restore the flags of the other machines at the end.
	mark, before := len(e.fx.Sends), e.fx.set
	e.fx.set = 0
	r.node.Step(e, ev)
	for i := mark; i < len(e.fx.Sends); i++ {
		m := &e.fx.Sends[i].Msg
		// Write only if different, because a relayed message already has this Term: a narrow store followed by
		// a wide load of the same struct defeats store forwarding.
		if m.Term != r.term {
			m.Term = r.term
		}
		if r.opts.single {
			m.Value = uint64(r.origin)
		}
	}
	if e.fx.set != 0 {
		if e.fx.set&didEnd != 0 {
			// A process that has seen the end of an election has caught up after its restart.
			r.ended, r.back = true, false
		}
		if e.fx.set&didDecide != 0 {
			e.fx.Outcome.Term = r.term
		}
	}
	e.fx.set |= before
}

// judge handles every event except messages of the current Term.
func (r *TermKeeper) judge(e *Env, ev *Event) {
	switch {
	case r.opts.longLived:
		before := e.fx.set
		e.fx.set = 0
		r.node.Step(e, ev)
		if e.fx.set&didDecide != 0 && e.fx.Outcome.Role == Undecided {
			r.ended = false // another election has started
		}
		r.ended = r.ended || e.fx.set&didEnd != 0
		e.fx.set |= before
	case ev.Op == Init:
		// The Term was saved, but not the messages that this process has sent in it. A second, different vote
		// in the same Term could elect two leaders, so abstain.
		if r.term != 0 {
			r.live, r.ended = 0, true
			new(State).Reset(r.node)
		}
		r.pass(e, ev)
	case ev.Op == Rejoin:
		r.back = true
		r.pass(e, ev)
	case ev.Op == Start:
		r.start(e, ev, r.term == 0 || r.ended)
	case ev.Op == Reelect:
		r.start(e, &Event{Op: Start, At: ev.At}, true)
	case ev.Op == Recv && ev.Msg.Kind == CatchUp:
		r.catchUp(e, ev)
	// The message proves that its election is still in progress, so the restarted process need not ask for it
	// again.
	case ev.Op == Recv && r.compare(&ev.Msg) > 0:
		r.adopt(e, ev, ev.Msg.Term, ID(ev.Msg.Value))
		r.back = false
		r.pass(e, ev)
	case ev.Op == Recv:
		// On a one-way ring no message reaches the sender over this port. The sender catches up when later
		// messages reach it around the ring.
		if r.compare(&ev.Msg) < 0 && !r.opts.oneWay {
			e.Send(ev.Port, r.current())
		}
	default:
		r.pass(e, ev)
	}
}

// compare returns -1, 0 or +1 if m belongs to an earlier election than the current one, to the current one, or
// to a later one. No election has Term zero.
func (r *TermKeeper) compare(m *Message) int {
	if r.opts.single && m.Term == r.term && m.Term != 0 {
		return cmp.Compare(ID(m.Value), r.origin)
	}
	return cmp.Compare(m.Term, r.term)
}

// start begins the next election, or passes the Start to the election in progress.
func (r *TermKeeper) start(e *Env, ev *Event, next bool) {
	if next {
		// Do not wrap around: all other processes would drop messages of Term 0 as old ones.
		if r.term == math.MaxUint64 {
			e.Refuse(ErrTermExhausted)
			return
		}
		r.adopt(e, ev, r.term+1, e.Self().ID)
	}
	// The switch below checks whether this Start was refused. Clear the flags, so that an earlier refusal by
	// another machine of the Stack does not count.
	before := e.fx.set
	e.fx.set = 0
	r.pass(e, ev)
	switch refused := e.fx.set&didRefuse != 0; {
	case !refused:
		r.asked = true
	case next:
		r.origin = 0 // another process may start the election of this Term; its origin is then larger than 0
	}
	e.fx.set |= before
}

// current returns the CatchUp message with the current Term.
func (r *TermKeeper) current() Message {
	m := Message{Kind: CatchUp, Term: r.term, Value: uint64(r.origin)}
	if r.ended {
		m.Flags = flagEnded
	}
	return m
}

// catchUp adopts the Term of a process that is ahead. If that election is still in progress, its messages will
// arrive here too, unless they arrived before a crash. Otherwise, if this process has asked for an election
// that no other process has heard of, it asks again.
func (r *TermKeeper) catchUp(e *Env, ev *Event) {
	if r.compare(&ev.Msg) <= 0 {
		return
	}
	// Compute both before adopt, which clears asked and ended.
	missed := ev.Msg.Flags&flagEnded != 0 || r.back
	again := r.asked && !r.ended && missed
	r.adopt(e, ev, ev.Msg.Term, ID(ev.Msg.Value))
	r.ended, r.back = missed, false // if ended, the next Start begins a new election
	if again {
		r.start(e, &Event{Op: Start, At: ev.At}, true)
	}
}

// adopt begins a Term with a Node that is reset.
func (r *TermKeeper) adopt(e *Env, ev *Event, term uint64, origin ID) {
	used := r.term != 0 // otherwise the Node is as Init left it
	r.term, r.live, r.ended, r.asked = term, term, false, false
	if r.opts.single {
		r.origin = origin
	}
	if used {
		new(State).Reset(r.node)
		// A timer of the old election would fire in the new one, which uses the same timer numbers.
		e.stopTimers()
		r.pass(e, &Event{Op: Init, At: ev.At})
	}
	// Save even if the Node has nothing to save: after a restart the process must know in which Terms it has
	// sent messages.
	e.Save()
}

// State visits the Term and the Node.
func (r *TermKeeper) State(s *State) {
	if r.opts.longLived {
		s.Bool(&r.ended)
	} else {
		s.Uint64(&r.term)
		s.Uint64(&r.live)
		s.ID(&r.origin)
		s.Bool(&r.ended)
		s.Bool(&r.asked)
		s.Bool(&r.back)
	}
	r.node.State(s)
}
