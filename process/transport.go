package process

import (
	"context"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/mailbox"
)

// Pusher is a transport that can pass packets on in the goroutine in which they arrive, as the one in package
// transport/memory does in that of the sender. A process then needs no goroutine that waits in Recv.
type Pusher interface {
	election.Transport
	// Push passes whatever Recv would have returned to deliver, beginning with what waits already, until
	// release is called. Meanwhile Recv and another Push get nothing; Push itself may have to wait for those
	// that receive, and returns an error when ctx ends or the transport is closed before it is its turn.
	//
	// Packets are delivered with a nil error, each once, and in the order that the transport promises. deliver
	// does not wait, and calls no method of the transport. It returns false if the process takes no more
	// packets: the transport keeps this one for the next that receives. When the transport is closed, deliver
	// is called with the error that Recv then returns.
	//
	// release returns when no call of deliver is under way. It takes back packets that were delivered, and that
	// the process has not dealt with, oldest first: they come before all others when somebody receives again.
	Push(ctx context.Context, deliver func(p election.Packet, err error) bool) (
		release func(unread []election.Packet), err error)
}

// attach begins to receive from the transport. release ends it.
func (p *Process) attach(ctx context.Context) (release func(unread []election.Packet), err error) {
	if t, ok := p.config.Transport.(Pusher); ok {
		return t.Push(ctx, p.deliver)
	}
	ctx, cancel := context.WithCancel(ctx)
	var pump sync.WaitGroup
	pump.Go(func() {
		for p.deliver(p.config.Transport.Recv(ctx)) {
		}
	})
	return func([]election.Packet) {
		cancel()
		pump.Wait()
	}, nil
}

// deliver puts a packet into the mailbox, and returns false if the process takes no more. An error of the transport
// ends the process.
func (p *Process) deliver(in election.Packet, err error) bool {
	if err != nil {
		p.finish(err)
		return false
	}
	return p.box.Send(&entry{
		event: election.Event{Op: election.Recv, Port: in.Port, Msg: in.Msg}, from: in.From, to: in.To, number: in.Depth,
	})
}

// entry is what a process has to deal with next: a packet, a timer that has run out, or what was posted.
type entry struct {
	event    election.Event
	from, to election.ID // of a Recv
	number   uint32      // of a Recv the depth; of a Timeout the number of the ring
}

// mailboxes is what the mailboxes of all processes share: entries that are used again.
var mailboxes mailbox.Pool[entry]

// unread returns the packets of a batch.
func unread(batch *mailbox.Item[entry]) (packets []election.Packet) {
	for ; batch != nil; batch = batch.Next() {
		if e := &batch.Value; e.event.Op == election.Recv {
			packets = append(packets, election.Packet{
				From: e.from, To: e.to, Port: e.event.Port, Depth: e.number, Msg: e.event.Msg,
			})
		}
	}
	return packets
}
