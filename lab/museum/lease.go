package museum

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
)

// leaseOwner is a candidate in one of its incarnations.
type leaseOwner struct {
	id          election.ID
	incarnation uint64
}

func (o *leaseOwner) state(s *election.State) {
	s.ID(&o.id)
	s.Uint64(&o.incarnation)
}

// leaseState is the state of a Node of package lease, field by field as that visits it.
type leaseState struct {
	term      uint64
	vote      leaseOwner
	formerly  uint64
	former    leaseOwner
	remembers bool
	grant     leaseOwner
	grantTerm uint64
	grantEnd  time.Duration
	memory    uint8
	quiet     time.Duration
	cold      time.Duration
	inc       uint64
	stands    bool
	phase     uint8
	seen      uint64
	mine      uint64
	led       uint64
	round     uint32
	failed    uint8
	priority  uint64
	outranked bool
	yielded   bool
	before    leaseOwner
	ended     uint64
	inquired  bool
	hasPrior  bool

	began, sent, prior, until, rest, resigned, leaderUntil, again, wake, hold time.Duration

	leader     election.Rank
	leaderTerm uint64

	sure, blank, yes, no, priorYes, standing, down portset.Set

	voting, news                          leaseConfiguration
	list                                  leaseVoters
	expected                              uint32
	newsHash                              uint64
	bound                                 bool
	carried, hadCarried, confirmed, begun bool
	told, holds, ready                    portset.Set

	lends, wary, silent time.Duration
	waryOf              election.ID
}

func (l *leaseState) State(s *election.State) {
	s.Uint64(&l.term)
	l.vote.state(s)
	s.Uint64(&l.formerly)
	l.former.state(s)
	s.Bool(&l.remembers)
	l.grant.state(s)
	s.Uint64(&l.grantTerm)
	s.Duration(&l.grantEnd)
	s.Uint8(&l.memory)
	s.Duration(&l.quiet)
	s.Duration(&l.cold)
	s.Uint64(&l.inc)
	s.Bool(&l.stands)
	s.Uint8(&l.phase)
	s.Uint64(&l.seen)
	s.Uint64(&l.mine)
	s.Uint64(&l.led)
	s.Uint32(&l.round)
	s.Uint8(&l.failed)
	s.Uint64(&l.priority)
	s.Bool(&l.outranked)
	s.Bool(&l.yielded)
	l.before.state(s)
	s.Uint64(&l.ended)
	s.Bool(&l.inquired)
	s.Bool(&l.hasPrior)
	for _, at := range [...]*time.Duration{&l.began, &l.sent, &l.prior, &l.until, &l.rest, &l.resigned,
		&l.leaderUntil, &l.again, &l.wake, &l.hold} {
		s.Duration(at)
	}
	s.Rank(&l.leader)
	s.Uint64(&l.leaderTerm)
	for _, set := range [...]*portset.Set{&l.sure, &l.blank, &l.yes, &l.no, &l.priorYes, &l.standing,
		&l.down} {
		set.State(s)
	}
	l.voting.state(s)
	s.Bool(&l.bound)
	l.news.state(s)
	s.Uint32(&l.expected)
	s.Uint64(&l.newsHash)
	l.list.state(s)
	for _, is := range [...]*bool{&l.carried, &l.hadCarried, &l.confirmed, &l.begun} {
		s.Bool(is)
	}
	for _, set := range [...]*portset.Set{&l.told, &l.holds, &l.ready} {
		set.State(s)
	}
	for _, d := range [...]*time.Duration{&l.lends, &l.wary, &l.silent} {
		s.Duration(d)
	}
	s.ID(&l.waryOf)
}

// leaseVoters and leaseConfiguration are the voters of a group, which the mistakes of leases leave alone.
type leaseVoters struct {
	others portset.Set
	self   bool
	called bool
}

func (v *leaseVoters) state(s *election.State) {
	v.others.State(s)
	s.Bool(&v.self)
	s.Bool(&v.called)
}

type leaseConfiguration struct {
	label, hash uint64
	old, new    leaseVoters
}

func (c *leaseConfiguration) state(s *election.State) {
	s.Uint64(&c.label)
	s.Uint64(&c.hash)
	c.old.state(s)
	c.new.state(s)
}

func (l *leaseState) Step(*election.Env, *election.Event) {}

