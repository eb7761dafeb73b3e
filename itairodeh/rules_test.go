package itairodeh_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/nodetest"
)

const (
	cw  = election.Clockwise
	ccw = election.Counterclockwise
)

const shared = 1

var (
	self  = election.Rank{ID: 5}
	other = election.Rank{ID: 3}
)

// token is one of a round, with a number and hops.
func token(round uint32, number, hops uint64, flags uint8) election.Message {
	return election.Message{Kind: 1, Round: round, Rank: election.Rank{Priority: number}, Value: hops,
		Flags: flags}
}

func announcement(r election.Rank) election.Message { return election.Message{Kind: 2, Rank: r} }

func hear(m election.Message) election.Event { return nodetest.From(ccw, m) }

func given(events ...election.Event) []election.Event { return events }

func sends(m election.Message) []election.Outgoing { return []election.Outgoing{nodetest.To(cw, m)} }

// TestRules: one process of three, which draws 1 from 1 to 2 each time.
func TestRules(t *testing.T) {
	a, err := itairodeh.New(itairodeh.Config{Size: 3, K: 2})
	require.NoError(t, err)
	start := nodetest.Start()
	begun := given(start)
	again := given(start, hear(token(1, 1, 3, shared))) // in round 2
	passive := given(start, hear(token(1, 2, 1, 0)))
	leads := given(start, hear(token(1, 1, 3, 0)))
	nodetest.Rules(t, a, self, []nodetest.Rule{
		{Name: "start: draw", When: start, Sends: sends(token(1, 1, 1, 0))},
		{Name: "start: once", Given: begun, When: start},
		{Name: "start: not where passive", Given: passive, When: start},
		{Name: "start: not where it leads", Given: leads, When: start},
		{Name: "start: not after relaying", Given: given(hear(token(1, 1, 1, 0))), When: start},
		{Name: "relay: not started", When: hear(token(1, 1, 1, 0)), Sends: sends(token(1, 1, 2, 0))},
		{Name: "relay: passive", Given: passive, When: hear(token(1, 1, 2, shared)),
			Sends: sends(token(1, 1, 3, shared))},
		{Name: "relay: passive, whatever has as many hops", Given: passive, When: hear(token(1, 1, 3, 0)),
			Sends: sends(token(1, 1, 4, 0))},
		{Name: "larger: a number", Given: begun, When: hear(token(1, 2, 1, 0)),
			Sends: sends(token(1, 2, 2, 0))},
		{Name: "larger: a round", Given: begun, When: hear(token(2, 1, 2, shared)),
			Sends: sends(token(2, 1, 3, shared))},
		{Name: "larger: passive from then on", Given: passive, When: hear(token(1, 1, 1, 0)),
			Sends: sends(token(1, 1, 2, 0))},
		{Name: "smaller: a number", Given: begun, When: hear(token(1, 0, 1, 0))},
		{Name: "smaller: a round", Given: again, When: hear(token(1, 2, 1, 0))},
		{Name: "smaller: active from then on", Given: given(start, hear(token(1, 0, 1, 0))),
			When: hear(token(1, 1, 3, 0)), Sends: sends(announcement(self)), Outcome: nodetest.Lead(self),
			Did: nodetest.Decided},
		{Name: "smaller: all where it leads", Given: leads, When: hear(token(9, 2, 1, 0))},
		{Name: "same: shared", Given: begun, When: hear(token(1, 1, 1, 0)),
			Sends: sends(token(1, 1, 2, shared))},
		{Name: "same: still shared", Given: begun, When: hear(token(1, 1, 2, shared)),
			Sends: sends(token(1, 1, 3, shared))},
		{Name: "same: active from then on", Given: given(start, hear(token(1, 1, 1, 0))),
			When: hear(token(1, 1, 3, shared)), Sends: sends(token(2, 1, 1, 0))},
		{Name: "home: lead", Given: begun, When: hear(token(1, 1, 3, 0)), Sends: sends(announcement(self)),
			Outcome: nodetest.Lead(self), Did: nodetest.Decided},
		{Name: "again: draw", Given: begun, When: hear(token(1, 1, 3, shared)),
			Sends: sends(token(2, 1, 1, 0))},
		{Name: "again: and again", Given: again, When: hear(token(2, 1, 3, shared)),
			Sends: sends(token(3, 1, 1, 0))},
		{Name: "elected: follow, forward, done", Given: passive, When: hear(announcement(other)),
			Sends: sends(announcement(other)), Outcome: nodetest.Follow(other),
			Did: nodetest.Decided | nodetest.Ended},
		{Name: "elected: comes home, done", Given: leads, When: hear(announcement(self)),
			Did: nodetest.Ended},
		{Name: "elected: of another leader, where the size is wrong", Given: leads,
			When: hear(announcement(other)), Did: nodetest.Ended},
		{Name: "stray: where active", Given: begun, When: hear(token(1, 1, 4, 0))},
		{Name: "stray: where larger", Given: begun, When: hear(token(1, 2, 4, 0))},
		{Name: "stray: where passive", Given: passive, When: hear(token(1, 2, 4, 0))},
		{Name: "stray: where not started", When: hear(token(1, 2, 4, 0))},
		{Name: "stray: does not wake", Given: given(hear(token(1, 2, 4, 0))), When: start,
			Sends: sends(token(1, 1, 1, 0))},
	})
}

// TestStates: a saved state is one of four, and a fifth is refused.
func TestStates(t *testing.T) {
	nodetest.States(t, itairodeh.Rounds().New(election.Setup{Size: 3}), 4)
}

// TestFinite: no token has a round.
func TestFinite(t *testing.T) {
	a, err := itairodeh.New(itairodeh.Config{Size: 3, K: 2, Finite: true})
	require.NoError(t, err)
	start := nodetest.Start()
	nodetest.Rules(t, a, self, []nodetest.Rule{
		{Name: "start", When: start, Sends: sends(token(0, 1, 1, 0))},
		{Name: "again", Given: given(start), When: hear(token(0, 1, 3, shared)),
			Sends: sends(token(0, 1, 1, 0))},
	})
}
