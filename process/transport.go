package process

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/transport"
)

// attach begins to receive from the transport. release ends it.
func (p *Process) attach(ctx context.Context) (release func(unread []election.Packet), err error) {
	if t, ok := p.config.Transport.(transport.Pusher); ok {
		if release, err = t.Push(ctx, p.deliver); err == nil && release == nil {
			err = p.fails(fmt.Errorf("%w: its transport returned neither a release nor an error", election.ErrClosed))
		}
		return release, err
	}
	// A goroutine of its own waits in Recv. If the one that runs the process did, every timer and every Post
	// would have to end that Recv by its context, in the hope that the transport then loses no packet.
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

// deliver puts a packet into the mailbox, and returns false if the process takes no more. An error of the
// transport ends the process.
func (p *Process) deliver(in election.Packet, err error) bool {
	if err != nil {
		p.finish(err)
		return false
	}
	return p.box.Send(&entry{
		event: election.Event{Op: election.Recv, Port: in.Port, Msg: in.Msg}, from: in.From, to: in.To,
		number: in.Depth,
	})
}

// entry is what a process has to deal with next: a packet, a timer that has run out, or what was posted.
type entry struct {
	event    election.Event
	from, to election.ID // of a Recv
	number   uint32      // of a Recv the depth; of a Timeout that of the expiry
}

// mailboxes is what the mailboxes of all processes share: entries that are used again.
var mailboxes mailbox.Pool[entry]

// packets returns those of a batch.
func packets(batch *mailbox.Item[entry]) (list []election.Packet) {
	for ; batch != nil; batch = batch.Next() {
		if e := &batch.Value; e.event.Op == election.Recv {
			list = append(list, election.Packet{
				From: e.from, To: e.to, Port: e.event.Port, Depth: e.number, Msg: e.event.Msg,
			})
		}
	}
	return list
}
