// Package grouptest runs a group of members in real time over a server, which a test stops and starts again. It is for
// the modules in directory adapters, whose stores and transports have no virtual time.
package grouptest

import (
	"context"
	"errors"
	"iter"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/store"
)

// group is a group of three members.
type group struct {
	tb      testing.TB
	open    Open
	address string
	times   elector.Times

	mu     sync.Mutex
	all    map[string]*member // written by the goroutine of the test only, which reads it without mu
	term   uint64             // the last one
	leader string             // whose work runs; empty if there is none
	began  time.Time          // of the last work
	ended  time.Time          // of the work before

	gets, puts atomic.Int64 // requests to the store
}

// Open connects a member to the server at an address, and returns its configuration without Self and Times, and a
// function that disconnects it. It is called again when a member starts again.
type Open func(tb testing.TB, name, address string) (c elector.Config, disconnect func())

// counted counts the requests to a store.
type counted struct {
	store.Store
	g *group
}

// watched is the same for a store that reports changes.
type watched struct {
	counted
	w store.Watcher
}

func (w *watched) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	return w.w.Watch(ctx, key)
}

func (c *counted) Get(ctx context.Context, key string) ([]byte, string, error) {
	c.g.gets.Add(1)
	return c.Store.Get(ctx, key)
}

func (c *counted) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	c.g.puts.Add(1)
	return c.Store.Put(ctx, key, value, revision)
}

// Link is a store as one member reaches it.
type Link struct {
	store.Watcher
	Cut atomic.Bool // requests fail
}

var errCut = errors.New("grouptest: the member is disconnected")

// Get implements [store.Store].
func (l *Link) Get(ctx context.Context, key string) ([]byte, string, error) {
	if l.Cut.Load() {
		return nil, "", errCut
	}
	return l.Watcher.Get(ctx, key)
}

// Put implements [store.Store].
func (l *Link) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	if l.Cut.Load() {
		return "", errCut
	}
	return l.Watcher.Put(ctx, key, value, revision)
}

type member struct {
	store      store.Store
	disconnect func()
	stop       context.CancelFunc
	done       chan struct{}
	crashed    atomic.Bool

	mu   sync.Mutex
	term elector.Term // of the work, zero if it does not run
}

// start starts the members "a", "b" and "c". They end with the test.
func start(tb testing.TB, lease time.Duration, address string, open Open) *group {
	g := &group{tb: tb, open: open, address: address, times: elector.Times{Lease: lease}.Complete(),
		all: make(map[string]*member)}
	tb.Cleanup(func() {
		for name := range g.all {
			g.all[name].stop()
		}
		for name := range g.all {
			g.leave(name)
		}
	})
	for _, name := range []string{"a", "b", "c"} {
		g.start(name)
	}
	return g
}

func (g *group) start(name string) {
	c, disconnect := g.open(g.tb, name, g.address)
	c.Self, c.Times = name, g.times
	if c.Store != nil {
		one := counted{c.Store, g}
		if w, ok := c.Store.(store.Watcher); ok {
			c.Store = &watched{one, w}
		} else {
			c.Store = &one
		}
	}
	e, err := elector.New(c)
	if err != nil {
		g.tb.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	m := &member{store: c.Store, disconnect: sync.OnceFunc(disconnect), stop: stop, done: make(chan struct{})}
	g.mu.Lock()
	g.all[name] = m
	g.mu.Unlock()
	go func() {
		defer close(m.done)
		err := e.Run(ctx, func(ctx context.Context, term elector.Term) error {
			g.begin(name, m, term)
			defer g.end(name, m)
			<-ctx.Done()
			return nil
		})
		if err != nil && !m.crashed.Load() {
			g.tb.Errorf("member %s: %v", name, err)
		}
	}()
}

// leave stops a member, which releases its lease.
func (g *group) leave(name string) {
	m := g.all[name]
	m.stop()
	<-m.done
	m.disconnect()
}

// crash disconnects a member before it stops, so that nobody hears of the end of its work.
func (g *group) crash(name string) {
	m := g.all[name]
	m.crashed.Store(true)
	m.disconnect()
	m.stop()
	<-m.done
}

// begin records that a member leads, and checks that its term is new and no other lease is valid.
func (g *group) begin(name string, m *member, term elector.Term) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if term.Number <= g.term {
		g.tb.Errorf("term %d of member %s follows term %d", term.Number, name, g.term)
	}
	for other, o := range g.all {
		o.mu.Lock()
		if valid := o.term.Valid(0); valid && term.Valid(0) {
			g.tb.Errorf("members %s and %s both have a valid lease", name, other)
		}
		o.mu.Unlock()
	}
	m.mu.Lock()
	m.term = term
	m.mu.Unlock()
	g.term, g.leader, g.began = term.Number, name, time.Now()
}

