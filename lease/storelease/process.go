package storelease

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
)

// The timers.
const (
	timerDue  uint8 = iota // the next deadline in the state
	timerTurn              // the candidate has waited for others
)

// TurnTimer is the timer that a candidate sets before it takes a lease that nobody holds (rule 4). A driver may delay
// it.
const TurnTimer = timerTurn

// phase is what a member does.
type phase uint8

const (
	idle      phase = iota // it reads the record
	taking                 // it has sent PUT, and would lead if that is written
	leading                // it holds a lease
	releasing              // it has stopped, and the record is still its own
	phases
)

// process is a member, or the store of a simulation. A process without links is both.
type process struct {
	me     election.Rank
	config *Config
	keeper keeper
	keeps  bool          // is the store
	store  election.Port // leads to the store
	local  election.Message

	incarnation uint64
	stands      bool // is a candidate
	phase       phase
	seen        uint64 // largest Term heard of; saved
	mine        uint64 // largest Term that this process has tried to take
	priority    uint64 // plus one; zero if it has none

	// The requests.
	number  uint32        // of the last one
	put     uint32        // number of the last PUT
	pending bool          // it is not answered
	named   uint32        // the revision that it replaces
	frees   bool          // it releases the lease
	sent    time.Duration // when it was sent
	looks   bool          // does not lead or release further before it has read the record
	renews  bool          // a command to renew waits for the answer
	until   time.Duration // end of the lease
	next    election.ID   // successor
	again   time.Duration // when to ask or to renew
	rest    time.Duration // no attempt before: it has resigned
	waiting bool          // for its turn
	probe   uint32        // number of the first GET since the last answer to one; zero if there is none
	asked   time.Duration // when it was sent

	// What is stored, as far as is known.
	shown    bool // an answer has come
	revision uint32
	before   uint32 // the revision before
	record   Record // zero if nothing is stored
	since    time.Duration
	heard    time.Duration // when the last GET was sent that was answered with ABSENT
	refused  bool          // another revision is stored
	late     bool          // since the last PUT, the store may have lost a record of another process

	// State of the follower.
	leader      election.Rank
	leaderTerm  uint64
	leaderUntil time.Duration

	wake time.Duration // when timerDue fires
}

// Step handles one event.
func (n *process) Step(e *election.Env, ev *election.Event) {
	if !knows(ev) {
		return // before expire: such an event changes nothing
	}
	now := ev.At
	if ev.Op == election.Init {
		n.init(e, &ev.Msg)
	}
	if n.keeps {
		n.serve(e, ev)
		if e.Ports() > 0 {
			return
		}
	}
	n.expire(e, now)
	switch ev.Op {
	case election.Init: // rule 2
		n.get(e, now)
	case election.Start: // rule 4
		n.stands = true
	case election.Command:
		n.command(e, now, &ev.Msg)
	case election.Timeout:
		n.timeout(e, now, ev.Timer)
	case election.Recv:
		if ev.Port == n.store && !n.keeps {
			n.recv(e, now, &ev.Msg)
		}
	}
	n.campaign(e, now)
	for n.local.Kind != 0 {
		m := n.keeper.serve(e, n.config, &n.local)
		n.local = election.Message{}
		n.recv(e, now, &m)
		n.campaign(e, now)
	}
	n.arm(e, now)
}

// knows reports whether a process acts on an event.
func knows(ev *election.Event) bool {
	switch ev.Op {
	case election.Init, election.Start, election.Command, election.Timeout:
		return true
	}
	return ev.Op == election.Recv && ev.Msg.Kind >= KindGet && ev.Msg.Kind <= KindChanged
}

// init discards everything that was not saved. The process with the smallest ID is the store.
func (n *process) init(e *election.Env, m *election.Message) {
	*n = process{me: n.me, config: n.config, keeper: n.keeper, seen: max(n.seen, m.Term), incarnation: m.Value,
		number: first(m.Value)}
	smallest := n.me.ID
	n.keeps = true
	for port := range election.Port(e.Ports()) {
		if id := e.Peer(port).ID; id < smallest {
			smallest, n.store, n.keeps = id, port, false
		}
	}
}

