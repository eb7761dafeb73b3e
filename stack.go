package election

// maxRaised bounds how often the machines of a Stack may wake each other in one Step. It is far
// above what any sane Stack does and keeps two machines from passing one event back and forth.
const maxRaised = 4096

// Stack lets several machines share one process and its links: a failure detector, an election
// over it, a lock service over that. machines[0] is the lowest. Each sees the messages and
// timers of its own layer only.
//
// Init, Suspect, Trust, Joined and Left go to every machine, lowest first. Start, Reelect and Command
// go to the topmost, which hands them down with [Env.Lower] where it wants to. What a machine
// raises goes to all above it, nearest first; when it decides, they see a [Decided].
//
// A Node for one election is stacked as the [TermKeeper] that [Algorithm.NewNode] returns. The machines of a
// Stack that is itself given as a machine take its place, one by one.
func Stack(machines ...Node) Node {
	s := &stack{}
	for _, m := range machines {
		node := m
		// Look through a TermKeeper that passes everything on: the machines of a Stack inside must get
		// layers of their own, or two machines of one layer would take each other's messages and timers.
		if host, ok := m.(*TermKeeper); ok && host.opts.longLived {
			node = host.node
		}
		if inner, ok := node.(*stack); ok {
			s.machines = append(s.machines, inner.machines...)
		} else {
			s.machines = append(s.machines, m)
		}
	}
	return s
}

type stack struct {
	machines []Node
	queue    []Signal // the events of this Step that are still to be handed on
}

func (s *stack) Step(e *Env, ev *Event) {
	s.queue = s.queue[:0]
	switch ev.Op {
	case Recv:
		s.stepOne(e, int(ev.Msg.Layer), ev)
	case Timeout:
		s.stepOne(e, int(ev.Layer), ev)
	case Start, Reelect, Command:
		s.stepOne(e, len(s.machines)-1, ev)
	default:
		for layer := range s.machines {
			s.stepOne(e, layer, ev)
		}
	}
	// Do not range over the queue: a machine that takes one event may raise the next.
	for i := 0; i < len(s.queue); i++ {
		if i == maxRaised {
			panic("the machines of a stack raise events to each other without end")
		}
		s.hand(e, &s.queue[i])
	}
}

// hand gives a raised event to the machines above, or to the one below. That an election is under way
// already is no error where it is a machine that asks: it hears of the end.
func (s *stack) hand(e *Env, r *Signal) {
	from := int(r.Event.Layer)
	if r.Down {
		before, err := e.fx.set, e.fx.Err
		s.stepOne(e, from-1, &r.Event)
		// Only this refusal is withdrawn, and only if it is the first: another refusal in this Step is an
		// error of its own.
		if r.Event.Op == Start && before&didRefuse == 0 && e.fx.Err == ErrLateStart {
			e.fx.set, e.fx.Err = e.fx.set&^didRefuse, err
		}
		return
	}
	for above := range s.machines[from+1:] {
		s.stepOne(e, from+1+above, &r.Event)
	}
}

// stepOne steps one machine and takes over what it raises and decides.
func (s *stack) stepOne(e *Env, layer int, ev *Event) {
	if layer < 0 || layer >= len(s.machines) {
		return // a message for a machine that this process does not run, or what the lowest hands down
	}
	mark, before := len(e.fx.Signals), e.fx.set
	e.layer, e.fx.set = uint8(layer), 0
	s.machines[layer].Step(e, ev)
	top := layer == len(s.machines)-1
	// Both lists share an array. The append below never passes the read position.
	raised := e.fx.Signals[mark:]
	e.fx.Signals = e.fx.Signals[:mark]
	for _, r := range raised {
		if top && !r.Down {
			e.fx.Signals = append(e.fx.Signals, r) // for the program that runs the process
		} else {
			s.queue = append(s.queue, r)
		}
	}
	if o := e.fx.Outcome; e.fx.set&didDecide != 0 && !top {
		s.queue = append(s.queue, Signal{Event: Event{
			Op: Decided, At: ev.At, Layer: uint8(layer),
			Msg: Message{Term: o.Term, Rank: o.Leader},
		}})
	}
	e.fx.set |= before
	e.layer = 0
}

func (s *stack) State(st *State) {
	for _, m := range s.machines {
		m.State(st)
	}
}
