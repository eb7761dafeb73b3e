package museum

import (
	"cmp"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
)

// storeState is the state of a Node of package storelease, field by field as that visits it.
type storeState struct {
	stored, previous    election.Message
	last, stale, failed uint32
	keeps               bool
	store               election.Port
	incarnation         uint64
	stands              bool
	phase               uint8

	seen, mine, priority, leaderTerm            uint64
	number, put, named, revision, before, probe uint32

	frees, pending, looks, renews, waiting, shown, refused, late     bool
	sent, until, again, rest, since, leaderUntil, wake, asked, heard time.Duration

	next   election.ID
	record storelease.Record
	leader election.Rank
}

func (l *storeState) State(s *election.State) {
	s.Message(&l.stored)
	s.Message(&l.previous)
	for _, v := range [...]*uint32{&l.last, &l.stale, &l.failed} {
		s.Uint32(v)
	}
	s.Bool(&l.keeps)
	s.Port(&l.store)
	s.Uint64(&l.incarnation)
	s.Bool(&l.stands)
	s.Uint8(&l.phase)
	for _, v := range [...]*uint64{&l.seen, &l.mine, &l.priority, &l.leaderTerm} {
		s.Uint64(v)
	}
	for _, v := range [...]*uint32{&l.number, &l.put, &l.named, &l.revision, &l.before, &l.probe} {
		s.Uint32(v)
	}
	for _, is := range [...]*bool{&l.frees, &l.pending, &l.looks, &l.renews, &l.waiting, &l.shown, &l.refused,
		&l.late} {
		s.Bool(is)
	}
	for _, at := range [...]*time.Duration{&l.sent, &l.until, &l.again, &l.rest, &l.since, &l.leaderUntil, &l.wake,
		&l.asked, &l.heard, &l.record.Lease} {
		s.Duration(at)
	}
	s.ID(&l.next)
	s.Uint64(&l.record.Term)
	s.ID(&l.record.Owner)
	s.Uint64(&l.record.Incarnation)
	s.ID(&l.record.Next)
	s.Rank(&l.leader)
}

func (l *storeState) Step(*election.Env, *election.Event) {}

// Phases of a member.
const (
	storeIdle, storeTaking, storeLeading, storeReleasing = 0, 1, 2, 3
)

// stored returns the state of the right Node.
func (n *bent) stored() (l storeState) {
	if err := new(election.State).Restore(&l, n.innermost().state()); err != nil {
		panic(err)
	}
	return l
}

// setStored changes it.
func (n *bent) setStored(change func(l *storeState)) {
	l := n.stored()
	change(&l)
	n.innermost().restore(new(election.State).Append(nil, &l))
}

// look makes a member look at its state again, after a change.
func (n *bent) look(e *election.Env, at time.Duration) {
	n.Node.Step(e, &election.Event{Op: election.Command, At: at, Msg: lease.Raise(0)})
}

// deposit is a check of members of a store, process 1, with leases of two units.
type deposit struct {
	config     storelease.Config
	members    int // two unless given
	ticks      int
	absent     bool               // nothing is stored; otherwise the lease is released
	other      *storelease.Config // of process 2
	crashes    int
	recoveries int  // returns without state
	restarts   int  // returns with the state that was saved
	returns    bool // members that return are candidates again
	loses      bool // the store loses a record, at any moment after the SilentTime that follows its creation
	rates      []float64
	commands   []election.Message // that members get, each at any moment
}

// right returns the algorithm.
func (d *deposit) right() *election.Algorithm {
	a := d.with(d.config)
	if d.other != nil {
		of, other := a.New, d.with(*d.other).New
		a.New = func(s election.Setup) election.Node {
			if s.Self.ID == 2 {
				return other(s)
			}
			return of(s)
		}
	}
	const command = 9 // the first timer of the museum
	return with(a, func(n *bent, e *election.Env, ev *election.Event) {
		if ev.Op == election.Timeout && ev.Timer >= command && n.me.ID != 1 {
			ev.Op, ev.Msg = election.Command, d.commands[ev.Timer-command]
		}
		if d.loses && n.me.ID != 1 { // Terms begin with the clock, and 2 has waited
			n.setStored(func(l *storeState) {
				l.seen = max(l.seen, uint64(ev.At/unit)*8+uint64(n.me.ID))
				if ev.Op == election.Start && n.me.ID == 2 {
					l.shown, l.since = true, -unit
				}
			})
		}
		n.Node.Step(e, ev)
		switch {
		case d.loses && n.me.ID == 1:
			d.lose(n, e, ev)
		case ev.Op == election.Init && n.me.ID == 1 && ev.Msg.Value == 1 && !d.absent:
			n.setStored(func(l *storeState) { l.stored, l.last = storelease.Value(0, 1, storelease.Record{Term: 1}), 1 })
			e.Save()
		case ev.Op == election.Start, ev.Op == election.Rejoin && d.returns && n.me.ID != 1:
			if ev.Op == election.Rejoin {
				n.Node.Step(e, &election.Event{Op: election.Start, At: ev.At})
			}
			for i := range d.commands {
				e.SetTimer(command+uint8(i), 0, 100*unit)
			}
		}
	})
}

