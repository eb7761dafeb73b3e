package bully

import (
	"math"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// Message kinds. Each carries the Rank of its sender.
const (
	kindElection uint8 = iota + 1
	kindAlive
	kindCoordinator
	kindHeartbeat
)

// flagAlone in COORDINATOR means that only this receiver gets it. In a CatchUp it means that the receiver has
// to announce itself to all others too.
const flagAlone uint8 = 1

// The timers.
const (
	timerAlive       uint8 = iota // no answer has arrived
	timerCoordinator              // no coordinator has arrived
	timerBeat                     // the leader's next heartbeat is due
	timerWatch                    // the leader's heartbeat has not arrived
)

// timers returns the names of the timers, of both variants.
func timers() [][]string {
	return [][]string{{timerAlive: "the wait for answers", timerCoordinator: "the wait for a coordinator",
		timerBeat: "the interval of heartbeats", timerWatch: "the wait for a heartbeat"}}
}

// Rules returns the algorithm in the form of the six rules. If the time-outs are too short for the delays, the
// error wraps [election.ErrInput].
func Rules(c Config) (*election.Algorithm, error) {
	a, err := c.describe("rules", "the largest live process takes over, by six rules", Rules)
	if err != nil {
		return nil, err
	}
	a.Kinds = []election.Kind{
		{Name: "election", Bits: rank},
		{Name: "alive", Bits: rank},
		{Name: "coordinator", Announces: true, Marks: []string{"alone"}, Bits: rank},
		{Name: "heartbeat", Bits: rank},
	}
	a.Timers = timers()
	a.Best.Formula, a.Best.When = "n", "n is down and n-1 starts"
	a.Worst.Formula, a.Worst.When = "n^2-n", "n is down and 1 starts"
	a.Worst.Also = "all start: 103 at n = 5 and 382 at n = 8 were found"
	a.New = func(s election.Setup) election.Node { return &process{me: s.Self, config: &c} }
	return a, nil
}

// process is one participant.
type process struct {
	me           election.Rank
	config       *Config
	term         uint64        // largest Term heard of
	began        uint64        // Term in which the current election of this process began
	announced    uint64        // Term in which this process last announced itself to all
	leader       election.Rank // zero while electing, and before the first election
	electing     bool
	answered     bool // ALIVE has arrived
	hadFollowers bool // it has led since it last followed another process

	down portset.Set // suspected: neither asked nor waited for
}

// Step handles one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.init(e)
	case election.Start, election.Rejoin:
		n.elect(e)
	case election.Suspect:
		n.suspect(e, ev.Port)
	case election.Trust:
		n.trust(e, ev.Port)
	case election.Timeout:
		n.timeout(e, ev.Timer)
	case election.Recv:
		if ev.Msg.Kind <= kindHeartbeat {
			// The sender is up, whatever a failure detector reports. A message of an unknown kind has no
			// effect.
			n.down.Remove(ev.Port)
		}
		n.receive(e, ev.Port, &ev.Msg)
	}
}

// init discards what was in progress before a crash, because no timer is running any more. It also discards the
// leader: the driver has forgotten the decision, so a process that has led does not lead, and a follower
// decides again when it hears of the leader.
func (n *process) init(e *election.Env) {
	n.electing, n.answered, n.leader = false, false, election.Rank{}
	n.down.Clear() // some may have recovered since
	n.watch(e)
}

func (n *process) timeout(e *election.Env, timer uint8) {
	switch timer {
	case timerAlive: // rule 3
		n.win(e)
	case timerCoordinator: // rule 4
		n.electing = false
		n.elect(e)
	case timerBeat: // rule 7
		n.broadcast(e, kindHeartbeat)
		e.SetTimer(timerBeat, n.config.Heartbeat, n.config.Heartbeat)
	case timerWatch: // rule 7
		n.elect(e)
	}
}

func (n *process) receive(e *election.Env, from election.Port, m *election.Message) {
	switch m.Kind {
	case kindElection:
		n.recvElection(e, from, m)
	case kindAlive:
		n.recvAlive(e, m)
	case kindCoordinator:
		n.recvCoordinator(e, from, m)
	case kindHeartbeat:
		n.recvHeartbeat(e, from, m)
	case election.CatchUp:
		n.recvCatchUp(e, from, m)
	}
}

// elect begins an election in the next Term (rule 1).
func (n *process) elect(e *election.Env) { n.electIn(e, n.term) }

