package modbully_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/modbully"
)

// TestComeBack: a process that comes back without its state asks all others, and the leader alone answers.
// Larger ones take over, smaller ones follow.
func TestComeBack(t *testing.T) {
	for _, v := range variants {
		c := of5(t, v, modbully.Config{}, 1)
		c.CrashAt, c.RecoverAt = at(2, 10), at(2, 20)
		before := of5(t, v, modbully.Config{}, 1)
		without := run(t, before)
		r := run(t, c)
		require.NoError(t, r.Err())
		require.EqualValues(t, 4, r.Leader)
		require.EqualValues(t, 4, r.Count("enquiry"))
		require.EqualValues(t, 1, r.Count("leader"))
		require.Equal(t, without.Messages+5, r.Messages)

		c = of5(t, v, modbully.Config{}, 1)
		c.RecoverAt = at(5, 20)
		r = run(t, c)
		require.NoError(t, r.Err())
		require.EqualValues(t, 5, r.Leader)
		require.EqualValues(t, 4, r.Count("enquiry"))
		require.EqualValues(t, 1, r.Count("leader"))
		require.EqualValues(t, 1, r.Claimants)
		coordinators := r.Count("coordinator") + r.Count("coordinator_pcrq")
		require.EqualValues(t, 3+4, coordinators)
	}
}

// TestComeBackAlone: no answer comes, so the process holds an election. It asks all larger ones before, in
// vain, and announces itself to them afterwards.
func TestComeBackAlone(t *testing.T) {
	for _, v := range variants {
		c := of5(t, v, modbully.Config{})
		c.Initiators = []election.ID{}
		c.Crashed = upTo(1, 5)
		c.RecoverAt = at(3, 1)
		r := run(t, c)
		require.NoError(t, r.Err())
		require.EqualValues(t, 3, r.Leader)
		require.EqualValues(t, 4, r.Count("enquiry"))
		require.EqualValues(t, 2, r.Count("election"))
		require.EqualValues(t, 2, r.Count("leader"))
	}
}

// TestComeBackToNone: the only process there is leads as soon as it is back.
func TestComeBackToNone(t *testing.T) {
	for _, v := range variants {
		fx := newSingle(t, v, modbully.Config{}, 1, 1).step(election.Event{Op: election.Rejoin})
		require.Equal(t, election.Leader, fx.Outcome.Role)
	}
}

// TestLeaderComesBackUnmissed: its followers answer that it led, and in which Term.
func TestLeaderComesBackUnmissed(t *testing.T) {
	for _, v := range variants {
		c := of5(t, v, modbully.Config{}, 1)
		c.CrashAt, c.RecoverAt = at(4, 20), at(4, 20.5)
		s, err := sim.New(c)
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.NoError(t, r.Err())
		require.EqualValues(t, 4, r.Leader)
		require.EqualValues(t, 3+1, r.Count("leader")) // three followers, and 5 in vain
		for p := range 4 {
			require.EqualValues(t, 2, s.Outcome(p).Term)
		}
	}
}

// TestRestartWithState: a saved Term survives, and the next one is larger.
func TestRestartWithState(t *testing.T) {
	for _, v := range variants {
		p := newSingle(t, v, modbully.Config{Coordinator: 5}, 3, 5)
		p.receive(4, election.Message{Kind: coordinatorOf(t, v), Term: 7})
		saved := new(election.State).Append(nil, p.node)
		p = newSingle(t, v, modbully.Config{Coordinator: 5}, 3, 5)
		require.NoError(t, new(election.State).Restore(p.node, saved))
		fx := p.step(election.Event{Op: election.Init})
		require.Empty(t, fx.Sends)
		fx = p.receive(4, election.Message{Kind: kindOf(t, v, "enquiry"), Term: 7})
		require.Empty(t, fx.Sends, "it no longer knows the leader")
		fx = p.step(election.Event{Op: election.Rejoin})
		require.Len(t, fx.Sends, 4)
		require.EqualValues(t, 7, fx.Sends[0].Msg.Term)
		fx = p.step(election.Event{Op: election.Timeout})
		require.Equal(t, election.Outcome{Term: 8}, fx.Outcome)
		require.True(t, fx.Saved())
	}
}

