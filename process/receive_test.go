package process_test

import (
	"bytes"
	"log/slog"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// touchy returns an algorithm for complete graphs whose Nodes add up the Values that they receive, and fail
// halfway on some: they panic at 98 and 99, and send over port 7 at 97. After 98 a Stack would be left with
// events of the step. They raise the sum.
func touchy() *election.Algorithm {
	a := complete(nil)
	a.New = func(election.Setup) election.Node {
		sum := new(adder)
		return election.Stack(new(adder), sum)
	}
	return a
}

type adder struct{ sum uint64 }

func (n *adder) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Recv:
		n.sum += ev.Msg.Value
		e.SetTimer(1, time.Hour, time.Hour)
		e.Raise(election.Event{Op: election.Command, Msg: election.Message{Value: n.sum}})
		switch ev.Msg.Value {
		case 97:
			e.Save()
			e.Send(0, election.Message{Kind: 1})
			e.Send(7, election.Message{Kind: 1})
		case 98, 99:
			panic("too much")
		}
	case election.Command:
		n.sum += 1000
	case election.Start:
		e.Send(7, election.Message{Kind: 1})
	}
}

func (n *adder) State(s *election.State) { s.Uint64(&n.sum) }

// TestMessagesThatFail: a message on which the Node panics, or sends over a port without a link, leaves no
// trace: no state, timer, signal or message, and nothing is saved. The same fault in a Start ends the process.
func TestMessagesThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := pair(t, nil)
		c.Algorithm = touchy()
		var log bytes.Buffer
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		var sums []uint64
		c.OnRaise = func(ev election.Event) { sums = append(sums, ev.Msg.Value) }
		c.Save = func([]byte) error { panic("nothing is to be saved") }
		steps := 0
		c.Observe = func(o *observe.Occurrence) {
			if o.What == observe.Step {
				steps++
			}
		}
		p, ended := running(t, c)
		for i, value := range []uint64{1, 99, 2, 97, 4, 98, 8} {
			require.NoError(t, peer.Send(t.Context(), election.Packet{From: 2, To: 1, Seq: uint64(i + 1),
				Msg: election.Message{Kind: 1, Value: value, Layer: 1}}))
		}
		synctest.Wait()
		require.Equal(t, []uint64{1, 3, 7, 15}, sums)
		require.Equal(t, 1+4, steps)
		require.Equal(t, process.Stats{Received: 7, Rejected: 3}, p.Stats())
		require.Contains(t, log.String(), "packet dropped: the algorithm fails on it")
		require.Contains(t, log.String(), "a node panicked: too much")
		require.Contains(t, log.String(), "Value:99")
		require.Contains(t, log.String(), "receive_test.go", "the stack shows where")

		require.NoError(t, p.Start())
		require.ErrorIs(t, <-ended, observe.ErrPort)
	})
}

