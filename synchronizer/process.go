package synchronizer

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-election/election"
)

const (
	// markBit is the bit of Flags that contains the number of the pulse, modulo two.
	markBit  = 6
	oddPulse = "odd pulse" // if it is set
	// flagLast in SAFE means that its sender enters no more pulses.
	flagLast uint8 = 1
)

// pulse is the state of one pulse.
type pulse struct {
	safe  uint32 // number of neighbours that are safe
	last  uint32 // number of these that enter no more pulses
	owing uint32 // messages that SAFE has announced and that have not arrived; wraps around below zero
	kept  []arrival
}

// arrival is a message of the algorithm.
type arrival struct {
	port election.Port
	msg  election.Message
}

// clock is a running timer of the algorithm.
type clock struct {
	timer uint8
	left  uint64 // remaining pulses; a Delay of 1 ns fits into 4.3 s more often than 32 bits can count
}

// process runs the Node of one process, for which it is the View.
type process struct {
	inner election.Node
	unit  time.Duration // duration of a pulse
	safe  uint8         // kind of SAFE
	env   *election.Env // for the Node

	awake  bool
	over   bool     // the algorithm knows that the election has ended
	number uint8    // number of the pulse, modulo two
	gone   uint32   // number of neighbours that enter no more pulses
	pulses [2]pulse // the current pulse and the next, by number
	clocks []clock  // in the order in which they were set
	scratch
}

// scratch is the state of a process during one Step.
type scratch struct {
	outer *election.Env
	event election.Event // for the Node
	sent  []uint32       // by port: number of messages sent in this pulse
}

func newProcess(a *election.Algorithm, s election.Setup) *process {
	n := &process{inner: a.New(s), unit: a.Delay, safe: uint8(len(a.Kinds) + 1)}
	n.env = election.NewEnv(n, func(k int) int { return n.outer.Choose(k) })
	return n
}

// Step handles one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	n.outer = e
	switch {
	case n.over: // rule 7
	case ev.Op == election.Recv:
		n.receive(ev)
		n.goOn()
	case ev.Op == election.Start: // rule 1
		n.goOn()
	}
	n.outer = nil
}

// goOn enters every pulse that the process can enter.
func (n *process) goOn() {
	// Allocate here rather than when the Node is made: a Node that is restored continues where another one
	// stopped.
	if ports := n.outer.Ports(); len(n.sent) != ports {
		n.sent = make([]uint32, ports)
	}
	if !n.awake {
		n.wake()
	}
	for n.isWhole() && !n.over { // rule 6
		n.next()
	}
}

// wake enters pulse 0.
func (n *process) wake() { // rule 1
	n.awake = true
	n.run(election.Event{Op: election.Init})
	n.run(election.Event{Op: election.Start})
	n.finish()
}

// receive records a message of the current pulse or the next.
func (n *process) receive(ev *election.Event) {
	p := &n.pulses[ev.Msg.Flags>>markBit&1]
	switch m := ev.Msg; {
	case m.Kind > n.safe: // unknown kind
	case m.Kind == n.safe: // rule 5
		p.safe++
		p.owing += m.Round
		if m.Flags&flagLast != 0 { // rule 7
			p.last++
		}
	default: // rule 4
		p.owing--
		m.Flags &^= 1 << markBit
		// Sort by port, so that the behavior of the algorithm cannot depend on which neighbour is faster.
		at, _ := slices.BinarySearchFunc(p.kept, ev.Port+1, func(a arrival, port election.Port) int {
			return cmp.Compare(a.port, port)
		})
		p.kept = slices.Insert(p.kept, at, arrival{ev.Port, m})
	}
}

// isWhole reports whether all messages of the current pulse have arrived.
func (n *process) isWhole() bool {
	p, ports := &n.pulses[n.number], uint32(n.outer.Ports())
	if p.safe+n.gone != ports || p.owing != 0 {
		return false
	}
	// Without a neighbour that continues, only timers can bring the end.
	return n.gone < ports || len(n.clocks)+len(p.kept) > 0
}