// What the mistakes of leases need of its Node.
const (
	// Kinds.
	leaseClaim, leaseGranted, leaseRefused, leaseLeads = 4, 5, 6, 7
	leaseRelease, leaseHandoff, leaseRead              = 8, 9, 10

	leaseRenewal        = 1    // a flag of CLAIM
	leaseDue, leaseTurn = 0, 1 // timers
	// a timer of the museum: a connection breaks
	leaseReset                                           = 9
	leaseIntact, leaseQuarantined, leaseRecovering       = 0, 1, 2    // of memory
	leaseIdle, leaseWaiting, leaseClaiming, leaseLeading = 0, 1, 3, 4 // phases
)

// innermost returns what is around the right Node itself.
func (n *bent) innermost() *bent {
	for {
		inner, ok := n.Node.(*bent)
		if !ok {
			return n
		}
		n = inner
	}
}

// lease returns the state of the right Node.
func (n *bent) lease() (l leaseState) {
	if err := new(election.State).Restore(&l, n.innermost().state()); err != nil {
		panic(err)
	}
	return l
}

// setLease changes it.
func (n *bent) setLease(change func(l *leaseState)) {
	l := n.lease()
	change(&l)
	n.innermost().restore(new(election.State).Append(nil, &l))
}

// adding returns the mistake that something is done, or undone, after an event was taken. It is given the
// state before.
func adding(act func(n *bent, e *election.Env, ev *election.Event, was leaseState)) bend {
	return func(n *bent, e *election.Env, ev *election.Event) {
		was := n.lease()
		n.Node.Step(e, ev)
		act(n, e, ev, was)
	}
}

// floored makes smaller candidates claim larger Terms, as if a clock determined the smallest new Term.
// Otherwise a candidate would first have to hear of a Term.
func floored(a *election.Algorithm) *election.Algorithm {
	return with(a, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
		if ev.Op == election.Init {
			ev.Msg.Term = 5 - uint64(n.me.ID)
		}
		return true
	}))
}

// resets makes each connection break once, at any moment, an event that the right Node does not have.
func resets(a *election.Algorithm) *election.Algorithm {
	return with(a, before(func(n *bent, e *election.Env, ev *election.Event) bool {
		if ev.Op == election.Init {
			e.SetTimer(leaseReset, 0, 100*unit)
		}
		return true
	}))
}

// separated makes a candidate that returns claim immediately, without its own voter, as if candidates were
// not voters.
func separated(a *election.Algorithm) *election.Algorithm {
	return with(a, func(n *bent, e *election.Env, ev *election.Event) {
		n.Node.Step(e, ev)
		switch l := n.lease(); {
		case ev.Op == election.Rejoin:
			n.setLease(func(l *leaseState) { l.stands, l.phase = true, leaseWaiting })
			e.SetTimer(leaseTurn, 0, 0)
		case l.memory != leaseIntact && l.grant.id == n.me.ID:
			n.setLease(func(l *leaseState) {
				l.grant, l.grantTerm, l.grantEnd = leaseOwner{}, 0, 0
				l.term, l.vote = 0, leaseOwner{}
			})
		}
	})
}

// lossy loses messages of some kinds on some links, and fires timers as early as possible. Both reduce the
// number of states.
func lossy(a *election.Algorithm, arrives func(from, to election.ID, kind uint8) bool) *election.Algorithm {
	return with(a, func(n *bent, e *election.Env, ev *election.Event) {
		fx := n.try(e, ev)
		fx.Sends = slices.DeleteFunc(fx.Sends, func(o election.Outgoing) bool {
			return !arrives(n.me.ID, e.Peer(o.Port).ID, o.Msg.Kind)
		})
		for i := range fx.Timers {
			fx.Timers[i].Max = fx.Timers[i].Min
		}
		do(e, fx)
	})
}

// inPairs reports which messages arrive if each of two candidates reaches one voter only.
func inPairs(from, to election.ID, _ uint8) bool { return from%2 == to%2 }

// around4 reports which messages arrive if 4 returns: 5 reaches only 3 and 4, and 1 reaches 2 and 4.
func around4(from, to election.ID, kind uint8) bool {
	switch {
	case kind == leaseRelease || kind == leaseRead && (from != 4 || to == 5):
		return false
	case from < to:
		from, to = to, from
	}
	return from == 4 || to == 4 || from == 5 && to == 3 || from == 2 && to == 1
}

