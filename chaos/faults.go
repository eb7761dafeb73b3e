package main

import (
	"errors"
	"fmt"
	"syscall"
)

// faults returns all faults. Those that take longest come first, so that cells that run at once end together.
func faults() []*fault {
	var all []*fault
	for _, some := range [][]*fault{mixed(), crashes(), pauses(), cuts(), disks(), clocks()} {
		all = append(all, some...)
	}
	return all
}

func crashes() []*fault {
	return []*fault{
		{name: "kill -9 the leader", survived: true, short: true, do: func(t *trial) error {
			t.kill(t.leader)
			return errors.Join(t.next(), t.restart())
		}},
		{name: "kill -9 a follower", survived: true, do: func(t *trial) error {
			t.kill(t.others[0])
			t.sleep(2)
			return t.restart()
		}},
		{name: "kill -9 a majority", short: true, do: func(t *trial) error {
			t.kill(t.quorum(true)...)
			t.sleep(0.5)
			return t.restart()
		}},
		{name: "kill -9 all", do: func(t *trial) error {
			t.kill(t.seats...)
			return t.restart()
		}},
		{name: "SIGTERM the leader", survived: true, short: true, do: func(t *trial) error {
			return errors.Join(t.end(t.leader), t.next(), t.restart())
		}},
		{name: "let the leader resign", survived: true, do: func(t *trial) error {
			return errors.Join(t.tell(t.leader, "resign"), t.next())
		}},
		{name: "restart one after another", survived: true, do: func(t *trial) error {
			for _, s := range t.seats {
				if err := errors.Join(t.end(s), t.restart()); err != nil {
					return err
				}
				t.sleep(1.6)
			}
			return nil
		}},
		{name: "restart a follower again and again", survived: true, do: func(t *trial) error {
			return t.storm(t.others[:1])
		}},
		{name: "restart a majority again and again", short: true, do: func(t *trial) error {
			return t.storm(t.quorum(false))
		}},
		{name: "a second process of the leader's name", survived: true, do: func(t *trial) error {
			return t.double(t.leader)
		}},
		{name: "a second process of a follower's name", survived: true, do: func(t *trial) error {
			return t.double(t.others[0])
		}},
	}
}

// storm kills and starts members faster than they may vote again.
func (t *trial) storm(seats []*seat) error {
	for range 8 {
		t.kill(seats...)
		if err := t.restart(); err != nil {
			return err
		}
		t.sleep(0.3)
	}
	return nil
}

// double lets another process be a member as well, for a while. It can reach the others, and they dial
// the first.
func (t *trial) double(s *seat) (err error) {
	members := make(map[string]string)
	for name, address := range t.seats[0].members {
		members[name] = address
	}
	members[s.name] = loopbackAddresses(1)[memberName(0)]
	if s.twin, err = t.run(s, members); err != nil {
		return err
	}
	t.sleep(2.5)
	t.mu.Lock()
	if s.twin.over {
		err = fmt.Errorf("the second process has ended: %s", s.twin.text)
	}
	t.mu.Unlock()
	s.twin.kill()
	s.twin = nil
	return err
}

func pauses() (all []*fault) {
	for _, target := range []string{"the leader", "a follower"} {
		for _, leases := range []float64{0.2, 1, 3} {
			all = append(all, &fault{name: fmt.Sprintf("SIGSTOP %s for %v leases", target, leases),
				survived: true, short: leases == 3 && target == "the leader", do: func(t *trial) error {
					s := t.leader
					if target != "the leader" {
						s = t.others[0]
					}
					return t.pause(s, leases)
				}})
		}
	}
	for _, leases := range []float64{1, 3} {
		all = append(all, &fault{name: fmt.Sprintf("freeze the leader for %v leases", leases),
			needs:    freezing,
			survived: true, short: leases == 3, do: func(t *trial) error {
				t.strike(t.leader)
				if err := t.leader.process.freeze(); err != nil {
					return err
				}
				t.sleep(leases)
				err := t.leader.process.unfreeze()
				t.heal()
				return err
			}})
	}
	return all
}

// pause stops a process for some leases.
func (t *trial) pause(s *seat, leases float64) error {
	t.strike(s)
	if err := s.process.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	t.sleep(leases)
	err := s.process.signal(syscall.SIGCONT)
	t.heal()
	return err
}

func clocks() []*fault {
	const drift = 0.1
	within := func(i int) float64 { return []float64{1 - drift, 1 + drift}[i%2] }
	return []*fault{
		{name: "clocks of 0.9 and 1.1 with a Drift of 0.1, SIGSTOP the leader for 3 leases", survived: true,
			rates: within, drift: drift, grace: 0.3,
			do: func(t *trial) error { return t.pause(t.leader, 3) }},
		{name: "clocks of 0.9 and 1.1 with a Drift of 0.1, kill -9 the leader", survived: true, rates: within,
			drift: drift, grace: 0.3, do: func(t *trial) error {
				t.kill(t.leader)
				return errors.Join(t.next(), t.restart())
			}},
		{name: "a clock of 0.3 with a Drift of 0.001: two leaders", survived: true, short: true, clash: true,
			rates: func(i int) float64 { return []float64{0.3, 1}[min(i, 1)] },
			do:    slowLeader},
	}
}

// slowLeader lets the member with the slow clock lead, and pauses it until another one leads: then it
// continues, and believes in its lease.
func slowLeader(t *trial) error {
	slow := t.seats[0]
	// A member that was deposed a moment ago does not stand yet, and takes no lead over. So it is asked
	// again.
	err := errHung
	for range 10 {
		leader, failed := t.calm(t.ctx)
		if failed != nil {
			return failed
		}
		if leader != slow {
			if err = t.tell(leader, "transfer", slow.name); err != nil {
				return err
			}
		}
		err = t.await(t.ctx, 3*t.times.Lease, "a transfer", func() bool { return t.group.leader() == slow })
		if !errors.Is(err, errHung) {
			break
		}
	}
	if err != nil {
		return err
	}
	t.sleep(0.5)
	t.mu.Lock()
	t.term = t.leases[len(t.leases)-1].Term
	t.mu.Unlock()
	t.strike(slow)
	return errors.Join(slow.process.signal(syscall.SIGSTOP), t.next(), slow.process.signal(syscall.SIGCONT))
}
