package storetest

import (
	"context"
	"net"
	"sync"
)

// proxy forwards TCP connections to a server, and fails in the ways in which networks do. Its settings apply to what
// arrives afterwards.
type proxy struct {
	listener net.Listener
	server   string
	running  sync.WaitGroup

	mu       sync.Mutex
	change   *sync.Cond
	conns    map[net.Conn]bool
	closed   bool
	refuses  bool
	requests flow
	answers  flow
}

// flow is what happens to the data of one direction.
type flow struct {
	pass   int  // so many more pieces pass; if negative, all
	drop   bool // pieces that do not pass are lost; if false, they wait
	passed int
}

var freely = flow{pass: -1}

func newProxy(ctx context.Context, server string) (*proxy, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener, server: server, conns: make(map[net.Conn]bool), requests: freely, answers: freely}
	p.change = sync.NewCond(&p.mu)
	p.running.Go(p.accept)
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.serve(client) })
	}
}

// add reports whether a new connection may be used. If so, cut closes it.
func (p *proxy) add(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.refuses {
		return false
	}
	p.conns[c] = true
	return true
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	if !p.add(client) {
		return
	}
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.add(server) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.forward(server, client, &p.requests) })
	both.Go(func() { p.forward(client, server, &p.answers) })
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, client)
	delete(p.conns, server)
}

// forward forwards what arrives on one connection to the other. A piece that waits is forwarded even if its sender has
// gone, as a network does.
func (p *proxy) forward(to, from net.Conn, f *flow) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if n > 0 && p.passes(f, to) {
			if _, err := to.Write(buffer[:n]); err != nil {
				from.Close()
				return
			}
		}
		if err != nil {
			if half, ok := to.(*net.TCPConn); ok {
				half.CloseWrite()
			}
			return
		}
	}
}

// passes waits until a piece may pass, and is false if it is lost.
func (p *proxy) passes(f *flow, to net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for f.pass == 0 && !f.drop && p.conns[to] {
		p.change.Wait()
	}
	if f.pass == 0 {
		return false
	}
	f.pass = max(f.pass-1, -1)
	f.passed++
	return true
}

// set changes what happens to data in both directions.
func (p *proxy) set(requests, answers flow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests, p.answers = requests, answers
	p.change.Broadcast()
}

// replace closes all connections, and forwards everything on new ones.
func (p *proxy) replace() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests, p.answers = freely, freely
	p.closeConns()
}

// cut closes all connections. If refuse is true, new ones are closed immediately until repair is called.
func (p *proxy) cut(refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = refuse
	p.closeConns()
}

// closeConns is called with mu locked.
func (p *proxy) closeConns() {
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
	p.change.Broadcast()
}

// repair forwards everything again.
func (p *proxy) repair() {
	p.mu.Lock()
	p.refuses = false
	p.mu.Unlock()
	p.set(freely, freely)
}

func (p *proxy) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	err := p.listener.Close()
	p.cut(true)
	p.running.Wait()
	return err
}