// early reads the memory of other processes immediately after a return, and then waits.
func early(n *bent, e *election.Env, ev *election.Event) {
	n.Node.Step(e, ev)
	l := n.lease()
	switch {
	case ev.Op == election.Rejoin:
		for port := range election.Port(e.Ports()) {
			e.Send(port, election.Message{Kind: leaseRead, Value: l.inc})
		}
		n.setLease(func(l *leaseState) { l.memory = leaseRecovering })
	case l.memory == leaseIntact && ev.At < l.quiet:
		n.setLease(func(l *leaseState) { l.memory = leaseQuarantined })
		n.marks = 1
	case n.marks == 1 && l.memory == leaseRecovering:
		n.setLease(func(l *leaseState) { l.memory, l.again, l.cold, n.marks = leaseIntact, 0, 0, 0 })
	case ev.At >= l.quiet:
		n.setLease(func(l *leaseState) { l.quiet = 0 })
	}
}

// leased is a check of leases of two ticks of the clock, by three processes unless more are given.
type leased struct {
	processes, ticks              int
	crashes, recoveries, restarts int
	copies                        int
	unordered                     bool
	candidates                    []election.ID
}

func (l leased) check(a *election.Algorithm) check.Config {
	ids := []election.ID{1, 2, 3, 4, 5}
	return check.Config{Input: scenario.Input{Algorithm: a, IDs: ids[:max(l.processes, 3)],
		Initiators: l.candidates}, NoAnnouncement: true, Unordered: l.unordered,
		Delay: 100 * unit, Tick: unit, Until: time.Duration(l.ticks)*unit + 1,
		Crashes: l.crashes, Recoveries: l.recoveries, Restarts: l.restarts, Duplicates: l.copies}
}

// leaseMistake is a mistake around a Node of package lease.
type leaseMistake struct {
	name, source, wrong, rule, setting string

	in    leased
	right *election.Algorithm
	step  bend
}

func (m *leaseMistake) exhibit() Entry {
	return Entry{Name: "lease: " + m.name, Source: m.source, Wrong: m.wrong, Setting: m.setting,
		Config: m.in.check(with(m.right, m.step)), Control: Control{m.rule, m.in.check(m.right)}}
}

// paxosLease is the source of some of these mistakes.
const paxosLease = "PaxosLease, 2012"

func leaseExhibits() (all []Entry) {
	for _, m := range slices.Concat(grantMistakes(), ownerMistakes(), returnMistakes(), memoryMistakes()) {
		all = append(all, m.exhibit())
	}
	all = append(all, notReadInReturn(), tooFewRead(), lateResign(),
		refusedTerm(), overtakenRelease(), lostKept(), ledTakenBack(), savedTakenBack(), lateLeads(),
		slowRenewals(), oftenRenewed(), unequalLists())
	for _, m := range votersMistakes() {
		all = append(all, m.exhibit())
	}
	return all
}

// leases returns the algorithm with leases of two units; the candidates wait for a stagger.
func leases(stagger time.Duration, durable bool) *election.Algorithm {
	return must(lease.New(lease.Config{Lease: 2 * unit, Renew: 2 * unit, Delay: unit, Drift: -1,
		Stagger: stagger, Cold: -1, Durable: durable, Eager: true}))
}

const (
	together = -1   // a stagger: all candidates claim simultaneously
	inTurn   = unit // the larger ones claim first

	floors = "The smaller candidate starts with the larger Term."
)

var twoCandidates = []election.ID{3, 1}

