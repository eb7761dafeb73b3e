package modbully_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/modbully"
)

func starts(timer uint8, d time.Duration) election.TimerChange {
	return election.TimerChange{Timer: timer, Min: d, Max: d}
}

// TestShortestTimes: a nanosecond counts, and no time at all is none.
func TestShortestTimes(t *testing.T) {
	for _, v := range variants {
		p := newSingle(t, v, modbully.Config{Delay: 99, Heartbeat: 1}, 5, 5)
		fx := p.step(election.Event{Op: election.Start})
		require.Contains(t, fx.Timers, starts(0, 1), "the heartbeat")
		fx = newSingle(t, v, modbully.Config{Delay: 99, Heartbeat: 1}, 3, 5).receive(5,
			election.Message{Kind: coordinatorOf(t, v), Term: 1})
		require.Contains(t, fx.Timers, starts(0, 2*99+1), "to when one is overdue")
		p = newSingle(t, v,
			modbully.Config{Coordinator: 5, Waits: func(election.ID) time.Duration { return 0 }}, 3, 5)
		fx = p.step(election.Event{Op: election.Suspect, Port: 3})
		require.Equal(t, election.Outcome{Term: 1}, fx.Outcome, "no wait")
		p = newSingle(t, v,
			modbully.Config{Coordinator: 5, Waits: func(election.ID) time.Duration { return 1 }}, 3, 5)
		fx = p.step(election.Event{Op: election.Suspect, Port: 3})
		require.Equal(t, []election.TimerChange{starts(0, 1)}, fx.Timers, "the shortest wait")
		require.False(t, fx.Decided())
		p = newSingle(t, v, modbully.Config{Coordinator: 5, Wait: modbully.WaitRank}, 4, 5)
		fx = p.step(election.Event{Op: election.Suspect, Port: 3})
		require.Equal(t, election.Leader, fx.Outcome.Role, "it waits for none")
	}
	c := modbully.Config{Refresh: 1}
	require.True(t, build(t, modbully.Convenience, c).NeverQuiesces)
	p := newSingle(t, modbully.Convenience, c, 4, 5)
	p.step(election.Event{Op: election.Suspect, Port: 3})
	fx := p.step(election.Event{Op: election.Start})
	require.Contains(t, fx.Timers, starts(2, 1), "the refresh")
	fx = p.receive(5, election.Message{Kind: coordinatorOf(t, modbully.Convenience), Term: 7})
	require.Contains(t, fx.Timers, election.TimerChange{Timer: 2, Stop: true}, "the end of the refresh")
}

// TestFollowingAgain: the same leader again is no news; another one of the same Term is.
func TestFollowingAgain(t *testing.T) {
	for _, v := range variants {
		coordinator := coordinatorOf(t, v)
		p := newSingle(t, v, modbully.Config{}, 3, 5)
		p.receive(4, election.Message{Kind: coordinator, Term: 7})
		fx := p.receive(4, election.Message{Kind: coordinator, Term: 7})
		require.False(t, fx.Decided() || fx.Ended())
		fx = p.receive(5, election.Message{Kind: coordinator, Term: 7})
		require.Equal(t, election.Outcome{Term: 7, Leader: election.Rank{ID: 5}, Role: election.Follower},
			fx.Outcome)
		require.True(t, fx.Ended())
		require.Equal(t, election.Outgoing{Port: 3, Msg: election.Message{Kind: election.CatchUp, Term: 7}},
			fx.Sends[0])
		// Before the first election there is no Term that anybody would have to leave.
		p = newSingle(t, v, modbully.Config{Coordinator: 4}, 3, 5)
		fx = p.receive(5, election.Message{Kind: kindOf(t, v, "heartbeat")})
		require.Equal(t, election.ID(5), fx.Outcome.Leader.ID)
		require.Empty(t, fx.Sends)
	}
}

