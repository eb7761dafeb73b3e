package museum

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
)

// Claims whose answers come when the next one was sent.

// renewing returns the play of a leader whose claims are answered after two units.
func renewing(renew time.Duration) (*election.Algorithm, func(*election.Algorithm) check.Config) {
	right := with(must(lease.New(lease.Config{Lease: 8 * unit, Renew: renew, Delay: unit, Drift: -1})),
		func(n *bent, e *election.Env, ev *election.Event) {
			if ev.Op == election.Suspect { // this prompt stands for the command
				ev.Op, ev.Msg = election.Command, lease.Renew()
			}
			n.Node.Step(e, ev)
		})
	return right, func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3},
			Initiators: []election.ID{3}}, Until: 13 * unit}
	}
}

// slowRenewals: a claim is answered after the next one was sent.
func slowRenewals() Entry {
	right, setting := renewing(3 * unit / 2)
	return Entry{
		Name: "lease: answers that come later than Renew", Source: earlier,
		Wrong: "The process sends its claim again before the grants for the previous claim arrive, and these do " +
			"not count. No process leads although all answer.",
		Setting: "A lease lasts 8 units, and Renew is one and a half. Grants arrive after two.",
		Config: setting(with(right, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			return !received(ev, leaseGranted) || ev.Msg.Round == n.lease().round
		}))),
		Control: Control{"rule 4: its grants count for the round before, too", setting(right)},
		played:  true,
	}
}

// oftenRenewed: a service asks more often than a round trip takes whether it leads.
func oftenRenewed() Entry {
	right, setting := renewing(4 * unit)
	var prompts []prompt
	for at := 6.25; at < 13; at += 0.5 {
		prompts = append(prompts, prompt{after(at), 3, election.Suspect, 1})
	}
	return Entry{
		Name: "lease: a command to renew ends the round under way", Source: earlier,
		Wrong: "A command to renew ends the round in progress. If commands arrive more often than answers, no " +
			"answer counts and the leader loses its lease.",
		Setting: "The service renews the lease twice a unit. A suspicion of process 1 stands for the command to " +
			"renew. A lease lasts 8 units.",
		Config: setting(with(right, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if ev.Op == election.Suspect && n.lease().phase == leaseLeading {
				n.setLease(func(l *leaseState) { l.again = ev.At })
				ev.Op, ev.Timer = election.Timeout, leaseDue
			}
			return true
		}))),
		Control: Control{"it waits for the round in progress", setting(right)},
		played:  true, prompts: prompts,
	}
}