// serve handles an event of the store (rule 1).
func (n *process) serve(e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Init:
		n.keeper.begin(e, n.incarnation)
	case ev.Op == election.Recv && ev.Msg.Kind <= KindPut && ev.Port < election.Port(e.Ports()):
		last := n.keeper.last
		answer := n.keeper.serve(e, n.config, &ev.Msg)
		e.Send(ev.Port, answer)
		if n.config.Watch && n.keeper.last != last {
			for port := range election.Port(e.Ports()) {
				if port != ev.Port {
					e.Send(port, n.keeper.stored)
				}
			}
		}
	}
}

// send sends a request.
func (n *process) send(e *election.Env, m election.Message) {
	if e.Ports() == 0 {
		n.local = m
		return
	}
	e.Send(n.store, m)
}

// request returns the number of the next request.
func (n *process) request() uint32 {
	if n.number++; n.number == 0 {
		n.number = 1
	}
	return n.number
}

// get reads the record. If no answer comes, the process asks again (rule 2).
func (n *process) get(e *election.Env, now time.Duration) {
	n.again = now + n.config.Patience
	number := n.request()
	if n.probe == 0 {
		n.probe, n.asked = number, now
	}
	n.send(e, Get(number))
}

// write sends PUT. The lease would last from now on, not from the answer (rules 5 and 6).
func (n *process) write(e *election.Env, now time.Duration, r Record) {
	n.looks, n.renews, n.late, n.frees = false, false, false, r.Owner == 0
	n.named, n.sent, n.again = n.revision, now, now+n.config.Patience
	n.put, n.pending = n.request(), true
	r.Term, r.Incarnation, r.Lease = n.mine, n.incarnation, n.config.Lease
	if n.frees {
		r.Term = n.seen // the next Term is larger than the Terms that the program has raised
	}
	n.send(e, Put(n.put, n.revision, r))
}

func (n *process) claim(e *election.Env, now time.Duration) {
	n.write(e, now, Record{Owner: n.me.ID})
}

func (n *process) free(e *election.Env, now time.Duration) {
	n.write(e, now, Record{Next: n.next})
}

// look reads the record because it is not known whether a PUT was written (rule 7).
func (n *process) look(e *election.Env, now time.Duration) {
	n.looks = true
	n.get(e, now)
}

// take begins an attempt (rule 5).
func (n *process) take(e *election.Env, now time.Duration) {
	if n.seen >= lease.MostToken { // never exceed the last token, and never go back to a smaller one
		e.Refuse(election.ErrTermExhausted)
		n.stands = false
		return
	}
	n.mine, n.phase, n.rest = n.seen+1, taking, 0
	n.learn(e, n.mine)
	n.claim(e, now)
}

// learn notes a Term.
func (n *process) learn(e *election.Env, term uint64) {
	if term > n.seen {
		if n.seen = term; n.config.Durable { // rule 9
			e.Save()
		}
	}
}

func (n *process) recv(e *election.Env, now time.Duration, m *election.Message) {
	switch m.Kind {
	case KindValue, KindAbsent:
		n.see(e, now, m)
	case KindWritten: // rule 5
		if n.pending && m.Round == n.put {
			n.written(e, now, revisionOf(m))
		}
	case KindConflict: // rule 5
		if n.pending && m.Round == n.put {
			n.conflict(e, now)
		}
	case KindOpen: // rule 2
		n.open(now, m)
	case KindChanged:
		if n.phase == idle {
			n.get(e, now)
		}
	}
}

// see looks at the record.
func (n *process) see(e *election.Env, now time.Duration, m *election.Message) {
	revision, r := Read(m)
	if m.Kind == KindAbsent {
		revision, r = 0, Record{}
	}
	n.learn(e, r.Term)
	if n.probe != 0 && m.Round != 0 && int32(m.Round-n.probe) >= 0 {
		if n.probe = 0; revision == 0 {
			n.hear(e, now)
		}
	}
	switch {
	case r.Term > n.mine && n.phase != taking: // another process has taken the lease
		n.stop(e)
	case n.phase >= leading: // rule 7
		if n.looks && n.isLater(m.Round) {
			n.resolve(e, now, revision, &r)
		}
		return
	case n.phase == taking && n.looks && n.isLater(m.Round): // rule 7
		n.phase, n.pending = idle, false
	}
	if n.phase == idle {
		n.looks, n.again = false, now+n.config.Poll
	}
	n.show(e, now, revision, &r)
	n.follow(e, now)
}

