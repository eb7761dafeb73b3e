package tcp

import (
	"encoding/binary"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// errFrame: the peer has sent what no process of this version sends.
var errFrame = input.Sentinel("election", "not a frame")

// The kinds of frames. A frame begins with a varint: its kind in the low three bits, above them the number
// that the dialler has given to the group, or zero where the frame is about the connection.
const (
	kindPacket   = iota // dialler: a packet, as a change to the one before
	kindAnnounce        // dialler: this number stands for this group
	kindLeave           // dialler: the group is closed, the number is not used again
	kindOpen            // acceptor: the group is open here too; packets may come
	kindRefuse          // acceptor: the group is closed here, or not for this peer
	kindAck             // acceptor: so much of the group's packets has been taken from the queue
	kindPing            // both
	kindPong            // both
	kindBits     = 3
)

// MaxHello is how many bytes [GroupConfig.Hello] may have.
const MaxHello = 4096

// MaxName is how many bytes the name of a group may have.
const MaxName = 255

const (
	maxReason = 1024 // bytes of the text of a refusal
	maxFrame  = 32 + MaxName + maxReason + MaxHello
)

// fields is the number of fields of a packet on a connection, which itself says From and To.
const fields = 11

// vector is a packet as numbers. Those that change most often come first, so that their bits fit into the
// first byte of the mask.
type vector [fields]uint64

// Places in a vector.
const (
	atRound = iota
	atKind
	atValue
	atTerm
	atPort
	atSeq
	atID
	atPriority
	atFlags
	atLayer
	atIncarnation
)

// widest are the largest values of the fields.
var widest = vector{
	atRound: 1<<32 - 1, atKind: 1<<8 - 1, atValue: 1<<64 - 1, atTerm: 1<<64 - 1,
	atPort: 1<<32 - 1, atSeq: 1<<64 - 1, atID: 1<<64 - 1, atPriority: 1<<64 - 1, atFlags: 1<<8 - 1,
	atLayer: 1<<8 - 1, atIncarnation: 1<<64 - 1,
}

// numbers returns a packet as numbers.
func numbers(p *election.Packet) vector {
	return vector{
		atRound: uint64(p.Msg.Round), atKind: uint64(p.Msg.Kind), atValue: p.Msg.Value, atTerm: p.Msg.Term,
		atPort: uint64(p.Port), atSeq: p.Seq, atID: uint64(p.Msg.Rank.ID),
		atPriority: p.Msg.Rank.Priority, atFlags: uint64(p.Msg.Flags), atLayer: uint64(p.Msg.Layer),
		atIncarnation: p.Incarnation,
	}
}

// packet returns the packet of these numbers.
func (v *vector) packet(from, to election.ID) election.Packet {
	return election.Packet{From: from, To: to, Port: election.Port(v[atPort]),
		Msg: election.Message{Term: v[atTerm],
			Rank:  election.Rank{Priority: v[atPriority], ID: election.ID(v[atID])},
			Value: v[atValue], Round: uint32(v[atRound]), Kind: uint8(v[atKind]), Flags: uint8(v[atFlags]),
			Layer: uint8(v[atLayer])},
		Incarnation: v[atIncarnation], Seq: v[atSeq]}
}

// appendHead begins a frame.
func appendHead(b []byte, kind uint8, group uint64) []byte {
	return binary.AppendUvarint(b, group<<kindBits|uint64(kind))
}

// appendPacket appends a packet of a group, and notes it as the last one.
//
// A packet is coded by what differs from the last one of its group: a heartbeat, whose Round and Seq count
// up, takes four or five bytes instead of 80. Seq is expected to grow by one and then takes none.
func appendPacket(b []byte, group uint64, p *election.Packet, last *vector) []byte {
	b = appendHead(b, kindPacket, group)
	v := numbers(p)
	last[atSeq]++
	mask := uint64(0)
	for i := range v {
		if v[i] != last[i] {
			mask |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, mask)
	for i := range v {
		if v[i] != last[i] {
			b = binary.AppendVarint(b, int64(v[i]-last[i]))
		}
	}
	*last = v
	return b
}

// reader reads numbers and texts from the bytes of a frame. short: there are too few of them.
type reader struct {
	b     []byte
	at    int
	short bool
	err   error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", errFrame, fmt.Sprintf(format, args...))
	}
}

// number reads a varint.
func (r *reader) number() uint64 {
	if r.short || r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.at:])
	switch {
	case n == 0:
		r.short = true
		return 0
	// There is one way to write a number: the other ways are signs that the two ends are out of step.
	case n < 0 || n > 1 && r.b[r.at+n-1] == 0:
		r.fail("a number of more than 64 bits, or with zeros in front")
		return 0
	}
	r.at += n
	return v
}

