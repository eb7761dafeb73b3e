// Package natstransport carries the packets of an election over NATS, for members that have a NATS server in common
// and no addresses of each other.
//
// # Usage
//
// Each member connects to the servers as a user of its own, and passes the transport to package elector:
//
//	conn, err := nats.Connect(servers, nats.UserInfo("a", password), nats.MaxReconnects(-1),
//		nats.ReconnectWait(100*time.Millisecond), nats.ReconnectBufSize(-1), nats.PingInterval(5*time.Second))
//	...
//	t, err := natstransport.New(natstransport.Config{Conn: conn, Subject: "election.orders", Self: "a",
//		Members: []string{"a", "b", "c"}})
//	...
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a",
//		Members: map[string]string{"a": "", "b": "", "c": ""}, Transport: t, Dir: "."})
//
// The options make a client connect again soon, and notice a connection that is silently broken after two PingIntervals
// rather than four minutes. ReconnectBufSize(-1) is required: otherwise the client would keep packets while it is not
// connected, and send them later.
//
// # Permissions
//
// Member a sends to member b on the subject election.orders.a.b. The receiver believes the subject, so the permissions
// of the servers must allow each user to publish as itself only. In the configuration of a server:
//
//	authorization {
//	  users = [
//	    {user: a, password: $A, permissions: {publish: "election.orders.a.*", subscribe: "election.orders.*.a"}}
//	    {user: b, password: $B, permissions: {publish: "election.orders.b.*", subscribe: "election.orders.*.b"}}
//	    {user: c, password: $C, permissions: {publish: "election.orders.c.*", subscribe: "election.orders.*.c"}}
//	  ]
//	}
//
// Without permissions, every client of the servers can claim to be any member. [Token] returns how a name with
// characters such as dots appears in a subject.
//
// # Limitations
//
// The servers are a dependency: members that reach no server, or servers that do not reach each other, elect like
// members that are cut off. NATS may lose packets, in particular when a server stops; leases tolerate that, and for
// other algorithms use package transport/reliable. While a member is not connected, its packets are lost, not delayed.
//
// NATS does not tell a client that another client has gone, so a failover takes a lease, without the shortcut that a
// broken TCP connection allows. Each message contains the hello of its sender, which lists the members, besides the
// packet of 80 bytes.
package natstransport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/transport"
)

// Config configures the transport of one member.
type Config struct {
	Conn    *nats.Conn // the caller closes it, after the Transport
	Subject string     // prefix of all subjects, such as "election.orders"
	Self    string     // name of this member
	// Members are the names of members that this member sends to. It learns the names of others from their messages,
	// and from SetAddress.
	Members []string
	ID      func(name string) election.ID // ID of a member in packets; if nil, elector.ID
	Log     *slog.Logger                  // if nil, nothing is logged
}

// Transport is the transport of one member. It is created by [New], and is a [transport.Greeter],
// [transport.Addressed] and [transport.Owned].
type Transport struct {
	config   Config
	incoming *nats.Subscription
	receiver chan struct{} // full while a caller receives, so that hellos are judged in order

	mu     sync.Mutex
	closed bool
	hello  []byte
	accept func(peer election.ID, hello []byte) error // nil until Greet
	turn   int                                        // number of calls of Greet
	peers  map[election.ID]*peer
}

var (
	_ transport.Greeter   = (*Transport)(nil)
	_ transport.Addressed = (*Transport)(nil)
	_ transport.Owned     = (*Transport)(nil)
)

// peer is another member, or this one.
type peer struct {
	name    string
	hello   []byte // the last one
	turn    int    // of Greet, when hello was judged; -1 if never
	refused bool   // by accept
}

// The first byte of a message. A packet follows, if there is one, and then the hello of the sender.
const (
	withPacket = 'p'
	helloOnly  = 'h'
	helloBack  = 'H' // of a call of Greet: the receiver judges it in any case, and answers with its own hello
)

// New returns the transport of one member. When it returns, the server knows the subscription.
func New(c Config) (*Transport, error) {
	if c.ID == nil {
		c.ID = elector.ID
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case c.Conn == nil:
		return nil, input.Errorf("Conn: it is nil")
	case c.Conn.Opts.ReconnectBufSize >= 0:
		return nil, input.Errorf("Conn: it would send packets late, after it has connected again: use " +
			"nats.ReconnectBufSize(-1)")
	case c.Subject == "" || strings.ContainsAny(c.Subject, " \t\r\n*>"):
		return nil, input.Errorf("Subject: %.60q is not a subject without wildcards", c.Subject)
	case c.Self == "":
		return nil, input.Errorf("Self: it is empty")
	}
	t := &Transport{config: c, receiver: make(chan struct{}, 1), peers: make(map[election.ID]*peer)}
	for _, name := range append([]string{c.Self}, c.Members...) {
		t.peers[c.ID(name)] = &peer{name: name, turn: -1}
	}
	var err error
	if t.incoming, err = c.Conn.SubscribeSync(c.Subject + ".*." + Token(c.Self)); err == nil {
		err = c.Conn.Flush()
	}
	if err != nil {
		return nil, fmt.Errorf("natstransport: %w", err)
	}
	return t, nil
}

// Token returns how the name of a member appears in subjects: letters, digits, '-', '_' and '~' stay, and other bytes
// are escaped as in URLs, so "a.example" becomes "a%2Eexample".
func Token(name string) string { return strings.ReplaceAll(url.QueryEscape(name), ".", "%2E") }

