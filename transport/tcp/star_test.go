package tcp_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
)

// census counts the connections of a hub and their bytes, by who has dialled whom.
type census struct {
	hub
	mu    sync.Mutex
	open  map[string]int
	bytes map[string]int
	tries map[string]int
}

// dial is the Dial of one process.
func (c *census) dial(self string) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		way := self + ">" + address[:2]
		c.count(&c.tries, way, 1)
		nc, err := c.Dial(ctx, address)
		if err != nil {
			return nil, err
		}
		c.count(&c.open, way, 1)
		return &surveyed{Conn: nc, census: c, way: way}, nil
	}
}

func (c *census) count(in *map[string]int, way string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if (*in)[way] += n; (*in)[way] == 0 {
		delete(*in, way)
	}
}

// take returns what was counted since the last call.
func (c *census) take(in *map[string]int) map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := *in
	*in = make(map[string]int)
	return taken
}

// surveyed is a connection that is counted.
type surveyed struct {
	net.Conn
	census *census
	way    string
	once   sync.Once
}

func (s *surveyed) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	s.census.count(&s.census.bytes, s.way, n)
	return n, err
}

func (s *surveyed) Write(b []byte) (int, error) {
	n, err := s.Conn.Write(b)
	s.census.count(&s.census.bytes, s.way, n)
	return n, err
}

func (s *surveyed) Close() error {
	s.once.Do(func() { s.census.count(&s.census.open, s.way, -1) })
	return s.Conn.Close()
}

// constellation is a group of members and observers whose connections are counted.
type constellation struct {
	*census
	members, observers map[string]string
	times              elector.Times
	stops              map[string]func() // ends a process
}

func newConstellation(members, observers int) *constellation {
	c := &constellation{members: make(map[string]string), observers: make(map[string]string),
		stops: make(map[string]func()), census: &census{open: make(map[string]int),
			bytes: make(map[string]int), tries: make(map[string]int)}}
	for i := range members {
		c.members[fmt.Sprint("m", i)] = fmt.Sprintf("m%d:1", i)
	}
	for i := range observers {
		c.observers[fmt.Sprint("o", i)] = fmt.Sprintf("o%d:1", i)
	}
	return c
}

// start runs a process.
func (c *constellation) start(t *testing.T, name string) *elector.Elector {
	address, member := c.members[name]
	if !member {
		address = c.observers[name]
	}
	config := elector.Config{Group: "g", Self: name, Members: c.members, Observers: c.observers, Times: c.times,
		InsecurePlaintext: true}
	own := config.TCP()
	own.Listener, own.Dial = c.Listen(address), c.dial(name)
	n, err := tcp.New(own)
	require.NoError(t, err)
	config.Network = n
	e, err := elector.New(config)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		if !member {
			ended <- e.Serve(ctx)
			return
		}
		ended <- e.Run(ctx, func(ctx context.Context, _ elector.Term) error { <-ctx.Done(); return nil })
	}()
	c.stops[name] = sync.OnceFunc(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, n.Close())
	})
	t.Cleanup(c.stops[name])
	return e
}

// TestStar: two processes have one connection, unless both are observers, and only the connections of the leader carry
// anything at rest.
func TestStar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConstellation(3, 4)
		pair := func(way string) string { return min(way[:2], way[3:]) + "-" + max(way[:2], way[3:]) }
		pairs := func(ways map[string]int) map[string]int {
			all := map[string]int{}
			for way, count := range ways {
				all[pair(way)] += count
			}
			return all
		}
		want := map[string]int{}
		electors := map[string]*elector.Elector{}
		for m := range c.members {
			for _, list := range []map[string]string{c.members, c.observers} {
				for other := range list {
					if other != m {
						want[pair(m+">"+other)] = 1
					}
				}
			}
			electors[m] = c.start(t, m)
		}
		for o := range c.observers {
			electors[o] = c.start(t, o)
		}
		time.Sleep(10 * time.Second) // until the last pings
		synctest.Wait()
		require.Equal(t, want, pairs(c.open))
		leader := electors["m0"].Leader().Leader
		require.NotEmpty(t, leader)
		for name, e := range electors {
			require.Equal(t, leader, e.Leader().Leader, name)
		}
		c.take(&c.bytes)
		c.take(&c.tries)
		time.Sleep(time.Minute)
		synctest.Wait()
		for way := range c.take(&c.bytes) {
			require.Contains(t, []string{way[:2], way[3:]}, leader, "%s has nothing to say", way)
		}
		require.Empty(t, c.tries)
		require.Equal(t, want, pairs(c.open))
	})
}

