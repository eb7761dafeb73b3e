package transporttest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-election/election"
)

// field is a field of a packet.
type field struct {
	name string
	bits int
	set  func(p *election.Packet, v uint64)
	get  func(p *election.Packet) uint64
}

// fields returns all fields that an algorithm or a driver sets, except From and To.
func fields() []field {
	type packet = election.Packet
	return []field{
		{"Port", 32, func(p *packet, v uint64) { p.Port = election.Port(v) },
			func(p *packet) uint64 { return uint64(p.Port) }},
		{"Msg.Term", 64, func(p *packet, v uint64) { p.Msg.Term = v },
			func(p *packet) uint64 { return p.Msg.Term }},
		{"Msg.Rank.Priority", 64, func(p *packet, v uint64) { p.Msg.Rank.Priority = v },
			func(p *packet) uint64 { return p.Msg.Rank.Priority }},
		{"Msg.Rank.ID", 64, func(p *packet, v uint64) { p.Msg.Rank.ID = election.ID(v) },
			func(p *packet) uint64 { return uint64(p.Msg.Rank.ID) }},
		{"Msg.Value", 64, func(p *packet, v uint64) { p.Msg.Value = v },
			func(p *packet) uint64 { return p.Msg.Value }},
		{"Msg.Round", 32, func(p *packet, v uint64) { p.Msg.Round = uint32(v) },
			func(p *packet) uint64 { return uint64(p.Msg.Round) }},
		{"Msg.Kind", 8, func(p *packet, v uint64) { p.Msg.Kind = uint8(v) },
			func(p *packet) uint64 { return uint64(p.Msg.Kind) }},
		{"Msg.Flags", 8, func(p *packet, v uint64) { p.Msg.Flags = uint8(v) },
			func(p *packet) uint64 { return uint64(p.Msg.Flags) }},
		{"Msg.Layer", 8, func(p *packet, v uint64) { p.Msg.Layer = uint8(v) },
			func(p *packet) uint64 { return uint64(p.Msg.Layer) }},
		{"Incarnation", 64, func(p *packet, v uint64) { p.Incarnation = v },
			func(p *packet) uint64 { return p.Incarnation }},
		{"Seq", 64, func(p *packet, v uint64) { p.Seq = v },
			func(p *packet) uint64 { return p.Seq }},
	}
}

// samples returns an empty packet, a packet with every field at its maximum, packets with a single field at an
// extreme, and a packet with a different byte in every place.
func samples(empty election.Packet) []election.Packet {
	full, distinct := empty, empty
	all := []election.Packet{empty}
	for i, f := range fields() {
		f.set(&full, math.MaxUint64)
		// Different bytes in all places reveal fields that are swapped, reversed or truncated.
		f.set(&distinct, 0x0102030405060708+uint64(i)*0x1111111111111111)
		for _, v := range []uint64{1, 1 << (f.bits - 1), math.MaxUint64} {
			one := empty
			f.set(&one, v)
			all = append(all, one)
		}
	}
	return append(all, full, distinct)
}

// difference returns the names of the fields in which two packets differ.
func difference(sent, arrived election.Packet) string {
	var all []string
	note := func(name string, sent, arrived uint64) {
		if sent != arrived {
			all = append(all, fmt.Sprintf("%s was sent as %d and arrived as %d", name, sent, arrived))
		}
	}
	note("From", uint64(sent.From), uint64(arrived.From))
	note("To", uint64(sent.To), uint64(arrived.To))
	for _, f := range fields() {
		note(f.name, f.get(&sent), f.get(&arrived))
	}
	return strings.Join(all, ", ")
}

// integrity sends the samples one at a time, each after the previous one has arrived.
func integrity(n *network) error {
	sent := make(map[election.Packet]bool)
	n.listen(1)
	seen := 0
	for _, p := range samples(n.packet(0, 1, election.Message{})) {
		p = n.content(p)
		if sent[p] {
			continue // it differs only in what content leaves out
		}
		sent[p] = true
		if err := n.sendUntil(p, &seen, sent); err != nil {
			return err
		}
	}
	return nil
}

// sendUntil sends a packet to process 1 until it has arrived; only once, unless the transport is lossy.
func (n *network) sendUntil(p election.Packet, seen *int, sent map[election.Packet]bool) error {
	again := time.Duration(math.MaxInt64)
	if n.opts.Lossy {
		again = quiet
	}
	patience := time.NewTimer(n.patience())
	defer patience.Stop()
	for {
		if err := n.send(n.ctx, 0, p); errors.Is(err, errStuck) || err != nil && !n.opts.Lossy {
			return err
		}
		resend := time.NewTimer(again)
		defer resend.Stop()
		for waiting := true; waiting; {
			if arrived, err := n.arrived(p, seen, sent); arrived || err != nil {
				return err
			}
			select {
			case <-n.news:
			case <-resend.C:
				waiting = false
			case <-patience.C:
				if n.opts.Lossy {
					return fmt.Errorf("%+v never arrived, however often it was sent", p)
				}
				return n.lose("%+v never arrived", p)
			}
		}
	}
}

