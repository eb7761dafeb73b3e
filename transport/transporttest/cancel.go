package transporttest

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/go-election/election"
)

// errWhy is the cause with which the suite cancels contexts.
var errWhy = errors.New("transporttest: the context has ended")

// ended returns an error unless err reports that a context has ended.
func ended(what string, err error) error {
	if errors.Is(err, errStuck) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, errWhy) {
		return nil
	}
	return fmt.Errorf("%s returned %w, not the error of its context, which has ended", what, err)
}

// cancelRecv cancels the context of Recv before a packet arrives, while it arrives, and after it has arrived.
// Each packet must be returned by a Recv that returns no error.
func cancelRecv(n *network) error {
	for _, rounds := range []func(n *network, value uint64) error{cancelBefore, cancelMeanwhile,
		cancelAfter} {
		for k := range uint64(20) {
			if err := rounds(n, k); errors.Is(err, errLost) {
				return nil // proves nothing if packets may be lost
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// errLost reports that a packet is missing. If other packets are lost too, this is not the fault of cancelRecv.
var errLost = errors.New("lost")

// waiting returns a description of the Recv under test.
func waiting(n *network) string {
	return fmt.Sprintf("Recv of process %d, whose context has ended,", n.ids[1])
}

// cancelBefore sends a packet after a Recv has been canceled.
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
	case err == nil && (n.opts.Duplicates || n.opts.Lossy): // an earlier packet, or a duplicate of one
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

// cancelMeanwhile sends a packet while a Recv is being canceled.
func cancelMeanwhile(n *network, value uint64) error {
	ctx, cancel := context.WithCancelCause(n.ctx)
	defer cancel(nil)
	var got election.Packet
	done := n.begin(func() (err error) {
		got, err = n.ends[1].Recv(ctx)
		got = n.content(got)
		return err
	})
	// In some rounds Recv is certainly waiting already, in others it may only be starting.
	if value%4 == 0 {
		settle()
	}
	go func() {
		for range value % 8 {
			// Vary whether the packet or the end of the context comes first.
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

// cancelAfter calls Recv with an ended context while a packet is waiting.
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

// gives checks the results of a Recv whose context has ended: it returns either the packet, or the error of the
// context, in which case the next Recv returns the packet.
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

// post sends a packet with a value from process 0 to process 1.
func (n *network) post(value uint64) (election.Packet, error) {
	p := n.packet(0, 1, election.Message{Kind: 1, Value: value})
	err := n.send(n.ctx, 0, p)
	if n.opts.Lossy && !errors.Is(err, errStuck) {
		err = nil
	}
	return p, err
}

// fetch receives a packet at process 1, after a Recv that returned err.
func (n *network) fetch(p election.Packet, err error, when string) error {
	if n.opts.Lossy {
		return nil // the packet may be lost
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

// cancelSend cancels the context of Send before the call, and while Send may be waiting.
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
	done := n.begin(func() error { // nobody receives
		// Send enough packets to fill any capacity that the transport declares.
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
