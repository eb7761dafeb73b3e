package detect

import (
	"math"
	"time"

	"github.com/go-election/election"
)

// The timers.
const (
	timerBeat  uint8 = iota // the next beat is due
	timerWatch              // a process may have been silent for too long
)

// flagFirst marks the first beat after an Init: earlier information about the sender is void.
const flagFirst uint8 = 1

// latePeriods is the number of intervals by which a process's own beat must be late before the process
// concludes that it was paused.
const latePeriods = 2

// never is the time of a stopped timer. Zero cannot be used, because a clock may be below zero.
const never = time.Duration(math.MaxInt64)

// machine is the detector of one process, the lowest machine of a Stack.
type machine struct {
	plan *plan
	kind uint8 // kind of a beat

	start time.Duration // time of the first beat
	due   time.Duration // time of the next beat
	armed time.Duration // when timerWatch fires, or never
	calm  time.Duration // until then, nothing is suspected or learnt
	peers []peer        // by port
}

// peer is the state of a detector about another process.
type peer struct {
	until     time.Duration // it is suspected then, possibly again, unless a beat arrives
	suspected bool
	heard     bool // a beat has arrived
	last      time.Duration
	newest    uint64 // largest number of a beat
	first     uint64 // number of the beat at base
	base      time.Duration
	history   history
}

// Step handles one event.
func (n *machine) Step(e *election.Env, ev *election.Event) {
	p := n.peer(ev.Port)
	switch ev.Op {
	case election.Init:
		n.init(e, ev.At)
	case election.Timeout:
		n.timeout(e, ev)
	case election.Recv:
		if ev.Msg.Kind == n.kind && p != nil {
			n.noticePause(ev.At)
			n.hear(e, ev, p)
		}
	// A report of another detector reaches the machines above without this one. Record it, so that the next
	// beat raises a Trust.
	case election.Suspect: // rule 8
		if p != nil {
			p.suspected = true
		}
	case election.Trust: // rule 8
		if p != nil && p.suspected {
			p.suspected, p.until = false, ev.At+n.plan.first
			n.arm(e, ev.At, p.until)
		}
	}
}

func (n *machine) timeout(e *election.Env, ev *election.Event) {
	switch ev.Timer {
	case timerBeat: // rule 1
		n.noticePause(ev.At)
		n.beat(e, ev.At)
	case timerWatch: // rule 2
		n.noticePause(ev.At)
		n.watch(e, ev.At)
	}
}

// peer returns the state of the process behind a port, or nil if there is none.
func (n *machine) peer(port election.Port) *peer {
	if uint64(port) >= uint64(len(n.peers)) {
		return nil
	}
	return &n.peers[port]
}

// init starts from the beginning, also after a restart: information from before the crash is out of date, and
// the clock may be another one.
func (n *machine) init(e *election.Env, at time.Duration) {
	n.start, n.calm, n.armed = at, at, never
	n.peers = n.peers[:0]
	// Trust each process for a while: a process that never sends must be suspected too.
	for range e.Ports() {
		n.peers = append(n.peers, peer{until: at + n.plan.first})
	}
	n.beat(e, at)
	if len(n.peers) > 0 {
		n.arm(e, at, at+n.plan.first)
	}
}

// beat sends the next beat to all, including suspected processes, which trust this process again when they
// receive it (rule 1).
func (n *machine) beat(e *election.Env, at time.Duration) {
	// Compute the number from the elapsed time, so that it skips the beats that a pause has prevented.
	number := uint64((at-n.start)/n.plan.interval) + 1
	m := election.Message{Kind: n.kind}
	if n.plan.numbered {
		m.Value = number
	}
	if number == 1 {
		m.Flags = flagFirst
	}
	for port := range election.Port(e.Ports()) {
		e.Send(port, m)
	}
	// Do not use at+interval: the lateness of each timer would add up, and the numbers would run ahead of the
	// beats.
	n.due = n.start + time.Duration(number)*n.plan.interval
	e.SetTimer(timerBeat, n.due-at, n.due-at)
}

// noticePause detects that this process was paused, because its own beat is late. The others only appeared to
// be silent during the pause, so each of them gets that time in addition. Beats that waited for the end of the
// pause do not reflect the network.
func (n *machine) noticePause(at time.Duration) {
	late := at - n.due
	if late <= latePeriods*n.plan.interval {
		return
	}
	for i := range n.peers { // rule 7
		n.peers[i].until += late
	}
	n.due, n.calm = at, at+n.plan.interval
}

// hear handles a beat (rule 3).
func (n *machine) hear(e *election.Env, ev *election.Event, p *peer) {
	n.plan.judge.hear(p, ev.At, &ev.Msg, ev.At >= n.calm)
	p.heard, p.last = true, ev.At
	switch {
	case p.suspected && ev.At >= p.until: // the beat is so late that the next one is already due
		return
	case p.suspected:
		p.suspected = false
		e.Raise(election.Event{Op: election.Trust, At: ev.At, Port: ev.Port})
	}
	n.arm(e, ev.At, p.until)
}

// arm makes timerWatch fire at the deadline, unless it fires earlier. Beats postpone nearly every deadline, so
// the timer is set again when it fires, not at each beat.
func (n *machine) arm(e *election.Env, at, deadline time.Duration) {
	deadline = max(deadline, n.calm)
	if deadline < n.armed {
		n.armed = deadline
		e.SetTimer(timerWatch, deadline-at, deadline-at)
	}
}

// watch suspects processes that were silent for too long (rule 2).
func (n *machine) watch(e *election.Env, at time.Duration) {
	n.armed = never
	next := never
	for port := range n.peers {
		p := &n.peers[port]
		if p.until <= at && at >= n.calm {
			// Repeat the suspicion: a machine above may have taken a message in flight for a sign of life. It
			// receives Suspect repeatedly, and ignores the ones that are not news.
			p.suspected, p.until = true, at+n.plan.first
			e.Raise(election.Event{Op: election.Suspect, At: at, Port: election.Port(port)})
		}
		next = min(next, p.until)
	}
	n.arm(e, at, next) // without a peer, no Timeout gets here
}

// State visits what changes.
func (n *machine) State(s *election.State) {
	s.Duration(&n.start)
	s.Duration(&n.due)
	s.Duration(&n.armed)
	s.Duration(&n.calm)
	election.VisitSlice(s, &n.peers, visitPeer)
}

func visitPeer(s *election.State, p *peer) {
	s.Duration(&p.until)
	s.Bool(&p.suspected)
	s.Bool(&p.heard)
	s.Duration(&p.last)
	s.Uint64(&p.newest)
	s.Uint64(&p.first)
	s.Duration(&p.base)
	p.history.visit(s)
}
