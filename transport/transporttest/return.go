package transporttest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-election/election"
)

// leave closes the transport of a process.
func (n *network) leave(at int) error {
	if err := n.call("Close", n.ends[at].Close); errors.Is(err, errStuck) {
		return err
	}
	return nil
}

// reopen opens the transport of a process that has left.
func (n *network) reopen(at int) error {
	end := n.opts.Reopen(n.tb, n.ids[at])
	if end == nil {
		return fmt.Errorf("Options.Reopen returned no transport for process %d", n.ids[at])
	}
	n.ends[at], n.inboxes[at] = end, n.newInbox()
	return nil
}

// comeBack closes a process and opens it again. From then on, each packet to it and from it must arrive,
// however recently another packet was refused.
func comeBack(n *network) error {
	const returns = 1
	for _, peer := range []int{0, 2} {
		n.listen(peer)
	}
	for round := range 6 {
		if err := n.leave(returns); err != nil {
			return err
		}
		// These packets may be lost or arrive later. They show the senders that the process is absent.
		for range round {
			for _, from := range []int{0, 2} {
				err := n.send(n.ctx, from, n.packet(from, returns, election.Message{Kind: 1}))
				if err := n.endsSender(err, "to a process that is closed"); err != nil {
					return err
				}
			}
			settle()
		}
		if err := n.reopen(returns); err != nil {
			return err
		}
		n.listen(returns)
		for _, peer := range []int{0, 2} {
			m := election.Message{Kind: 2, Value: uint64(round)}
			for _, p := range []election.Packet{n.packet(peer, returns, m), n.packet(returns, peer, m)} {
				if err := n.first(p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// first sends the first packet between two processes after one of them has recovered, and waits for it.
func (n *network) first(p election.Packet) error {
	from, to := slices.Index(n.ids, p.From), slices.Index(n.ids, p.To)
	if err := n.send(n.ctx, from, p); err != nil {
		return err
	}
	e := n.inboxes[to]
	arrived, err := n.until(func() (bool, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.counts[p] > 0, e.err
	})
	if err == nil && !arrived {
		err = n.lose("the first packet from process %d to process %d, after one of them has come back, "+
			"never arrived", p.From, p.To)
	}
	return err
}
