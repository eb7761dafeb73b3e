package museum

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
)

// leaseWish is the command that names a voter whom the program wishes.
const leaseWish = 8

// ownLists makes each process count the voters that its program names, and talk to these only.
func ownLists(n *bent, e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Command && ev.Msg.Kind == leaseWish:
		n.setLease(func(l *leaseState) {
			if ev.Msg.Value == 0 {
				l.voting.new = leaseVoters{}
			}
			if ev.Msg.Rank.ID == n.me.ID {
				l.voting.new.self = true
				return
			}
			for port := range election.Port(e.Ports()) {
				if e.Peer(port).ID == ev.Msg.Rank.ID {
					l.voting.new.others.Add(port)
				}
			}
		})
		return
	case ev.Op == election.Recv && !n.listed().Has(ev.Port):
		return
	}
	fx := n.try(e, ev)
	voters := n.listed()
	fx.Sends = slices.DeleteFunc(fx.Sends, func(o election.Outgoing) bool { return !voters.Has(o.Port) })
	do(e, fx)
}

// listed returns the other processes in the list of this one.
func (n *bent) listed() *portset.Set {
	l := n.lease()
	return &l.voting.new.others
}

// unequalLists: three processes become five, one restart after another.
func unequalLists() Entry {
	right := must(lease.New(lease.Config{Lease: 12 * unit, Renew: 4 * unit, Delay: unit, Stagger: -1, Durable: true}))
	three, five := []election.ID{1, 2, 3}, []election.ID{1, 2, 3, 4, 5}
	setting := func(a *election.Algorithm) check.Config {
		in := scenario.Input{Algorithm: a, IDs: five, Initiators: []election.ID{1, 3},
			StartTimes: []time.Duration{0, 28 * unit}, CrashAt: when(3, 12), RestartAt: when(3, 13),
			Faults: fault.Plan{Partitions: []fault.Partition{{From: 22 * unit, Until: 42 * unit,
				Groups: [][]election.ID{{1, 2}}}}}}
		for _, id := range five {
			list := three
			if id > 3 {
				list = five
			}
			in.Wishes = append(in.Wishes, scenario.Wish{At: scenario.At{ID: id}, Voters: list})
		}
		in.Wishes = append(in.Wishes, scenario.Wish{At: scenario.At{ID: 3, Time: 13 * unit}, Voters: five})
		return check.Config{Input: in, Until: 65 * unit / 2}
	}
	return Entry{
		Name: "lease: each process counts its own list", Source: earlier,
		Wrong: "Each process counts votes by its own list. A majority of three processes and a majority of five " +
			"need not overlap, so each elects a leader.",
		Setting: "Processes 1 and 2 have a list of three voters, 4 and 5 a list of five. Process 3 restarts with " +
			"the list of five, and then a partition separates it from 1 and 2.",
		Config:  setting(with(right, ownLists)),
		Control: Control{"rules 14 to 18: one agreed configuration counts the votes", setting(right)},
		played:  true,
	}
}