// lose makes the store lose its record when a timer fires. The candidates have then had the time to read it.
func (d *deposit) lose(n *bent, e *election.Env, ev *election.Event) {
	const timer = 9
	switch l := n.stored(); {
	case ev.Op == election.Init:
		e.SetTimer(timer, 0, 100*unit)
	case l.stored.Kind != 0 && l.previous.Kind == 0 && n.marks == 0:
		n.marks = uint64(ev.At) + 1
	case ev.Op == election.Timeout && n.marks != 0 && ev.At+1 >= time.Duration(n.marks)+d.config.Poll+2*d.config.Lease:
		n.setStored(func(l *storeState) { l.stored, l.previous = election.Message{}, election.Message{} })
	}
}

// with returns the algorithm with these parameters.
func (d *deposit) with(c storelease.Config) *election.Algorithm {
	c.Delay, c.Stagger = unit, -1
	c.Lease = cmp.Or(c.Lease, 2*unit)
	c.Renew = cmp.Or(c.Renew, c.Lease)
	c.Drift = cmp.Or(c.Drift, -1)
	c.Patience, c.Poll = cmp.Or(c.Patience, 8*unit), cmp.Or(c.Poll, 8*unit)
	return must(storelease.New(c))
}

func (d *deposit) check(a *election.Algorithm) check.Config {
	ids := []election.ID{1, 2, 3}[:cmp.Or(d.members, 2)+1]
	c := check.Config{Input: scenario.Input{Algorithm: a, IDs: ids, Initiators: ids[1:]}, NoAnnouncement: true,
		Delay: 100 * unit, Tick: unit, Until: time.Duration(d.ticks)*unit + 1, Crashes: d.crashes,
		Recoveries: d.recoveries, Restarts: d.restarts}
	for i, rate := range d.rates {
		c.ClockRates = append(c.ClockRates, scenario.ClockRate{ID: ids[i], Rate: rate})
	}
	return c
}

// storeMistake is a mistake around a Node of package storelease.
type storeMistake struct {
	name, source, wrong, rule, setting string

	in   deposit
	step bend
}

func (m *storeMistake) exhibit() Entry {
	right := m.in.right()
	return Entry{Name: "storelease: " + m.name, Source: m.source, Wrong: m.wrong, Setting: m.setting,
		Config: m.in.check(with(right, m.step)), Control: Control{m.rule, m.in.check(right)}}
}

// answers reports whether a member receives the answer to its last PUT.
func (l *storeState) answers(ev *election.Event, kind uint8) bool {
	return received(ev, kind) && l.pending && ev.Msg.Round == l.put
}

// success makes a message the success of the last PUT.
func (l *storeState) success(ev *election.Event) {
	ev.Msg = storelease.Answer(storelease.KindWritten, l.put, l.named+1)
}

func storeExhibits() (all []Entry) {
	for _, m := range storeMistakes() {
		x := m.exhibit()
		if m.name == openSuccess {
			x.Also = []Control{stepsDown()}
		}
		all = append(all, x)
	}
	return append(all, namedOther(), supersededPut())
}

