package lease

import (
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// Message kinds. Value is the incarnation of a claim's owner, unless noted otherwise.
const (
	kindProbe   uint8 = iota + 1 // would a claim be granted?
	kindFree                     // yes
	kindHeld                     // no: Rank.ID owns a live grant, for Value more nanoseconds
	kindClaim                    // lend me your vote in this Term
	kindGranted                  // the vote is lent; Round 0: it is still lent, and prevents a leader from renewing
	kindRefused                  // the vote is not lent; Rank.ID and Value as in HELD
	kindLeads                    // the sender leads in this Term
	// the claim or lease of this Term has ended; Rank.Priority: a larger Term; Rank.ID: the successor
	kindRelease
	kindHandoff // the same, and the receiver should claim
	kindRead    // what is the largest Term that you have granted?
	// the Term; Rank.ID and Value: its owner; Rank.Priority: the incarnation that asks
	kindMemory
	// Rank.ID is a voter of the configuration with the label Value, Round voters and the hash Rank.Priority
	kindMember
	kindHolds // with MEMORY: Value is the label of the sender; Rank.Priority: the incarnation that asks
)

// With a configuration that may change, Rank.ID of PROBE, FREE, CLAIM, GRANTED and READ, and Rank.Priority of
// HELD and REFUSED, are the label of the sender's configuration, and Rank.Priority of a renewal is its hash.

// The flags.
const (
	flagLeads  uint8 = 1 // in CLAIM: a renewal
	flagNext   uint8 = 2 // in CLAIM: the lease of the incarnation Rank.Priority in the previous Term has ended
	flagStands uint8 = 1 // in GRANTED: the voter is a candidate too
	flagLost   uint8 = 1 // in RELEASE: the claim has never led
	flagBack   uint8 = 1 // in READ: in return for a READ
	flagCold   uint8 = 1 // in MEMORY and HOLDS: the sender has lost its memory
	// in REFUSED: the voter lacks the configuration of this label
	flagUnknown uint8 = 1
	// in MEMBER: the sets that the voter belongs to
	flagOld uint8 = 1
	flagNew uint8 = 2
	// in MEMBER: the program has named the set by Change
	flagOldCalled uint8 = 4
	flagNewCalled uint8 = 8
)

// The timers.
const (
	timerDue  uint8 = iota // the next deadline in the state
	timerTurn              // the candidate has waited for larger ones
)

// namedBound is the largest Term in a RELEASE that others adopt; the clock reaches it in the year 2527. A peer
// that lies therefore leaves half of all Terms free. The driver limits the Terms of messages in the same way.
const namedBound = 1 << 52

// TurnTimer is the timer that a candidate sets while it waits for its turn (rule 8). A driver may delay it: the
// candidate then asks later, and only if there is no leader yet.
const TurnTimer = timerTurn

// MostToken is the largest Term of a lease: the largest integer that JSON can represent exactly.
const MostToken = 1<<53 - 1

// RaiseBound is the exclusive upper bound of Terms for [Raise]. It leaves 2^32 Terms below 2^53: one per second
// for 136 years.
const RaiseBound = 1<<53 - 1<<32

// never is later than all deadlines.
const never = time.Duration(math.MaxInt64)

// Commands of the program that runs the process: the Kind of an [election.Command].
const (
	commandResign uint8 = iota + 1
	commandRenew
	commandRaise
	commandLapse
	commandSitDown
	commandPrefer
	commandAbandon
	commandWish
	commandChange
	commandComplete
	commandTakeBack
	commandLendFor
)

// Resign returns the command to give up the leadership of a Term in favour of a process, or of the largest
// candidate if to is zero. A process that leads in another Term ignores it, unless the Term is zero.
func Resign(term uint64, to election.ID) election.Message {
	return election.Message{Kind: commandResign, Term: term, Value: uint64(to)}
}

// Renew returns the command to renew the lease immediately.
func Renew() election.Message { return election.Message{Kind: commandRenew} }

// Raise returns the command to lead only in Terms larger than this one, which must be below RaiseBound. If the
// Term is at most 2^52, the process also tells it to the others when it gives up a leadership. A larger Term
// must be given to every process, because processes do not accept it from a peer.
func Raise(term uint64) election.Message { return election.Message{Kind: commandRaise, Term: term} }

// Lapse returns the command to stop being a candidate until the next Start, and to let the lease expire. A
// command to resign, or to sit down, ends the lease earlier.
func Lapse() election.Message { return election.Message{Kind: commandLapse} }

// SitDown returns the command to stop being a candidate until the next Start, and to give up the leadership.
func SitDown() election.Message { return election.Message{Kind: commandSitDown} }

// Abandon returns the command to end an attempt that has asked (PROBE) but not yet claimed. The candidate then
// waits for its turn again.
func Abandon() election.Message { return election.Message{Kind: commandAbandon} }

// LendFor returns the command that tells a voter the longest Lease of all processes of its group. A voter lends its
// vote for at least its own Lease. If Leases differ, the driver gives the command before it delivers the first
// message of a process with a longer Lease than the voter's own, which it names; id is zero otherwise. The driver may name
// a shorter Lease again when the last message of processes with longer ones was sent so long ago that their leases and the
// grants for them have ended, and names the longer one again before the next such message.
func LendFor(longest time.Duration, id election.ID) election.Message {
	return election.Message{Kind: commandLendFor, Value: uint64(max(longest, 0)), Rank: election.Rank{ID: id}}
}

// process is one voter and candidate.
type process struct {
	me     election.Rank
	config *Config

	// State of the voter. The two votes and remembers are saved; Init discards everything else.
	term      uint64 // largest Term granted, except for claims that were taken back
	vote      owner  // its owner
	formerly  uint64 // Term of the previous vote, to which the voter returns if the current vote is taken back
	former    owner  // its owner
	remembers bool   // the votes were saved
	voting    configuration
	bound     bool          // has granted a claim under its wish, which it therefore keeps
	news      configuration // the one with the largest label of which MEMBERs have arrived
	expected  uint32        // how many voters it has
	newsHash  uint64        // its hash
	list      voters        // the list that the commands of the program have named so far
	grant     grant
	memory    memory
	quiet     time.Duration // end of the quarantine
	cold      time.Duration // from then on, a majority of answers is enough, with memory or without
	sure      portset.Set   // voters that have answered READ with memory
	blank     portset.Set   // voters that have answered READ without memory
	told      portset.Set   // voters that have answered MEMORY, with memory
	holds     portset.Set   // voters that have answered HOLDS, with memory, and hold nothing newer

	// State of the candidate.
	incarnation uint64
	stands      bool // is a candidate
	phase       phase
	seen        uint64        // largest Term heard of
	mine        uint64        // largest Term that this process has claimed
	led         uint64        // largest Term in which it has led
	round       uint32        // current round of the attempt or of the lease
	failed      uint8         // attempts since the last leader
	priority    uint64        // its priority plus one; zero if it has none
	hold        time.Duration // until when it waits for answers beyond a majority
	outranked   bool          // a voter that would go first has answered
	yielded     bool          // it has let another candidate go first since the last leader
	before      owner         // the owner that has handed over to this process, which has been claiming since
	ended       uint64        // Term of that owner's lease
	began       time.Duration // start of the attempt
	sent        time.Duration // start of the round
	until       time.Duration // end of the lease
	rest        time.Duration // no attempt before: others have refused one, until their grants expire
	resigned    time.Duration // no attempt before: it has resigned
	yes, no     portset.Set   // voters that have answered the round
	hasPrior    bool          // the grants of the previous round still count
	prior       time.Duration // start of the previous round
	priorYes    portset.Set   // voters that have granted the previous or the current round
	inquired    bool          // a command to renew waits for the end of the round
	standing    portset.Set   // candidates among the voters that grant
	ready       portset.Set   // voters that have granted the round before the current one
	carried     bool          // the current round is a renewal with the label of the configuration
	hadCarried  bool          // so was the previous one
	confirmed   bool          // a quorum has granted such a renewal
	begun       bool          // this process has begun the change in progress, in this Term

	// State of the follower.
	leader      election.Rank
	leaderTerm  uint64
	leaderUntil time.Duration

	again time.Duration // when to ask, claim or renew again
	wake  time.Duration // when timerDue fires
	down  portset.Set   // suspected, or left

	// If Leases differ. They come last in the State, see [Unsaved].
	lends  time.Duration // the longest Lease of all processes; zero if none is longer than its own
	wary   time.Duration // until when it does not lend its vote to waryOf, because lends has grown
	waryOf election.ID   // zero: to any other owner
	silent time.Duration // length of the quarantine; zero once the voter has its memory
}

// Step handles one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	if !knows(ev) {
		return // before expire: such an event changes nothing
	}
	now := ev.At
	if ev.Op == election.Init {
		// Call init before expire, which would give up a saved claim as one that never led, although it may
		// have led since.
		n.init(e, &ev.Msg)
	}
	n.expire(e, now)
	switch ev.Op {
	case election.Rejoin:
		n.comeBack(now)
	case election.Start: // rule 8
		n.stands = true
	case election.Command:
		n.command(e, now, &ev.Msg)
	case election.Suspect: // rule 8
		if n.isPort(e, ev.Port) {
			n.down.Add(ev.Port)
		}
	case election.Trust: // rule 8
		n.down.Remove(ev.Port)
	case election.Timeout:
		n.timeout(e, now, ev.Timer)
	case election.Recv:
		if n.isPort(e, ev.Port) {
			n.down.Remove(ev.Port)
			n.recv(e, now, ev.Port, &ev.Msg)
		}
	}
	n.learn(e, now)
	n.campaign(e)
	n.arm(e, now)
}

