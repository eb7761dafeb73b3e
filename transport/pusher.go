package transport

import (
	"context"

	"github.com/go-election/election"
)

// Pusher is a transport that can deliver packets in the goroutine in which they arrive. The endpoints of
// package transport/memory, for example, deliver in the goroutine of the sender. The process then needs no
// goroutine that waits in Recv.
type Pusher interface {
	election.Transport
	// Push passes everything that Recv would have returned to deliver, beginning with packets that already
	// wait, until release is called. Until then, Recv and other calls of Push receive nothing; Push waits for
	// an earlier receiver to finish. If ctx ends or the transport is closed while it waits, Push returns an
	// error.
	//
	// Packets are delivered with a nil error, each once, and in the order that the transport guarantees.
	// deliver does not wait, and calls no method of the transport. It may drop a packet that is not for the
	// process, or one packet too many, and then returns true. It returns false if the process accepts no more
	// packets: the transport then keeps the packet for the next receiver. When the transport is closed, it
	// calls deliver with the error that Recv would return.
	//
	// release waits until no call of deliver is in progress. It returns delivered packets that the process has
	// not handled to the transport, oldest first: they precede all packets that are received later.
	Push(ctx context.Context, deliver func(p election.Packet, err error) bool) (
		release func(unread []election.Packet), err error)
}
