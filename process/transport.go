package process

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/transport"
)

// attach starts to receive from the transport. release stops it.
func (p *Process) attach(ctx context.Context) (release func(unread []election.Packet), err error) {
	if t, ok := p.config.Transport.(transport.Pusher); ok {
		if release, err = t.Push(ctx, p.deliver); err == nil && release == nil {
			err = p.fails(fmt.Errorf("%w: its transport returned neither a release nor an error",
				election.ErrClosed))
		}
		return release, err
	}
	// Recv waits in a goroutine of its own. If the goroutine of the process waited in Recv, every timer and
	// every Start would have to interrupt it by its context, and the transport might lose a packet each time.
	var pump sync.WaitGroup
	pump.Go(func() { p.pump(ctx) })
	// finish, which is called before release, has canceled ctx.
	return func([]election.Packet) { pump.Wait() }, nil
}

// pump receives until the process accepts no more packets, or ctx ends.
func (p *Process) pump(ctx context.Context) {
	defer func() { // run cannot recover a panic in this goroutine
		if what := recover(); what != nil {
			p.finish(p.panicked(false, what))
		}
	}()
	// Check ctx here, because deliver also returns true for packets that it drops: a Recv that always returns a
	// packet of a stranger, and ignores its context, would keep pump running forever.
	for ctx.Err() == nil {
		in, err := p.config.Transport.Recv(ctx)
		if err == nil {
			p.awaitRoom(ctx, &in)
		}
		if !p.deliver(in, err) {
			return
		}
	}
}

// awaitRoom waits until another packet of this link may wait for the process, or ctx ends.
func (p *Process) awaitRoom(ctx context.Context, in *election.Packet) {
	port, ok := p.arrives(in)
	for ok && p.roster.Load().waiting[port].Load() >= int64(p.config.Backlog) && ctx.Err() == nil {
		select {
		case <-p.room:
		case <-ctx.Done():
		}
	}
}

// leaves records that a packet no longer waits.
func (p *Process) leaves(port election.Port) {
	if p.roster.Load().waiting[port].Add(-1) == int64(p.config.Backlog)-1 {
		select {
		case p.room <- struct{}{}:
		default: // awaitRoom will find the earlier value
		}
	}
}

// deliver puts a packet into the mailbox, and returns false if the process accepts no more. An error of the
// transport ends the process.
func (p *Process) deliver(in election.Packet, err error) bool {
	if err != nil {
		p.finish(err)
		return false
	}
	port, ok := p.arrives(&in)
	if !ok {
		p.dropped.Add(1)
		if p.config.Rank != nil && in.To == p.config.Self.ID {
			return true // a process that may become a peer
		}
		p.warn(warnDropped, "packet dropped: it is for another process, or no link leads to its sender; "+
			"are Self and Peers right at both ends?", "peer", p.config.called(in.From), "to",
			p.config.called(in.To), "port", uint32(in.Port))
		return true
	}
	if waiting := p.roster.Load().waiting[port]; waiting.Add(1) > int64(p.config.Backlog) {
		waiting.Add(-1)
		p.overflow.Add(1)
		p.warn(warnOverflow, "packet dropped: as many as Backlog of its link wait", "peer",
			p.config.called(in.From), "backlog", p.config.Backlog)
		return true
	}
	return p.box.Send(&entry{
		event: election.Event{Op: election.Recv, Port: port, Msg: in.Msg}, from: in.From, sent: in.Port,
		incarnation: in.Incarnation, seq: in.Seq,
	})
}

// arrives returns the port over which a packet arrives, or false if it is for another process or does not come
// from a peer that may send to this one.
func (p *Process) arrives(in *election.Packet) (port election.Port, ok bool) {
	known := p.roster.Load()
	if known.ports != nil {
		port, ok = known.ports[in.From]
	} else {
		// Two links of a ring may lead to the same peer. Packets that the peer sends clockwise arrive
		// counterclockwise.
		port = in.Port ^ 1
		ok = port < election.Port(len(known.peers)) && known.peers[port].ID == in.From &&
			!(p.config.OneWay && port == election.Clockwise)
	}
	return port, ok && in.To == p.config.Self.ID
}

// entry is an event that the process has to handle: a packet, an expired timer, or an external event.
type entry struct {
	event  election.Event
	from   election.ID   // of a Recv
	sent   election.Port // Recv: the sender
	number uint32        // of the expiry, for Timeout

	incarnation, seq uint64 // Recv only
}

// mailboxes is the pool of entries that the mailboxes of all processes share.
var mailboxes mailbox.Pool[entry]

// packets returns the packets of a batch.
func (p *Process) packets(batch *mailbox.Item[entry]) (list []election.Packet) {
	for ; batch != nil; batch = batch.Next() {
		if e := &batch.Value; e.event.Op == election.Recv {
			list = append(list, election.Packet{
				From: e.from, To: p.config.Self.ID, Port: e.sent, Msg: e.event.Msg,
				Incarnation: e.incarnation, Seq: e.seq,
			})
		}
	}
	return list
}
