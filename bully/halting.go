package bully

import (
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// Message kinds of the original: four questions, each before its answer.
const (
	kindAreYouUp uint8 = iota + 1
	kindUp
	kindHalt
	kindHalted
	kindNewCoordinator
	kindAccepted
	kindReady
	kindDone
	kindBeat
)

// Halting returns the algorithm in the order of the original: a process that finds no larger one up first halts
// all smaller ones, then announces itself to the processes that have halted, and only then lets them continue.
// No two processes that continue ever disagree, even while a smaller process is electing as well. The larger
// processes are asked one after another; the first that answers ends the election, and does not begin its own
// because of the question: it has to suspect the coordinator itself.
func Halting(c Config) (*election.Algorithm, error) {
	a, err := c.describe("halting", "the original order: halt the smaller ones, announce, let them go on",
		Halting)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"areyouup", "up", "halt", "halted", "newcoordinator", "accepted", "ready",
		"done", "heartbeat",
	} {
		a.Kinds = append(a.Kinds, election.Kind{Name: name, Value: "attempt", Bits: rank})
	}
	a.Kinds[kindBeat-1].Value = ""
	for _, kind := range []uint8{kindNewCoordinator, kindAccepted, kindReady, kindDone} {
		a.Kinds[kind-1].Announces = true
	}
	a.Timers = timers()
	a.Worst.Formula, a.Worst.When = "n-1 + 5(n-2)", "n is down and n-1 starts"
	a.Worst.Also = "all start: 6n^2-2n-6; 10n-12 for n up to 5 on links that keep the order"
	a.Faults.Nudged = true // the first larger process that answers ends an election, and begins none itself
	a.New = func(s election.Setup) election.Node { return &original{me: s.Self, config: &c} }
	return a, nil
}

// status is the state of a process in the original.
type status uint8

const (
	normal       status = iota // follows the leader, or has been in no election
	idle                       // a larger process is up and has to elect
	referring                  // asks the leader that a larger process has named
	asking                     // the larger ones, one after another, whether they are up
	halting                    // halts the smaller ones
	announcing                 // announces itself to the processes that have halted
	readying                   // sends READY to the processes that have accepted
	halted                     // halted by a larger process that elects
	reorganizing               // has accepted a coordinator, and waits for READY
)

// original is one participant.
type original struct {
	me      election.Rank
	config  *Config
	term    uint64 // largest Term heard of
	attempt uint64 // number of the current election, which questions and answers carry as Value
	status  status
	leader  election.Rank   // the process that it follows, or has followed last
	other   election.Rank   // the process that is being asked, or that has halted this one
	missing portset.Set     // processes whose answers are missing
	outside portset.Set     // live processes that, as far as known, do not take part in the election
	up      []election.Port // processes that have answered
	down    portset.Set     // suspected, or left: not waited for
}

// Step handles one event.
func (n *original) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.init(e)
	case election.Start:
		n.suspect(e)
	case election.Rejoin:
		n.elect(e)
	case election.Suspect:
		n.recvSuspect(e, ev.Port)
	case election.Trust: // rule 17
		// Do not ask it, even if it was left out: a process that was down elects when it recovers.
		n.down.Remove(ev.Port)
	case election.Timeout:
		n.timeout(e, ev.Timer)
	case election.Recv:
		if ev.Msg.Kind <= kindBeat {
			// The sender is up, whatever a failure detector reports. A message of an unknown kind has no
			// effect.
			n.down.Remove(ev.Port)
		}
		n.receive(e, ev.Port, &ev.Msg)
	}
}

// init discards what was in progress before a crash, because no timer is running any more. A process that has
// been in an election has no leader now.
func (n *original) init(e *election.Env) {
	if n.term > 0 {
		n.status, n.other, n.up = idle, election.Rank{}, n.up[:0]
		n.missing.Clear()
		n.outside.Clear()
	}
	n.down.Clear() // some may have recovered since
	n.watch(e)
}

