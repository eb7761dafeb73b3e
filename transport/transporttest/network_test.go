package transporttest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestDefaults: what Options leave open.
func TestDefaults(t *testing.T) {
	defaults := func(given Options) (got Options) {
		p := property{name: "any", holds: func(n *network) error {
			got = n.opts
			return nil
		}}
		try(t, p, func(_ testing.TB, ids []election.ID) (ends []election.Transport) {
			net := newWires(ids, 1, nil)
			for _, id := range ids {
				ends = append(ends, net.end(id))
			}
			return ends
		}, given)
		return got
	}
	got := defaults(Options{})
	require.Equal(t, 10*time.Second, got.Patience)
	require.Equal(t, 50_000, got.burst)
	require.NotNil(t, got.losses)
	losses := new(atomic.Bool)
	given := Options{Patience: time.Second, burst: 7, losses: losses}
	got = defaults(given)
	require.Equal(t, given, got)
	require.Same(t, losses, got.losses)
}

// TestAwait: the suite waits as long as something happens. Packets that are missing after that are lost,
// which all properties know from then on; those that arrive are not.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := []election.ID{1, 2}
		net := newWires(ids, roomy, nil)
		n := newNetwork(t, ids, []election.Transport{net.end(1), net.end(2)},
			Options{Patience: 2 * time.Second, losses: new(atomic.Bool)})
		defer n.close()
		n.listen(1)
		go func() {
			for v := range 3 {
				time.Sleep(1500 * time.Millisecond)
				_ = n.sendValues(v, v)
			}
		}()
		all, err := n.await(1, 3)
		require.NoError(t, err)
		require.True(t, all)
		require.False(t, n.opts.losses.Load())
		require.Equal(t, n.opts.Patience, n.patience())

		began := time.Now()
		all, err = n.await(1, 4)
		require.NoError(t, err)
		require.False(t, all)
		require.Equal(t, n.opts.Patience, time.Since(began))
		require.True(t, n.opts.losses.Load())
		require.Equal(t, impatience, n.patience())

		require.NoError(t, n.closeEnd(1, "here"))
		all, err = n.await(1, 4)
		require.False(t, all)
		require.ErrorContains(t, err, "process 2 receives no more: ")
		require.ErrorIs(t, err, election.ErrClosed)
	})
}

// TestRoomForOne: no more packets are under way than may wait, be that one: a transport that refuses the next
// keeps its promises.
func TestRoomForOne(t *testing.T) {
	full := sending(func(w *wire, ctx context.Context, p election.Packet) error {
		if to := w.net.end(p.To); to != nil && len(to.in) == cap(to.in) {
			return errNoWay
		}
		return w.Send(ctx, p)
	})
	got, _ := failures(t, 1, Options{Capacity: 1}, full)
	for _, name := range []string{"Addressing", "Order", "Loss", "Duplication", "Self", "Concurrency",
		"Burst"} {
		require.NotContains(t, got, name, "%v", got)
	}
}

// TestCalls: what is said of a goroutine is the functions in it.
func TestCalls(t *testing.T) {
	require.Equal(t, "a/b.(*c).d, ...23 frames elided..., created by a/b.e", calls(`a/b.(*c).d(0x1, {0x2})
	/home/c.go:7 +0x9
...23 frames elided...
created by a/b.e in goroutine 7
	/home/e.go:8 +0x10
`))
}

// TestDisordered: both packets are named, counted from one.
func TestDisordered(t *testing.T) {
	ids := []election.ID{1, 2}
	net := newWires(ids, 1, nil)
	n := newNetwork(t, ids, []election.Transport{net.end(1), net.end(2)}, Options{losses: new(atomic.Bool)})
	flows := []flow{{0, 1, 0, 3}, {0, 1, 7, 3}}
	for _, k := range []int{0, 2, 2} { // a copy is in order
		n.inboxes[1].add(flows[1].of(n, 1, k))
	}
	n.inboxes[1].add(flows[0].of(n, 0, 0))
	require.NoError(t, n.disordered(flows))
	n.inboxes[1].add(flows[1].of(n, 1, 1))
	require.EqualError(t, n.disordered(flows), "the order is not kept: packet 2 of 3, from process 1 to "+
		"port 7 of process 2 arrived after packet 3")
}

// TestHandsOutNothing: a transport with nothing to hand out refuses the first Recv after Close.
func TestHandsOutNothing(t *testing.T) {
	var closed sync.Map // the wires that have returned a packet since
	got, _ := failures(t, roomy, Options{}, spoilt{
		recv: func(w *wire, ctx context.Context) (election.Packet, error) {
			if w.isClosed() {
				if _, again := closed.Swap(w, true); !again {
					return election.Packet{}, nil
				}
			}
			return w.Recv(ctx)
		}})
	for _, name := range []string{"CloseRecv", "CloseSend", "CloseAgain"} {
		require.Equal(t, "Recv after Close returned no error, where one that wraps election.ErrClosed is due",
			got[name], name)
	}
	require.Len(t, got, 3, "%v", got)
}
