package transporttest

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/go-election/election"
)

// errWhy is why contexts end here.
var errWhy = errors.New("transporttest: the context has ended")

// ended returns an error unless err says that a context has.
func ended(what string, err error) error {
	if errors.Is(err, errStuck) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, errWhy) {
		return nil
	}
	return fmt.Errorf("%s returned %w, not the error of its context, which has ended", what, err)
}

// cancelRecv ends the context of Recv before a packet comes, at the same time, and when one is there
// already. Each packet must come with a Recv that returns no error.
func cancelRecv(n *network) error {
	for _, rounds := range []func(n *network, value uint64) error{cancelBefore, cancelMeanwhile,
		cancelAfter} {
		for k := range uint64(20) {
			if err := rounds(n, k); errors.Is(err, errLost) {
				return nil // where packets are lost this proves nothing
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// errLost says that a packet is missing, which may be as lost as others.
var errLost = errors.New("lost")

// waiting names the Recv that is tried here.
func waiting(n *network) string {
	return fmt.Sprintf("Recv of process %d, whose context has ended,", n.ids[1])
}

// cancelBefore: a packet comes when a Recv has given up.
func cancelBefore(n *network, value uint64) error {
	ctx, cancel := context.WithCancelCause(n.ctx)
	defer cancel(nil)
	done := n.begin(func() error {
		_, err := n.ends[1].Recv(ctx)
		return err
	})
	settle()
	cancel(errWhy)
	err := n.wait(done, waiting(n))
	switch {
	case err == nil && (n.opts.Duplicates || n.opts.Lossy): // an earlier one, or a copy of it
	case err == nil:
		return fmt.Errorf("process %d received a packet that no process has sent", n.ids[1])
	default:
		if err := ended(waiting(n), err); err != nil {
			return err
		}
	}
	p, failed := n.post(value)
	if failed != nil {
		return failed
	}
	return n.fetch(p, err, "sent after a Recv had returned the error of its context")
}

// cancelMeanwhile: a packet comes when a Recv gives up.
func cancelMeanwhile(n *network, value uint64) error {
	ctx, cancel := context.WithCancelCause(n.ctx)
	defer cancel(nil)
	var got election.Packet
	done := n.begin(func() (err error) {
		got, err = n.ends[1].Recv(ctx)
		return err
	})
	// In some rounds the Recv surely waits already, in others it may just begin.
	if value%4 == 0 {
		settle()
	}
	go func() {
		for range value % 8 {
			// Vary which comes first, the packet or the end of the context.
			runtime.Gosched()
		}
		cancel(errWhy)
	}()
	p, failed := n.post(100 + value)
	err := n.wait(done, waiting(n))
	if failed != nil {
		return failed
	}
	return n.gives(p, got, err, "sent while the context of a Recv ended")
}

// cancelAfter: a packet is there when a Recv comes whose context has ended.
func cancelAfter(n *network, value uint64) error {
	p, err := n.post(200 + value)
	if err != nil {
		return err
	}
	settle()
	ctx, cancel := context.WithCancelCause(n.ctx)
	cancel(errWhy)
	got, err := n.recv(ctx, 1, waiting(n))
	return n.gives(p, got, err, "there when a Recv came whose context had ended")
}

// gives judges what a Recv returned whose context has ended: either the packet, or the error of the context,
// and then the next Recv returns the packet.
func (n *network) gives(p, got election.Packet, err error, when string) error {
	if err == nil && got == p {
		return nil
	}
	if err != nil {
		if err := ended(waiting(n), err); err != nil {
			return err
		}
	}
	return n.fetch(p, err, when)
}

// post sends a packet with a value from process 0 to 1.
func (n *network) post(value uint64) (election.Packet, error) {
	p := n.packet(0, 1, election.Message{Kind: 1, Value: value})
	err := n.send(n.ctx, 0, p)
	if n.opts.Lossy && !errors.Is(err, errStuck) {
		err = nil
	}
	return p, err
}

// fetch receives a packet at process 1. That returned err before.
func (n *network) fetch(p election.Packet, err error, when string) error {
	if n.opts.Lossy {
		return nil // it may be lost
	}
	for {
		got, failed := n.recv(n.ctx, 1, "the next Recv")
		switch {
		case errors.Is(failed, errStuck) && n.opts.losses.Load():
			return errLost
		case errors.Is(failed, errStuck):
			return fmt.Errorf("a Recv that returned an error (%v) has consumed a packet, which was %s, or "+
				"the packet was lost (see Loss): %w", err, when, failed)
		case failed != nil:
			return fmt.Errorf("the next Recv after one whose context had ended: %w", failed)
		case got == p:
			return nil
		case !n.opts.Duplicates:
			return fmt.Errorf("the next Recv returned a packet that is not the one %s: %s", when,
				difference(p, got))
		}
	}
}

// cancelSend ends the context of Send before it, and while it may wait.
func cancelSend(n *network) error {
	ctx, cancel := context.WithCancelCause(n.ctx)
	cancel(errWhy)
	p := n.packet(0, 1, election.Message{Kind: 1})
	what := "Send whose context has ended"
	err := n.call(what, func() error { return n.ends[0].Send(ctx, p) })
	if err != nil {
		if err = ended(what, err); err != nil {
			return err
		}
	}
	ctx, cancel = context.WithCancelCause(n.ctx)
	defer cancel(nil)
	done := n.begin(func() error { // without a receiver
		// Enough packets to fill any room that the transport declares.
		for range n.opts.Capacity + 1000 {
			err := n.ends[0].Send(ctx, p)
			if ctx.Err() != nil {
				return err
			}
		}
		return nil
	})
	settle()
	cancel(errWhy)
	what = "Send that may wait while its context ends"
	if err = n.wait(done, what); err == nil {
		return nil
	}
	return ended(what, err)
}