func grantMistakes() []leaseMistake {
	endGrant := func(l *leaseState) { l.grant = leaseOwner{} }
	return []leaseMistake{{
		name: "a live grant is replaced", source: paxosLease,
		wrong: "A voter with a live grant also grants the claim of another candidate with a larger Term. Both " +
			"candidates have a majority.",
		rule: "rule 2: the grant of another owner must have ended", setting: floors,
		in: leased{ticks: 1, candidates: twoCandidates}, right: floored(leases(together, false)),
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if received(ev, leaseClaim) && ev.Msg.Term > n.lease().term {
				n.setLease(endGrant)
			}
			return true
		}),
	}, {
		name: "a live grant goes over to a larger candidate of the same Term", source: known,
		wrong: "To end a split vote, a voter votes twice in the same Term. Both candidates have a majority.",
		rule:  "rule 2: the same Term only to the same owner",
		in:    leased{ticks: 1, candidates: twoCandidates}, right: leases(together, false),
		step: before(func(n *bent, e *election.Env, ev *election.Event) bool {
			l := n.lease()
			if !received(ev, leaseClaim) || l.term != ev.Msg.Term || l.grant.id == n.me.ID {
				return true
			}
			if from := e.Peer(ev.Port).ID; from > l.grant.id {
				n.setLease(func(l *leaseState) {
					l.grant, l.vote = leaseOwner{}, leaseOwner{from, ev.Msg.Value}
				})
			}
			return true
		}),
	}, {
		name: "grants are counted, not voters", source: paxosLease,
		wrong: "A candidate counts grants without looking at their senders. A duplicate grant counts twice, so a " +
			"candidate leads without a majority.",
		rule: "rule 3: different voters", setting: "Candidate 1 reaches only voter 3, and candidate 2 only voter 4.",
		in:    leased{processes: 4, candidates: []election.ID{1, 2}, copies: 2},
		right: lossy(leases(together, false), inPairs),
		step: before(func(n *bent, e *election.Env, ev *election.Event) bool {
			l := n.lease()
			for received(ev, leaseGranted) && l.yes.Has(ev.Port) && l.yes.Len() < e.Ports() {
				ev.Port = (ev.Port + 1) % election.Port(e.Ports())
			}
			return true
		}),
	}, {
		name: "a lease begins when the grants are back", source: paxosLease,
		wrong: "The leader counts its lease from the arrival of the grants. A voter's grant began earlier, and " +
			"ends before the lease.",
		rule: "rule 3: it begins when the claim is sent", setting: floors,
		in: leased{ticks: 2, candidates: twoCandidates}, right: floored(leases(inTurn, false)),
		step: adding(func(n *bent, e *election.Env, ev *election.Event, was leaseState) {
			if l := n.lease(); l.phase == leaseLeading && l.until != was.until {
				n.setLease(func(l *leaseState) { l.until = ev.At + 2*unit })
				e.Lease(l.mine, ev.At+2*unit)
			}
		}),
	}, {
		name: "a broken connection ends a grant", source: known,
		wrong: "A voter ends its grant when the connection to the leader breaks. The leader has not crashed, and " +
			"still leads when another process is elected.",
		rule: "rule 2: only time and a release end a grant", setting: floors,
		in: leased{ticks: 1, candidates: twoCandidates}, right: resets(floored(leases(together, false))),
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if ev.Op == election.Timeout && ev.Timer == leaseReset {
				n.setLease(endGrant)
			}
			return true
		}),
	}}
}

func ownerMistakes() []leaseMistake {
	return []leaseMistake{{
		name: "a release ends the grant of another Term", source: known,
		wrong: "A voter does not compare the Term of a RELEASE with its grant. The late RELEASE of an abandoned " +
			"claim ends the grant of the lease that followed.",
		rule: "rule 5: of exactly this Term", setting: floors,
		in:    leased{ticks: 3, candidates: twoCandidates, unordered: true},
		right: floored(leases(inTurn, false)),
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if l := n.lease(); received(ev, leaseRelease) && l.grant.incarnation == ev.Msg.Value {
				ev.Msg.Term = l.grantTerm
			}
			return true
		}),
	}, {
		name: "an owner is a process, whatever its incarnation", source: known,
		wrong: "Voters do not distinguish the incarnations of a process. A candidate that has returned leads by " +
			"old grants, in a Term that it has already used.",
		rule: "an owner is a process and its incarnation",
		setting: "A candidate that returns claims immediately, without its own vote, as if candidates were not " +
			"voters.",
		in:    leased{ticks: 1, candidates: []election.ID{3}, crashes: 1, recoveries: 1},
		right: separated(leases(together, false)),
		step: before(func(_ *bent, _ *election.Env, ev *election.Event) bool {
			if ev.Op == election.Init {
				ev.Msg.Value = 1
			}
			return true
		}),
	}, {
		name: "a Term is granted again once its grant has ended", source: known,
		wrong: "A voter grants the same Term to another candidate after its grant has ended. Two leaders then " +
			"have the same Term, which does not distinguish their writes.",
		rule: "rule 2: the same Term only to the same owner",
		in:   leased{ticks: 2, candidates: twoCandidates}, right: leases(inTurn, false),
		step: before(func(n *bent, e *election.Env, ev *election.Event) bool {
			if l := n.lease(); received(ev, leaseClaim) && l.term == ev.Msg.Term && ev.At >= l.grantEnd {
				n.setLease(func(l *leaseState) { l.vote = leaseOwner{e.Peer(ev.Port).ID, ev.Msg.Value} })
			}
			return true
		}),
	}}
}

