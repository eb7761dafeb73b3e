package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-election/election/internal/suspend"
)

// trial is one fault in a group that was calm before, and is calm again after it.
type trial struct {
	*group
	ctx    context.Context
	leader *seat // when the trial began
	term   uint64
	others []*seat
	began  time.Duration
	healed time.Duration // when the last fault ended
	down   []outage
}

// outcome is what has come of a trial.
type outcome struct {
	vacant  time.Duration // no leader served for so long in all
	changes int           // leases that began
	late    bool          // a leader came later than it should
}

// attempt makes one trial.
func (g *group) attempt(ctx context.Context) (outcome, error) {
	leader, err := g.calm(ctx)
	if err != nil {
		return outcome{}, err
	}
	t := &trial{group: g, ctx: ctx, leader: leader, began: suspend.Monotonic()}
	g.mu.Lock()
	t.term = leader.process.view.Term
	g.mu.Unlock()
	for _, s := range g.seats {
		if s != leader {
			t.others = append(t.others, s)
		}
	}
	t.healed = t.began
	if err := g.cell.fault.do(t); err != nil {
		return outcome{}, fmt.Errorf("%w%s", err, g.describe())
	}
	if _, err := g.calm(ctx); err != nil {
		return outcome{}, err
	}
	return t.outcome(), g.judge()
}

// outcome measures.
func (t *trial) outcome() (o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := suspend.Monotonic()
	var served []span
	for _, l := range t.leases {
		served = append(served, without(span{l.From, l.Until}, l.process, t.down)...)
		if l.From > t.began {
			o.changes++
		}
	}
	longest, sum := vacant(served, t.began, now)
	_, most := t.times.FailOver(t.cell.n)
	if !t.cell.fault.survived {
		// No majority was left for a while. Members that were started anew keep silent for a lease at first.
		most += t.healed - t.began + t.times.Lease*11/10
	}
	most += time.Duration(t.cell.fault.grace * float64(t.times.Lease))
	o.vacant = sum
	o.late = longest > most+4*stalls.since(t.began)
	return o
}

// strike notes that a member cannot serve from now on.
func (t *trial) strike(s *seat) {
	t.down = append(t.down, outage{s.process.number, suspend.Monotonic(), math.MaxInt64})
}

// heal notes that all processes that live can serve again.
func (t *trial) heal() {
	t.healed = suspend.Monotonic()
	for i, o := range t.down {
		for _, s := range t.seats {
			if s.process != nil && s.process.number == o.process {
				t.down[i].to = min(o.to, t.healed)
			}
		}
	}
}

// sleep lets some leases pass.
func (t *trial) sleep(leases float64) {
	timer := time.NewTimer(time.Duration(leases * float64(t.times.Lease)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.ctx.Done():
	}
}

// next waits for a leader in a later Term.
func (t *trial) next() error {
	return t.await(t.ctx, 20*t.times.Lease+20*time.Second, "the next leader", func() bool {
		s := t.group.leader()
		return s != nil && t.leases[len(t.leases)-1].Term > t.term
	})
}

// kill kills members, all at once.
func (t *trial) kill(seats ...*seat) {
	for _, s := range seats {
		t.strike(s)
		_ = s.process.cmd.Process.Kill() // an error says that it has ended
	}
	for _, s := range seats {
		s.process.kill()
		s.process = nil
	}
}

// end asks a member to end, and waits until it has.
func (t *trial) end(s *seat) error {
	t.strike(s)
	if err := s.process.signal(syscall.SIGTERM); err != nil {
		return err
	}
	p := s.process
	err := t.await(t.ctx, 20*t.times.Lease+20*time.Second, s.name+" to end", func() bool { return p.over })
	p.kill()
	s.process = nil
	return err
}

// restart starts all members that are down.
func (t *trial) restart() error {
	err := t.startAll()
	t.healed = suspend.Monotonic()
	return err
}

// quorum returns as many members as are a majority, the leader among them or not.
func (t *trial) quorum(withLeader bool) []*seat {
	if withLeader {
		return append([]*seat{t.leader}, t.others[:t.cell.n/2]...)
	}
	return t.others[:min(t.cell.n/2+1, len(t.others))]
}

// tell writes a command to a member.
func (t *trial) tell(s *seat, words ...string) error {
	_, err := fmt.Fprintln(s.process.stdin, strings.Join(words, " "))
	return err
}

// part cuts the network between members, one way or both.
func (t *trial) part(from, to []*seat, both bool) error {
	indices := func(seats []*seat) (all []int) {
		for _, s := range seats {
			all = append(all, s.index)
		}
		return all
	}
	err := t.net.cut(indices(from), indices(to))
	if both && err == nil {
		err = t.net.cut(indices(to), indices(from))
	}
	return err
}

// mend ends all cuts after some leases.
func (t *trial) mend(leases float64) error {
	t.sleep(leases)
	err := t.net.heal()
	t.heal()
	return err
}

// isLeader reports whether the leader of the beginning is among members.
func (t *trial) isLeader(seats []*seat) bool { return slices.Contains(seats, t.leader) }
