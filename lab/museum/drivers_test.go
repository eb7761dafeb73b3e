package museum

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/process"
)

// driver begins the names of mistakes of drivers.
const driver = "driver: "

// held are the tests of drivers and of the contract, as directory.Test, that hold what an exhibit breaks.
var held = map[string][]string{
	driver + "a packet that comes again is delivered again": {"process.TestCopies",
		"process.TestCopiesOnGoroutines"},
	driver + "a packet of an older Term is delivered": {"election.TestTermKeeperOlderTerm"},
	driver + "the state is kept over an adopted Term": {"election.TestTermKeeperNewerTerm",
		"process.TestNextTermStopsTimers"},
	driver + "a timer that was stopped runs out": {"internal/alarm.TestClock",
		"process.TestTimersOfRun", "local.TestTimers"},
	driver + "a timer does not wake the process": {"internal/mailbox.TestReaderIsWoken",
		"internal/alarm.TestClock"},
	driver + "it sends before it saves": {"process.TestStepOrder",
		"process.TestNothingLeavesUnsaved"},
	driver +
		"a lease is taken back once its release is sent": {"process.TestLeaseEndsBeforeItIsReleased"},
	driver + "a Term out of reach is adopted": {"process.TestTermsOutOfReach",
		"process.TestLedOutOfLateTerms"},
	driver + "a Start between the decision and the end is swallowed": {"process.TestStartAfterDecision"},
}

// driverExhibits are mistakes of what carries the Nodes. The Node is right, and a second one around it stands
// for the driver: it handles events and effects as a driver with the mistake would.
func driverExhibits() []Entry {
	return []Entry{copiesArrive(), olderTerm(), stateKept(), stoppedTimer(), savedLate(), wakeUpLost(),
		leaseKept(), outOfReach(), startSwallowed()}
}

// copiesArrive: packets are numbered, and one that comes again is delivered again.
func copiesArrive() Entry {
	// Round, which echo does not use, carries the number of a packet. The upper half of the marks counts the
	// packets sent. The lower half contains the numbers of the packets that arrived last, for each of two
	// ports.
	const sent, port, number = 32, 16, 0xffff
	numbered := with(echo.Implicit(), func(n *bent, e *election.Env, ev *election.Event) {
		if ev.Op == election.Recv {
			shift := port * ev.Port
			last := n.marks >> shift & number
			if uint64(ev.Msg.Round) <= last {
				return
			}
			n.marks += (uint64(ev.Msg.Round) - last) << shift
		}
		fx := n.try(e, ev)
		for i := range fx.Sends {
			n.marks += 1 << sent
			fx.Sends[i].Msg.Round = uint32(n.marks >> sent)
		}
		do(e, fx)
	})
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3},
			Initiators: []election.ID{1}}, Duplicates: 1}
	}
	return Entry{
		Name: driver + "a packet that comes again is delivered again", Source: earlier,
		Wrong: "The driver delivers a duplicate packet again. Networks duplicate packets, and an algorithm need " +
			"not tolerate that.",
		Setting: "One message arrives twice. Packets are numbered, and a packet whose number is not larger than " +
			"the last one is a copy.",
		Config: setting(with(numbered, func(n *bent, e *election.Env, ev *election.Event) {
			copied := *ev
			if ev.Op == election.Recv {
				n.marks++
				copied.Msg.Round = uint32(n.marks) // so that a copy passes for a new packet
			}
			n.Node.Step(e, &copied)
		})),
		Control: Control{"implicit, copies are dropped", setting(numbered)},
	}
}

// keeping returns an algorithm with the Terms that every driver keeps around its Node, as part of the Node.
func keeping(a *election.Algorithm) *election.Algorithm {
	copied := *a
	copied.Elects = election.Successors
	copied.New = func(s election.Setup) election.Node {
		keeper := a.NewNode(s, !a.TwoWay)
		return &keeper
	}
	return &copied
}

// The first numbers in the state of a TermKeeper.
const keptTerm, keptLive, keptFlags = 0, 8, 24

// olderTerm: a packet of an election that is over reaches the Node of the present one.
func olderTerm() Entry {
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3}},
			Unordered: true}
	}
	right := keeping(franklin.Algorithm())
	return Entry{
		Name: driver + "a packet of an older Term is delivered", Source: known,
		Wrong: "The driver delivers a packet of an earlier election to the Node of the current one. The Node " +
			"takes it for a message of the current election.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			copied := *ev
			if term := n.number(keptTerm); ev.Op == election.Recv && ev.Msg.Term < term {
				copied.Msg.Term = term
			}
			n.Node.Step(e, &copied)
		})),
		Control: Control{"franklin, it is dropped", setting(right)},
	}
}