// next enters the next pulse.
func (n *process) next() { // rule 2
	p := &n.pulses[n.number]
	n.number = 1 - n.number
	for i := range p.kept {
		n.run(election.Event{Op: election.Recv, Port: p.kept[i].port, Msg: p.kept[i].msg})
	}
	n.gone += p.last
	*p = pulse{kept: p.kept[:0]} // for the pulse after the next
	for i := range n.clocks {
		n.clocks[i].left = max(n.clocks[i].left, 1) - 1
	}
	n.finish()
}

// finish fires the timers of this pulse, and sends SAFE.
func (n *process) finish() {
	// Search from the beginning each time: a timer that fires may set or stop others.
	for !n.over {
		i := slices.IndexFunc(n.clocks, func(c clock) bool { return c.left == 0 })
		if i < 0 {
			break
		}
		timer := n.clocks[i].timer
		n.clocks = slices.Delete(n.clocks, i, i+1)
		n.run(election.Event{Op: election.Timeout, Timer: timer})
	}
	m := election.Message{Kind: n.safe, Flags: n.number << markBit}
	if n.over { // rule 7
		m.Flags |= flagLast
	}
	for port := range election.Port(n.outer.Ports()) { // rule 3
		m.Round = n.sent[port]
		n.outer.Send(port, m)
	}
	clear(n.sent)
}

// run steps the algorithm with an event, and carries out its effects.
func (n *process) run(ev election.Event) {
	if n.over { // it has ended in this pulse, and needs no more
		return
	}
	n.event = ev
	fx := n.env.Begin(0)
	n.inner.Step(n.env, &n.event)
	for i := range fx.Sends {
		n.send(&fx.Sends[i])
	}
	for i := range fx.Timers {
		n.setClock(&fx.Timers[i])
	}
	if fx.Decided() {
		n.outer.Decide(fx.Outcome.Leader)
	}
	if fx.Saved() {
		n.outer.Save()
	}
	if fx.Ended() {
		n.over = true
		n.outer.Done()
	}
}

func (n *process) send(out *election.Outgoing) { // rule 3
	if out.Msg.Flags>>markBit&1 == 1 {
		panic("the algorithm sends bit 6 of Message.Flags, which a synchronizer takes")
	}
	if int(out.Port) < len(n.sent) { // else the driver drops it
		n.sent[out.Port]++
	}
	out.Msg.Flags |= n.number << markBit
	n.outer.Send(out.Port, out.Msg)
}

// setClock starts or stops timers.
func (n *process) setClock(c *election.TimerChange) {
	n.clocks = slices.DeleteFunc(n.clocks, func(r clock) bool { return c.All || r.timer == c.Timer })
	if c.Stop {
		return
	}
	left := uint64(0)
	if c.Max > 0 {
		// Not (c.Max+unit-1)/unit: the sum of two long times is negative.
		left = uint64((c.Max-1)/cmp.Or(n.unit, c.Max)) + 1
	}
	n.clocks = append(n.clocks, clock{c.Timer, left})
}

// Self returns the Rank of this process: the synchronizer is the View of the Node inside.
func (n *process) Self(int) election.Rank { return n.outer.Self() }

// Ports returns how many links this process has.
func (n *process) Ports(int) int { return n.outer.Ports() }

// Peer returns the Rank behind a port.
func (n *process) Peer(_ int, port election.Port) election.Rank { return n.outer.Peer(port) }

// Weight returns the weight of the link behind a port.
func (n *process) Weight(_ int, port election.Port) uint64 { return n.outer.Weight(port) }

// Inside returns the Node of the algorithm.
func (n *process) Inside() election.Node { return n.inner }

// State visits what a Step may change.
func (n *process) State(s *election.State) {
	s.Bool(&n.awake)
	s.Bool(&n.over)
	s.Enum(&n.number, 2)
	s.Uint32(&n.gone)
	for i := range n.pulses {
		p := &n.pulses[i]
		s.Uint32(&p.safe)
		s.Uint32(&p.last)
		s.Uint32(&p.owing)
		election.VisitSlice(s, &p.kept, func(s *election.State, a *arrival) {
			s.Port(&a.port)
			s.Message(&a.msg)
		})
	}
	election.VisitSlice(s, &n.clocks, func(s *election.State, c *clock) {
		s.Uint8(&c.timer)
		s.Uint64(&c.left)
	})
	n.inner.State(s)
}