// TestTermsOutOfReach: a packet may exceed the largest Term of the process by MaxTermJump, and by no more.
func TestTermsOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []uint64
		c, peer := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op != election.Recv {
				return
			}
			got = append(got, ev.Msg.Term)
			switch ev.Msg.Value { // how the process enters the Term
			case 1:
				e.DecideIn(ev.Msg.Term, e.Peer(0))
			case 2:
				e.Send(0, election.Message{Kind: 1, Term: ev.Msg.Term})
			}
		})
		var log bytes.Buffer
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		p, ended := running(t, c)
		const jump = process.MaxTermJump
		for _, m := range []election.Message{
			// it heard, and stays in 0
			{Term: math.MaxUint64}, {Term: jump + 1}, {Term: jump}, {Term: jump + 1},
			{Term: jump, Value: 1}, {Term: 2*jump + 1}, {Term: 2 * jump, Value: 2}, {Term: 3*jump + 1},
			{Term: 3 * jump}, {Term: 0},
		} {
			m.Kind = 1
			require.NoError(t, peer.Send(t.Context(), election.Packet{From: 2, To: 1, Msg: m}))
		}
		synctest.Wait()
		require.Equal(t, []uint64{jump, jump, 2 * jump, 3 * jump, 0}, got)
		require.EqualValues(t, 5, p.Stats().Rejected)
		require.Contains(t, log.String(), "its Term is out of reach")
		require.Contains(t, log.String(), "term=18446744073709551615 known=0 bound=4294967296")
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestTermsOfLeasesOutOfReach: with leases, Terms may be much further apart, because they start with the time
// of day. Packets take a process up to half of all Terms plus the clock, and one packet takes it as far as many
// do. A Command takes it further.
func TestTermsOfLeasesOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c, peer := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				e.DecideIn(ev.Msg.Term, e.Peer(0)) // the process enters the Term
			}
		})
		c.Algorithm.Elects = election.LeaseHolders
		var log bytes.Buffer
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		p, ended := running(t, c)
		const half, token, far, slack = 1 << 52, 1<<53 - 1, 1<<53 - 1<<32, 1 << 24
		today := uint64(began.UnixMilli()) << 8
		receive := func(term, rejected uint64) {
			t.Helper()
			require.NoError(t, peer.Send(t.Context(), election.Packet{From: 2, To: 1,
				Msg: election.Message{Kind: 1, Term: term}}))
			synctest.Wait()
			require.Equal(t, rejected, p.Stats().Rejected, "Term %d", term)
		}
		receive(token, 1)
		receive(math.MaxUint64, 2)
		receive(half+today+1, 3)
		receive(half, 3)
		receive(half+today, 3)
		receive(half+today+1, 4)
		time.Sleep(time.Second)
		receive(half+today+256_001, 5)
		receive(half+today+256_000, 5)
		require.Contains(t, log.String(), "restart the peer without its saved state")

		require.NoError(t, p.Command(election.Message{Kind: 1, Term: half})) // no news
		synctest.Wait()
		receive(half+today+256_001, 6)
		require.NoError(t, p.Command(election.Message{Kind: 1, Term: far}))
		synctest.Wait()
		receive(far+slack+1, 7)
		receive(far+slack, 7)
		time.Sleep(time.Second)
		receive(far+slack+256_001, 8)
		receive(far+slack+256_000, 8)
		require.NoError(t, p.Command(election.Message{Kind: 1, Term: math.MaxUint64}))
		synctest.Wait()
		receive(token+1, 9)
		receive(token, 9)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestTermsOfASavedLease: a voter that has granted a Term beyond what the clock allows accepts the following
// Terms, and no others.
func TestTermsOfASavedLease(t *testing.T) {
	a, err := lease.New(lease.Config{Durable: true})
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		const far, slack = 1<<52 + 1<<51, 1 << 24
		ends := endsOf(t, 1, 2, 3)
		start := func(saved []byte, save func([]byte) error) (*process.Process, <-chan error) {
			return running(t, process.Config{Algorithm: a, Self: threeRanks[0], Peers: threeRanks,
				Transport: ends[1], Saved: saved, Save: save, Founding: true})
		}
		var saved []byte
		p, ended := start(nil, func(state []byte) error {
			saved = bytes.Clone(state)
			return nil
		})
		claim := func(term uint64) {
			require.NoError(t, ends[2].Send(t.Context(), election.Packet{From: 2, To: 1,
				Msg: election.Message{Kind: kindClaim, Term: term, Value: 7, Round: 1}}))
			synctest.Wait()
		}
		require.NoError(t, p.Command(lease.Raise(far)))
		claim(far + 1)
		require.Zero(t, p.Stats().Rejected)
		require.NotEmpty(t, saved)
		p.Close()
		require.NoError(t, <-ended)

		p, ended = start(saved, nil)
		synctest.Wait()
		claim(far + 1 + slack + 1)
		require.EqualValues(t, 1, p.Stats().Rejected)
		claim(far + 1 + slack)
		require.EqualValues(t, 1, p.Stats().Rejected)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// kindClaim is the kind of message by which a candidate of package lease asks for a vote.
const kindClaim = 4

// TestTermKept: what was saved counts as a Term that the process has been in.
func TestTermKept(t *testing.T) {
	for _, a := range catalog.All() {
		if a.LongLived() || a.Topology != election.Ring {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			ends := endsOf(t, 1, 2)
			c := process.Config{Algorithm: a, Self: election.Rank{ID: 1}, Transport: ends[1],
				Peers: []election.Rank{{ID: 2}, {ID: 2}}, Saved: lateState(a, 0, 5*process.MaxTermJump)}
			p, ended := running(t, c)
			for i, term := range []uint64{6 * process.MaxTermJump, 7*process.MaxTermJump + 1} {
				require.NoError(t, ends[2].Send(t.Context(), election.Packet{From: 2, To: 1, Port: 0,
					Msg: election.Message{Kind: election.CatchUp, Term: term}}))
				synctest.Wait()
				require.EqualValues(t, i, p.Stats().Rejected, a.Title())
			}
			p.Close()
			require.NoError(t, <-ended)
		})
		return
	}
}