// recvSuspect handles a suspicion of the process behind a port, or its departure. The process is not waited for
// any longer (rule 17).
func (n *original) recvSuspect(e *election.Env, port election.Port) {
	if int(port) >= e.Ports() {
		return
	}
	n.down.Add(port)
	peer := e.Peer(port)
	switch n.status {
	case normal:
		if peer == n.leader {
			n.elect(e)
		}
	case idle:
		n.elect(e)
	case halted, reorganizing:
		if peer == n.other {
			n.elect(e)
		}
	case asking, referring, halting:
		if n.missing.Has(port) {
			n.missing.Remove(port)
			n.proceedIfAll(e)
		}
	case announcing, readying:
		if n.missing.Has(port) {
			n.elect(e) // it has halted and is down now, as if its answer did not arrive in time
		}
	}
}

// suspect begins an election unless one is in progress (rule 10).
func (n *original) suspect(e *election.Env) {
	if n.status == normal || n.status == idle {
		n.elect(e)
	}
}

func (n *original) timeout(e *election.Env, timer uint8) {
	switch timer {
	case timerAlive: // rule 15: a process that has not answered is down
		n.proceed(e)
	case timerCoordinator: // rule 16: the process that has halted this one is silent
		n.elect(e)
	case timerBeat: // rule 18
		n.sendSmaller(e, kindBeat)
		e.SetTimer(timerBeat, n.config.Heartbeat, n.config.Heartbeat)
	case timerWatch: // rule 18
		n.suspect(e)
	}
}

// elect begins an election (rule 10).
func (n *original) elect(e *election.Env) {
	if n.term == math.MaxUint64 {
		e.Refuse(election.ErrTermExhausted)
		return
	}
	n.term++
	n.attempt = n.term
	n.abandon(e)
	e.Withdraw(n.term)
	n.ask(e, n.me)
}

// abandon stops whatever this process was doing.
func (n *original) abandon(e *election.Env) {
	n.up = n.up[:0]
	n.missing.Clear()
	n.outside.Clear()
	for timer := timerAlive; timer <= timerWatch; timer++ {
		e.StopTimer(timer)
	}
	e.Save() // elect has begun a Term
}

// ask asks the next process above the given one whether it is up (rule 10).
func (n *original) ask(e *election.Env, above election.Rank) {
	n.status = asking
	n.missing.Clear()
	var next election.Rank
	var port election.Port
	for p := range election.Port(e.Ports()) {
		if r := e.Peer(p); above.Less(r) && !n.down.Has(p) && (next.ID == 0 || r.Less(next)) {
			next, port = r, p
		}
	}
	if next.ID == 0 { // no larger process is up
		n.halt(e)
		return
	}
	n.other = next
	e.Send(port, n.message(kindAreYouUp))
	n.missing.Add(port)
	n.expect(e)
}

// halt stops all smaller processes. A suspected process may be up again: it has to stop, although its answer is
// not waited for (rule 12).
func (n *original) halt(e *election.Env) {
	n.status = halting
	for port := range election.Port(e.Ports()) {
		if e.Peer(port).Less(n.me) && !n.down.Has(port) {
			n.missing.Add(port)
		}
	}
	n.sendSmaller(e, kindHalt)
	n.expect(e)
}

// sendSmaller sends to all smaller processes.
func (n *original) sendSmaller(e *election.Env, kind uint8) {
	for port := range election.Port(e.Ports()) {
		if e.Peer(port).Less(n.me) {
			e.Send(port, n.message(kind))
		}
	}
}

// sendAnswered asks the next question of the processes that have answered the previous one.
func (n *original) sendAnswered(e *election.Env, now status, kind uint8) {
	n.missing.Clear() // processes that have not answered the previous question are down
	for _, port := range n.up {
		if !n.down.Has(port) {
			e.Send(port, n.message(kind))
			n.missing.Add(port)
		}
	}
	n.status, n.up = now, n.up[:0]
	n.expect(e)
}

