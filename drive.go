package election

import (
	"strings"
	"time"
)

// Effects is what one Step wants done, for the driver to carry out: [Env.Begin] returns it. Sends are on
// the way of every message; whether there is anything else, Rare tells in one comparison.
type Effects struct {
	Sends   []Outgoing
	Timers  []TimerChange
	Signals []Signal
	Outcome Outcome // if Decided
	Err     error   // if Refused
	set     effectSet
}

// Rare reports whether the Step wants anything but messages sent.
func (fx *Effects) Rare() bool { return fx.set != 0 }

// Decided reports whether the Step called [Env.Decide], or took a decision back.
func (fx *Effects) Decided() bool { return fx.set&didDecide != 0 }

// Ended reports whether the Step called [Env.Done].
func (fx *Effects) Ended() bool { return fx.set&didEnd != 0 }

// Refused reports whether the Step called [Env.Refuse].
func (fx *Effects) Refused() bool { return fx.set&didRefuse != 0 }

// Saved reports whether the Step called [Env.Save].
func (fx *Effects) Saved() bool { return fx.set&didSave != 0 }

// String names the rarer things that the Step wants done: "decide, end".
func (fx *Effects) String() string {
	var names []string
	for i, name := range [...]string{"decide", "end", "refuse", "save", "timers", "raise"} {
		if fx.set>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
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

// NewEnv returns an Env over a view. choose serves [Env.Choose]; if nil, every choice is zero.
func NewEnv(view View, choose func(n int) int) *Env {
	return &Env{view: view, choose: choose}
}

// Begin makes the Env ready for a Step of process self and returns where the effects of that
// Step will be found. They hold until the next Begin.
func (e *Env) Begin(self int) *Effects {
	e.self, e.layer = self, 0
	fx := &e.fx
	fx.Sends = fx.Sends[:0]
	if fx.set != 0 {
		fx.Timers, fx.Signals = fx.Timers[:0], fx.Signals[:0]
		fx.Outcome, fx.Err, fx.set = Outcome{}, nil, 0
	}
	return fx
}
