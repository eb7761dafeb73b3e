package transporttest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
)

// errEarly reports that Send failed before its transport was closed.
var errEarly = errors.New("before Close, Send failed")

// refused returns an error unless err wraps election.ErrClosed.
func refused(what string, err error) error {
	switch {
	case errors.Is(err, errStuck), errors.Is(err, errEarly):
		return err
	case errors.Is(err, election.ErrClosed):
		return nil
	case err == nil:
		return fmt.Errorf("%s returned no error, where one that wraps election.ErrClosed is due", what)
	}
	return fmt.Errorf("%s returned %q, which does not wrap election.ErrClosed", what, err)
}

// closeEnd closes the transport of a process. It checks only that Close returns.
func (n *network) closeEnd(at int, while string) error {
	what := fmt.Sprintf("Close of process %d %s", n.ids[at], while)
	if err := n.call(what, n.ends[at].Close); errors.Is(err, errStuck) {
		return err
	}
	return nil
}

// isClosed returns an error unless a process can neither send nor receive any more, apart from the given number
// of packets left to receive.
func (n *network) isClosed(at, left int) error {
	if err := n.sendsNothing(at); err != nil {
		return err
	}
	var err error
	for range left + 1 {
		if _, err = n.recv(n.ctx, at, "Recv after Close"); err != nil {
			break
		}
	}
	return refused("Recv after Close", err)
}

// refusals is the number of sends over a closed transport, all of which must fail.
const refusals = 500

// sendsNothing returns an error unless every send of a closed process fails.
func (n *network) sendsNothing(at int) error {
	p := n.packet(at, 2, election.Message{Kind: 1})
	return n.call(fmt.Sprintf("Send of process %d after Close", n.ids[at]), func() error {
		for k := range refusals {
			what := "Send after Close"
			if k > 0 {
				what = fmt.Sprintf("Send number %d after Close", k+1)
			}
			if err := refused(what, n.ends[at].Send(n.ctx, p)); err != nil {
				return err
			}
			n.progress()
		}
		return nil
	})
}

// closeRecv closes a transport while several Recv wait, and a transport with packets that no Recv has returned.
func closeRecv(n *network) error {
	var blocked []<-chan error
	for range 3 {
		blocked = append(blocked, n.begin(func() error {
			_, err := n.ends[0].Recv(n.ctx)
			return err
		}))
	}
	settle()
	if err := n.closeEnd(0, "while Recv waits"); err != nil {
		return err
	}
	const what = "Recv that waits when its transport is closed"
	for _, done := range blocked {
		if err := refused(what, n.wait(done, what)); err != nil {
			return err
		}
	}
	if err := n.isClosed(0, 0); err != nil {
		return err
	}
	left := 10
	if n.opts.Capacity > 0 {
		left = min(left, n.opts.Capacity)
	}
	if err := n.sendAll([]flow{{2, 1, 0, left}}); err != nil {
		return err
	}
	settle()
	if err := n.closeEnd(1, "while packets wait"); err != nil {
		return err
	}
	if n.opts.Duplicates {
		// Duplicates may have arrived as well. No transport should create ten of each packet.
		left *= 10
	}
	return n.isClosed(1, left)
}

// closeSend closes a transport while several goroutines send over it.
func closeSend(n *network) error {
	n.listen(1)
	c := &closing{busy: make(chan struct{})}
	var senders []<-chan error
	for range 4 {
		senders = append(senders, n.begin(func() error { return c.send(n) }))
	}
	timer := time.NewTimer(n.patience())
	defer timer.Stop()
	select {
	case <-c.busy:
	case <-timer.C: // Send is waiting
	}
	err := n.closeEnd(0, "while Send is called")
	c.closed.Store(true)
	if err != nil {
		return err
	}
	for _, done := range senders {
		if err := refused("Send after Close", n.wait(done, "Send whose transport is closed")); err != nil {
			return err
		}
	}
	return n.isClosed(0, 0)
}

// closing is a transport that is being closed.
type closing struct {
	sent   atomic.Int64
	busy   chan struct{} // closed after 100 sends
	closed atomic.Bool
}

// send sends from process 0 to process 1 until Send fails, or should fail.
func (c *closing) send(n *network) error {
	for {
		// Read it before Send: a Send that started before Close may still succeed.
		late := c.closed.Load()
		err := n.ends[0].Send(n.ctx, n.packet(0, 1, election.Message{Kind: 1}))
		if late || errors.Is(err, election.ErrClosed) {
			return err
		}
		if err != nil && !n.opts.Lossy && n.opts.Capacity == 0 {
			return fmt.Errorf("%w: %w (a transport whose room is limited declares Options.Capacity)",
				errEarly, err)
		}
		// Only the hundredth Send closes the channel, so it is closed once.
		if c.sent.Add(1) == 100 {
			close(c.busy)
		}
	}
}

// parting sends packets and closes the transport immediately: packets for which Send succeeded arrive, and
// packets for which it failed do not.
func parting(n *network) error {
	flows := []flow{{0, 1, 0, 50}}
	if n.opts.Capacity > 0 {
		flows[0].count = min(flows[0].count, n.opts.Capacity)
	}
	if err := n.sendAll(flows); err != nil {
		return err
	}
	if err := n.closeEnd(0, "after Send"); err != nil {
		return err
	}
	late := flow{0, 1, 0, 20}
	if err := n.call("Send after Close", func() error {
		for k := range late.count {
			if err := refused("Send after Close",
				n.ends[0].Send(n.ctx, late.of(n, len(flows), k))); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	n.listenAll(flows)
	if n.opts.Abrupt {
		n.awaitQuiet()
	} else if err := n.awaitAll(flows); err != nil {
		return err
	}
	e := n.inboxes[1]
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.packets {
		if p.Msg.Term == uint64(len(flows)) {
			return fmt.Errorf("process %d received packet %d of those that Send refused after Close",
				n.ids[1], p.Msg.Value+1)
		}
	}
	if len(e.counts) < flows[0].count && !n.opts.Abrupt && !n.opts.Lossy {
		return n.lose("%d of %d that Send had taken before Close, which Options{Abrupt: true} allows for, "+
			"never arrived",
			flows[0].count-len(e.counts), flows[0].count)
	}
	return nil
}

// closeAgain closes one transport twice, and another one from several goroutines simultaneously. The other
// transports stay open.
func closeAgain(n *network) error {
	for range 2 {
		if err := n.closeEnd(0, "for the second time"); err != nil {
			return err
		}
	}
	var all []<-chan error
	for range 8 {
		all = append(all, n.begin(n.ends[1].Close))
	}
	for _, done := range all {
		if err := n.wait(done, "Close by several goroutines at once"); errors.Is(err, errStuck) {
			return err
		}
	}
	for at := range 2 {
		if err := n.isClosed(at, 0); err != nil {
			return err
		}
	}
	flows := []flow{{2, 3, 0, 10}, {3, 2, 0, 10}}
	if err := n.exchange(flows...); err != nil {
		return fmt.Errorf("between others than those that are closed: %w", err)
	}
	if err := n.missing(flows); err != nil {
		return fmt.Errorf("between others than those that are closed: %w", err)
	}
	return nil
}
