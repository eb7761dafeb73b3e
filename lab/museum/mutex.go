package museum

import (
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/mutex"
)

func mutexExhibits() []Entry {
	const ask, ok = 1, 2 // kinds
	right := must(mutex.RicartAgrawala(mutex.Config{CriticalSection: unit}))
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}}}
	}
	doubled := func(a *election.Algorithm) check.Config {
		c := setting(a)
		c.IDs, c.Duplicates, c.Started = []election.ID{1, 2, 3}, 1, true
		return c
	}
	return []Entry{{
		Name: "mutex: equal timestamps", Source: notesRU,
		Wrong: "Requests with equal timestamps are not ordered by ID. Each of two processes gives way to the " +
			"other, and both enter.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			if received(ev, ask) && ev.Msg.Value == n.marks {
				e.Send(ev.Port, election.Message{Kind: ok, Value: ev.Msg.Value})
				return
			}
			fx := n.try(e, ev)
			for _, o := range fx.Sends {
				if o.Msg.Kind == ask {
					n.marks = o.Msg.Value
				}
			}
			if len(fx.Signals) > 0 {
				n.marks = 0
			}
			do(e, fx)
		})),
		Control: Control{"ricartagrawala", setting(right)},
	}, {
		Name: "mutex: clocks do not advance on receipt", Source: notesRU,
		Wrong: "A process does not advance its clock when it receives a request. Its next request may then " +
			"repeat the number of a request that it has already answered, so fencing tokens do not increase.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			clock, asPrinted := n.state()[:8], *ev
			asPrinted.Msg.Term = 0 // OK contains only the request that it answers
			n.Node.Step(e, &asPrinted)
			if ev.Op == election.Recv {
				n.restore(append(clock, n.state()[8:]...))
			}
		})),
		Control: Control{"ricartagrawala", setting(right)},
	}, {
		Name: "mutex: answers are counted", Source: "an earlier version of this project",
		Wrong: "A process counts OKs without looking at their senders. A duplicate OK counts as the answer of " +
			"another process, which is inside.",
		Setting: "One message arrives twice.",
		Config: doubled(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			counted := *ev
			if received(ev, ok) {
				counted.Port = election.Port(n.marks)
				n.marks++
			}
			n.Node.Step(e, &counted)
			if ev.Op == election.Start {
				n.marks = 0
			}
		})),
		Control: Control{"ricartagrawala", doubled(right)},
	}, arbiterExhibit(), pausedArbiter(), latePeer(), clockWraps(), tokenCopied(), tokenLost(), idleToken(),
		allRestart(), shortGrace(), largeTerms()}
}

// arbiterExhibit is an arbiter that does not hear of the reigns of others.
func arbiterExhibit() Entry {
	right := must(mutex.Arbiter(mutex.Config{CriticalSection: unit,
		Election: must(modbully.New(modbully.Base, modbully.Config{}))}))
	kind := func(name string) uint8 {
		return uint8(1 + slices.IndexFunc(right.Kinds, func(k election.Kind) bool { return k.Name == name }))
	}
	claim, later := kind("claim"), kind("later")
	setting := func(a *election.Algorithm) check.Config {
		at := func(id election.ID, units float64) scenario.At {
			return scenario.At{ID: id, Time: time.Duration(units * float64(unit))}
		}
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3},
			Priorities: []uint64{1, 0, 0}, Initiators: []election.ID{2, 3},
			StartTimes: []time.Duration{0, 30 * unit}, SuspectAfter: 26 * unit,
			CrashAt: []scenario.At{at(3, 1.5), at(1, 8)}, RestartAt: []scenario.At{at(3, 20)}}}
	}
	return Entry{
		Name: "mutex: an arbiter goes by the Term alone", Source: "an earlier version of this project",
		Wrong: "A new arbiter does not ask the others for earlier reigns. A process that returns may lead in a " +
			"Term in which another arbiter has already granted larger tokens.",
		Config: setting(with(right, before(func(_ *bent, _ *election.Env, ev *election.Event) bool {
			return !received(ev, claim) && !received(ev, later)
		}))),
		Control: Control{"arbiter, claims and their replies", setting(right)},
		played:  true,
	}
}

