package elector_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
)

// BenchmarkCapacity measures what groups of different sizes need, over TCP: docs/capacity.md. All members run in
// this process, so the figures of CPU and memory are totals.
func BenchmarkCapacity(b *testing.B) {
	for _, n := range []int{3, 5, 7, 15, 31} {
		b.Run(fmt.Sprintf("members=%d", n), func(b *testing.B) { capacity(b, size{n, 0, 1, elector.LAN()}) })
	}
	for _, n := range []int{0, 100, 1000} {
		b.Run(fmt.Sprintf("observers=%d", n), func(b *testing.B) { capacity(b, size{3, n, 1, elector.LAN()}) })
	}
	for _, n := range []int{1, 100, 1000, 4000} {
		b.Run(fmt.Sprintf("groups=%d", n), func(b *testing.B) { capacity(b, size{3, 0, n, elector.Cloud()}) })
	}
	b.Run("groups=10000", func(b *testing.B) { capacity(b, size{3, 0, 10000, elector.Times{Lease: 30 * time.Second}}) })
}

type size struct {
	members, observers, groups int
	times                      elector.Times
}

// wires are the connections of one process. They count what is written, and break when the process crashes.
type wires struct {
	net.Listener
	mu      sync.Mutex
	crashed bool
	open    map[net.Conn]bool
	sent    *sent
}

// sent counts what all processes write.
type sent struct{ bytes, writes atomic.Int64 }

var errCrashed = errors.New("the process has crashed")

func (w *wires) add(c net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.crashed {
		return nil, errors.Join(errCrashed, c.Close())
	}
	w.open[c] = true
	return &wire{c, w}, nil
}

func (w *wires) Accept() (net.Conn, error) {
	for {
		c, err := w.Listener.Accept()
		if c, err = w.add(c, err); !errors.Is(err, errCrashed) {
			return c, err
		}
	}
}

func (w *wires) Dial(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	return w.add(d.DialContext(ctx, "tcp", address))
}

// crash closes all connections, as the system does after kill -9, or permits new ones again.
func (w *wires) crash(crashed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.crashed = crashed
	for c := range w.open {
		_ = c.Close()
		delete(w.open, c)
	}
}

type wire struct {
	net.Conn
	of *wires
}

func (c *wire) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.of.sent.bytes.Add(int64(n))
	c.of.sent.writes.Add(1)
	return n, err
}

func (c *wire) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c.Conn)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// capacity runs groups, and measures for five seconds a round, or a Lease if that is longer. At the end of each round the
// first leader crashes.
func capacity(b *testing.B, s size) {
	before := inMemory()
	var counts sent
	members, observers := make(map[string]string), make(map[string]string)
	all := make(map[string]*wires)
	listen := func(name string, list map[string]string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(b, err)
		all[name], list[name] = &wires{Listener: l, open: make(map[net.Conn]bool), sent: &counts}, l.Addr().String()
	}
	for i := range s.members {
		listen(fmt.Sprint("m", i), members)
	}
	for i := range s.observers {
		listen(fmt.Sprint("o", i), observers)
	}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	leads := make([]atomic.Pointer[string], s.groups) // who works; nil if nobody does
	var following []*elector.Elector
	for name, w := range all {
		own := elector.Config{Self: name, Members: members, Observers: observers, InsecurePlaintext: true, Times: s.times}
		shared := own.TCP()
		shared.Listener, shared.Dial, shared.MaxGroups, shared.MaxHandshakes = w, w.Dial, s.groups+1, 100_000
		if s.groups > 1 {
			shared.Linger = 5 * time.Millisecond
		}
		network, err := tcp.New(shared)
		require.NoError(b, err)
		defer network.Close()
		for i := range s.groups {
			own.Group, own.Network = fmt.Sprint("group ", i), network
			e, err := elector.New(own)
			require.NoError(b, err)
			following = append(following, e)
			if _, observes := observers[name]; observes {
				running.Go(func() { _ = e.Serve(ctx) })
				continue
			}
			running.Go(func() {
				_ = e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
					leads[i].Store(&name)
					<-ctx.Done()
					leads[i].CompareAndSwap(&name, nil)
					return nil
				})
			})
		}
	}
	settle := func() { // until all follow a leader
		for end := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
			lacks := slices.IndexFunc(following, func(e *elector.Elector) bool { return !e.Leader().Reachable && !e.Leader().Self })
			if lacks < 0 {
				return
			}
			if e := following[lacks]; time.Now().After(end) {
				b.Fatalf("%+v %+v", e.Leader(), e.Members())
			}
		}
	}
	settle()
	time.Sleep(2 * s.times.Lease)
	var failovers []time.Duration
	var idle, used time.Duration
	var bytes, writes int64
	var held float64
	for b.Loop() {
		settle()
		used, bytes, writes = used-processorTime(), bytes-counts.bytes.Load(), writes-counts.writes.Load()
		began := time.Now()
		time.Sleep(max(5*time.Second, s.times.Lease))
		used, bytes, writes = used+processorTime(), bytes+counts.bytes.Load(), writes+counts.writes.Load()
		idle += time.Since(began)
		held = max(held, inMemory()-before)
		first := *leads[0].Load()
		var lost []int // the groups that the crashed process led
		for i := range leads {
			if p := leads[i].Load(); p != nil && *p == first {
				lost = append(lost, i)
			}
		}
		began = time.Now()
		all[first].crash(true)
		for len(lost) > 0 {
			lost = slices.DeleteFunc(lost, func(i int) bool {
				p := leads[i].Load()
				over := p != nil && *p != first
				if over {
					failovers = append(failovers, time.Since(began))
				}
				return over
			})
			time.Sleep(time.Millisecond)
		}
		all[first].crash(false)
	}
	slices.Sort(failovers)
	b.ReportMetric(100*used.Seconds()/idle.Seconds(), "%cpu")
	b.ReportMetric(held, "MB")
	b.ReportMetric(float64(bytes)/1000/idle.Seconds(), "kB/s")
	b.ReportMetric(float64(writes)/idle.Seconds(), "writes/s")
	b.ReportMetric(float64(failovers[len(failovers)/2].Milliseconds()), "ms-failover")
	b.ReportMetric(float64(failovers[len(failovers)-1].Milliseconds()), "ms-last")
	b.ReportMetric(0, "ns/op")
}

// inMemory returns what lives in the heap and the stacks, in MB.
func inMemory() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc+m.StackInuse) / 1e6
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
