package transporttest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/process"
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

// TestAwait: the suite waits as long as something happens. Packets that are missing after that are lost, which
// all properties then know; packets that arrive are not.
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

// TestRoomForOne: no more packets are in flight than may wait, even if the limit is one: a transport that
// refuses the next one keeps its guarantees.
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

// newTestNetwork returns a network of the processes 1 and 2 on wires.
func newTestNetwork(t *testing.T, size int, opts Options) *network {
	t.Helper()
	ids := []election.ID{1, 2}
	net := newWires(ids, size, nil)
	if opts.losses == nil {
		opts.losses = new(atomic.Bool)
	}
	return newNetwork(t, ids, []election.Transport{net.end(1), net.end(2)}, opts)
}

// TestReceiverEnds: the suite does not wait any longer for a process that has stopped receiving.
func TestReceiverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNetwork(t, roomy, Options{Patience: 2 * time.Second})
		defer n.close()
		n.listen(1)
		began := time.Now()
		time.AfterFunc(time.Second, func() { _ = n.ends[1].Close() })
		_, err := n.await(1, 1)
		require.ErrorIs(t, err, election.ErrClosed)
		require.Equal(t, time.Second, time.Since(began))
	})
}

// TestAwaitQuiet: quiet is when nothing has arrived for a while, or patience is at its end.
func TestAwaitQuiet(t *testing.T) {
	for _, c := range []struct {
		packets int
		took    time.Duration
	}{{0, quiet}, {4, 4*15*time.Millisecond + quiet}, {1000, 2 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			n := newTestNetwork(t, roomy, Options{Patience: 2 * time.Second})
			defer n.close()
			n.listen(1)
			began := time.Now()
			go func() {
				for v := range c.packets {
					time.Sleep(15 * time.Millisecond)
					_ = n.ends[0].Send(n.ctx, n.packet(0, 1, election.Message{Value: uint64(v)}))
				}
			}()
			n.awaitQuiet()
			require.Equal(t, c.took, time.Since(began))
			time.Sleep(time.Minute) // until the last is sent
		})
	}
}

// TestPatience: once packets are lost the suite waits less, and never more than Options.Patience.
func TestPatience(t *testing.T) {
	for _, patience := range []time.Duration{impatience / 2, 2 * impatience} {
		n := newTestNetwork(t, 1, Options{Patience: patience})
		require.Equal(t, patience, n.patience())
		require.ErrorContains(t, n.lose("one of %d", 3),
			"packets are lost: one of 3; if they may be, declare ")
		require.Equal(t, min(patience, impatience), n.patience())
	}
	n := newTestNetwork(t, 1, Options{Patience: time.Hour, Lossy: true})
	require.Error(t, n.lose("one"))
	require.Equal(t, time.Hour, n.patience(), "where they may be lost that says nothing")
}

// TestClosesFirst: contexts end after all transports are closed, so that it is Close that ends their calls.
func TestClosesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNetwork(t, 1, Options{Patience: 2 * time.Second})
		inner := n.ends[0].(*wire)
		n.ends[0] = spoilt{close: func(w *wire) error {
			time.Sleep(time.Second)
			require.NoError(t, n.ctx.Err())
			return w.Close()
		}}.over(inner)
		n.close()
		require.True(t, inner.isClosed())
		require.Error(t, n.ctx.Err())
	})
}

// TestOneWaits: one sender that waits for the place of a lost packet shows the loss.
func TestOneWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNetwork(t, roomy, Options{Patience: time.Second, Capacity: 2})
		defer n.close()
		n.ends[0] = dropping(1).over(n.ends[0].(*wire))
		require.ErrorContains(t, n.sendAll([]flow{{0, 1, 0, 3}}),
			"packets are lost: 2 are on their way to process 2, as many as may wait there, and none arrives; ")
		require.EqualValues(t, 1, n.inboxes[1].held.Load())
		n.cancel()
		synctest.Wait()
		require.Zero(t, n.inboxes[1].held.Load())
	})
}

// TestArrivals: packets count that are of one of the flows to this process, and of no other number.
func TestArrivals(t *testing.T) {
	n := newTestNetwork(t, 1, Options{})
	flows := []flow{{0, 1, 0, 2}, {1, 0, 0, 2}}
	for _, p := range []election.Packet{flows[0].of(n, 0, 0), flows[0].of(n, 0, 1), flows[0].of(n, 0, 2),
		flows[1].of(n, 1, 0), flows[0].of(n, 2, 0), flows[0].of(n, 0, 1)} {
		n.inboxes[1].add(p)
	}
	require.Equal(t, []arrival{{0, 0}, {0, 1}, {0, 1}}, n.arrivals(1, flows))
	require.Equal(t, [][]int{{1, 2}, {0, 0}}, n.times(flows))
	require.ErrorContains(t, n.strange(flows),
		"packet 1 of 2, from process 2 to port 0 of process 1 reached process 2")
	n.inboxes[1].packets = n.inboxes[1].packets[4:]
	require.ErrorContains(t, n.strange(flows), "process 2 received {")
	require.ErrorContains(t, n.strange(flows), ", which no process has sent")
}

// TestGoroutines: each is in the list, however many there are.
func TestGoroutines(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	before := goroutines()
	for range 1000 {
		go func() { <-release }()
	}
	after := goroutines()
	for name := range before {
		delete(after, name)
	}
	require.Len(t, after, 1000)
}

