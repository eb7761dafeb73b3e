package invitation

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
	"github.com/go-election/election/params"
)

// Message kinds, each question before its answer. Rank and Term are the number of a group: the sender's group,
// or a group to join. Answers repeat the number of the question, and its Value.
const (
	kindAreYouLeader uint8 = iota + 1
	kindLeaderReply
	kindInvitation // Value is the Term of the group that its sender has led so far
	kindAccept     // Value is the number of groups that its sender has been in
	kindAcceptReply
	kindReady
	kindReadyReply
	kindAreYouThere
	kindThereReply
)

// flagYes in an answer means yes.
const flagYes uint8 = 1

// Timers, in the order of their names.
const (
	timerAnswer uint8 = iota
	timerLarger
	timerAccept
	timerReady
	timerLook
)

// status is the state of a process. In the first three its group is ready.
type status uint8

const (
	normal    status = iota // leads, or follows
	checking                // a leader that asks which others lead, or waits for a larger one to merge
	asking                  // a member that asks whether its leader is there
	inviting                // has founded a group, and counts those that accept
	readying                // has sent READY, and counts the answers
	accepting               // has accepted an invitation
	accepted                // its acceptance counts, and it waits for READY
	statuses
)

// process is one participant.
type process struct {
	me      election.Rank
	config  *Config
	status  status
	moves   uint64        // number of groups this process has been in
	leader  election.Rank // leader of its group
	number  uint64        // moves of the leader when it founded the group
	port    election.Port // port of the leader, if it is another process
	others  portset.Set   // leaders found by a check
	members portset.Set   // members of the group that it leads
	missing portset.Set   // processes that have not answered yet
	// left is the size of missing. In large groups, counting the set for each answer would take too long.
	left uint32
}

// Step handles one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Init:
		n.init(e)
	case election.Rejoin: // rule 13
		if n.leader != n.me { // it has no state, and its initial group no longer exists
			n.recover(e)
		}
		n.check(e)
	case election.Start: // rule 14
		n.look(e)
	case election.Suspect: // rule 13
		if n.leader != n.me && ev.Port == n.port {
			n.recover(e)
			n.check(e)
		}
	case election.Timeout:
		n.timeout(e, ev.Timer)
	case election.Recv:
		n.receive(e, ev.Port, &ev.Msg)
	}
}

// init puts a process into its initial group, or into a group of its own after a crash.
func (n *process) init(e *election.Env) {
	if n.moves > 0 { // rule 10
		n.recover(e)
		return
	}
	n.moves, n.number, n.leader = 1, 1, n.me
	if n.config.Leader != nil { // if a million processes each searched a million others, it would take too long
		n.joinFirst(e)
	}
	// Save before the first message; otherwise it could found this group twice after a crash.
	e.Save()
	n.settle(e)
}

// joinFirst puts a process into its initial group.
func (n *process) joinFirst(e *election.Env) {
	leader := n.config.leaderOf(n.me.ID)
	for port := range election.Port(e.Ports()) {
		switch peer := e.Peer(port); {
		case peer.ID == leader:
			n.leader, n.port = peer, port
		case leader == n.me.ID && n.config.leaderOf(peer.ID) == leader:
			n.members.Add(port)
		}
	}
}

// look looks for other leaders, or asks its leader whether it is there (rule 14).
func (n *process) look(e *election.Env) {
	switch {
	case n.status != normal:
	case n.leader == n.me:
		n.check(e)
	default:
		n.ask(e)
	}
}

func (n *process) timeout(e *election.Env, timer uint8) {
	switch timer {
	case timerAnswer:
		n.answersEnd(e)
	case timerLarger: // rule 5
		n.merge(e)
	case timerAccept: // rule 8
		n.sendReady(e)
	case timerReady: // rule 10
		n.recover(e)
	case timerLook: // rule 14
		n.look(e)
	}
}

// answersEnd continues when the time for answers has ended.
func (n *process) answersEnd(e *election.Env) {
	n.expectNone()
	switch n.status {
	case checking:
		n.checked(e)
	case readying: // rule 9
		n.settle(e)
	case asking: // rule 11
		n.recover(e)
		n.check(e)
	}
}

func (n *process) receive(e *election.Env, from election.Port, m *election.Message) {
	switch m.Kind {
	case kindAreYouLeader:
		n.recvAreYouLeader(e, from, m)
	case kindLeaderReply:
		n.recvLeader(e, from, m)
	case kindInvitation:
		n.recvInvitation(e, from, m)
	case kindAccept: // rule 7
		yes := n.status == inviting && n.isIn(m)
		if yes {
			n.members.Add(from)
		}
		reply(e, from, m, kindAcceptReply, yes)
	case kindAcceptReply:
		n.recvAccepted(e, from, m)
	case kindReady:
		n.recvReady(e, from, m)
	case kindReadyReply:
		n.recvIsReady(e, from, m)
	case kindAreYouThere: // rule 11
		reply(e, from, m, kindThereReply, n.leader == n.me && n.isIn(m) && n.members.Has(from))
	case kindThereReply:
		n.recvThere(e, from, m)
	}
}

