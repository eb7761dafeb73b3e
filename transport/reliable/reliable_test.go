package reliable_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/reliable"
)

// send sends packets with these values to a process, and returns the first error.
func send(t *reliable.Transport, to election.ID, port election.Port, first, last uint64) error {
	for v := first; v <= last; v++ {
		p := election.Packet{To: to, Port: port, Msg: election.Message{Value: v}}
		if err := t.Send(context.Background(), p); err != nil {
			return err
		}
	}
	return nil
}

// recv receives the next packet, within a minute.
func recv(tb testing.TB, t *reliable.Transport) election.Packet {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	p, err := t.Recv(ctx)
	require.NoError(tb, err)
	return p
}

// receives requires that packets with these values arrive next.
func receives(tb testing.TB, t *reliable.Transport, first, last uint64) {
	tb.Helper()
	for v := first; v <= last; v++ {
		require.Equal(tb, v, recv(tb, t).Msg.Value)
	}
}

// nothing requires that no packet arrives.
func nothing(tb testing.TB, t *reliable.Transport) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	p, err := t.Recv(ctx)
	require.ErrorIs(tb, err, context.DeadlineExceeded, "%+v", p)
}

// TestFaults: however many packets the network loses, repeats and reorders, each arrives once, in the order of
// its link.
func TestFaults(t *testing.T) {
	for i, loss := range []float64{0.1, 0.3, 0.5} {
		t.Run(fmt.Sprint(loss), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newLossy(t, bad(loss, uint64(i)))
				ends := []*reliable.Transport{n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})}
				const count = 400
				var running sync.WaitGroup
				for i, end := range ends {
					peer := election.ID(2 - i)
					for port := range election.Port(2) {
						running.Go(func() {
							for v := range uint64(count) {
								require.NoError(t, send(end, peer, port, v, v))
								time.Sleep(time.Millisecond)
							}
						})
					}
					running.Go(func() {
						next := [2]uint64{}
						for range 2 * count {
							p := recv(t, end)
							require.Equal(t, peer, p.From)
							require.Equal(t, next[p.Port], p.Msg.Value)
							next[p.Port]++
						}
						nothing(t, end)
					})
				}
				running.Wait()
				stats := n.Stats()
				require.Greater(t, stats.Lost, uint64(count/10))
				require.Greater(t, stats.Duplicated, uint64(count/10))
				require.Greater(t, stats.Reordered, uint64(count/10))
			})
		})
	}
}

// TestNumbers: packets arrive with a stream and numbers from 1, and another sender has another stream.
func TestNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{})
		to := n.end(t, 2, reliable.Config{})
		streams := make(map[uint64]bool)
		for range 2 {
			from := n.end(t, 1, reliable.Config{})
			require.Equal(t, election.ID(1), from.Self())
			require.NoError(t, send(from, 2, 7, 1, 3))
			for seq := range uint64(3) {
				p := recv(t, to)
				streams[p.Incarnation] = true
				require.Equal(t, election.Packet{From: 1, To: 2, Port: 7, Incarnation: p.Incarnation, Seq: seq + 1,
					Msg: election.Message{Value: seq + 1}}, p)
			}
			require.NoError(t, from.Close())
		}
		require.Len(t, streams, 2)
	})
}

// TestFewPackets: without loss, no packet is sent twice under one name, and few acks are.
func TestFewPackets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})
		require.NoError(t, send(a, 2, 0, 1, 1))
		receives(t, b, 1, 1)
		synctest.Wait()
		require.EqualValues(t, 4, n.Stats().Sent, "packet, offer, packet, ack")
		for v := uint64(2); v <= 101; v++ {
			require.NoError(t, send(a, 2, 0, v, v))
			receives(t, b, v, v)
			synctest.Wait()
		}
		require.EqualValues(t, 4+200, n.Stats().Sent)
		time.Sleep(time.Hour)
		require.EqualValues(t, 4+200, n.Stats().Sent, "silence")
	})
}