func (g *group) end(name string, m *member) {
	m.mu.Lock()
	m.term = elector.Term{}
	m.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.leader == name {
		g.leader, g.ended = "", time.Now()
	}
}

// lead waits until a member leads, and returns it and its term.
func (g *group) lead() (name string, term uint64) {
	g.tb.Helper()
	g.until("a member leads", func() bool { name, term = g.leader, g.term; return name != "" })
	return name, term
}

// noLeader waits until no member leads.
func (g *group) noLeader() {
	g.tb.Helper()
	g.until("the leader has stopped", func() bool { return g.leader == "" })
}

// until waits for a condition, which is called with mu locked. It fails the test only when a group that works has long
// met it.
func (g *group) until(what string, condition func() bool) {
	g.tb.Helper()
	for end := time.Now().Add(20*g.times.Lease + 30*time.Second); ; time.Sleep(200 * time.Microsecond) {
		g.mu.Lock()
		met := condition()
		g.mu.Unlock()
		switch {
		case met:
			return
		case time.Now().After(end):
			g.tb.Fatalf("in vain until %s", what)
		}
	}
}

// next waits until another term has begun.
func (g *group) next(term uint64) {
	g.tb.Helper()
	g.until("another member leads", func() bool { return g.leader != "" && g.term > term })
}

// Server is a server that the members need.
type Server struct {
	Address string // host and port
	Stop    func()
	Start   func() // with what it has stored
}

// Free returns an address of this machine that nothing listens on.
func Free(tb testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Rest tests that members whose leader stays write to the store once in Renew, and that followers do not read it if it
// reports changes; otherwise each reads it once in Renew. Without a store there is nothing to test.
func Rest(t *testing.T, lease time.Duration, address string, open Open) {
	g := start(t, lease, address, open)
	g.lead()
	if g.puts.Load() == 0 {
		return // a transport
	}
	_, quiet := g.all["a"].store.(store.Watcher)
	// A machine that stalls makes members ask again, so the test waits until they do not.
	for end := time.Now().Add(20*lease + 30*time.Second); ; {
		began, gets, puts := time.Now(), g.gets.Load(), g.puts.Load()
		time.Sleep(2 * lease)
		gets, puts = g.gets.Load()-gets, g.puts.Load()-puts
		renewals := int64(time.Since(began)/g.times.Renew) + 1
		reads := 2 * renewals
		if quiet {
			reads = 0
		}
		if 0 < puts && puts <= renewals && gets <= reads {
			t.Logf("%d reads and %d writes in a time of at most %d renewals", gets, puts, renewals)
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d reads and %d writes in a time of at most %d renewals", gets, puts, renewals)
		}
	}
}

// Test tests that the lead passes from member to member, while members and the server fail.
func Test(t *testing.T, lease time.Duration, server Server, open Open) {
	t.Run("Rest", func(t *testing.T) { Rest(t, lease, server.Address, open) })
	t.Run("Handover", func(t *testing.T) {
		g := start(t, lease, server.Address, open)
		for range 3 {
			name, term := g.lead()
			time.Sleep(2 * lease) // the others know each other
			gets, puts := g.gets.Load(), g.puts.Load()
			g.leave(name)
			g.next(term)
			g.mu.Lock()
			t.Logf("handover took %v, with %d reads and %d writes", g.began.Sub(g.ended), g.gets.Load()-gets, g.puts.Load()-puts)
			g.mu.Unlock()
			g.start(name)
		}
	})
	t.Run("Crash", func(t *testing.T) {
		g := start(t, lease, server.Address, open)
		for range 3 {
			name, term := g.lead()
			time.Sleep(2 * lease)
			crashed := time.Now()
			g.crash(name)
			g.next(term)
			g.mu.Lock()
			t.Logf("failover took %.2f leases", float64(g.began.Sub(crashed))/float64(lease))
			g.mu.Unlock()
			g.start(name)
		}
	})
	t.Run("ShortOutage", func(t *testing.T) {
		p := newProxy(t, server.Address)
		g := start(t, 4*lease, p.address(), open)
		name, term := g.lead()
		time.Sleep(2 * lease)
		p.cut(true)
		time.Sleep(lease)
		p.cut(false)
		time.Sleep(8 * lease)
		if now, last := g.lead(); last != term {
			t.Errorf("%s leads in term %d, and before the outage %s led in term %d", now, last, name, term)
		}
	})
	t.Run("LongOutage", func(t *testing.T) {
		g := start(t, lease, server.Address, open)
		for range 3 {
			_, term := g.lead()
			time.Sleep(lease / 2)
			server.Stop()
			g.noLeader()
			time.Sleep(2 * lease)
			server.Start()
			back := time.Now()
			g.next(term)
			g.mu.Lock()
			t.Logf("a member leads %.2f leases after the server is back", float64(g.began.Sub(back))/float64(lease))
			g.mu.Unlock()
		}
	})
}