// isIn reports whether this process is in the group of a message.
func (n *process) isIn(m *election.Message) bool { return m.Rank == n.leader && m.Term == n.number }

// isReady reports whether its group is ready: the paper's Normal.
func (n *process) isReady() bool { return n.status <= asking }

// message returns a message with the number of its group.
func (n *process) message(kind uint8) election.Message {
	return election.Message{Kind: kind, Rank: n.leader, Term: n.number}
}

func reply(e *election.Env, to election.Port, m *election.Message, kind uint8, yes bool) {
	answer := election.Message{Kind: kind, Rank: m.Rank, Term: m.Term, Value: m.Value}
	if yes {
		answer.Flags = flagYes
	}
	e.Send(to, answer)
}

// check asks all others whether they lead (rule 1).
func (n *process) check(e *election.Env) {
	n.status = checking
	for port := range election.Port(e.Ports()) {
		e.Send(port, n.message(kindAreYouLeader))
		n.expect(port)
	}
	if n.left == 0 { // rule 3
		n.rest(e)
		return
	}
	wait(e, timerAnswer, n.config.AnswerTimeout)
}

func (n *process) recvAreYouLeader(e *election.Env, from election.Port, m *election.Message) {
	if n.leader != n.me && m.Rank == n.leader && m.Term > n.number { // rule 12
		n.recover(e)
	}
	reply(e, from, m, kindLeaderReply, n.leader == n.me && n.isReady()) // rule 2
}

// recvLeader records an answer to a check. An answer to an earlier check of the same group counts too: in the
// worst case it invites a process that does not lead any more, which accepts like any other.
func (n *process) recvLeader(e *election.Env, from election.Port, m *election.Message) { // rule 3
	if n.status != checking || !n.isIn(m) || !n.hasAnswered(from) {
		return
	}
	if m.Flags == flagYes {
		n.others.Add(from)
	}
	// If a check has found leaders, wait until the end, as in the paper: a merge then begins at the same time
	// whether or not all are up.
	if n.left == 0 && n.others.From(0) == election.NoPort {
		e.StopTimer(timerAnswer)
		n.rest(e)
	}
}

// expect waits for an answer.
func (n *process) expect(port election.Port) {
	n.missing.Add(port)
	n.left++
}

func (n *process) expectNone() {
	n.missing.Clear()
	n.left = 0
}

// hasAnswered records an answer, and returns false if there was one before.
func (n *process) hasAnswered(port election.Port) bool {
	if !n.missing.Has(port) {
		return false
	}
	n.missing.Remove(port)
	n.left--
	return true
}

// checked merges with the leaders that the check has found, if there are any.
func (n *process) checked(e *election.Env) {
	largest := n.me
	for port := n.others.From(0); port != election.NoPort; port = n.others.From(port + 1) {
		if peer := e.Peer(port); largest.Less(peer) {
			largest = peer
		}
	}
	switch {
	case n.others.From(0) == election.NoPort: // rule 3
		n.rest(e)
	case largest != n.me: // rule 4
		wait(e, timerLarger, n.waitFor(e, largest))
	default: // rule 5
		n.merge(e)
	}
}

// waitFor returns how long to wait for a larger leader.
func (n *process) waitFor(e *election.Env, larger election.Rank) time.Duration {
	between := time.Duration(0)
	for port := range election.Port(e.Ports()) {
		if peer := e.Peer(port); n.me.Less(peer) && !larger.Less(peer) {
			between++
		}
	}
	return min(between, params.MaxTimeout/n.config.PriorityWait) * n.config.PriorityWait
}

// merge founds a group of the leaders found and its own members (rule 5).
func (n *process) merge(e *election.Env) {
	invitation := election.Message{Kind: kindInvitation, Value: n.number}
	n.foundGroup(e)
	n.status = inviting
	e.Withdraw(n.number)
	invitation.Rank, invitation.Term = n.leader, n.number
	for port := range election.Port(e.Ports()) {
		if n.others.Has(port) || n.members.Has(port) {
			e.Send(port, invitation)
		}
	}
	n.others.Clear()
	n.members.Clear()
	wait(e, timerAccept, n.config.AcceptTimeout)
}

// foundGroup begins a group that this process leads.
func (n *process) foundGroup(e *election.Env) {
	n.move(e)
	n.leader, n.number = n.me, n.moves
}

// move counts the groups that this process has been in. The count is saved before a message carries it. If it
// were used twice, members of an old group would mistake a new one for theirs, and an old ACCEPT_R for the
// current one.
func (n *process) move(e *election.Env) {
	n.moves++ // increases by one per step, so it never reaches 2^64
	e.Save()
}

func (n *process) recvInvitation(e *election.Env, from election.Port, m *election.Message) { // rule 6
	// An invitation of its own leader also means that the leader is leaving the group. Even if the group is not
	// ready, the process must follow the leader. READY may still be in flight, and would make it follow a
	// leader that has gone.
	leaves := n.leader != n.me && from == n.port && m.Value >= n.number
	port, known := n.portOf(e, from, m.Rank)
	switch {
	case m.Rank == n.me:
		if leaves { // to the group to which this process had invited it
			n.recover(e)
		}
	case !known || m.Rank == n.leader && m.Term <= n.number:
	case n.isReady() || leaves:
		n.accept(e, port, m)
	}
}

