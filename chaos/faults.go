package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// faults returns all faults. The longest come first, so that cells that run in parallel end at about the same time.
func faults() []*fault {
	var all []*fault
	for _, some := range [][]*fault{rolls(), mixed(), certificates(), crashes(), restarts(), twins(), handOvers(),
		pauses(), cuts(), disks(), clocks()} {
		all = append(all, some...)
	}
	return all
}

func crashes() []*fault {
	return []*fault{
		{name: "kill -9 the leader", tls: both, survived: true, short: true, do: killLeader},
		{name: "kill -9 a follower", survived: true, steady: true, do: func(t *trial) error {
			t.kill(t.others[0])
			t.sleep(2)
			return t.restart()
		}},
		{name: "kill -9 a minority of followers", least: 5, survived: true, steady: true,
			do: func(t *trial) error {
				t.kill(t.others[:(t.cell.n-1)/2]...)
				t.sleep(2)
				return t.restart()
			}},
		{name: "kill -9 a majority", short: true, do: func(t *trial) error {
			t.kill(t.quorum(true)...)
			t.sleep(0.5)
			return t.restart()
		}},
		{name: "kill -9 all", tls: both, do: func(t *trial) error {
			t.kill(t.seats...)
			return t.restart()
		}},
	}
}

// killLeader kills the leader, and restarts it when another member leads.
func killLeader(t *trial) error {
	t.kill(t.leader)
	return errors.Join(t.next(), t.restart())
}

