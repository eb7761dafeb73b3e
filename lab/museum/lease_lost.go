package museum

import (
	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lease"
)

// Votes for claims that were given up: that for one that led stays, any other is taken back.

const leaseLost = 1 // the flag of RELEASE

// lostKept: a candidate that has lost keeps its vote, in the Term of the leader.
func lostKept() Entry {
	right := must(lease.New(lease.Config{Lease: 2 * unit, Renew: unit, Delay: unit, Drift: -1,
		Stagger: together,
		Cold:    -1, Eager: true}))
	setting := func(a *election.Algorithm) check.Config {
		in := leased{ticks: 1, candidates: twoCandidates}
		return in.check(audited(a, func(n *bent, ev *election.Event, o *election.Outgoing) string {
			l := n.lease()
			if o.Msg.Kind == leaseRefused && ev.Msg.Flags != 0 && l.phase == leaseIdle &&
				l.vote.id == n.me.ID &&
				l.term > l.led {
				return "it refuses a leader for a claim that it has given up"
			}
			return ""
		}))
	}
	return Entry{
		Name: "lease: a candidate that has lost keeps its vote", Source: earlier,
		Wrong: "A candidate that has lost keeps its vote for itself, and refuses every renewal of the leader. " +
			"Among three processes the leader then needs the other follower, and loses its lease if this " +
			"follower pauses.",
		Config: setting(with(right, adding(func(n *bent, _ *election.Env, _ *election.Event, was leaseState) {
			if was.phase == leaseClaiming && n.lease().phase == leaseIdle {
				n.setLease(func(l *leaseState) { l.term, l.vote = was.term, was.vote })
			}
		}))),
		Control: Control{"rule 12: it takes the vote back", setting(right)},
	}
}

// ledTakenBack: a leader that stops reports that its claim never led.
func ledTakenBack() Entry {
	m := leaseMistake{
		name: "the vote of a lease is taken back", source: known,
		wrong: "A voter takes back its vote for a claim that has led. It then grants the same Term again, so Terms do " +
			"not increase from lease to lease.",
		rule: "rule 12: only that of a claim that never led",
		in:   leased{ticks: 2, candidates: twoCandidates}, right: leases(inTurn, false),
		step: sends(func(_ *bent, _ *election.Event, o *election.Outgoing) bool {
			if o.Msg.Kind == leaseRelease {
				o.Msg.Flags = leaseLost
			}
			return true
		}),
	}
	return m.exhibit()
}

// savedTakenBack: a leader comes back with what it saved before it led.
func savedTakenBack() Entry {
	m := leaseMistake{
		name: "a claim is given up as it was saved", source: earlier,
		wrong: "A process that returns gives up a claim as it was saved, although the claim has led since. A voter " +
			"takes its vote back and grants the same Term again.",
		rule:  "a process that comes back gives up none",
		in:    leased{ticks: 2, candidates: twoCandidates, crashes: 1, restarts: 1},
		right: leases(inTurn, true),
		step: adding(func(_ *bent, e *election.Env, ev *election.Event, was leaseState) {
			for port := range election.Port(e.Ports()) {
				if ev.Op == election.Init && was.phase == leaseClaiming {
					e.Send(port, election.Message{Kind: leaseRelease, Term: was.mine, Value: was.inc,
						Flags: leaseLost})
				}
			}
		}),
	}
	return m.exhibit()
}