// accept leaves the current group for another one, with its members.
func (n *process) accept(e *election.Env, port election.Port, m *election.Message) { // rule 6
	if n.leader == n.me {
		forward := *m
		forward.Value = n.number
		// Also send it to the process that invites, if it is a member, which has to know that its leader has
		// gone.
		for to := n.members.From(0); to != election.NoPort; to = n.members.From(to + 1) {
			e.Send(to, forward)
		}
	}
	n.stop(e)
	n.move(e)
	n.status, n.leader, n.number, n.port = accepting, m.Rank, m.Term, port
	e.Withdraw(n.number)
	acceptance := n.message(kindAccept)
	acceptance.Value = n.moves
	e.Send(port, acceptance)
	wait(e, timerReady, n.config.AcceptTimeout+n.config.AnswerTimeout)
}

// portOf returns the port of a process, usually the port over which the message arrived.
func (n *process) portOf(e *election.Env, from election.Port, who election.Rank) (election.Port, bool) {
	if int(from) < e.Ports() && e.Peer(from) == who {
		return from, true
	}
	for port := range election.Port(e.Ports()) {
		if e.Peer(port) == who {
			return port, true
		}
	}
	return election.NoPort, false
}

func (n *process) recvAccepted(e *election.Env, from election.Port, m *election.Message) { // rule 7
	switch {
	case n.status != accepting || !n.isIn(m) || from != n.port || m.Value != n.moves:
	case m.Flags == flagYes:
		n.status = accepted
	default:
		n.recover(e)
	}
}

// sendReady sends READY to the members that have accepted (rule 8).
func (n *process) sendReady(e *election.Env) {
	n.status = readying
	for port := n.members.From(0); port != election.NoPort; port = n.members.From(port + 1) {
		e.Send(port, n.message(kindReady))
		n.expect(port)
	}
	if n.left == 0 { // rule 9
		n.settle(e)
		return
	}
	wait(e, timerAnswer, n.config.AnswerTimeout)
}

func (n *process) recvReady(e *election.Env, from election.Port, m *election.Message) { // rule 9
	yes := n.status == accepted && from == n.port && n.isIn(m)
	reply(e, from, m, kindReadyReply, yes)
	if yes {
		e.StopTimer(timerReady)
		n.settle(e)
	}
}

func (n *process) recvIsReady(e *election.Env, from election.Port, m *election.Message) { // rule 9
	if n.leader != n.me || !n.isIn(m) {
		return
	}
	n.hasAnswered(from)
	if m.Flags != flagYes {
		n.members.Remove(from)
	}
	if n.status == readying && n.left == 0 {
		e.StopTimer(timerAnswer)
		n.settle(e)
	}
}

// recover leaves the current group, and founds a new one (rule 10).
func (n *process) recover(e *election.Env) {
	n.stop(e)
	n.foundGroup(e)
	n.settle(e)
}

// stop stops whatever this process was doing.
func (n *process) stop(e *election.Env) {
	n.others.Clear()
	n.expectNone()
	n.members.Clear()
	switch n.status {
	case checking:
		e.StopTimer(timerAnswer)
		e.StopTimer(timerLarger)
	case asking:
		e.StopTimer(timerAnswer)
	case accepting, accepted:
		e.StopTimer(timerReady)
	}
	// The timer of the next look may keep running: if it fires now, it has no effect, and rest sets it again.
}

// settle publishes the group of this process.
func (n *process) settle(e *election.Env) {
	e.DecideIn(n.number, n.leader)
	e.Done()
	n.rest(e)
}

// rest waits for the next time to look.
func (n *process) rest(e *election.Env) {
	n.status = normal
	if n.config.Interval != 0 {
		wait(e, timerLook, n.config.Interval)
	}
}

// ask asks the leader whether it is there (rule 11).
func (n *process) ask(e *election.Env) {
	n.status = asking
	e.Send(n.port, n.message(kindAreYouThere))
	wait(e, timerAnswer, n.config.AnswerTimeout)
}

func (n *process) recvThere(e *election.Env, from election.Port, m *election.Message) { // rule 11
	switch {
	case n.status != asking || !n.isIn(m) || from != n.port:
	case m.Flags == flagYes:
		e.StopTimer(timerAnswer)
		n.rest(e)
	default:
		n.recover(e)
		n.check(e)
	}
}

func wait(e *election.Env, timer uint8, t time.Duration) { e.SetTimer(timer, t, t) }

// State visits what changes.
func (n *process) State(s *election.State) {
	s.Enum((*uint8)(&n.status), uint8(statuses))
	s.Uint64(&n.moves)
	s.Rank(&n.leader)
	s.Uint64(&n.number)
	s.Port(&n.port)
	n.others.State(s)
	n.missing.State(s)
	s.Uint32(&n.left)
	n.members.State(s)
}