func storeMistakes() []storeMistake {
	return []storeMistake{{
		name: "a lease begins when the answer arrives", source: known,
		wrong: "The leader counts its lease from the answer to its PUT. A candidate has seen the record earlier, " +
			"and its wait ends before the lease.",
		rule: "rule 5: it begins when the PUT is sent",
		in:   deposit{ticks: 3},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			was := n.stored()
			n.Node.Step(e, ev)
			if l := n.stored(); l.phase == storeLeading && l.until != was.until {
				n.setStored(func(l *storeState) { l.until = ev.At + 2*unit })
				e.Lease(l.mine, ev.At+2*unit)
			}
		},
	}, {
		name: "a wait begins when the read is sent", source: known,
		wrong: "A candidate counts its wait from the moment at which it sends GET. The leader may note the time " +
			"and write after that, so the wait ends before the lease.",
		rule: "rule 3: it begins when the answer arrives",
		in:   deposit{ticks: 3},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			was := n.stored()
			n.Node.Step(e, ev)
			l := n.stored()
			if l.number != was.number && l.number != l.put {
				n.marks = uint64(ev.At)
			}
			if l.since != was.since && l.phase == storeIdle {
				n.setStored(func(l *storeState) { l.since = time.Duration(n.marks) })
				n.look(e, ev.At)
			}
		},
	}, {
		name: "a candidate waits for the leader's Lease, whatever its clock", source: known,
		wrong: "A candidate waits for the leader's Lease without an allowance for drift. If its clock is fast " +
			"and the leader's clock is slow, the wait ends before the lease.",
		rule: "rule 3: it waits for GrantTime", setting: "The clock of process 3 is twice as fast as the clock " +
			"of process 2.",
		in: deposit{ticks: 3, config: storelease.Config{Drift: 1. / 3}, rates: []float64{1, 1, 2}},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			was := n.stored()
			n.Node.Step(e, ev)
			if l := n.stored(); l.since != was.since && l.phase == storeIdle {
				n.setStored(func(l *storeState) { l.since -= 2 * unit }) // 2 units instead of 4
				n.look(e, ev.At)
			}
		},
	}, {
		name: "a candidate waits for its own Lease", source: known,
		wrong: "A candidate waits for its own Lease, although the leader has a longer one. Its wait ends " +
			"before the lease.",
		rule:    "rule 3: it waits for the longer one",
		setting: "The Lease of process 2 is two units, and the Lease of process 3 is one.",
		in:      deposit{ticks: 2, config: storelease.Config{Lease: unit}, other: &storelease.Config{}},
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if received(ev, storelease.KindValue) {
				ev.Msg.Value &^= 1<<32 - 1
			}
			return true
		}),
	}, {
		name: "a release is written before the work has returned", source: known,
		wrong: "The leader writes its release before its work has stopped. The next leader starts while the last " +
			"one is still working.",
		rule: "rule 8: the lease ends first", setting: "A leader may resign at any moment.",
		in: deposit{ticks: 1, commands: []election.Message{lease.Resign(0, 0)}},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			fx := n.try(e, ev)
			doBut(e, fx, fx.Decided() && n.stored().phase != storeReleasing)
		},
	}, {
		name: "a release deletes the record", source: "synapse-ce, issue 406",
		wrong: "A release deletes the record, which no longer shows the last Term. A candidate that has not read " +
			"it starts with the first Term again.",
		rule: "rule 8: the record is never deleted", setting: "A leader may resign at any moment. Initially " +
			"there is no record.",
		in: deposit{ticks: 3, absent: true, commands: []election.Message{lease.Resign(0, 0)}},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			last := n.stored().last
			n.Node.Step(e, ev)
			if l := n.stored(); l.last != last && n.me.ID == 1 {
				if _, r := storelease.Read(&l.stored); r.Owner == 0 {
					n.setStored(func(l *storeState) { l.stored = election.Message{} })
				}
			}
		},
	}, {
		name: "a renewal writes the same value", source: known,
		wrong: "A renewal writes the same value, which has the same checksum. A candidate that has not seen the " +
			"renewal replaces the record as if nothing had been written.",
		rule: "no value occurs twice", setting: "A revision is a checksum of the value, as in object stores.",
		in: deposit{ticks: 3, config: storelease.Config{Renew: unit}},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			was := n.stored()
			fx := n.try(e, ev)
			_, r := storelease.Read(&was.stored)
			if l := n.stored(); n.me.ID == 1 && l.last != was.last && received(ev, storelease.KindPut) &&
				r.Owner != 0 && ev.Msg.Term == r.Term {
				n.setStored(func(l *storeState) { l.stored, l.previous, l.last = was.stored, was.previous, was.last })
				for i := range fx.Sends {
					fx.Sends[i].Msg.Value = was.stored.Value &^ (1<<32 - 1)
				}
			}
			do(e, fx)
		},
	}, {
		name: openSuccess, source: known,
		wrong: "A candidate treats a PUT with an open outcome as successful. The PUT was not written, and " +
			"another candidate takes the lease.",
		rule: "rule 7: it reads the record", setting: "One request fails.",
		in: deposit{ticks: 1, config: storelease.Config{Fails: 1}},
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if l := n.stored(); l.answers(ev, storelease.KindOpen) && l.phase == storeTaking {
				l.success(ev)
			}
			return true
		}),
	}, {
		name: "a process that returns continues its Term", source: known,
		wrong: "A process that returns from a crash continues to lead in its old Term. The Term does not " +
			"distinguish its writes from those before the crash.",
		rule: "rule 7: another incarnation is another owner",
		in:   deposit{ticks: 1, members: 1, crashes: 1, restarts: 1, returns: true, config: storelease.Config{Durable: true}},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			l := n.stored()
			continues := received(ev, storelease.KindValue) && ev.Msg.Rank.ID == n.me.ID && l.mine == 0 &&
				ev.Msg.Flags == 0
			if continues {
				ev.Msg.Rank.Priority = l.incarnation
				ev.Msg.Term--
				n.setStored(func(l *storeState) { l.seen = ev.Msg.Term })
			}
			n.Node.Step(e, ev)
		},
	}, {
		name: "a conflict of a renewal counts as success", source: known,
		wrong: "The leader counts a conflict as success, because an earlier PUT of its own was written. It " +
			"counts its lease from the later PUT, but a candidate has waited since the earlier one.",
		rule:    "rule 7: it reads the record",
		setting: "Process 2 renews every unit, and waits one unit for an answer.",
		in:      deposit{ticks: 3, other: &storelease.Config{Renew: unit, Patience: unit}},
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if l := n.stored(); l.answers(ev, storelease.KindConflict) && l.phase == storeLeading {
				l.success(ev)
			}
			return true
		}),
	}, {
		name: "a store without a record is free", source: known,
		wrong: "A candidate takes the lease immediately if there is no record. The store may have lost the " +
			"record of a leader.",
		rule: "rule 3: a candidate waits for a Lease", setting: "The store may crash and return without its data.",
		in: deposit{ticks: 1, crashes: 1, recoveries: 1},
		step: func(n *bent, e *election.Env, ev *election.Event) {
			n.Node.Step(e, ev)
			if l := n.stored(); received(ev, storelease.KindAbsent) && l.phase == storeIdle && l.revision == 0 {
				n.setStored(func(l *storeState) { l.since = -2 * unit })
				n.look(e, ev.At)
			}
		},
	}, {
		name: "a wait continues without answers", source: earlier,
		wrong: "A candidate continues its wait while the store does not answer. A record may have been written " +
			"and lost since the last answer.",
		rule:    "rule 3: it begins again with the next answer",
		setting: "The store may lose its record. Process 2 has already waited, and Terms start from the clock.",
		in: deposit{ticks: 3, absent: true, loses: true, config: storelease.Config{Lease: unit, Poll: unit},
			other: &storelease.Config{Lease: unit}},
		step: before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			n.setStored(func(l *storeState) { l.heard = ev.At })
			return true
		}),
	}}
}