// expect waits for the missing answers.
func (n *original) expect(e *election.Env) {
	if n.missing.Len() > 0 {
		e.SetTimer(timerAlive, n.config.AliveTimeout, n.config.AliveTimeout)
	}
	n.proceedIfAll(e)
}

// proceedIfAll continues if no answer is missing.
func (n *original) proceedIfAll(e *election.Env) {
	if n.missing.Len() == 0 {
		n.proceed(e)
	}
}

// proceed continues when all have answered, or the time for answers is over. A process that has halted and then
// does not answer has crashed, which requires another election. So does a process that is outside at the end.
func (n *original) proceed(e *election.Env) {
	e.StopTimer(timerAlive)
	switch {
	case n.status == asking: // rule 10
		n.ask(e, n.other)
	case n.status == referring: // rule 10
		n.giveUp(e)
	case n.status == halting: // rule 13
		n.sendAnswered(e, announcing, kindNewCoordinator)
	case n.missing.Len() > 0: // rule 15
		n.elect(e)
	case n.status == announcing: // rule 14
		// Do not wait until all are done: processes that are ready already follow, and expect heartbeats from
		// now on.
		if n.config.Heartbeat > 0 {
			e.SetTimer(timerBeat, n.config.Heartbeat, n.config.Heartbeat)
		}
		n.sendAnswered(e, readying, kindReady)
	case n.status == readying && n.outside.Len() > 0: // rule 15
		n.elect(e)
	case n.status == readying: // rule 15
		n.settle(e, n.me)
	}
}

func (n *original) receive(e *election.Env, from election.Port, m *election.Message) {
	switch m.Kind {
	case kindAreYouUp:
		n.recvAreYouUp(e, from, m)
	case kindHalt:
		n.recvHalt(e, from, m)
	case kindNewCoordinator: // rule 13
		if n.status == halted && n.continues(m) {
			n.status = reorganizing
			n.reply(e, from, m, kindAccepted)
			e.SetTimer(timerCoordinator, n.config.CoordinatorTimeout, n.config.CoordinatorTimeout)
		}
	case kindReady: // rule 14
		if n.status == reorganizing && n.continues(m) {
			n.reply(e, from, m, kindDone)
			n.abandon(e)
			n.settle(e, m.Rank)
			n.watch(e)
		}
	case kindBeat:
		n.recvHeartbeat(e, from, m)
	default:
		n.recvAnswer(e, from, m)
	}
}

// recvHeartbeat restarts the wait for heartbeats of the leader. If the heartbeat is from a larger coordinator
// that this process does not follow, the process asks it whether it is up, so that it holds another election;
// separated groups merge in this way (rule 18).
func (n *original) recvHeartbeat(e *election.Env, from election.Port, m *election.Message) {
	switch {
	case n.status == normal && m.Rank == n.leader:
		n.watch(e)
	case n.status == idle || n.status == normal && n.leader.Less(m.Rank):
		e.Send(from, n.message(kindAreYouUp))
	}
}

// continues reports whether a message belongs to the election that has halted this process.
func (n *original) continues(m *election.Message) bool {
	return m.Rank == n.other && m.Value == n.attempt
}

// recvHalt halts for a larger process that elects (rule 12).
func (n *original) recvHalt(e *election.Env, from election.Port, m *election.Message) {
	if !n.me.Less(m.Rank) {
		return // not sent by a correct process
	}
	// Ignore its Term: the sender may have recovered without its state, and learns the Term from HALTED.
	n.abandon(e)
	n.status, n.other, n.attempt = halted, m.Rank, m.Value
	n.reply(e, from, m, kindHalted)
	e.Withdraw(n.term)
	e.SetTimer(timerCoordinator, n.config.CoordinatorTimeout, n.config.CoordinatorTimeout)
}

// reply answers a question.
func (n *original) reply(e *election.Env, from election.Port, m *election.Message, kind uint8) {
	n.adopt(e, m)
	a := n.message(kind)
	a.Value = m.Value
	e.Send(from, a)
}

