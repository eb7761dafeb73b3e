package museum

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/peterson"
)

const (
	notesHR = "lecture notes on rings, in Croatian"
	notesCZ = "lecture notes on rings, in Czech"
	notesRU = "lecture notes on distributed algorithms, in Russian"
	notesFR = "lecture notes on election, in French"
	paperFA = "the modified bully paper"
	known   = "well known"
)

// The kinds of message of lcr.
const (
	lcrElection uint8 = iota + 1
	lcrElected
)

// The places of the fields of lcr's Nodes in their states.
const (
	participates   = 0 // of participant
	participantWon = 1
	started        = 0 // of initiators
	relayed        = 1 // and of franklin and dkr
	maxWon         = 1
)

func ring(a *election.Algorithm, ids ...election.ID) check.Config {
	return check.Config{Input: scenario.Input{Algorithm: a, IDs: ids}}
}

func ringExhibits() []Entry {
	return slices.Concat(participantExhibits(), tokenExhibits(), hsExhibits(), franklinExhibits(),
		petersonExhibits(), anonymousExhibits())
}

const askAgain = "As printed, the algorithm has no Terms, so one election runs into the next. The process that " +
	"started the first election requests a second one when a timer fires, some time after the first has ended " +
	"there."

// twice is lcr/participant as it is printed, without Terms: one election runs into the next. A process
// that has started asks for a second election some time after the end of the first, and has no leader
// then.
func twice() *election.Algorithm {
	const asked, asksAgain = 1, 2
	return withoutTerms(with(lcr.Participant(), func(n *bent, e *election.Env, ev *election.Event) {
		start := *ev
		switch {
		case ev.Op == election.Start:
			n.marks = asked
		case ev.Op == election.Timeout:
			start = election.Event{Op: election.Start}
			e.Withdraw(0)
		}
		n.Node.Step(e, &start)
		if !received(ev, lcrElected) {
			return
		}
		n.set(participantWon, 0) // that it can win again
		if n.marks == asked {
			n.marks = asksAgain
			e.SetTimer(0, unit, unit)
		}
	}))
}

// staysCandidate is the mistake that the flag is not cleared: at no process, or at the winner only.
func staysCandidate(but func(n *bent, ev *election.Event) bool) bend {
	return func(n *bent, e *election.Env, ev *election.Event) {
		was := n.is(participates)
		n.Node.Step(e, ev)
		if was && !but(n, ev) {
			n.set(participates, 1)
		}
	}
}

// once forbids a process of lcr to announce itself a second time.
func once(a *election.Algorithm) *election.Algorithm { return audited(a, announcesOnce(lcrElected)) }

// begunBy is a ring of two on which one starts.
func begunBy(a *election.Algorithm, starter election.ID) check.Config {
	c := ring(a, 1, 2)
	c.Initiators = []election.ID{starter}
	return c
}

func participantExhibits() []Entry {
	never := with(twice(), staysCandidate(func(*bent, *election.Event) bool { return false }))
	winnerOnly := with(twice(), staysCandidate(func(n *bent, ev *election.Event) bool {
		return ev.Msg.Rank == n.me
	}))
	return []Entry{{
		Name: "lcr: participant is never reset", Source: notesHR, Setting: askAgain,
		Wrong: "No process becomes passive again after an election. So no process can start a second election, " +
			"not even the winner.",
		Config: begunBy(never, 2),
		Control: Control{"participant, where the announcement makes all processes passive again",
			begunBy(twice(), 2)},
	}, {
		Name: "lcr: only the winner is reset", Source: notesRU, Setting: askAgain,
		Wrong:  "Only the winner clears its flag Elector. The other processes cannot start a second election.",
		Config: begunBy(winnerOnly, 1),
		Control: Control{"participant, where the announcement makes all processes passive again",
			begunBy(twice(), 1)},
		Also: []Control{{"the same mistake where the winner asks for both elections",
			begunBy(winnerOnly, 2)}},
	}, {
		Name: "lcr: start is not guarded", Source: notesHR,
		Wrong: "A process that already takes part sends its ID again when it starts. Both copies return, and " +
			"the winner announces itself twice.",
		Config:  ring(once(with(lcr.Participant(), unguarded)), 1, 2),
		Control: Control{"participant", ring(once(lcr.Participant()), 1, 2)},
	}, {
		Name: "lcr: the leader is taken from the wrong process", Source: notesRU,
		Wrong: "The code assigns P.Coordinator = Q.Coordinator instead of the leader in the message. A follower " +
			"then does not learn who leads.",
		Config: ring(with(lcr.Participant(), decides(func(_ *bent, o *election.Outcome) bool {
			if o.Role == election.Follower {
				o.Leader = election.Rank{}
			}
			return true
		})), 1, 2),
		Control: Control{"participant", ring(lcr.Participant(), 1, 2)},
	}, {
		Name: "lcr: an announcement is taken for a candidacy", Source: notesRU,
		Wrong: "The code compares the ID before it looks at the phase of the message. The winner takes its own " +
			"announcement for a candidacy that has returned, and announces itself again, forever.",
		Config: ring(with(lcr.Participant(), func(n *bent, e *election.Env, ev *election.Event) {
			n.Node.Step(e, ev)
			if received(ev, lcrElected) && ev.Msg.Rank == n.me {
				e.Send(election.Clockwise, ev.Msg)
			}
		}), 1, 2),
		Control: Control{"participant", ring(lcr.Participant(), 1, 2)},
	}}
}

