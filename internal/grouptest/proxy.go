package grouptest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// proxy forwards connections to a server until they are cut or held.
type proxy struct {
	listener net.Listener
	server   string

	mu      sync.Mutex
	away    bool
	held    bool
	resumed *sync.Cond // held has become false
	conns   map[net.Conn]bool
}

func newProxy(tb testing.TB, server string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &proxy{listener: l, server: server, conns: make(map[net.Conn]bool)}
	p.resumed = sync.NewCond(&p.mu)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { p.forward(client) })
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		p.cut(true)
		p.hold(false)
		running.Wait()
	})
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// cut breaks all connections, and refuses others until it is called with false.
func (p *proxy) cut(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
	for c := range p.conns {
		_ = c.Close()
	}
}

// hold keeps everything that is sent, in both directions, until it is called with false. Connections stay open, as if the
// server were stopped.
func (p *proxy) hold(held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = held
	p.resumed.Broadcast()
}

// pipe writes to a connection of a proxy, unless that holds what is sent.
type pipe struct {
	net.Conn
	p *proxy
}

func (w pipe) Write(b []byte) (int, error) {
	w.p.mu.Lock()
	for w.p.held {
		w.p.resumed.Wait()
	}
	w.p.mu.Unlock()
	return w.Conn.Write(b)
}

// add reports whether connections are forwarded.
func (p *proxy) add(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.away {
		p.conns[c] = true
	}
	return !p.away
}

func (p *proxy) close(c net.Conn) {
	_ = c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

func (p *proxy) forward(client net.Conn) {
	defer p.close(client)
	if !p.add(client) { // before the server is reached: it would start a process for each of many attempts
		return
	}
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer p.close(server)
	if !p.add(server) {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(pipe{client, p}, server)
		_ = client.Close()
	})
	_, _ = io.Copy(pipe{server, p}, client)
	_ = server.Close()
	back.Wait()
}
