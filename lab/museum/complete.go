package museum

import (
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/afekgafni"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lmw"
	"github.com/go-election/election/modbully"
)

const unit = scenario.Unit

// must returns an algorithm that can be configured so.
func must(a *election.Algorithm, err error) *election.Algorithm {
	if err != nil {
		panic(err)
	}
	return a
}

// timed is a check of an algorithm in which messages take up to one unit.
func timed(a *election.Algorithm, n int, down, starters []election.ID) check.Config {
	c := check.Config{Input: scenario.Input{Algorithm: a, Crashed: down, Initiators: starters}, Delay: unit}
	for id := range n {
		c.IDs = append(c.IDs, election.ID(id+1))
	}
	return c
}

// oneAtATime is more than that no Term has two leaders.
var oneAtATime = check.Property{Name: "one leader at a time", Kind: verdict.Always,
	Holds: func(s *check.State) bool {
		leaders := 0
		for p := range s.Len() {
			if s.Up(p) && s.Outcome(p).Role == election.Leader {
				leaders++
			}
		}
		return leaders < 2
	}}

func judged(c check.Config) check.Config {
	c.Properties = []check.Property{oneAtATime}
	return c
}

func completeExhibits() []Entry {
	return slices.Concat(bullyExhibits(), modbullyExhibits(), inquiryExhibits(), mutualCapture(),
		strayAnswers(), groupExhibits(), mutexExhibits())
}

func bullyExhibits() []Entry {
	const electing, askUp = 40, 1 // the place of a field, and a kind
	rules := must(bully.Rules(bully.Config{}))
	guarded := func(a *election.Algorithm) check.Config {
		return timed(audited(a, asksOnce(askUp)), 4, []election.ID{4}, []election.ID{1})
	}
	hasty := must(bully.Rules(bully.Config{AliveTimeout: unit, Unsafe: true}))
	back := func(a *election.Algorithm) check.Config {
		c := timed(a, 2, nil, []election.ID{1})
		c.Crashes, c.Recoveries = 1, 1
		return c
	}
	late := timed(rules, 2, nil, nil)
	late.Delay = 0
	cut := timed(rules, 2, nil, nil)
	cut.Losses = check.Unlimited
	return []Entry{{
		Name: "bully: a process that is asked elects, even if it does already", Source: notesRU,
		Wrong: "Rule 4 of the notes makes every process that is asked start an election, even if it is already " +
			"in one. One initiator among n live processes causes 2^(n-1)-1 ELECTIONs.",
		Config: guarded(with(rules, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if received(ev, askUp) {
				n.set(electing, 0)
			}
			return true
		}))),
		Control: Control{"rules", guarded(rules)},
	}, {
		Name: "bully: the time-out is shorter than two delays", Source: notesRU,
		Wrong: "The notes give no value for the time-out. With a time-out of one delay, a process takes over " +
			"although a larger process answers in time.",
		Config:  judged(timed(hasty, 2, nil, []election.ID{1})),
		Control: Control{"rules, three delays", judged(timed(rules, 2, nil, []election.ID{1}))},
	}, {
		Name: "bully: a process that comes back keeps silent", Source: notesRU,
		Wrong: "The six rules do not make a process that returns start an election. After a crash and a return " +
			"the process does not know who leads.",
		Config: back(with(rules, before(func(_ *bent, _ *election.Env, ev *election.Event) bool {
			return ev.Op != election.Rejoin
		}))),
		Control: Control{"rules", back(rules)},
	}, {
		Name:   "bully: messages are late",
		Source: "H. Garcia-Molina 1982, who assumes that they are not",
		Limit:  true,
		Wrong: "The algorithm needs a bound on delays. Without a bound, a time-out does not prove that a " +
			"process is down, and two processes lead.",
		Config:  judged(late),
		Control: Control{"the same, messages arrive in time", judged(timed(rules, 2, nil, nil))},
	}, {
		Name:   "bully: the network is cut in two",
		Source: "H. Garcia-Molina 1982, who assumes that it is not",
		Limit:  true,
		Wrong: "The algorithm needs a network without partitions. Messages across the cut are lost, and each " +
			"side elects its own leader.",
		Config:  judged(cut),
		Control: Control{"the same, nothing is lost", judged(timed(rules, 2, nil, nil))},
	}, restoredElecting(), haltingHeartbeats(), suspectedAsked(), bullyHole()}
}

// restoredElecting: a process that comes back with its state is only started.
func restoredElecting() Entry {
	const electing = 40 // the place of a field
	started := with(must(bully.Rules(bully.Config{})), func(n *bent, e *election.Env, ev *election.Event) {
		copied := *ev
		if ev.Op == election.Rejoin {
			copied.Op = election.Start
		}
		n.Node.Step(e, &copied)
	})
	setting := func(a *election.Algorithm) check.Config {
		c := timed(a, 2, nil, []election.ID{1})
		c.Crashes, c.Restarts = 1, 1
		return c
	}
	return Entry{
		Name:    "bully: a restored process takes itself for electing",
		Source:  "an earlier version of this project",
		Setting: "A process that returns with its state receives a Start instead of a Rejoin.",
		Wrong: "The state of an election in progress is saved, but its timers are not. The restored process " +
			"believes that it is still electing, and ignores every Start and every suspicion.",
		Config: setting(with(started, func(n *bent, e *election.Env, ev *election.Event) {
			was := n.is(electing)
			if n.Node.Step(e, ev); ev.Op == election.Init && was {
				n.set(electing, 1)
			}
		})),
		Control: Control{"rules", setting(started)},
	}
}

