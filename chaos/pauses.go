package main

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
)

// pauser stops and resumes a process.
type pauser struct{ stop, resume func(*process) error }

// A process can notice the end of a signal, but not that it was frozen.
var (
	bySignal = pauser{
		stop:   func(p *process) error { return p.signal(syscall.SIGSTOP) },
		resume: func(p *process) error { return p.signal(syscall.SIGCONT) },
	}
	byFreezer = pauser{(*process).freeze, (*process).unfreeze}
)

func pauses() (all []*fault) {
	for _, leases := range []float64{0.2, 1, 3} {
		all = append(all,
			&fault{name: fmt.Sprintf("SIGSTOP the leader for %v leases", leases), tls: both, survived: true,
				steady: leases < 0.5, refuses: leases == 3, short: leases == 3,
				do: func(t *trial) error { return t.pauseLeader(bySignal, leases) }},
			&fault{name: fmt.Sprintf("SIGSTOP a follower for %v leases", leases), tls: both, survived: true,
				steady: true,
				do:     func(t *trial) error { return t.pause(bySignal, t.others[0], leases) }})
	}
	for _, leases := range []float64{1, 3} {
		all = append(all, &fault{name: fmt.Sprintf("freeze the leader for %v leases", leases),
			needs: freezing, survived: true, refuses: leases == 3, short: leases == 3,
			do: func(t *trial) error { return t.pauseLeader(byFreezer, leases) }})
	}
	return all
}

// pause stops a process for some leases.
func (t *trial) pause(by pauser, s *seat, leases float64) error {
	t.strike(s)
	if err := by.stop(s.process); err != nil {
		return err
	}
	t.sleep(leases)
	err := by.resume(s.process)
	t.heal()
	return err
}

// pauseLeader stops the leader for some leases. If its last write is meant to be late, it repeats that until it is.
func (t *trial) pauseLeader(by pauser, leases float64) error {
	if !t.cell.fault.refuses {
		return t.pause(by, t.leader, leases)
	}
	if err := t.supplant(by, leases); err != nil {
		return err
	}
	return t.release(by)
}

// supplant stops the leader for some leases, and until a later leader has written. It leaves it stopped.
func (t *trial) supplant(by pauser, leases float64) error {
	for vain := range 10 {
		s := t.leader
		t.strike(s)
		t.halted = &halt{s.process.number, t.term, t.down[len(t.down)-1].from, vain}
		if err := by.stop(s.process); err != nil {
			return err
		}
		t.sleep(leases)
		// Wait for a write, not for a number of leases: an election waits for the disks of its voters. Until a
		// successor has written, the register has to accept writes of the old leader.
		err := t.await(t.ctx, t.patience(), "a successor to write", func() bool {
			return t.store.newest() > t.term
		})
		if err != nil || t.struck() {
			return err
		}
		// The member may have lost its lease since the group was calm, and another one may lead.
		err = by.resume(s.process)
		if t.heal(); err != nil {
			return err
		}
		if err := t.choose(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: each member that was stopped had lost its lease by then%s", errNoStale,
		t.describe())
}

// struck reports whether the stopped member led: by its own record its lease was valid, and its work had not written
// for the last time. It has been stopped for long enough that all its reports have arrived.
func (t *trial) struck() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.finished() && slices.ContainsFunc(t.leases, func(l lease) bool {
		return l.process == t.halted.process && l.Term == t.halted.term && l.Until > t.halted.from
	})
}

// finished reports whether the stopped work has written for the last time.
func (t *trial) finished() bool {
	return slices.ContainsFunc(t.store.operations(), func(op operation) bool {
		return op.Last && op.Process == t.halted.process && op.Token == t.halted.term
	})
}

// release resumes the stopped leader, and waits for its last write.
func (t *trial) release(by pauser) error {
	p := t.leader.process
	err := by.resume(p)
	t.heal()
	late := t.await(t.ctx, t.patience(), "the last write of a leader that was stopped", func() bool {
		return p.over || t.finished() // judgeStale reports a process that ended without a write
	})
	if errors.Is(late, errHung) {
		late = fmt.Errorf("%w: %w", errNoStale, late)
	}
	return errors.Join(err, late)
}
