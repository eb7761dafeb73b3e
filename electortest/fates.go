package electortest

import (
	"time"

	"github.com/go-election/election/elector"
)

// fate is a fault.
type fate struct {
	of Faults
	do func(*run)
}

var allFates = []fate{
	{Crashes, (*run).crashSome},
	{Pauses, (*run).pauseOne},
	{Holds, (*run).holdOne},
	{Cuts, (*run).cutSome},
	{HandOvers, (*run).handOver},
	{Lists, (*run).change},
}

// one returns a random live member, usually the leader, or nil if all are down.
func (r *run) one() *Member {
	if m, _ := r.judge.leader(); m != nil && r.up[m.Name] == m && r.dice.IntN(3) > 0 {
		return m
	}
	return r.up[r.order[r.dice.IntN(len(r.order))]]
}

// crashSome crashes one member, a majority, or all.
func (r *run) crashSome() {
	victims := []*Member{r.one()}
	if x := r.dice.IntN(10); x < 2 {
		n := len(r.order)/2 + 1
		if x == 0 {
			n = len(r.order)
		}
		victims = nil
		for _, i := range r.dice.Perm(len(r.order))[:n] {
			victims = append(victims, r.up[r.order[i]])
		}
	}
	for _, m := range victims {
		if m != nil && r.mayForget(m.Name) {
			r.crash(m, r.leases(0, 6))
		}
	}
}

// pauseOne pauses a member.
func (r *run) pauseOne() {
	m := r.one()
	if m == nil || m.paused() {
		return
	}
	d := r.leases(0.1, 4)
	r.judge.notes("%s is paused for %v", m.Name, d)
	m.pause()
	r.mendIn(d, func() {
		if r.up[m.Name] == m && m.paused() {
			r.judge.notes("%s goes on", m.Name)
			m.resume()
		}
	})
}

// holdOne holds the packets of a member.
func (r *run) holdOne() {
	m := r.one()
	if m == nil || m.paused() {
		return
	}
	d := r.leases(0.1, 4)
	r.judge.notes("packets of %s wait for %v", m.Name, d)
	m.wall.hold()
	r.mendIn(d, func() {
		// If the member has paused since, it holds its packets until that pause ends.
		if !m.paused() {
			m.wall.open()
		}
	})
}

// cutSome partitions the network, until another partition replaces it or it is healed.
func (r *run) cutSome() {
	d := r.leases(0.2, 6)
	if r.vault != nil {
		r.cutStore(d)
		return
	}
	cut := make(cut)
	side := make(map[string]bool) // members on one side
	shape := r.dice.IntN(5)
	one := r.order[r.dice.IntN(len(r.order))]
	if m := r.one(); m != nil {
		one = m.Name
	}
	what := ""
	switch shape {
	case 0, 1, 2:
		side[one] = true
		what = [...]string{"around " + one, "of what " + one + " sends", "of what " + one +
			" receives"}[shape]
	case 3:
		what = "around"
		for _, name := range r.order {
			if r.dice.IntN(2) == 0 {
				side[name] = true
				what += " " + name
			}
		}
	case 4:
		other := r.order[r.dice.IntN(len(r.order))]
		what = "between " + one + " and " + other
		cut[way{elector.ID(one), elector.ID(other)}], cut[way{elector.ID(other), elector.ID(one)}] = true,
			true
	}
	for _, from := range r.order {
		for _, to := range r.order {
			out, in := side[from] && !side[to], !side[from] && side[to]
			if out && shape != 2 || in && shape != 1 {
				cut[way{elector.ID(from), elector.ID(to)}] = true
			}
		}
	}
	r.judge.notes("the network is cut %s for %v", what, d)
	r.network.set(&cut)
	r.mendIn(d, func() { r.network.unset(&cut) })
}

// cutStore cuts members off from the store, or all of them.
func (r *run) cutStore(d time.Duration) {
	c, what := &closure{members: make(map[string]bool), refuses: r.dice.IntN(2) == 0}, ""
	switch m := r.one(); r.dice.IntN(4) {
	case 0:
		c.members, what = nil, " all members"
	case 1:
		for _, name := range r.order {
			if r.dice.IntN(2) == 0 {
				c.members[name] = true
				what += " " + name
			}
		}
	default:
		if m == nil {
			return
		}
		c.members[m.Name] = true
		what = " " + m.Name
	}
	r.judge.notes("the store is cut off from%s for %v", what, d)
	r.vault.set(c)
	r.mendIn(d, func() { r.vault.unset(c) })
}

// handOver makes the leader resign, transfer or stop.
func (r *run) handOver() {
	m, _ := r.judge.leader()
	if m == nil || r.up[m.Name] != m {
		return
	}
	// Resign and Transfer wait for the work to return; do not delay the next fault.
	switch r.dice.IntN(3) {
	case 0:
		r.judge.notes("%s is asked to resign", m.Name)
		go func() { _ = m.Elector.Resign(m.Context) }()
	case 1:
		to := r.order[r.dice.IntN(len(r.order))]
		r.judge.notes("%s is asked to transfer the lead to %s", m.Name, to)
		go func() { _ = m.Elector.Transfer(m.Context, to) }()
	case 2:
		if r.mayForget(m.Name) {
			r.signal(m)
		}
	}
}

// signal stops a member as a signal does. It starts again after a lease.
func (r *run) signal(m *Member) {
	r.judge.notes("%s is stopped", m.Name)
	r.forgets(m.Name)
	m.stop()
	r.judgeIn(r.patience(), func() { r.checkStopped(m) })
}

// checkStopped checks that a stopped member has returned, unless a pause explains the delay.
func (r *run) checkStopped(m *Member) {
	select {
	case <-m.ended:
		return
	default:
	}
	r.judge.mu.Lock()
	defer r.judge.mu.Unlock()
	if !m.crashed && m.woke == 0 && !m.paused() {
		r.judge.fail("the service of %s has not returned %v after its Context ended", m.Name, r.patience())
	}
}