// TestTerms is how Terms are kept, in single steps of 3 among 1..5, that follows 5 in Term 7.
func TestTerms(t *testing.T) {
	for _, v := range variants {
		coordinator := coordinatorOf(t, v)
		settled := func() *single {
			p := newSingle(t, v, modbully.Config{}, 3, 5)
			fx := p.receive(5, election.Message{Kind: coordinator, Term: 7})
			require.Equal(t, election.Outcome{Term: 7, Leader: election.Rank{ID: 5}, Role: election.Follower},
				fx.Outcome)
			require.True(t, fx.Ended())
			return p
		}
		// A smaller one in the same Term, or an earlier Term: no news.
		fx := settled().receive(4, election.Message{Kind: coordinator, Term: 7})
		require.False(t, fx.Decided())
		require.Empty(t, fx.Sends)
		// A smaller one in a later Term is followed.
		fx = settled().receive(4, election.Message{Kind: coordinator, Term: 8})
		require.Equal(t, election.Outcome{Term: 8, Leader: election.Rank{ID: 4}, Role: election.Follower},
			fx.Outcome)
		// A process as large as the leader that is behind gets a CatchUp.
		fx = settled().receive(5, election.Message{Kind: coordinator, Term: 1})
		require.Equal(t, []election.Outgoing{{Port: 3, Msg: election.Message{Kind: election.CatchUp, Term: 7,
			Rank: election.Rank{ID: 5}}}}, fx.Sends)
		// One smaller than this process makes it elect.
		fx = settled().receive(2, election.Message{Kind: coordinator, Term: 8})
		require.Equal(t, election.Outcome{Term: 9}, fx.Outcome)
		// An election continues although an announcement of an earlier Term comes.
		p := settled()
		p.step(election.Event{Op: election.Suspect, Port: 3})
		fx = p.receive(5, election.Message{Kind: coordinator, Term: 7})
		require.False(t, fx.Decided())
		require.Equal(t, []election.Outgoing{{Port: 3, Msg: election.Message{Kind: election.CatchUp,
			Term: 8}}}, fx.Sends)
		// ACCEPT to an earlier election is none to this one.
		if v != modbully.Grant {
			fx = p.receive(4, election.Message{Kind: kindOf(t, v, "accept"), Term: 7})
			require.Empty(t, fx.Timers)
		}
		// A process that asks in a Term with a coordinator hears of that one. OK alone commits no process.
		ask := uint8(1)
		if v == modbully.Grant {
			ask = kindOf(t, v, "grant")
		}
		fx = settled().receive(1, election.Message{Kind: ask, Term: 7})
		require.Equal(t, election.CatchUp, fx.Sends[len(fx.Sends)-1].Msg.Kind)
		require.False(t, fx.Decided())
		// The last Term can be followed, not left.
		p = settled()
		p.receive(4, election.Message{Kind: coordinator, Term: math.MaxUint64})
		fx = p.step(election.Event{Op: election.Suspect, Port: 2})
		require.ErrorIs(t, fx.Err, election.ErrTermExhausted)
		require.Empty(t, fx.Sends)
	}
}

// TestBehind: a leader that is behind announces itself again, in a later Term, until all follow.
func TestBehind(t *testing.T) {
	for _, v := range variants {
		c := of5(t, v, modbully.Config{}, 1)
		s, err := sim.New(c)
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		s.Post(3, election.Event{Op: election.Recv, Port: 0, Msg: election.Message{Kind: election.CatchUp,
			Term: 40, Rank: election.Rank{ID: 2}}})
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.NoError(t, r.Err())
		for p := range 4 {
			require.Equal(t, election.ID(4), s.Outcome(p).Leader.ID)
			require.EqualValues(t, 41, s.Outcome(p).Term)
		}
	}
}

// TestHeartbeat: without a word from outside a dead leader is missed, and a leader that was passed
// over by mistake makes itself heard again.
func TestHeartbeat(t *testing.T) {
	for _, v := range variants {
		in := scenario.Input{Algorithm: build(t, v, modbully.Config{Coordinator: 5, Heartbeat: 4 * unit}),
			IDs:        upTo(1, 5),
			Initiators: []election.ID{}, CrashAt: at(5, 30)}
		s, err := sim.New(sim.Config{Input: in, Until: 29 * unit})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.EqualValues(t, 5, r.Leader)
		require.Equal(t, r.Messages, r.Count("heartbeat"))
		require.EqualValues(t, 7*4, r.Messages)
		s.Extend(80 * unit)
		require.NoError(t, s.Run(t.Context()))
		r = s.Result()
		require.NoError(t, r.Err())
		require.EqualValues(t, 4, r.Leader)

		s.Post(0, election.Event{Op: election.Suspect, Port: 2}) // which is wrong
		s.Extend(s.Now() + 30*unit)
		require.NoError(t, s.Run(t.Context()))
		r = s.Result()
		require.NoError(t, r.Err(), v)
		require.EqualValues(t, 4, r.Leader)
		require.Equal(t, 1, r.Claimants)
	}
}