func returnMistakes() []leaseMistake {
	return []leaseMistake{{
		name: "the quarantine is too short", source: known,
		wrong: "A voter that has returned grants again too early. A lease that it granted before its crash is " +
			"still valid.",
		rule: "rule 6: as long as a grant", setting: floors,
		in:    leased{ticks: 1, candidates: twoCandidates, crashes: 1, restarts: 1},
		right: floored(leases(together, true)),
		step: adding(func(n *bent, e *election.Env, ev *election.Event, _ leaseState) {
			if ev.Op == election.Rejoin {
				n.setLease(func(l *leaseState) { l.quiet, l.wake = l.quiet-unit, l.quiet-unit })
				e.SetTimer(leaseDue, unit, unit)
			}
		}),
	}, {
		name: "a voter with memory does not wait", source: known,
		wrong: "A voter that has saved its state votes immediately after its return. The Term and the vote on " +
			"its disk do not show how long its last grant lasts.",
		rule: "rule 6: it waits as well", setting: floors,
		in:    leased{ticks: 1, candidates: twoCandidates, crashes: 1, restarts: 1},
		right: floored(leases(together, true)),
		step: before(func(_ *bent, _ *election.Env, ev *election.Event) bool {
			return ev.Op != election.Rejoin
		}),
	}}
}

func memoryMistakes() []leaseMistake {
	return []leaseMistake{{
		name: "a voter without memory asks no other", source: known,
		wrong: "A voter that has lost its memory does not read from the other voters. It grants a Term that it " +
			"has granted before.",
		rule:  "rule 6: it reads the largest Term",
		in:    leased{ticks: 2, candidates: twoCandidates, crashes: 1, recoveries: 1},
		right: leases(inTurn, false),
		step: adding(func(n *bent, _ *election.Env, _ *election.Event, _ leaseState) {
			if n.lease().memory == leaseRecovering {
				n.setLease(func(l *leaseState) { l.memory, l.again, l.cold = leaseIntact, 0, 0 })
			}
		}),
	}, {
		name: "memory is read before the wait", source: known,
		wrong: "A voter that has lost its memory reads from the others before its silence, not after it. " +
			"Meanwhile a claim that it granted before its crash gets a majority from voters that it has already " +
			"read.",
		rule: "rule 6: after it",
		setting: "Process 5 reaches only 3 and 4, and process 1 only 2 and 4. Only process 4 reads, and no " +
			"RELEASE arrives. A lease lasts one unit. Among three processes the mistake does no harm, because " +
			"each candidate is a voter that is read.",
		in: leased{processes: 5, ticks: 1, candidates: []election.ID{5, 1}, crashes: 1, recoveries: 1},
		right: lossy(must(lease.New(lease.Config{Lease: unit, Renew: unit, Delay: unit, Drift: -1,
			Stagger: unit / 4, Cold: -1, Eager: true})), around4),
		step: early,
	}, {
		name: "voters without memory answer each other", source: known,
		wrong: "Voters that have lost their memory answer each other. Two voters that have forgotten the same " +
			"Term take each other for a majority that remembers.",
		rule:  "rule 6: only voters with memory count",
		in:    leased{ticks: 2, candidates: twoCandidates, crashes: 2, recoveries: 2},
		right: leases(inTurn, false),
		step: func(n *bent, e *election.Env, ev *election.Event) {
			recovering := received(ev, leaseRead) && n.lease().memory == leaseRecovering
			if recovering {
				n.setLease(func(l *leaseState) { l.memory = leaseIntact })
			}
			n.Node.Step(e, ev)
			if recovering {
				n.setLease(func(l *leaseState) { l.memory = leaseRecovering })
			}
		},
	}}
}