// stateKept: a process joins a later election with what it knows of the one before.
func stateKept() Entry {
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}}}
	}
	right := keeping(franklin.Algorithm())
	return Entry{
		Name: driver + "the state is kept over an adopted Term", Source: known,
		Wrong: "The driver keeps the state of the Node when it adopts a larger Term. A process that has lost one " +
			"election does not take part in the next.",
		Config: setting(with(right, before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			newer := ev.Op == election.Recv && ev.Msg.Kind != election.CatchUp &&
				ev.Msg.Term > n.number(keptTerm)
			if newer && n.number(keptTerm) != 0 {
				b := n.state()
				binary.LittleEndian.PutUint64(b[keptTerm:], ev.Msg.Term)
				binary.LittleEndian.PutUint64(b[keptLive:], ev.Msg.Term)
				clear(b[keptFlags : keptFlags+3])
				n.restore(b)
			}
			return true
		}))),
		Control: Control{"franklin, the Node begins anew", setting(right)},
	}
}

// stoppedTimer: a timer that was stopped runs out all the same.
func stoppedTimer() Entry {
	right := must(bully.Rules(bully.Config{}))
	setting := func(a *election.Algorithm) check.Config { return timed(a, 2, nil, []election.ID{1}) }
	return Entry{
		Name: driver + "a timer that was stopped runs out", Source: known,
		Wrong: "A timer fires although the algorithm has stopped it. A process takes over although it was " +
			"answered in time.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			fx := n.try(e, ev)
			fx.Timers = slices.DeleteFunc(fx.Timers, func(c election.TimerChange) bool { return c.Stop })
			do(e, fx)
		})),
		Control: Control{"rules, it is stopped", setting(right)},
	}
}

// wakeUpLost: a process sleeps, and its timer does not wake it.
func wakeUpLost() Entry {
	right := must(bully.Rules(bully.Config{}))
	setting := func(a *election.Algorithm) check.Config {
		return timed(a, 2, []election.ID{2}, []election.ID{1})
	}
	return Entry{
		Name: driver + "a timer does not wake the process", Source: known,
		Wrong: "A timer that expires does not wake the process. The process waits forever for the answer of a " +
			"process that is down.",
		Config: setting(with(right, before(func(_ *bent, _ *election.Env, ev *election.Event) bool {
			return ev.Op != election.Timeout
		}))),
		Control: Control{"rules, it wakes the process", setting(right)},
	}
}

// savedLate: what a step sends leaves before its state is saved, and the process crashes between.
func savedLate() Entry {
	right := voting()
	setting := func(a *election.Algorithm) check.Config {
		c := check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3},
			Initiators: []election.ID{1, 2}}, Crashes: 1, Restarts: 1}
		c.Properties = []check.Property{{Name: "one process has the vote", Kind: verdict.Always,
			Holds: func(s *check.State) bool {
				return s.Outcome(0).Role != election.Leader || s.Outcome(1).Role != election.Leader
			}}}
		return c
	}
	return Entry{
		Name: driver + "it sends before it saves", Source: known,
		Wrong: "The driver sends the reply before it saves the vote. If the process crashes in between, it has " +
			"forgotten its vote when it returns, and votes again.",
		Setting: "Process 3 has one vote, and gives it to the first process that asks. The step that sends the " +
			"reply also saves the vote.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			if n.marks == 1 {
				e.Save()
			}
			fx := n.try(e, ev)
			n.marks = 0
			if fx.Saved() {
				n.marks = 1
			}
			doUnsaved(e, fx, fx.Decided())
		})),
		Control: Control{"it saves before it sends", setting(right)},
	}
}

// voter is a process that asks 3 for its vote, or is 3.
type voter struct {
	me    election.Rank
	voted bool
}

// voting returns an algorithm for which it matters what is saved when.
func voting() *election.Algorithm {
	return &election.Algorithm{Name: "vote", Topology: election.Complete, TwoWay: true,
		Elects: election.NoLeader, Faults: election.Faults{Crash: election.MayRestart},
		Kinds: []election.Kind{{Name: "request"}, {Name: "vote"}},
		New:   func(s election.Setup) election.Node { return &voter{me: s.Self} }}
}

func (v *voter) State(s *election.State) { s.Bool(&v.voted) }

func (v *voter) Step(e *election.Env, ev *election.Event) {
	const request, vote = 1, 2
	switch {
	case ev.Op == election.Start:
		for port := range election.Port(e.Ports()) {
			if e.Peer(port).ID == 3 {
				e.Send(port, election.Message{Kind: request})
			}
		}
	case received(ev, request) && !v.voted:
		v.voted = true
		e.Save()
		e.Send(ev.Port, election.Message{Kind: vote})
	case received(ev, vote):
		e.Decide(v.me)
	}
}

