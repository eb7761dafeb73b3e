package bully

import (
	"math"

	"github.com/go-election/election"
)

// The kinds of message. Each carries the Rank of its sender.
const (
	kindElection uint8 = iota + 1
	kindAlive
	kindCoordinator
	kindHeartbeat
)

// flagAlone in COORDINATOR says that it is for its receiver alone, and in a CatchUp that others should
// be told as well.
const flagAlone uint8 = 1

// The timers.
const (
	timerAlive       uint8 = iota // no answer has come
	timerCoordinator              // no coordinator has come
	timerBeat                     // the leader's next heartbeat is due
	timerWatch                    // the leader's heartbeat has not come
)

// process is one participant.
type process struct {
	me       election.Rank
	config   *Config
	term     uint64        // the largest heard of
	began    uint64        // the Term in which the election began that is under way here
	told     uint64        // the Term in which this process has announced itself last
	leader   election.Rank // zero while electing, and before the first election
	electing bool
	answered bool // ALIVE has come
	fresh    bool // it has come back without its state, and may be in Terms that are over
	office   bool // it has led since it has followed somebody last
}

// Step takes one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.watch(e)
	case election.Start:
		n.elect(e, 0)
	case election.Rejoin:
		n.electing = false // of what was going on, the timers are gone
		n.fresh = n.term == 0
		n.elect(e, 0)
	case election.Suspect, election.Leave:
		if n.leader.ID != 0 && e.Peer(ev.Port) == n.leader {
			n.elect(e, 0)
		}
	case election.Timeout:
		n.timeout(e, ev.Timer)
	case election.Recv:
		n.receive(e, ev.Port, &ev.Msg)
	}
}

func (n *process) timeout(e *election.Env, timer uint8) {
	switch timer {
	case timerAlive: // rule 3
		n.win(e)
	case timerCoordinator: // rule 4
		n.electing = false
		n.elect(e, 0)
	case timerBeat:
		n.tell(e, kindHeartbeat)
		e.SetTimer(timerBeat, n.config.Heartbeat, n.config.Heartbeat)
	case timerWatch:
		n.elect(e, 0)
	}
}

func (n *process) receive(e *election.Env, from election.Port, m *election.Message) {
	switch m.Kind {
	case kindElection:
		n.election(e, from, m)
	case kindAlive:
		n.alive(e, m)
	case kindCoordinator:
		n.coordinator(e, from, m)
	case kindHeartbeat:
		n.heartbeat(e, from, m)
	case election.CatchUp:
		n.catchUp(e, from, m)
	}
}

// elect begins an election, in a new Term and at least in this one: rule 1.
func (n *process) elect(e *election.Env, term uint64) {
	if n.electing {
		return
	}
	if n.term == math.MaxUint64 {
		e.Refuse(election.ErrTermExhausted)
		return
	}
	n.term = max(n.term+1, term)
	n.began = n.term
	n.leader, n.electing, n.answered = election.Rank{}, true, false
	e.StopTimer(timerCoordinator)
	e.StopTimer(timerBeat)
	e.StopTimer(timerWatch)
	e.Save()
	larger := false
	for port := range election.Port(e.Ports()) {
		if n.me.Less(e.Peer(port)) {
			larger = true
			e.Send(port, n.message(kindElection))
		}
	}
	if !larger {
		n.win(e)
		return
	}
	e.Withdraw(n.term)
	e.SetTimer(timerAlive, n.config.AliveTimeout, n.config.AliveTimeout)
}

// election answers somebody smaller that elects: rule 2.
func (n *process) election(e *election.Env, from election.Port, m *election.Message) {
	if !m.Rank.Less(n.me) {
		return // not by these rules
	}
	if n.leader == n.me {
		n.adopt(e, m.Term)
		e.Send(from, n.message(kindAlive))
		n.announce(e, from, n.fresh && m.Term > n.told+1)
		return
	}
	if n.electing {
		n.adopt(e, m.Term)
		e.Send(from, n.message(kindAlive))
		return
	}
	alive := n.message(kindAlive)
	alive.Term = max(n.term, m.Term)
	e.Send(from, alive)
	n.elect(e, m.Term)
}

// adopt goes on with a larger Term.
func (n *process) adopt(e *election.Env, term uint64) {
	if term <= n.term {
		return
	}
	n.term = term
	e.Save()
	if n.leader == n.me {
		e.DecideIn(n.term, n.leader)
	}
}

// alive waits for the larger one that has answered: rule 4. Answers to earlier elections do not
// count.
func (n *process) alive(e *election.Env, m *election.Message) {
	if n.electing && m.Term >= n.began {
		n.adopt(e, m.Term)
		n.wait(e)
	}
}

// wait waits for the coordinator that somebody larger will be.
func (n *process) wait(e *election.Env) {
	if !n.answered {
		n.answered = true
		e.StopTimer(timerAlive)
		e.SetTimer(timerCoordinator, n.config.CoordinatorTimeout, n.config.CoordinatorTimeout)
	}
}