// electIn begins an election in the given Term, or in the next one if that is later (rule 1).
func (n *process) electIn(e *election.Env, term uint64) {
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
	e.StopTimer(timerBeat) // the other two run only during an election, and none is in progress
	e.StopTimer(timerWatch)
	e.Save()
	for port := range election.Port(e.Ports()) {
		if n.mayAnswer(e, port) {
			e.Send(port, n.message(kindElection))
		}
	}
	if n.isLargest(e) {
		n.win(e)
		return
	}
	e.Withdraw(n.term)
	e.SetTimer(timerAlive, n.config.AliveTimeout, n.config.AliveTimeout)
}

// mayAnswer reports whether the process behind a port is larger, and up as far as this process knows.
func (n *process) mayAnswer(e *election.Env, port election.Port) bool {
	return n.me.Less(e.Peer(port)) && !n.down.Has(port)
}

// isLargest reports whether all larger processes are suspected or have left.
func (n *process) isLargest(e *election.Env) bool {
	for port := range election.Port(e.Ports()) {
		if n.mayAnswer(e, port) {
			return false
		}
	}
	return true
}

// recvElection replies to a smaller process that elects (rule 2).
func (n *process) recvElection(e *election.Env, from election.Port, m *election.Message) {
	if !m.Rank.Less(n.me) {
		return // not sent by a correct process
	}
	if n.leader == n.me {
		n.adopt(e, m.Term)
		e.Send(from, n.message(kindAlive))
		// A follower asks in the next Term. A later Term shows that another process has led since this one
		// announced itself: its followers must hear of this leader, because no detector may ever report to them
		// that their leader is down.
		n.announce(e, from, m.Term > n.announced+1)
		return
	}
	if n.electing {
		n.adopt(e, m.Term)
		e.Send(from, n.message(kindAlive))
		return
	}
	// Do not adopt the Term: electIn begins in the asker's Term, if that is later, and not in the one after it.
	// ALIVE has to carry that Term, because recvAlive ignores earlier ones.
	alive := n.message(kindAlive)
	alive.Term = max(n.term, m.Term)
	e.Send(from, alive)
	n.electIn(e, m.Term)
}

// recvAlive waits for the larger process that has answered (rule 4). Answers to earlier elections do not count.
func (n *process) recvAlive(e *election.Env, m *election.Message) {
	if n.electing && m.Term >= n.began {
		n.adopt(e, m.Term)
		n.wait(e)
	}
}

// wait begins to wait for COORDINATOR of a larger process.
func (n *process) wait(e *election.Env) {
	if !n.answered {
		n.answered = true
		e.StopTimer(timerAlive)
		e.SetTimer(timerCoordinator, n.config.CoordinatorTimeout, n.config.CoordinatorTimeout)
	}
}

// win makes this process the leader, which announces itself (rule 5).
func (n *process) win(e *election.Env) {
	n.settle(e, n.me, n.term)
	n.announced, n.hadFollowers = n.term, true
	n.broadcast(e, kindCoordinator)
	if n.config.Heartbeat > 0 {
		e.SetTimer(timerBeat, n.config.Heartbeat, n.config.Heartbeat)
	}
}

// broadcast sends to all, or to the smaller processes only.
func (n *process) broadcast(e *election.Env, kind uint8) {
	for port := range election.Port(e.Ports()) {
		if !n.config.AnnounceLower || e.Peer(port).Less(n.me) {
			e.Send(port, n.message(kind))
		}
	}
}

// recvCoordinator handles a claim to lead (rule 6). During an election, a claim older than the election shows
// only that a larger process is up. It may have recovered after ELECTION was sent, so it receives another one.
func (n *process) recvCoordinator(e *election.Env, from election.Port, m *election.Message) {
	switch {
	case m.Rank == n.me: // not sent by a correct process
	case m.Rank.Less(n.me):
		n.electIn(e, m.Term)
	case n.electing && m.Term >= n.began:
		n.follow(e, from, m, max(m.Term, n.term))
		// Another process has asked in a later Term, in which there may have been a leader. Actions of the new
		// leader must not carry a smaller Term, so it has to know this one.
		if m.Term < n.term { // rule 8
			n.correct(e, from)
		}
	case n.electing:
		e.Send(from, n.message(kindElection))
		n.wait(e)
	case n.yieldsTo(m):
		n.follow(e, from, m, m.Term)
	default: // rule 8
		n.correct(e, from)
	}
}

// follow accepts a claim to lead.
func (n *process) follow(e *election.Env, from election.Port, m *election.Message, term uint64) {
	n.settle(e, m.Rank, term)
	e.StopTimer(timerBeat)
	n.watch(e)
	// This process may still have followers, which do not receive a claim that goes to this process alone.
	// Because this process is up, no failure detector makes them elect.
	if n.hadFollowers && m.Flags&flagAlone != 0 {
		e.Send(from, election.Message{Kind: election.CatchUp, Term: term, Rank: n.me, Flags: flagAlone})
	}
	n.hadFollowers = false
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
