package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/reliable"
	"github.com/go-election/election/transport/transporttest"
)

var sockets = flag.Bool("sockets", false, "run the conformance suite over sockets, in real time")

// network opens the transports of processes, over sockets or datagrams in memory.
type network struct {
	peers     map[election.ID]net.Addr
	datagrams *datagrams
}

func (n *network) listen(tb testing.TB, id election.ID) election.Transport {
	var conn net.PacketConn
	if *sockets {
		port := 0
		if before, ok := n.peers[id].(*net.UDPAddr); ok {
			port = before.Port
		}
		var err error
		conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		require.NoError(tb, err)
	} else {
		conn = n.datagrams.listen(fmt.Sprint(id))
	}
	if n.peers[id] == nil { // one that is opened again has the same address, and others may be sending to it
		n.peers[id] = conn.LocalAddr()
	}
	return &udp{conn, n.peers, make(chan struct{}, 1)}
}

// conforms runs transporttest over UDP. wrap adds what each transport needs.
func conforms(t *testing.T, opts transporttest.Options,
	wrap func(tb testing.TB, id election.ID, inner election.Transport) election.Transport) {
	var n *network
	listen := func(tb testing.TB, id election.ID) election.Transport { return wrap(tb, id, n.listen(tb, id)) }
	opts.Reopen, opts.Virtual = listen, !*sockets
	transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
		n = &network{make(map[election.ID]net.Addr), &datagrams{ends: make(map[string]*end)}}
		for _, id := range ids {
			ends = append(ends, listen(tb, id))
		}
		return ends
	}, opts)
}

// TestUDP: over datagrams that are lost only where there is no room for them, the transport keeps its
// promises. On loopback, with -sockets, that is where the kernel has none.
func TestUDP(t *testing.T) {
	conforms(t, transporttest.Options{Capacity: 100},
		func(_ testing.TB, _ election.ID, inner election.Transport) election.Transport { return inner })
}

// TestReliable: package transport/reliable keeps them even if a third of the datagrams is lost.
func TestReliable(t *testing.T) {
	conforms(t, transporttest.Options{Capacity: 1024, Numbers: true},
		func(tb testing.TB, id election.ID, inner election.Transport) election.Transport {
			links, err := faults.NewLinks(faults.Config{Plan: fault.Plan{Loss: 1.0 / 3}})
			require.NoError(tb, err)
			end, err := reliable.New(links.Over(inner),
				reliable.Config{Self: id, Resend: 10 * time.Millisecond, Linger: time.Second})
			require.NoError(tb, err)
			return end
		})
}

// datagrams is a network in memory: its ends by name.
type datagrams struct {
	mu   sync.Mutex
	ends map[string]*end
}

func (n *datagrams) listen(name string) net.PacketConn {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := &end{datagrams: n, name: name}
	e.change = sync.NewCond(&e.mu)
	n.ends[name] = e
	return e
}

// end is a net.PacketConn.
type end struct {
	*datagrams
	name string

	mu       sync.Mutex
	change   *sync.Cond
	waiting  []datagram
	deadline time.Time
	closed   bool
}

type datagram struct {
	text []byte
	from net.Addr
}

func (e *end) LocalAddr() net.Addr { return &net.UnixAddr{Name: e.name, Net: "datagrams"} }

func (e *end) WriteTo(b []byte, to net.Addr) (int, error) {
	e.mu.Lock()
	closed := e.closed
	e.mu.Unlock()
	if closed {
		return 0, net.ErrClosed
	}
	if to == nil {
		return 0, os.ErrInvalid
	}
	e.datagrams.mu.Lock()
	other := e.ends[to.String()]
	e.datagrams.mu.Unlock()
	other.mu.Lock()
	defer other.mu.Unlock()
	other.waiting = append(other.waiting, datagram{append([]byte(nil), b...), e.LocalAddr()})
	other.change.Broadcast()
	return len(b), nil
}

// ReadFrom looks at the deadline when something changes: no caller here has one in the future.
func (e *end) ReadFrom(b []byte) (int, net.Addr, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		switch {
		case e.closed:
			return 0, nil, net.ErrClosed
		case !e.deadline.IsZero() && e.deadline.Before(time.Now()):
			return 0, nil, os.ErrDeadlineExceeded
		case len(e.waiting) > 0:
			first := e.waiting[0]
			e.waiting = e.waiting[1:]
			return copy(b, first.text), first.from, nil
		}
		e.change.Wait()
	}
}

func (e *end) SetReadDeadline(at time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.deadline = at
	e.change.Broadcast()
	return nil
}

func (e *end) SetDeadline(at time.Time) error   { return e.SetReadDeadline(at) }
func (e *end) SetWriteDeadline(time.Time) error { return nil }

func (e *end) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.change.Broadcast()
	return nil
}
