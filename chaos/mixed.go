package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
)

// mixed returns faults that combine others.
func mixed() []*fault {
	return []*fault{{name: "faults at random, several at once", tls: both, needs: spaces, short: true,
		do: func(t *trial) error {
			seed := rand.Uint64()
			if err := t.mix(rand.New(rand.NewPCG(seed, 0))); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
			return nil
		}}}
}

// mix does something to a random member in each third of a lease, for ten leases, and then repairs everything. Runs
// with one seed differ, since time matters, too.
func (t *trial) mix(random *rand.Rand) (err error) {
	paused := make(map[*seat]bool)
	resume := func(s *seat) {
		if paused[s] {
			delete(paused, s)
			err = errors.Join(err, s.process.signal(syscall.SIGCONT))
		}
	}
	for i := 0; i < 30 && err == nil && t.ctx.Err() == nil; i++ {
		s, other := t.seats[random.IntN(len(t.seats))], t.seats[random.IntN(len(t.seats))]
		switch do := random.IntN(8); {
		case do == 0 && s.process != nil:
			delete(paused, s)
			t.kill(s)
		case do == 1 && s.process != nil && !paused[s]:
			paused[s] = true
			t.strike(s)
			err = s.process.signal(syscall.SIGSTOP)
		case do == 2:
			err = t.part([]*seat{s}, []*seat{other}, random.IntN(2) == 0)
		case do == 3:
			err = t.net.heal()
		default: // repairs outnumber faults; otherwise there is rarely a leader that could go wrong
			for _, s := range t.seats {
				if resume(s); s.process == nil && err == nil {
					err = t.start(s)
				}
				if random.IntN(2) == 0 {
					break
				}
			}
		}
		t.sleep(0.33)
	}
	for _, s := range t.seats {
		resume(s)
	}
	err = errors.Join(err, t.net.heal(), t.restart())
	t.heal()
	return err
}