// TestAbsentObservers: members do not dial an observer that is not there, and close without a wait for it. One
// that comes, or comes back, learns the leader within a Renew, not when that announces itself next.
func TestAbsentObservers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConstellation(3, 2)
		c.times = elector.WAN()
		for m := range c.members {
			c.start(t, m)
		}
		time.Sleep(time.Minute)
		for range 3 {
			c.take(&c.tries)
			time.Sleep(time.Minute)
			for way := range c.take(&c.tries) {
				require.Equal(t, 'm', rune(way[3]), way)
			}
			o := c.start(t, "o0")
			time.Sleep(c.times.Renew * 9 / 8)
			synctest.Wait()
			require.NotEmpty(t, o.Leader().Leader)
			time.Sleep(time.Minute)
			require.NotEmpty(t, o.Leader().Leader)
			c.stops["o0"]()
		}
		for m := range c.members {
			began := time.Now()
			c.stops[m]()
			require.Less(t, time.Since(began), 100*time.Millisecond)
		}
	})
}

// TestPatientObservers: an observer that cannot connect tries ever more rarely, and is connected soon after the
// members are there.
func TestPatientObservers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConstellation(3, 1)
		o := c.start(t, "o0")
		time.Sleep(time.Minute)
		c.take(&c.tries)
		time.Sleep(time.Minute)
		for way, tries := range c.take(&c.tries) {
			require.Less(t, tries, 20, way)
		}
		for m := range c.members {
			c.start(t, m)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.NotEmpty(t, o.Leader().Leader)
	})
}

// TestManyAtOnce: many processes of one host that start at the same time are all let in at once.
func TestManyAtOnce(t *testing.T) {
	for _, n := range []struct{ members, observers int }{{31, 0}, {5, 60}} {
		synctest.Test(t, func(t *testing.T) {
			c := newConstellation(n.members, n.observers)
			electors := []*elector.Elector{}
			for _, list := range []map[string]string{c.members, c.observers} {
				for name := range list {
					electors = append(electors, c.start(t, name))
				}
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			for _, e := range electors {
				require.NotEmpty(t, e.Leader().Leader)
			}
		})
	}
}

// TestAttempts: a process makes a few connections at a time, so that many which start together do not slow each
// other down until none succeeds. Attempts that hang keep no other waiting for longer than one of them takes.
func TestAttempts(t *testing.T) {
	for hangs, most := range map[bool]time.Duration{false: 10 * time.Second, true: 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			const silent, slots = 40, 8
			var h hub
			addresses := map[election.ID]string{1: at(1), 2: at(2)}
			for id := range election.ID(silent) {
				addresses[100+id] = at(100 + id)
				if !hangs { // it accepts, and never says hello
					l := h.Listen(at(100 + id))
					go func() {
						for {
							nc, err := l.Accept()
							if err != nil {
								return
							}
							defer nc.Close()
						}
					}()
					t.Cleanup(func() { _ = l.Close() })
				}
			}
			var now, largest atomic.Int32
			n := open(t, tcp.Config{Self: 1, Members: addresses, Listener: h.Listen(at(1)),
				Dial: func(ctx context.Context, address string) (net.Conn, error) {
					if hangs && address != at(2) {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					nc, err := h.Dial(ctx, address)
					if err != nil {
						return nil, err
					}
					largest.Store(max(largest.Load(), now.Add(1)))
					return &counting{nc, sync.OnceFunc(func() { now.Add(-1) })}, nil
				}})
			other := open(t, tcp.Config{Self: 2, Members: map[election.ID]string{1: at(1), 2: at(2)},
				Listener: h.Listen(at(2)), Dial: h.Dial})
			g := group(t, n, tcp.GroupConfig{})
			group(t, other, tcp.GroupConfig{})
			began := time.Now()
			awaitUp(t, g, 1)
			require.LessOrEqual(t, time.Since(began), most)
			time.Sleep(10 * time.Second)
			require.LessOrEqual(t, largest.Load(), int32(slots+1), "the connection that stands is none of them")
		})
	}
}

// counting is a connection whose end is counted.
type counting struct {
	net.Conn
	ended func()
}

func (c *counting) Close() error {
	c.ended()
	return c.Conn.Close()
}