func tokenExhibits() []Entry {
	return []Entry{{
		Name: "lcr: the maximum is passed on before the own ID is looked for", Source: notesCZ,
		Wrong: "A process passes the maximum on before it checks whether the token carries its own ID. The " +
			"winner's token circulates forever.",
		Config: ring(with(lcr.Max(), before(func(n *bent, e *election.Env, ev *election.Event) bool {
			home := received(ev, lcrElection) && ev.Msg.Rank == n.me
			if home {
				e.Send(election.Clockwise, ev.Msg)
			}
			return !home
		})), 1, 2),
		Control: Control{"max", ring(lcr.Max(), 1, 2)},
	}, {
		Name: "lcr: a round of announcements for every token", Source: notesCZ,
		Wrong: "Every token ends up with the winner's ID, and the winner does not remember that it has won. It " +
			"announces itself once for every token.",
		Config: ring(once(with(lcr.Max(), before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if received(ev, lcrElection) {
				n.set(maxWon, 0)
			}
			return true
		}))), 1, 2),
		Control: Control{"max", ring(once(lcr.Max()), 1, 2)},
	}, {
		Name: "lcr: of equal capacities the first is kept", Source: notesFR,
		Wrong: "The code compares only capacities (ci < cj), not IDs. If capacities are equal, tokens of " +
			"different initiators elect different processes.",
		Config:  tied(with(lcr.Wave(), firstOfEquals)),
		Control: Control{"wave", tied(lcr.Wave())},
	}, changRoberts(), {
		Name: "lcr: a process that has relayed may still start", Source: known,
		Wrong: "A process may start after it has relayed a smaller ID, which it would have to stop now. The " +
			"smaller ID returns to its owner, which wins.",
		Config: ring(with(lcr.Initiators(), before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if ev.Op == election.Start {
				n.set(relayed, 0)
			}
			return true
		})), 1, 2),
		Control: Control{"initiators", ring(lcr.Initiators(), 1, 2)},
	}}
}

// unguarded starts whatever the state, and does not remember that it has won.
func unguarded(n *bent, e *election.Env, ev *election.Event) {
	if ev.Op == election.Start {
		n.set(participates, 0)
	}
	if received(ev, lcrElection) && ev.Msg.Rank == n.me {
		n.set(participantWon, 0)
	}
	n.Node.Step(e, ev)
}

func tied(a *election.Algorithm) check.Config {
	c := ring(a, 1, 2)
	c.Priorities = []uint64{7, 7}
	return c
}

// firstOfEquals compares capacities alone.
func firstOfEquals(n *bent, e *election.Env, ev *election.Event) {
	if received(ev, lcrElection) && ev.Msg.Value != uint64(n.me.ID) && ev.Msg.Rank.Priority == n.me.Priority {
		e.Send(election.Clockwise, ev.Msg)
		return
	}
	n.Node.Step(e, ev)
}

// changRoberts is the form that forgets its candidacy when it hears of a leader.
func changRoberts() Entry {
	forgets := with(lcr.Initiators(), func(n *bent, e *election.Env, ev *election.Event) {
		n.Node.Step(e, ev)
		if received(ev, lcrElected) {
			n.set(started, 0)
			n.set(relayed, 1)
		}
	})
	unordered := func(a *election.Algorithm) check.Config {
		c := ring(a, 1, 2, 3)
		c.Unordered = true
		return c
	}
	return Entry{
		Name:   "lcr: initiators only, on links that do not keep the order",
		Source: "E. Chang, R. Roberts 1979, as published later",
		Wrong: "A process that hears of a leader becomes passive. A small ID that the announcement has overtaken " +
			"then meets no process that stops it, and its owner wins as well.",
		Config: unordered(forgets),
		Control: Control{"initiators, where a process competes until the Term is over",
			unordered(lcr.Initiators())},
		Also: []Control{{"the same mistake where links keep the order", ring(forgets, 1, 2, 3)}},
	}
}

// The kinds of message of hs, and the places of the fields of its Nodes.
const (
	hsProbe uint8 = iota + 1
	hsReply
	hsElected

	awake        = 0
	proberWon    = 1
	respondWon   = 2
	respondPhase = 4
)

