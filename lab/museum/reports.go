package museum

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/modbully"
)

const earlier = "an earlier version of this project"

// after returns a number of units as a time.
func after(units float64) time.Duration { return time.Duration(units * float64(unit)) }

// when returns an event of a process after a number of units.
func when(id election.ID, units float64) []scenario.At {
	return []scenario.At{{ID: id, Time: after(units)}}
}

// suspectedAsked: the crash of a leader is reported, and its follower waits for an answer of it all the same.
func suspectedAsked() Entry {
	const ask = 1 // a kind
	setting := func(a *election.Algorithm) check.Config {
		c := timed(audited(a, func(_ *bent, ev *election.Event, o *election.Outgoing) string {
			if ev.Op == election.Suspect && o.Msg.Kind == ask && o.Port == ev.Port {
				return "it asks the process that is reported to be down"
			}
			return ""
		}), 2, nil, []election.ID{2})
		c.Crashes = 1
		return c
	}
	rules := must(bully.Rules(bully.Config{}))
	return Entry{
		Name: "bully: a process that is reported to be down is asked", Source: earlier,
		Wrong: "A Suspect is handled like a Start. The process also asks the process that is down or has left, " +
			"and waits a whole time-out for its answer.",
		Config: setting(with(rules, func(n *bent, e *election.Env, ev *election.Event) {
			asked := *ev
			if ev.Op == election.Suspect {
				asked.Op = election.Start
			}
			n.Node.Step(e, &asked)
		})),
		Control: Control{"rules", setting(rules)},
	}
}

// bullyHole: a leader that has missed two Terms announces itself to one process.
func bullyHole() Entry {
	const ask, coordinator, alone = 1, 3, 1 // kinds and a flag
	rules := must(bully.Rules(bully.Config{}))
	setting := func(a *election.Algorithm) check.Config {
		c := timed(a, 4, nil, []election.ID{4})
		c.CrashAt = append(when(4, 10), when(3, 20.35)...)
		c.RestartAt = when(4, 20.3)
		return c
	}
	return Entry{
		Name: "bully: a leader that has missed an election replies to the asker only", Source: earlier,
		Wrong: "The leader does not announce itself to the others. They follow the leader of the election that " +
			"it missed, which is down, and may never learn of the new one.",
		Config: setting(with(rules, func(n *bent, e *election.Env, ev *election.Event) {
			was := n.state()
			fx := n.try(e, ev)
			is := n.state()
			// The Term in which an election began here stays: so the process leads already, and only replies.
			if began := slices.Equal(was[8:16], is[8:16]); received(ev, ask) && began {
				fx.Sends = slices.DeleteFunc(fx.Sends, func(o election.Outgoing) bool {
					return o.Msg.Kind == coordinator && o.Port != ev.Port
				})
				for i := range fx.Sends {
					if fx.Sends[i].Msg.Kind == coordinator {
						fx.Sends[i].Msg.Flags = alone
					}
				}
				copy(is[16:24], was[16:24]) // the Term of its last announcement to all
				n.restore(is)
			}
			do(e, fx)
		})),
		Control: Control{"rules", setting(rules)},
		played:  true, seed: 53,
		prompts: []prompt{{after(12), 3, election.Suspect, 4}, {after(20), 3, election.Start, 0},
			{after(23), 2, election.Suspect, 3}},
	}
}

// overlayExhibits are mistakes of a ring that is laid over a complete graph.
func overlayExhibits() []Entry {
	ring := must(lcr.Participant().OverComplete())
	crash := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}}, Crashes: 1}
	}
	alone := func(a *election.Algorithm) check.Config {
		in := scenario.Input{Algorithm: a, IDs: []election.ID{1}}
		return check.Config{Input: in, Crashes: 1, Restarts: 1}
	}
	largest := *ring
	largest.Winner = election.LargestOfAll
	return []Entry{{
		Name: "overlay: the largest of all must win", Source: earlier,
		Wrong: "The description names the largest of all processes as the winner, as on links where no process " +
			"crashes. On an overlay this process may be down.",
		Config:  crash(&largest),
		Control: Control{"the largest live process", crash(ring)},
	}, {
		Name: "overlay: a process that is alone comes back", Source: earlier,
		Wrong: "The code relies on the other processes to start an election after a process has returned. A " +
			"process that is alone never leads again.",
		Config: alone(with(ring, before(func(_ *bent, _ *election.Env, ev *election.Event) bool {
			return ev.Op != election.Rejoin
		}))),
		Control: Control{"the process begins it", alone(ring)},
	}}
}

// unknownWait: a process that has come back does not learn how long all wait.
func unknownWait() Entry {
	const ask, echoReply = "election", "echo_reply"
	right := must(modbully.New(modbully.Convenience, modbully.Config{Wait: modbully.WaitPaper,
		Pending: func(election.ID) time.Duration { return 5 * unit }}))
	kind := func(name string) uint8 {
		return uint8(1 + slices.IndexFunc(right.Kinds, func(k election.Kind) bool { return k.Name == name }))
	}
	setting := func(a *election.Algorithm) check.Config {
		c := timed(audited(a, func(_ *bent, ev *election.Event, o *election.Outgoing) string {
			if ev.Op == election.Suspect && o.Msg.Kind == kind(ask) {
				return "it elects immediately, while the others wait"
			}
			return ""
		}), 3, nil, []election.ID{3})
		c.CrashAt, c.RecoverAt = append(when(1, 20), when(3, 50)...), when(1, 25)
		c.SuspectAfter = 4 * unit
		return c
	}
	return Entry{
		Name: "modbully/convenience: the MPC is lost in a crash", Source: earlier,
		Wrong: "A process that returns does not ask the leader for the MPC, as figure 9 requires. Its wait is " +
			"zero, so it elects while the others wait.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			copied := *ev
			if received(ev, kind(echoReply)) {
				copied.Msg.Value = 0
			}
			n.Node.Step(e, &copied)
		})),
		Control: Control{"convenience", setting(right)},
		played:  true,
	}
}