// arrived searches the new packets at process 1 for a packet.
func (n *network) arrived(p election.Packet, seen *int, sent map[election.Packet]bool) (bool, error) {
	e := n.inboxes[1]
	e.mu.Lock()
	defer e.mu.Unlock()
	for ; *seen < len(e.packets); *seen++ {
		one := e.packets[*seen]
		if again := sent[one] && (n.opts.Lossy || n.opts.Duplicates); one != p && !again {
			return false, fmt.Errorf("a packet was changed on its way: %s", difference(p, one))
		}
	}
	if e.err != nil {
		return false, fmt.Errorf("process %d receives no more: %w", n.ids[1], e.err)
	}
	return e.counts[p] > 0, nil
}

// forgery sends packets in the name of another process, of ID 0, and of an ID that does not exist.
func forgery(n *network) error {
	const mark = 0xbad
	n.listen(2)
	for _, name := range []election.ID{n.ids[1], n.ids[2], 0, absent} {
		p := n.packet(0, 2, election.Message{Kind: 1, Term: mark, Value: uint64(name)})
		p.From = name
		if err := n.send(n.ctx, 0, p); errors.Is(err, errStuck) || errors.Is(err, election.ErrClosed) {
			return err // any other error is a valid refusal
		}
	}
	flows := []flow{{0, 2, 0, 1}} // usually arrives after the forged packets
	if err := n.exchange(flows...); err != nil {
		return err
	}
	e := n.inboxes[2]
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.packets {
		if p.Msg.Term == mark && p.From != n.ids[0] {
			return fmt.Errorf("the sender is forged: what process %d sent in the name of %d arrived as if "+
				"from %d "+
				"(Send sets From, or Options.Trusting is declared)", n.ids[0], p.Msg.Value, p.From)
		}
	}
	return nil
}

// absent is an ID that no process has.
const absent election.ID = 4242

// absentPeer sends to processes that do not exist. Other processes must still be reachable.
func absentPeer(n *network) error {
	count := 10
	if n.opts.Capacity > 0 {
		count = min(count, n.opts.Capacity)
	}
	for range count {
		for _, to := range []election.ID{absent, 0} {
			p := election.Packet{From: n.ids[0], To: to,
				Msg: election.Message{Kind: 1, Term: math.MaxUint64}}
			err := n.send(n.ctx, 0, p)
			if err := n.endsSender(err, fmt.Sprintf("to process %d, which does not exist,", to)); err != nil {
				return err
			}
		}
	}
	flows := n.pairs(5)
	if err := n.exchange(flows...); err != nil {
		return fmt.Errorf("after Sends to a process that does not exist: %w", err)
	}
	return errors.Join(n.missing(flows), n.strange(flows))
}

// endsSender returns an error if the error of Send would end the process that sends.
func (n *network) endsSender(err error, to string) error {
	if errors.Is(err, errStuck) {
		return err
	}
	if errors.Is(err, election.ErrClosed) {
		return fmt.Errorf("sending %s gave %q: that wraps election.ErrClosed, which ends the sender", to, err)
	}
	return nil
}

// closedPeer sends to a process while it is closed and afterwards.
func closedPeer(n *network) error {
	const closes = 1
	count := 100
	if n.opts.Capacity > 0 {
		count = min(count, n.opts.Capacity/2)
	}
	to := fmt.Sprintf("to process %d, which is closed,", n.ids[closes])
	var senders []<-chan error
	for _, from := range []int{0, 2} {
		senders = append(senders, n.begin(func() error {
			for range count {
				p := n.packet(from, closes, election.Message{Kind: 1, Term: math.MaxUint64})
				if err := n.endsSender(n.ends[from].Send(n.ctx, p), to); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	if err := n.call("Close", n.ends[closes].Close); errors.Is(err, errStuck) {
		return err
	}
	for _, done := range senders {
		if err := n.wait(done, "Send "+to); err != nil {
			return err
		}
	}
	err := n.send(n.ctx, 0, n.packet(0, closes, election.Message{Kind: 1}))
	if err := n.endsSender(err, to); err != nil {
		return err
	}
	flows := []flow{{0, 2, 0, 5}, {2, 0, 0, 5}, {2, 3, 0, 5}}
	if err := n.exchange(flows...); err != nil {
		return fmt.Errorf("after process %d was closed: %w", n.ids[closes], err)
	}
	return errors.Join(n.missing(flows), n.strange(flows))
}