// TestSuite: each property that a transport promises is a subtest, which fails if that does not hold. The
// failing test runs in a process of its own.
func TestSuite(t *testing.T) {
	const broken = "TRANSPORTTEST_BROKEN"
	if os.Getenv(broken) != "" {
		Test(t, func(testing.TB, []election.ID) []election.Transport { return nil }, Options{Unordered: true})
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestSuite$", "-test.v")
	c.Env = append(os.Environ(), broken+"=1")
	out, err := c.CombinedOutput()
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed)
	for _, p := range properties() {
		line := "--- FAIL: TestSuite/" + p.name + " "
		if p.promised == nil || p.promised(&Options{Unordered: true}) {
			require.Contains(t, string(out), line)
		} else {
			require.NotContains(t, string(out), line)
		}
	}
	require.Contains(t, string(out), "open returned 0 transports for 4 processes")
}

// TestLossIsKnown: once one property has found that packets are lost, those after it know.
func TestLossIsKnown(t *testing.T) {
	var knew []bool
	holds := func(n *network) error {
		knew = append(knew, n.opts.losses.Load())
		_ = n.lose("one")
		return nil
	}
	test(t, []property{{name: "one", holds: holds}, {name: "two", holds: holds}},
		func(_ testing.TB, ids []election.ID) (ends []election.Transport) {
			net := newWires(ids, 1, nil)
			for _, id := range ids {
				ends = append(ends, net.end(id))
			}
			return ends
		}, Options{})
	require.Equal(t, []bool{false, true}, knew)
}

// TestMadeUp: a packet that no process has sent is detected when Recv should give up.
func TestMadeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newTestNetwork(t, 1, Options{Patience: time.Minute})
		n.ends[1] = spoilt{recv: func(*wire, context.Context) (election.Packet, error) {
			return election.Packet{}, nil
		}}.over(n.ends[1].(*wire))
		require.EqualError(t, cancelBefore(n, 1), "process 2 received a packet that no process has sent")
	})
}

// TestOpensTooFew: what Open and Options.Reopen must return.
func TestOpensTooFew(t *testing.T) {
	r := &recorder{TB: t}
	try(r, properties()[0], func(testing.TB, []election.ID) []election.Transport {
		return make([]election.Transport, 3)
	}, Options{})
	require.Equal(t, []string{"open returned 3 transports for 4 processes"}, r.said)
	n := newTestNetwork(t, 1, Options{Reopen: again})
	require.EqualError(t, n.reopen(1), "Options.Reopen returned no transport for process 2")
}

// TestConfig: what the processes of Election know.
func TestConfig(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		n := newTestNetwork(t, 1, Options{Unordered: unordered})
		c, err := n.config(1)
		require.NoError(t, err)
		want := process.Config{Transport: n.ends[1], Unordered: unordered, Founding: true, Start: true}
		ring, err := topology.Ring(2, false)
		require.NoError(t, err)
		require.NoError(t, want.Place(ring, []election.Rank{{ID: 1}, {ID: 2}}, 1))
		require.Equal(t, "lcr/participant", c.Algorithm.Title())
		c.OnOutcome(election.Outcome{})
		require.Len(t, n.news, 1)
		c.Algorithm, c.OnOutcome = nil, nil
		require.Equal(t, want, c)
	}
}

// TestElectsAgain: over a lossy transport an election that does not end is given up after a while, which is
// longer by a tenth each time.
func TestElectsAgain(t *testing.T) {
	var began time.Time
	var at []time.Duration // when the first process sends for the first time in a Term
	lossy := sending(func(w *wire, _ context.Context, p election.Packet) error {
		if w.self == 1 && int(p.Msg.Term) > len(at) {
			at = append(at, time.Since(began))
		}
		return nil
	})
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{TB: t}
		i := slices.IndexFunc(properties(), func(p property) bool { return p.name == "Election" })
		try(r, properties()[i], func(_ testing.TB, ids []election.ID) (ends []election.Transport) {
			began = time.Now()
			net := newWires(ids, roomy, nil)
			for _, id := range ids {
				ends = append(ends, lossy.over(net.end(id)))
			}
			return ends
		}, Options{Lossy: true})
		require.Len(t, r.said, 1)
	})
	const ms = time.Millisecond
	require.Equal(t, []time.Duration{0, 20 * ms, 42 * ms, 66200 * time.Microsecond}, at[:4])
	require.Len(t, at, 42)
}

// TestClosesAmongSends: four goroutines send, and the transport is closed when 100 packets are sent, or when
// all four wait.
func TestClosesAmongSends(t *testing.T) {
	for _, c := range []struct {
		room int64
		took time.Duration
	}{{100, 0}, {99, 10 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			var sent, waiting, most atomic.Int64
			full := sending(func(w *wire, _ context.Context, p election.Packet) error {
				if sent.Add(1) > c.room {
					most.Store(max(most.Load(), waiting.Add(1)))
					defer waiting.Add(-1)
					<-w.closed
					return w.gone()
				}
				return nil
			})
			n := newTestNetwork(t, roomy, Options{Patience: 10 * time.Second})
			defer n.close()
			n.ends[0] = full.over(n.ends[0].(*wire))
			n.ids = append(n.ids, 3) // a closed process is asked to send to the third
			began := time.Now()
			require.NoError(t, closeSend(n))
			require.Equal(t, c.took, time.Since(began))
			require.LessOrEqual(t, most.Load(), int64(4))
			if c.took > 0 {
				require.EqualValues(t, 4, most.Load())
			}
		})
	}
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