// leaseKept: what a step believes is made known once all its messages are sent, which may take a while.
func leaseKept() Entry {
	const resign, sent = 9, 8 // timers: the leader resigns; the last message has been sent
	resigns := with(leases(together, false), func(n *bent, e *election.Env, ev *election.Event) {
		if ev.Op == election.Timeout && ev.Timer == resign {
			ev.Op, ev.Msg = election.Command, lease.Resign(0, 0)
		} else if ev.Op == election.Start {
			e.SetTimer(resign, 0, 100*unit)
		}
		n.Node.Step(e, ev)
	})
	in := leased{ticks: 1, candidates: twoCandidates}
	return Entry{
		Name: driver + "a lease is taken back once its release is sent", Source: earlier,
		Wrong: "The driver withdraws the lease only after it has sent every RELEASE. If sending to one process " +
			"hangs after another has received its RELEASE, two processes lead.",
		Setting: "A leader may resign at any moment. " + floors,
		Config: in.check(with(floored(resigns), func(n *bent, e *election.Env, ev *election.Event) {
			if ev.Op == election.Timeout && ev.Timer == sent {
				e.Withdraw(n.marks)
				return
			}
			fx := n.try(e, ev)
			taken := fx.Decided() && fx.Outcome.Role == election.Undecided && len(fx.Sends) > 0
			if taken {
				n.marks = fx.Outcome.Term
				e.SetTimer(sent, 0, unit)
			}
			doBut(e, fx, fx.Decided() && !taken)
		})),
		Control: Control{"the lease is taken back first", in.check(floored(resigns))},
	}
}

// outOfReach: a Term that no run can have come to is adopted.
func outOfReach() Entry {
	forged := election.Event{Op: election.Recv, Msg: election.Message{Kind: election.CatchUp,
		Term: math.MaxUint64, Flags: 1}} // that election has ended
	arrives := func(n *bent, ev *election.Event) bool { return ev.Op == election.Init && n.me.ID == 1 }
	right := with(keeping(franklin.Algorithm()), func(n *bent, e *election.Env, ev *election.Event) {
		// A Start that is refused, as no Term is left, does not end a process.
		if fx := n.try(e, ev); !fx.Refused() {
			do(e, fx)
		}
		if arrives(n, ev) && forged.Msg.Term-n.number(keptTerm) <= process.MaxTermJump {
			n.Node.Step(e, &forged)
		}
	})
	setting := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2},
			Initiators: []election.ID{2}}}
	}
	return Entry{
		Name: driver + "a Term out of reach is adopted", Source: earlier,
		Wrong: "The driver adopts any Term. One damaged or forged packet can carry the last Term that exists, " +
			"and no election can start after it.",
		Setting: "Process 1 first receives a packet which reports that the election of Term 2^64-1 has ended.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			n.Node.Step(e, ev)
			if arrives(n, ev) {
				n.Node.(*bent).Node.Step(e, &forged) // past the driver, which drops it
			}
		})),
		Control: Control{"franklin, such a packet is dropped", setting(right)},
	}
}

// startSwallowed: a Start comes when its process has decided, and does not know yet that the election
// has ended.
func startSwallowed() Entry {
	const again = 9 // a timer: the program calls Start once more
	right := with(keeping(lcr.Participant()), func(n *bent, e *election.Env, ev *election.Event) {
		if ev.Op == election.Timeout && ev.Timer == again {
			ev.Op = election.Reelect
		}
		fx := n.try(e, ev)
		if fx.Decided() && fx.Outcome.Role == election.Leader && n.marks == 0 {
			n.marks = 1
			e.SetTimer(again, 0, 100*unit)
		}
		do(e, fx)
	})
	setting := func(a *election.Algorithm) check.Config {
		c := check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}}}
		c.Properties = []check.Property{{Name: "the second Start has begun an election",
			Kind: verdict.Finally, Holds: func(s *check.State) bool { return s.Outcome(1).Term > 1 }}}
		return c
	}
	return Entry{
		Name: driver + "a Start between the decision and the end is swallowed", Source: earlier,
		Wrong: "The driver passes the Start to the Node of the election that is already decided. The Node " +
			"ignores it, so no further election starts.",
		Setting: "The program calls Start again when its process leads.",
		Config: setting(with(right, before(func(_ *bent, _ *election.Env, ev *election.Event) bool {
			if ev.Op == election.Timeout && ev.Timer == again {
				ev.Op = election.Start
			}
			return true
		}))),
		Control: Control{"participant, it begins the next election", setting(right)},
	}
}
