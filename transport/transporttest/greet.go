package transporttest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
)

// ear records the hellos that one process receives.
type ear struct {
	n      *network
	mu     sync.Mutex
	heard  map[election.ID]string // the last hello of each peer
	refuse string                 // the hello that is refused
}

// accept is the function passed to Greet.
func (e *ear) accept(peer election.ID, hello []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard[peer] = string(hello)
	e.n.progress()
	if e.refuse != "" && e.refuse == string(hello) {
		return errors.New("this hello is to be refused")
	}
	return nil
}

// last returns the last hello of a peer.
func (e *ear) last(peer election.ID) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[peer]
}

// party is a network whose processes greet each other.
type party struct {
	*network
	ears   []*ear
	hellos []string // of each process
	round  uint64   // of the last packets
}

// greet sets the hello of a process, with a new accept or without.
func (p *party) greet(at int, hello string, again bool) error {
	var accept func(election.ID, []byte) error
	if again {
		accept = p.ears[at].accept
	}
	p.hellos[at] = hello
	buffer := []byte(hello)
	err := p.call("Greet", func() error {
		return p.ends[at].(transport.Greeter).Greet(buffer, accept)
	})
	clear(buffer) // it belongs to the caller
	return err
}

// join makes a process greet for the first time.
func (p *party) join(at int) error {
	p.ears[at] = &ear{n: p.network, heard: make(map[election.ID]string), refuse: fmt.Sprintf("not for %d", at)}
	return p.greet(at, fmt.Sprintf("I am %d", at), true)
}

// meet sends a packet from one process to another and back, and checks that the hellos precede them.
func (p *party) meet(when string, a, b int) error {
	for _, way := range [][2]int{{a, b}, {b, a}} {
		from, to := way[0], way[1]
		p.listen(to)
		p.round++
		packet := p.packet(from, to, election.Message{Kind: 1, Value: p.round})
		arrived, err := p.repeat(packet, func() bool { return p.has(to, packet) })
		switch heard := p.ears[to].last(p.ids[from]); {
		case err != nil:
			return err
		case !arrived:
			return p.lose("%s no packet from process %d to process %d arrives, though each accepts the hello of "+
				"the other", when, packet.From, packet.To)
		case heard != p.hellos[from]:
			return fmt.Errorf("%s a packet from process %d to process %d arrives before hello %q: the last one was %q",
				when, packet.From, packet.To, p.hellos[from], heard)
		}
	}
	return nil
}

// has reports whether a packet has arrived at a process.
func (n *network) has(at int, p election.Packet) bool {
	e := n.inboxes[at]
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts[p] > 0
}

// repeat sends a packet until a condition holds: only once, unless packets may be lost. It reports whether the
// condition holds.
func (n *network) repeat(p election.Packet, so func() bool) (bool, error) {
	from := slices.Index(n.ids, p.From)
	tries := 1
	if n.opts.Lossy {
		tries = int(n.opts.Patience / quiet)
	}
	for range tries {
		if err := n.send(n.ctx, from, p); errors.Is(err, errStuck) || err != nil && !n.opts.Lossy {
			return false, err
		}
		if n.opts.Lossy {
			n.awaitQuiet()
			if so() {
				return true, nil
			}
		}
	}
	return n.until(func() (bool, error) { return so(), nil })
}

// part makes process 1 refuse process 0, and checks that no packets pass between the two.
func (p *party) part() error {
	if err := p.greet(0, p.ears[1].refuse, false); err != nil {
		return err
	}
	p.round++
	packet := p.packet(0, 1, election.Message{Kind: 1, Value: p.round})
	heard, err := p.repeat(packet, func() bool { return p.ears[1].last(p.ids[0]) == p.hellos[0] })
	switch {
	case err != nil:
		return err
	case !heard:
		return fmt.Errorf("process %d has changed its hello to %q, and process %d never receives that", p.ids[0],
			p.hellos[0], p.ids[1])
	}
	p.awaitQuiet()
	if p.has(1, packet) {
		return fmt.Errorf("a packet from process %d arrives at process %d, which has refused the hello before it",
			p.ids[0], p.ids[1])
	}
	p.round++
	for range 10 {
		for _, way := range [][2]int{{0, 1}, {1, 0}} {
			packet := p.packet(way[0], way[1], election.Message{Kind: 1, Value: p.round})
			if err := p.send(p.ctx, way[0], packet); errors.Is(err, errStuck) || errors.Is(err, election.ErrClosed) {
				return err
			}
		}
	}
	p.awaitQuiet()
	for _, way := range [][2]int{{0, 1}, {1, 0}} {
		packet := p.packet(way[0], way[1], election.Message{Kind: 1, Value: p.round})
		if p.has(way[1], packet) {
			return fmt.Errorf("a packet from process %d to process %d arrives while process %d refuses the other",
				packet.From, packet.To, p.ids[1])
		}
	}
	return nil
}

// hello tests the method of a transport.Greeter.
func hello(n *network) error {
	p := &party{network: n, ears: make([]*ear, len(n.ids)), hellos: make([]string, len(n.ids))}
	for at := range n.ends {
		if _, ok := n.ends[at].(transport.Greeter); !ok {
			return nil
		}
	}
	for at := range n.ends {
		if err := p.join(at); err != nil {
			return err
		}
	}
	for _, step := range []func() error{
		func() error { return p.meet("at first", 0, 1) },
		func() error { return p.meet("at first", 0, 2) },
		func() error { return p.greet(0, "another hello", false) },
		func() error { return p.meet("after one has changed its hello,", 0, 1) },
		func() error { return p.meet("after one has changed its hello,", 2, 0) },
		func() error { return p.greet(1, "one more", false) },
		func() error { return p.meet("after the other has changed its hello,", 1, 0) },
		p.part,
		func() error { return p.meet("while another process refuses the first,", 0, 2) },
		func() error { return p.greet(0, "one that is accepted", false) },
		func() error { return p.meet("after the process that was refused has changed its hello,", 0, 1) },
		p.part,
		func() error { p.ears[1].forgive(); return p.greet(1, "all are welcome", false) },
		func() error { return p.meet("after the process that has refused has changed its hello,", 1, 0) },
		p.back,
		p.closed,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// forget forgets the hello of a peer.
func (e *ear) forget(peer election.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.heard, peer)
}

// forgive refuses no hello any more.
func (e *ear) forgive() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refuse = ""
}

// back makes a process recover, which knows no hello then.
func (p *party) back() error {
	if p.opts.Reopen == nil {
		return nil
	}
	if err := p.leave(2); err != nil {
		return err
	}
	p.ears[0].forget(p.ids[2]) // before the next hello, which may arrive before any packet
	if err := p.reopen(2); err != nil {
		return err
	}
	if err := p.join(2); err != nil {
		return err
	}
	return p.meet("after one has come back,", 2, 0)
}

// closed checks that a transport that is closed has no hello.
func (p *party) closed() error {
	if err := p.closeEnd(3, "of a transport that greets"); err != nil {
		return err
	}
	return refused("Greet after Close", p.greet(3, "too late", true))
}
