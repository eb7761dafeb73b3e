// Package transporttest provides tests for implementations of [election.Transport].
//
// Call Test with a function that opens the transports of a few processes:
//
//	func TestMemory(t *testing.T) {
//		transporttest.Test(t, func(tb testing.TB, ids []election.ID) []election.Transport {
//			net := memory.New()
//			ends := make([]election.Transport, len(ids))
//			for i, id := range ids {
//				end, err := net.Endpoint(id)
//				if err != nil {
//					tb.Fatal(err)
//				}
//				ends[i] = end
//			}
//			return ends
//		}, transporttest.Options{})
//	}
//
// [Options] declare which guarantees the transport does not give. All others are tested.
//
// # Properties
//
// Each property is a subtest, which -run can select, with transports of its own:
//
//	Integrity    every field arrives as it was sent, whatever its value; Incarnation and Seq
//	             not if Numbers
//	Addressing   packets reach their receiver and identify their sender
//	Forgery      no process can send as another                     not if Trusting
//	Order        each link delivers in order                        not if Unordered
//	Loss         every packet arrives                               not if Lossy
//	Duplication  and arrives only once                              not if Duplicates
//	Self         a process reaches itself, as on a ring of one      not if NoSelf
//	AbsentPeer   a packet to an unknown process is lost; the sender continues
//	ClosedPeer   so is a packet to a process that has gone
//	Return       after a process has recovered, the first packet         if Reopen is set,
//	             to it and the first packet from it arrive               not if Lossy
//	Concurrency  several goroutines send and several receive at every process
//	Burst        Send does not wait for the receiver: 100,000 packets, or Capacity
//	CancelRecv   Recv returns when its context ends, and then has consumed no packet
//	CancelSend   Send returns when its context ends
//	CloseRecv    Close ends Recv, with an error that wraps election.ErrClosed
//	CloseSend    Close ends Send, with such an error
//	Parting      packets that Send accepted before Close arrive     not if Lossy or Abrupt
//	             and packets that it refused afterwards do not
//	CloseAgain   Close may be called repeatedly and concurrently, and closes one transport only
//	Push         a transport.Pusher pushes packets that wait or     not if Lossy,
//	             arrive and its end, and keeps refused packets      Duplicates or Unordered
//	Watch        a transport.Watcher reports which peers are up, once per change
//	Hello        a transport.Greeter tells each hello before the packets sent later, and
//	             processes exchange no packets while one of them refuses the other
//	Goroutines   no goroutine is left after Close
//	Election     processes elect a leader over the transport
//
// # Limitations
//
// A test cannot distinguish an event that never happens from a slow one: [Options].Patience is how long the
// suite waits, so that a hang becomes a failure. Nothing else depends on the clock. A packet that has not
// arrived after that time counts as lost. From then on the suite waits only half a second, and CancelRecv
// ignores missing packets. A transport that rarely violates its guarantees may pass, so also run the suite with
// -race and -count.
//
// Goroutines attributes all new goroutines to the transport, so do not call Test from tests that run in
// parallel with others.
package transporttest

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-election/election"
)

// Open opens the transports of processes that can all reach each other: the i-th belongs to process ids[i]. The
// suite closes the transports; release other resources in tb.Cleanup.
type Open func(tb testing.TB, ids []election.ID) []election.Transport

// Options declare which guarantees a transport does not give. The zero value means that it gives all of them.
type Options struct {
	// Unordered means that packets may overtake others on the same link, which leads from one process to a port
	// of another. If false, links deliver in order.
	Unordered bool
	// Lossy means that packets may be lost, and that Send may fail. If false, all packets arrive.
	Lossy bool
	// Duplicates means that packets may arrive more than once; a duplicate that arrives after later packets is
	// out of order as well. If false, each packet arrives once.
	Duplicates bool
	// Abrupt means that Close may drop packets that Send has accepted, and packets in flight. If false, packets
	// arrive even if their sender closes immediately after sending.
	Abrupt bool
	// Trusting means that the transport does not authenticate the sender and believes From. If false, no packet
	// arrives with a From that is not its sender.
	Trusting bool
	// Numbers means that the transport numbers packets itself: Incarnation and Seq of a packet that arrives are
	// its own numbers, not the numbers given to Send. If false, they arrive unchanged, like all other fields.
	Numbers bool
	// NoSelf means that a process cannot send to itself.
	NoSelf bool
	// Capacity is the number of packets that may wait for their receiver. If more are sent, Send may wait until
	// its context ends, fail, or lose packets. If zero, the capacity is unlimited.
	Capacity int
	// Reopen opens the transport of a process again after the previous one was closed. If nil, no process
	// recovers.
	Reopen func(tb testing.TB, id election.ID) election.Transport
	// Patience is how long the suite waits for something to happen. If zero, ten seconds.
	Patience time.Duration
	// Virtual means that the transport waits for channels and timers only, not for sockets or files. Time is
	// then virtual: each property runs in a bubble of testing/synctest, together with everything that Open and
	// Reopen create. If false, the suite waits in real time.
	Virtual bool

	burst  int          // packets that two processes send to each other before either receives
	losses *atomic.Bool // the transport loses packets that it should not lose; shared by all properties
}