// knows reports whether a process acts on an event.
func knows(ev *election.Event) bool {
	switch ev.Op {
	case election.Init, election.Rejoin, election.Start, election.Command, election.Suspect,
		election.Trust, election.Timeout:
		return true
	}
	return ev.Op == election.Recv && ev.Msg.Kind >= kindProbe && ev.Msg.Kind <= kindHolds
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
	case kindMember:
		n.recvMember(e, from, m)
	case kindHolds:
		n.recvHolds(e, now, from, m)
	}
}

// init discards everything that was not saved: a grant or lease of an earlier incarnation does not belong to
// this one.
func (n *process) init(e *election.Env, m *election.Message) {
	*n = process{me: n.me, config: n.config, term: n.term, vote: n.vote, formerly: n.formerly,
		former: n.former, remembers: n.remembers, incarnation: m.Value, seen: max(n.term, m.Term),
		voting: n.voting, bound: n.bound}
	if n.voting.label == 0 { // all processes vote
		n.voting.clear()
		n.voting.new.self = true
		for port := range election.Port(e.Ports()) {
			n.voting.new.others.Add(port)
		}
	}
}

// expire ends everything that has ended by the clock. It runs before each handler, which therefore need not
// compare deadlines: a timer may fire much later than it was set for.
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
	if n.wary != 0 && now >= n.wary { // rule 22
		n.wary, n.waryOf = 0, 0
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

// arm sets the timer for the next deadline.
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
	case n.phase == probing: // another candidate was faster, or equally fast
		// Answers may be lost, or take longer than Delay. Answers to the first PROBE still count.
		n.failed = min(n.failed+1, mostDoubled)
		n.probe(e, now)
	case !n.stands: // rule 4
		n.again = now + n.config.Renew // let the lease expire, unless the process is started before
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
	case commandWish, commandChange: // rules 16, 18
		n.listed(e, now, m)
	case commandComplete: // rule 18
		n.complete(e, now)
	case commandTakeBack: // rule 18
		n.takeBack(e, now)
	case commandLendFor: // rule 22
		n.lendFor(now, time.Duration(min(m.Value, uint64(longest))), m.Rank.ID)
	}
}

