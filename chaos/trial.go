package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/internal/turns"
)

// trial is one fault in a group that is calm before and after it.
type trial struct {
	*group
	ctx    context.Context
	leader *seat // when the trial began
	term   uint64
	others []*seat
	halted *halt // the leader that was stopped until another one had written; nil if none
	began  time.Duration
	healed time.Duration // when the last fault ended
	down   []outage
	alone  []isolation
	before int // number of stops reported before the trial

	// Of trials in which the members change.
	took   time.Duration // see Agreed
	forgot bool          // two members without Dir may have been down in one lease
}

// outcome is the result of a trial.
type outcome struct {
	Vacant  time.Duration `json:"vacant"`         // total time without a leader
	Changes int           `json:"changes"`        // number of leases that began
	Late    bool          `json:"late,omitempty"` // a leader came too late
	// Busy is set if there were changes that the fault does not explain, while the machine stalled a member.
	Busy bool `json:"busy,omitempty"`
	Vain int  `json:"vain,omitempty"` // see halt
	// Agreed is the time from the restart after which enough members had the new list until the leader knew that it was
	// agreed.
	Agreed time.Duration `json:"agreed,omitempty"`
}

// attempt makes one trial.
func (g *group) attempt(ctx context.Context) (outcome, error) {
	if err := g.reset(ctx); err != nil {
		return outcome{}, err
	}
	t, err := g.begin(ctx)
	if err == nil && g.cell.fault.below && t.leader == t.largest() {
		if err = t.transfer(t.others[0]); err == nil {
			t, err = g.begin(ctx)
		}
	}
	if err != nil {
		return outcome{}, err
	}
	if err := g.cell.fault.do(t); err != nil {
		return outcome{}, fmt.Errorf("%w%s", err, g.describe())
	}
	if _, _, err := g.calm(ctx); err != nil {
		return outcome{}, err
	}
	// Wait until queues that the fault has filled are empty. Also, a leader would be paused nearly all the time if
	// the next trial began immediately.
	t.wait(t.healed + t.times.Lease - suspend.Now())
	if _, _, err := g.calm(ctx); err != nil {
		return outcome{}, err
	}
	out, err := t.outcome()
	return out, errors.Join(err, g.judge())
}

// begin begins a trial when the group is calm.
func (g *group) begin(ctx context.Context) (*trial, error) {
	t := &trial{group: g, ctx: ctx}
	if err := t.choose(); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	t.began, t.before = suspend.Now(), len(g.stops)
	t.healed = t.began
	return t, nil
}

// choose waits until the group is calm, and records its leader.
func (t *trial) choose() (err error) {
	if t.leader, t.term, err = t.calm(t.ctx); err != nil {
		return err
	}
	t.others = slices.DeleteFunc(slices.Clone(t.seats), func(s *seat) bool { return s == t.leader })
	return nil
}

// outcome measures the trial, and checks it.
func (t *trial) outcome() (o outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	stalled := t.stalled()
	now := suspend.Now()
	var served []span
	for _, l := range t.leases {
		served = append(served, without(span{l.From, l.Until}, l.process, t.down)...)
		if l.From > t.began {
			o.Changes++
		}
	}
	longest, sum := vacant(served, t.began, now)
	_, most := t.times.FailOver(t.cell.n)
	if !t.cell.fault.survived || t.forgot {
		// There was no majority for a while, and members that restart keep silent for a lease.
		most += t.healed - t.began + t.times.Lease*11/10
	}
	most += time.Duration(t.cell.fault.grace * float64(t.times.Lease))
	o.Vacant, o.Agreed = sum, t.took
	o.Late = longest > most+4*stalled
	f := *t.cell.fault
	if f.swift {
		times := t.times.Complete()
		o.Late = o.Late || o.Agreed > 2*times.Renew+4*times.Delay+4*stalled
	}
	if f.planned {
		f.most = max(t.ended(), 1) + t.resigned()
	}
	if err = judgeChanges(&f, o.Changes, t.stops[t.before:], now-t.began,
		t.times.Lease); err != nil &&
		(stalled >= t.times.Lease/4 || t.heldUp() >= t.times.Lease/2) {
		// A leader loses its lease if the machine stalls it, or its voters.
		o.Busy, err = true, nil
	}
	if t.cell.fault.refuses {
		err = errors.Join(err, judgeStale(t.store.operations(), t.halted))
		if t.halted != nil {
			o.Vain = t.halted.vain
		}
	}
	return o, errors.Join(err, judgeIsolated(t.leases, t.alone, t.times.Lease))
}

// ended returns how many leases the harness has ended in the trial, because it has ended or stopped the process, which may
// just have begun to lead. The caller holds mu.
func (t *trial) ended() (n int) {
	for _, l := range t.leases {
		if slices.ContainsFunc(t.down, func(o outage) bool { return o.process == l.process && l.Until > o.from }) {
			n++
		}
	}
	return n
}