// lateState returns the state of process p of three, which leads or follows and has caught up with a Term.
func lateState(a *election.Algorithm, p int, term uint64) []byte {
	in := scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3}}
	if err := in.Check(); err != nil {
		panic(err)
	}
	host, env := in.Node(p), election.NewEnv(&in, nil)
	for _, ev := range []election.Event{{Op: election.Init}, {Op: election.Start}, {Op: election.Recv,
		Msg: election.Message{Kind: election.CatchUp, Term: term, Rank: election.Rank{ID: 2}}}} {
		env.Begin(p)
		host.Step(env, &ev)
	}
	return new(election.State).Append(nil, &host)
}

// TestLedOutOfLateTerms: the largest process has a saved Term that is out of reach for the others. They elect
// without it. Started again without that state, it leads them all.
func TestLedOutOfLateTerms(t *testing.T) {
	a, err := bully.Rules(bully.Config{Delay: time.Second, Heartbeat: 3 * time.Second})
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		ends := endsOf(t, 1, 2, 3)
		start := func(id election.ID, saved []byte) (*process.Process, <-chan error) {
			c := process.Config{Algorithm: a, Self: election.Rank{ID: id}, Transport: ends[id],
				Saved: saved}
			for other := range election.ID(3) {
				if other+1 != id {
					c.Peers = append(c.Peers, election.Rank{ID: other + 1})
				}
			}
			return running(t, c)
		}
		one, oneEnded := start(1, nil)
		two, twoEnded := start(2, nil)
		three, threeEnded := start(3, lateState(a, 2, math.MaxUint64-3))
		time.Sleep(time.Minute)
		require.Equal(t, election.ID(2), one.Outcome().Leader.ID)
		require.Equal(t, election.Leader, two.Outcome().Role)
		require.Less(t, two.Outcome().Term, uint64(1000))
		require.NotZero(t, one.Stats().Rejected)

		three.Close()
		require.NoError(t, <-threeEnded)
		three, threeEnded = start(3, nil)
		time.Sleep(time.Minute)
		require.Equal(t, election.Leader, three.Outcome().Role)
		require.Equal(t, election.ID(3), one.Outcome().Leader.ID)
		require.Equal(t, election.ID(3), two.Outcome().Leader.ID)
		for p, ended := range map[*process.Process]<-chan error{one: oneEnded, two: twoEnded,
			three: threeEnded} {
			p.Close()
			require.NoError(t, <-ended)
		}
	})
}

// endsOf returns an endpoint for each process.
func endsOf(t *testing.T, ids ...election.ID) map[election.ID]election.Transport {
	t.Helper()
	ends, open := make(map[election.ID]election.Transport), inMemory(t, memory.New())
	for _, id := range ids {
		ends[id] = open(id)
	}
	return ends
}
