package museum

import (
	"encoding/binary"
	"fmt"

	"github.com/go-election/election"
)

// bent is a Node of an algorithm with a mistake put into it: step stands in for its Step, and has the
// right Node at hand.
type bent struct {
	election.Node
	me    election.Rank
	step  bend
	marks uint64 // what the mistake remembers; not forgotten but with all else
}

// bend is a mistake.
type bend func(n *bent, e *election.Env, ev *election.Event)

// with returns an algorithm with a mistake in it.
func with(a *election.Algorithm, step bend) *election.Algorithm {
	copied := *a
	right := a.New
	copied.New = func(s election.Setup) election.Node { return &bent{Node: right(s), me: s.Self, step: step} }
	return &copied
}

// withoutTerms returns an algorithm that keeps no Terms, as they are printed: one election runs into the
// next.
func withoutTerms(a *election.Algorithm) *election.Algorithm {
	copied := *a
	copied.Elects = election.Successors
	return &copied
}

// Inside returns the right Node, for [election.TermKeeper.Machines].
func (n *bent) Inside() election.Node { return n.Node }

// Step gives the bend an Event of its own: what it changes there is not what the driver has seen happen.
func (n *bent) Step(e *election.Env, ev *election.Event) {
	own := *ev
	n.step(n, e, &own)
}

// State visits the marks last.
func (n *bent) State(s *election.State) {
	n.Node.State(s)
	s.Uint64(&n.marks)
}

// state returns the visited fields of the right Node, one after another, as they are saved.
func (n *bent) state() []byte { return new(election.State).Append(nil, n.Node) }

// is reports whether a truth value is set, by its place in the state.
func (n *bent) is(place int) bool { return n.state()[place] != 0 }

// set changes one, or a small number.
func (n *bent) set(place int, to byte) {
	b := n.state()
	b[place] = to
	n.restore(b)
}

// number returns a number of 64 bits, by its place in the state.
func (n *bent) number(place int) uint64 { return binary.LittleEndian.Uint64(n.state()[place:]) }

// setNumber changes one.
func (n *bent) setNumber(place int, to uint64) {
	b := n.state()
	binary.LittleEndian.PutUint64(b[place:], to)
	n.restore(b)
}

func (n *bent) restore(b []byte) {
	if err := new(election.State).Restore(n.Node, b); err != nil {
		panic(fmt.Sprintf("the state has another form than the museum knows: %v", err))
	}
}

// aside is the view of an Env that is only for one Step.
type aside struct{ *election.Env }

func (a aside) Self(int) election.Rank                       { return a.Env.Self() }
func (a aside) Ports(int) int                                { return a.Env.Ports() }
func (a aside) Peer(_ int, port election.Port) election.Rank { return a.Env.Peer(port) }
func (a aside) Weight(_ int, port election.Port) uint64      { return a.Env.Weight(port) }

// try steps the right Node with an event and returns its effects without carrying them out.
func (n *bent) try(e *election.Env, ev *election.Event) *election.Effects {
	own := election.NewEnv(aside{e}, e.Choose)
	fx := own.Begin(0)
	n.Node.Step(own, ev)
	return fx
}

// do does it.
func do(e *election.Env, fx *election.Effects) { doBut(e, fx, fx.Decided()) }

// doBut does it, and decides only if it is to.
func doBut(e *election.Env, fx *election.Effects, decide bool) {
	if fx.Saved() {
		e.Save()
	}
	doUnsaved(e, fx, decide)
}

// doUnsaved does all but to save.
func doUnsaved(e *election.Env, fx *election.Effects, decide bool) {
	for _, s := range fx.Sends {
		e.Send(s.Port, s.Msg)
	}
	for _, t := range fx.Timers {
		if !t.Stop {
			e.SetTimer(t.Timer, t.Min, t.Max)
		} else {
			e.StopTimer(t.Timer)
		}
	}
	for _, r := range fx.Signals {
		if r.Down {
			e.Lower(r.Event)
		} else {
			e.Raise(r.Event)
		}
	}
	switch {
	case !decide:
	case fx.Outcome.Role == election.Undecided:
		e.Withdraw(fx.Outcome.Term)
	case fx.Outcome.Until != 0:
		e.Lease(fx.Outcome.Term, fx.Outcome.Until)
	default:
		e.DecideIn(fx.Outcome.Term, fx.Outcome.Leader)
	}
	if fx.Ended() {
		e.Done()
	}
	if fx.Refused() {
		e.Refuse(fx.Err)
	}
}

// sends returns the mistake that some messages are not sent, or are not as they should be.
func sends(keep func(n *bent, ev *election.Event, o *election.Outgoing) bool) bend {
	return func(n *bent, e *election.Env, ev *election.Event) {
		fx := n.try(e, ev)
		kept := fx.Sends[:0]
		for _, o := range fx.Sends {
			if keep(n, ev, &o) {
				kept = append(kept, o)
			}
		}
		fx.Sends = kept
		do(e, fx)
	}
}

// decides returns the mistake that outcomes are not as they should be.
func decides(change func(n *bent, o *election.Outcome) (keep bool)) bend {
	return func(n *bent, e *election.Env, ev *election.Event) {
		fx := n.try(e, ev)
		doBut(e, fx, fx.Decided() && change(n, &fx.Outcome))
	}
}

// before returns the mistake that something is done, or undone, before an event is taken. If it
// returns false the event is not taken at all.
func before(act func(n *bent, e *election.Env, ev *election.Event) bool) bend {
	return func(n *bent, e *election.Env, ev *election.Event) {
		if act(n, e, ev) {
			n.Node.Step(e, ev)
		}
	}
}

// received reports whether an event is a message of a kind.
func received(ev *election.Event, kind uint8) bool {
	return ev.Op == election.Recv && ev.Msg.Kind == kind
}

// Audit begins what an audited process breaks the rules with.
const Audit = "audit: "

// audited returns an algorithm in which a process breaks the rules if it does something twice. forbidden
// reports whether a message must not be sent after the messages that were sent before.
func audited(a *election.Algorithm, forbidden func(n *bent, ev *election.Event,
	o *election.Outgoing) string) *election.Algorithm {
	return with(a, func(n *bent, e *election.Env, ev *election.Event) {
		fx := n.try(e, ev)
		for i := range fx.Sends {
			if what := forbidden(n, ev, &fx.Sends[i]); what != "" {
				panic(Audit + what)
			}
		}
		do(e, fx)
	})
}

// announcesOnce forbids a second announcement of its own in one Term.
func announcesOnce(kind uint8) func(n *bent, ev *election.Event, o *election.Outgoing) string {
	return func(n *bent, ev *election.Event, o *election.Outgoing) string {
		if o.Msg.Kind != kind || o.Msg.Rank != n.me {
			return ""
		}
		if n.marks != 0 {
			return "it announces itself a second time"
		}
		n.marks = 1
		return ""
	}
}

// asksOnce forbids a second message of a kind over one link.
func asksOnce(kind uint8) func(n *bent, ev *election.Event, o *election.Outgoing) string {
	return func(n *bent, ev *election.Event, o *election.Outgoing) string {
		if o.Msg.Kind != kind {
			return ""
		}
		if n.marks>>o.Port&1 != 0 {
			return "it asks the same process a second time in one election"
		}
		n.marks |= 1 << o.Port
		return ""
	}
}