// TestLongRoundTrip: nor is a packet sent twice under one name if the offer takes most of Resend.
func TestLongRoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{Min: 40 * time.Millisecond})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})
		require.NoError(t, send(a, 2, 0, 1, 1))
		receives(t, b, 1, 1)
		time.Sleep(time.Second)
		require.EqualValues(t, 4, n.Stats().Sent, "packet, offer, packet, ack")
	})
}

// TestManyReceivers: packets that become ready together wake all calls of Recv.
func TestManyReceivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})
		require.NoError(t, send(a, 2, 0, 1, 1))
		receives(t, b, 1, 1)
		received := make(chan uint64, 3)
		for range cap(received) {
			go func() { received <- recv(t, b).Msg.Value }()
		}
		synctest.Wait()
		n.CutLink(1, 2)
		require.NoError(t, send(a, 2, 0, 2, 2))
		synctest.Wait()
		n.Heal()
		require.NoError(t, send(a, 2, 0, 3, 4)) // they wait for the lost one
		time.Sleep(time.Second)
		require.ElementsMatch(t, []uint64{2, 3, 4}, []uint64{<-received, <-received, <-received})
	})
}

// TestCanceledReceiver: a call of Recv whose context ends while a packet arrives leaves it to another call.
func TestCanceledReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})
		for range 300 {
			ctx, cancel := context.WithCancel(t.Context())
			other, stop := context.WithCancel(t.Context())
			received := make(chan error, 2)
			for _, c := range []context.Context{ctx, other} {
				go func() {
					_, err := b.Recv(c)
					received <- err
				}()
				synctest.Wait()
			}
			go cancel()
			require.NoError(t, send(a, 2, 0, 1, 1))
			synctest.Wait()
			stop()
			first, second := <-received, <-received
			require.True(t, first == nil || second == nil, "the packet is left")
		}
	})
}

// TestReceiverRestarts: the successor of a receiver gets all packets that the former one had not acknowledged,
// and the later ones.
func TestReceiverRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, bad(0.2, 3))
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{Linger: time.Nanosecond})
		require.NoError(t, send(a, 2, 0, 1, 100))
		receives(t, b, 1, 40)
		require.NoError(t, b.Close())
		require.NoError(t, send(a, 2, 0, 101, 200))
		time.Sleep(time.Minute)
		b = n.end(t, 2, reliable.Config{})
		first := recv(t, b).Msg.Value
		require.Greater(t, first, uint64(1), "some were acknowledged")
		require.LessOrEqual(t, first, uint64(101))
		receives(t, b, first+1, 200)
		nothing(t, b)
	})
}

// TestUnacknowledged: a packet whose acknowledgement is lost with its receiver arrives at the successor, too.
func TestUnacknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{Min: time.Millisecond})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})
		require.NoError(t, send(a, 2, 0, 1, 1))
		receives(t, b, 1, 1)
		time.Sleep(time.Second)
		n.CutLink(2, 1)
		require.NoError(t, send(a, 2, 0, 2, 2))
		receives(t, b, 2, 2)
		time.Sleep(time.Second)
		require.NoError(t, b.Close())
		n.Heal()
		b = n.end(t, 2, reliable.Config{})
		receives(t, b, 2, 2)
		nothing(t, b)
	})
}

// TestSenderRestarts: no packet of a former sender arrives after one of its successor.
func TestSenderRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, bad(0.2, 4))
		b := n.end(t, 2, reliable.Config{})
		var last uint64
		for life := range uint64(20) {
			linger := time.Duration(life) * 10 * time.Millisecond
			if life == 19 {
				linger = time.Minute
			}
			a := n.end(t, 1, reliable.Config{Linger: linger})
			require.NoError(t, send(a, 2, 0, 1000*life+1, 1000*life+50))
			time.Sleep(30 * time.Millisecond)
			require.NoError(t, a.Close())
		}
		lives := make(map[uint64]bool)
		for last < 19_050 {
			v := recv(t, b).Msg.Value
			require.True(t, v == last+1 || v > last && v%1000 == 1, "%d after %d", v, last)
			last = v
			lives[v/1000] = true
		}
		require.Greater(t, len(lives), 10)
		nothing(t, b)
	})
}

