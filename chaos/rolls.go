package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-election/election/internal/suspend"
)

// stepOf is a step of a change, as a process has reported it.
type stepOf struct {
	report
	process *process
}

// rolls returns faults in which members restart one after another with another list: three members become five in
// cells with three, and the reverse in cells with five. Something else fails meanwhile in some of them.
func rolls() []*fault {
	const plain = "restart one after another"
	faults := []*fault{
		{name: "change the list, in the order of a StatefulSet", swift: true, like: plain, short: true,
			do: func(t *trial) error { return t.roll(downwards, t.ready) }},
		{name: "change the list, in any order", swift: true, like: plain,
			do: func(t *trial) error { return t.roll(shuffled, t.ready) }},
		{name: "change the list, and kill -9 the leader in the change", hooks: true, short: true,
			do: func(t *trial) error { return t.rollAndStrike(syscall.SIGKILL, 24, revive) }},
		// While a leader sends its first 12 messages, the others learn that a change is in progress.
		{name: "change the list, and SIGSTOP the leader for 3 leases in the change", hooks: true,
			do: func(t *trial) error { return t.rollAndStrike(syscall.SIGSTOP, 12, wake) }},
		{name: "change the list, and fill the disk of a voter that needs to store the change", hooks: true,
			needs: mounts, disk: memoryDisk, least: 5, do: rollAndFill},
	}
	for _, f := range faults {
		f.survived, f.planned = true, true
	}
	faults = append(faults, &fault{name: "change the list, and cut two thirds of the members off meanwhile", needs: spaces,
		do: rollAndCut})
	for _, f := range faults {
		f.rolls = true
	}
	return faults
}

// downwards returns the order in which a StatefulSet restarts members.
func downwards(seats []*seat) []*seat {
	slices.Reverse(seats)
	return seats
}

func shuffled(seats []*seat) []*seat {
	rand.Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	return seats
}

// names returns the names of the first n members, as a View contains them.
func (g *group) names(n int) string {
	var names []string
	for _, s := range g.all[:n] {
		names = append(names, s.name)
	}
	return strings.Join(names, " ")
}

// reset makes the first members of a cell the members again, if the last trial has changed them. All processes
// restart, so a group without Dir is founded again.
func (g *group) reset(ctx context.Context) error {
	if !g.cell.fault.rolls || len(g.seats) == g.cell.n {
		return nil
	}
	n := g.cell.n
	g.seats = g.all
	for _, s := range g.all {
		if s.process != nil {
			s.process.kill()
			s.process = nil
		}
	}
	g.list(n, g.all...)
	if err := g.startAll(); err != nil {
		return err
	}
	if err := g.awaitAgreed(ctx, n, g.all[:n]); err != nil {
		return err
	}
	for _, s := range g.all[n:] {
		s.process.kill()
		s.process = nil
	}
	g.seats = g.all[:n]
	return nil
}

// awaitAgreed waits until the first n members are the members, and some processes know that.
func (g *group) awaitAgreed(ctx context.Context, n int, seats []*seat) error {
	names := g.names(n)
	return g.await(ctx, g.patience(), "the members "+names, func() bool {
		return !slices.ContainsFunc(seats, func(s *seat) bool {
			return s.process == nil || s.process.over || s.process.view.Members != names
		})
	})
}

// roll changes the members. New ones start first, and removed ones end last. In between, all others are restarted with
// the new list. It calls wait before and after each restart.
func (t *trial) roll(order func([]*seat) []*seat, wait func() error) error {
	before, after := t.seats, t.cell.after()
	t.seats = t.all
	t.list(after, t.all[len(before):]...)
	if err := errors.Join(t.restart(), wait()); err != nil {
		return err
	}
	for _, s := range order(slices.Clone(before)) {
		t.list(after, s)
		if err := errors.Join(t.end(s), t.restart(), wait()); err != nil {
			return err
		}
	}
	if err := t.awaitAgreed(t.ctx, after, t.seats); err != nil {
		return err
	}
	t.noteAgreed(t.names(after))
	for _, s := range t.all[after:] {
		if err := t.end(s); err != nil {
			return err
		}
	}
	t.seats = t.all[:after]
	return nil
}

// ready waits until all members that are up follow a leader, and have been up for long enough to vote. A member that was
// removed need not follow: the others do not connect to it any more, and it may take two minutes until it notices that
// a connection was cut.
func (t *trial) ready() error {
	return t.await(t.ctx, t.patience(), "members to be ready", t.areReady)
}

// areReady is the condition of ready. The caller holds mu.
func (t *trial) areReady() bool {
	for _, s := range t.seats {
		p := s.process
		if p == nil || p.over || s.index >= t.cell.after() && p.view.Members == t.names(t.cell.after()) {
			continue
		}
		if p.since == 0 || p.view.Leader == "" || t.isStale(p) || suspend.Now() < p.since+t.times.Lease*8/5 {
			return false
		}
	}
	return true
}

