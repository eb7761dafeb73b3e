package mesh_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/mesh"
	"github.com/go-election/election/nodetest"
)

// The process under test is 5, at a corner.
var (
	self    = election.Rank{ID: 5}
	smaller = election.Rank{ID: 3}
	larger  = election.Rank{ID: 8}
)

func hello(links uint64) election.Message { return election.Message{Kind: 1, Value: links} }

func corner(r election.Rank, stage uint32) election.Message {
	return election.Message{Kind: 2, Rank: r, Round: stage}
}

func announcement(r election.Rank) election.Message { return election.Message{Kind: 3, Rank: r} }

func given(events ...election.Event) []election.Event { return events }

func sends(out ...election.Outgoing) []election.Outgoing { return out }

func TestRules(t *testing.T) {
	start := nodetest.Start()
	left := func(m election.Message) election.Event { return nodetest.From(0, m) }
	right := func(m election.Message) election.Event { return nodetest.From(1, m) }
	each := func(m election.Message) []election.Outgoing {
		return sends(nodetest.To(0, m), nodetest.To(1, m))
	}
	wake := append(each(hello(2)), each(corner(self, 1))...)
	placed := given(start, left(hello(3)), right(hello(3)))
	after := func(events ...election.Event) []election.Event { return append(given(placed...), events...) }
	beaten := after(left(corner(larger, 1)), right(corner(smaller, 1)))
	stage2 := after(left(corner(smaller, 1)), right(corner(smaller, 1)))
	nodetest.Rules(t, mesh.Algorithm(), self, []nodetest.Rule{
		{Name: "start: hello, and stage 1", When: start, Sends: wake},
		{Name: "start: once", Given: given(start), When: start},
		{Name: "hello wakes", When: left(hello(3)), Sends: wake},
		{Name: "corner wakes", When: left(corner(larger, 1)), Sends: wake},
		{Name: "elected wakes, and goes on", When: left(announcement(larger)),
			Sends:   append(wake[:4:4], nodetest.To(1, announcement(larger))),
			Outcome: nodetest.Follow(larger), Did: nodetest.Decided | nodetest.Ended},
		{Name: "hellos missing: wait", Given: given(start, left(corner(smaller, 1)), left(hello(3))),
			When: right(corner(smaller, 1))},
		{Name: "hellos in: go on", Given: given(start, left(corner(smaller, 1)), left(hello(3)),
			right(corner(smaller, 1))), When: right(hello(3)),
			Sends: each(corner(self, 2))},
		{Name: "hellos in: beaten, and all four that wait go on or count", When: right(hello(3)),
			Given: given(start, left(corner(larger, 1)), left(corner(larger, 2)), right(corner(larger, 1)),
				right(corner(larger, 2)), left(hello(3))),
			Sends: sends(nodetest.To(1, corner(larger, 2)), nodetest.To(0, corner(larger, 2)))},
		{Name: "wait for the other side", Given: placed, When: left(corner(larger, 1))},
		{Name: "wait for the same stage", Given: after(left(corner(smaller, 1))),
			When: right(corner(smaller, 2))},
		{Name: "larger than both: stage 2", Given: after(left(corner(smaller, 1))),
			When: right(corner(smaller, 1)), Sends: each(corner(self, 2))},
		{Name: "smaller than the left: beaten", Given: after(left(corner(larger, 1))),
			When: right(corner(smaller, 1))},
		{Name: "smaller than the right: beaten", Given: after(left(corner(smaller, 1))),
			When: right(corner(larger, 1))},
		{Name: "priority: larger before ID", Given: after(left(corner(smaller, 1))),
			When: right(corner(election.Rank{ID: 3, Priority: 1}, 1))},
		{Name: "beaten: what waits goes on", Given: after(left(corner(larger, 2)), left(corner(larger, 1))),
			When:  right(corner(smaller, 1)),
			Sends: sends(nodetest.To(1, corner(larger, 2)))},
		{Name: "beaten: relay", Given: beaten, When: right(corner(larger, 2)),
			Sends: sends(nodetest.To(0, corner(larger, 2)))},
		{Name: "stage 2, another one: beaten", Given: append(stage2[:5:5], left(corner(larger, 2))),
			When: right(corner(larger, 2))},
		{Name: "stage 2, smaller: lead, announce, done", Given: append(stage2[:5:5], left(corner(smaller, 2))), When: right(corner(smaller, 2)),
			Sends: each(announcement(self)), Outcome: nodetest.Lead(self),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "stage 2, my own: lead, announce, done", Given: append(stage2[:5:5], left(corner(self, 2))), When: right(corner(self, 2)),
			Sends: each(announcement(self)), Outcome: nodetest.Lead(self),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: follow, on, done", Given: beaten, When: right(announcement(larger)),
			Sends:   sends(nodetest.To(0, announcement(larger))),
			Outcome: nodetest.Follow(larger), Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: once", Given: append(beaten[:5:5], right(announcement(larger))),
			When: left(announcement(larger))},
		{Name: "elected: the second stage goes on",
			Given: append(stage2[:5:5], left(corner(larger, 2)), left(announcement(larger))),
			When:  right(corner(larger, 2))},
		{Name: "a corner beside a corner: refuse, done", Given: given(start, left(hello(2))), When: right(hello(3)),
			Did: nodetest.Refused | nodetest.Ended, Err: mesh.ErrTooSmall},
		{Name: "refused: what comes in goes nowhere",
			Given: given(start, left(hello(2)), right(hello(3)), left(corner(smaller, 1))),
			When:  right(corner(smaller, 1))},
		{Name: "unknown kind: ignored", Given: given(start),
			When: left(election.Message{Kind: 9, Rank: larger})},
	})
}

// corners is the View of a process with two links.
type corners struct{}

func (corners) Self(int) election.Rank                { return self }
func (corners) Ports(int) int                         { return 2 }
func (corners) Peer(int, election.Port) election.Rank { return election.Rank{} }

// TestNothingIsKept: once a process relays, or refuses, nothing waits there.
func TestNothingIsKept(t *testing.T) {
	env := election.NewEnv(corners{}, nil)
	for _, second := range []uint64{3, 2} {
		node := mesh.Algorithm().New(election.Setup{Self: self, Ports: 2})
		fresh := len(new(election.State).Append(nil, node))
		for _, ev := range given(nodetest.Start(), nodetest.From(0, hello(3)),
			nodetest.From(0, corner(larger, 1)), nodetest.From(0, corner(larger, 2)),
			nodetest.From(1, corner(smaller, 1)), nodetest.From(1, hello(second))) {
			env.Begin(0)
			node.Step(env, &ev)
		}
		require.Len(t, new(election.State).Append(nil, node), fresh)
	}
}
