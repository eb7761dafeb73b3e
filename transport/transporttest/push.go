package transporttest

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
)

// receiver is the process that receives from a transport.Pusher.
type receiver struct {
	n      *network
	at     int
	full   atomic.Bool // the receiver accepts no more packets
	closed chan error
}

func (r *receiver) deliver(p election.Packet, err error) bool {
	switch {
	case err != nil:
		select {
		case r.closed <- err:
		default: // one value is enough
		}
		return false
	case r.full.Load():
		return false
	}
	r.n.inboxes[r.at].add(r.n.content(p))
	r.n.progress()
	return true
}

// push tests the methods of a transport.Pusher: it pushes packets that wait, then packets that arrive. Packets
// that the receiver refuses or returns are received later.
func push(n *network) error {
	t, ok := n.ends[1].(transport.Pusher)
	if !ok {
		return nil
	}
	const half = 10
	r := &receiver{n: n, at: 1, closed: make(chan error, 1)}
	release, err := r.attach(t, half)
	if err != nil {
		return err
	}
	if err := n.sendValues(half+1, 2*half); err != nil {
		return err
	}
	if all, err := n.await(1, 2*half); !all {
		return errors.Join(n.lose("Push delivers fewer packets than were sent before and after it"), err)
	}
	arrived := n.inboxes[1].packets
	if err := inOrder(arrived, 1); err != nil {
		return fmt.Errorf("while pushing: %w", err)
	}
	r.full.Store(true)
	if err := n.sendValues(2*half+1, 2*half+1); err != nil {
		return err
	}
	// The last two packets were delivered but are unread, and one more was refused. Recv must return all three
	// in order.
	unread := arrived[2*half-2:]
	if err := n.call("release", func() error { release(unread); return nil }); err != nil {
		return err
	}
	var later []election.Packet
	for range len(unread) + 1 {
		p, err := n.recv(n.ctx, 1, "Recv after release of what was unread, or refused,")
		if err != nil {
			return err
		}
		later = append(later, p)
	}
	if err := inOrder(later, 2*half-1); err != nil {
		return fmt.Errorf("received after release: %w", err)
	}
	return r.close(t)
}

// attach sends some packets, with values from 1, and then starts to push.
func (r *receiver) attach(t transport.Pusher, before int) (release func([]election.Packet), err error) {
	if err := r.n.sendValues(1, before); err != nil {
		return nil, err
	}
	err = r.n.call("Push", func() (err error) {
		release, err = t.Push(r.n.ctx, r.deliver)
		return err
	})
	return release, err
}

// close closes the transport while it pushes.
func (r *receiver) close(t transport.Pusher) error {
	release, err := r.attach(t, 0)
	if err != nil {
		return err
	}
	if err := r.n.closeEnd(r.at, "while it pushes"); err != nil {
		return err
	}
	err = r.n.call("deliver, which is to be called when the transport is closed,", func() error {
		select {
		case err := <-r.closed:
			return err
		case <-r.n.ctx.Done():
			return r.n.ctx.Err()
		}
	})
	if err := refused("deliver, when the transport is closed,", err); err != nil {
		return err
	}
	return r.n.call("release after Close", func() error { release(nil); return nil })
}

// sendValues sends packets with these values from process 0 to process 1.
func (n *network) sendValues(first, last int) error {
	for v := first; v <= last; v++ {
		if err := n.send(n.ctx, 0, n.packet(0, 1, election.Message{Kind: 1, Value: uint64(v)})); err != nil {
			return err
		}
	}
	return nil
}

// inOrder returns an error unless the values of packets count up.
func inOrder(packets []election.Packet, first int) error {
	for i, p := range packets {
		if p.Msg.Value != uint64(first+i) {
			return fmt.Errorf("packet %d arrives where %d is due", p.Msg.Value, first+i)
		}
	}
	return nil
}
