package election_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestTermKeeperCompares: which messages belong to an earlier election, the current one or a later one. If two
// processes start in one Term and only one may, the larger takes precedence.
func TestTermKeeperCompares(t *testing.T) {
	const earlier, present, later = "earlier", "present", "later"
	for _, tt := range []struct {
		single      bool
		term, value uint64
		want        string
	}{
		{false, 3, 9, earlier}, {false, 4, 0, present}, {false, 4, 6, present}, {false, 4, 8, present},
		{false, 5, 0, later},
		{true, 3, 9, earlier}, {true, 4, 0, earlier}, {true, 4, 6, earlier}, {true, 4, 7, present},
		{true, 4, 8, later}, {true, 5, 0, later}, {true, 5, 6, later},
	} {
		r := newRig(t, 5, election.Algorithm{SingleInitiator: tt.single})
		r.step(recv(election.Message{Kind: 1, Term: 4, Value: 7}))
		m := election.Message{Kind: 1, Term: tt.term, Value: tt.value}
		fx := r.step(recv(m))
		switch tt.want {
		case earlier:
			answer := catchUp(4, 7)
			if !tt.single {
				answer.Value = 0
			}
			require.Equal(t, []election.Outgoing{{Port: 1, Msg: answer}}, fx.Sends, "%+v", tt)
			require.EqualValues(t, 1, r.node.heard, "%+v", tt)
			require.Empty(t, fx.String(), "%+v", tt)
		case present:
			require.Equal(t, []election.Outgoing{{Msg: m}}, fx.Sends, "%+v", tt)
			require.EqualValues(t, 2, r.node.heard, "%+v", tt)
			require.Empty(t, fx.String(), "%+v", tt)
		case later:
			require.Equal(t, []election.Outgoing{{Msg: m}}, fx.Sends, "%+v", tt)
			require.EqualValues(t, 1, r.node.heard, "%+v", tt)
			require.Equal(t, "save, timers", fx.String(), "%+v", tt)
		}

		r.step(recv(election.Message{Kind: 1, Term: 4, Value: 7}))
		before := r.rec.Term()
		fx = r.step(recv(catchUp(tt.term, tt.value)))
		require.Empty(t, fx.Sends, "no answer to a CatchUp")
		require.Equal(t, max(before, tt.term), r.rec.Term())
	}
}

// TestTermKeeperAbstains: a process that comes back takes no message of the Term that it may have spoken in,
// and answers none.
func TestTermKeeperAbstains(t *testing.T) {
	for _, single := range []bool{false, true} {
		for _, term := range []uint64{1, 4} {
			r := newRig(t, 5, election.Algorithm{SingleInitiator: single})
			m := election.Message{Kind: 1, Term: term, Value: 7}
			r.step(recv(m))
			r.step(election.Event{Op: election.Init})
			require.True(t, r.rec.Ended())
			require.Equal(t, &script{}, r.node)
			require.Empty(t, r.step(recv(m)).Sends, "single: %t", single)
			require.Equal(t, &script{}, r.node)
			m.Term++
			require.Len(t, r.step(recv(m)).Sends, 1)
			require.False(t, r.rec.Ended())
		}
	}
}

// TestTermKeeperStampsItsOwn: what other machines have done in this Step already stays as it is, and counts
// as nothing that the Node has done.
func TestTermKeeperStampsItsOwn(t *testing.T) {
	leader := election.Rank{ID: 8}
	for _, elects := range []election.Leadership{election.OneLeader, election.Successors} {
		for _, ev := range []election.Event{start(), recv(message(1, 1)), {Op: election.Command}} {
			r := newRig(t, 5, election.Algorithm{Elects: elects})
			r.step(start())
			fx := r.env.Begin(0)
			r.env.Send(1, message(4, 9))
			r.env.DecideIn(9, leader)
			r.env.Done()
			r.env.Refuse(election.ErrNotInitiator)
			r.rec.Step(r.env, &ev)
			require.Equal(t, message(4, 9), fx.Sends[0].Msg)
			require.Equal(t, election.Outcome{Term: 9, Leader: leader, Role: election.Follower}, fx.Outcome)
			require.True(t, fx.Decided() && fx.Ended() && fx.Refused(), fx.String())
			require.False(t, r.rec.Ended())
		}
	}
}

// TestTermKeeperAsked: a process asks again for an election that it has asked for, if that is over elsewhere.
// A refusal before it in the Step is none of its own.
func TestTermKeeperAsked(t *testing.T) {
	over := catchUp(7, 0)
	over.Flags = 1
	r := newRig(t, 5, election.Algorithm{})
	fx := r.env.Begin(0)
	r.env.Refuse(election.ErrNotInitiator)
	ev := start()
	r.rec.Step(r.env, &ev)
	require.Equal(t, "refuse, save, timers", fx.String())
	require.Equal(t, [][2]uint64{{1, 8}}, r.sent(recv(over)))

	r = newRig(t, 5, election.Algorithm{})
	require.Equal(t, "save, timers", r.step(start()).String())
	r = newRig(t, 5, election.Algorithm{})
	r.step(election.Event{Op: election.Rejoin})
	r.step(recv(message(1, 2)))
	require.Equal(t, [][2]uint64{{1, 3}}, r.sent(election.Event{Op: election.Reelect}))
	require.Empty(t, r.sent(recv(catchUp(7, 0))), "it has heard the messages since its return")
}