// hear notes that the record was absent after n.asked. If it may have been written and lost since it was absent before,
// the wait begins again (rule 3).
func (n *process) hear(e *election.Env, now time.Duration) {
	if n.shown && n.silent(now) {
		n.since, n.late = now, true
		n.endTurn(e)
	}
	n.heard = n.asked
}

// silent reports whether the record was absent, and no answer has shown for SilentTime that it still is.
func (n *process) silent(now time.Duration) bool {
	return n.revision == 0 && now-n.heard >= n.config.silentTime()
}

// show notes what is stored. The wait begins when a revision is shown for the first time (rule 3).
func (n *process) show(e *election.Env, now time.Duration, revision uint32, r *Record) {
	if n.shown && (revision == n.revision || n.isStale(revision)) {
		return
	}
	// A PUT that creates the record may have been carried out after the store has lost another one.
	n.late = n.owns(r) && n.named == 0 && (n.late || n.revision != 0 || n.silent(now))
	n.before = 0
	if revision != 0 {
		n.before = n.revision
	}
	n.shown, n.refused, n.revision, n.record, n.since = true, false, revision, *r, now
	n.endTurn(e)
}

// isLater reports whether a message answers a GET that was sent after the last PUT. If answers take longer than the
// process waits for them, an earlier GET must not make it send another PUT, which would conflict.
func (n *process) isLater(number uint32) bool { return number != 0 && int32(number-n.put) > 0 }

// isStale reports whether a revision is known to have been replaced.
func (n *process) isStale(revision uint32) bool {
	return n.refused && revision == n.revision || revision != 0 && revision == n.before
}

// resolve continues, after doubt, with the revision that is stored (rule 7).
func (n *process) resolve(e *election.Env, now time.Duration, revision uint32, r *Record) {
	switch {
	case n.isStale(revision):
		n.again = now + n.config.Delay
	case n.phase == leading && (revision == 0 || n.owns(r) && r.Term == n.mine):
		n.show(e, now, revision, r)
		n.claim(e, now)
	case n.phase == releasing && n.owns(r) && r.Term == n.mine:
		n.show(e, now, revision, r)
		n.free(e, now)
	case n.phase == releasing && r.Owner == 0 && r.Term >= n.mine, revision == 0: // it is released
		n.phase, n.looks, n.again = idle, false, now+n.config.Poll
		n.show(e, now, revision, r)
	default: // an older record
		n.again = now + n.config.Delay
	}
}

// owns reports whether this incarnation is the owner of a record.
func (n *process) owns(r *Record) bool { return r.Owner == n.me.ID && r.Incarnation == n.incarnation }

// written is the success of the last PUT.
func (n *process) written(e *election.Env, now time.Duration, revision uint32) {
	r := Record{Term: n.mine, Owner: n.me.ID, Incarnation: n.incarnation, Lease: n.config.Lease}
	if n.frees {
		r.Term, r.Owner, r.Next = n.seen, 0, n.next
	}
	n.pending, n.looks = false, false
	n.show(e, now, revision, &r)
	switch {
	case n.phase == releasing && n.frees: // rule 8
		n.phase, n.again = idle, now+n.config.Poll
	case n.phase == releasing:
		n.free(e, now)
	case n.phase == taking && (n.late || now >= n.sent+n.config.Lease): // rule 5: too late
		n.phase = idle
	case n.phase == taking, n.phase == leading: // rules 5 and 6
		n.lead(e, now)
	}
}

// lead makes the process leader, or extends its lease.
func (n *process) lead(e *election.Env, now time.Duration) {
	fresh := n.phase != leading
	// The lease begins when the PUT was sent, which is before anybody could see it.
	n.phase, n.until, n.again = leading, n.sent+n.config.Lease, n.sent+n.config.Renew
	if fresh {
		n.unfollow(e)
	}
	e.Lease(n.mine, n.until)
	if fresh {
		e.Done()
	}
	if n.stands && (n.renews || now >= n.again) {
		n.claim(e, now)
	}
}

