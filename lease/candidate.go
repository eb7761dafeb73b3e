package lease

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// phase is the progress of a candidate.
type phase uint8

const (
	idle     phase = iota
	waiting        // for its turn
	probing        // has asked whether a claim would be granted
	claiming       // its claim is in flight
	leading
	phases
)

// campaign makes a candidate wait for its turn, unless it knows that it may not claim.
func (n *process) campaign(e *election.Env) {
	if n.phase != idle || !n.stands || n.memory != intact || n.isLent() || n.rest+n.resigned > 0 ||
		!n.voting.hasSelf() {
		return
	}
	n.phase = waiting // rule 8
	// Larger candidates go first, so that two do not split the votes. If the votes were split nevertheless,
	// equal waits would split them again and again, so each candidate adds a random duration, which grows with
	// each attempt.
	wait := time.Duration(n.larger(e)) * n.config.Stagger
	least, most := wait, wait
	if n.failed > 0 {
		least, most = wait+n.config.Delay, wait+n.config.Delay<<n.failed
	} else if n.config.Stagger > 0 {
		most = wait + n.config.Delay
	}
	e.SetTimer(timerTurn, least, most)
}

// mostDoubled limits how often the random part of a wait, and the interval between two questions, are doubled.
const mostDoubled = 5

// larger returns the number of larger processes that are not known to be down.
func (n *process) larger(e *election.Env) (count int) {
	for port := range election.Port(e.Ports()) {
		if n.me.Less(e.Peer(port)) && !n.down.Has(port) && n.voting.has(port) {
			count++
		}
	}
	return count
}

// turn begins an attempt, by asking whether it has a chance (rule 9).
func (n *process) turn(e *election.Env, now time.Duration) {
	if n.phase != waiting {
		return
	}
	n.phase = idle
	if n.isLent() || !n.voting.hasSelf() {
		return // a larger candidate was faster, or the process is not a voter any more
	}
	if n.config.Eager {
		n.claim(e, now)
		return
	}
	n.phase, n.outranked = probing, false
	n.newRound()
	if n.priority > 0 {
		n.hold = now + holdDelays*n.config.Delay
	}
	n.probe(e, now)
}

// probe asks all others, possibly again, whether a claim would be granted (rule 9).
func (n *process) probe(e *election.Env, now time.Duration) {
	n.again = now + n.config.Delay<<min(n.failed+2, mostDoubled)
	n.broadcast(e, &election.Message{Kind: kindProbe, Value: n.incarnation, Round: n.round,
		Rank: election.Rank{Priority: n.priority, ID: election.ID(n.voting.label)}})
	n.countFree(e, now) // a group of one has no others
}

// newRound starts to count answers from zero. An incarnation never reuses a round, so answers to earlier rounds
// do not count.
func (n *process) newRound() {
	n.round++
	n.yes.Clear()
	n.no.Clear()
}

// recvFree counts the voters that would grant a claim (rule 9).
func (n *process) recvFree(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	n.seen = max(n.seen, m.Term)
	if n.phase == probing && m.Round == n.round {
		n.yes.Add(from)
		n.no.Remove(from)
		n.outranked = n.outranked || m.Rank.Priority > n.priority
		n.countFree(e, now)
	}
}

func (n *process) countFree(e *election.Env, now time.Duration) {
	// Its own vote may have been lent since the attempt began.
	if n.voting.quorum(&n.yes, !n.isLent()) && !n.compares(e, now) {
		n.claim(e, now)
	}
}

// claim begins an attempt in a new Term (rule 1).
func (n *process) claim(e *election.Env, now time.Duration) {
	// A configuration that was learned may have a label of a Term that this process has not heard of.
	term := max(n.mine, n.heard())
	if isAgreed(n.voting.label) {
		term = max(term, n.voting.label>>stepBits)
	}
	if term >= MostToken { // never exceed the last token, and never go back to a smaller one
		e.Refuse(election.ErrTermExhausted)
		n.phase, n.again, n.stands = idle, 0, false
		return
	}
	n.mine, n.phase, n.began, n.hold = term+1, claiming, now, 0
	e.StopTimer(timerTurn)
	n.sendClaim(e, now)
}