// sitDown ends the candidacy and any attempt in progress, but not the lease.
func (n *process) sitDown(e *election.Env) {
	n.stands = false
	if n.phase != idle && n.phase != leading {
		n.giveUp(e)
		e.StopTimer(timerTurn)
	}
}

// isPort reports whether a port leads to a process.
func (n *process) isPort(e *election.Env, port election.Port) bool {
	return port < election.Port(e.Ports())
}

// self returns this process as the owner of a claim.
func (n *process) self() owner { return owner{n.me.ID, n.incarnation} }

// heard returns the largest Term that this process has heard of.
func (n *process) heard() uint64 { return max(n.term, n.seen) }

func (n *process) broadcast(e *election.Env, m *election.Message) {
	for port := range election.Port(e.Ports()) {
		e.Send(port, *m)
	}
}

// Remembered returns the largest Term that a voter remembers to have granted.
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
	n.changeState(s)
}

// changeState visits what changes in a group whose voters change.
func (n *process) changeState(s *election.State) {
	n.voting.state(s)
	s.Bool(&n.bound)
	n.news.state(s)
	s.Uint32(&n.expected)
	s.Uint64(&n.newsHash)
	n.list.state(s)
	for _, is := range [...]*bool{&n.carried, &n.hadCarried, &n.confirmed, &n.begun} {
		s.Bool(is)
	}
	for _, set := range [...]*portset.Set{&n.told, &n.holds, &n.ready} {
		set.State(s)
	}
	for _, d := range [...]*time.Duration{&n.lends, &n.wary, &n.silent} {
		s.Duration(d)
	}
	s.ID(&n.waryOf)
}

// Unsaved is the number of bytes at the end of a saved state that a driver may replace by zeros: Init discards what
// they contain.
const Unsaved = 32

func (o *owner) state(s *election.State) {
	s.ID(&o.id)
	s.Uint64(&o.incarnation)
}
