package museum

import (
	"cmp"
	"math/bits"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lease"
)

// Mistakes in a group of leases whose voters change.

// changed is a check of leases of a few units by a group whose voters change.
type changed struct {
	processes                     int
	voters                        string
	crashes, recoveries, restarts int
	candidates                    []election.ID
	cold                          time.Duration
	ticks                         int           // 2 if zero
	length                        time.Duration // how many units a lease lasts, 2 if zero
	still                         bool          // everything happens at one moment
	fresh                         bool          // 2 has granted nothing before, and knows it
	forgets                       bool          // 3 loses its memory in a crash
	// which messages arrive; if nil, all
	arrives func(from, to election.ID, kind uint8) bool
}

// check returns the check of an algorithm with mistakes; those that are nil are left out.
func (c *changed) check(mistakes ...bend) check.Config {
	length := cmp.Or(c.length, 2) * unit
	if c.cold == 0 {
		c.cold = -1
	}
	a := must(lease.New(lease.Config{Lease: length, Renew: length, Delay: unit, Drift: -1, Stagger: together,
		Cold: c.cold, Durable: true, Eager: true}))
	if c.fresh {
		a = with(a, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			return ev.Op != election.Rejoin || n.me.ID != 2
		}))
	}
	if c.forgets {
		a = with(a, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if ev.Op == election.Init && n.me.ID == 3 {
				n.setLease(func(l *leaseState) { *l = leaseState{} })
			}
			return true
		}))
	}
	for _, mistake := range mistakes {
		if mistake != nil {
			a = with(a, mistake)
		}
	}
	if c.arrives != nil {
		a = lossy(a, c.arrives)
	}
	ticks := cmp.Or(c.ticks, 2)
	if c.still {
		ticks = 0
	}
	in := leased{processes: c.processes, ticks: ticks, crashes: c.crashes, recoveries: c.recoveries,
		restarts: c.restarts, candidates: c.candidates}.check(a)
	if c.processes > 0 {
		in.IDs = in.IDs[:c.processes]
	}
	v, err := check.ReadVoters(c.voters)
	if err == nil {
		in, err = v.In(in)
	}
	if err != nil {
		panic(err)
	}
	return in
}

// apart reports which messages arrive if two processes do not reach each other.
func apart(one, other election.ID) func(from, to election.ID, _ uint8) bool {
	return func(from, to election.ID, _ uint8) bool {
		return from != one && from != other || to != one && to != other
	}
}

// alone reports which messages arrive if 3 and the others only read what they remember.
func alone(from, to election.ID, kind uint8) bool {
	return from+to == 3 || kind == leaseRead || kind == leaseMemory || kind == leaseHolds
}

// votersMistake is a mistake in how voters change.
type votersMistake struct {
	name, source, wrong, rule, setting string

	in    changed
	step  bend
	other bend // if not nil, of the algorithm without the mistake, too
}

func (m *votersMistake) exhibit() Entry {
	return Entry{Name: "lease: " + m.name, Source: cmp.Or(m.source, known), Wrong: m.wrong, Setting: m.setting,
		Config: m.in.check(m.other, m.step), Control: Control{m.rule, m.in.check(m.other)}}
}

const leaseMemory, leaseMember, leaseHolds = 11, 12, 13

// The commands.
const leaseChange = 9

// isLast reports whether an event is the last of the commands that name a list.
func isLast(ev *election.Event, kind uint8) bool {
	return ev.Op == election.Command && ev.Msg.Kind == kind && ev.Msg.Value+1 == uint64(ev.Msg.Round)
}

// stepOf returns the step of an agreed label, without its Term.
func stepOf(label uint64) uint64 { return label & (1<<10 - 1) }

func leaseAgreed(label uint64) bool { return label != 0 && label < 1<<63 }

// claimOf reports whether an event is a CLAIM with an agreed label, of a renewal or not.
func claimOf(ev *election.Event, renewal bool) bool {
	return received(ev, leaseClaim) && leaseAgreed(uint64(ev.Msg.Rank.ID)) && (ev.Msg.Flags&leaseRenewal != 0) == renewal
}