// TestAbsent: packets for a process that is absent for long wait in a queue of limited length, are rarely sent,
// and arrive when the process comes.
func TestAbsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{Min: time.Millisecond})
		a := n.end(t, 1, reliable.Config{Queue: 200})
		require.NoError(t, send(a, 2, 0, 1, 200))
		err := send(a, 2, 0, 201, 201)
		require.ErrorIs(t, err, reliable.ErrFull)
		require.EqualError(t, err, "reliable: the queue is full: process 2 has not acknowledged 200 packets on port 0")
		require.NoError(t, send(a, 2, 1, 1, 1), "each link has its own")
		require.NoError(t, send(a, 3, 0, 1, 1))
		time.Sleep(10 * time.Second)
		before := n.Stats().Sent
		time.Sleep(time.Hour)
		require.LessOrEqual(t, n.Stats().Sent-before, uint64(3*time.Hour/(1600*time.Millisecond))+3)
		require.Greater(t, n.Stats().Sent-before, uint64(1000))
		b := n.end(t, 2, reliable.Config{Queue: 200})
		for next := [2]uint64{1, 1}; next != [2]uint64{201, 2}; {
			p := recv(t, b)
			require.Equal(t, next[p.Port], p.Msg.Value)
			next[p.Port]++
		}
		nothing(t, b)
		require.NoError(t, send(a, 2, 0, 201, 400), "there is room again")
		receives(t, b, 201, 400)
	})
}

// recorder records when packets are sent, and loses them.
type recorder struct {
	election.Transport
	began time.Time
	sent  []time.Duration // each packet, in order
}

func (r *recorder) Send(context.Context, election.Packet) error {
	r.sent = append(r.sent, time.Since(r.began))
	return nil
}

// TestPace: without an answer, all packets are sent twice, and then one at a time, at intervals that begin to grow
// after eight of them.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, err := memory.New().Endpoint(1)
		require.NoError(t, err)
		r := &recorder{Transport: inner, began: time.Now()}
		a := over(t, r, reliable.Config{Self: 1, Linger: time.Nanosecond})
		require.NoError(t, send(a, 2, 0, 1, 3))
		time.Sleep(10 * time.Second)
		require.NoError(t, a.Close())
		want := []time.Duration{0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 23, 39, 55, 71, 87}
		for i := range want {
			want[i] *= 100 * time.Millisecond
		}
		require.Equal(t, want, r.sent)
	})
}

// TestCut: after a partition has healed, links resume.
func TestCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{Min: time.Millisecond})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})
		require.NoError(t, send(a, 2, 0, 1, 10))
		receives(t, b, 1, 10)
		require.NoError(t, n.Cut([]election.ID{1}))
		require.NoError(t, send(a, 2, 0, 11, 110))
		require.NoError(t, send(b, 1, 0, 1, 100))
		time.Sleep(time.Hour)
		n.Heal()
		healed := time.Now()
		receives(t, b, 11, 110)
		receives(t, a, 1, 100)
		require.Less(t, time.Since(healed), 2*time.Second)
	})
}

// TestNewsFromPeer: when a packet reaches a process that was cut off for long, the earlier ones follow soon, and
// not when the next retransmission would be due.
func TestNewsFromPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{Min: time.Millisecond})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})
		require.NoError(t, send(a, 2, 0, 1, 1))
		receives(t, b, 1, 1)
		require.NoError(t, n.Cut([]election.ID{1}))
		require.NoError(t, send(a, 2, 0, 2, 20))
		time.Sleep(time.Hour)
		for lost := n.Stats().Cut; lost == n.Stats().Cut; {
			time.Sleep(time.Millisecond)
		}
		n.Heal() // the next one is due in 1.6 s
		healed := time.Now()
		require.NoError(t, send(a, 2, 0, 21, 21))
		receives(t, b, 2, 21)
		require.Less(t, time.Since(healed), 250*time.Millisecond)
	})
}

