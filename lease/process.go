package lease

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// The kinds of message. Value is the incarnation of a claim's owner, unless something else is said.
const (
	kindProbe   uint8 = iota + 1 // would a claim be granted?
	kindFree                     // yes
	kindHeld                     // no: Rank.ID owns a live grant, for Value nanoseconds more
	kindClaim                    // lend me your vote in this Term
	kindGranted                  // the vote is lent; Round 0: it still is, and stands in the way of a leader
	kindRefused                  // it is not; Rank.ID and Value as in HELD
	kindLeads                    // the sender leads in this Term
	// the claim, or lease, of this Term has ended; Rank.Priority: a larger one; Rank.ID: the successor
	kindRelease
	kindHandoff // the same, and the receiver is to claim
	kindRead    // which is the largest Term that you have granted?
	// that Term; Rank.ID and Value: to whom; Rank.Priority: the incarnation that asks
	kindMemory
)

// The flags.
const (
	flagLeads  uint8 = 1 // of CLAIM: a renewal
	flagNext   uint8 = 2 // of CLAIM: the lease of Rank, an owner, in the Term before has ended
	flagStands uint8 = 1 // of GRANTED: the voter is a candidate too
	flagLost   uint8 = 1 // of RELEASE: the claim has never led
	flagBack   uint8 = 1 // of READ: in return for a READ
	flagCold   uint8 = 1 // of MEMORY: the sender has lost its own
)

// The timers.
const (
	timerDue  uint8 = iota // the next of the deadlines that the state holds
	timerTurn              // the candidate has waited for larger ones
)

// namedBound is the largest Term that RELEASE may name for others to exceed: the clock reaches it in the year
// 2527. So a peer that lies leaves half of all Terms free. The driver bounds the Terms of messages likewise.
const namedBound = 1 << 52

// TurnTimer is the timer that a candidate sets while it waits for its turn (rule 8). A driver may let it run
// out later: the candidate then asks later, and only if there is no leader yet.
const TurnTimer = timerTurn

// mostToken is the largest Term that JSON holds as a number. No process claims a larger one.
const mostToken = 1<<53 - 1

// RaiseBound is larger than each Term that [Raise] may name. It leaves 2^32 Terms below 2^53: one a second
// for 136 years.
const RaiseBound = 1<<53 - 1<<32

// never is later than all deadlines.
const never = time.Duration(math.MaxInt64)

// The commands of what runs the process, as the Kind of [election.Command].
const (
	commandResign uint8 = iota + 1
	commandRenew
	commandRaise
	commandLapse
	commandSitDown
	commandPrefer
	commandAbandon
)

// Resign is the command to give up the lead of a Term in favour of a process, or of the largest that
// stands if that is zero. A process that leads in another Term ignores it, unless the Term is zero.
func Resign(term uint64, to election.ID) election.Message {
	return election.Message{Kind: commandResign, Term: term, Value: uint64(to)}
}

// Renew is the command to renew the lease at once.
func Renew() election.Message { return election.Message{Kind: commandRenew} }

// Raise is the command to lead only in Terms that are larger than this one, which is below RaiseBound. Up to
// 2^52 the process also names it to the others when it gives up a lead. A larger one has to be
// given to every process: others believe it of no peer.
func Raise(term uint64) election.Message { return election.Message{Kind: commandRaise, Term: term} }

// Lapse is the command to be no candidate any more, until the next Start, and to let the lease run out. A
// command to resign, or to sit down, ends it earlier.
func Lapse() election.Message { return election.Message{Kind: commandLapse} }

// SitDown is the command to be no candidate any more, until the next Start, and to give up the lead.
func SitDown() election.Message { return election.Message{Kind: commandSitDown} }

// Abandon is the command to end an attempt that has asked (PROBE) and has not claimed yet. The candidate then
// waits for its turn again.
func Abandon() election.Message { return election.Message{Kind: commandAbandon} }

