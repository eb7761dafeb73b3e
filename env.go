package election

import "time"

// Env is the interface of a Node to the outside. It collects the effects of one Step; the driver carries them
// out afterwards, in the order save, send, timers, raise, publish. The driver owns the Env and reuses it for
// the next Step. For the driver's side see [Effects].
type Env struct {
	fx     Effects
	view   View
	choose func(n int) int
	self   int
	layer  uint8
}

// View is what the processes of one run may know about each other. It is read-only and shared by all processes,
// so that a million Nodes do not need a million tables. A View that knows the weights of links has one more
// method, for algorithms that know [LinkWeights]:
//
//	// Weight returns the weight of the link behind a port of process p.
//	Weight(p int, port Port) uint64
type View interface {
	// Self returns the Rank of process p.
	Self(p int) Rank
	// Ports returns how many links process p has.
	Ports(p int) int
	// Peer returns the Rank of the process behind a port of p, or the zero Rank if it is not known: on rings,
	// trees and general graphs a process knows only itself, unless the algorithm knows LinkWeights.
	Peer(p int, port Port) Rank
}

// Send sends m over a port. [TermKeeper] sets m.Term, and the Env sets m.Layer.
func (e *Env) Send(to Port, m Message) {
	// Write only if different, which is rare: a narrow store followed by a wide load of the same struct defeats
	// store forwarding.
	if m.Layer != e.layer {
		m.Layer = e.layer
	}
	e.fx.Sends = append(e.fx.Sends, Outgoing{Port: to, Msg: m})
}

// SetTimer starts or restarts timer t. It fires once, between min and max from now: a driver that runs in real
// time draws the duration at random, and a checker tries both bounds.
func (e *Env) SetTimer(t uint8, min, max time.Duration) {
	e.fx.Timers = append(e.fx.Timers, TimerChange{Timer: t, Layer: e.layer, Min: min, Max: max})
	e.fx.set |= didTimers
}

// StopTimer stops timer t. It has no effect if the timer is not running.
func (e *Env) StopTimer(t uint8) {
	e.fx.Timers = append(e.fx.Timers, TimerChange{Timer: t, Layer: e.layer, Stop: true})
	e.fx.set |= didTimers
}

// Decide publishes the leader that this process currently believes in. The process's own [Role] follows from
// it. A Node may call Decide again when the belief changes. [TermKeeper] sets the Term.
func (e *Env) Decide(leader Rank) { e.DecideIn(0, leader) }

// DecideIn is Decide for a long-lived Node, which keeps Terms itself.
func (e *Env) DecideIn(term uint64, leader Rank) {
	role := Follower
	if leader.ID == e.Self().ID {
		role = Leader
	}
	e.publish(Outcome{Term: term, Leader: leader, Role: role})
}

// Lease publishes that this process leads in a Term until the given time of its own clock; see [Outcome]. To
// renew its lease the process calls Lease again.
func (e *Env) Lease(term uint64, until time.Duration) {
	e.publish(Outcome{Term: term, Leader: e.Self(), Role: Leader, Until: until})
}

// Withdraw withdraws the decision of this process: from this Term on it is Undecided.
func (e *Env) Withdraw(term uint64) { e.publish(Outcome{Term: term}) }

func (e *Env) publish(o Outcome) {
	e.fx.Outcome = o
	e.fx.set |= didDecide
}

// Done reports that the election has ended: no outcome will change any more, at this process or at another. No
// process needs this one for the election any longer, unless the algorithm has RelaysAfterEnd.
func (e *Env) Done() { e.fx.set |= didEnd }

// Refuse rejects a Start that is not allowed in this state. The driver returns err to the caller.
func (e *Env) Refuse(err error) {
	e.fx.Err = err
	e.fx.set |= didRefuse
}

// Save requests that the Node's state be stored durably before any other effect of this Step leaves the
// process.
func (e *Env) Save() { e.fx.set |= didSave }

// Raise passes ev to every machine above this one in its [Stack], the nearest first. Events of the topmost
// machine go to the program that runs the process.
func (e *Env) Raise(ev Event) {
	// The Stack uses Layer to find the machine that raised the event.
	ev.Layer = e.layer
	e.fx.Signals = append(e.fx.Signals, Signal{Event: ev})
	e.fx.set |= didRaise
}

// Lower passes ev to the machine directly below this one in its [Stack]; for example, an arbiter asks the
// election below it to start. Events that the lowest machine lowers are discarded.
func (e *Env) Lower(ev Event) {
	ev.Layer = e.layer
	e.fx.Signals = append(e.fx.Signals, Signal{Event: ev, Down: true})
	e.fx.set |= didRaise
}

// Choose returns a number from 0 to n-1: a random one in a run; a checker tries them all. It returns 0 if n is
// less than 2.
func (e *Env) Choose(n int) int {
	// Do not draw if there is nothing to choose, so that the choice appears neither in a trace nor in a checked
	// state.
	if n < 2 || e.choose == nil {
		return 0
	}
	return e.choose(n)
}

// Self returns this process's own Rank.
func (e *Env) Self() Rank { return e.view.Self(e.self) }

// Ports returns how many links this process has.
func (e *Env) Ports() int { return e.view.Ports(e.self) }

// Peer returns the Rank of the process behind a port, or the zero Rank if it is not known.
func (e *Env) Peer(p Port) Rank { return e.view.Peer(e.self, p) }

// Weight returns the weight of the link behind a port, which is the same at both ends. It returns zero if the
// View has no weights.
func (e *Env) Weight(p Port) uint64 { return weightIn(e.view, e.self, p) }

// weightIn returns the weight of a link, if the View knows weights. Weight is not part of View because few
// algorithms need it.
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

// Effects are the effects that one Step requests. [Env.Begin] returns them, and the driver carries them out.
// Sends are on the hot path; a single comparison, Rare, tells whether there are any other effects.
type Effects struct {
	Sends   []Outgoing
	Timers  []TimerChange
	Signals []Signal
	Outcome Outcome // if Decided
	Err     error   // if Refused
	set     effectSet
}

// effectSet is a set of the effects other than sends.
type effectSet uint8

const (
	didDecide effectSet = 1 << iota
	didEnd
	didRefuse
	didSave
	didTimers
	didRaise
)

// Outgoing is a message to send and the port to send it over.
type Outgoing struct {
	Port Port
	Msg  Message
}

// TimerChange starts or stops a timer of one layer.
type TimerChange struct {
	Timer, Layer uint8
	Stop         bool // If false, the timer is started or restarted.
	All          bool // with Stop: stop every timer of the layer
	Min, Max     time.Duration
}

// Signal is an event from one machine of a [Stack] to another; Event.Layer is the machine it came from. Signals
// of the topmost machine that are not Down go to the program that runs the process.
type Signal struct {
	Event Event
	Down  bool
}
