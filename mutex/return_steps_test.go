package mutex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/mutex"
)

// TestRejoinWithoutState: a process that comes back without its state follows no arbiter. Elected, it first
// only asks for reigns, and grants after a second Grace, also if it was named the arbiter.
func TestRejoinWithoutState(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 4})
	require.Equal(t, "election: start", p.does(arbiterEvent(election.Rejoin, 0), mutex.Request(0, 1)))
	for _, named := range []election.ID{0, 3} {
		p = arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: named})
		require.Equal(t, "claim 0, +grace 2s, leader 3/1", p.does(arbiterEvent(election.Rejoin, 0),
			arbiterElected(1, 3)), "%d is named", named)
		require.Empty(t, p.does(arbiterHears(1, arbiterRequest, 1, 1)))
		require.Equal(t, "claim 1, +grace 2s", p.does(arbiterGraceOver))
		require.Equal(t, "1 grant 1.1 token 1.1, +lease 12s", p.does(arbiterGraceOver))
	}
}

// TestRejoinWithoutStateTwice: a process that crashes again before it has heard which reigns there were asks
// again. What it has saved meanwhile, its own question, is no reign that it knows of.
func TestRejoinWithoutStateTwice(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterEvent(election.Rejoin, 0), arbiterElected(1, 3))
	p = p.restored(func(state []byte) []byte { return state })
	p.does(arbiterEvent(election.Init, 0), arbiterEvent(election.Rejoin, 0))
	require.Equal(t, "claim 0, +grace 2s, leader 3/2", p.does(arbiterElected(2, 3)))
	require.Equal(t, "claim 8, +grace 2s", p.does(arbiterLaterReign(1, 7, 3)), "its own, before the crashes")
}

// TestInitForgetsGrants: an arbiter that has crashed remembers neither that it grants nor to which client.
func TestInitForgetsGrants(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 3), arbiterGraceOver, arbiterHears(1, arbiterRequest, 1, 1))
	require.Equal(t, "claim 2, +grace 2s, leader 3/2", p.does(arbiterEvent(election.Init, 0),
		arbiterElected(2, 3)))
	require.Empty(t, p.does(arbiterHears(2, arbiterRequest, 2, 1)))
	require.Equal(t, "2 grant 2.1 token 2.1, +lease 12s", p.does(arbiterGraceOver))
}

// TestArbiterReplaced: an arbiter that follows another one stops its Grace and forgets its clients.
func TestArbiterReplaced(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 3), arbiterGraceOver, arbiterHears(1, arbiterRequest, 1, 1))
	require.Equal(t, "-grace, follower 4/2", p.does(arbiterElected(2, 4)))
	require.Empty(t, p.does(arbiterClaims(4, 2), arbiterGraceOver), "an expiry that was under way")
	require.Equal(t, "follower 4/2", p.does(arbiterElected(2, 4)), "the same once more")
	require.Equal(t, "follower 4/2", p.does(arbiterElected(1, 4)), "the same in an earlier Term")
	require.Equal(t, "claim 3, +grace 2s, leader 3/3", p.does(arbiterElected(3, 3)))
	require.Equal(t, "2 grant 3.1 token 3.1, +lease 12s", p.does(arbiterHears(2, arbiterRequest, 3, 1),
		arbiterGraceOver))
}

// TestReleaseWithoutArbiter: a release that no arbiter could take goes to the next one; any other does not.
func TestReleaseWithoutArbiter(t *testing.T) {
	begin := func(events ...election.Event) string {
		p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 4})
		p.does(mutex.Request(0, 1), arbiterHears(4, arbiterGrant, 0, 1))
		return p.does(events...)
	}
	none := arbiterElected(1, 0)
	require.Equal(t, "5 release 0.1, follower 5/2", begin(none, arbiterStayOver, arbiterElected(2, 5)))
	require.Equal(t, "follower 5/2", begin(arbiterStayOver, arbiterElected(2, 5)))
	require.Equal(t, "follower 5/2", begin(arbiterStayOver, none, arbiterElected(2, 5)))
}

// TestArbiterEventsOfItsUser: a Start is a request without a number; a Reelect goes to the election.
func TestArbiterEventsOfItsUser(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 4})
	require.Equal(t, "+stay 10s, entered 0 token 0.0", p.does(arbiterEvent(election.Start, 0),
		arbiterHears(4, arbiterGrant, 0, 1)))
	require.Equal(t, "election: reelect", p.does(arbiterEvent(election.Reelect, 0)))
}

// TestConfirmedHolderIsKept: that a holder has been granted in this reign is part of the state.
func TestConfirmedHolderIsKept(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 3), arbiterGraceOver, arbiterHears(1, arbiterRequest, 1, 1))
	p = p.restored(func(state []byte) []byte { return state })
	require.Empty(t, p.does(arbiterInside(2, 4)))
}