// text reads a length and as many bytes, which stay those of the frame.
func (r *reader) text(most int) []byte {
	n := r.number()
	switch {
	case n > uint64(most):
		r.fail("a text of %d bytes, at most %d", n, most)
	case uint64(len(r.b)-r.at) < n:
		r.short = true
	}
	if r.short || r.err != nil {
		return nil
	}
	r.at += int(n)
	return r.b[r.at-int(n) : r.at : r.at]
}

// packet reads what appendPacket has written behind the head, and changes last only if all of it is there.
func (r *reader) packet(last *vector) {
	v := *last
	v[atSeq]++
	mask := r.number()
	if mask >= 1<<fields {
		r.fail("a packet of more than %d fields", fields)
	}
	for i := range v {
		if mask&(1<<i) == 0 {
			continue
		}
		change := r.number()
		if r.short || r.err != nil {
			return
		}
		v[i] += uint64(int64(change>>1) ^ -int64(change&1))
		if change == 0 || v[i] > widest[i] {
			r.fail("field %d does not change, or is out of range", i)
		}
	}
	if !r.short && r.err == nil {
		*last = v
	}
}

// announcement is what a dialler says of one of its groups.
type announcement struct {
	name, hello []byte
	reliable    bool
}

func (a *announcement) append(b []byte, group uint64) []byte {
	b = appendHead(b, kindAnnounce, group)
	reliable := uint64(0)
	if a.reliable {
		reliable = 1
	}
	b = binary.AppendUvarint(b, reliable)
	return appendText(appendText(b, a.name), a.hello)
}

func (r *reader) announcement() (a announcement) {
	reliable := r.number()
	if reliable > 1 {
		r.fail("mode %d", reliable)
	}
	a.reliable = reliable == 1
	a.name, a.hello = r.text(MaxName), r.text(MaxHello)
	return a
}

// opening is the answer to an announcement where the group is open.
type opening struct {
	instance uint64 // the number of the group at the acceptor
	received uint64 // how many packets of this stream have arrived there, over earlier connections
	window   uint64 // how many more than were taken may be under way, where the group is reliable
	hello    []byte
}

func (o *opening) append(b []byte, group uint64) []byte {
	b = appendHead(b, kindOpen, group)
	for _, v := range [...]uint64{o.instance, o.received, o.window} {
		b = binary.AppendUvarint(b, v)
	}
	return appendText(b, o.hello)
}

func (r *reader) opening() (o opening) {
	o.instance, o.received, o.window = r.number(), r.number(), r.number()
	o.hello = r.text(MaxHello)
	return o
}

// refusal is the answer where it is not. Without a reason the group is just closed.
type refusal struct {
	received      uint64 // how many packets of the stream arrived before the group was closed
	reason, hello []byte
	stranger      bool // the reason is that the peer is no member
}

func (f *refusal) append(b []byte, group uint64) []byte {
	b = binary.AppendUvarint(appendHead(b, kindRefuse, group), f.received)
	return appendText(appendReason(b, f.reason, f.stranger), f.hello)
}

func (r *reader) refusal() (f refusal) {
	f.received = r.number()
	f.reason, f.stranger = r.reason()
	f.hello = r.text(MaxHello)
	return f
}

func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// appendReason codes why a peer is refused, if it is.
func appendReason(b, reason []byte, stranger bool) []byte {
	b = appendText(b, reason[:min(len(reason), maxReason)])
	switch {
	case len(reason) == 0:
		return b
	case stranger:
		return append(b, 1)
	}
	return append(b, 0)
}

func (r *reader) reason() (text []byte, stranger bool) {
	if text = r.text(maxReason); len(text) == 0 {
		return text, false
	}
	kind := r.number()
	if kind > 1 {
		r.fail("refusal of kind %d", kind)
	}
	return text, kind == 1
}

// appendAck says how many packets of a group have been taken from the queue.
func appendAck(b []byte, group, taken uint64) []byte {
	return binary.AppendUvarint(appendHead(b, kindAck, group), taken)
}
