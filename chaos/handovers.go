package main

import (
	"errors"
	"syscall"
)

// handOvers returns faults in which a leader gives up the lead, some of them while something else fails.
func handOvers() []*fault {
	resign := func(t *trial) error { return t.tell(t.leader, "resign") }
	deaf := func(t *trial) error { // one follower does not hear another
		return t.part(t.others[:1], t.others[1:2], false)
	}
	return []*fault{
		{name: "let the leader resign", survived: true, do: func(t *trial) error {
			return errors.Join(resign(t), t.next())
		}},
		{name: "transfer the lead away and back", survived: true, do: func(t *trial) error {
			if err := t.transfer(t.others[0]); err != nil {
				return err
			}
			t.sleep(1.2) // the first one is no candidate for that long
			return t.transfer(t.leader)
		}},
		{name: "SIGSTOP the leader for 3 leases, and SIGTERM it meanwhile", survived: true, most: 1,
			refuses: true, do: func(t *trial) error {
				if err := t.supplant(bySignal, 3); err != nil {
					return err
				}
				// A stopped process receives it when it continues.
				err := t.leader.process.signal(syscall.SIGTERM)
				return errors.Join(err, t.release(bySignal), t.gone(t.leader), t.restart())
			}},
		{name: "cut the leader off, and let it resign", needs: spaces, survived: true, most: 1,
			do: func(t *trial) error {
				t.strike(t.leader)
				return errors.Join(t.part([]*seat{t.leader}, t.others, true), resign(t), t.mend(3))
			}},
		{name: "let the leader resign while one follower does not hear another", needs: spaces,
			survived: true,
			most:     1, do: func(t *trial) error {
				return errors.Join(deaf(t), resign(t), t.next(), t.mend(1))
			}},
		{name: "kill -9 the leader while one follower does not hear another", needs: spaces, least: 5,
			survived: true, most: 1, do: func(t *trial) error {
				return errors.Join(deaf(t), killLeader(t), t.mend(1))
			}},
	}
}