// sendClaim begins a round, either of an attempt or of a renewal (rules 1 and 4).
func (n *process) sendClaim(e *election.Env, now time.Duration) {
	if n.carried = n.phase == leading && n.voting.label != 0; n.carried {
		n.relabel(e)
		n.ready.Assign(&n.yes)
	}
	n.newRound()
	n.sent, n.again, n.inquired = now, now+n.config.Renew, false
	m := n.claimed()
	n.broadcast(e, &m)
	n.lend(e, now, n.self(), n.mine, n.voting.label)
	n.countGrants(e, now)
}

// claimed returns the CLAIM of the current round.
func (n *process) claimed() election.Message {
	m := election.Message{Kind: kindClaim, Term: n.mine, Value: n.incarnation, Round: n.round,
		Rank: election.Rank{ID: election.ID(n.voting.label)}}
	switch {
	case n.carried:
		m.Flags, m.Rank.Priority = flagLeads, n.voting.hash
	case n.phase == leading:
		m.Flags = flagLeads
	case n.before.id != 0 && n.ended+1 == n.mine:
		// The CLAIM may overtake the RELEASE that the previous leader has sent.
		m.Flags, m.Rank.Priority = flagNext, n.before.incarnation
	}
	return m
}

// claimAgain begins another round and keeps the grants of the previous one, which still count. If only grants
// of the last round counted, a leader whose renewals take longer than Renew would lose its lease (rule 4).
func (n *process) claimAgain(e *election.Env, now time.Duration) {
	if n.until < n.sent+n.config.Lease {
		n.hasPrior, n.prior, n.hadCarried = true, n.sent, n.carried
		n.priorYes, n.yes = n.yes, n.priorYes
	}
	n.sendClaim(e, now)
}

// recvGranted counts the voters that have granted the current round: different voters, by their ports (rule 3).
func (n *process) recvGranted(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	if m.Round == 0 {
		n.remind(e, from, m)
		return
	}
	prior := n.hasPrior && m.Round == n.round-1
	if n.phase != claiming && n.phase != leading || m.Term != n.mine || m.Value != n.incarnation ||
		m.Round != n.round && !prior {
		return
	}
	if n.hasPrior {
		n.priorYes.Add(from) // a grant lasts at least as long as a grant for the previous round
	}
	if !prior {
		n.yes.Add(from)
	}
	if n.standing.Remove(from); m.Flags&flagStands != 0 {
		n.standing.Add(from)
	}
	n.countGrants(e, now)
}

// remind repeats a RELEASE that was lost, or that arrived before the CLAIM (rule 13).
func (n *process) remind(e *election.Env, from election.Port, m *election.Message) {
	underWay := n.phase >= claiming && m.Term == n.mine
	if m.Value == n.incarnation && m.Term <= n.mine && !underWay {
		e.Send(from, *n.released(kindRelease, m.Term))
	}
}

// countGrants makes the process leader, or extends its lease, when a majority has granted its claim (rule 3).
func (n *process) countGrants(e *election.Env, now time.Duration) {
	own := n.grant.owner == n.self() // granted in this round: sendClaim asks its own voter in each round
	// The lease begins when the claim was sent, which is before any voter granted it. If grants arrive too late
	// for the lease to be valid, expire has already ended the attempt.
	var until time.Duration
	stored := false
	switch {
	case n.voting.quorum(&n.yes, own):
		until, stored = n.sent+n.config.Lease, n.carried
		n.forgetPrior()
	case n.hasPrior && n.voting.quorum(&n.priorYes, own):
		until, stored = n.prior+n.config.Lease, n.hadCarried
	}
	if until > n.until {
		n.lead(e, now, until)
	}
	if stored && !n.confirmed { // rule 18
		n.confirm(e, now)
	}
}

