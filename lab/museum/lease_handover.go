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
		Wrong: "The leader does not tell its successor which Terms were refused. The successor claims " +
			"immediately, without asking, and its Term is refused as well.",
		Setting: "The resource to which leaders write has seen the token 9. The leader learns this when a timer " +
			"of its work fires, and resigns.",
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
		Wrong: "The successor's claim overtakes the RELEASE of the previous leader, so a voter refuses it. The " +
			"successor then waits until the old grant ends, although the leader has handed over.",
		Setting: "Leader 3 resigns and exits. A suspicion of process 1 stands for the command to resign. Process " +
			"1 is not a candidate. A lease lasts 100 units.",
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
