package museum

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/ghs"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/topology"
)

// The kinds of message of ghs, the places of its fields, and its states.
const (
	ghsConnect uint8 = iota + 1
	ghsInitiate
	ghsTest
	ghsAccept
	_
	ghsReport

	ghsState    = 0
	ghsLevel    = 1
	ghsParent   = 45
	ghsBranches = 85

	ghsSleeping  = 0
	ghsSearching = 1
	ghsFound     = 2
)

// heavier returns a check among processes 1, 2, ..., all of which start, over links between them by their
// places, the lightest first.
func heavier(a *election.Algorithm, n int, pairs ...[2]int) check.Config {
	ids := make([]election.ID, n)
	for p := range ids {
		ids[p] = election.ID(p + 1)
	}
	c := links(a, ids, nil, pairs...)
	c.Started = true
	c.Topology = topology.WithWeights(c.Topology, func(p, q int) uint64 {
		return uint64(slices.IndexFunc(pairs, func(l [2]int) bool {
			return min(l[0], l[1]) == p &&
				max(l[0], l[1]) == q
		}))
	})
	return c
}

// level returns the level of a process of ghs.
func (n *bent) level() uint32 {
	b := n.state()[ghsLevel:]
	return uint32(b[0]) | uint32(b[1])<<8
}

// awake wakes a process of ghs that a message finds asleep.
func (n *bent) awake(e *election.Env) {
	if n.state()[ghsState] == ghsSleeping {
		n.Node.Step(e, &election.Event{Op: election.Start})
	}
}

// hastyConnect accepts a CONNECT over a basic link immediately, as if the link were the core.
func hastyConnect(n *bent, e *election.Env, ev *election.Event) bool {
	if !received(ev, ghsConnect) {
		return true
	}
	n.awake(e)
	if ev.Msg.Round < n.level() || n.state()[ghsBranches]>>ev.Port&1 == 1 {
		return true
	}
	me, other := n.me.ID, e.Peer(ev.Port).ID
	e.Send(ev.Port, election.Message{Kind: ghsInitiate, Round: n.level() + 1, Flags: 1,
		Rank: election.Rank{Priority: e.Weight(ev.Port), ID: min(me, other)}, Value: uint64(max(me, other))})
	return false
}

// hastyTest answers a TEST of a higher level immediately: so far the other fragment is a different one.
func hastyTest(n *bent, e *election.Env, ev *election.Event) bool {
	if !received(ev, ghsTest) {
		return true
	}
	n.awake(e)
	if ev.Msg.Round <= n.level() {
		return true
	}
	e.Send(ev.Port, election.Message{Kind: ghsAccept})
	return false
}

// hastyReport accepts the REPORT from the other end of the core immediately.
func hastyReport(n *bent, e *election.Env, ev *election.Event) bool {
	b := n.state()
	if !received(ev, ghsReport) || b[ghsState] != ghsSearching || b[ghsParent] != byte(ev.Port) {
		return true
	}
	n.set(ghsState, ghsFound)
	n.Node.Step(e, ev)
	if n.state()[ghsState] == ghsFound {
		n.set(ghsState, ghsSearching)
	}
	return false
}

func weightExhibits() []Entry {
	path := func(a *election.Algorithm) check.Config { return heavier(a, 3, [2]int{0, 1}, [2]int{0, 2}) }
	line := func(a *election.Algorithm) check.Config { return heavier(a, 3, [2]int{0, 1}, [2]int{1, 2}) }
	unordered := func(c check.Config) check.Config {
		c.Unordered = true
		return c
	}
	const setting = "The links, from the lightest to the heaviest: "
	return []Entry{{
		Name: "ghs: a CONNECT is not deferred", Source: known, Setting: setting + "1-2, 1-3.",
		Wrong: "A process answers a CONNECT immediately, as if its own fragment had chosen the same link. The " +
			"link becomes a core that the fragments do not know, and the election blocks.",
		Config:  path(with(ghs.Algorithm(), before(hastyConnect))),
		Control: Control{"ghs", path(ghs.Algorithm())},
	}, {
		Name: "ghs: a TEST of a higher level is not deferred", Source: known, Setting: setting +
			"1-2, 1-3.",
		Wrong: "A process answers a TEST of a higher level before it knows to which fragment it will belong. It " +
			"accepts a link that is inside its own fragment.",
		Config:  path(with(ghs.Algorithm(), before(hastyTest))),
		Control: Control{"ghs", path(ghs.Algorithm())},
	}, {
		Name: "ghs: a REPORT is not deferred", Source: known, Setting: setting + "1-2, 2-3.",
		Wrong: "One end of the core compares the REPORT of the other end with an unfinished search of its own. " +
			"It concludes too early that the tree is complete.",
		Config:  line(with(ghs.Algorithm(), before(hastyReport))),
		Control: Control{"ghs", line(ghs.Algorithm())},
	}, {
		Name: "ghs: links do not keep the order", Source: known, Limit: true, Setting: setting +
			"1-2, 2-3.",
		Wrong: "The algorithm needs links that keep messages in order. On other links messages overtake each " +
			"other, and a message of one level counts for the next.",
		Config:  unordered(line(ghs.Algorithm())),
		Control: Control{"the same on links that keep the order", line(ghs.Algorithm())},
	}}
}