// in counts the voters in a set of ports.
func (v *leaseVoters) in(set *portset.Set, self bool) (count int) {
	count = v.others.Common(set)
	if v.self && self {
		count++
	}
	return count
}

// majority reports whether a set of ports, and the process itself, have a majority of the voters.
func (v *leaseVoters) majority(in *portset.Set) bool { return 2*v.in(in, true) > v.len() }

func (v *leaseVoters) len() int { return v.in(&v.others, true) }

func (c *leaseConfiguration) joint() bool { return c.old.len() > 0 }

// complete completes a change that is not confirmed.
func complete(n *bent, e *election.Env, ev *election.Event) {
	n.setLease(func(l *leaseState) { l.confirmed = true })
	n.Node.Step(e, &election.Event{Op: election.Command, At: ev.At, Msg: lease.Complete()})
}

// atOnce replaces the voters without a joint configuration.
func atOnce(n *bent, e *election.Env, ev *election.Event) {
	if !isLast(ev, leaseChange) {
		n.Node.Step(e, ev)
		return
	}
	fx := n.try(e, ev)
	if l := n.lease(); l.phase != leaseLeading || !l.voting.joint() {
		do(e, fx)
		return
	}
	e.Save()
	complete(n, e, ev)
}

func votersMistakes() []votersMistake {
	pair := []election.ID{1, 2}
	return []votersMistake{{
		name: "the voters are replaced in one step", wrong: "The leader replaces the voters without a joint " +
			"configuration. A majority of the old voters and a majority of the new ones have no voter in common.",
		rule: "rule 18: a joint configuration comes between", in: changed{voters: "agreed=123 to=1 changes=1 by=1 terms=3 stay leases", candidates: pair, arrives: apart(1, 2)},
		step: atOnce,
	}, {
		name: "a change is completed before it is confirmed", wrong: "The leader completes the change before a " +
			"quorum confirms the joint configuration. Only the leader knows of it, and the old voters elect " +
			"another leader.",
		rule: "rule 18: from a confirmed configuration", in: changed{voters: "agreed=123 to=1 changes=1 by=1 terms=3 stay leases", candidates: pair, arrives: apart(1, 2)},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			n.Node.Step(e, ev)
			if l := n.lease(); isLast(ev, leaseChange) && l.begun {
				complete(n, e, ev)
			}
		},
	}, {
		name: "a joint configuration decides by a majority of all its voters", wrong: "The voters of both sets " +
			"are counted together. The leader completes the change although it has no majority in one of the two " +
			"sets.",
		rule: "rule 18: a majority of each set", in: changed{voters: "agreed=123 to=2 changes=1 by=1 terms=3 stay leases", candidates: pair, arrives: apart(2, 3)},
		step: adding(func(n *bent, e *election.Env, ev *election.Event, _ leaseState) {
			l := n.lease()
			if l.phase != leaseLeading || !l.carried || l.confirmed || !l.voting.joint() {
				return
			}
			union := leaseVoters{others: l.voting.old.others, self: l.voting.old.self || l.voting.new.self}
			for port := l.voting.new.others.From(0); port != election.NoPort; port = l.voting.new.others.From(port + 1) {
				union.others.Add(port)
			}
			if 2*union.in(&l.yes, true) > union.len() {
				complete(n, e, ev)
			}
		}),
	}, {
		name: "voters do not compare labels", wrong: "A voter grants a claim whose label is smaller than its " +
			"own. The candidate counts the votes of processes that are no longer voters.",
		rule: "rule 15: no smaller label than its own", in: changed{voters: "agreed=123 to=1 changes=1 by=1 terms=3 stay leases", candidates: pair, arrives: apart(1, 2)},
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if l := n.lease(); received(ev, leaseClaim) && leaseAgreed(l.voting.label) && uint64(ev.Msg.Rank.ID) < l.voting.label {
				ev.Msg.Rank.ID = election.ID(l.voting.label)
				if ev.Msg.Flags&leaseRenewal != 0 {
					ev.Msg.Rank.Priority = l.voting.hash
				}
			}
			return true
		}),
	}, {
		name: "a renewal is granted before its voters are stored", wrong: "A voter grants a renewal before it " +
			"has stored the configuration. The leader takes the configuration as confirmed, although the voters " +
			"do not hold it.",
		rule: "rule 17: it stores them first", in: changed{voters: "agreed=123 to=1 changes=1 by=1 terms=3 stay leases", candidates: pair, arrives: apart(1, 2)},
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if l := n.lease(); claimOf(ev, true) && uint64(ev.Msg.Rank.ID) > l.voting.label {
				ev.Msg.Rank.ID, ev.Msg.Rank.Priority = election.ID(l.voting.label), l.voting.hash
			}
			return true
		}),
	}, {
		name: "a round counts by the voters of the next one", wrong: "The leader counts the grants of a round by " +
			"the next configuration. Grants that were given under the old voters confirm the new ones.",
		rule: "rule 15: by those under which the CLAIM was sent", in: changed{voters: "agreed=123 to=1 changes=1 by=1 terms=3 stay leases", candidates: pair, arrives: apart(1, 2)},
		step: adding(func(n *bent, e *election.Env, ev *election.Event, was leaseState) {
			if l := n.lease(); l.begun && !was.begun && l.voting.old.majority(&was.yes) && l.voting.new.majority(&was.yes) {
				complete(n, e, ev)
			}
		}),
	}, {
		name: "voters are not as durable as votes", wrong: "Votes are saved, but the configuration is not. A " +
			"process that returns counts the voters of its own list.",
		rule: "rule 14: they are saved with the vote", setting: "Process 2 returns with a list of its own.",
		in: changed{processes: 2, voters: "agreed=12 returns=2 to=1 changes=1 by=1 terms=3 stay leases", crashes: 1, restarts: 1},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			if ev.Op == election.Init {
				n.marks = n.lease().voting.label
				n.setLease(func(l *leaseState) { l.voting = leaseConfiguration{} })
			}
			wish := ev.Op == election.Command && ev.Msg.Kind == leaseWish && leaseAgreed(n.marks)
			if wish {
				n.setLease(func(l *leaseState) { l.voting.label = 0 })
			}
			n.Node.Step(e, ev)
			if wish {
				n.setLease(func(l *leaseState) { l.voting.label = n.marks })
			}
		},
	}, {
		name: "a voter without memory trusts any answer", wrong: "A voter that has lost its memory votes again " +
			"after any answer. The voters that have not answered may have granted a larger Term.",
		rule: "rule 20: from voters that every quorum includes", setting: onlyThree,
		in: changed{voters: "agreed=123 terms=2 stay", candidates: pair, arrives: apart(1, 2), crashes: 1, restarts: 1, forgets: true},
		step: adding(func(n *bent, e *election.Env, _ *election.Event, _ leaseState) {
			if l := n.lease(); l.memory == leaseRecovering && l.sure.Len() > 0 {
				remember(n, e)
			}
		}),
	}, {
		name: "a voter without memory asks the voters of its list", wrong: "A voter that has lost its memory " +
			"asks only the voters of its own list. The list may lack voters of the group.",
		rule: "rule 20: of the largest configuration that it hears of", setting: onlyThree + " It wishes for " +
			"voters 2 and 3.",
		in: changed{voters: "agreed=123 wishes=123,123,23 terms=2 stay", candidates: pair, arrives: apart(1, 2), crashes: 1, restarts: 1, forgets: true},
		step: adding(func(n *bent, e *election.Env, ev *election.Event, _ leaseState) {
			if ev.Op == election.Command && ev.Msg.Kind == leaseWish {
				n.marks |= 1 << ev.Msg.Rank.ID
			}
			l, asked := n.lease(), 0
			for port := l.sure.From(0); port != election.NoPort; port = l.sure.From(port + 1) {
				asked += int(n.marks >> e.Peer(port).ID & 1)
			}
			// As rule 6 reads from others in a group that does not change.
			of := bits.OnesCount64(n.marks)
			if l.memory == leaseRecovering && asked >= min(of/2+1, of-1) {
				remember(n, e)
			}
		}),
	}, {
		name: "a majority founds a group", wrong: "A majority of a list founds a group. Majorities of different " +
			"lists need not overlap, so two groups are founded.",
		rule: "rule 16: all voters of the list", setting: "Process 3 has a list of its own.",
		in: changed{voters: "wishes=123,123,3 terms=1 stay leases", candidates: []election.ID{1, 3}, arrives: alone},
		step: adding(func(n *bent, _ *election.Env, ev *election.Event, _ leaseState) {
			if isLast(ev, leaseWish) && !leaseAgreed(n.lease().voting.label) {
				n.setLease(func(l *leaseState) { l.voting.label = 1 })
			}
		}),
	}, {
		name: "a first claim relabels the voters", wrong: "The first claim of a candidate already changes the " +
			"label of the voters. A claim that fails gives old voters a larger label than new ones.",
		rule: "rule 17: only a renewal does",
		in: changed{voters: "agreed=123 to=1 changes=1 by=1 terms=4", still: true, candidates: []election.ID{1, 3},
			arrives: func(from, to election.ID, kind uint8) bool {
				switch kind {
				case leaseClaim, leaseGranted:
					return from != 3 || to != 1
				case leaseMember:
					return to == 2
				}
				return true
			}},
		step: adding(func(n *bent, _ *election.Env, _ *election.Event, was leaseState) {
			if l := n.lease(); l.term > was.term && leaseAgreed(l.voting.label) && l.memory == leaseIntact &&
				l.voting.label>>10 < l.term && l.phase != leaseLeading {
				n.setLease(func(l *leaseState) { l.voting.label = l.term << 10 })
			}
		}),
	}, {
		name: "a leader changes a voter before it confirms its Term", source: "Raft, 2014",
		wrong: "A leader changes a voter before it has confirmed its configuration in its Term. If an earlier " +
			"leader has changed another voter, majorities of the two configurations have no voter in common.",
		rule:    "rule 18: from a configuration that is confirmed in its Term",
		setting: "One voter changes at a time, without a joint configuration.",
		in: changed{processes: 4, voters: "agreed=1234 to=134,234 changes=1 by=12 terms=4 leases", still: true, candidates: pair,
			arrives: func(from, to election.ID, kind uint8) bool {
				return from*to != 4 && (kind == leaseRelease || kind == leaseClaim || kind == leaseGranted && from != 1)
			}},
		other: atOnce, step: unconfirmed,
	}}
}