// pausedArbiter: an arbiter that was replaced while it was paused continues its old reign.
func pausedArbiter() Entry {
	right := must(mutex.Arbiter(mutex.Config{CriticalSection: unit,
		Election: must(bully.Rules(bully.Config{Heartbeat: 8 * unit}))}))
	kind := func(name string) uint8 {
		return uint8(1 + slices.IndexFunc(right.Kinds, func(k election.Kind) bool { return k.Name == name }))
	}
	claim, later, grant := kind("claim"), kind("later"), kind("grant")
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3},
			Initiators: []election.ID{1}, PauseAt: []scenario.Pause{{ID: 3, From: 9 * unit,
				Until: 33 * unit}}},
			Until: 46 * unit}
	}
	return Entry{
		Name: "mutex: an arbiter keeps its reign over a pause", Source: earlier,
		Wrong: "An arbiter continues its old reign after a pause, although another arbiter has granted in the " +
			"meantime. When it leads again, in a later Term, its tokens are too small.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			if received(ev, claim) || received(ev, later) {
				return
			}
			copied := *ev
			if received(ev, grant) && e.Peer(ev.Port).ID == 3 {
				if n.marks == 0 {
					n.marks = ev.Msg.Value // of its first reign, in which it counts on
				}
				copied.Msg.Value = n.marks
				n.marks++
			}
			n.Node.Step(e, &copied)
		})),
		Control: Control{"arbiter", setting(right)},
		played:  true, prompts: []prompt{{after(29), 1, election.Start, 0},
			{after(42), 1, election.Start, 0}},
	}
}

// latePeer: a request is lost since its receiver is not up yet.
func latePeer() Entry {
	right := must(mutex.RicartAgrawala(mutex.Config{CriticalSection: unit}))
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2},
			Initiators: []election.ID{1}, Crashed: []election.ID{2}, RecoverAt: when(2, 5)}}
	}
	return Entry{
		Name: "mutex: a process is not asked again when it is up", Source: earlier,
		Wrong: "A Trust has no effect for a process that was not suspected, but was not up yet when it was " +
			"asked. It is not asked again, and the request waits forever.",
		Config: setting(with(right, before(func(_ *bent, _ *election.Env, ev *election.Event) bool {
			return ev.Op != election.Trust
		}))),
		Control: Control{"ricartagrawala", setting(right)},
		played:  true, prompts: []prompt{{after(6), 1, election.Trust, 2}},
	}
}

// clockWraps: the numbers of requests are used up.
func clockWraps() Entry {
	const most = math.MaxUint8
	aged := with(must(mutex.RicartAgrawala(mutex.Config{CriticalSection: unit})),
		func(n *bent, e *election.Env, ev *election.Event) {
			n.Node.Step(e, ev)
			if ev.Op == election.Init {
				n.setNumber(0, most-1)
			}
		})
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}}}
	}
	return Entry{
		Name: "mutex: the clock wraps to zero", Source: earlier,
		Wrong: "The clock continues at zero after its largest number. Fencing tokens start again with the smallest.",
		Setting: "The clock stands at 254. The wrong clock has 8 bits. The right clock has 62 bits, and the " +
			"process refuses requests after the last number.",
		Config: setting(with(aged, func(n *bent, e *election.Env, ev *election.Event) {
			fx := n.try(e, ev)
			for i := range fx.Signals {
				fx.Signals[i].Event.Msg.Value &= most<<1 | 1 // the lowest bit is the place of the process
			}
			do(e, fx)
		})),
		Control: Control{"ricartagrawala", setting(aged)},
	}
}

// ringOf is a check of a token ring.
func ringOf(c mutex.Config, ids ...election.ID) check.Config {
	c.CriticalSection = unit
	return check.Config{Input: scenario.Input{Algorithm: must(mutex.TokenRing(c)), IDs: ids}, Started: true}
}

// tokenCopied and tokenLost: what a token ring does not survive, and claims no more to survive.
func tokenCopied() Entry {
	right := ringOf(mutex.Config{First: 1}, 1, 2, 3)
	right.Started = false
	copied := right
	copied.Duplicates = 1
	return Entry{
		Name: "mutex/tokenring: the token comes twice", Source: known, Limit: true,
		Wrong: "The algorithm needs links that do not duplicate messages. If the token arrives twice, two " +
			"processes hold it.",
		Config: copied, Control: Control{"the same, each message arrives once", right},
	}
}