// TestWrongSuspicion: without heartbeats the leader that was passed over hears nothing.
func TestWrongSuspicion(t *testing.T) {
	for _, v := range variants {
		s, err := sim.New(of5(t, v, modbully.Config{}, 1))
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		s.Post(0, election.Event{Op: election.Suspect, Port: 2})
		require.NoError(t, s.Run(t.Context()))
		r := s.Result()
		require.Equal(t, 2, r.Claimants)
	}
}

// TestReturnedWaits: a process that has come back without its state waits as long as one that was never down.
func TestReturnedWaits(t *testing.T) {
	c := of5(t, modbully.Convenience, modbully.Config{Wait: modbully.WaitPaper,
		Pending: func(election.ID) time.Duration { return 9 * unit }}, 1)
	c.CrashAt, c.RecoverAt = at(2, 12), at(2, 13)
	s, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	s.Crash(3)
	now, before := s.Now(), s.Result()
	for p := range 3 {
		s.Post(p, election.Event{Op: election.Suspect, Port: 2})
	}
	for _, wait := range []time.Duration{9*unit - 1, 9 * unit} {
		s.Extend(now + wait)
		require.NoError(t, s.Run(t.Context()))
		elected := 2 * uint64(wait/(9*unit)) // 3 takes over itself
		require.Equal(t, before.Count("election")+elected,
			func() uint64 { r := s.Result(); return r.Count("election") }())
	}
}

// TestDefaultWait: without a word on waits, a process that suspects the leader waits for those above it, so
// that the largest alone elects; one that is started does not wait. Other variants never wait.
func TestDefaultWait(t *testing.T) {
	for _, v := range variants {
		for op, elections := range map[election.Op]uint64{election.Start: 3, election.Suspect: 0} {
			if v != modbully.Convenience {
				elections = map[election.Op]uint64{election.Start: 3, election.Suspect: 2}[op]
			}
			if v == modbully.Grant {
				elections = map[election.Op]uint64{election.Start: 4 + 3 + 2 - 3, election.Suspect: 3}[op]
			}
			in := scenario.Input{Algorithm: build(t, v, modbully.Config{}), IDs: upTo(1, 4)}
			s, err := sim.New(sim.Config{Input: in})
			require.NoError(t, err)
			require.NoError(t, s.Run(t.Context()))
			if op == election.Suspect {
				s.Crash(3)
			}
			before := s.Result()
			for p := range 3 {
				s.Post(p, election.Event{Op: op, Port: 2})
			}
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.NoError(t, r.Err())
			require.Equal(t, elections, r.Count("election")-before.Count("election"), "%s: %v", v, op)
		}
	}
}

// TestRefreshAndEcho: each refresh takes three messages for each that is smaller, processes that are new or
// come back measure how far the leader is, and the next refresh hands that out.
func TestRefreshAndEcho(t *testing.T) {
	c := of5(t, modbully.Convenience, modbully.Config{Refresh: 10 * unit, Echo: true,
		Wait: modbully.WaitPaper}, 1)
	c.CrashAt, c.RecoverAt, c.Until = at(2, 12), at(2, 13), 25*unit
	s, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	r := s.Result()
	require.NoError(t, r.Err())
	require.EqualValues(t, 2*3, r.Count("refresh")) // at 11 and 21
	require.EqualValues(t, 3+2*3-1, r.Count("pcrp"))
	require.EqualValues(t, 3+2*3-1, r.Count("mpc"))
	// The first five go to 5, which is down: one of each that begins, and of 2 once more.
	require.EqualValues(t, 5+3+1, r.Count("echo"))
	require.EqualValues(t, 3+1, r.Count("echo_reply"))

	s.Post(0, election.Event{Op: election.Suspect, Port: 2}) // 2 is one unit away, so all wait one
	before, now := s.Result(), s.Now()
	s.Extend(now + unit - 1)
	require.NoError(t, s.Run(t.Context()))
	r = s.Result()
	require.Equal(t, before.Count("election"), r.Count("election"))
	s.Extend(now + unit)
	require.NoError(t, s.Run(t.Context()))
	r = s.Result()
	require.Equal(t, before.Count("election")+1, r.Count("election"))
}
