package modbully_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/modbully"
)

const unit = sim.Unit

// of5 is an election among 1..5, where 5, the old leader, is down.
func of5(t *testing.T, v modbully.Variant, c modbully.Config, starters ...election.ID) sim.Config {
	t.Helper()
	c.Coordinator = 5
	return sim.Config{Input: scenario.Input{Algorithm: build(t, v, c), IDs: upTo(1, 5), Initiators: starters,
		Crashed: upTo(5, 5)}}
}

func at(id election.ID, units float64) []scenario.At {
	return []scenario.At{{ID: id, Time: time.Duration(units * float64(unit))}}
}

// TestLiteralReset: 2 crashes before its REPLY, and so 4 never counts its ELECTIONs again: the next
// one goes unanswered, and 3 becomes the second leader. By default 4 has stopped to wait for 2.
func TestLiteralReset(t *testing.T) {
	for literal, leaders := range map[bool]int{true: 2, false: 1} {
		c := of5(t, modbully.Number, modbully.Config{LiteralReset: literal}, 3, 1)
		c.StartTimes = []time.Duration{0, 20 * unit}
		c.CrashAt = at(2, 1.5)
		r := run(t, c)
		require.Equal(t, leaders, r.Claimants)
		require.Equal(t, !literal, r.Err() == nil)
		if !literal {
			require.EqualValues(t, 4, r.Leader)
			require.EqualValues(t, 2, r.Count("accept"))
		}
	}
}

// TestLateAcceptance: 4 answers the first of three only; if the others do not wait for as long as an
// announcement may take, they ask 3. Waiting for two delays is enough.
func TestLateAcceptance(t *testing.T) {
	for timeout, wrong := range map[time.Duration]bool{unit: true, 3 * unit / 2: true, 2 * unit: false} {
		twice := 0
		for seed := range uint64(1000) {
			c := of5(t, modbully.Number, modbully.Config{AcceptTimeout: timeout, Unsafe: true}, 1, 2, 3)
			c.Schedule, c.Delay, c.Seed, c.Until = sim.RandomDelay, sim.Delay{Min: unit / 10, Max: unit},
				seed, 1000*unit
			s, err := sim.New(c)
			require.NoError(t, err)
			most := 0
			for s.Step() {
				r := s.Result()
				most = max(most, r.Claimants)
			}
			if most > 1 {
				twice++
			}
		}
		require.Equal(t, wrong, twice > 0, "%v: %d of 1000", timeout, twice)
	}
}

// TestWinnerDies crashes 4 after it was asked: before it can accept, or after it has sent ACCEPT and
// COORDINATOR. No process waits forever.
func TestWinnerDies(t *testing.T) {
	for _, v := range variants {
		for _, when := range []float64{0.5, 1, 1.5, 2, 2.5, 3.5} {
			c := of5(t, v, modbully.Config{}, 1)
			c.CrashAt = at(4, when)
			s, err := sim.New(c)
			require.NoError(t, err)
			require.NoError(t, s.Run(t.Context()))
			for p := range 3 { // a process that follows 4 gets a Suspect
				if s.Outcome(p).Leader.ID == 4 {
					s.Post(p, election.Event{Op: election.Suspect, Port: 2})
				}
			}
			require.NoError(t, s.Run(t.Context()))
			r := s.Result()
			require.NoError(t, r.Err(), "%s at %v", v, when)
			require.EqualValues(t, 3, r.Leader, "%s at %v", v, when)
		}
	}
}

// TestAcceptedInVain: an ACCEPT that no COORDINATOR follows, because the link has lost it or its
// sender died between the two. The election begins again, in a later Term, without that one.
func TestAcceptedInVain(t *testing.T) {
	for _, v := range variants {
		yes := map[bool]uint8{false: kindOf(t, v, "accept"), true: kindOf(t, v, "ok")}[v == modbully.Grant]
		p := newSingle(t, v, modbully.Config{Coordinator: 5}, 1, 5)
		p.step(election.Event{Op: election.Start})
		p.receive(4, election.Message{Kind: yes, Term: 1})
		if v == modbully.Grant {
			fx := p.step(election.Event{Op: election.Timeout})
			require.Equal(t, []election.Outgoing{{Port: 2, Msg: election.Message{Kind: kindOf(t, v, "grant"),
				Term: 1, Rank: p.self}}}, fx.Sends)
		}
		fx := p.step(election.Event{Op: election.Timeout})
		require.Equal(t, election.Outcome{Term: 2}, fx.Outcome)
		require.Equal(t, election.Outgoing{Port: 1, Msg: election.Message{Kind: 1, Term: 2, Rank: p.self}},
			fx.Sends[len(fx.Sends)-1])
	}
}

