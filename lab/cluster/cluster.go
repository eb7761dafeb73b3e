package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/suspend"
)

// Cluster is a group of processes. Its methods may be called from any goroutine.
type Cluster struct {
	config  Config
	clock   func() time.Duration // the clock that members read, too
	launch  launch
	began   time.Duration
	running sync.WaitGroup // the readers of reports

	mu       sync.Mutex
	members  []*process
	leases   []*Lease
	struck   map[uint64]blow // by Term: what was done to the leader
	changed  chan struct{}   // closed when anything changes
	orders   map[int]chan report
	order    int // the number of the last
	closed   bool
	forget   func() bool // the end of the context no longer closes the cluster
	finished Summary
}

// blow is what was done to a leader.
type blow struct {
	what string
	at   time.Duration
}

// Event is something that has happened.
type Event struct {
	At     time.Duration `json:"at_ns"` // since the start of the cluster
	What   string        `json:"event"` // leads, ends, or what was done: kill, stop ...
	Member string        `json:"member,omitempty"`
	Term   uint64        `json:"term,omitempty"`
	After  string        `json:"after,omitempty"` // of leads: what was done to the leader before
	Gap    time.Duration `json:"gap_ns,omitempty"`
	Text   string        `json:"text,omitempty"`
}

func newCluster(config Config, clock func() time.Duration) *Cluster {
	c := &Cluster{config: config, clock: clock, began: clock(), struck: make(map[uint64]blow),
		changed: make(chan struct{}), orders: make(map[int]chan report)}
	c.launch = c.config.execute
	return c
}

// Start starts all members, and waits until each has reported. When ctx ends, all end.
func Start(ctx context.Context, config Config) (*Cluster, error) {
	if config.Command == nil {
		return nil, input.Errorf("Command: there is no program")
	}
	c := newCluster(config, suspend.Now)
	if err := c.startAll(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// startAll starts all members, and waits until each has reported.
func (c *Cluster) startAll(ctx context.Context) error {
	all, err := c.config.plan()
	if err != nil {
		return err
	}
	for _, s := range all {
		c.members = append(c.members, &process{settings: s})
	}
	for _, p := range c.members {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := c.start(p); err != nil {
			return err
		}
	}
	// If ctx has ended already, Close runs immediately in another goroutine, which reads forget.
	forget := context.AfterFunc(ctx, func() { c.Close() })
	c.mu.Lock()
	c.forget = forget
	c.mu.Unlock()
	return c.awaitStart(ctx)
}

// awaitStart waits until each member has reported.
func (c *Cluster) awaitStart(ctx context.Context) error {
	return c.await(ctx, 30*time.Second, "all members to start", func() (bool, error) {
		for _, p := range c.members {
			if p.state == Down {
				return false, fmt.Errorf("cluster: member %s has ended: %s", p.Self, p.why)
			}
		}
		return !slices.ContainsFunc(c.members, func(p *process) bool { return !p.reported }), nil
	})
}

// Close kills all members, and returns what has happened.
func (c *Cluster) Close() Summary {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		c.finished.Took = c.now()
		c.change()
	}
	if c.forget != nil {
		c.forget()
	}
	for _, p := range c.members {
		if p.program != nil && p.state != Down {
			_ = p.program.do(doKill) // also one that is paused
		}
	}
	// The goroutines that hear the members take mu, up to the last report.
	c.mu.Unlock()
	c.running.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.finished
	s.Members, s.Lease = len(c.members), c.config.Times.Lease
	for _, l := range c.leases {
		s.Leases = append(s.Leases, *l)
	}
	for _, p := range c.members {
		packets, bytes := p.traffic()
		s.Packets, s.Bytes = s.Packets+packets, s.Bytes+bytes
	}
	return s
}

// now returns the time since the start.
func (c *Cluster) now() time.Duration { return c.clock() - c.began }

// change wakes all waiters. The caller holds mu.
func (c *Cluster) change() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// happened reports an event. The caller holds mu, which keeps the order.
func (c *Cluster) happened(e Event) {
	e.At = c.now()
	if c.config.Observe != nil && !c.closed {
		c.config.Observe(e)
	}
}

// await waits until ready, which it calls with mu held, at most for a while.
func (c *Cluster) await(ctx context.Context, most time.Duration, what string,
	ready func() (bool, error)) error {
	timer, tick := time.NewTimer(most), time.NewTicker(20*time.Millisecond)
	defer timer.Stop()
	defer tick.Stop()
	for {
		c.mu.Lock()
		ok, err := ready()
		changed, closed := c.changed, c.closed
		c.mu.Unlock()
		switch {
		case ok || err != nil:
			return err
		case closed && ctx.Err() == nil:
			return errors.New("cluster: it is closed")
		}
		select {
		case <-changed:
		case <-tick.C: // a lease may have ended, which no member reports that is down
		case <-timer.C:
			return fmt.Errorf("cluster: waited %v for %s", most, what)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// start starts a process.
func (c *Cluster) start(p *process) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errors.New("cluster: it is closed")
	}
	started, stdin, stdout, err := c.launch()
	if err != nil {
		return fmt.Errorf("cluster: member %s: %w", p.Self, err)
	}
	p.Isolated = c.isolated()
	p.packetsBefore, p.bytesBefore = p.traffic()
	p.program, p.stdin, p.ended, p.state, p.expected = started, stdin, make(chan struct{}), Up, false
	p.reported, p.latest = false, report{}
	for _, l := range c.leases {
		l.left = l.left || l.Member == p.Self
	}
	c.running.Go(func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var r report
			if json.Unmarshal(lines.Bytes(), &r) == nil {
				c.hear(p, r)
			}
		}
		why := started.wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		p.state, p.why = Down, why
		if !p.expected && !c.closed {
			c.happened(Event{What: "ended", Member: p.Self, Text: p.why})
		}
		close(p.ended)
		c.change()
	})
	// The member reads it before anything else.
	return json.NewEncoder(stdin).Encode(p.settings)
}

