package election

import "time"

// Env is what a Node acts through. It collects what one Step wants done; the driver carries it
// out afterwards, in the order save, send, timers, raise, publish. The driver owns the Env and
// uses it again for the next Step; what drivers call is under [Effects].
type Env struct {
	fx     Effects
	view   View
	choose func(n int) int
	self   int
	layer  uint8
}

// View is what the processes of one run may know of each other. It is read-only and shared by
// all of them, so that a million Nodes do not hold a million tables. One that
// knows the weights of links has a further method, for algorithms that are [Algorithm].Weighted:
//
//	// Weight returns the weight of the link behind a port of process p.
//	Weight(p int, port Port) uint64
type View interface {
	// Self returns the Rank of process p.
	Self(p int) Rank
	// Ports returns how many links process p has.
	Ports(p int) int
	// Peer returns the Rank of the process behind a port of p, or the zero Rank where that is
	// not known: on rings, trees and general graphs a process knows only itself, unless the algorithm is
	// Weighted.
	Peer(p int, port Port) Rank
}

// Send sends m over a port. Term is filled in by [TermKeeper], Layer by the Env.
func (e *Env) Send(to Port, m Message) {
	// Write only when different, which is rare: a narrow store followed by a wide load of the same struct
	// defeats store forwarding.
	if m.Layer != e.layer {
		m.Layer = e.layer
	}
	e.fx.Sends = append(e.fx.Sends, Outgoing{Port: to, Msg: m})
}

// SetTimer starts timer t, or starts it anew. It fires once, not earlier than after min and not
// later than after max: a running driver draws, a checker tries both.
func (e *Env) SetTimer(t uint8, min, max time.Duration) {
	e.fx.Timers = append(e.fx.Timers, TimerChange{Timer: t, Layer: e.layer, Min: min, Max: max})
	e.fx.set |= didTimers
}

// StopTimer stops timer t. A timer that is not running is left alone.
func (e *Env) StopTimer(t uint8) {
	e.fx.Timers = append(e.fx.Timers, TimerChange{Timer: t, Layer: e.layer, Stop: true})
	e.fx.set |= didTimers
}

// Decide publishes what this process now believes: that leader leads. Its own [Role] follows from that.
// It may be called again when the belief changes. [TermKeeper] fills in the Term.
func (e *Env) Decide(leader Rank) { e.DecideIn(0, leader) }

// DecideIn is Decide for a long-lived Node, which keeps Terms itself.
func (e *Env) DecideIn(term uint64, leader Rank) {
	role := Follower
	if leader.ID == e.Self().ID {
		role = Leader
	}
	e.publish(Outcome{Term: term, Leader: leader, Role: role})
}

// Lease publishes that this process leads in a Term until a time of its clock, see [Outcome]. To renew that
// it calls Lease again.
func (e *Env) Lease(term uint64, until time.Duration) {
	e.publish(Outcome{Term: term, Leader: e.Self(), Role: Leader, Until: until})
}

// Withdraw takes back what this process has decided: from this Term on it is Undecided.
func (e *Env) Withdraw(term uint64) { e.publish(Outcome{Term: term}) }

func (e *Env) publish(o Outcome) {
	e.fx.Outcome = o
	e.fx.set |= didDecide
}

// Done says that this process knows that the election has ended: no outcome will change any more,
// here or elsewhere. No process needs this one for the election from now on, unless the
// algorithm's description says that its processes relay after the end.
func (e *Env) Done() { e.fx.set |= didEnd }

// Refuse rejects a Start that is not allowed in this state. The driver reports err.
func (e *Env) Refuse(err error) {
	e.fx.Err = err
	e.fx.set |= didRefuse
}

// Save asks that the Node's state be stored durably before anything else of this Step leaves.
func (e *Env) Save() { e.fx.set |= didSave }

// Raise hands ev to every machine above this one in its [Stack], the nearest first. From the
// topmost machine it goes to the program that runs the process.
func (e *Env) Raise(ev Event) {
	// The stack reads from it which machine has raised the event.
	ev.Layer = e.layer
	e.fx.Signals = append(e.fx.Signals, Signal{Event: ev})
	e.fx.set |= didRaise
}

// Lower hands ev to the machine just below this one in its [Stack]: an arbiter asks the election
// under it to begin. Below the lowest machine nothing takes it.
func (e *Env) Lower(ev Event) {
	ev.Layer = e.layer
	e.fx.Signals = append(e.fx.Signals, Signal{Event: ev, Down: true})
	e.fx.set |= didRaise
}

// Choose returns a number from 0 to n-1: random when run, every one of them when checked.
// It returns 0 where n is less than 2.
func (e *Env) Choose(n int) int {
	// A single choice is no choice: it is not drawn, so it shows neither in a trace nor in a checked state.
	if n < 2 || e.choose == nil {
		return 0
	}
	return e.choose(n)
}

// Self returns this process's own Rank.
func (e *Env) Self() Rank { return e.view.Self(e.self) }

// Ports returns how many links this process has.
func (e *Env) Ports() int { return e.view.Ports(e.self) }

// Peer returns the Rank of the process behind a port, or the zero Rank where it is not known.
func (e *Env) Peer(p Port) Rank { return e.view.Peer(e.self, p) }

// Weight returns the weight of the link behind a port, which is the same at both ends; zero where the View
// has no weights.
func (e *Env) Weight(p Port) uint64 { return weightIn(e.view, e.self, p) }

// weightIn asks a View for a weight. Weight is no method of View, as few algorithms need it.
func weightIn(v View, p int, port Port) uint64 {
	if w, ok := v.(interface{ Weight(int, Port) uint64 }); ok {
		return w.Weight(p, port)
	}
	return 0
}

// stopTimers stops every timer of the current layer.
func (e *Env) stopTimers() {
	e.fx.Timers = append(e.fx.Timers, TimerChange{Layer: e.layer, Stop: true, All: true})
	e.fx.set |= didTimers
}

// Effects is what one Step wants done, for the driver to carry out: [Env.Begin] returns it. Sends are on
// the path of every message; whether there is anything else, Rare reports by one comparison.
type Effects struct {
	Sends   []Outgoing
	Timers  []TimerChange
	Signals []Signal
	Outcome Outcome // if Decided
	Err     error   // if Refused
	set     effectSet
}

// effectSet is the set of the rarer things that a Step wants done.
type effectSet uint8

const (
	didDecide effectSet = 1 << iota
	didEnd
	didRefuse
	didSave
	didTimers
	didRaise
)

// Outgoing is a message on its way out.
type Outgoing struct {
	Port Port
	Msg  Message
}

// TimerChange starts or stops a timer of one layer.
type TimerChange struct {
	Timer, Layer uint8
	Stop         bool // If false, the timer is started, or started anew.
	All          bool // with Stop: every timer of the layer
	Min, Max     time.Duration
}

// Signal is an event from one machine of a [Stack] to another; Event.Layer is where it came from. Of the
// topmost machine, those that are not Down are for the program that runs the process.
type Signal struct {
	Event Event
	Down  bool
}