// Self returns the ID of this member.
func (t *Transport) Self() election.ID { return t.config.ID(t.config.Self) }

// Send sends a packet, unless the peer has been refused, or the connection is broken.
func (t *Transport) Send(ctx context.Context, p election.Packet) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	to := t.peers[p.To]
	switch {
	case t.closed:
		return t.gone()
	case to == nil:
		return fmt.Errorf("natstransport: the name of process %d is unknown", p.To)
	}
	p.From = t.Self()
	b := []byte{withPacket}
	// The hello of a peer was judged when it came. If Greet was called since then, the peer counts as new: its own next
	// message is judged, or refuses this one.
	if to.refused && to.turn == t.turn {
		b[0] = helloOnly // it might be accepted now
	} else {
		b = transport.AppendPacket(b, p)
	}
	return t.publish(to, b)
}

// publish sends a message with the hello of this member. The caller holds mu.
func (t *Transport) publish(to *peer, b []byte) error {
	subject := t.config.Subject + "." + Token(t.config.Self) + "." + Token(to.name)
	switch err := t.config.Conn.Publish(subject, append(b, t.hello...)); {
	case errors.Is(err, nats.ErrReconnectBufExceeded):
		return errors.New("natstransport: there is no connection to a server")
	case err != nil:
		return fmt.Errorf("natstransport: %w", err)
	}
	return nil
}

// Recv returns the next packet.
func (t *Transport) Recv(ctx context.Context) (election.Packet, error) {
	select {
	case t.receiver <- struct{}{}:
		defer func() { <-t.receiver }()
	case <-ctx.Done():
		return election.Packet{}, context.Cause(ctx)
	}
	for {
		m, err := t.incoming.NextMsgWithContext(ctx)
		switch {
		case err == nil:
			if p, ok := t.read(m); ok {
				return p, nil
			}
		case errors.Is(err, nats.ErrSlowConsumer): // messages are lost
		case errors.Is(err, nats.ErrBadSubscription), errors.Is(err, nats.ErrConnectionClosed):
			return election.Packet{}, t.gone()
		default:
			return election.Packet{}, fmt.Errorf("natstransport: %w", err)
		}
	}
}

func (t *Transport) gone() error { return fmt.Errorf("natstransport: %w", election.ErrClosed) }

// read judges the hello of a message, and returns its packet if there is one from an accepted peer.
func (t *Transport) read(m *nats.Msg) (p election.Packet, ok bool) {
	token := strings.Split(m.Subject[len(t.config.Subject)+1:], ".")[0]
	name, err := url.QueryUnescape(token)
	if err != nil || Token(name) != token || len(m.Data) == 0 {
		return p, false
	}
	kind, hello := m.Data[0], m.Data[1:]
	if kind == withPacket {
		size := min(len(hello), transport.PacketSize)
		if p, err = transport.ParsePacket(hello[:size]); err != nil || p.From != t.config.ID(name) || p.To != t.Self() {
			return p, false
		}
		hello = hello[size:]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	from := t.greeted(name, kind, hello)
	if from != nil && kind == helloBack {
		_ = t.publish(from, []byte{helloOnly})
	}
	return p, from != nil && !from.refused && kind == withPacket && !t.closed
}

// greeted judges the hello of a peer unless it is known, and returns the peer, or nil if it is an unknown peer that is
// refused. The caller holds mu.
func (t *Transport) greeted(name string, kind byte, hello []byte) *peer {
	id := t.config.ID(name)
	from := t.peers[id]
	switch {
	case from == nil:
		from = &peer{name: name, turn: -1}
	case from.name != name:
		return nil // two names have the same ID
	case kind != helloBack && from.turn == t.turn && bytes.Equal(from.hello, hello):
		return from
	}
	var err error
	if t.accept != nil {
		err = t.accept(id, hello)
	} else if !bytes.Equal(hello, t.hello) {
		err = errors.New("the hellos differ")
	}
	if err != nil {
		t.config.Log.Warn("natstransport: a member is refused", "member", name, "err", err)
	}
	from.hello, from.turn, from.refused = bytes.Clone(hello), t.turn, err != nil
	if t.peers[id] == nil {
		if from.refused {
			return nil // names of strangers are not kept
		}
		t.peers[id] = from
	}
	return from
}

// Greet implements [transport.Greeter].
func (t *Transport) Greet(hello []byte, accept func(peer election.ID, hello []byte) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch most := t.config.Conn.MaxPayload() - 1 - transport.PacketSize; {
	case t.closed:
		return t.gone()
	case int64(len(hello)) > most:
		return fmt.Errorf("natstransport: the hello has %d bytes, and the server accepts %d", len(hello), most)
	}
	t.hello, t.turn = bytes.Clone(hello), t.turn+1
	if accept != nil {
		t.accept = accept
	}
	for _, to := range t.peers {
		_ = t.publish(to, []byte{helloBack}) // if it is lost, the next packet contains the hello
	}
	return nil
}

// SetAddress tells the transport the name of a member. There are no addresses.
func (t *Transport) SetAddress(id election.ID, name, _ string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return t.gone()
	case t.config.ID(name) != id:
		return input.Errorf("%.60q does not have the ID %d", name, id)
	case t.peers[id] == nil:
		t.peers[id] = &peer{name: name, turn: -1}
	}
	return nil
}

// Close ends Send and Recv. The connection stays open.
func (t *Transport) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	if err := t.incoming.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("natstransport: %w", err)
	}
	return nil
}