func tokenLost() Entry {
	right := ringOf(mutex.Config{First: 1, Hops: 6}, 1, 2)
	lost := right
	lost.Losses = 1
	return Entry{
		Name: "mutex/tokenring: the token is lost", Source: known, Limit: true,
		Wrong: "Without Regenerate the algorithm needs links that lose nothing. If the token is lost, no " +
			"process creates another one.",
		Config: lost, Control: Control{"the same, nothing is lost", right},
	}
}

// idleToken: a token that no process wants goes round as fast as messages do.
func idleToken() Entry {
	const timerRest = mutex.MaxSections
	right := must(mutex.TokenRing(mutex.Config{First: 1, CriticalSection: unit, Rest: 10 * unit}))
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3},
			Initiators: []election.ID{}}, Until: 1000 * unit}
	}
	return Entry{
		Name: "mutex/tokenring: an idle token does not rest", Source: earlier,
		Wrong: "An idle token circulates as fast as messages travel. A service whose lock nobody wants uses a " +
			"whole processor.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			fx := n.try(e, ev)
			for i := range fx.Timers {
				if c := &fx.Timers[i]; c.Timer == timerRest && !c.Stop {
					c.Min, c.Max = 0, 0
				}
			}
			do(e, fx)
		})),
		Control: Control{"tokenring", setting(right)},
		counted: "on an idle ring of 3, in 1000 units",
	}
}

// allRestart is a group whose members have all been down.
func allRestart() Entry {
	right := must(mutex.RicartAgrawala(mutex.Config{CriticalSection: unit}))
	setting := func(a *election.Algorithm) check.Config {
		both := func(units float64) []scenario.At { return append(when(1, units), when(2, units)...) }
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2},
			Initiators: []election.ID{2, 1}, StartTimes: []time.Duration{0, after(20)},
			CrashAt: both(10), RestartAt: both(15)}}
	}
	return Entry{
		Name: "mutex: the numbers of requests are not saved", Source: earlier,
		Wrong: "Processes do not save the numbers of their requests. After all of them have been down, requests " +
			"and fencing tokens are numbered from 1 again.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			if ev.Op == election.Init {
				new(election.State).Reset(n.Node)
			}
			n.Node.Step(e, ev)
		})),
		Control: Control{"ricartagrawala", setting(right)},
		played:  true,
	}
}

// shortGrace: an arbiter grants before it has heard which process is inside.
func shortGrace() Entry {
	arbiter := func(delay time.Duration) *election.Algorithm {
		a := *must(mutex.Arbiter(mutex.Config{CriticalSection: 5 * unit, Delay: delay,
			Election: must(bully.Rules(bully.Config{}))}))
		a.Delay = unit // the delay of the links, whatever delay the arbiter assumes
		return &a
	}
	setting := func(a *election.Algorithm) check.Config {
		c := timed(a, 2, nil, nil)
		c.Crashes, c.Restarts = 1, 1
		return c
	}
	return Entry{
		Name: "mutex: Grace is shorter than two delays", Source: earlier,
		Wrong: "A new arbiter grants before the replies to its claim have arrived. One of them may declare that " +
			"its sender is inside, and then two processes are inside.",
		Setting: "The constructor rejects such a Grace. Here the arbiter assumes half of the real delay.",
		Config:  setting(arbiter(unit / 2)),
		Control: Control{"arbiter, a Grace of two delays", setting(arbiter(unit))},
	}
}

// largeTerms: Terms have grown past what a token has room for.
func largeTerms() Entry {
	// The Term of bully stands behind the flag that its election has ended.
	const grace, term, first = 3 * mutex.MaxSections, 1, 1 << 32
	aged := with(must(mutex.Arbiter(mutex.Config{CriticalSection: unit,
		Election: must(bully.Rules(bully.Config{}))})),
		func(n *bent, e *election.Env, ev *election.Event) {
			n.Node.Step(e, ev)
			if ev.Op == election.Init {
				n.setNumber(term, first-1)
			}
		})
	setting := func(a *election.Algorithm) check.Config { return timed(a, 2, nil, nil) }
	return Entry{
		Name: "mutex: an arbiter of a Term that no token has room for grants nothing", Source: earlier,
		Wrong:   "A token has 32 bits for the Term. From Term 2^32 on, an elected arbiter cannot grant anything.",
		Setting: "The previous election was in Term 2^32-1.",
		Config: setting(with(aged, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			return ev.Op != election.Timeout || ev.Timer != grace || n.innermost().number(term) < first
		}))),
		Control: Control{"arbiter, reigns have numbers of their own", setting(aged)},
	}
}
