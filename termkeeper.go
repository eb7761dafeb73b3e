package election

import (
	"cmp"
	"math"
)

// TermKeeper makes a Node that knows one election only take part in one after another. It gives
// every election a Term and
//   - stamps the Term on all that the Node sends and decides;
//   - drops messages of older Terms, and answers them with the current Term where the link is
//     two-way, so that a process that has been away catches up;
//   - on a message of a newer Term resets the Node and joins that election;
//   - on a Start begins the next Term, unless an election is under way here: then the Start is
//     the Node's to judge. On a Reelect it begins the next Term in any case;
//   - asks for its state to be saved whenever the Term changes, and after a restart from saved
//     state abstains from the Term that it may have been in: it has forgotten what it said.
//
// For algorithms that allow a single initiator the initiator's ID, carried in Message.Value,
// is the lower half of the Term, so that two starters never share one election.
//
// A Node that is long-lived (see [Algorithm.LongLived]) keeps Terms itself and is passed through untouched.
// Drivers hold a TermKeeper by value: on the way of a message it costs a comparison, no second
// interface call.
type TermKeeper struct {
	node   Node
	term   uint64 // the current election; zero before the first
	live   uint64 // term, or zero while abstaining and if long-lived: messages of this Term pass
	origin ID     // whose election, where there is a single initiator
	opts   termOptions
	ended  bool // the Node knows that the election of this Term has ended
	asked  bool // this process has asked for the election of this Term
	back   bool // it has come back, and may have forgotten a Term
}

// flagEnded in a CatchUp says that the election of its Term has ended where it comes from.
const flagEnded uint8 = 1

// termOptions say how Terms are to be kept.
type termOptions struct {
	longLived bool // pass everything through: the Node keeps Terms itself
	single    bool // one initiator an election; Message.Value is not the Node's to use
	oneWay    bool // a received message cannot be answered over the port that it came by
}

// newTermKeeper wraps a Node.
func newTermKeeper(n Node, o termOptions) TermKeeper { return TermKeeper{node: n, opts: o} }

// Term returns the current Term, zero before the first election.
func (r *TermKeeper) Term() uint64 { return r.term }

// Ended reports whether the Node knows that the election of the current Term has ended.
func (r *TermKeeper) Ended() bool { return r.ended }

// Node returns the Node inside.
func (r *TermKeeper) Node() Node { return r.node }

// Step takes one event.
func (r *TermKeeper) Step(e *Env, ev *Event) {
	// Nearly every event is a message of the current Term: it costs these comparisons only. live, not term: a
	// process that abstains from its Term takes none of its messages.
	if ev.Op == Recv && ev.Msg.Term == r.live && r.live != 0 && ev.Msg.Kind != CatchUp &&
		(!r.opts.single || ID(ev.Msg.Value) == r.origin) {
		r.pass(e, ev)
		return
	}
	r.judge(e, ev)
}

// pass hands ev to the Node and stamps what comes out.
func (r *TermKeeper) pass(e *Env, ev *Event) {
	// Below in a Stack, other machines may have acted in this Step already. Stamp what this Node adds only,
	// and put their flags back at the end.
	mark, before := len(e.fx.Sends), e.fx.set
	e.fx.set = 0
	r.node.Step(e, ev)
	for i := mark; i < len(e.fx.Sends); i++ {
		m := &e.fx.Sends[i].Msg
		// Write only when different, as a relayed message has this Term already: a narrow store followed by a
		// wide load of the same struct defeats store forwarding.
		if m.Term != r.term {
			m.Term = r.term
		}
		if r.opts.single {
			m.Value = uint64(r.origin)
		}
	}
	if e.fx.set != 0 {
		if e.fx.set&didEnd != 0 {
			// A process that has seen the end of an election has caught up after its return.
			r.ended, r.back = true, false
		}
		if e.fx.set&didDecide != 0 {
			e.fx.Outcome.Term = r.term
		}
	}
	e.fx.set |= before
}

