package faults_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// wire is a transport that notes what it is given, and when, unless its value is zero.
type wire struct {
	begin time.Time
	fail  error
	block bool // Send waits for the end of its context

	failAfter int // the number of packets that it is given before it fails

	mu     sync.Mutex
	given  arrivals
	closed bool
}

type arrival struct {
	value uint64
	at    time.Duration
}

type arrivals []arrival

var errCable = errors.New("cable cut")

func (w *wire) Send(ctx context.Context, p election.Packet) error {
	if w.block {
		<-ctx.Done()
		return ctx.Err()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return election.ErrClosed
	case w.fail != nil && len(w.given) >= w.failAfter:
		return w.fail
	}
	at := time.Duration(0)
	if !w.begin.IsZero() {
		at = time.Since(w.begin)
	}
	if p.Msg.Value != 0 {
		w.given = append(w.given, arrival{p.Msg.Value, at})
	}
	return nil
}

func (w *wire) Recv(ctx context.Context) (election.Packet, error) {
	<-ctx.Done()
	return election.Packet{}, context.Cause(ctx)
}

func (w *wire) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	return nil
}

func (a arrivals) values() (v []uint64) {
	for _, one := range a {
		v = append(v, one.value)
	}
	return v
}

// pair are processes 1 and 2, with links over one wire.
type pair struct {
	t     *testing.T
	links *faults.Links
	wire  *wire
	a, b  election.Transport
}

func newLinks(t *testing.T, f faults.Config) *faults.Links {
	t.Helper()
	l, err := faults.NewLinks(f)
	require.NoError(t, err)
	return l
}

func newPair(t *testing.T, f faults.Config) *pair {
	t.Helper()
	p := &pair{t: t, links: newLinks(t, f), wire: &wire{}}
	if f.Min > 0 {
		p.wire.begin = time.Now()
	}
	p.a, p.b = p.links.Over(p.wire), p.links.Over(p.wire)
	return p
}

func packet(value uint64) election.Packet {
	return election.Packet{From: 1, To: 2, Msg: election.Message{Value: value}}
}

func numbers(n int) (all []uint64) {
	for i := range n {
		all = append(all, uint64(i+1))
	}
	return all
}

// send sends values from 1 to 2.
func (p *pair) send(values ...uint64) {
	p.t.Helper()
	for _, v := range values {
		require.NoError(p.t, p.a.Send(p.t.Context(), packet(v)))
	}
}

// arrivedLater returns what has arrived some time from now, in a bubble.
func arrivedLater(p *pair, after time.Duration) arrivals {
	time.Sleep(after)
	synctest.Wait()
	return p.arrived()
}

// arrived returns what has arrived.
func (p *pair) arrived() arrivals {
	p.wire.mu.Lock()
	defer p.wire.mu.Unlock()
	return p.wire.given
}

func (p *pair) close() {
	p.t.Helper()
	require.NoError(p.t, p.a.Close())
	require.NoError(p.t, p.b.Close())
}

// TestClose drops what is delayed, and refuses what comes later.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, faults.Config{Min: time.Second})
		p.send(1)
		time.Sleep(500 * time.Millisecond)
		p.send(2, 3)
		require.Equal(t, []uint64{1}, arrivedLater(p, 700*time.Millisecond).values())
		p.close()
		require.Equal(t, []uint64{1}, arrivedLater(p, time.Hour).values())
		require.ErrorIs(t, p.a.Send(t.Context(), packet(4)), election.ErrClosed)
		require.Equal(t, faults.Stats{Sent: 3, Delayed: 3, Dropped: 2}, p.links.Stats())
		p.close()
	})
}

// TestCloseWaits: when Close returns, nothing is sent any more.
func TestCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, faults.Config{Min: time.Second})
		p.wire.block = true
		p.send(1, 2)
		time.Sleep(time.Minute)
		p.send(3) // while the first is being sent
		p.close()
		require.Equal(t, faults.Stats{Sent: 3, Delayed: 3, Dropped: 3}, p.links.Stats())
	})
}

// TestCloseWhileSending closes in the midst of a burst, again and again.
func TestCloseWhileSending(t *testing.T) { synctest.Test(t, closesWhileSending) }