// TestCaughtUpWhileElecting: a CatchUp names a leader of this Term or a later one. The election continues but
// waits for that process, and passes it over if it falls silent.
func TestCaughtUpWhileElecting(t *testing.T) {
	electing := func(v modbully.Variant) *single {
		p := newSingle(t, v, modbully.Config{Coordinator: 5}, 2, 5)
		fx := p.step(election.Event{Op: election.Suspect, Port: 3})
		require.Equal(t, election.Outcome{Term: 1}, fx.Outcome)
		return p
	}
	for _, v := range variants {
		p := electing(v)
		fx := p.receive(4, election.Message{Term: 1, Rank: election.Rank{ID: 3}})
		require.Equal(t, []election.TimerChange{starts(0, 6*unit)}, fx.Timers)
		fx = p.step(election.Event{Op: election.Timeout})
		require.Equal(t, election.Leader, fx.Outcome.Role, "no ID is between 2 and 3")
		require.EqualValues(t, 2, fx.Outcome.Term)

		fx = electing(v).receive(4, election.Message{Rank: election.Rank{ID: 3}})
		require.Empty(t, fx.Timers, "an earlier Term")
		fx = electing(v).receive(4, election.Message{Term: 1, Rank: election.Rank{ID: 1}})
		require.Empty(t, fx.Timers, "a smaller process")
	}
}

// TestCandidateSuspected: a candidate that is down is passed over: in the same Term if it was only asked, in
// the next if it has accepted.
func TestCandidateSuspected(t *testing.T) {
	for _, v := range variants[:3] {
		p := newSingle(t, v, modbully.Config{Coordinator: 5}, 1, 5)
		p.step(election.Event{Op: election.Start})
		fx := p.step(election.Event{Op: election.Suspect, Port: p.portTo(4)})
		ask := election.Message{Kind: kindOf(t, v, "election"), Term: 1, Rank: p.self}
		require.Equal(t, []election.Outgoing{{Port: p.portTo(3), Msg: ask}}, fx.Sends)
		require.False(t, fx.Decided())
		p.receive(3, election.Message{Kind: kindOf(t, v, "accept"), Term: 1})
		fx = p.step(election.Event{Op: election.Suspect, Port: p.portTo(3)})
		ask.Term = 2
		require.Equal(t, []election.Outgoing{{Port: p.portTo(2), Msg: ask}}, fx.Sends)
		require.Equal(t, election.Outcome{Term: 2}, fx.Outcome)
	}
}

// TestCandidateTrusted: a candidate that turns out to be up is asked, and passed over if it does not answer.
func TestCandidateTrusted(t *testing.T) {
	for _, v := range variants[:3] {
		p := newSingle(t, v, modbully.Config{Coordinator: 5}, 1, 5)
		p.step(election.Event{Op: election.Start})
		p.step(election.Event{Op: election.Suspect, Port: p.portTo(4)})
		ask := election.Message{Kind: kindOf(t, v, "election"), Term: 1, Rank: p.self}
		fx := p.step(election.Event{Op: election.Trust, Port: p.portTo(4)})
		require.Equal(t, []election.Outgoing{{Port: p.portTo(4), Msg: ask}}, fx.Sends)
		fx = p.step(election.Event{Op: election.Timeout})
		require.Equal(t, []election.Outgoing{{Port: p.portTo(3), Msg: ask}}, fx.Sends)
	}
}

// TestLeaderCaughtUp: a leader hears of a later Term, in which it led itself or another.
func TestLeaderCaughtUp(t *testing.T) {
	for _, v := range variants {
		leading := func() *single {
			p := newSingle(t, v, modbully.Config{Coordinator: 4}, 3, 5)
			fx := p.step(election.Event{Op: election.Suspect, Port: p.portTo(4)})
			require.Equal(t, election.Outcome{Term: 1, Leader: election.Rank{ID: 3}, Role: election.Leader},
				fx.Outcome)
			return p
		}
		fx := leading().receive(1, election.Message{Term: 1, Rank: election.Rank{ID: 3}})
		require.False(t, fx.Decided(), "of its own Term")
		fx = leading().receive(1, election.Message{Term: 7, Rank: election.Rank{ID: 3}})
		require.Equal(t, election.Outcome{Term: 8, Leader: election.Rank{ID: 3}, Role: election.Leader},
			fx.Outcome)
		fx = leading().receive(1, election.Message{Term: 7, Rank: election.Rank{ID: 5}})
		require.Equal(t, election.Outcome{Term: 7, Leader: election.Rank{ID: 5}, Role: election.Follower},
			fx.Outcome)
	}
}

// TestToldWhileElecting: LEADER ends an election of its Term, not a later one.
func TestToldWhileElecting(t *testing.T) {
	for _, v := range variants {
		for term, role := range map[uint64]election.Role{1: election.Follower, 0: election.Undecided} {
			p := newSingle(t, v, modbully.Config{}, 3, 5)
			require.NotEmpty(t, p.step(election.Event{Op: election.Start}).Sends)
			fx := p.receive(5, election.Message{Kind: kindOf(t, v, "leader"), Term: term})
			require.Equal(t, role, fx.Outcome.Role)
		}
	}
}