// process is one voter and candidate.
type process struct {
	me     election.Rank
	config *Config

	// Of the voter. What is saved: the two votes and remembers; Init forgets all else.
	term      uint64 // the largest that was granted, but for claims that were taken back
	vote      owner  // to whom
	formerly  uint64 // the Term of the vote before, to which a voter returns that takes this one back
	former    owner  // to whom
	remembers bool   // these were saved
	grant     grant
	memory    memory
	quiet     time.Duration // the end of the quarantine
	cold      time.Duration // from when on what a majority says is enough, with memory or without
	sure      portset.Set   // voters that have answered READ with memory
	blank     portset.Set   // and without

	// Of the candidate.
	incarnation uint64
	stands      bool // it is a candidate
	phase       phase
	seen        uint64        // the largest Term heard of
	mine        uint64        // the largest Term that this process has claimed
	led         uint64        // the largest Term that it has led in
	round       uint32        // of the attempt, or of the lease
	failed      uint8         // attempts since there was a leader
	priority    uint64        // that it was given, plus one; zero if none was
	hold        time.Duration // until when it waits for answers beyond a majority
	outranked   bool          // a voter that has answered would go first
	yielded     bool          // it has let one go first since there was a leader
	before      owner         // has handed over to this process, which claims since
	ended       uint64        // the Term of the lease of that one
	began       time.Duration // when the attempt did
	sent        time.Duration // when the round was
	until       time.Duration // the end of the lease
	rest        time.Duration // no attempt before: others have refused one, as long as their grants are live
	resigned    time.Duration // no attempt before: it has resigned
	yes, no     portset.Set   // voters that have answered the round
	hasPrior    bool          // the grants of the round before count still
	prior       time.Duration // when that was sent
	priorYes    portset.Set   // voters that have granted it, or the round
	inquired    bool          // a command to renew waits for the round
	standing    portset.Set   // candidates among those that grant

	// Of the follower.
	leader      election.Rank
	leaderTerm  uint64
	leaderUntil time.Duration

	again time.Duration // when to ask, claim or renew again
	wake  time.Duration // when timerDue runs out
	down  portset.Set   // suspected, or gone
}

// Step takes one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	if !knows(ev) {
		return // before the look at the clock: such an event changes nothing
	}
	now := ev.At
	if ev.Op == election.Init {
		// Before expire, which would give up a claim as it was saved: as one that never led. It may have led
		// since.
		n.init(&ev.Msg)
	}
	n.expire(e, now)
	switch ev.Op {
	case election.Rejoin:
		n.comeBack(now)
	case election.Start: // rule 8
		n.stands = true
	case election.Command:
		n.command(e, now, &ev.Msg)
	case election.Suspect, election.Left: // rule 8
		if n.isPort(e, ev.Port) {
			n.down.Add(ev.Port)
		}
	case election.Trust, election.Joined: // rule 8
		n.down.Remove(ev.Port)
	case election.Timeout:
		n.timeout(e, now, ev.Timer)
	case election.Recv:
		if n.isPort(e, ev.Port) {
			n.down.Remove(ev.Port)
			n.recv(e, now, ev.Port, &ev.Msg)
		}
	}
	n.campaign(e)
	n.arm(e, now)
}

// knows reports whether an event is one of those that a process acts on.
func knows(ev *election.Event) bool {
	switch ev.Op {
	case election.Init, election.Rejoin, election.Start, election.Command, election.Suspect, election.Left,
		election.Trust, election.Joined, election.Timeout:
		return true
	}
	return ev.Op == election.Recv && ev.Msg.Kind >= kindProbe && ev.Msg.Kind <= kindMemory
}

func (n *process) recv(e *election.Env, now time.Duration, from election.Port, m *election.Message) {
	switch m.Kind {
	case kindProbe:
		n.recvProbe(e, now, from, m)
	case kindFree:
		n.recvFree(e, now, from, m)
	case kindHeld, kindRefused:
		n.recvRefused(e, now, from, m)
	case kindClaim:
		n.recvClaim(e, now, from, m)
	case kindGranted:
		n.recvGranted(e, now, from, m)
	case kindLeads:
		n.follow(e, now, e.Peer(from), m.Term)
	case kindRelease:
		n.recvRelease(e, now, from, m)
	case kindHandoff:
		n.recvHandoff(e, now, from, m)
	case kindRead:
		n.recvRead(e, from, m)
	case kindMemory:
		n.recvMemory(e, now, from, m)
	}
}

// init forgets all but what was saved: a grant, or a lease, of an earlier incarnation is not its own.
func (n *process) init(m *election.Message) {
	*n = process{me: n.me, config: n.config, term: n.term, vote: n.vote, formerly: n.formerly,
		former: n.former, remembers: n.remembers, incarnation: m.Value, seen: max(n.term, m.Term)}
}

// expire ends what has ended by the clock. It comes before each handler, which then needs to compare no
// deadline: a timer may run out much later than it was set to.
func (n *process) expire(e *election.Env, now time.Duration) {
	if n.phase == leading && now >= n.until || n.phase == claiming && now >= n.began+n.config.Lease {
		n.giveUp(e) // rule 4
	}
	if n.isLent() && now >= n.grant.until { // rule 2
		n.grant = grant{}
	}
	if n.leader.ID != 0 && now >= n.leaderUntil { // rule 11
		n.unfollow(e)
	}
	if n.rest != 0 && now >= n.rest { // rule 8
		n.rest = 0
	}
	if n.resigned != 0 && now >= n.resigned { // rule 10
		n.resigned = 0
	}
	if n.memory == quarantined && now >= n.quiet { // rule 6
		n.endQuarantine(e, now)
	}
}

