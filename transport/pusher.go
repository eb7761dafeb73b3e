package transport

import (
	"context"

	"github.com/go-election/election"
)

// Pusher is a transport that can pass packets on in the goroutine in which they arrive, as the one in package
// transport/memory does in that of the sender. A process then needs no goroutine that waits in Recv.
type Pusher interface {
	election.Transport
	// Push passes whatever Recv would have returned to deliver, beginning with what waits already, until
	// release is called. Meanwhile Recv and another Push get nothing; Push itself may have to wait for a
	// receiver. It returns an error if ctx ends, or the transport is closed, while it waits.
	//
	// Packets are delivered with a nil error, each once, and in the order that the transport promises.
	// deliver does not wait, and calls no method of the transport. It may drop a packet that is not for the
	// process, or one too many, and then returns true. It returns false if the process takes no more
	// packets: the transport keeps this one for the next receiver. When the transport is closed, deliver is
	// called with the error that Recv then returns.
	//
	// release returns when no call of deliver is under way. It takes back packets that were delivered, and
	// that the process has not dealt with, oldest first: they come before all others that are received
	// later.
	Push(ctx context.Context, deliver func(p election.Packet, err error) bool) (
		release func(unread []election.Packet), err error)
}
