package election

import "strings"

// This file contains the functions that drivers call; see the section Drivers of the package documentation. A
// driver creates Nodes with Algorithm.NewNode, passes each event through Env.Begin and TermKeeper.Step, and
// carries out the Effects.

// Rare reports whether the Step requested any effect other than sending messages.
func (fx *Effects) Rare() bool { return fx.set != 0 }

// Decided reports whether the Step called [Env.Decide] or withdrew a decision.
func (fx *Effects) Decided() bool { return fx.set&didDecide != 0 }

// Ended reports whether the Step called [Env.Done].
func (fx *Effects) Ended() bool { return fx.set&didEnd != 0 }

// Refused reports whether the Step called [Env.Refuse].
func (fx *Effects) Refused() bool { return fx.set&didRefuse != 0 }

// Saved reports whether the Step called [Env.Save].
func (fx *Effects) Saved() bool { return fx.set&didSave != 0 }

// String returns the names of the effects other than messages: "decide, end".
func (fx *Effects) String() string {
	var names []string
	for i, name := range [...]string{"decide", "end", "refuse", "save", "timers", "raise"} {
		if fx.set>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// NewEnv returns an Env over a view. choose implements [Env.Choose]; if it is nil, every choice is zero.
func NewEnv(view View, choose func(n int) int) *Env {
	return &Env{view: view, choose: choose}
}

// Begin prepares the Env for a Step of process self and returns the effects of that Step. They are valid until
// the next Begin.
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

// Restore sets n to a state that [State.Append] has written. If b is not such a state, Restore returns
// [ErrState] and resets n.
func (s *State) Restore(n Node, b []byte) error {
	*s = State{act: stateRestore, buf: b}
	n.State(s)
	if s.err == nil && len(s.buf) > 0 {
		s.fail("%d bytes too many", len(s.buf))
	}
	err := s.err
	if err != nil {
		// Some fields may have been restored already. Reset the Node so that it does not run with half of its
		// old state.
		s.Reset(n)
	}
	return err
}

// Reset sets n to the state in which its constructor left it.
func (s *State) Reset(n Node) {
	*s = State{act: stateReset}
	n.State(s)
}