// TestSlowReceiver: packets that the receiver does not take wait, first at its end and then at the sender's.
// Packets are not retransmitted needlessly, except for a rare question whether there is room.
func TestSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{Min: time.Millisecond})
		a, b := n.end(t, 1, reliable.Config{Queue: 100}), n.end(t, 2, reliable.Config{Queue: 100})
		for v := range uint64(200) {
			require.NoError(t, send(a, 2, 0, v, v))
			time.Sleep(10 * time.Millisecond)
		}
		require.ErrorIs(t, send(a, 2, 0, 200, 200), reliable.ErrFull)
		time.Sleep(10 * time.Second)
		before := n.Stats().Sent
		time.Sleep(time.Hour)
		require.LessOrEqual(t, n.Stats().Sent-before, uint64(2*time.Hour/(1600*time.Millisecond))+10)
		began := time.Now()
		receives(t, b, 0, 199)
		require.Less(t, time.Since(began), 100*time.Millisecond, "room is announced, not asked for")
	})
}

// TestClose: Close waits for acknowledgements, for as long as Linger.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, bad(0.3, 5))
		a, b := n.end(t, 1, reliable.Config{Linger: time.Minute}), n.end(t, 2, reliable.Config{Linger: time.Minute})
		require.NoError(t, send(a, 2, 0, 1, 500))
		began := time.Now()
		require.NoError(t, a.Close())
		require.Less(t, time.Since(began), 50*time.Second)
		require.ErrorIs(t, send(a, 2, 0, 1, 1), election.ErrClosed)
		_, err := a.Recv(t.Context())
		require.ErrorIs(t, err, election.ErrClosed)
		receives(t, b, 1, 500)

		began = time.Now()
		require.NoError(t, b.Close(), "nothing waits")
		require.Zero(t, time.Since(began))

		c := n.end(t, 3, reliable.Config{})
		require.NoError(t, send(c, 2, 0, 1, 5))
		began = time.Now()
		require.NoError(t, c.Close())
		require.Equal(t, 2*time.Second, time.Since(began), "the peer has gone")
	})
}

// TestCloseTogether: a process that is closing still acknowledges, so that its peers can close, too.
func TestCloseTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})
		absent := n.end(t, 3, reliable.Config{})
		require.NoError(t, absent.Close())
		require.NoError(t, send(b, 3, 0, 1, 1), "keeps b from closing until Linger")
		began := time.Now()
		var closing sync.WaitGroup
		for range 2 {
			closing.Go(func() { require.NoError(t, b.Close()) })
		}
		synctest.Wait()
		require.NoError(t, send(a, 2, 0, 1, 50))
		require.NoError(t, a.Close())
		require.Zero(t, time.Since(began))
		closing.Wait()
		require.Equal(t, 2*time.Second, time.Since(began), "both calls wait for the absent process")
	})
}

// TestCloseSlowReceiver: a process that closes while packets wait for it does not keep their sender waiting.
func TestCloseSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{Queue: 10})
		require.NoError(t, send(a, 2, 0, 1, 200))
		require.NoError(t, send(b, 3, 0, 1, 1)) // never acknowledged, so b lingers
		time.Sleep(time.Second)
		began := time.Now()
		go b.Close()
		require.NoError(t, a.Close())
		require.Less(t, time.Since(began), time.Second)
	})
}

// TestSelf: a process reaches itself.
func TestSelf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, bad(0.3, 6))
		a := n.end(t, 1, reliable.Config{})
		require.NoError(t, send(a, 1, 1, 1, 100))
		receives(t, a, 1, 100)
	})
}

// broken is a transport whose Recv fails after a while.
type broken struct {
	election.Transport
	failed chan struct{}
	closed atomic.Int32
}

var errBroken = errors.New("broken")

func (b *broken) Recv(ctx context.Context) (p election.Packet, err error) {
	select {
	case <-b.failed:
		return p, errBroken
	case <-ctx.Done():
		return p, context.Cause(ctx)
	}
}

func (b *broken) Send(context.Context, election.Packet) error { return errBroken }
func (b *broken) Close() error                                { b.closed.Add(1); return errBroken }