func hsExhibits() []Entry {
	once := func(a *election.Algorithm) *election.Algorithm { return audited(a, announcesOnce(hsElected)) }
	bounded := func(a *election.Algorithm, ids ...election.ID) check.Config {
		c := ring(a, ids...)
		c.Started = true
		return c
	}
	return []Entry{{
		Name: "hs: the next phase goes one way only", Source: notesHR,
		Wrong: "A process sends the probe of its next phase to the left or to the right, not in both directions. " +
			"Only one reply returns, so the phase never ends.",
		Config: ring(with(hs.Probe(), sends(func(n *bent, _ *election.Event, o *election.Outgoing) bool {
			return o.Msg.Kind != hsProbe || o.Msg.Rank != n.me || o.Msg.Round == 0 ||
				o.Port != election.Clockwise
		})), 1, 2, 3),
		Control: Control{"probe", ring(hs.Probe(), 1, 2, 3)},
	}, {
		Name: "hs: sleepers swallow", Source: notesHR,
		Wrong: "A larger process that has not started drops a probe and does not become a candidate itself. The " +
			"election ends without a leader.",
		Config: begunBy(with(hs.Probe(), before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			return !received(ev, hsProbe) || n.is(awake) || !ev.Msg.Rank.Less(n.me)
		})), 1),
		Control: Control{"probe", begunBy(hs.Probe(), 1)},
	}, {
		Name: "hs: the hop counter begins at zero", Source: notesHR,
		Wrong: "The hop counter starts at 0, so a probe of phase 0 travels two hops instead of one.",
		Config: large(with(hs.Probe(), sends(func(n *bent, _ *election.Event, o *election.Outgoing) bool {
			if o.Msg.Kind == hsProbe && o.Msg.Rank == n.me && o.Msg.Round == 0 {
				o.Msg.Value = 0
			}
			return true
		}))),
		Control: Control{"probe", large(hs.Probe())},
		counted: "on a ring of 64 with rising IDs, if the smallest starts",
	}, {
		Name: "hs: a probe comes home from both sides", Source: notesHR,
		Wrong: "Both probes of the winner return to it. It counts each of them as a victory, and announces " +
			"itself twice.",
		Config: ring(once(with(hs.Probe(), before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			if received(ev, hsProbe) && ev.Msg.Rank == n.me {
				n.set(proberWon, 0)
			}
			return true
		}))), 1, 2),
		Control: Control{"probe", ring(once(hs.Probe()), 1, 2)},
	}, {
		Name: "hs: the winner is not announced", Source: notesHR,
		Wrong: "No message announces the winner. The other processes never learn who leads.",
		Config: ring(with(hs.Probe(), sends(func(_ *bent, _ *election.Event, o *election.Outgoing) bool {
			return o.Msg.Kind != hsElected
		})), 1, 2),
		Control: Control{"probe", ring(hs.Probe(), 1, 2)},
	}, {
		Name: "hs: the answer comes before the comparison", Source: notesHR,
		Wrong: "At distance 2^k a probe is answered before its ID is compared. Beaten candidates continue and " +
			"send more messages than promised.",
		Config: bounded(with(hs.Probe(), before(func(n *bent, e *election.Env, ev *election.Event) bool {
			beaten := received(ev, hsProbe) && ev.Msg.Rank.Less(n.me) && ev.Msg.Value >= 1<<ev.Msg.Round
			if beaten {
				e.Send(ev.Port, election.Message{Kind: hsReply, Rank: ev.Msg.Rank, Round: ev.Msg.Round})
			}
			return !beaten
		})), 1, 2, 3, 4),
		Control: Control{"probe", bounded(hs.Probe(), 1, 2, 3, 4)},
	}, {
		Name: "hs: a process that is woken enters at the present phase", Source: notesCZ,
		Wrong: "A process that is woken by a probe does not start in phase 0, but continues from the phase of " +
			"the probe. The number of messages grows quadratically.",
		Config: large(with(hs.Respond(), entersLate)), Control: Control{"respond", large(hs.Respond())},
		counted: "on a ring of 64 with rising IDs, if the smallest starts",
	}}
}

// large is a ring of 64 whose IDs rise, of which the smallest starts.
func large(a *election.Algorithm) check.Config {
	c := ring(a)
	for id := range election.ID(64) {
		c.IDs = append(c.IDs, id+1)
	}
	c.Initiators = c.IDs[:1]
	return c
}