// isStale reports whether a process was down or stopped when it reported its view. A leader that was stopped still
// follows itself when it continues, and cannot vote until it has heard what happened meanwhile: if another voter
// restarted then, the new leader might lose its lease.
func (t *trial) isStale(p *process) bool {
	return slices.ContainsFunc(t.down, func(o outage) bool { return o.process == p.number && p.view.From < o.to })
}

// noteAgreed records how long it took until the members were agreed.
func (t *trial) noteAgreed(names string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := time.Duration(0)
	for _, v := range t.views {
		if v.From > t.began && v.Members == names {
			first = v.From
			break
		}
	}
	last := t.seats[0].process
	for _, s := range t.seats {
		if began := s.process.began; began < first && (began > last.began || last.began > first) {
			last = s.process
		}
	}
	// Others may know a process before its first report.
	t.took = max(first-last.since, 0)
}

// struckAt returns the step in which a leader was struck in this trial, nil if none was. The caller holds mu.
func (t *trial) struckAt() *stepOf {
	i := slices.IndexFunc(t.steps, func(s stepOf) bool { return s.Struck && s.From > t.began })
	if i < 0 {
		return nil
	}
	return &t.steps[i]
}

// rollAndStrike changes the members, and sends the leader of the change a signal before the first message about it, or
// up to most messages later.
func (t *trial) rollAndStrike(signal syscall.Signal, most int, repair func(*trial, *seat) error) error {
	after, at := rand.IntN(most), (*stepOf)(nil)
	arm := func(signal syscall.Signal) (err error) {
		for _, s := range t.seats {
			if at == nil || s != at.process.seat {
				err = errors.Join(err, t.tell(s, "strike", fmt.Sprint(int(signal)), fmt.Sprint(after)))
			}
		}
		return err
	}
	err := t.roll(shuffled, func() error {
		if at != nil {
			return t.ready()
		}
		err := errors.Join(arm(signal), t.await(t.ctx, t.patience(), "members to be ready, or a change", func() bool {
			at = t.struckAt()
			return at != nil || t.areReady()
		}))
		if err != nil || at == nil {
			return err
		}
		// The member that has just restarted cannot vote before the leader is back.
		t.forgot = !t.cell.durable
		t.down = append(t.down, outage{at.process.number, at.From, math.MaxInt64})
		t.mu.Lock()
		t.term = t.leases[len(t.leases)-1].Term
		t.mu.Unlock()
		return errors.Join(arm(0), repair(t, at.process.seat), t.ready())
	})
	if err == nil && at == nil {
		err = errNoStrike
	}
	return err
}

// revive restarts a leader that was killed when another member leads.
func revive(t *trial, s *seat) error {
	s.process.kill()
	s.process = nil
	return errors.Join(t.next(), t.restart())
}

// wake resumes a leader that has been stopped for 3 leases.
func wake(t *trial, s *seat) error {
	t.sleep(3)
	t.heal() // first, so that whatever it reports next is not stale
	return s.process.signal(syscall.SIGCONT)
}

// rollAndCut changes the members, and cuts some of them off while one restarts, and for three leases.
func rollAndCut(t *trial) error {
	cut, waits := rand.IntN(t.cell.n), 0
	return t.roll(shuffled, func() (err error) {
		if waits == cut+1 {
			err = t.mend(3)
		}
		err = errors.Join(err, t.ready())
		if waits == cut {
			some := shuffled(slices.Clone(t.seats))
			k := len(some) * 2 / 3
			err = errors.Join(err, t.part(some[:k], some[k:], true))
		}
		waits++
		return err
	})
}

// rollAndFill makes five members three. When the change begins, only two of the three can vote, and one of these cannot
// store it: it must not grant, so the leader takes the change back.
func rollAndFill(t *trial) error {
	leader, full := t.all[0], t.all[2]
	if t.leader != leader {
		if err := t.transfer(leader); err != nil {
			return err
		}
	}
	list, waits := t.names(t.cell.n), 0
	return t.roll(downwards, func() (err error) {
		switch waits++; waits {
		case 4: // the last two are still to be restarted, and the change begins with the first of them
			return errors.Join(t.ready(), full.disk.fail())
		case 5:
			err = t.await(t.ctx, t.patience(), "the leader to take the change back", func() bool {
				joint := false
				for _, s := range t.steps {
					if s.process == leader.process && s.From > t.began {
						joint = joint || s.Next != ""
						if joint && s.Next == "" && s.Members == list {
							return true
						}
					}
				}
				return false
			})
			err = errors.Join(err, full.disk.repair(), t.gone(full), t.restart())
		}
		return errors.Join(err, t.ready())
	})
}
