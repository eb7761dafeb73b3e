package cluster

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/pipenet"
)

// machine runs members as goroutines in the virtual time of a bubble. They talk over pipes.
type machine struct {
	pipenet.Hub
	began time.Time
	pids  int
}

func newMachine() *machine { return &machine{began: time.Now()} }

// clock returns the time of the machine.
func (m *machine) clock() time.Duration { return second + time.Since(m.began) }

// start starts a cluster, and kills it when the test ends.
func (m *machine) start(t *testing.T, config Config) *Cluster {
	t.Helper()
	c := newCluster(config, m.clock)
	c.launch = m.launch
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.startAll(t.Context()))
	return c
}

// launch starts a member.
func (m *machine) launch() (program, io.WriteCloser, io.Reader, error) {
	m.pids++
	v := &virtual{machine: m, number: m.pids, in: newStream(), out: newStream(), err: newStream(),
		runs: make(chan struct{}), ended: make(chan struct{})}
	close(v.runs)
	var ctx context.Context
	ctx, v.term = context.WithCancel(context.Background())
	one := &member{clock: v.clock, stderr: v.err, sockets: sockets{v.listen, v.dial}}
	go func() {
		defer close(v.ended)
		defer v.out.Close()
		defer v.in.Close()
		if err := one.run(ctx, slowed{v, v.in}, v.out); err != nil {
			v.why = "exit status 1 " + err.Error()
		} else {
			v.why = "exit status 0"
		}
	}()
	return v, v.in, slowed{v, v.out}, nil
}

// virtual is a member on a machine. A paused member reads neither its clock nor its input, and its output
// does not arrive. One of its goroutines may continue until it does one of these, which has no visible
// effect.
type virtual struct {
	machine      *machine
	number       int
	in, out, err *stream
	term         context.CancelFunc
	ended        chan struct{}
	why          string // written before ended is closed

	mu     sync.Mutex
	runs   chan struct{} // closed while it is not paused
	killed bool
	open   []io.Closer // its sockets
}

func (v *virtual) pid() int { return v.number }

func (v *virtual) do(what string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch what {
	case doTerm:
		v.term()
		return nil
	case doStop:
		v.runs = make(chan struct{})
		return nil
	}
	select { // doContinue, or doKill, which ends also a member that is paused
	case <-v.runs:
	default:
		close(v.runs)
	}
	if what == doKill {
		v.killed = true
		_ = v.out.Close()
		for _, socket := range v.open {
			_ = socket.Close()
		}
		v.term()
	}
	return nil
}

// wait returns when all goroutines of the member have ended, which after a kill nothing outside notices.
func (v *virtual) wait() string {
	<-v.ended
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.killed {
		return "signal: killed"
	}
	return v.why
}

// pass waits while the member is paused.
func (v *virtual) pass() {
	v.mu.Lock()
	runs := v.runs
	v.mu.Unlock()
	<-runs
}

func (v *virtual) clock() time.Duration {
	v.pass()
	return v.machine.clock()
}

// keep closes a socket when the member is killed.
func (v *virtual) keep(socket io.Closer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = append(v.open, socket)
	if v.killed {
		_ = socket.Close()
	}
}

func (v *virtual) listen(address string) net.Listener {
	l := v.machine.Listen(address)
	v.keep(l)
	return listening{l, v}
}

func (v *virtual) dial(ctx context.Context, address string) (net.Conn, error) {
	v.pass()
	conn, err := v.machine.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	v.keep(conn)
	return socket{conn, v}, nil
}

type listening struct {
	net.Listener
	of *virtual
}

func (l listening) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.of.keep(conn)
	return socket{conn, l.of}, nil
}

// socket is a connection, which a member that is paused neither reads nor writes.
type socket struct {
	net.Conn
	of *virtual
}

func (s socket) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	s.of.pass()
	return n, err
}

func (s socket) Write(b []byte) (int, error) {
	s.of.pass()
	return s.Conn.Write(b)
}

// slowed is the end of a stream from which is read. Nothing is while the member is paused.
type slowed struct {
	of *virtual
	*stream
}

func (s slowed) Read(b []byte) (int, error) {
	n, err := s.stream.Read(b)
	s.of.pass()
	return n, err
}

// stream has room for everything that a member writes, like a pipe of the operating system. A writer that
// blocked while holding a mutex would stop virtual time.
type stream struct {
	mu     sync.Mutex
	change *sync.Cond
	b      bytes.Buffer
	closed bool
}

func newStream() *stream {
	s := &stream{}
	s.change = sync.NewCond(&s.mu)
	return s
}

func (s *stream) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.b.Len() == 0 {
		if s.closed {
			return 0, io.EOF
		}
		s.change.Wait()
	}
	return s.b.Read(b)
}

func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	s.change.Broadcast()
	return s.b.Write(b)
}

func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.change.Broadcast()
	return nil
}