const openSuccess = "an open PUT of a candidate counts as success"

// stepsDown is the opposite: a leader takes an open PUT for a failure. It is safe, and costs a lease.
func stepsDown() Control {
	d := deposit{ticks: 3, config: storelease.Config{Fails: 1, Renew: unit}}
	return Control{"a leader that lets its lease expire after an open PUT", d.check(with(d.right(),
		before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if l := n.stored(); l.answers(ev, storelease.KindOpen) && l.phase == storeLeading {
				ev.Op, ev.Msg = election.Command, lease.Lapse()
			}
			return true
		})))}
}

// namedOther: a candidate takes a lease that was released for another one.
func namedOther() Entry {
	d := deposit{ticks: 1, commands: []election.Message{lease.Resign(0, 3)}}
	audited := func(a *election.Algorithm) check.Config {
		return d.check(with(a, func(n *bent, e *election.Env, ev *election.Event) {
			_, r := storelease.Read(&ev.Msg)
			released := received(ev, storelease.KindValue) && r.Owner == 0 && r.Next != 0 && r.Next != n.me.ID
			was := n.stored().phase
			n.Node.Step(e, ev)
			if released && was == storeIdle && n.stored().phase == storeTaking {
				panic(Audit + "it takes a lease that was released for another process")
			}
		}))
	}
	return Entry{
		Name: "storelease: a release for another process is for all", Source: known,
		Wrong: "All candidates take a lease that was released for one of them. The successor's PUT fails with " +
			"a conflict, and another process leads.",
		Setting: "A leader may hand over to process 3 at any moment.",
		Config: audited(with(d.right(), before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if _, r := storelease.Read(&ev.Msg); received(ev, storelease.KindValue) && r.Owner == 0 {
				ev.Msg.Rank.ID = 0
			}
			return true
		}))),
		Control: Control{"rule 8: the others wait as for an owner", audited(d.right())},
	}
}

// supersededPut: answers take longer than a process waits for them.
func supersededPut() Entry {
	right := must(storelease.New(storelease.Config{Lease: 8 * unit, Renew: 2 * unit, Patience: unit, Delay: unit,
		Drift: -1}))
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}}, Until: 100 * unit}
	}
	return Entry{
		Name: "storelease: answers that come later than expected", Source: earlier,
		Wrong: "A process receives the answer to a GET that it sent before its PUT, and sends the PUT again. " +
			"Each PUT conflicts with the one before, and no process leads although the store answers.",
		Setting: "A process waits one unit for an answer.",
		Config: setting(with(right, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if l := n.stored(); received(ev, storelease.KindValue) || received(ev, storelease.KindAbsent) {
				if l.pending && l.phase != storeIdle {
					n.setStored(func(l *storeState) { l.looks = true })
					ev.Msg.Round = l.put + 1
				}
			}
			return true
		}))),
		Control: Control{"rule 7: only a read that was sent later shows the outcome", setting(right)},
		played:  true,
	}
}
