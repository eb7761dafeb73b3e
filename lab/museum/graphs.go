package museum

import (
	"math/bits"

	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/treeelect"
	"github.com/go-election/election/yoyo"
)

// The kinds of message of treeelect and echo, and the places of their fields.
const (
	demand uint8 = iota + 1
	report
	elected
	nok

	echoState = 24
	saturated = 25
)

// links returns a check over links between processes, by their places.
func links(a *election.Algorithm, ids []election.ID, first []election.ID, pairs ...[2]int) check.Config {
	t, err := topology.New(a.Topology, len(ids), pairs)
	if err == nil && a.Knows == election.RootPort {
		t, err = topology.RootAt(t, 0)
	}
	if err != nil {
		panic(err)
	}
	return check.Config{Input: scenario.Input{Algorithm: a, Topology: t, IDs: ids, Initiators: first}}
}

func graphExhibits() []Entry {
	return slices.Concat(treeExhibits(), echoExhibits(), weightExhibits(), roundExhibits(), yoyoExhibits(),
		cubeExhibits())
}

func treeExhibits() []Entry {
	pair := func(a *election.Algorithm, first ...election.ID) check.Config {
		return links(a, []election.ID{2, 1}, first, [2]int{0, 1})
	}
	path := func(a *election.Algorithm, first ...election.ID) check.Config {
		return links(a, []election.ID{1, 2, 3}, first, [2]int{0, 1}, [2]int{1, 2})
	}
	printed := treeelect.Any() // as it is here, a second initiator would be refused
	printed.SingleInitiator = false
	started := func(c check.Config) check.Config {
		c.Started = true
		return c
	}
	return []Entry{{
		Name: "treeelect: the children are not counted anew", Source: notesFR,
		Wrong: "N_fils has been counted down to 0, and is not reset before the code tests whether it is " +
			"positive. The root informs no process of the leader.",
		Config: pair(with(treeelect.Root(), sends(func(_ *bent, _ *election.Event,
			o *election.Outgoing) bool {
			return o.Msg.Kind != elected
		})), 2),
		Control: Control{"root", pair(treeelect.Root(), 2)},
	}, {
		Name: "treeelect: a root with one neighbour never answers", Source: notesFR,
		Wrong: "A root with one neighbour is not a leaf, but has no process to ask except the one that asks it. " +
			"No REPORT ever arrives, so the root never sends its own.",
		Config: pair(with(treeelect.Any(), sends(func(n *bent, _ *election.Event, o *election.Outgoing) bool {
			return n.me.ID != 2 || o.Msg.Kind != report
		})), 1),
		Control: Control{"any", pair(treeelect.Any(), 1)},
	}, {
		Name: "treeelect: the root does not know itself", Source: notesFR,
		Wrong: "A process sets elu when it receives ELU, but the root never receives ELU. The root does not know " +
			"the leader.",
		Config: pair(with(treeelect.Root(), decides(func(n *bent, _ *election.Outcome) bool {
			return n.me.ID != 2
		})), 2),
		Control: Control{"root", pair(treeelect.Root(), 2)},
	}, {
		Name: "treeelect: two initiators mix", Source: notesFR, Limit: true,
		Wrong: "The variant any needs a single initiator. If two processes start, the demands of the second " +
			"count as part of the first wave.",
		Config:  path(printed, 1, 3),
		Control: Control{"the same, one initiator", path(printed, 1)},
		Also: []Control{{"saturation, which is for any number of initiators, with both",
			path(treeelect.Saturation(), 1, 3)}},
	}, {
		Name: "treeelect: both saturated processes inform each other", Source: known,
		Wrong: "The two saturated processes already know the leader, but each informs the other. The election " +
			"takes more messages than promised.",
		Config: started(path(with(treeelect.Saturation(), func(n *bent, e *election.Env, ev *election.Event) {
			knew := n.is(saturated)
			n.Node.Step(e, ev)
			if received(ev, report) && !knew && n.is(saturated) {
				e.Send(ev.Port, election.Message{Kind: elected, Rank: ev.Msg.Rank})
			}
		}), 1, 2, 3)),
		Control: Control{"saturation", started(path(treeelect.Saturation(), 1, 2, 3))},
	}}
}