// property is one guarantee.
type property struct {
	name  string
	holds func(n *network) error
	// promised reports whether the options leave the guarantee in force. If nil, it always is.
	promised func(o *Options) bool
}

func properties() []property {
	return []property{
		{name: "Integrity", holds: integrity},
		{name: "Addressing", holds: addressing},
		{name: "Forgery", holds: forgery, promised: func(o *Options) bool { return !o.Trusting }},
		{name: "Order", holds: order, promised: func(o *Options) bool { return !o.Unordered }},
		{name: "Loss", holds: loss, promised: func(o *Options) bool { return !o.Lossy }},
		{name: "Duplication", holds: duplication, promised: func(o *Options) bool { return !o.Duplicates }},
		{name: "Self", holds: self, promised: func(o *Options) bool { return !o.NoSelf }},
		{name: "AbsentPeer", holds: absentPeer},
		{name: "ClosedPeer", holds: closedPeer},
		{name: "Return", holds: comeBack, promised: func(o *Options) bool {
			return o.Reopen != nil && !o.Lossy
		}},
		{name: "Concurrency", holds: concurrency},
		{name: "Burst", holds: burst},
		{name: "CancelRecv", holds: cancelRecv},
		{name: "CancelSend", holds: cancelSend},
		{name: "CloseRecv", holds: closeRecv},
		{name: "CloseSend", holds: closeSend},
		{name: "Parting", holds: parting},
		{name: "CloseAgain", holds: closeAgain},
		{name: "Push", holds: push, promised: func(o *Options) bool {
			return !o.Lossy && !o.Duplicates &&
				!o.Unordered
		}},
		{name: "Watch", holds: watch},
		{name: "Hello", holds: hello},
		{name: "Goroutines", holds: everything},
		{name: "Election", holds: elect},
	}
}

// Test tests every guarantee that opts leave in force, each as a subtest.
func Test(t *testing.T, open Open, opts Options) { test(t, properties(), open, opts) }

func test(t *testing.T, all []property, open Open, opts Options) {
	opts.losses = new(atomic.Bool)
	for _, p := range all {
		if p.promised == nil || p.promised(&opts) {
			t.Run(p.name, func(t *testing.T) {
				if opts.Virtual {
					synctest.Test(t, func(t *testing.T) { try(t, p, open, opts) })
				} else {
					try(t, p, open, opts)
				}
			})
		}
	}
}

// try tests one property.
func try(tb testing.TB, p property, open Open, opts Options) {
	if opts.Patience == 0 {
		opts.Patience = 10 * time.Second
	}
	if opts.burst == 0 {
		opts.burst = 50_000
	}
	if opts.losses == nil {
		opts.losses = new(atomic.Bool)
	}
	// List them before open, whose goroutines count too.
	before := goroutines()
	if p.name == "Goroutines" {
		tb.Cleanup(func() { // after all cleanups of open
			if !tb.Failed() {
				checkGoroutines(tb, before, opts.Patience)
			}
		})
	}
	// These IDs are corrupted by a transport that stores them as int, int64 or float64.
	ids := []election.ID{1, 1<<63 + 7, 2, 1<<64 - 1}
	ends := open(tb, ids)
	if len(ends) != len(ids) {
		tb.Errorf("open returned %d transports for %d processes", len(ends), len(ids))
		return
	}
	n := newNetwork(tb, ids, ends, opts)
	defer n.close()
	if err := p.holds(n); err != nil {
		tb.Error(err)
	}
}
