package election

// maxRaised limits how often the machines of a Stack can wake each other in one Step. It is far above the needs
// of any useful Stack, and stops two machines that pass one event back and forth.
const maxRaised = 4096

// Stack combines several machines in one process, which share its links: for example a failure detector, an
// election above it, and a lock service above the election. machines[0] is the lowest. Each machine sees only
// the messages and timers of its own layer.
//
// Init, Suspect and Trust go to every machine, lowest first. Start, Reelect and Command go to the
// topmost machine, which passes them down with [Env.Lower] if necessary. An event that a machine raises goes to
// all machines above it, nearest first. When a machine decides, the machines above receive a [Decided].
//
// A Node for a single election is stacked as the [TermKeeper] that [Algorithm.NewNode] returns. If a machine is
// itself a Stack, its machines take its place one by one.
func Stack(machines ...Node) Node {
	s := &stack{}
	for _, m := range machines {
		node := m
		// Look through a TermKeeper that passes everything through: the machines of a Stack inside it need
		// layers of their own, or two machines of one layer would receive each other's messages and timers.
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
	queue    []Signal // events of this Step that are still to be delivered
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
	// Do not range over the queue: a machine that handles one event may raise the next.
	for i := 0; i < len(s.queue); i++ {
		if i == maxRaised {
			panic("the machines of a stack raise events to each other without end")
		}
		s.hand(e, &s.queue[i])
	}
}

// hand delivers a raised event to the machines above, or a lowered one to the machine below. If a machine asks
// for an election that is already in progress, that is not an error: the machine will receive its result.
func (s *stack) hand(e *Env, r *Signal) {
	from := int(r.Event.Layer)
	if r.Down {
		before, err := e.fx.set, e.fx.Err
		s.stepOne(e, from-1, &r.Event)
		// Withdraw only this refusal, and only if it is the first one: another refusal in the same Step is an
		// independent error.
		if r.Event.Op == Start && before&didRefuse == 0 && e.fx.Err == ErrLateStart {
			e.fx.set, e.fx.Err = e.fx.set&^didRefuse, err
		}
		return
	}
	for above := range s.machines[from+1:] {
		s.stepOne(e, from+1+above, &r.Event)
	}
}

// stepOne steps one machine and collects the events that it raises and its decision.
func (s *stack) stepOne(e *Env, layer int, ev *Event) {
	if layer < 0 || layer >= len(s.machines) {
		return // a message for a machine that this process does not run, or an event that the lowest machine lowers
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
