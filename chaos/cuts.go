package main

import (
	"errors"

	"github.com/go-election/election/internal/suspend"
)

// cutting returns a fault that cuts some members off from others for three leases, one way or both.
func cutting(both bool, sides func(*trial) (from, to []*seat)) func(*trial) error {
	return func(t *trial) error {
		from, to := sides(t)
		// Clients are on the side of the majority.
		side := from
		if t.isLeader(to) {
			side = to
		}
		alone := len(from)+len(to) == t.cell.n && len(side) <= t.cell.n/2
		if alone {
			t.strike(t.leader)
		}
		err := t.part(from, to, both)
		if alone {
			t.alone = append(t.alone, isolation{t.leader.process.number, suspend.Now()})
		}
		return errors.Join(err, t.mend(3))
	}
}

func cuts() []*fault {
	leader := func(t *trial) []*seat { return []*seat{t.leader} }
	rest := func(t *trial) []*seat { return append(leader(t), t.others[1:]...) }
	minority := func(t *trial) (from, to []*seat) {
		k := (t.cell.n-1)/2 - 1
		return append(leader(t), t.others[:k]...), t.others[k:]
	}
	majority := func(t *trial) (from, to []*seat) {
		k := t.cell.n / 2
		return append(leader(t), t.others[:k]...), t.others[k:]
	}
	off := func(t *trial) (from, to []*seat) { return leader(t), t.others }
	hear := func(t *trial) (from, to []*seat) { return t.others, leader(t) }
	follower := func(t *trial) (from, to []*seat) { return t.others[:1], rest(t) }
	link := func(t *trial) (from, to []*seat) { return leader(t), t.others[:1] }
	back := func(t *trial) (from, to []*seat) { return t.others[:1], leader(t) }
	between := func(t *trial) (from, to []*seat) { return t.others[:1], t.others[1:2] }
	all := func(t *trial) (from, to []*seat) { return t.seats, t.seats }
	faults := []*fault{
		{name: "cut the leader off", tls: both, most: 1, short: true, do: cutting(true, off)},
		{name: "cut a follower off", steady: true, do: cutting(true, follower)},
		{name: "drop all that the leader sends", most: 1, do: cutting(false, off)},
		// Voters keep lending their votes to a leader that they hear, until it gives up because it hears none of
		// them.
		{name: "drop all that is sent to the leader", most: 1, grace: 1, short: true,
			do: cutting(false, hear)},
		{name: "drop all that a follower sends", steady: true, do: cutting(false, follower)},
		{name: "part the network, the leader in the minority", most: 1, do: cutting(true, minority)},
		{name: "part the network, the leader in the majority", steady: true, do: cutting(true, majority)},
		{name: "cut one link of the leader", steady: true, do: cutting(true, link)},
		{name: "drop what the leader sends to one follower", steady: true, do: cutting(false, link)},
		{name: "drop what one follower sends to the leader", steady: true, do: cutting(false, back)},
		{name: "drop what one follower sends to another", steady: true, do: cutting(false, between)},
		{name: "reset the leader's connections", tls: both, short: true, do: resetAll},
	}
	for _, f := range faults {
		f.needs, f.survived = spaces, true
	}
	return append(faults,
		&fault{name: "cut all links", needs: spaces, do: cutting(true, all)},
		&fault{name: "lose 30 % of all packets", tls: both, needs: spaces, do: func(t *trial) error {
			return errors.Join(t.net.lose(30), t.mend(3))
		}})
}

// resetAll resets all connections of the leader, ten times.
func resetAll(t *trial) error {
	for range 10 {
		err := t.net.reset(t.leader.index, true)
		t.sleep(0.02)
		if err = errors.Join(err, t.net.reset(t.leader.index, false)); err != nil {
			return err
		}
		t.sleep(0.2)
	}
	return nil
}