// arm sets the timer to the next deadline.
func (n *process) arm(e *election.Env, now time.Duration) {
	next := never
	for _, at := range [...]time.Duration{n.quiet, n.again, n.grant.until, n.until, n.leaderUntil, n.rest,
		n.resigned, n.hold} {
		if at != 0 {
			next = min(next, at)
		}
	}
	if next == never {
		next = 0
	}
	if next == n.wake {
		return
	}
	if n.wake = next; next == 0 {
		e.StopTimer(timerDue)
		return
	}
	e.SetTimer(timerDue, max(next-now, 0), max(next-now, 0))
}

func (n *process) timeout(e *election.Env, now time.Duration, timer uint8) {
	if timer == timerTurn {
		n.turn(e, now)
		return
	}
	n.wake = 0
	if n.phase == probing && n.hold != 0 && now >= n.hold { // rule 9
		n.hold = 0
		n.countFree(e, now)
	}
	if n.again == 0 || now < n.again {
		return
	}
	switch {
	case n.memory == recovering: // rule 6
		n.ask(e, now)
	case n.phase == probing && n.isLent(), n.phase == claiming && n.no.Len() > 0: // rules 8, 9
		n.giveUp(e) // another candidate was faster, or as fast
	case n.phase == probing: // rule 9
		// Answers may have been lost, or take longer than Delay says. Those to the first PROBE count still.
		n.failed = min(n.failed+1, mostDoubled)
		n.probe(e, now)
	case !n.stands: // rule 4
		n.again = now + n.config.Renew // the lease runs out, unless the process is started before
	default: // rule 4
		n.claimAgain(e, now)
	}
}

func (n *process) command(e *election.Env, now time.Duration, m *election.Message) {
	switch m.Kind {
	case commandResign: // rule 10
		if n.phase == leading && (m.Term == 0 || m.Term == n.mine) {
			n.resigned = now + n.config.Lease
			n.resign(e, election.ID(m.Value))
		}
	case commandRenew: // rule 4
		n.renew(e, now)
	case commandRaise: // rule 1
		n.seen = max(n.seen, m.Term)
	case commandLapse: // rule 8
		n.sitDown(e)
	case commandSitDown: // rule 5
		n.sitDown(e)
		n.resign(e, 0)
	case commandPrefer: // rule 8
		n.priority = m.Value
	case commandAbandon: // rule 8
		if n.phase == probing {
			n.giveUp(e)
		}
	}
}

// sitDown ends the candidacy, and an attempt under way, but not the lease.
func (n *process) sitDown(e *election.Env) {
	n.stands = false
	if n.phase != idle && n.phase != leading {
		n.giveUp(e)
		e.StopTimer(timerTurn)
	}
}

// isPort reports whether there is a process behind a port.
func (n *process) isPort(e *election.Env, port election.Port) bool {
	return port < election.Port(e.Ports())
}

// majority returns how many voters are one.
func (n *process) majority(e *election.Env) int { return (e.Ports()+1)/2 + 1 }

// self returns this process as the owner of a claim.
func (n *process) self() owner { return owner{n.me.ID, n.incarnation} }

// heard returns the largest Term that this process has heard of.
func (n *process) heard() uint64 { return max(n.term, n.seen) }

func (n *process) broadcast(e *election.Env, m *election.Message) {
	for port := range election.Port(e.Ports()) {
		e.Send(port, *m)
	}
}

// Remembered returns the largest Term that a voter has granted, as far as it remembers.
func (n *process) Remembered() uint64 { return n.term }

// State visits what changes.
func (n *process) State(s *election.State) {
	s.Uint64(&n.term)
	n.vote.state(s)
	s.Uint64(&n.formerly)
	n.former.state(s)
	s.Bool(&n.remembers)
	n.grant.owner.state(s)
	s.Uint64(&n.grant.term)
	s.Duration(&n.grant.until)
	s.Enum((*uint8)(&n.memory), uint8(memories))
	s.Duration(&n.quiet)
	s.Duration(&n.cold)
	s.Uint64(&n.incarnation)
	s.Bool(&n.stands)
	s.Enum((*uint8)(&n.phase), uint8(phases))
	s.Uint64(&n.seen)
	s.Uint64(&n.mine)
	s.Uint64(&n.led)
	s.Uint32(&n.round)
	s.Enum(&n.failed, mostDoubled+1)
	s.Uint64(&n.priority)
	s.Bool(&n.outranked)
	s.Bool(&n.yielded)
	n.before.state(s)
	s.Uint64(&n.ended)
	s.Bool(&n.inquired)
	s.Bool(&n.hasPrior)
	for _, at := range [...]*time.Duration{&n.began, &n.sent, &n.prior, &n.until, &n.rest, &n.resigned,
		&n.leaderUntil, &n.again, &n.wake, &n.hold} {
		s.Duration(at)
	}
	s.Rank(&n.leader)
	s.Uint64(&n.leaderTerm)
	for _, set := range [...]*portset.Set{&n.sure, &n.blank, &n.yes, &n.no, &n.priorYes,
		&n.standing, &n.down} {
		set.State(s)
	}
}

func (o *owner) state(s *election.State) {
	s.ID(&o.id)
	s.Uint64(&o.incarnation)
}
