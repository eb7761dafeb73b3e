package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/tcp"
)

// order is a line to a member.
type order struct {
	Do       string   `json:"do"` // isolate, transfer, resign
	Number   int      `json:"number"`
	To       string   `json:"to,omitempty"`
	Isolated []string `json:"isolated,omitempty"` // all members that are cut off from now on
}

// report is a line from a member.
type report struct {
	Kind string `json:"kind"` // lease, end, status, done

	Term   uint64        `json:"term,omitempty"`
	From   time.Duration `json:"from,omitempty"` // of a lease, since the start of the machine
	Until  time.Duration `json:"until,omitempty"`
	Leader string        `json:"leader,omitempty"`

	Packets uint64 `json:"packets,omitempty"` // sent, since the member began
	Bytes   uint64 `json:"bytes,omitempty"`

	Number int    `json:"number,omitempty"` // of the order that is done
	Error  string `json:"error,omitempty"`
}

// The kinds of report.
const (
	kindLease  = "lease"
	kindEnd    = "end"
	kindStatus = "status"
	kindDone   = "done"
)

// statusPeriod is the interval at which a member reports its status, short enough to show each leader.
func statusPeriod(lease time.Duration) time.Duration {
	return min(100*time.Millisecond, max(lease/4, time.Millisecond))
}

// member is a process of a cluster, seen from inside.
type member struct {
	*settings
	clock   func() time.Duration
	sockets sockets
	stderr  io.Writer
	network *tcp.Network
	links   *faults.Links
	elector *elector.Elector

	mu  sync.Mutex
	out *json.Encoder
}

// sockets are how a member reaches others; zero but in tests.
type sockets struct {
	listen func(address string) net.Listener
	dial   func(ctx context.Context, address string) (net.Conn, error)
}

// Member is one process of a cluster. It takes part until in ends, ctx ends, or a SIGTERM comes.
func Member(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	m := &member{clock: suspend.Now, stderr: os.Stderr}
	return m.run(ctx, in, out)
}

// run takes part until in ends, or ctx ends.
func (m *member) run(ctx context.Context, in io.Reader, out io.Writer) error {
	orders := json.NewDecoder(in)
	m.settings, m.out = &settings{}, json.NewEncoder(out)
	if err := orders.Decode(m.settings); err != nil {
		return fmt.Errorf("cluster: settings of a member: %w", err)
	}
	if err := m.open(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Nothing waits for this goroutine: no context ends its read.
	go func() {
		m.obey(ctx, orders)
		cancel()
	}()
	ended := make(chan error)
	go func() { ended <- m.elector.Run(ctx, m.lead) }()
	return errors.Join(m.follow(ended), m.network.Close())
}

// open connects.
func (m *member) open() error {
	identity, err := m.tls()
	if err != nil {
		return err
	}
	if m.links, err = faults.NewLinks(faults.Config{}); err != nil {
		return err
	}
	if err := m.isolate(m.Isolated); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(m.stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	own := elector.Config{Group: group, Self: m.Self, Members: m.Members, TLS: identity, Dir: m.Dir,
		Times: m.Times, Log: log}
	c := own.TCP()
	c.Dial = m.sockets.dial
	if m.sockets.listen != nil {
		c.Listener = m.sockets.listen(m.Members[m.Self])
	}
	m.network, err = tcp.New(c)
	if err != nil {
		return err
	}
	g, err := m.network.Group(group, tcp.GroupConfig{})
	if err == nil {
		own.Transport = m.links.Over(g)
		m.elector, err = elector.New(own)
	}
	if err != nil {
		return errors.Join(err, m.network.Close())
	}
	return nil
}

// isolate cuts these members off, each from all others, and no others.
func (m *member) isolate(names []string) error {
	m.links.Heal()
	for _, name := range names {
		if err := m.links.Cut([]election.ID{elector.ID(name)}); err != nil {
			return err
		}
	}
	return nil
}

// say writes a report.
func (m *member) say(r report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.out.Encode(r) // if this fails, the parent has ended, and the input ends too
}

// obey carries out orders, until there are no more.
func (m *member) obey(ctx context.Context, orders *json.Decoder) {
	for {
		var o order
		if orders.Decode(&o) != nil {
			return
		}
		var err error
		switch o.Do {
		case doIsolate:
			err = m.isolate(o.Isolated)
		case doTransfer:
			err = m.elector.Transfer(ctx, o.To)
		case doResign:
			err = m.elector.Resign(ctx)
		}
		done := report{Kind: kindDone, Number: o.Number}
		if err != nil {
			done.Error = err.Error()
		}
		m.say(done)
	}
}

// follow reports what this member knows, periodically, until the member ends.
func (m *member) follow(ended <-chan error) error {
	tick := time.NewTicker(statusPeriod(m.Times.Lease))
	defer tick.Stop()
	for {
		v, stats := m.elector.Leader(), m.network.Stats()
		m.say(report{Kind: kindStatus, Leader: v.Leader, Term: v.Term, Packets: stats.PacketsSent,
			Bytes: stats.BytesSent})
		select {
		case <-tick.C:
		case err := <-ended:
			return err
		}
	}
}

// lead leads in a Term.
func (m *member) lead(ctx context.Context, term elector.Term) error {
	m.measure(ctx, term.Number, term.Left)
	return nil
}

// measure notes for how long a lease is valid, of which left is the rest.
func (m *member) measure(ctx context.Context, term uint64, left func() time.Duration) {
	tick := time.NewTicker(max(left()/40, time.Millisecond))
	defer tick.Stop()
	r := report{Kind: kindLease, Term: term}
	for {
		// The clock is read first, so that a pause between the two makes the lease look shorter.
		now := m.clock()
		rest := left()
		if r.From == 0 {
			r.From = now
		}
		if rest <= 0 {
			break
		}
		if until := now + rest; until > r.Until {
			r.Until = until
			m.say(r)
		}
		if ctx.Err() != nil {
			// The lease is given up when this function has returned, and valid until then.
			r.Until = min(r.Until, m.clock())
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	// Written before the lease is given up: of a member that is killed later, this is known.
	r.Kind = kindEnd
	m.say(r)
}