// TestClaimIsSaved: the first CLAIM of a reign is saved before it is sent, including the CLAIM of the last
// reign.
func TestClaimIsSaved(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	claim := arbiterClaims(5, mostReigns)
	claim.Msg.Kind, claim.Msg.Layer = p.kind("claim"), 1
	for _, want := range []string{"save", ""} {
		fx := p.step(claim)
		require.Equal(t, want, fx.String())
		require.Empty(t, fx.Sends)
	}
	p = arbiterOver(t, arbiterLasting, mutex.Config{})
	p.does(arbiterElected(1, 3))
	later := arbiterLaterReign(1, 7, 5)
	later.Msg.Kind, later.Msg.Layer = p.kind("later"), 1
	fx := p.step(later)
	require.True(t, fx.Saved())
	require.Len(t, fx.Sends, 4)
}

// TestRequestToAFollower: a follower drops a request of its own Term, or an earlier one: the client will
// hear which process is the arbiter. A request of a later Term waits for the election that made it.
func TestRequestToAFollower(t *testing.T) {
	for term, want := range map[uint64]string{1: "", 2: "", 3: "1 grant 3.1 token 3.1, +lease 12s"} {
		p := arbiterOver(t, arbiterLasting, mutex.Config{})
		require.Empty(t, p.does(arbiterElected(2, 4), arbiterHears(1, arbiterRequest, term, 1)))
		require.Equal(t, want, p.does(arbiterElected(3, 3), arbiterGraceOver), "Term %d", term)
	}
}

// TestInitForgetsSuspicions: a process that comes back believes that all are up, until its detector reports
// again.
func TestInitForgetsSuspicions(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	before := new(election.State).Append(nil, p.node)
	p.does(arbiterEvent(election.Suspect, 4))
	require.NotEqual(t, before, new(election.State).Append(nil, p.node))
	p.does(arbiterEvent(election.Init, 0))
	require.Equal(t, before, new(election.State).Append(nil, p.node))
}

// TestEventsOfNoSection: with one section, commands and timers of a second one change nothing.
func TestEventsOfNoSection(t *testing.T) {
	for _, p := range []*single{
		arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 3}).single,
		alone(t)(mutex.RicartAgrawala(mutex.Config{})),
		alone(t)(mutex.TokenRing(ringAnew)),
	} {
		p.step(mutex.Request(0, 1))
		before := new(election.State).Append(nil, p.node)
		layer := uint8(0)
		if p.alg.Variant == "arbiter" {
			layer = 1
		}
		events := []election.Event{mutex.Request(1, 1), mutex.Release(1, 1)}
		for _, timer := range []uint8{1, 65, 129} {
			events = append(events, election.Event{Op: election.Timeout, Timer: timer, Layer: layer})
		}
		for _, ev := range events {
			fx := p.step(ev)
			require.Empty(t, fx.Sends, "%s: %+v", p.alg.Title(), ev)
			require.Empty(t, fx.Signals, "%s: %+v", p.alg.Title(), ev)
			require.Equal(t, before, new(election.State).Append(nil, p.node), "%s: %+v", p.alg.Title(), ev)
		}
	}
}

// TestSuspectOfNoPort: a suspicion of a process that is not there changes nothing.
func TestSuspectOfNoPort(t *testing.T) {
	p := asks(t)
	before := new(election.State).Append(nil, p.node)
	p.step(election.Event{Op: election.Suspect, Port: 4})
	require.Equal(t, before, new(election.State).Append(nil, p.node))
}

// TestRingRules: rules of the token ring that show in a single step.
func TestRingRules(t *testing.T) {
	const most = 1<<31 - 1 // the largest Term of a token
	start := election.Event{Op: election.Start}
	begun := ringEvents(ringAsk, ringTimeout(ringLost))
	ringPlays(t, []ringStory{
		{name: "a Start has no number", c: ringPlain, events: ringEvents(start, ringToken(0, 5, 0)),
			want: "-lost entered0.6(0)"},
		{name: "without a budget the token goes round", c: mutex.Config{First: 3},
			events: ringEvents(ringTimeout(ringFirst), ringTimeout(ringRest)), want: "0:token/0.0.0"},
		{name: "a stay that is over already", c: ringPlain, events: ringEvents(ringTimeout(ringStay)),
			want: ""},
		{name: "tokens are used up", c: ringAnew, events: ringEvents(ringCandidate(most, 5), ringAsk,
			ringToken(most, 1<<32-1, 0)), want: "refuse -lost"},
		{name: "a larger candidate has passed", c: ringAnew,
			events: append(begun, ringCandidate(1, 5), ringCandidate(1, 3)), want: ""},
		{name: "a candidate comes twice", c: ringAnew,
			events: append(begun, ringCandidate(1, 5), ringCandidate(1, 5)), want: ""},
		{name: "a smaller candidate", c: ringAnew,
			events: append(begun, ringCandidate(1, 5), ringCandidate(1, 4)), want: ""},
	})
}
