package modbully

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// phase is the state of a process. Each phase has its own timer, or none.
type phase uint8

const (
	idle     phase = iota // knows no leader, and is not searching for one
	settled               // follows the leader, or leads
	waiting               // suspects the leader, and waits for faster processes
	trying                // has sent ELECTION, and waits for ACCEPT
	accepted              // the candidate has accepted; waits for COORDINATOR
	watching              // settled, or idle, but a smaller process holds an election (grant)
	asking                // has recovered, and waits for LEADER
	phases                // number of phases
)

// The timers.
const (
	timerPhase uint8 = iota
	timerAnswers
	timerRefresh
)

// process is a participant.
type process struct {
	me        election.Rank
	rules     *rules
	wait, own time.Duration // as configured

	coordinatorAtFirst election.ID // as configured

	term   uint64
	leader election.Rank // the process that it follows, or has followed last
	led    uint64        // Term of that leader
	phase  phase
	armed  bool // timerPhase is running

	suspect   election.Rank // while it elects: this process and all larger ones are assumed to be down; zero: none
	candidate election.Rank // asked, or the largest process that has said OK
	port      election.Port // port of the candidate
	// no process is known to be down: if this process wins, it announces itself to the larger ones too
	uncertain bool

	down portset.Set // suspected, or left: neither asked nor waited for

	serving  bool          // an announcement is in progress; number: the count of ELECTIONs is above zero
	missing  portset.Set   // processes whose answers the coordinator waits for
	answered portset.Set   // processes that have answered
	longest  time.Duration // maximum of the pending-convenience times so far
	mpc      time.Duration // last MPC sent or received

	sent     time.Duration // time at which ECHO was sent
	measured bool          // use away as its own pending-convenience time
	away     time.Duration // half of the round-trip time of ECHO and ECHO_REPLY
}

func (n *process) State(s *election.State) {
	s.Uint64(&n.term)
	s.Rank(&n.leader)
	s.Uint64(&n.led)
	s.Enum((*uint8)(&n.phase), uint8(phases))
	s.Bool(&n.armed)
	s.Rank(&n.suspect)
	s.Rank(&n.candidate)
	s.Port(&n.port)
	s.Bool(&n.uncertain)
	s.Bool(&n.serving)
	n.down.State(s)
	n.missing.State(s)
	n.answered.State(s)
	s.Duration(&n.longest)
	s.Duration(&n.mpc)
	s.Duration(&n.sent)
	s.Bool(&n.measured)
	s.Duration(&n.away)
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.init(e, ev.At)
	case election.Rejoin:
		n.ask(e)
	case election.Start:
		n.start(e)
	case election.Reelect: // rule 1
		n.elect(e, n.suspectOfStart(e), n.isLeader())
	case election.Suspect:
		n.handleSuspicion(e, ev.Port)
	case election.Trust:
		n.handleTrust(e, ev.Port)
	case election.Timeout:
		n.timeout(e, ev.Timer)
	case election.Recv:
		n.receive(e, ev)
	}
}

// init makes a new process follow the initial coordinator. A process that recovers with its state keeps what it
// knows, but none of its timers is running.
func (n *process) init(e *election.Env, now time.Duration) {
	n.armed, n.serving = false, false
	n.missing.Clear()
	n.down.Clear() // some may have recovered since
	if n.term != 0 {
		// It may have missed elections, so it follows no leader until it hears of one.
		n.phase = idle
		return
	}
	if n.coordinatorAtFirst == 0 {
		return
	}
	n.leader = rankOf(e, n.coordinatorAtFirst)
	if n.ledLast() {
		n.scheduleRefresh(e)
	} else if n.rules.echo {
		for port := range election.Port(e.Ports()) {
			if e.Peer(port) == n.leader {
				n.measure(e, port, now)
			}
		}
	}
	n.enter(e, settled, n.watch())
	e.Decide(n.leader)
	e.Done()
}