// TestDeathBeforeMPC: followers know their coordinator from COORDINATOR on, not from MPC on.
func TestDeathBeforeMPC(t *testing.T) {
	c := of5(t, modbully.Convenience, modbully.Config{}, 1)
	c.CrashAt = at(4, 2.5) // COORDINATOR has arrived, PCRP has not
	s, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	for p := range 3 {
		require.EqualValues(t, 4, s.Outcome(p).Leader.ID)
	}
	r := s.Result()
	require.Zero(t, r.Count("mpc"))
	s.Post(0, election.Event{Op: election.Suspect, Port: 2})
	require.NoError(t, s.Run(t.Context()))
	r = s.Result()
	require.NoError(t, r.Err())
	require.EqualValues(t, 3, r.Leader)
	require.EqualValues(t, 2, r.Count("mpc"))
}

// TestMemberDies: the coordinator does not wait forever, and MPC goes to the processes that have answered.
func TestMemberDies(t *testing.T) {
	for v, kind := range map[modbully.Variant]string{modbully.Convenience: "mpc", modbully.Number: "reply"} {
		c := of5(t, v, modbully.Config{}, 1)
		c.CrashAt = at(2, 1.5)
		r := run(t, c)
		require.NoError(t, r.Err())
		require.EqualValues(t, 2, r.Count(kind))
	}
}

// TestWaitingTogether: processes that wait, for each other or for the same, never block: handlers
// do not wait. All of them start, in every order, with waits and without.
func TestWaitingTogether(t *testing.T) {
	for _, v := range variants {
		for _, wait := range []modbully.Wait{"", modbully.WaitPaper, modbully.WaitOwn, modbully.WaitRank} {
			c := of5(t, v,
				modbully.Config{Wait: wait,
					Pending: func(id election.ID) time.Duration { return time.Duration(id%2) * unit }}, 4, 2,
				1, 3)
			r := run(t, c)
			require.NoError(t, r.Err())
			require.EqualValues(t, 4, r.Leader)
		}
	}
}

// TestWaits counts the processes that begin an election when all notice the crash within three units.
func TestWaits(t *testing.T) {
	pending := func(id election.ID) time.Duration { return time.Duration(id) * unit / 10 }
	for _, test := range []struct {
		name      string
		c         modbully.Config
		elections uint64 // among four, one of which takes over without an ELECTION
	}{
		{"a start by default", modbully.Config{}, 3},
		{"none", modbully.Config{Wait: modbully.WaitNone}, 3},
		{"paper", modbully.Config{Wait: modbully.WaitPaper, Pending: pending}, 3},
		{"own", modbully.Config{Wait: modbully.WaitOwn, Pending: pending}, 3},
		{"rank", modbully.Config{Wait: modbully.WaitRank}, 0},
		{"table", modbully.Config{
			Waits: func(id election.ID) time.Duration { return time.Duration(5-id) * 4 * unit },
		}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := of5(t, modbully.Convenience, test.c, 1, 2, 3, 4)
			r := run(t, c)
			require.NoError(t, r.Err())
			require.EqualValues(t, 4, r.Leader)
			require.Equal(t, test.elections, r.Count("election"))
		})
	}
}

// TestCommonWait: the wait that all have in common only puts off what happens without it.
func TestCommonWait(t *testing.T) {
	elections := func(wait modbully.Wait) uint64 {
		c := of5(t, modbully.Convenience, modbully.Config{Wait: wait,
			Pending: func(election.ID) time.Duration { return 7 * unit }}, 1)
		s, err := sim.New(c)
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context())) // 4 leads, and has handed out the wait
		before := s.Result()
		for p := range 3 {
			s.Post(p, election.Event{Op: election.Suspect, Port: 2})
		}
		s.Extend(s.Now() + 100*unit)
		require.NoError(t, s.Run(t.Context()))
		after := s.Result()
		return after.Count("election") - before.Count("election")
	}
	require.Equal(t, elections(modbully.WaitNone), elections(modbully.WaitPaper))
	require.Equal(t, uint64(2), elections(modbully.WaitPaper))
}

// TestCoordinatorCancelsWait: a COORDINATOR, or the word that the leader is up after all, ends the
// wait; no election follows.
func TestCoordinatorCancelsWait(t *testing.T) {
	for _, v := range variants {
		for _, ev := range []election.Event{
			{Op: election.Trust, Port: 3},
			{Op: election.Recv, Port: 2, Msg: election.Message{Kind: coordinatorOf(t, v), Term: 1,
				Rank: election.Rank{ID: 4}}},
		} {
			p := newSingle(t, v, modbully.Config{Coordinator: 5,
				Waits: func(election.ID) time.Duration { return unit }}, 1, 5)
			fx := p.step(election.Event{Op: election.Suspect, Port: 3})
			require.False(t, fx.Timers[0].Stop)
			require.Empty(t, fx.Sends)
			require.False(t, fx.Decided()) // still believes
			fx = p.step(ev)
			require.Contains(t, fx.Timers, election.TimerChange{Stop: true})
			for _, out := range fx.Sends {
				require.NotEqual(t, uint8(1), out.Msg.Kind)
			}
		}
	}
}
