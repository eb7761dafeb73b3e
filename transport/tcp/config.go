package tcp

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Config configures the network of one process.
type Config struct {
	Self    election.ID            // the ID of this process
	Members map[election.ID]string // host:port of all members; this process listens at the address of Self
	// Names contains the names of members and observers, as in their certificates, in errors and in the log. Each
	// process has another name. The default is the ID in decimal.
	Names map[election.ID]string
	// Observers contains further processes and their addresses. They connect to members only, and no member dials
	// them, so an observer that is not running costs nothing. Self is in one of the two maps.
	Observers map[election.ID]string

	// TLS authenticates the members. If nil, there is no TLS, and all addresses must be loopback addresses.
	TLS *TLS
	// InsecurePlaintext permits other addresses without TLS. Then any process that reaches this one may speak as
	// any member.
	InsecurePlaintext bool

	// ID returns the ID of a process by its name. If it is set, it returns the IDs of all members and observers, and a
	// process that is in no list may connect under its own ID: as a guest, which is never dialled. Group.SetAddress
	// makes it a peer like others. With TLS, a guest needs a certificate of the Cluster. Without TLS, it connects from
	// a loopback address, unless InsecurePlaintext is set. If nil, a process that is in no list is refused.
	ID func(name string) election.ID
	// MaxGuests is the number of guests at a time. If there are more, one that is not connected is forgotten, or the
	// new one is refused. If zero, 64.
	MaxGuests int
	// Resolve returns the address of a peer by its name. If it is set, it is called before each attempt to connect,
	// for half a Timeout at most, and addresses in Members may be empty except the own one. If it returns an error,
	// which is logged, the peer's other address is used, if there is one. [DNS] and [SRV] return such functions.
	Resolve func(ctx context.Context, name string) (address string, err error)

	// Listener accepts connections. The network closes it. If nil, the network listens at the address of Self.
	Listener net.Listener
	// Dial connects to an address. If nil, a net.Dialer does.
	Dial func(ctx context.Context, addr string) (net.Conn, error)

	// Queue is the number of packets of a group that may wait for one peer, at either end. If zero, 1024.
	Queue int
	// Delay is the longest time that a packet may take to its receiver, like the Delay of an algorithm. A packet
	// that would arrive later is dropped. MaxAge and Timeout follow from it. If zero, 2 s.
	Delay time.Duration
	// MaxAge is how old a packet may become in the queue. If zero, a quarter of Delay.
	MaxAge time.Duration
	// Linger is how long a packet waits for others, to travel with them: until none has come for this time, and
	// ten times as long at most. If zero, it does not wait.
	Linger time.Duration
	// Timeout limits the time to make a connection, to write, to receive the rest of a frame that has begun, and to
	// get an answer, and how long Close waits. If zero, half of Delay. MaxAge and one and a half Timeout are at most
	// Delay.
	Timeout time.Duration
	// MaxConnAge is the age at which the process that has dialled a connection renews it. With TLS, both ends close a
	// connection that is not renewed an eighth of MaxConnAge and a Timeout later. Until then a peer takes part whose
	// authority TLS.Load no longer returns. It should be the same at all members. If zero, one hour.
	MaxConnAge time.Duration

	// MaxHandshakes is the number of connections that are accepted in a second, and that may be open without having
	// said hello. One address, or one /64 network of IPv6, gets a quarter of it. If zero, 100 and 4 for each peer, so
	// that all of them may run on one host and start together.
	MaxHandshakes int
	// MaxGroups is the number of groups that this process and each peer may have open. If zero, 4096.
	MaxGroups int

	// Log receives problems: each once while it lasts, and once a minute at most. If nil, they are discarded.
	Log *slog.Logger

	speaks versions // other ones in tests
}