// judge takes every event but a message of the current Term.
func (r *TermKeeper) judge(e *Env, ev *Event) {
	switch {
	case r.opts.longLived:
		before := e.fx.set
		e.fx.set = 0
		r.node.Step(e, ev)
		if e.fx.set&didDecide != 0 && e.fx.Outcome.Role == Undecided {
			r.ended = false // it has begun another election
		}
		r.ended = r.ended || e.fx.set&didEnd != 0
		e.fx.set |= before
	case ev.Op == Init:
		// The Term was saved, but not what this process said in it. A second and different vote in the same
		// Term may elect two leaders, so abstain.
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
	// This message shows that its election is still going on, so it need not be asked for again: back is
	// over.
	case ev.Op == Recv && r.compare(&ev.Msg) > 0:
		r.adopt(e, ev, ev.Msg.Term, ID(ev.Msg.Value))
		r.back = false
		r.pass(e, ev)
	case ev.Op == Recv:
		// On a one-way ring no message reaches the sender over this port. It catches up by the messages that
		// come round.
		if r.compare(&ev.Msg) < 0 && !r.opts.oneWay {
			e.Send(ev.Port, r.current())
		}
	default:
		r.pass(e, ev)
	}
}

// compare returns -1, 0 or +1 as m belongs to an earlier election than the current one, to that or to a later
// one. No election has Term zero.
func (r *TermKeeper) compare(m *Message) int {
	if r.opts.single && m.Term == r.term && m.Term != 0 {
		return cmp.Compare(ID(m.Value), r.origin)
	}
	return cmp.Compare(m.Term, r.term)
}

// start begins the next election, or hands the Start to the one under way.
func (r *TermKeeper) start(e *Env, ev *Event, next bool) {
	if next {
		// Do not wrap round: all other processes would drop the messages of Term 0 as old ones.
		if r.term == math.MaxUint64 {
			e.Refuse(ErrTermExhausted)
			return
		}
		r.adopt(e, ev, r.term+1, e.Self().ID)
	}
	// The switch below asks whether this Start was refused, not whether another machine of a Stack refused
	// before.
	before := e.fx.set
	e.fx.set = 0
	r.pass(e, ev)
	switch refused := e.fx.set&didRefuse != 0; {
	case !refused:
		r.asked = true
	case next:
		r.origin = 0 // another process may start the election of this Term: its origin is larger than 0
	}
	e.fx.set |= before
}

// current returns the message by which others catch up.
func (r *TermKeeper) current() Message {
	m := Message{Kind: CatchUp, Term: r.term, Value: uint64(r.origin)}
	if r.ended {
		m.Flags = flagEnded
	}
	return m
}

// catchUp moves to the Term of a process that is ahead. Where that election still goes on, its
// messages will come here too, unless they have come before a crash. Else an election that this
// process has asked for, and that no other has heard of, is asked for again.
func (r *TermKeeper) catchUp(e *Env, ev *Event) {
	if r.compare(&ev.Msg) <= 0 {
		return
	}
	// Compute both before adopt, which clears asked and ended.
	missed := ev.Msg.Flags&flagEnded != 0 || r.back
	again := r.asked && !r.ended && missed
	r.adopt(e, ev, ev.Msg.Term, ID(ev.Msg.Value))
	r.ended, r.back = missed, false // if ended, the next Start begins a new one
	if again {
		r.start(e, &Event{Op: Start, At: ev.At}, true)
	}
}

// adopt begins a Term with a Node as good as new.
func (r *TermKeeper) adopt(e *Env, ev *Event, term uint64, origin ID) {
	used := r.term != 0 // else the Node is as Init left it
	r.term, r.live, r.ended, r.asked = term, term, false, false
	if r.opts.single {
		r.origin = origin
	}
	if used {
		new(State).Reset(r.node)
		// A timer of the old election would run out in the new one, where the same number means the same
		// thing.
		e.stopTimers()
		r.pass(e, &Event{Op: Init, At: ev.At})
	}
	// Save even if the Node has nothing to save: after a restart the process must know in which Terms it has
	// spoken.
	e.Save()
}

// State visits the Terms and the Node.
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