func (n *process) receive(e *election.Env, ev *election.Event) {
	m := &ev.Msg
	if m.Kind >= sayings || m.Kind != election.CatchUp && n.rules.says[m.Kind] == 0 {
		return
	}
	n.down.Remove(ev.Port) // the sender is up, whatever a failure detector reports
	if m.Term > n.term && m.Kind != election.CatchUp {
		n.term = m.Term
		e.Save()
	}
	if m.Kind == election.CatchUp {
		n.recvCatchUp(e, ev)
		return
	}
	switch n.rules.says[m.Kind] {
	case sayElection:
		n.recvElection(e, ev)
	case sayAccept:
		n.recvAccept(e, ev)
	case sayOK:
		n.recvOK(ev)
	case sayGrant: // rule 8
		if !n.redirect(e, ev) {
			n.takeOver(e)
		}
	case sayCoordinator:
		n.recvCoordinator(e, ev)
	case sayReply, sayPCRP:
		n.recvAnswer(e, ev)
	case sayMPC: // rule 10
		// The MPC of an earlier leader may arrive late.
		if m.Term == n.led && m.Rank.ID == n.leader.ID {
			n.mpc = time.Duration(m.Value)
		}
	case sayEnquiry:
		n.recvEnquiry(e, ev)
	case sayLeader:
		n.recvLeader(e, ev)
	case sayHeartbeat: // rule 17
		n.judgeClaim(e, ev, true)
	case sayRefresh: // rule 10
		if n.judgeClaim(e, ev, true) {
			e.Send(ev.Port, n.pcrpMessage())
		}
	case sayEcho: // rule 15
		m := n.message(sayEchoReply)
		m.Term, m.Value = n.led, uint64(n.mpc)
		e.Send(ev.Port, m)
	case sayEchoReply:
		n.recvEchoReply(ev)
	}
}

func (n *process) timeout(e *election.Env, timer uint8) {
	switch timer {
	case timerAnswers: // rules 10, 11
		if n.missing.Len() > 0 {
			n.endCollection(e)
		}
		return
	case timerRefresh: // rule 17
		n.refresh(e)
		return
	}
	n.armed = false
	switch n.phase {
	case settled: // rule 17
		if n.ledLast() {
			n.broadcast(e, sayHeartbeat)
			n.enter(e, settled, n.watch())
		} else {
			n.doubt(e)
		}
	case waiting: // rule 1
		n.elect(e, n.suspect, n.ledLast())
	case trying:
		n.endWait(e)
	case accepted: // rule 4: the candidate was up, and is not any more
		n.elect(e, n.candidate, n.uncertain)
	case watching: // rule 6
		n.elect(e, n.suspectOfStart(e), false)
	case asking: // rule 12: no process leads
		n.elect(e, election.Rank{}, true)
	}
}

// enter enters a phase, whose timer runs for d; if d is zero there is no timer.
func (n *process) enter(e *election.Env, p phase, d time.Duration) {
	n.phase = p
	if d > 0 {
		n.armed = true
		e.SetTimer(timerPhase, d, d)
	} else if n.armed {
		n.armed = false
		e.StopTimer(timerPhase)
	}
}

// watch returns the duration of the timer of a settled process: until it sends the next heartbeat, or until the
// next heartbeat of its leader is overdue.
func (n *process) watch() time.Duration {
	if n.ledLast() {
		return n.rules.heartbeat
	}
	return n.rules.silence
}

// electing reports whether this process is holding an election and is past its wait.
func (n *process) electing() bool { return n.phase == trying || n.phase == accepted }

// knowsLeader reports whether this process follows a leader, which it may suspect, or leads.
func (n *process) knowsLeader() bool {
	return n.phase == settled || n.phase == waiting || n.phase == watching
}

// ledLast reports whether this process is the last leader that it knew. It may have begun an election since.
func (n *process) ledLast() bool { return n.leader.ID == n.me.ID }

// isLeader reports whether this process leads now.
func (n *process) isLeader() bool { return n.phase == settled && n.ledLast() }

// message returns a message about this process, in the current Term.
func (n *process) message(says uint8) election.Message {
	return election.Message{Kind: n.rules.kind[says], Term: n.term, Rank: n.me}
}

func (n *process) broadcast(e *election.Env, says uint8) {
	m := n.message(says)
	m.Term = n.led // a leader's message belongs to the Term in which it leads; it may have heard of a later one
	for port := range election.Port(e.Ports()) {
		e.Send(port, m)
	}
}

// rankOf returns the Rank of a process. Ports are usually in the order of the IDs; if they are not, it searches
// all of them.
func rankOf(e *election.Env, id election.ID) election.Rank {
	if e.Self().ID == id {
		return e.Self()
	}
	low, high := 0, e.Ports()
	for low < high {
		if middle := (low + high) / 2; e.Peer(election.Port(middle)).ID < id {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < e.Ports() {
		if r := e.Peer(election.Port(low)); r.ID == id {
			return r
		}
	}
	for port := range election.Port(e.Ports()) {
		if r := e.Peer(port); r.ID == id {
			return r
		}
	}
	return election.Rank{ID: id}
}