// hear takes a report.
func (c *Cluster) hear(p *process, r report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Kind {
	case kindStatus:
		p.latest, p.reported = r, true
	case kindLease, kindEnd:
		c.lease(p, r)
	case kindDone:
		if answer := c.orders[r.Number]; answer != nil {
			answer <- r // it has room for one
			delete(c.orders, r.Number)
		}
	}
	c.change()
}

// lease notes a lease, or more of one.
func (c *Cluster) lease(p *process, r report) {
	i := slices.IndexFunc(c.leases, func(l *Lease) bool { return l.Term == r.Term && l.Member == p.Self })
	if i < 0 {
		if r.Until == 0 {
			return // it ended before the member looked
		}
		l := &Lease{Member: p.Self, Term: r.Term, From: r.From - c.began}
		if len(c.leases) > 0 {
			before := c.leases[len(c.leases)-1]
			since := before.Until
			if b, ok := c.struck[before.Term]; ok {
				l.After, since = b.what, b.at
			}
			l.Gap = max(l.From-since, 0) // the end of the other lease may be reported later
		}
		c.leases = append(c.leases, l)
		i = len(c.leases) - 1
		c.happened(Event{What: "leads", Member: p.Self, Term: r.Term, After: l.After, Gap: l.Gap})
	}
	l := c.leases[i]
	l.Until, l.ended = r.Until-c.began, r.Kind == kindEnd
	if l.ended {
		c.happened(Event{What: "ends", Member: p.Self, Term: r.Term})
	}
}

// holder returns the lease of the member that leads, and that others can reach; nil if there is none.
// The caller holds mu.
func (c *Cluster) holder() *Lease {
	for _, l := range slices.Backward(c.leases) {
		p := c.named(l.Member)
		if !l.ended && !l.left && c.now() < l.Until && p.state == Up && !p.expected {
			return l
		}
	}
	return nil
}

// named returns a member, nil if there is none.
func (c *Cluster) named(name string) *process {
	for _, p := range c.members {
		if p.Self == name {
			return p
		}
	}
	return nil
}

// isolated returns the members that are cut off.
func (c *Cluster) isolated() (names []string) {
	for _, p := range c.members {
		if p.state == Cut {
			names = append(names, p.Self)
		}
	}
	return names
}