// TestTermKeeperRefusedTerm: a Term whose first Start is refused is left to any initiator.
func TestTermKeeperRefusedTerm(t *testing.T) {
	var heard []string
	a := election.Algorithm{SingleInitiator: true, New: func(election.Setup) election.Node {
		return &layer{name: "it", heard: &heard, on: func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Refuse(election.ErrNotInitiator)
			}
		}}
	}}
	rec, env := a.NewNode(election.Setup{}, false), election.NewEnv(view(5), nil)
	for _, ev := range []election.Event{{Op: election.Init}, start(), recv(election.Message{Kind: 1, Term: 1,
		Value: 1})} {
		env.Begin(0)
		rec.Step(env, &ev)
	}
	require.Equal(t, []string{"it init", "it start", "it init", "it recv"}, heard)
}

// TestTermKeeperHearsTheEnd: a long-lived Node reports the end of an election, and the start of another by
// withdrawing its decision. Another machine earlier in the Step does not affect this.
func TestTermKeeperHearsTheEnd(t *testing.T) {
	var heard []string
	var next func(e *election.Env)
	a := election.Algorithm{Elects: election.Successors, New: func(election.Setup) election.Node {
		return &layer{name: "it", heard: &heard, on: func(e *election.Env, _ *election.Event) { next(e) }}
	}}
	rec, env := a.NewNode(election.Setup{}, false), election.NewEnv(view(5), nil)
	for _, tt := range []struct {
		what   string
		before func()
		does   func(e *election.Env)
		want   bool
	}{
		{"nothing", nil, func(*election.Env) {}, false},
		{"a decision", nil, func(e *election.Env) { e.Decide(e.Self()) }, false},
		{"an end before it", env.Done, func(*election.Env) {}, false},
		{"an end", nil, (*election.Env).Done, true},
		{"nothing", nil, func(*election.Env) {}, true},
		{"another decision", nil, func(e *election.Env) { e.Decide(e.Self()) }, true},
		{"no decision before it", func() { env.Withdraw(1) }, func(*election.Env) {}, true},
		{"no decision", nil, func(e *election.Env) { e.Withdraw(2) }, false},
	} {
		env.Begin(0)
		if tt.before != nil {
			tt.before()
		}
		next = tt.does
		rec.Step(env, &election.Event{Op: election.Command})
		require.Equal(t, tt.want, rec.Ended(), tt.what)
		again := a.NewNode(election.Setup{}, false)
		require.NoError(t, new(election.State).Restore(&again, new(election.State).Append(nil, &rec)))
		require.Equal(t, tt.want, again.Ended(), tt.what)
	}
}

// TestTermKeeperState: of two processes whose states are the same, both answer each event alike. Each history
// here leaves a state of its own.
func TestTermKeeperState(t *testing.T) {
	by := func(kind uint8, value uint64) election.Event {
		return recv(election.Message{Kind: kind, Term: 1, Value: value})
	}
	initial, rejoin := election.Event{Op: election.Init}, election.Event{Op: election.Rejoin}
	over := catchUp(7, 0)
	over.Flags = 1
	probes := []election.Event{start(), by(1, 5), by(1, 7), recv(over), recv(catchUp(7, 0)), by(1, 0),
		{Op: election.Reelect}}
	seen := map[string]int{}
	for i, history := range [][]election.Event{{}, {rejoin}, {start()}, {rejoin, start()}, {by(1, 5)},
		{by(1, 7)}, {by(2, 5)}, {start(), initial}, {start(), initial, rejoin}, {start(), by(2, 5)}} {
		for _, probe := range probes {
			r := newRig(t, 5, election.Algorithm{SingleInitiator: true})
			for _, ev := range history {
				r.step(ev)
			}
			saved := new(election.State).Append(nil, &r.rec)
			if first, known := seen[string(saved)]; known {
				require.Equal(t, first, i, "two histories leave one state")
			}
			seen[string(saved)] = i
			other := newRig(t, 5, election.Algorithm{SingleInitiator: true})
			require.NoError(t, new(election.State).Restore(&other.rec, saved))
			want, got := r.step(probe), other.step(probe)
			require.ElementsMatch(t, want.Sends, got.Sends, "%d %+v", i, probe)
			require.Equal(t, want.String(), got.String(), "%d %+v", i, probe)
			require.Equal(t, new(election.State).Append(nil, &r.rec),
				new(election.State).Append(nil, &other.rec), "%d %+v", i, probe)
			new(election.State).Reset(&other.rec)
			require.Equal(t, new(election.State).Append(nil, &newRig(t, 5,
				election.Algorithm{SingleInitiator: true}).rec), new(election.State).Append(nil, &other.rec))
		}
	}
}