// haltingHeartbeats: the first heartbeat waits until all are done.
func haltingHeartbeats() Entry {
	const beat, watch = 2, 3 // timers
	right := must(bully.Halting(bully.Config{Heartbeat: 2 * unit}))
	setting := func(a *election.Algorithm) check.Config {
		c := timed(audited(a, func(_ *bent, ev *election.Event, _ *election.Outgoing) string {
			if ev.Op == election.Timeout && ev.Timer == watch {
				return "it suspects a leader that is up"
			}
			return ""
		}), 3, nil, []election.ID{3})
		c.Started, c.Until = true, 12*unit
		return c
	}
	return Entry{
		Name:   "bully/halting: the first heartbeat waits for the last DONE",
		Source: "an earlier version of this project",
		Wrong: "The leader sends its first heartbeat after the last DONE, but followers expect one from READY " +
			"on, up to three delays earlier. They suspect the leader, and elections never end.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			fx := n.try(e, ev)
			if ev.Op != election.Timeout || ev.Timer != beat {
				fx.Timers = slices.DeleteFunc(fx.Timers, func(c election.TimerChange) bool {
					return c.Timer == beat && !c.Stop
				})
			}
			do(e, fx)
			if fx.Decided() && fx.Outcome.Role == election.Leader {
				e.SetTimer(beat, 2*unit, 2*unit)
			}
		})),
		Control: Control{"halting", setting(right)},
	}
}

func modbullyExhibits() []Entry {
	number := func(c modbully.Config) *election.Algorithm { return must(modbully.New(modbully.Number, c)) }
	hasty := func(accept time.Duration) check.Config {
		a := number(modbully.Config{AcceptTimeout: accept, Unsafe: true, Coordinator: 4})
		return judged(timed(a, 4, []election.ID{4}, []election.ID{1, 2}))
	}
	literal := func(reset bool) check.Config {
		c := timed(number(modbully.Config{LiteralReset: reset, Coordinator: 5}), 5, []election.ID{5},
			[]election.ID{3, 1})
		c.StartTimes = []time.Duration{0, 20 * unit}
		c.CrashAt = []scenario.At{{ID: 2, Time: 3 * unit / 2}}
		return c
	}
	back := func(a *election.Algorithm) check.Config {
		c := timed(a, 2, nil, []election.ID{})
		c.Crashes, c.Recoveries = 1, 1
		return c
	}
	base := must(modbully.New(modbully.Base, modbully.Config{Coordinator: 2}))
	return []Entry{startSuspects(), {
		Name: "modbully: the accept timer is shorter than two delays", Source: paperFA,
		Wrong: "Only the first process that asks receives ACCEPT. The others take the silence for a crash and " +
			"ask the next process, so two processes lead.",
		Config:  hasty(unit),
		Control: Control{"three delays", hasty(3 * unit)},
	}, {
		Name: "modbully: the election number is never reset after a crash", Source: paperFA,
		Wrong: "Only the last REPLY resets the election number. If a process crashes before its REPLY, all later " +
			"ELECTIONs are ignored forever.",
		Config:  literal(true),
		Control: Control{"number, with a time-out", literal(false)},
		played:  true,
	}, {
		Name: "modbully: a larger process that comes back only asks", Source: paperFA,
		Wrong: "A process that returns asks who leads and follows this leader, even if the leader is smaller. " +
			"The largest process then does not lead.",
		Config: back(with(base, before(func(n *bent, e *election.Env, ev *election.Event) bool {
			const leader = 5
			smaller := received(ev, leader) && ev.Msg.Rank.Less(n.me)
			if smaller {
				e.StopTimer(0)
				e.DecideIn(ev.Msg.Term, ev.Msg.Rank)
				e.Done()
			}
			return !smaller
		}))),
		Control: Control{"base", back(base)},
	}, unknownWait()}
}

// startSuspects: a Start at a follower is taken for the crash of its leader.
func startSuspects() Entry {
	const leader = 16 // the place of a field: its ID
	right := must(modbully.New(modbully.Base, modbully.Config{}))
	setting := func(a *election.Algorithm) check.Config {
		return timed(a, 2, nil, []election.ID{2, 1})
	}
	return Entry{
		Name: "modbully: a start reports a crash", Source: "an earlier version of this project",
		Wrong: "A follower that starts assumes that its leader is down. If the leader is up, both lead, and only " +
			"the smaller processes hear of the new leader.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			suspects := *ev
			if led := n.state()[leader]; ev.Op == election.Start && led != 0 && election.ID(led) != n.me.ID {
				suspects.Op = election.Suspect
			}
			n.Node.Step(e, &suspects)
		})),
		Control: Control{"base", setting(right)},
	}
}

