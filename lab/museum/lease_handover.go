package museum

import (
	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
)

// refusedTerm: a leader whose token is refused resigns, and its successor does not know of that token.
func refusedTerm() Entry {
	const resign, token = 9, 9 // a timer, and the token
	right := with(leases(together, false), func(n *bent, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.SetTimer(resign, 0, 100*unit)
		}
		if ev.Op == election.Timeout && ev.Timer == resign {
			ev.Op, ev.Msg = election.Command, lease.Raise(token)
			n.Node.Step(e, ev)
			ev.Msg = lease.Resign(0, 0)
		}
		n.Node.Step(e, ev)
	})
	setting := func(a *election.Algorithm) check.Config {
		return leased{ticks: 1, candidates: twoCandidates}.check(audited(a,
			func(_ *bent, ev *election.Event, o *election.Outgoing) string {
				if received(ev, leaseHandoff) && o.Msg.Kind == leaseClaim && o.Msg.Term <= token {
					return "it claims a Term that was refused"
				}
				return ""
			}))
	}
	return Entry{
		Name: "lease: a successor does not learn which Terms were refused", Source: earlier,
		Wrong: "it claims at once, without asking, and its Term is refused as well",
		Setting: "What a leader writes to has seen the token 9. The leader learns that when a timer of its " +
			"work runs out, and resigns",
		Config: setting(with(right, sends(func(_ *bent, _ *election.Event, o *election.Outgoing) bool {
			if o.Msg.Kind == leaseRelease || o.Msg.Kind == leaseHandoff {
				o.Msg.Rank.Priority = 0
			}
			return true
		}))),
		Control: Control{"rule 5: RELEASE and HANDOFF name a larger Term", setting(right)},
	}
}

// overtakenRelease: a successor is refused by a voter that has not got the release yet.
func overtakenRelease() Entry {
	right := with(must(lease.New(lease.Config{Delay: unit})),
		func(n *bent, e *election.Env, ev *election.Event) {
			if ev.Op == election.Suspect { // this prompt stands for the command
				ev.Op, ev.Msg = election.Command, lease.Resign(0, 0)
			}
			n.Node.Step(e, ev)
		})
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3},
			Initiators: []election.ID{2, 3}, CrashAt: when(3, 20.001)}, Until: 30 * unit}
	}
	return Entry{
		Name: "lease: a successor rests when it was refused", Source: earlier,
		Wrong: "its claim has overtaken the release: it waits until the grant of the leader before ends, " +
			"although that leader has handed over to it",
		Setting: "The leader 3 resigns and ends; that it learns that 1 is down stands for that command. 1 " +
			"is no candidate. A lease is 100 units",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			if received(ev, leaseRefused) || received(ev, leaseClaim) {
				n.setLease(func(l *leaseState) { l.before = leaseOwner{} })
				ev.Msg.Flags &= leaseRenewal
			}
			n.Node.Step(e, ev)
		})),
		Control: Control{"rule 10: its claim says that the lease has ended, and it claims again",
			setting(right)},
		played: true, seed: 21, prompts: []prompt{{after(20), 3, election.Suspect, 1}},
	}
}
