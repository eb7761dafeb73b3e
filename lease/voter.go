package lease

import (
	"math/bits"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// owner is a candidate in one of its incarnations.
type owner struct {
	id          election.ID
	incarnation uint64
}

// grant is the vote that a voter has lent. The zero value means none.
type grant struct {
	owner owner
	term  uint64
	until time.Duration
}

// memory describes whether a voter knows everything that it has granted.
type memory uint8

const (
	intact      memory = iota
	quarantined        // silent: a grant from before its crash may still be live
	recovering         // reads the largest Term from others
	memories
)

// lend decides on a claim (rule 2), and reports whether it is granted.
func (n *process) lend(e *election.Env, now time.Duration, to owner, term, label uint64) bool {
	if n.isLent() && n.grant.owner != to || n.isWary(to) {
		return false
	}
	if term < n.term || term == n.term && n.vote != to {
		return false
	}
	binds := isWish(label) && !n.bound // rule 16
	n.bound = n.bound || binds
	again := term == n.term && n.vote == to
	if !again {
		n.formerly, n.former = n.term, n.vote
		n.term, n.vote = term, to
	}
	// A voter that has read this vote from others has saved it already, but not that it is bound. And if a process with
	// a longer Lease was unknown when the vote was saved, the driver has not saved for how long it is lent now (rule 22).
	if !again || binds || n.lends > 0 && n.grant.owner != to {
		n.save(e)
	}
	n.grant = grant{owner: to, term: term, until: now + n.grantTime()}
	return true
}

// grantTime returns how long a grant is live: for the longest Lease of all processes (rule 22).
func (n *process) grantTime() time.Duration {
	return scale(max(n.config.Lease, n.lends), n.config.Drift)
}

// lendFor sets the longest Lease of all processes. A process with a longer one than this voter's is named (rule 22).
func (n *process) lendFor(now, lease time.Duration, id election.ID) {
	if lease <= n.config.Lease {
		lease = 0
	}
	if n.memory == intact {
		switch grows := lease > n.lends; {
		case grows && n.wary == 0:
			n.waryOf = id
		case (grows || n.wary != 0 && id != 0) && id != n.waryOf:
			n.waryOf = 0
		}
		if lease > n.lends {
			n.wary = now + scale(lease, n.config.Drift)
		}
	}
	n.lends = lease
	n.staySilent(now, lease)
}

// isWary reports whether the voter does not lend its vote to an owner, which may have a longer Lease than the voter has
// told others that have lost their memory (rule 22).
func (n *process) isWary(of owner) bool {
	return n.wary != 0 && n.grant.owner != of && (n.waryOf == of.id || n.waryOf == 0 && of.id != n.me.ID)
}

// isLent reports whether a grant is live; expire removes expired ones.
func (n *process) isLent() bool { return n.grant.owner.id != 0 }

// save stores the largest Term granted, before the grant leaves the process.
func (n *process) save(e *election.Env) {
	if n.config.Durable {
		n.remembers = true
		e.Save()
	}
}

// recvProbe answers whether a claim would be granted (rule 9). It has no other effect, except that a candidate
// that goes first takes its turn.
func (n *process) recvProbe(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	if n.memory != intact {
		return
	}
	answer := election.Message{Kind: kindFree, Term: n.heard(), Round: m.Round,
		Rank: election.Rank{Priority: n.candidacy(), ID: election.ID(n.voting.label)}}
	who := owner{e.Peer(from).ID, m.Value}
	if !n.voting.admits(uint64(m.Rank.ID)) || n.isLent() && n.grant.owner != who || n.isWary(who) {
		answer = n.refusal(kindHeld, now, m.Round)
	}
	e.Send(from, answer)
	n.teach(e, from, uint64(m.Rank.ID)) // rule 19
	if n.precedes(m) {
		n.turn(e, now)
	}
}

// refusal returns a message with the owner of the live grant, if any, and its remaining duration.
func (n *process) refusal(kind uint8, now time.Duration, round uint32) election.Message {
	m := election.Message{Kind: kind, Term: n.heard(), Round: round,
		Rank: election.Rank{Priority: n.voting.label}}
	if n.isLent() {
		m.Rank.ID, m.Value = n.grant.owner.id, uint64(n.grant.until-now)
	}
	return m
}

// recvClaim grants a claim, or refuses it (rule 2).
func (n *process) recvClaim(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	if m.Flags&flagLeads != 0 {
		n.follow(e, now, e.Peer(from), m.Term)
	}
	if n.memory != intact {
		return
	}
	n.seen = max(n.seen, m.Term)
	if m.Flags&flagNext != 0 && n.grant.term+1 == m.Term && n.grant.owner.incarnation == m.Rank.Priority {
		// The Term identifies the lease. If the grant belongs to another process, that process has claimed the
		// Term of the lease that has ended, and will never lead.
		n.grant = grant{}
	}
	ok, unknown := n.accepts(e, m) // rules 15, 17
	if !ok || !n.lend(e, now, owner{e.Peer(from).ID, m.Value}, m.Term, uint64(m.Rank.ID)) {
		answer := n.refusal(kindRefused, now, m.Round)
		if unknown {
			answer.Flags = flagUnknown
		}
		e.Send(from, answer)
		n.teach(e, from, uint64(m.Rank.ID)) // rule 19
		if ok && m.Flags&flagLeads != 0 {
			n.query(e)
		}
		return
	}
	answer := election.Message{Kind: kindGranted, Term: m.Term, Value: m.Value, Round: m.Round,
		Rank: election.Rank{ID: election.ID(n.voting.label)}}
	if n.stands && n.resigned == 0 {
		answer.Flags, answer.Rank.Priority = flagStands, n.priority
	}
	e.Send(from, answer)
	// Only this voter has heard of a leader with a larger Term, which has stopped, and not from an honest
	// process: otherwise the sender would have stopped before that leader led. Without this answer, the voter
	// would follow no leader with a smaller Term for as long as it leads (rule 11).
	if m.Flags&flagLeads != 0 && n.leader.ID == 0 && m.Term < n.leaderTerm {
		e.Send(from, n.refusal(kindHeld, now, m.Round))
	}
}

// query reminds the owner of the vote that makes this voter refuse a leader. If the owner's claim is over, its
// RELEASE was lost, or overtaken by the CLAIM: without a reminder, the leader would lack this voter for as long
// as it leads (rule 13).
func (n *process) query(e *election.Env) {
	if port, ok := portOf(e, n.vote.id); ok && port != election.NoPort {
		e.Send(port, election.Message{Kind: kindGranted, Term: n.term, Value: n.vote.incarnation})
	}
}

// recvRelease ends the grant of exactly this process, incarnation and Term (rule 5).
func (n *process) recvRelease(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	who := owner{e.Peer(from).ID, m.Value}
	n.release(e, who, m)
	n.rest = 0 // the grants to wait for have ended with this one, or were released as well
	if to := m.Rank.ID; to != 0 && to != n.me.ID && n.stands {
		// The successor may have to save before its CLAIM leaves. A candidate whose turn comes first asks only
		// a majority, and would lead instead (rule 10).
		n.rest = now + min(successorDelays*n.config.Delay, n.config.Lease)
	}
	// The driver limits the Term of a message, but not this field.
	if heard := m.Rank.Priority; heard <= namedBound {
		n.seen = max(n.seen, heard)
	}
	if n.leader.ID == who.id && n.leaderTerm <= m.Term {
		n.unfollow(e)
	}
}

func (n *process) release(e *election.Env, who owner, m *election.Message) {
	n.endGrant(who, m.Term)
	// A voter that is recovering must not save: its state would contain only a part of what it has to read. And
	// the vote for a lease is never taken back: the next lease could then get the same Term, or a smaller one.
	if m.Flags&flagLost == 0 || n.vote != who || n.term != m.Term || n.memory != intact {
		return
	}
	// rule 12. The next claim has a larger Term, because other voters may not have heard of the end.
	n.seen = max(n.seen, n.term)
	n.term, n.vote = n.formerly, n.former
	n.forget()
	n.save(e)
}

// endGrant ends the grant of exactly this process, incarnation and Term, which the process has given up.
func (n *process) endGrant(who owner, term uint64) {
	if n.grant.owner == who && n.grant.term == term {
		n.grant = grant{}
	}
}

// forget records that the previous vote is unknown. It had a smaller Term. The Term before the current one,
// without an owner, therefore refuses everything that the previous vote refuses.
func (n *process) forget() { n.formerly, n.former = max(n.term, 1)-1, owner{} }

// The return of a voter (rules 6 and 7).

// comeBack begins the quarantine (rule 6).
func (n *process) comeBack(now time.Duration) {
	n.silent = max(n.grantTime(), n.config.Quarantine())
	n.memory, n.quiet = quarantined, now+n.silent
}

// staySilent makes a voter that has lost its memory silent for as long as it may have lent its vote before (rule 22).
// What it has read since counts no more: an attempt that it had granted may have succeeded afterwards.
func (n *process) staySilent(now, lease time.Duration) {
	more := scale(lease, n.config.Drift) - n.silent
	if n.memory == intact || more <= 0 {
		return
	}
	n.silent += more
	if n.memory == quarantined {
		n.quiet += more
		return
	}
	n.memory, n.quiet, n.again, n.cold = quarantined, now+more, 0, 0
	n.newRound() // late answers have the nonce of the earlier round
	n.forgetAnswers()
}

func (n *process) forgetAnswers() {
	for _, answers := range [...]*portset.Set{&n.sure, &n.blank, &n.told, &n.holds} {
		answers.Clear()
	}
}

// nonce identifies the questions of a voter that reads what it has forgotten. It changes when the voter is silent again.
func (n *process) nonce() uint64 { return n.incarnation + uint64(n.round) }

// endQuarantine makes the voter vote again if it remembers its last vote; otherwise it reads its vote from
// others (rules 6 and 7).
func (n *process) endQuarantine(e *election.Env, now time.Duration) {
	n.quiet = 0
	if n.remembers {
		n.memory, n.silent = intact, 0
		return
	}
	n.memory, n.cold = recovering, never
	if n.config.Cold > 0 {
		n.cold = now + n.config.Cold
	}
	n.ask(e, now)
}

// ask reads the memory of all others, periodically (rule 6).
func (n *process) ask(e *election.Env, now time.Duration) {
	n.again = now + n.config.Renew
	if !n.hasNews() {
		n.clearNews() // see recvMember
	}
	n.broadcast(e, n.read(0))
	n.recollect(e, now) // a group of one has no others
}

// recvRead answers with what the voter remembers. A voter that is itself recovering answers that it has no
// memory, and asks in return (rule 6).
func (n *process) recvRead(e *election.Env, from election.Port, m *election.Message) {
	if n.memory == quarantined {
		return
	}
	answer := election.Message{Kind: kindMemory, Term: n.term, Value: n.vote.incarnation,
		Rank: election.Rank{Priority: m.Value, ID: n.vote.id}, Round: pack(n.lends)}
	if n.memory == recovering {
		answer.Flags = flagCold
	}
	e.Send(from, answer)
	if n.voting.label != 0 { // rule 20
		if newer(n.voting.label, uint64(m.Rank.ID)) {
			n.sendVoters(e, from) // first, so that the asker can compare the label
		}
		e.Send(from, election.Message{Kind: kindHolds, Value: n.voting.label, Flags: answer.Flags,
			Rank: election.Rank{Priority: m.Value}})
	}
	// From now on the asker answers; a question that reached it in its quarantine was lost. Without this
	// question, the next one would come up to Renew later. By then the asker may have led and crashed, and its
	// answer would be missing permanently. A question in return causes no further one, because that could
	// continue for as long as answers are overtaken.
	if n.memory == recovering && m.Flags&flagBack == 0 && !n.sure.Has(from) && !n.blank.Has(from) {
		e.Send(from, *n.read(flagBack))
	}
}

func (n *process) read(flags uint8) *election.Message {
	return &election.Message{Kind: kindRead, Value: n.nonce(), Flags: flags,
		Rank: election.Rank{ID: election.ID(n.voting.label)}}
}

// pack rounds a duration up to a number with 26 binary digits, and returns it in 32 bits: that number, and above it how
// many digits are omitted.
func pack(d time.Duration) uint32 {
	omitted := uint(max(bits.Len64(uint64(d))-packedBits, 0))
	digits := (uint64(d) + 1<<omitted - 1) >> omitted
	if digits == 1<<packedBits {
		digits, omitted = digits>>1, omitted+1
	}
	return uint32(omitted<<packedBits) | uint32(digits)
}

// unpack is the inverse of pack, except for the rounding.
func unpack(packed uint32) time.Duration {
	return min(time.Duration(packed&(1<<packedBits-1))<<min(packed>>packedBits, 26), longest)
}

const packedBits = 26

// recvMemory records what another voter remembers (rules 6 and 7).
func (n *process) recvMemory(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	// An answer to an earlier question may be older than grants made since.
	if n.memory != recovering || m.Rank.Priority != n.nonce() {
		return
	}
	if n.staySilent(now, unpack(m.Round)); n.memory != recovering {
		return
	}
	switch vote := (owner{m.Rank.ID, m.Value}); {
	case m.Term > n.term:
		n.term, n.vote = m.Term, vote
		n.forget()
	case m.Term == n.term && n.vote != vote:
		// Two owners have the same Term: at least one of them has no majority. Granting the Term again to
		// either might create one.
		n.vote = owner{}
	}
	if m.Flags&flagCold != 0 {
		n.blank.Add(from)
		n.sure.Remove(from)
		n.told.Remove(from)
	} else {
		n.blank.Remove(from)
		n.told.Add(from)
		if n.voting.label == 0 || n.holds.Has(from) {
			n.sure.Add(from)
		}
	}
	n.recollect(e, now)
}

// recollect ends the recovery if enough is known (rules 6, 7 and 20).
func (n *process) recollect(e *election.Env, now time.Duration) {
	if n.voting.label == 0 && !n.remembersAll(e, now) || n.voting.label != 0 && !n.recollected(now) {
		return
	}
	n.memory, n.silent, n.again, n.cold = intact, 0, 0, 0
	n.forgetAnswers()
	n.save(e)
}

// remembersAll reports whether a voter whose group never changes has read enough (rules 6 and 7).
func (n *process) remembersAll(e *election.Env, now time.Duration) bool {
	sure, all, majority := n.sure.Len(), n.sure.Len()+n.blank.Len(), (e.Ports()+1)/2+1
	// For every majority to which this voter belonged, one of these others has granted what it has forgotten.
	// With an even number of voters, one fewer would be enough. With two voters, the other one has to be enough.
	enough := max(min(majority, e.Ports()), 1)
	return sure >= enough ||
		n.config.Cold > 0 && (all == e.Ports() || now >= n.cold && all+1 >= majority)
}
