package museum

import (
	"github.com/go-election/election"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
)

// groupExhibits are mistakes of the algorithm that forms groups.
func groupExhibits() []Entry {
	const invites = 3 // a kind
	all := []election.ID{1, 2, 3}
	// Process 1 leads 2, and 3 looks for leaders.
	right := must(invitation.New(invitation.Config{Leader: func(id election.ID) election.ID {
		if id == 2 {
			return 1
		}
		return id
	}}))
	led := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: all, Initiators: all[2:]}}
	}
	alone := invitation.Algorithms()[0]
	overtaking := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: all[:2]}, Unordered: true}
	}
	restarting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: all[:2], Initiators: all[:1]},
			Crashes:  1,
			Restarts: 1}
	}
	return []Entry{{
		Name: "invitation: an invitation is not forwarded", Source: known,
		Wrong: "A leader that accepts an invitation does not forward it to its members. They continue to follow " +
			"it, although it no longer leads their group.",
		Setting: "Initially process 1 leads process 2.",
		Config: led(with(right, sends(func(_ *bent, ev *election.Event, o *election.Outgoing) bool {
			return !received(ev, invites) || o.Msg.Kind != invites
		}))),
		Control: Control{"invitation", led(right)},
	}, {
		Name: "invitation: an own one that comes back is ignored", Source: earlier,
		Wrong: "A process ignores its own invitation if its leader forwards it. It does not learn that its " +
			"leader has accepted this late invitation and left the group.",
		Config: overtaking(with(alone, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			return !received(ev, invites) || ev.Msg.Rank != n.me
		}))),
		Control: Control{"invitation", overtaking(alone)},
	}, {
		Name: "invitation: the count of groups is not saved", Source: known,
		Wrong: "A process that returns from a crash gives a new group a number that it has already used. Members " +
			"of the old group take the new group for theirs.",
		Config: restarting(with(alone, func(n *bent, e *election.Env, ev *election.Event) {
			fx := n.try(e, ev)
			doUnsaved(e, fx, fx.Decided())
		})),
		Control: Control{"invitation", restarting(alone)},
	}}
}
