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

// quiet is how long no packet must arrive before the suite expects no more. A correct transport passes whatever
// this duration is.
const quiet = 20 * time.Millisecond

// settle waits a moment so that goroutines can block. A correct transport passes whether or not they have.
func settle() { <-time.After(2 * time.Millisecond) }

// impatience is how long the suite waits after packets are known to be lost, because missing packets will not
// arrive.
const impatience = 500 * time.Millisecond

// errStuck reports that a call has panicked or not returned.
var errStuck = errors.New("stuck")

// network is the transports of a few processes, over which a property is tested.
type network struct {
	tb      testing.TB
	opts    Options
	ids     []election.ID
	ends    []election.Transport
	inboxes []*inbox
	readers int             // number of goroutines that receive at each process
	ctx     context.Context // ends after all transports are closed
	cancel  context.CancelFunc
	news    chan struct{} // contains a value if a packet was sent or received
}

// inbox is the packets that have arrived at a process.
type inbox struct {
	underWay chan struct{} // contains one value per packet in flight, if these are limited
	held     atomic.Int64  // number of senders that wait for a packet in flight to arrive

	mu      sync.Mutex
	packets []election.Packet
	counts  map[election.Packet]int
	open    bool
	err     error // why the process has stopped receiving
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
	if n.opts.Capacity > 0 && !n.opts.Lossy { // lost packets would never return their place
		e.underWay = make(chan struct{}, n.opts.Capacity)
	}
	return e
}

// close closes all transports. Whether Close works is tested separately.
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

// lose records that packets are lost, and returns an error if they may not be.
func (n *network) lose(format string, args ...any) error {
	if !n.opts.Lossy {
		n.opts.losses.Store(true)
	}
	return fmt.Errorf("packets are lost: %s; if they may be, declare Options{Lossy: true}",
		fmt.Sprintf(format, args...))
}

// begin runs f in a goroutine.
func (n *network) begin(f func() error) <-chan error {
	// Buffer one value: if the suite no longer waits, the goroutine must still be able to end.
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

// wait returns the error of a call started by begin, or an error that wraps errStuck if nothing has happened
// for too long.
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
	// One pending value is enough: it only shows that the network is not stuck.
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
		received <- n.content(p)
		return err
	})
	if err != nil {
		return p, err
	}
	return <-received, nil
}

// listen starts to receive at a process, unless it is receiving already.
func (n *network) listen(at int) {
	e := n.inboxes[at]
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open {
		return
	}
	e.open = true
	for range n.readers {
		// A process that recovers has another transport and another inbox; this reader keeps its own.
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

// receive receives until an error occurs.
func (n *network) receive(end election.Transport, into *inbox) error {
	for {
		p, err := end.Recv(n.ctx)
		if err != nil {
			return err
		}
		into.add(n.content(p))
		n.progress()
	}
}

// content returns what the transport must not change in a packet.
func (n *network) content(p election.Packet) election.Packet {
	if n.opts.Numbers {
		p.Incarnation, p.Seq = 0, 0
	}
	return p
}

func (e *inbox) add(p election.Packet) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.packets = append(e.packets, p)
	e.counts[p]++
	if e.underWay != nil {
		select {
		case <-e.underWay:
		default: // a duplicate
		}
	}
}

// await waits until a process has received the given number of different packets, and reports whether it has.
// It returns false if nothing has happened anywhere for too long, which means that the other packets are lost.
// It returns an error only if the process has stopped receiving.
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
		// From now on, wait less: with a transport that loses packets, every property would take the full time.
		n.opts.losses.Store(true)
	}
	return all, nil
}

// until waits until a condition is true or returns an error, and reports whether it is true. It returns false
// if nothing has happened anywhere for too long.
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

// awaitQuiet waits until no more packets arrive.
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
