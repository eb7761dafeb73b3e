package main

import "errors"

// cutting is a fault of the network: some members, cut from others for three leases.
func cutting(name string, survived, both bool, sides func(*trial) (from, to []*seat)) *fault {
	return &fault{name: name, needs: spaces, survived: survived, do: func(t *trial) error {
		from, to := sides(t)
		// Clients are with the majority.
		side := from
		if t.isLeader(to) {
			side = to
		}
		if len(from)+len(to) == t.cell.n && len(side) <= t.cell.n/2 {
			t.strike(t.leader)
		}
		return errors.Join(t.part(from, to, both), t.mend(3))
	}}
}

func cuts() []*fault {
	leader := func(t *trial) []*seat { return []*seat{t.leader} }
	all := []*fault{
		cutting("cut the leader off", true, true, func(t *trial) (from, to []*seat) {
			return leader(t), t.others
		}),
		cutting("cut a follower off", true, true, func(t *trial) (from, to []*seat) {
			return t.others[:1], append(leader(t), t.others[1:]...)
		}),
		cutting("drop all that the leader sends", true, false, func(t *trial) (from, to []*seat) {
			return leader(t), t.others
		}),
		cutting("drop all that is sent to the leader", true, false, func(t *trial) (from, to []*seat) {
			return t.others, leader(t)
		}),
		cutting("drop all that a follower sends", true, false, func(t *trial) (from, to []*seat) {
			return t.others[:1], append(leader(t), t.others[1:]...)
		}),
		cutting("part the network, the leader in the minority", true, true,
			func(t *trial) (from, to []*seat) {
				k := (t.cell.n-1)/2 - 1
				return append(leader(t), t.others[:k]...), t.others[k:]
			}),
		cutting("part the network, the leader in the majority", true, true,
			func(t *trial) (from, to []*seat) {
				k := t.cell.n / 2
				return append(leader(t), t.others[:k]...), t.others[k:]
			}),
		cutting("cut one link of the leader", true, true, func(t *trial) (from, to []*seat) {
			return leader(t), t.others[:1]
		}),
		cutting("cut all links", false, false, func(t *trial) (from, to []*seat) { return t.seats, t.seats }),
		{name: "lose 30 % of all packets", needs: spaces, do: func(t *trial) error {
			return errors.Join(t.net.lose(30), t.mend(3))
		}},
		{name: "reset the leader's connections", needs: spaces, survived: true, do: func(t *trial) error {
			for range 10 {
				err := t.net.reset(t.leader.index, true)
				t.sleep(0.02)
				if err = errors.Join(err, t.net.reset(t.leader.index, false)); err != nil {
					return err
				}
				t.sleep(0.2)
			}
			return nil
		}},
	}
	all[0].short, all[3].short, all[len(all)-1].short = true, true, true
	// Voters go on lending their votes to a leader that they hear, until it gives up since it hears none
	// of them.
	all[3].grace = 1
	return all
}