// entersLate continues with the phase of the probe that has woken the process.
func entersLate(n *bent, e *election.Env, ev *election.Event) {
	asleep := !n.is(awake)
	fx := n.try(e, ev)
	if received(ev, hsProbe) && asleep && ev.Msg.Rank.Less(n.me) {
		n.set(respondPhase, byte(ev.Msg.Round+1))
		for i := range fx.Sends {
			if m := &fx.Sends[i].Msg; m.Kind == hsProbe && m.Rank == n.me {
				m.Round = ev.Msg.Round + 1
			}
		}
	}
	do(e, fx)
}

// The kinds of message of franklin and dkr, and the places of their fields.
const (
	candidate uint8 = 1

	active      = 2
	franklinWon = 3
)

func franklinExhibits() []Entry {
	unordered := func(ids ...election.ID) check.Config {
		c := ring(dkr.Algorithm(), ids...)
		c.Unordered = true
		return c
	}
	lateStart := before(func(n *bent, _ *election.Env, ev *election.Event) bool {
		if ev.Op == election.Start {
			n.set(relayed, 0)
		}
		return true
	})
	return []Entry{{
		Name: "franklin: the queue is forgotten", Source: known,
		Wrong: "A process that becomes passive drops the messages that it has queued for the next round, instead " +
			"of passing them on. Other candidates wait for them forever.",
		Config: ring(with(franklin.Algorithm(), func(n *bent, e *election.Env, ev *election.Event) {
			competes := n.is(active)
			fx := n.try(e, ev)
			if competes && !n.is(active) && !n.is(franklinWon) {
				fx.Sends = nil
			}
			do(e, fx)
		}), 1, 2, 4, 3),
		Control: Control{"franklin", ring(franklin.Algorithm(), 1, 2, 4, 3)},
	}, {
		Name: "franklin: a process that has relayed may still start", Source: known,
		Wrong: "A process may still become a candidate after it has relayed messages of a round. The others do " +
			"not know of it, and a smaller process wins.",
		Config:  ring(with(franklin.Algorithm(), lateStart), 1, 2),
		Control: Control{"franklin", ring(franklin.Algorithm(), 1, 2)},
	}, {
		Name: "dkr: links do not keep the order", Source: known, Limit: true,
		Wrong: "The algorithm needs links that keep messages in order. On other links the second value of a " +
			"round may overtake the first, and a value of the next round may overtake one of this round.",
		Config:  unordered(1, 2, 3),
		Control: Control{"the same, links keep the order", ring(dkr.Algorithm(), 1, 2, 3)},
	}, {
		Name: "dkr: a message comes twice", Source: known, Limit: true,
		Wrong: "The algorithm needs links that do not duplicate messages. A copy counts as the second value of a " +
			"round, and circulates forever.",
		Config:  doubling(dkr.Algorithm(), 1),
		Control: Control{"the same, no message comes twice", doubling(dkr.Algorithm(), 0)},
	}, {
		Name: "dkr: the process that has found the leader leads", Source: known,
		Wrong: "The process to which the largest alias returns takes itself for the owner of this alias. The " +
			"wrong process leads.",
		Config: ring(with(dkr.Algorithm(), func(n *bent, e *election.Env, ev *election.Event) {
			fx := n.try(e, ev)
			if fx.Decided() && received(ev, candidate) {
				fx.Outcome = election.Outcome{Leader: n.me, Role: election.Leader}
			}
			do(e, fx)
		}), 1, 2),
		Control: Control{"dkr", ring(dkr.Algorithm(), 1, 2)},
	}}
}

func petersonExhibits() []Entry {
	const odd, even = 1, 2 // phases
	together := func(a *election.Algorithm) check.Config {
		c := ring(a, 5, 1, 4, 2, 3)
		c.Started = true
		return c
	}
	unordered := ring(peterson.Algorithm(), 1, 2, 3)
	unordered.Unordered = true
	return []Entry{{
		Name: "peterson: the end is known by the own Rank", Source: known,
		Wrong: "A process concludes that no other candidate is left when its own Rank returns, instead of its " +
			"alias. Its Rank also returns while the process carries a larger alias, so the wrong process leads.",
		Config: together(with(peterson.Algorithm(), func(n *bent, e *election.Env, ev *election.Event) {
			active := n.state()[0] == odd || n.state()[0] == even
			if active && received(ev, candidate) && ev.Msg.Rank == n.me {
				e.Decide(n.me)
				e.Send(election.Clockwise, election.Message{Kind: 2, Rank: n.me})
				return
			}
			n.Node.Step(e, ev)
		})),
		Control: Control{"peterson", together(peterson.Algorithm())},
	}, {
		Name: "peterson: links do not keep the order", Source: known, Limit: true,
		Wrong: "The algorithm needs links that keep messages in order. On other links an alias of the next phase " +
			"may overtake an alias of this phase, and count in its place.",
		Config:  unordered,
		Control: Control{"the same, links keep the order", ring(peterson.Algorithm(), 1, 2, 3)},
	}}
}
