// Package transporttest tries whether a transport keeps the contract of [election.Transport].
//
// A test of one line is enough, with a function that opens the transports of a few processes:
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
// [Options] say what the transport does not promise; all else is held against it.
//
// # Properties
//
// Each is a subtest, to be chosen with -run, over transports of its own:
//
//	Integrity    every field arrives as it was sent, whatever is in it
//	Addressing   packets reach the process that they are for, and name their sender
//	Forgery      no process sends as another                        not if Trusting
//	Order        each link keeps the order                          not if Unordered
//	Loss         whatever is sent arrives                           not if Lossy
//	Duplication  and arrives once                                   not if Duplicates
//	Self         a process reaches itself: a ring may be so small   not if NoSelf
//	AbsentPeer   sending to no process is a loss, not the end
//	ClosedPeer   so is sending to a process that has gone
//	Return       a process that has come back is reached by the first    if Reopen is set,
//	             packet, and its own first packet reaches the others     not if Lossy
//	Concurrency  several goroutines send and several receive, everywhere at once
//	Burst        Send does not wait for the receiver: 100,000 packets, or Capacity
//	CancelRecv   Recv returns when its context ends, and then has consumed nothing
//	CancelSend   Send returns when its context ends
//	CloseRecv    Close ends Recv, with an error that wraps election.ErrClosed
//	CloseSend    Close ends Send, with such an error
//	Parting      what Send has taken before Close arrives           not if Lossy or Abrupt
//	             and what it refuses afterwards does not
//	CloseAgain   Close may be called again, by several goroutines at once, and closes one end only
//	Push         a transport.Pusher pushes what waits, what arrives and  not if Lossy,
//	             that it is closed, and keeps what is not taken          Duplicates or Unordered
//	Watch        a transport.Watcher says which peers are up, once for each change
//	Goroutines   none is left after Close
//	Election     processes elect a leader over it
//
// # Limitations
//
// What never happens looks like what takes long: [Options].Patience says how long the suite waits.
// That makes a failure of a hang; nothing else depends on the clock. A packet for which it has waited that
// long is lost. From then on it waits for half a second only, and CancelRecv is not judged by packets that
// are missing. A transport that breaks its promises rarely may pass, so run the suite with -race and -count
// too.
//
// Goroutines takes all that have come into being for the transport's, so Test is not for tests that
// run in parallel with others.
package transporttest

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-election/election"
)

// Open opens the transports of processes that can all reach each other: the i-th belongs to process
// ids[i]. The suite closes them; what else has to go is for tb.Cleanup.
type Open func(tb testing.TB, ids []election.ID) []election.Transport

// Options say what a transport does not promise. The zero value: it promises everything.
type Options struct {
	// Unordered: packets may overtake others of their link, which is the way from one process to a
	// port of another. If false, a link keeps the order.
	Unordered bool
	// Lossy: packets may be lost, and Send may fail. If false, all arrive.
	Lossy bool
	// Duplicates: packets may arrive more than once; a copy that comes after later packets is out of
	// order as well. If false, each arrives once.
	Duplicates bool
	// Abrupt: Close may drop what Send has taken and what is still on its way. If false, a process
	// that announces itself and leaves at once is heard.
	Abrupt bool
	// Trusting: the transport does not know the sender and believes what stands in From. If false, no
	// packet arrives with another From than its sender.
	Trusting bool
	// NoSelf: a process has no way to itself. If false, it has.
	NoSelf bool
	// Capacity is how many packets may wait for their receiver. With more, Send may wait until its
	// context ends, fail, or lose some. If zero, any number may wait.
	Capacity int
	// Reopen opens the transport of a process again, after its last one was closed. If nil, no process comes
	// back.
	Reopen func(tb testing.TB, id election.ID) election.Transport
	// Patience is how long the suite waits for something to happen. If zero, ten seconds.
	Patience time.Duration
	// Virtual: the transport waits for channels and timers only, not for sockets or files. Then time is
	// virtual: each property runs in a bubble of testing/synctest, with all that Open and Reopen make. If
	// false, the suite waits in real time.
	Virtual bool

	burst  int          // how many packets two processes send to each other before either receives
	losses *atomic.Bool // that packets are lost which should not be is established; shared by all properties
}

// property is one thing that is promised.
type property struct {
	name  string
	holds func(n *network) error
	// promised reports whether it is. If nil, always.
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
		{name: "Goroutines", holds: everything},
		{name: "Election", holds: elect},
	}
}

// Test tries every property that the transport promises, each as a subtest.
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

// try tries one property.
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
	// Note them before open, whose goroutines count too.
	before := goroutines()
	if p.name == "Goroutines" {
		tb.Cleanup(func() { // after all that open has left to Cleanup
			if !tb.Failed() {
				checkGoroutines(tb, before, opts.Patience)
			}
		})
	}
	// IDs that a transport loses if it keeps them as int, int64 or float64.
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