// win takes office: rule 5.
func (n *process) win(e *election.Env) {
	n.settle(e, n.me, n.term)
	n.told, n.office = n.term, true
	n.tell(e, kindCoordinator)
	if n.config.Heartbeat > 0 {
		e.SetTimer(timerBeat, n.config.Heartbeat, n.config.Heartbeat)
	}
}

// tell sends to all, or to the smaller ones only.
func (n *process) tell(e *election.Env, kind uint8) {
	for port := range election.Port(e.Ports()) {
		if !n.config.AnnounceLower || e.Peer(port).Less(n.me) {
			e.Send(port, n.message(kind))
		}
	}
}

// coordinator judges a claim to lead: rule 6. While electing, a claim older than the election only
// shows that somebody larger is up, perhaps since after ELECTION was sent: it gets another.
func (n *process) coordinator(e *election.Env, from election.Port, m *election.Message) {
	switch {
	case m.Rank == n.me:
	case m.Rank.Less(n.me):
		n.elect(e, m.Term)
	case n.electing && m.Term >= n.began:
		n.follow(e, from, m, max(m.Term, n.term))
		if m.Term < n.term {
			n.correct(e, from)
		}
	case n.electing:
		e.Send(from, n.message(kindElection))
		n.wait(e)
	case n.yieldsTo(m):
		n.follow(e, from, m, m.Term)
	default:
		n.correct(e, from)
	}
}

// correct tells a claimant the Term and the leader that count more than its claim. That may be
// itself: a leader that has come back without its state before anybody missed it.
func (n *process) correct(e *election.Env, from election.Port) {
	e.Send(from, election.Message{Kind: election.CatchUp, Term: n.term, Rank: n.leader})
}

// yieldsTo reports whether a claim counts more than the leader that is followed.
func (n *process) yieldsTo(m *election.Message) bool {
	return m.Term > n.term || m.Term == n.term && !m.Rank.Less(n.leader)
}

// heartbeat of the leader is what is waited for; that of another is a claim to lead. One that counts
// less than the leader comes from somebody who will hear of that leader.
func (n *process) heartbeat(e *election.Env, from election.Port, m *election.Message) {
	switch {
	case m.Rank == n.leader && m.Term <= n.term:
		n.watch(e)
		if m.Term < n.term {
			n.correct(e, from)
		}
	case n.leader.ID != 0 && m.Rank.Less(n.me) && !n.yieldsTo(m):
	default:
		n.coordinator(e, from, m)
	}
}

func (n *process) watch(e *election.Env) {
	if n.config.Heartbeat > 0 {
		e.SetTimer(timerWatch, n.config.watch(), n.config.watch())
	}
}

// catchUp tells a leader that somebody follows another one, of a later Term or larger. A smaller
// one is outdone; with a larger one it has to be found out who is up.
func (n *process) catchUp(e *election.Env, from election.Port, m *election.Message) {
	switch {
	case n.leader != n.me:
	case m.Term == math.MaxUint64:
		e.Refuse(election.ErrTermExhausted)
	case n.me.Less(m.Rank):
		n.elect(e, m.Term+1)
	default:
		n.adopt(e, m.Term)
		n.announce(e, from, m.Term > n.told || m.Flags&flagAlone != 0)
	}
}

// announce tells one process that this one leads, or all of them: those who have followed it from
// an early Term may have gone over to another of a later one.
func (n *process) announce(e *election.Env, to election.Port, all bool) {
	if !all {
		m := n.message(kindCoordinator)
		m.Flags = flagAlone
		e.Send(to, m)
		return
	}
	n.told, n.fresh = n.term, false
	n.tell(e, kindCoordinator)
}

// follow accepts a claim. Who has led until now had followers, and they must hear of it too.
func (n *process) follow(e *election.Env, from election.Port, m *election.Message, term uint64) {
	n.settle(e, m.Rank, term)
	e.StopTimer(timerBeat)
	n.watch(e)
	if n.office && m.Flags&flagAlone != 0 {
		e.Send(from, election.Message{Kind: election.CatchUp, Term: term, Rank: n.me, Flags: flagAlone})
	}
	n.office = false
}

// settle ends an election.
func (n *process) settle(e *election.Env, leader election.Rank, term uint64) {
	n.term, n.leader, n.electing = term, leader, false
	e.StopTimer(timerAlive)
	e.StopTimer(timerCoordinator)
	e.Save()
	e.DecideIn(n.term, leader)
	e.Done()
}

func (n *process) message(kind uint8) election.Message {
	return election.Message{Kind: kind, Term: n.term, Rank: n.me}
}

// State visits what changes.
func (n *process) State(s *election.State) {
	s.Uint64(&n.term)
	s.Uint64(&n.began)
	s.Uint64(&n.told)
	s.Rank(&n.leader)
	s.Bool(&n.electing)
	s.Bool(&n.answered)
	s.Bool(&n.fresh)
	s.Bool(&n.office)
}