// TestLeaderAsksWhoLeads: a leader that was suspected has come back, so that there is nothing to wait for.
func TestLeaderAsksWhoLeads(t *testing.T) {
	for _, v := range variants {
		p := newSingle(t, v,
			modbully.Config{Coordinator: 5, Waits: func(election.ID) time.Duration { return unit }}, 1, 5)
		leads := []election.Outgoing{{Port: 3, Msg: election.Message{Kind: kindOf(t, v, "leader"),
			Rank: election.Rank{ID: 5}}}}
		fx := p.receive(5, election.Message{Kind: kindOf(t, v, "enquiry")})
		require.Equal(t, leads, fx.Sends)
		require.Empty(t, fx.Timers)
		p.step(election.Event{Op: election.Suspect, Port: 3})
		fx = p.receive(5, election.Message{Kind: kindOf(t, v, "enquiry")})
		require.Equal(t, leads, fx.Sends)
		require.Equal(t, []election.TimerChange{{Stop: true}}, fx.Timers)
	}
}

// TestReelect gives up what is in flight: a wait here.
func TestReelect(t *testing.T) {
	for _, v := range variants {
		p := newSingle(t, v,
			modbully.Config{Coordinator: 5, Waits: func(election.ID) time.Duration { return unit }}, 1, 5)
		p.step(election.Event{Op: election.Suspect, Port: 3})
		fx := p.step(election.Event{Op: election.Reelect})
		require.Equal(t, election.Outcome{Term: 1}, fx.Outcome)
		require.NotEmpty(t, fx.Sends)
	}
}

// TestWaitIsKept: the time that the coordinator has handed out is part of the state.
func TestWaitIsKept(t *testing.T) {
	c := modbully.Config{Coordinator: 5, Wait: modbully.WaitPaper}
	p := newSingle(t, modbully.Convenience, c, 3, 5)
	p.receive(5, election.Message{Kind: kindOf(t, modbully.Convenience, "mpc"), Value: uint64(2 * unit)})
	twin := newSingle(t, modbully.Convenience, c, 3, 5)
	require.NoError(t, new(election.State).Restore(twin.node, new(election.State).Append(nil, p.node)))
	fx := twin.step(election.Event{Op: election.Suspect, Port: 3})
	require.Equal(t, []election.TimerChange{starts(0, 2*unit)}, fx.Timers)
}

// TestDamagedState: one byte of the state is the phase, of which there are seven; any other value is refused.
func TestDamagedState(t *testing.T) {
	p := newSingle(t, modbully.Base, modbully.Config{Coordinator: 5}, 3, 5)
	saved := new(election.State).Append(nil, p.node)
	restores := func(at int, value byte) bool {
		damaged := slices.Clone(saved)
		damaged[at] = value
		twin := newSingle(t, modbully.Base, modbully.Config{Coordinator: 5}, 3, 5)
		return !errors.Is(new(election.State).Restore(twin.node, damaged), election.ErrState)
	}
	phases := 0
	for at := range saved {
		if restores(at, 6) && !restores(at, 7) {
			phases++
		}
	}
	require.Equal(t, 1, phases)
}

// TestAnyOrderOfPorts: the first coordinator is found, with its priority, wherever it is.
func TestAnyOrderOfPorts(t *testing.T) {
	for _, ids := range [][]election.ID{{1, 2, 4, 5}, {5, 4, 2, 1}, {4, 1, 5, 2}, {2, 5, 1, 4}} {
		for i, coordinator := range append(ids[:4:4], 3) { // no process has ID 3
			in := scenario.Input{Algorithm: build(t, modbully.Base,
				modbully.Config{Coordinator: coordinator}), IDs: ids, Priorities: []uint64{7, 6, 5, 4}}
			require.NoError(t, in.Check())
			want := election.Rank{ID: coordinator}
			if i < 4 {
				want = in.Self(i)
			}
			for p := range ids {
				node := in.Algorithm.New(election.Setup{Self: in.Self(p), Ports: 3})
				env := election.NewEnv(&in, nil)
				fx := env.Begin(p)
				node.Step(env, &election.Event{Op: election.Init})
				require.Equal(t, want, fx.Outcome.Leader, "%d among %v", coordinator, ids)
			}
		}
	}
}
