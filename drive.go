package election

import "strings"

// This file holds what drivers call; see the section Drivers of the package's documentation. A driver makes
// Nodes with Algorithm.NewNode, gives each an event through Env.Begin and TermKeeper.Step, and carries
// out the Effects.

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
	// Most steps only send. If no flag is set, none of the other fields has changed.
	if fx.set != 0 {
		fx.Timers, fx.Signals = fx.Timers[:0], fx.Signals[:0]
		fx.Outcome, fx.Err, fx.set = Outcome{}, nil, 0
	}
	return fx
}

// Append appends the state of n to b.
func (s *State) Append(b []byte, n Node) []byte {
	*s = State{act: stateSave, buf: b}
	n.State(s)
	return s.buf
}

// Restore sets n to a state that [State.Append] has written. Bytes that are not such a state give
// [ErrState] and leave n as its constructor made it.
func (s *State) Restore(n Node, b []byte) error {
	*s = State{act: stateRestore, buf: b}
	n.State(s)
	if s.err == nil && len(s.buf) > 0 {
		s.fail("%d bytes too many", len(s.buf))
	}
	err := s.err
	if err != nil {
		// A part may have been restored already. A Node that is half old must not go on.
		s.Reset(n)
	}
	return err
}

// Reset sets n to the state in which its constructor left it.
func (s *State) Reset(n Node) {
	*s = State{act: stateReset}
	n.State(s)
}
