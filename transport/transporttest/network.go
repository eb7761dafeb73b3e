package transporttest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-election/election"
)

// quiet is how long nothing must arrive until nothing more is expected. A transport that keeps its
// promises passes however long that is.
const quiet = 20 * time.Millisecond

// settle lets goroutines come to where they wait. A transport that keeps its promises passes
// wherever they are.
func settle() { <-time.After(2 * time.Millisecond) }

// impatience is how long the suite waits once packets are known to be lost: those that are missing will not
// come.
const impatience = 500 * time.Millisecond

// errStuck says that a call has panicked or not returned.
var errStuck = errors.New("stuck")

// network is what a property is tried on: the transports of a few processes.
type network struct {
	tb      testing.TB
	opts    Options
	ids     []election.ID
	ends    []election.Transport
	inboxes []*inbox
	readers int             // how many goroutines receive at each process
	ctx     context.Context // ends after all ends are closed
	cancel  context.CancelFunc
	news    chan struct{} // has something if anything was sent or received
}

// inbox is what has arrived at a process.
type inbox struct {
	underWay chan struct{} // has one for each packet under way, where these are counted
	held     atomic.Int64  // the number of senders that wait for one of those to arrive

	mu      sync.Mutex
	packets []election.Packet
	counts  map[election.Packet]int
	open    bool
	err     error // why nothing more is received
}

func newNetwork(tb testing.TB, ids []election.ID, ends []election.Transport, opts Options) *network {
	n := &network{tb: tb, opts: opts, ids: ids, ends: ends, readers: 1, news: make(chan struct{}, 1)}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	for range ends {
		n.inboxes = append(n.inboxes, n.newInbox())
	}
	return n
}

func (n *network) newInbox() *inbox {
	e := &inbox{counts: make(map[election.Packet]int)}
	if n.opts.Capacity > 0 && !n.opts.Lossy { // what is lost would never be given back
		e.underWay = make(chan struct{}, n.opts.Capacity)
	}
	return e
}

// close closes all ends. Whether that ends anything is a property of its own.
func (n *network) close() {
	var closed []<-chan error
	for _, e := range n.ends {
		closed = append(closed, n.begin(e.Close))
	}
	for _, done := range closed {
		_ = n.wait(done, "Close")
	}
	n.cancel()
}

// patience is how long the suite waits for something to happen.
func (n *network) patience() time.Duration {
	if n.opts.losses.Load() {
		return min(impatience, n.opts.Patience)
	}
	return n.opts.Patience
}

// lose notes that packets are lost, where that may not be, and returns an error that says so.
func (n *network) lose(format string, args ...any) error {
	if !n.opts.Lossy {
		n.opts.losses.Store(true)
	}
	return fmt.Errorf("packets are lost: %s; if they may be, declare Options{Lossy: true}",
		fmt.Sprintf(format, args...))
}

// begin runs f in a goroutine.
func (n *network) begin(f func() error) <-chan error {
	// Room for one: if the suite no longer waits, the goroutine must still be able to end.
	done := make(chan error, 1)
	go func() {
		defer func() {
			if what := recover(); what != nil {
				done <- fmt.Errorf("%w: panic: %v", errStuck, what)
			}
		}()
		done <- f()
	}()
	return done
}

// wait returns the error of what was begun, or one that wraps errStuck if nothing has happened for
// long.
func (n *network) wait(done <-chan error, what string) error {
	patience := n.patience()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case err := <-done:
			if errors.Is(err, errStuck) {
				return fmt.Errorf("%s: %w", what, err)
			}
			return err
		case <-n.news:
			timer.Reset(patience)
		case <-timer.C:
			return fmt.Errorf("%w: %s has not returned after %v", errStuck, what, patience)
		}
	}
}

// call calls f and waits for it.
func (n *network) call(what string, f func() error) error { return n.wait(n.begin(f), what) }

// progress notes that something has happened.
func (n *network) progress() {
	select {
	// One pending note is enough: it only says that the network is not stuck.
	case n.news <- struct{}{}:
	default:
	}
}

// packet returns a packet from one process to another.
func (n *network) packet(from, to int, m election.Message) election.Packet {
	return election.Packet{From: n.ids[from], To: n.ids[to], Msg: m}
}

// send sends a packet. An error wraps errStuck, unless it is the transport's own.
func (n *network) send(ctx context.Context, from int, p election.Packet) error {
	what := fmt.Sprintf("Send of process %d to %d", p.From, p.To)
	return n.call(what, func() error { return n.ends[from].Send(ctx, p) })
}

// recv receives a packet.
func (n *network) recv(ctx context.Context, at int, what string) (p election.Packet, err error) {
	received := make(chan election.Packet, 1)
	err = n.call(what, func() error {
		p, err := n.ends[at].Recv(ctx)
		received <- p
		return err
	})
	if err != nil {
		return p, err
	}
	return <-received, nil
}

// listen lets a process receive from now on, unless it does so already.
func (n *network) listen(at int) {
	e := n.inboxes[at]
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open {
		return
	}
	e.open = true
	for range n.readers {
		// A process that comes back has another end and another inbox; this reader keeps to its own.
		end := n.ends[at]
		done := n.begin(func() error { return n.receive(end, e) })
		go func() {
			err := <-done
			e.mu.Lock()
			defer e.mu.Unlock()
			e.err = err
			n.progress()
		}()
	}
}

// receive receives until an error.
func (n *network) receive(end election.Transport, into *inbox) error {
	for {
		p, err := end.Recv(n.ctx)
		if err != nil {
			return err
		}
		into.add(p)
		n.progress()
	}
}

func (e *inbox) add(p election.Packet) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.packets = append(e.packets, p)
	e.counts[p]++
	if e.underWay != nil {
		select {
		case <-e.underWay:
		default: // a copy
		}
	}
}

// await waits until a process has received a number of different packets, and reports whether it has, or
// nothing happens anywhere for long: then the others are lost. It returns an error only where the
// process has ceased to receive.
func (n *network) await(at, different int) (bool, error) {
	e := n.inboxes[at]
	all, err := n.until(func() (bool, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.counts) >= different, e.err
	})
	if err != nil {
		return false, fmt.Errorf("process %d receives no more: %w", n.ids[at], err)
	}
	if !all {
		// From now on the suite waits less: a transport that loses packets would make every property take
		// the full time.
		n.opts.losses.Store(true)
	}
	return all, nil
}

// until waits until something is so or returns an error, and reports whether it is, or nothing happens
// anywhere for long.
func (n *network) until(so func() (bool, error)) (bool, error) {
	patience := n.patience()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		if is, err := so(); is {
			return true, nil
		} else if err != nil {
			return false, err
		}
		select {
		case <-n.news:
			timer.Reset(patience)
		case <-timer.C:
			return false, nil
		}
	}
}

// awaitQuiet waits until nothing arrives any more.
func (n *network) awaitQuiet() {
	end, timer := time.NewTimer(n.patience()), time.NewTimer(quiet)
	defer end.Stop()
	defer timer.Stop()
	for {
		select {
		case <-n.news:
			timer.Reset(quiet)
		case <-timer.C:
			return
		case <-end.C:
			return
		}
	}
}