// complete returns a copy with the defaults in place of zeros, or an error that wraps election.ErrInput.
func (c Config) complete() (Config, error) {
	c.Members, c.Observers, c.Names = maps.Clone(c.Members), maps.Clone(c.Observers), maps.Clone(c.Names)
	if c.speaks == (versions{}) {
		c.speaks = spoken
	}
	limit := c.Delay
	for _, d := range []struct {
		field     *time.Duration
		name      string
		otherwise time.Duration
	}{
		{&c.Delay, "delay", 2 * time.Second}, {&c.Linger, "linger", 0},
		{&c.MaxAge, "max age", 0}, {&c.Timeout, "timeout", 0}, // what follows from Delay
		{&c.MaxConnAge, "max connection age", time.Hour},
	} {
		if *d.field < 0 {
			return c, input.Errorf("%s: %v, it is never negative", d.name, *d.field)
		}
		if *d.field == 0 {
			*d.field = d.otherwise
		}
	}
	if err := c.divide(limit); err != nil {
		return c, err
	}
	for _, i := range []struct {
		field           *int
		name            string
		otherwise, most int
	}{
		{&c.Queue, "queue", 1024, 1 << 24},
		{&c.MaxHandshakes, "max handshakes", min(100+4*len(c.peers()), 1<<20), 1 << 20},
		{&c.MaxGroups, "max groups", 4096, 1 << 24}, {&c.MaxGuests, "max guests", 64, 1 << 24},
	} {
		if *i.field < 0 || *i.field > i.most {
			return c, input.Errorf("%s: %d, it is 1 to %d", i.name, *i.field, i.most)
		}
		if *i.field == 0 {
			*i.field = i.otherwise
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Dial == nil {
		c.Dial = dialer().dial
	}
	return c, c.checkMembers()
}

// divide gives the queue and the connection their parts of Delay. limit is zero if the caller has set no Delay: then
// MaxAge and Timeout may be larger.
func (c *Config) divide(limit time.Duration) error {
	if c.MaxAge == 0 {
		c.MaxAge = max(c.Delay/4, 1)
	}
	if c.Timeout == 0 {
		c.Timeout = max(c.Delay/2, 1)
	}
	// A packet may be written just after a ping. The next ping follows half a Timeout later, and the
	// connection is closed a Timeout after that.
	if least := c.MaxAge + c.Timeout + c.Timeout/2; limit > 0 && least > limit {
		return input.Errorf("delay: %v is less than max age (%v) and one and a half timeout (%v)", limit,
			c.MaxAge,
			c.Timeout)
	}
	return nil
}

// observes reports whether this process is an observer.
func (c *Config) observes() bool {
	_, ok := c.Observers[c.Self]
	return ok
}

// address returns where this process listens.
func (c *Config) address() string { return cmp.Or(c.Members[c.Self], c.Observers[c.Self]) }

// peers returns the processes with which this one has connections, and their addresses.
func (c *Config) peers() map[election.ID]string {
	peers := make(map[election.ID]string)
	maps.Copy(peers, c.Members)
	if !c.observes() {
		maps.Copy(peers, c.Observers)
	}
	delete(peers, c.Self)
	return peers
}

// called returns the name of a process.
func (c *Config) called(id election.ID) string {
	if name, ok := c.Names[id]; ok {
		return name
	}
	return strconv.FormatUint(uint64(id), 10)
}

func (c *Config) checkMembers() error {
	if _, ok := c.Members[c.Self]; !ok && !c.observes() || c.Self == 0 {
		return input.Errorf("self: process %s is no member", c.called(c.Self))
	}
	all := maps.Clone(c.Members)
	for id, addr := range c.Observers {
		if _, ok := c.Members[id]; ok {
			return input.Errorf("observers: process %s is a member", c.called(id))
		}
		all[id] = addr
	}
	at, named := make(map[string]election.ID), make(map[string]election.ID)
	ids := slices.Sorted(maps.Keys(all))
	if c.Names != nil { // an ID may be a hash: an error names the first of the names
		slices.SortStableFunc(ids, func(a, b election.ID) int {
			return strings.Compare(c.called(a), c.called(b))
		})
	}
	for _, id := range ids {
		name := c.called(id)
		if other, taken := named[name]; taken {
			return input.Errorf("names: %.60q is the name of process %d and of process %d", name, other, id)
		}
		named[name] = id
		switch {
		case name == "" || len(name) > MaxName:
			return input.Errorf("names: %.20q has %d bytes, it has 1 to %d", name, len(name), MaxName)
		case c.ID != nil && c.ID(name) != id:
			return input.Errorf("members: the ID of %.60q is %d, not %d", name, c.ID(name), id)
		}
		addr := all[id]
		if addr == "" && c.Resolve != nil && id != c.Self {
			continue
		}
		err := c.checkAddress(addr, id == c.Self)
		other, taken := at[addr]
		at[addr] = id
		switch {
		case id == 0:
			return input.Errorf("members: an ID is never 0")
		case err != nil:
			return input.Errorf("members[%s]: %w", c.called(id), err)
		case taken:
			return input.Errorf("members: %s and %s have the same address %s", c.called(other), c.called(id),
				addr)
		}
	}
	if c.Listener != nil && c.plain() {
		if host, _, err := net.SplitHostPort(c.Listener.Addr().String()); err == nil && !loopback(host) {
			return input.Errorf("listener: %v is no loopback address, so there must be TLS, or "+
				"InsecurePlaintext", c.Listener.Addr())
		}
	}
	if c.TLS != nil {
		return c.TLS.check(c.called(c.Self))
	}
	return nil
}

// plain reports whether all addresses have to be loopback addresses.
func (c *Config) plain() bool { return c.TLS == nil && !c.InsecurePlaintext }

// checkAddress returns an error if an address is malformed or not permitted. own is true for the address of this
// process.
func (c *Config) checkAddress(addr string, own bool) error {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	port, err := net.LookupPort("tcp", service) // it may have a name
	switch {
	case err != nil:
		return fmt.Errorf("address %s: %w", addr, err)
	case port == 0 && !own: // the system gives a listener any port
		return fmt.Errorf("address %s: no other member can connect to port 0", addr)
	case c.plain() && !loopback(host):
		return fmt.Errorf("%s is no loopback address, so there must be TLS, or InsecurePlaintext", addr)
	}
	return nil
}

// loopback reports whether a host is this machine. A name other than localhost may lead elsewhere tomorrow.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// keepAlive makes the kernel notice within half a minute that a peer is gone if nothing is sent to it. What is sent is
// followed by a ping. The side that was dialled probes more rarely: it would learn nothing that the other side does
// not.
var (
	keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}
	keepOpen  = net.KeepAliveConfig{Enable: true, Idle: 2 * time.Minute, Interval: 5 * time.Second, Count: 3}
)

type tcpDialer struct{ net.Dialer }

func dialer() *tcpDialer { return &tcpDialer{net.Dialer{KeepAliveConfig: keepAlive}} }

// dial resolves the name each time: a member may come back elsewhere.
func (d *tcpDialer) dial(ctx context.Context, addr string) (net.Conn, error) {
	return again(ctx, func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "tcp", addr) })
}

// firstAgain is how long the first attempt may be without an answer before another one starts. The third follows after
// four times as long, and so on.
const firstAgain = 100 * time.Millisecond

// again opens a connection, and others as long as none has an answer, and returns the first that is established. The
// kernel retransmits a lost SYN after a second, when an attempt to connect has mostly run out of time.
func again(ctx context.Context, dial func(context.Context) (net.Conn, error)) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		nc  net.Conn
		err error
	}
	results, late := make(chan result), make(chan struct{})
	defer close(late)
	started, failed := 0, 0
	start := func() {
		started++
		go func() {
			nc, err := dial(ctx)
			select {
			case results <- result{nc, err}:
			case <-late:
				if err == nil {
					_ = nc.Close()
				}
			}
		}()
	}
	start()
	next := time.NewTimer(firstAgain)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			start()
			next.Reset(firstAgain << started)
		case r := <-results:
			if failed++; r.err == nil || failed == started {
				return r.nc, r.err
			}
		}
	}
}