func inquiryExhibits() []Entry {
	const ask, ack = 1, 2    // kinds
	const maybe, lost = 0, 2 // states
	equal := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2},
			Priorities: []uint64{7, 7}}}
	}
	honest := func(a *election.Algorithm) check.Config {
		a = audited(a, func(n *bent, _ *election.Event, o *election.Outgoing) string {
			if o.Msg.Kind == ask && n.marks != 0 {
				return "it asks for itself after it has acknowledged a larger one"
			}
			if o.Msg.Kind == ack {
				n.marks = 1
			}
			return ""
		})
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3},
			Initiators: []election.ID{1, 3}}, Started: true}
	}
	crash := func(crashes int) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: inquiry.States(), IDs: []election.ID{1, 2}},
			Crashes: crashes}
	}
	return []Entry{{
		Name: "inquiry: capacities that are equal", Source: notesFR,
		Wrong: "With ci <= ck, processes with equal capacities acknowledge each other. A process that asks alone " +
			"leads, whatever its ID. If two processes ask simultaneously, both lose.",
		Config: equal(with(inquiry.States(), func(n *bent, e *election.Env, ev *election.Event) {
			copied := *ev
			if received(ev, ask) && ev.Msg.Rank.Priority == n.me.Priority {
				copied.Msg.Rank.ID = math.MaxUint64
			}
			n.Node.Step(e, &copied)
		})),
		Control: Control{"states", equal(inquiry.States())},
	}, {
		Name: "inquiry: a process that has acknowledged may still be elected", Source: notesFR,
		Wrong: "A process that has acknowledged a larger one may later ask for itself, although it cannot win. " +
			"The election takes 11 messages instead of 8.",
		Config: honest(with(inquiry.States(), func(n *bent, e *election.Env, ev *election.Event) {
			was := n.state()[0]
			n.Node.Step(e, ev)
			if was == maybe && n.state()[0] == lost {
				n.set(0, maybe)
			}
		})),
		Control: Control{"states", honest(inquiry.States())},
	}, {
		Name: "inquiry: one crash", Source: notesFR + ", which call it the bully algorithm", Limit: true,
		Wrong: "The algorithm needs processes that do not crash: it has no time-outs, unlike the bully " +
			"algorithm. One process that is down blocks it forever.",
		Config:  crash(1),
		Control: Control{"the same, no process crashes", crash(0)},
	}, {
		Name: "inquiry: a message comes twice", Source: known,
		Wrong: "A candidate counts acknowledgements without looking at their senders. Two copies from one " +
			"process count as two processes, and a second process leads.",
		Config: doubling(with(inquiry.States(), func(n *bent, e *election.Env, ev *election.Event) {
			copied := *ev
			if received(ev, ack) && n.marks < uint64(e.Ports()) {
				copied.Port = election.Port(n.marks)
				n.marks++
			}
			n.Node.Step(e, &copied)
		}), 1),
		Control: Control{"states, which gathers them by port", doubling(inquiry.States(), 1)},
	}}
}

// mutualCapture: a candidate has no owner in the beginning.
func mutualCapture() []Entry {
	const capture, accept = 1, 2 // kinds
	const candidate = 1          // a state
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}}}
	}
	return []Entry{{
		Name:   "afekgafni/async: a candidate does not own itself",
		Source: known,
		Wrong: "A candidate has no owner, so it accepts the first process that tries to capture it. Two " +
			"candidates capture each other, and both lead.",
		Config: setting(with(afekgafni.Async(), before(func(n *bent, e *election.Env,
			ev *election.Event) bool {
			first := received(ev, capture) && n.state()[0] == candidate && n.marks == 0
			if first {
				n.marks = 1
				e.Send(ev.Port, election.Message{Kind: accept})
			}
			return !first
		}))),
		Control: Control{"async", setting(afekgafni.Async())},
	}}
}

// strayAnswers: a process that forwards a challenge reports its own progress.
func strayAnswers() []Entry {
	const elect = 1 // a kind
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Started: true,
			Input: scenario.Input{Algorithm: a, IDs: []election.ID{3, 1, 2}}}
	}
	return []Entry{{
		Name:   "lmw: the answer goes to the one that has passed a challenge on",
		Source: known,
		Wrong: "A beaten process that passes a challenge on gives the distance from itself, not from the " +
			"challenger. The answer returns to the beaten process, and circulates among beaten processes forever.",
		Config: setting(with(lmw.Algorithm(), sends(func(n *bent, _ *election.Event,
			o *election.Outgoing) bool {
			if o.Msg.Kind == elect && o.Msg.Rank != n.me {
				o.Msg.Value = uint64(o.Port) + 1
			}
			return true
		}))),
		Control: Control{"lmw", setting(lmw.Algorithm())},
	}}
}

// doubling is a check among three processes, all of which start, on links that double some messages.
func doubling(a *election.Algorithm, messages int) check.Config {
	return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3}},
		Duplicates: messages,
		Started:    true}
}