func closesWhileSending(t *testing.T) {
	const senders, each = 8, 200
	for range 20 {
		p := newPair(t, faults.Config{
			Plan: fault.Plan{Duplicate: 0.5, Reorder: 0.5}, Min: 1, Max: 10 * time.Microsecond,
		})
		var running sync.WaitGroup
		var sent atomic.Int64
		quarter := make(chan struct{})
		for range senders {
			running.Go(func() {
				for _, v := range numbers(each) {
					if sent.Add(1) == senders*each/4 {
						close(quarter)
					}
					if err := p.a.Send(t.Context(), packet(v)); err != nil {
						if !errors.Is(err, election.ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		running.Go(func() {
			<-quarter
			if err := p.a.Close(); err != nil {
				t.Error(err)
			}
		})
		running.Wait()
		s := p.links.Stats()
		require.EqualValues(t, len(p.arrived()), s.Sent+s.Duplicated-s.Dropped)
		require.Zero(t, s.Failed)
		p.close()
	}
}

// TestInnerFails: of what was delayed, errors are counted.
func TestInnerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, faults.Config{Min: time.Second})
		p.wire.fail = errCable
		p.send(1, 2)
		require.Empty(t, arrivedLater(p, time.Minute))
		require.Equal(t, faults.Stats{Sent: 2, Delayed: 2, Failed: 2}, p.links.Stats())
		p.close()
	})
}

// TestCopyFails: if packets have no delay, Send returns the error of a packet, and counts the error of its
// duplicate.
func TestCopyFails(t *testing.T) {
	p := newPair(t, faults.Config{Plan: fault.Plan{Duplicate: 1}})
	p.wire.failAfter = 1
	p.wire.fail = errCable
	p.send(1)
	require.Equal(t, faults.Stats{Sent: 1, Duplicated: 1, Failed: 1}, p.links.Stats())
	require.ErrorIs(t, p.a.Send(t.Context(), packet(2)), errCable)
	require.Equal(t, faults.Stats{Sent: 2, Duplicated: 2, Failed: 1}, p.links.Stats())
	require.Equal(t, []uint64{1}, p.arrived().values())
}

// TestShortestDelay: a packet that takes a nanosecond is delayed like any other, as is its copy.
func TestShortestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, faults.Config{Plan: fault.Plan{Duplicate: 1}, Min: 1})
		p.send(1)
		require.Equal(t, arrivals{{1, 1}, {1, 2}}, arrivedLater(p, time.Second))
		require.Equal(t, faults.Stats{Sent: 1, Duplicated: 1, Delayed: 2}, p.links.Stats())
		p.close()
	})
}

func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, faults.Config{Min: time.Second})
		ctx, cancel := context.WithCancel(t.Context())
		require.NoError(t, p.a.Send(ctx, packet(1)))
		received := make(chan error)
		go func() {
			_, err := p.a.Recv(ctx)
			received <- err
		}()
		cancel()
		require.ErrorIs(t, <-received, context.Canceled)
		require.ErrorIs(t, p.a.Send(ctx, packet(2)), context.Canceled)
		require.Equal(t, []uint64{1}, arrivedLater(p, time.Minute).values(), "what was sent is sent")
		require.Equal(t, uint64(1), p.links.Stats().Sent)
		p.close()
	})
}

// TestBurst sends from many processes to many over the transport in memory: each link delivers in order.
func TestBurst(t *testing.T) { synctest.Test(t, bursts) }

func bursts(t *testing.T) {
	const n, each = 10, 1000
	net, links := memory.New(), newLinks(t, faults.Config{Max: 200 * time.Microsecond})
	var ends [n]election.Transport
	for i := range ends {
		end, err := net.Endpoint(election.ID(i + 1))
		require.NoError(t, err)
		ends[i] = links.Over(end)
	}
	var running sync.WaitGroup
	for i := range ends {
		running.Go(func() {
			for k := range each * n {
				p := election.Packet{From: election.ID(i + 1), To: election.ID(k%n + 1),
					Msg: election.Message{Value: uint64(k)}}
				if err := ends[i].Send(t.Context(), p); err != nil {
					t.Error(err)
				}
			}
		})
		running.Go(func() {
			last := make(map[election.ID]uint64)
			for range each * n {
				p, err := ends[i].Recv(t.Context())
				if err != nil || last[p.From] > p.Msg.Value {
					t.Errorf("received %v after %d, %v", p, last[p.From], err)
					return
				}
				last[p.From] = p.Msg.Value
			}
		})
	}
	running.Wait()
	require.Equal(t, faults.Stats{Sent: n * n * each, Delayed: n * n * each}, links.Stats())
	for _, e := range ends {
		require.NoError(t, e.Close())
	}
}