// resigned returns how often leaders of the trial have been asked to transfer the lead, and how many members have resigned
// without being asked to. Each may resign once: because it is not in the new list; or because it has waited for 8 leases
// for voters that have granted a larger Term to somebody else, and so refuse it. If members have forgotten their votes, a
// leader may also lose its majority: they vote again only when they have heard of enough others. The caller holds mu.
func (t *trial) resigned() (n int) {
	who := make(map[string]bool)
	for _, s := range t.stops[t.before:] {
		switch {
		case s.why == elector.ErrResigned.Error():
			who[s.member] = true
		case s.why == elector.ErrTransferred.Error(), s.why == elector.ErrUnreachable.Error() && t.forgot:
			n++
		}
	}
	return n + len(who)
}

// waits returns when a member did not run since the trial began, although it was not paused. The caller holds mu.
func (t *trial) waits() (all []span) {
	for _, s := range t.stalls {
		paused := slices.ContainsFunc(t.down, func(o outage) bool {
			return o.process == s.process && o.from < s.Until && s.From < o.to
		})
		if !paused && s.Until > t.began {
			all = append(all, s.span)
		}
	}
	return all
}

// stalled returns the longest time for which the machine has stalled this program or a member since the trial began.
// The caller holds mu.
func (t *trial) stalled() time.Duration {
	longest := t.meter.since(t.began)
	for _, s := range t.waits() {
		longest = max(longest, s.Until-s.From)
	}
	return longest
}

// heldUp returns the longest part of a lease during which some member did not run. A renewal waits for three turns:
// of the leader, of a follower, and of the leader again. The caller holds mu.
func (t *trial) heldUp() (most time.Duration) {
	all := t.waits()
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.From, b.From) })
	for _, last := range all {
		begin, sum := last.Until-t.times.Lease, time.Duration(0)
		for _, s := range all {
			if from := max(s.From, begin); from < min(s.Until, last.Until) {
				sum += min(s.Until, last.Until) - from
				begin = min(s.Until, last.Until) // overlapping stalls count once
			}
		}
		most = max(most, sum)
	}
	return most
}

// strike records that a member cannot serve from now on.
func (t *trial) strike(s *seat) {
	t.down = append(t.down, outage{s.process.number, suspend.Now(), math.MaxInt64})
}

// heal records that all live processes can serve again.
func (t *trial) heal() {
	t.healed = suspend.Now()
	for i, o := range t.down {
		for _, s := range t.seats {
			if s.process != nil && s.process.number == o.process {
				t.down[i].to = min(o.to, t.healed)
			}
		}
	}
}

// sleep waits for some leases.
func (t *trial) sleep(leases float64) { t.wait(time.Duration(leases * float64(t.times.Lease))) }

// wait waits for some time.
func (t *trial) wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.ctx.Done():
	}
}

// next waits for a leader in a later Term.
func (t *trial) next() error {
	return t.await(t.ctx, t.patience(), "the next leader", func() bool {
		s, _ := t.group.leader()
		return s != nil && t.leases[len(t.leases)-1].Term > t.term
	})
}

// kill kills members, all at the same time.
func (t *trial) kill(seats ...*seat) {
	for _, s := range seats {
		t.strike(s)
		_ = s.process.cmd.Process.Kill() // fails only if it has ended
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
	return t.gone(s)
}

// gone waits until a member that was asked to end has ended.
func (t *trial) gone(s *seat) error {
	p := s.process
	err := t.await(t.ctx, t.patience(), s.name+" to end", func() bool { return p.over })
	p.kill()
	s.process = nil
	return err
}

// restart starts all members that are down.
func (t *trial) restart() error {
	err := t.startAll()
	t.healed = suspend.Now()
	return err
}

// quorum returns the members of a majority, with or without the leader.
func (t *trial) quorum(withLeader bool) []*seat {
	if withLeader {
		return append([]*seat{t.leader}, t.others[:t.cell.n/2]...)
	}
	return t.others[:min(t.cell.n/2+1, len(t.others))]
}

// largest returns the member that would lead if all were candidates at the same time.
func (t *trial) largest() *seat {
	return slices.MaxFunc(t.seats, func(a, b *seat) int {
		return cmp.Compare(turns.Priority(groupName, uint64(elector.ID(a.name))), turns.Priority(groupName, uint64(elector.ID(b.name))))
	})
}

// transfer makes a member lead.
func (t *trial) transfer(to *seat) error {
	// A member that was just deposed is no candidate yet and cannot take over. So ask again.
	err := errHung
	for range 10 {
		leader, _, failed := t.calm(t.ctx)
		if failed != nil {
			return failed
		}
		if leader != to {
			if err = t.tell(leader, "transfer", to.name); err != nil {
				return err
			}
		}
		err = t.await(t.ctx, 3*t.times.Lease, "a transfer", func() bool {
			leader, _ := t.group.leader()
			return leader == to
		})
		if !errors.Is(err, errHung) {
			break
		}
	}
	return err
}

// tell sends a command to a member.
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

// isLeader reports whether one of these members led when the trial began.
func (t *trial) isLeader(seats []*seat) bool { return slices.Contains(seats, t.leader) }