// conflict is the failure of the last PUT, for certain.
func (n *process) conflict(e *election.Env, now time.Duration) {
	n.pending = false
	if n.revision == n.named { // rule 3
		// The revision before may have been shown first, and be the present one.
		n.refused, n.since, n.before = true, now, 0
	}
	if n.phase >= leading { // rule 7
		n.look(e, now)
		return
	}
	n.phase = idle
	n.get(e, now)
}

// open is a failure that leaves open whether a PUT is written (rule 7).
func (n *process) open(now time.Duration, m *election.Message) {
	switch {
	case n.pending && m.Round == n.put:
		n.pending, n.looks = false, n.phase != idle
	case m.Round != n.number:
		return
	}
	n.again = now + max(n.config.Patience/4, 1)
}

// campaign takes the lease, or waits for its turn, if nobody holds the lease.
func (n *process) campaign(e *election.Env, now time.Duration) {
	if n.phase != idle || !n.stands || !n.shown || n.waiting {
		return
	}
	isFree := n.revision != 0 && n.record.Owner == 0 && !n.refused
	named := isFree && n.record.Next == n.me.ID
	switch {
	case named:
		n.take(e, now)
	case n.rest != 0: // rule 8
	case n.owns(&n.record) && !n.refused && !n.late:
		n.take(e, now)
	case isFree && n.record.Next == 0:
		n.turn(e, now, 0)
	case now >= n.expiry() && !n.silent(now):
		n.turn(e, now, n.config.Stagger)
	}
}

// expiry returns when the record has stood long enough.
func (n *process) expiry() time.Duration { return n.since + n.config.GrantTime(n.record.Lease) }

// turn waits for larger priorities, and for a random time (rule 4).
func (n *process) turn(e *election.Env, now, random time.Duration) {
	least := time.Duration(0)
	if n.priority > 0 {
		least = time.Duration(highest-min(n.priority-1, highest)) * n.config.Stagger
	}
	if least+random == 0 {
		n.take(e, now)
		return
	}
	n.waiting = true
	e.SetTimer(timerTurn, least, least+random)
}

// highest is the smallest priority that nobody is waited for.
const highest = 10

// endTurn ends the wait for the turn: the record has changed, or the process is no candidate any more.
func (n *process) endTurn(e *election.Env) {
	if n.waiting {
		n.waiting = false
		e.StopTimer(timerTurn)
	}
}

// follow notes the leader (rule 10).
func (n *process) follow(e *election.Env, now time.Duration) {
	r := &n.record
	switch {
	// Stale, or the store has lost its data.
	case n.revision == 0, n.refused, r.Term < n.leaderTerm && n.leader.ID != 0:
	case r.Owner == 0, r.Owner == n.me.ID, now >= n.expiry():
		n.unfollow(e)
	default:
		n.leaderUntil = n.expiry()
		if n.leader.ID != r.Owner || n.leaderTerm != r.Term {
			n.leader, n.leaderTerm = rankOf(e, r.Owner), r.Term
			e.DecideIn(n.leaderTerm, n.leader)
			e.Done()
		}
	}
}

// unfollow forgets the leader (rule 10).
func (n *process) unfollow(e *election.Env) {
	if n.leader.ID != 0 {
		n.leader, n.leaderUntil = election.Rank{}, 0
		e.Withdraw(n.leaderTerm)
	}
}

// stop ends a lease, or its release.
func (n *process) stop(e *election.Env) {
	if n.phase == leading {
		e.Withdraw(n.mine)
	}
	n.phase, n.looks, n.renews = idle, false, false
}

// expire ends everything that has ended by the clock. It runs before each handler, which therefore need not compare
// deadlines.
func (n *process) expire(e *election.Env, now time.Duration) {
	if n.phase >= leading && now >= n.until { // rule 6
		n.stop(e)
	}
	if n.leader.ID != 0 && now >= n.leaderUntil { // rule 10
		n.unfollow(e)
	}
	if n.rest != 0 && now >= n.rest { // rule 8
		n.rest = 0
	}
}

