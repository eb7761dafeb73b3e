package process_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/process"
)

// arrival is a packet of an incarnation of the peer, and whether the process takes it for a copy.
type arrival struct {
	incarnation, seq uint64
	copied           bool
}

// arrivals returns a range of packets of one incarnation.
func arrivals(incarnation, from, to uint64, copied bool) (list []arrival) {
	for seq := from; seq <= to; seq++ {
		list = append(list, arrival{incarnation, seq, copied})
	}
	return list
}

// TestCopies: a process drops packets that have arrived before, and no others.
func TestCopies(t *testing.T) {
	const last = 1<<64 - 1
	for name, list := range map[string][]arrival{
		"the same again":   {{7, 1, false}, {7, 1, true}, {7, 2, false}, {7, 1, true}, {7, 2, true}},
		"unnumbered":       {{0, 0, false}, {0, 0, false}, {7, 0, false}, {7, 0, false}},
		"incarnation zero": {{0, 1, false}, {0, 1, true}},
		"overtaken":        {{7, 3, false}, {7, 1, false}, {7, 2, false}, {7, 1, true}, {7, 3, true}},
		"a gap of the window": {{7, 1, false}, {7, 257, false}, {7, 1, true}, {7, 2, false},
			{7, 2, true}},
		"older than the window": {{7, 300, false}, {7, 44, true}, {7, 45, false}, {7, 45, true}},
		"a jump within the window": {{7, 1, false}, {7, 255, false}, {7, 1, true}, {7, 2, false},
			{7, 254, false}},
		"a jump beyond it": {{7, 1, false}, {7, 1000, false}, {7, 999, false}, {7, 745, false},
			{7, 744, true}},
		"a jump beyond a window that was full": slices.Concat(arrivals(7, 1, 256, false),
			arrivals(7, 1000, 1000, false), arrivals(7, 745, 999, false)),
		"the largest numbers": {{7, last, false}, {7, last - 1, false}, {7, last, true}, {7, last - 1, true}},
		"a new incarnation":   {{7, 1, false}, {8, 1, false}, {7, 1, true}, {8, 1, true}, {7, 2, false}},
		"the fifth incarnation forgets the first": {{1, 1, false}, {2, 1, false}, {3, 1, false},
			{4, 1, false},
			{1, 1, true}, {5, 1, false}, {2, 1, true}, {3, 1, true}, {4, 1, true}, {5, 1, true},
			{1, 1, false}},
		"one after another": append(arrivals(7, 1, 1000, false), arrivals(7, 1, 1000, true)...),
	} {
		t.Run(name, func(t *testing.T) { deliver(t, list) })
	}
	rng := rand.New(rand.NewPCG(5, 6))
	seen := make(map[uint64]bool)
	var list []arrival
	for at := range uint64(2000) { // out of order, within the window
		seq := at + 1 + rng.Uint64N(200)
		list = append(list, arrival{7, seq, seen[seq]})
		seen[seq] = true
	}
	deliver(t, list)
}

// deliver sends these packets to a process and compares what its Node receives.
func deliver(t *testing.T, list []arrival) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var got, want []int
		c, peer := pair(t, func(_ *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				got = append(got, int(ev.Msg.Value))
			}
		})
		p, ended := running(t, c)
		copies := uint64(0)
		for i, a := range list {
			require.NoError(t, peer.Send(t.Context(),
				election.Packet{From: 2, To: 1, Incarnation: a.incarnation,
					Seq: a.seq, Msg: election.Message{Kind: 1, Value: uint64(i)}}))
			if a.copied {
				copies++
			} else {
				want = append(want, i)
			}
		}
		synctest.Wait()
		require.Equal(t, want, got)
		require.Equal(t, process.Stats{Received: uint64(len(want)), Copies: copies}, p.Stats())
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestNumbers: the packets of each link have numbers of their own, and another incarnation after a restart.
func TestNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Init {
				e.Send(0, election.Message{Kind: 1})
				e.Send(0, election.Message{Kind: 1})
			}
		})
		incarnations := make(map[uint64]bool)
		for range 2 {
			p, ended := running(t, c)
			for _, seq := range []uint64{1, 2} {
				in, err := peer.Recv(t.Context())
				require.NoError(t, err)
				require.Equal(t, seq, in.Seq)
				incarnations[in.Incarnation] = true
			}
			p.Close()
			require.NoError(t, <-ended)
		}
		require.Len(t, incarnations, 2)
	})
}