// lead makes the process leader, or extends its lease.
func (n *process) lead(e *election.Env, now, until time.Duration) {
	fresh := n.phase != leading
	n.phase, n.until, n.failed, n.yielded, n.led = leading, until, 0, false, n.mine
	if fresh {
		n.unfollow(e)
	}
	e.Lease(n.mine, n.until)
	if fresh {
		e.Done()
		n.broadcast(e, &election.Message{Kind: kindLeads, Term: n.mine, Value: n.incarnation})
	}
	// A group that is just founded has no majorities before the first renewal is stored (rules 16 and 17).
	if n.inquired || isWish(n.voting.label) {
		n.renew(e, now)
	}
}

// forgetPrior discards the previous round.
func (n *process) forgetPrior() {
	n.hasPrior, n.prior, n.hadCarried = false, 0, false
	n.priorYes.Clear()
}

// renew renews the lease on command, as soon as no round is in progress. Starting another round would end the
// current one: if commands came faster than answers, no round would ever be granted (rule 4).
func (n *process) renew(e *election.Env, now time.Duration) {
	switch {
	case n.phase != leading || !n.stands:
	case n.until < n.sent+n.config.Lease:
		n.inquired = true
	default:
		n.sendClaim(e, now)
	}
}

// recvRefused gives up a claim that can no longer get a majority (rule 5). A leader continues: its lease is
// still valid, and the next renewal may be granted.
func (n *process) recvRefused(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	n.seen = max(n.seen, m.Term)
	// A voter that answers HELD would not follow this leader. Only packets of a hostile process lead here.
	if n.phase == leading && m.Kind == kindHeld && m.Round == n.round && m.Term > n.mine {
		n.giveUp(e)
		return
	}
	// The voter stores the configuration before it grants (rule 17). If it still lacks it then, the next round
	// sends it again.
	if n.phase == leading && m.Round == n.round && m.Flags&flagUnknown != 0 && m.Kind == kindRefused {
		if n.no.Has(from) {
			return
		}
		n.no.Add(from)
		n.sendVoters(e, from)
		e.Send(from, n.claimed())
		return
	}
	if n.phase != claiming && n.phase != probing || m.Round != n.round {
		return
	}
	// The previous leader has released this grant: the CLAIM has overtaken the RELEASE, or the RELEASE is lost.
	// Ask again, at increasing intervals, instead of waiting for the grant to expire.
	if n.phase == claiming && m.Rank.ID != 0 && m.Rank.ID == n.before.id {
		n.again = min(n.again, now+max(now-n.began, n.config.Delay))
		return
	}
	n.no.Add(from)
	n.yes.Remove(from)
	if m.Rank.ID != 0 && n.voting.has(from) {
		n.rest = max(n.rest, now+min(time.Duration(m.Value&math.MaxInt64), n.grantTime()))
	}
	// Silent voters may be down. Without this limit, two candidates that have refused each other would both
	// hold on to their own votes for a whole lease.
	if n.phase == claiming {
		n.again = min(n.again, n.sent+4*n.config.Delay)
	}
	if n.voting.hopeless(&n.no, n.isLent() && n.grant.owner != n.self()) {
		n.giveUp(e)
	}
}

// successorDelays is the number of Delays for which other candidates let a successor go first. In this time the
// successor receives the HANDOFF, saves its vote, which may take several Delays, and its CLAIM arrives.
const successorDelays = 8

// giveUp ends an attempt or a leadership permanently (rules 4 and 5).
func (n *process) giveUp(e *election.Env) { n.giveUpFor(e, 0) }