// arm sets the timer for the next deadline.
func (n *process) arm(e *election.Env, now time.Duration) {
	next := n.again
	if n.phase >= leading {
		next = min(next, n.until)
	}
	if at := n.expiry(); n.phase == idle && n.stands && n.shown && at > now {
		next = min(next, at)
	}
	if n.leader.ID != 0 {
		next = min(next, n.leaderUntil)
	}
	if n.rest != 0 {
		next = min(next, n.rest)
	}
	if next == n.wake {
		return
	}
	n.wake = next
	e.SetTimer(timerDue, max(next-now, 0), max(next-now, 0))
}

func (n *process) timeout(e *election.Env, now time.Duration, timer uint8) {
	if timer == timerTurn { // rule 4
		if n.waiting {
			n.waiting = false
			if n.rest == 0 && !n.silent(now) {
				n.take(e, now)
			}
		}
		return
	}
	n.wake = 0
	switch {
	case now < n.again: // rule 3: something has ended
	case n.phase == leading && !n.pending && !n.looks && n.stands: // rule 6
		n.claim(e, now)
	case n.phase == leading && !n.pending && !n.looks: // rule 6
		n.again = now + n.config.Renew // let the lease expire, unless the process is started before
	case n.phase != idle: // rule 7
		n.look(e, now)
	default: // rule 2
		n.get(e, now)
	}
}

func (n *process) command(e *election.Env, now time.Duration, m *election.Message) {
	switch m.Kind {
	case lease.Resign(0, 0).Kind: // rule 8
		if n.phase == leading && (m.Term == 0 || m.Term == n.mine) {
			n.rest = now + n.config.Lease
			n.resign(e, now, election.ID(m.Value))
		}
	case lease.Renew().Kind: // rule 6
		switch {
		case n.phase != leading || !n.stands:
		case n.pending || n.looks: // another PUT would conflict with the one in flight
			n.renews = true
		default:
			n.claim(e, now)
		}
	case lease.Raise(0).Kind: // rule 9
		n.learn(e, m.Term)
	case lease.Lapse().Kind: // rule 4
		n.sitDown(e)
	case lease.SitDown().Kind: // rule 8
		n.sitDown(e)
		n.resign(e, now, 0)
	case lease.Prefer(0).Kind: // rule 4
		n.priority = m.Value
	}
}

// sitDown ends the candidacy and any attempt in progress, but not the lease.
func (n *process) sitDown(e *election.Env) {
	n.stands = false
	n.endTurn(e)
	if n.phase == taking { // the PUT may be written
		n.phase, n.until, n.next = releasing, n.sent+n.config.Lease, 0
	}
}

// resign ends the lease and releases it (rule 8).
func (n *process) resign(e *election.Env, now time.Duration, to election.ID) {
	if n.phase != leading {
		return
	}
	e.Withdraw(n.mine)
	n.phase, n.renews, n.next = releasing, false, to
	if !n.pending && !n.looks {
		n.free(e, now)
	}
}

// Remembered returns the largest Term that a member has heard of.
func (n *process) Remembered() uint64 { return n.seen }

// State visits what changes.
func (n *process) State(s *election.State) {
	n.keeper.state(s)
	s.Bool(&n.keeps)
	s.Port(&n.store)
	s.Uint64(&n.incarnation)
	s.Bool(&n.stands)
	s.Enum((*uint8)(&n.phase), uint8(phases))
	for _, v := range [...]*uint64{&n.seen, &n.mine, &n.priority, &n.leaderTerm} {
		s.Uint64(v)
	}
	for _, v := range [...]*uint32{&n.number, &n.put, &n.named, &n.revision, &n.before, &n.probe} {
		s.Uint32(v)
	}
	for _, is := range [...]*bool{&n.frees, &n.pending, &n.looks, &n.renews, &n.waiting, &n.shown, &n.refused,
		&n.late} {
		s.Bool(is)
	}
	for _, at := range [...]*time.Duration{&n.sent, &n.until, &n.again, &n.rest, &n.since, &n.leaderUntil, &n.wake,
		&n.asked, &n.heard, &n.record.Lease} {
		s.Duration(at)
	}
	s.ID(&n.next)
	s.Uint64(&n.record.Term)
	s.ID(&n.record.Owner)
	s.Uint64(&n.record.Incarnation)
	s.ID(&n.record.Next)
	s.Rank(&n.leader)
}