func restarts() []*fault {
	return []*fault{
		{name: "SIGTERM the leader", tls: both, survived: true, short: true, do: func(t *trial) error {
			return errors.Join(t.end(t.leader), t.next(), t.restart())
		}},
		{name: "SIGTERM a follower", survived: true, steady: true, do: func(t *trial) error {
			return errors.Join(t.end(t.others[0]), t.restart())
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
		{name: "restart a follower again and again", survived: true, steady: true, do: func(t *trial) error {
			return t.storm(t.others[:1])
		}},
		{name: "restart the largest member again and again, a follower", survived: true, steady: true,
			below: true,
			do:    func(t *trial) error { return t.storm([]*seat{t.largest()}) }},
		{name: "restart a majority again and again", short: true, do: func(t *trial) error {
			return t.storm(t.quorum(false))
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

// twins returns faults with two processes of one name, each with its own address.
func twins() []*fault {
	leader := func(t *trial) error { return t.double(t.leader) }
	follower := func(t *trial) error { return t.double(t.others[0]) }
	return []*fault{
		{name: "two processes of the leader's name, half of the followers know the other: two leaders",
			needs: spaces,
			twin:  true, survived: true, clash: true, do: split},
		{name: "a second process of the leader's name", tls: both, survived: true, steady: true, do: leader},
		{name: "a second process of a follower's name", survived: true, steady: true, do: follower},
		{name: "a second process of the leader's name on another machine", tls: both, needs: spaces,
			twin:     true,
			survived: true, steady: true, do: leader},
		{name: "a second process of a follower's name on another machine", needs: spaces, twin: true,
			survived: true, steady: true, do: follower},
	}
}

// double runs a second process of a member for a while. That process reaches the others, who dial the first.
func (t *trial) double(s *seat) error {
	if _, err := t.startTwin(s); err != nil {
		return err
	}
	t.sleep(2.5)
	return t.endTwin(s)
}

// split runs a second process of the leader, and restarts half of the followers with its address, so that each of the
// two has a majority.
func split(t *trial) error {
	twin, err := t.startTwin(t.leader)
	if err != nil {
		return err
	}
	// A follower accepts whichever of the two connects first.
	misled := t.others[:t.cell.n/2]
	if err := t.part(misled, []*seat{t.leader}, true); err != nil {
		return err
	}
	for _, s := range misled {
		t.kill(s)
		at := s.place()
		at.members = twin.members
		if s.process, err = t.run(s, at); err != nil {
			return err
		}
	}
	err = t.await(t.ctx, 10*t.times.Lease, "members that were misled", func() bool {
		return !slices.ContainsFunc(misled, func(s *seat) bool { return s.process.since == 0 })
	})
	t.sleep(0.5)
	err = errors.Join(err, t.net.heal())
	// If it never leads, the judge finds no two leases.
	number := t.leader.twin.number
	_ = t.await(t.ctx, 10*t.times.Lease, "the other process to lead", func() bool {
		return slices.ContainsFunc(t.leases, func(l lease) bool { return l.process == number })
	})
	err = errors.Join(err, t.endTwin(t.leader))
	// Restart all members: a member that has voted in the larger Term follows no leader with a smaller Term.
	t.kill(t.seats...)
	return errors.Join(err, t.restart())
}

// startTwin starts a second process of a member, and returns its place.
func (t *trial) startTwin(s *seat) (at place, err error) {
	at = s.place()
	address := t.spare
	if t.net != nil {
		at.machine = t.cell.n
		address = t.net.address(at.machine)
	}
	if s.dir != "" { // a second process would find the Dir locked
		at.dir = s.dir + ".twin"
		// A copy, since a process without memory waits for answers of a majority.
		if err := errors.Join(os.RemoveAll(at.dir), os.CopyFS(at.dir, os.DirFS(s.dir))); err != nil {
			return at, err
		}
	}
	at.members = maps.Clone(at.members)
	at.members[s.name], at.address = address, address
	s.twin, err = t.run(s, at)
	return at, err
}

// endTwin ends the second process. Its peers refuse it until then.
func (t *trial) endTwin(s *seat) (err error) {
	t.mu.Lock()
	if s.twin.over {
		err = fmt.Errorf("the second process has ended: %s", s.twin.text)
	}
	t.mu.Unlock()
	s.twin.kill()
	s.twin = nil
	return err
}

func clocks() []*fault {
	const drift = 0.1
	within := func(i int) float64 { return []float64{1 - drift, 1 + drift}[i%2] }
	return []*fault{
		{name: "clocks of 0.9 and 1.1 with a Drift of 0.1, SIGSTOP the leader for 3 leases", survived: true,
			refuses: true, rates: within, drift: drift, grace: 0.3,
			do: func(t *trial) error { return t.pauseLeader(bySignal, 3) }},
		{name: "clocks of 0.9 and 1.1 with a Drift of 0.1, kill -9 the leader", survived: true, rates: within,
			drift: drift, grace: 0.3, do: killLeader},
		{name: "clocks that start hours apart, kill -9 the leader", needs: offsets, survived: true,
			starts: apart, do: killLeader},
		{name: "clocks that start hours apart, SIGSTOP the leader for 3 leases", needs: offsets,
			survived: true,
			short:    true, refuses: true, starts: apart,
			do: func(t *trial) error { return t.pauseLeader(bySignal, 3) }},
		{name: "a clock of 0.3 with a Drift of 0.001: two leaders", survived: true, short: true, clash: true,
			rates: func(i int) float64 { return []float64{0.3, 1}[min(i, 1)] },
			do:    slowLeader},
	}
}

// apart returns how much earlier the clock of a process starts: up to eight days, in no particular order.
func apart(process int) time.Duration { return time.Duration(process*7%20) * 10 * time.Hour }

// slept is how much farther ahead the boot time is in the time namespaces, as if the machine had been suspended.
const slept = time.Hour

// inTime returns the first words of a command that runs in a time namespace. Its monotonic clock is ahead by this
// much, and its boot time by slept more.
func inTime(ahead time.Duration) []string {
	seconds := func(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
	return []string{"unshare", "--time", "--monotonic", seconds(ahead), "--boottime", seconds(ahead + slept)}
}

// slowLeader makes the member with the slow clock lead, and pauses it until another member leads. When it continues,
// it believes in its lease.
func slowLeader(t *trial) error {
	slow := t.seats[0]
	if err := t.transfer(slow); err != nil {
		return err
	}
	t.sleep(0.5)
	t.mu.Lock()
	t.term = t.leases[len(t.leases)-1].Term
	t.mu.Unlock()
	t.strike(slow)
	return errors.Join(slow.process.signal(syscall.SIGSTOP), t.next(), slow.process.signal(syscall.SIGCONT))
}