// giveUpFor gives up the leadership in favour of a successor, if there is one, which the others let go first
// (rule 10).
func (n *process) giveUpFor(e *election.Env, successor election.ID) {
	n.failed = min(n.failed+1, mostDoubled)
	if n.phase == claiming || n.phase == leading {
		m := n.released(kindRelease, n.mine)
		m.Rank.ID = successor
		n.broadcast(e, m)
		n.release(e, n.self(), m)
	}
	if n.phase == leading {
		e.Withdraw(n.mine)
	}
	n.phase, n.again, n.began, n.sent, n.until, n.hold = idle, 0, 0, 0, 0, 0
	n.before, n.ended, n.inquired = owner{}, 0, false
	n.carried, n.confirmed, n.begun = false, false, false
	n.forgetPrior()
	for _, answers := range [...]*portset.Set{&n.yes, &n.no, &n.standing, &n.ready} {
		answers.Clear()
	}
}

// resign gives up the leadership and names a successor: the given process, or the largest candidate (rule 10).
func (n *process) resign(e *election.Env, to election.ID) {
	if n.phase != leading {
		return
	}
	successor := n.successor(e, to)
	if successor == election.NoPort {
		n.giveUp(e)
		return
	}
	n.giveUpFor(e, e.Peer(successor).ID)
	e.Send(successor, *n.released(kindHandoff, n.mine))
}

// released returns a message that the claim or lease of a Term has ended. The next leader needs a Term that is
// larger than all that this process has heard of, including Terms from the command Raise, and may not ask for
// them.
func (n *process) released(kind uint8, term uint64) *election.Message {
	m := &election.Message{Kind: kind, Term: term, Value: n.incarnation}
	if term > n.led { // an incarnation claims increasing Terms
		m.Flags = flagLost
	}
	if heard := n.heard(); heard > n.mine {
		m.Rank.Priority = heard
	}
	return m
}

// successor returns the port of the given process, or of the largest candidate, or NoPort if there is none. It
// prefers processes that have granted the last round: messages to or from the others may not arrive any more.
func (n *process) successor(e *election.Env, to election.ID) election.Port {
	best := election.NoPort
	for port := range election.Port(e.Ports()) {
		switch {
		case !n.voting.has(port):
		case to != 0 && e.Peer(port).ID == to:
			return port
		case to == 0 && n.standing.Has(port) && !n.down.Has(port) &&
			(best == election.NoPort || n.succeedsBefore(e, port, best)):
			best = port
		}
	}
	return best
}

// succeedsBefore reports whether one process is a better successor than another.
func (n *process) succeedsBefore(e *election.Env, one, other election.Port) bool {
	if a, b := n.yes.Has(one), n.yes.Has(other); a != b {
		return a
	}
	return e.Peer(other).Less(e.Peer(one))
}

// recvHandoff claims immediately: the leader has stopped and released its grants (rule 10).
func (n *process) recvHandoff(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	n.recvRelease(e, now, from, m)
	n.seen = max(n.seen, m.Term)
	if n.stands && n.memory == intact && !n.isLent() && n.phase <= probing && n.voting.hasSelf() {
		n.before, n.ended = owner{e.Peer(from).ID, m.Value}, m.Term
		n.claim(e, now)
	}
}

// follow records the current leader, another process (rule 11).
func (n *process) follow(e *election.Env, now time.Duration, leader election.Rank, term uint64) {
	n.seen = max(n.seen, term)
	// A LEADS may be late: the leader of an earlier Term has already stopped.
	if term < n.leaderTerm || term <= n.led {
		return
	}
	// No process can lead with a larger Term while this process's own lease is valid, unless a clock is wrong.
	// Stop in that case.
	if n.phase >= claiming && term >= n.mine {
		n.giveUp(e)
	}
	n.leaderUntil = now + n.grantTime()
	if n.leader != leader || n.leaderTerm != term {
		n.leader, n.leaderTerm, n.failed, n.yielded = leader, term, 0, false
		e.DecideIn(term, leader)
		e.Done()
	}
}

// unfollow forgets the leader (rule 11).
func (n *process) unfollow(e *election.Env) {
	if n.leader.ID != 0 {
		n.leader, n.leaderUntil = election.Rank{}, 0
		e.Withdraw(n.leaderTerm)
	}
}