// TestBroken: an error of Recv of the inner transport is returned, an error of Send is a loss, and Close returns
// what the inner Close returns and calls it once.
func TestBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &broken{failed: make(chan struct{})}
		a := over(t, inner, reliable.Config{Self: 1})
		require.NoError(t, send(a, 2, 0, 1, 10))
		synctest.Wait()
		received := make(chan error)
		go func() {
			_, err := a.Recv(t.Context())
			received <- err
		}()
		close(inner.failed)
		require.ErrorIs(t, <-received, errBroken)
		require.ErrorIs(t, send(a, 2, 0, 1, 1), errBroken)
		began := time.Now()
		require.ErrorIs(t, a.Close(), errBroken)
		require.ErrorIs(t, a.Close(), errBroken)
		require.Zero(t, time.Since(began), "nothing can be acknowledged")
		require.EqualValues(t, 1, inner.closed.Load())
		require.ErrorIs(t, send(a, 2, 0, 1, 1), election.ErrClosed)
	})
}

// TestHostile: a peer that speaks no protocol opens a limited number of links, and disturbs no other.
func TestHostile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLossy(t, faults.Config{})
		a, b := n.end(t, 1, reliable.Config{}), n.end(t, 2, reliable.Config{})
		evil, err := n.net.Endpoint(3)
		require.NoError(t, err)
		require.NoError(t, send(a, 2, 0, 1, 10))
		for k := range uint64(1000) {
			for seq := range uint64(3) {
				for kind := range uint8(4) {
					require.NoError(t, evil.Send(t.Context(), election.Packet{From: 3, To: 2, Port: election.Port(k),
						Incarnation: 4 + k%3, Seq: seq, Msg: election.Message{Kind: kind, Term: k, Value: k}}))
				}
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		offers := make(map[election.Port]bool)
		for {
			p, err := evil.Recv(ctx)
			if err != nil {
				break
			}
			require.Zero(t, p.Seq, "%+v", p)
			offers[p.Port] = true
		}
		require.Len(t, offers, 64)
		receives(t, b, 1, 10)
		nothing(t, b)
	})
}

// TestConfig: what New refuses.
func TestConfig(t *testing.T) {
	end, err := memory.New().Endpoint(5)
	require.NoError(t, err)
	defer end.Close()
	plain := struct{ election.Transport }{end}
	for want, c := range map[string]struct {
		inner  election.Transport
		config reliable.Config
	}{
		"transport: missing":                              {nil, reliable.Config{Self: 5}},
		"self: an ID is never 0":                          {plain, reliable.Config{}},
		"self: 4, but the transport belongs to process 5": {end, reliable.Config{Self: 4}},
		"resend: -1ns is not between 0 and":               {end, reliable.Config{Resend: -1}},
		"resend: 1000000h0m0s is not between 0 and ":      {end, reliable.Config{Resend: 1e6 * time.Hour}},
		"queue: -1 is negative":                           {end, reliable.Config{Queue: -1}},
		"linger: -1ns is negative":                        {end, reliable.Config{Linger: -1}},
	} {
		_, err := reliable.New(c.inner, c.config)
		require.ErrorIs(t, err, election.ErrInput, want)
		require.ErrorContains(t, err, want)
	}
	var owned transport.Owned = over(t, end, reliable.Config{})
	require.Equal(t, election.ID(5), owned.Self())
	require.NoError(t, owned.Close())
}

// Benchmark compares a packet over reliable links with one over the network in memory.
func Benchmark(b *testing.B) {
	for _, name := range []string{"memory", "reliable"} {
		b.Run(name, func(b *testing.B) {
			net := memory.New()
			ends := make([]election.Transport, 2)
			for i := range ends {
				end, err := net.Endpoint(election.ID(i + 1))
				require.NoError(b, err)
				if ends[i] = end; name == "reliable" {
					ends[i] = over(b, end, reliable.Config{})
				}
				defer ends[i].Close()
			}
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, ends[0].Send(b.Context(), election.Packet{From: 1, To: 2}))
				_, err := ends[1].Recv(b.Context())
				require.NoError(b, err)
			}
		})
	}
}