func echoExhibits() []Entry {
	triangle := func(a *election.Algorithm, first ...election.ID) check.Config {
		return links(a, []election.ID{1, 2, 3}, first, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 0})
	}
	path := func(a *election.Algorithm) check.Config {
		return links(a, []election.ID{1, 2, 3}, []election.ID{1}, [2]int{0, 1}, [2]int{1, 2})
	}
	unordered := func(c check.Config) check.Config {
		c.Unordered = true
		return c
	}
	return []Entry{{
		Name: "echo: a crossing demand and a nok both count", Source: notesFR,
		Wrong: "A demand that crosses the process's own demand counts as an answer, and so does the NOK that " +
			"follows. One neighbour counts twice, and the wave ends before the largest process has reported.",
		Config: triangle(with(echo.Nok(), func(n *bent, e *election.Env, ev *election.Event) {
			crossing := received(ev, demand) && n.is(echoState)
			n.Node.Step(e, ev)
			if crossing {
				n.Node.Step(e, &election.Event{Op: election.Recv, Port: ev.Port,
					Msg: election.Message{Kind: nok}})
			}
		}), 1),
		Control: Control{"nok", triangle(echo.Nok(), 1)},
		Also:    []Control{{"implicit, where there is no nok", triangle(echo.Implicit(), 1)}},
	}, {
		Name: "echo: the parent is waited for", Source: notesFR,
		Wrong: "A process waits for answers from all neighbours, including its parent. The parent waits for the " +
			"same process, so neither answers.",
		Config: path(with(echo.Implicit(), sends(func(_ *bent, _ *election.Event, o *election.Outgoing) bool {
			return o.Msg.Kind != report
		}))),
		Control: Control{"implicit", path(echo.Implicit())},
	}, {
		Name: "echo: the own capacity is reported", Source: notesFR,
		Wrong: "A process reports its own capacity, not the largest capacity in its part of the tree. The wrong " +
			"process leads.",
		Config: path(with(echo.Implicit(), sends(func(n *bent, _ *election.Event, o *election.Outgoing) bool {
			if o.Msg.Kind == report {
				o.Msg.Rank = n.me
			}
			return true
		}))),
		Control: Control{"implicit", path(echo.Implicit())},
	}, {
		Name: "echo: smaller waves are answered", Source: known,
		Wrong: "A process answers the wave of a smaller initiator, which should die out. The wave returns to its " +
			"initiator, which then leads as well.",
		Config: unordered(triangle(with(echo.Extinction(),
			before(func(n *bent, e *election.Env, ev *election.Event) bool {
				smaller := received(ev, demand) && byte(ev.Msg.Rank.ID) < n.state()[8]
				if smaller {
					e.Send(ev.Port, election.Message{Kind: demand, Rank: ev.Msg.Rank, Flags: 1})
				}
				return !smaller
			})), 1, 3)),
		Control: Control{"extinction", unordered(triangle(echo.Extinction(), 1, 3))},
	}}
}

func yoyoExhibits() []Entry {
	const value, voting = 2, 3 // a kind, and a stage
	path := func(a *election.Algorithm, copies int, ids ...election.ID) check.Config {
		pairs := make([][2]int, len(ids)-1)
		for i := range pairs {
			pairs[i] = [2]int{i, i + 1}
		}
		c := links(a, ids, nil, pairs...)
		c.Started, c.Duplicates = true, copies
		return c
	}
	return []Entry{{
		Name: "yoyo: a value that comes early is dropped", Source: known,
		Wrong: "A neighbour that has voted no may be a round ahead. Its next value arrives while this process " +
			"waits for other votes, and is dropped. The process later waits for this value forever.",
		Config: path(with(yoyo.Algorithm(), before(func(n *bent, _ *election.Env, ev *election.Event) bool {
			return !received(ev, value) || n.state()[0] != voting
		})), 0, 1, 3, 2, 4),
		Control: Control{"yoyo", path(yoyo.Algorithm(), 0, 1, 3, 2, 4)},
	}, {
		Name: "yoyo: a message comes twice", Source: known, Limit: true,
		Wrong: "The algorithm needs links that do not duplicate messages. Votes are counted, so a copy counts " +
			"as the vote of another process.",
		Config:  path(yoyo.Algorithm(), 1, 2, 1, 3),
		Control: Control{"the same, no message comes twice", path(yoyo.Algorithm(), 0, 2, 1, 3)},
	}}
}

func cubeExhibits() []Entry {
	cube := func(a *election.Algorithm) check.Config {
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{2, 1, 3, 4}}}
	}
	return []Entry{{
		Name: "hypercube: delayed duels are dropped", Source: known,
		Wrong: "A process that is defeated drops the duels of later stages that it has kept, instead of passing " +
			"them on. Other processes wait for them forever.",
		Config: cube(with(hypercube.Algorithm(), func(n *bent, e *election.Env, ev *election.Event) {
			const defeated = 2
			was := n.state()[0]
			fx := n.try(e, ev)
			if was != defeated && n.state()[0] == defeated {
				kept := fx.Sends[:0]
				for _, o := range fx.Sends {
					if o.Msg.Rank == n.me {
						kept = append(kept, o)
					}
				}
				fx.Sends = kept
			}
			do(e, fx)
		})),
		Control: Control{"hypercube", cube(hypercube.Algorithm())},
	}, strangeDuel()}
}

// strangeDuel: a peer sends what no Node does.
func strangeDuel() Entry {
	const duel = 1 // a kind
	forged := election.Event{Op: election.Recv, Msg: election.Message{Kind: duel, Value: 1 << 31,
		Rank: election.Rank{ID: 9}}}
	setting := func(a *election.Algorithm) check.Config {
		a = with(a, func(n *bent, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				n.Node.Step(e, &forged)
			}
			n.Node.Step(e, ev)
		})
		return check.Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2},
			Initiators: []election.ID{1}}}
	}
	return Entry{
		Name: "hypercube: a duel names the links on its way", Source: earlier,
		Wrong: "The code does not check the ports that a duel names for its way. A packet from a peer may name a " +
			"port that does not exist, and then the process crashes.",
		Setting: "Before process 1 starts, it receives a duel that must go on over port 31. It has only one port.",
		Config: setting(with(hypercube.Algorithm(),
			before(func(_ *bent, e *election.Env, ev *election.Event) bool {
				onward := uint32(ev.Msg.Value)
				if received(ev, duel) && onward != 0 {
					e.Send(election.Port(bits.TrailingZeros32(onward)), ev.Msg)
				}
				return !received(ev, duel) || onward == 0
			}))),
		Control: Control{"hypercube, such a duel is dropped", setting(hypercube.Algorithm())},
	}
}