// unconfirmed begins a change before the configuration is confirmed with which the leader begins to lead.
func unconfirmed(n *bent, e *election.Env, ev *election.Event) {
	n.Node.Step(e, ev)
	if l := n.lease(); l.phase == leaseLeading && l.carried && l.voting.label == l.mine<<10 {
		n.setLease(func(l *leaseState) { l.confirmed = true })
	}
}

// onlyThree is the setting of the mistakes of voters without memory.
const onlyThree = "Only process 3 loses its memory in a crash."

// withoutTermsInLabels keeps the step of a label in the next Term, and compares steps alone.
func withoutTermsInLabels(n *bent, e *election.Env, ev *election.Event) {
	own := n.lease().voting.label
	as := func(label uint64) uint64 { return own&^(1<<10-1) | stepOf(label) } // as if it were of the same Term
	switch {
	case !leaseAgreed(own):
	case received(ev, leaseClaim) && leaseAgreed(uint64(ev.Msg.Rank.ID)):
		ev.Msg.Rank.ID = election.ID(as(uint64(ev.Msg.Rank.ID)))
	case received(ev, leaseMember) && leaseAgreed(ev.Msg.Value):
		ev.Msg.Value = as(ev.Msg.Value)
	}
	fx := n.try(e, ev)
	if l := n.lease(); own < l.voting.label && l.voting.label == l.mine<<10 { // relabeled by rule 17
		n.setLease(func(l *leaseState) { l.voting.label |= stepOf(own) })
		for i := range fx.Sends {
			if m := &fx.Sends[i].Msg; m.Kind == leaseClaim {
				m.Rank.ID |= election.ID(stepOf(own))
			}
		}
	}
	do(e, fx)
}

// remember ends the return of a voter.
func remember(n *bent, e *election.Env) {
	n.setLease(func(l *leaseState) {
		l.memory, l.again, l.cold = leaseIntact, 0, 0
		l.sure, l.blank, l.told, l.holds = portset.Set{}, portset.Set{}, portset.Set{}, portset.Set{}
	})
	e.Save()
}