// adopt adopts a larger Term.
func (n *original) adopt(e *election.Env, m *election.Message) {
	if m.Term > n.term {
		n.term = m.Term
		e.Save()
	}
}

// answers are the kinds of answers that a process waits for, by status; zero if it waits for none. The last
// status is listed so that there is an element for each.
var answers = [...]uint8{asking: kindUp, referring: kindUp, halting: kindHalted, announcing: kindAccepted,
	readying: kindDone, reorganizing: 0}

// recvAnswer accepts an answer to the current question (rule 19).
func (n *original) recvAnswer(e *election.Env, from election.Port, m *election.Message) {
	if m.Kind == 0 || m.Kind != answers[n.status] || m.Value != n.attempt || slices.Contains(n.up, from) {
		return
	}
	n.adopt(e, m)
	n.missing.Remove(from)
	if n.status == asking || n.status == referring {
		n.recvUp(e, m.Rank)
		return
	}
	n.up = append(n.up, from) // rules 12, 13, 14, 15
	// A process that asked before it halted takes part. A process that answers READY may have asked after its
	// answer, because links need not deliver in order: it stays outside.
	if n.status != readying {
		n.outside.Remove(from)
	}
	n.proceedIfAll(e)
}

// recvAreYouUp replies that this process is up, and names the process that it follows, or that is about to take
// over. A process that leads, or is about to, holds another election: the asker is not among its followers
// (rule 11).
func (n *original) recvAreYouUp(e *election.Env, from election.Port, m *election.Message) {
	n.adopt(e, m)
	up := n.message(kindUp)
	up.Rank, up.Value = election.Rank{}, m.Value
	switch n.status {
	case normal:
		up.Rank = n.leader
	case halted, reorganizing, idle:
		up.Rank = n.other
	case halting, announcing, readying:
		// A process that has answered and then asks will not answer the next question, which makes this process
		// elect again. After READY there is no next question, so record the asker here.
		if n.status == readying || !slices.Contains(n.up, from) {
			n.outside.Add(from)
		}
	}
	e.Send(from, up)
	if n.status == normal && n.leader == n.me {
		n.elect(e)
	}
}

// recvUp gives up, because a larger process is up. If that process knows a still larger one, that one is asked
// as well, so that a coordinator learns of this process (rules 10 and 11).
func (n *original) recvUp(e *election.Env, coordinator election.Rank) {
	for port := range election.Port(e.Ports()) {
		if n.other.Less(coordinator) && e.Peer(port) == coordinator && !n.down.Has(port) {
			n.status, n.other = referring, coordinator
			e.Send(port, n.message(kindAreYouUp))
			n.missing.Add(port)
			n.expect(e)
			return
		}
	}
	n.giveUp(e)
}

// giveUp leaves the election to a larger process that is up.
func (n *original) giveUp(e *election.Env) {
	n.abandon(e)
	n.status = idle
	n.watch(e)
}

func (n *original) watch(e *election.Env) {
	if n.config.Heartbeat > 0 {
		e.SetTimer(timerWatch, n.config.watchTimeout(), n.config.watchTimeout())
	}
}

func (n *original) settle(e *election.Env, leader election.Rank) {
	n.status, n.leader = normal, leader
	e.Save()
	e.DecideIn(n.term, leader)
	e.Done()
}

func (n *original) message(kind uint8) election.Message {
	return election.Message{Kind: kind, Term: n.term, Rank: n.me, Value: n.attempt}
}

// State visits what changes.
func (n *original) State(s *election.State) {
	s.Uint64(&n.term)
	s.Uint64(&n.attempt)
	s.Enum((*uint8)(&n.status), uint8(len(answers)))
	s.Rank(&n.leader)
	s.Rank(&n.other)
	n.missing.State(s)
	n.outside.State(s)
	election.VisitSlice(s, &n.up, (*election.State).Port)
	n.down.State(s)
}
