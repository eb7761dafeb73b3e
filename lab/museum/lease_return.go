package museum

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/rolling"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
)

// What voters that came back without a memory did wrong in earlier versions.

// notReadInReturn: voters come back one after another, and each has asked before the last one could answer.
func notReadInReturn() Entry {
	right := must(lease.New(lease.Config{Lease: 8 * unit, Renew: 8 * unit, Delay: unit, Drift: -1,
		Stagger: -1}))
	setting := func(a *election.Algorithm) check.Config {
		all := []election.ID{1, 2, 3}
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: all, Crashed: all, Initiators: all[:0],
			RecoverAt: slices.Concat(when(1, 0), when(2, 6), []scenario.At{{ID: 3, Time: 15 * unit / 2}}),
			CrashAt:   when(3, 22)}, Until: 37 * unit}
	}
	return Entry{
		Name: "lease: a voter without memory is not read in return", Source: earlier,
		Wrong: "A voter that returns last is silent when the others ask, and they do not ask back when it asks " +
			"them. If it leads and crashes before their next question, they wait for its answer until Cold is " +
			"over.",
		Setting: "All processes return without memory, process 3 last. Processes 3 and 1 are candidates. A lease " +
			"lasts 8 units, and so does the time between two questions.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			fx := n.try(e, ev)
			fx.Sends = slices.DeleteFunc(fx.Sends, func(o election.Outgoing) bool {
				return o.Msg.Kind == leaseRead && o.Msg.Flags != 0
			})
			do(e, fx)
		})),
		Control: Control{"rule 6: it is read in return", setting(right)},
		played:  true, prompts: []prompt{{after(10), 3, election.Start, 0},
			{after(24), 1, election.Start, 0}},
	}
}

// tooFewRead: voters are three at first, and then four; each majority of the four has one of two others.
func tooFewRead() Entry {
	setting := func(a *election.Algorithm) check.Config {
		return leased{processes: 4, ticks: 2, candidates: twoCandidates, crashes: 1, recoveries: 1}.check(
			rolling.Change{Before: 3, After: 4}.Of(a))
	}
	right := leases(inTurn, false)
	return Entry{
		Name: "lease: a voter without memory reads from n-Q+1 others", Source: earlier,
		Wrong: "A voter without memory reads from n-Q+1 others, so that each majority of its list includes one " +
			"of them. But it granted the last lease under a list with one voter less.",
		Setting: "Three processes have a list of three voters, and after a return a list of four. The fourth " +
			"process has the new list from the beginning.",
		Config: setting(with(right, adding(func(n *bent, e *election.Env, _ *election.Event, l leaseState) {
			if l = n.lease(); l.memory == leaseRecovering && l.sure.Len() > e.Ports()/2 {
				n.setLease(func(l *leaseState) { l.memory, l.again, l.cold = leaseIntact, 0, 0 })
			}
		}))),
		Control: Control{"rule 6: from Q others", setting(right)},
	}
}
