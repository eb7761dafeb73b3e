package tcp

import (
	"encoding/binary"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// errFrame reports that the peer has sent what no process of this version sends.
var errFrame = input.Sentinel("election", "not a frame")

// The kinds of frames. A frame begins with a varint: its kind in the low three bits, and above them the number of a
// group, or zero if the frame concerns the connection. Each process numbers its own groups.
const (
	kindPacket   = iota // a packet for this group of the receiver
	kindAnnounce        // the sender has opened this group of its own: its name and hello
	kindLeave           // the sender has closed this group of its own: its name
	kindAnswer          // the sender accepts or refuses this group of the receiver
	kindPing
	kindPong
	kindMove // the next frame comes on the connection that renews this one
	kindEnd  // no frame follows: the sender closes its network
	kindBits = 3
)

// MaxHello is the largest length of the hello of a group, in bytes.
const MaxHello = 64 << 10

// MaxName is the largest length of the name of a group or a process, in bytes.
const MaxName = 255

const (
	maxReason = 1024                       // bytes of the text of a refusal
	maxFrames = 64 + 2*MaxName + maxReason // bytes of the frames of a group except packets and the hello
	maxFrame  = maxFrames + MaxHello       // bytes of a frame
	maxPacket = 10 + 2 + 10*fields         // bytes of a packet
)

// fields is the number of fields of a packet. From and To are known from the connection.
const fields = 11

// vector is a packet as numbers. Fields that change most often come first, so that their bits fit into the first
// byte of the mask.
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

// widest contains the largest value of each field.
var widest = vector{
	atRound: 1<<32 - 1, atKind: 1<<8 - 1, atValue: 1<<64 - 1, atTerm: 1<<64 - 1,
	atPort: 1<<32 - 1, atSeq: 1<<64 - 1, atID: 1<<64 - 1, atPriority: 1<<64 - 1, atFlags: 1<<8 - 1,
	atLayer: 1<<8 - 1, atIncarnation: 1<<64 - 1,
}

// numbers returns a packet as a vector.
func numbers(p *election.Packet) vector {
	return vector{
		atRound: uint64(p.Msg.Round), atKind: uint64(p.Msg.Kind), atValue: p.Msg.Value, atTerm: p.Msg.Term,
		atPort: uint64(p.Port), atSeq: p.Seq, atID: uint64(p.Msg.Rank.ID),
		atPriority: p.Msg.Rank.Priority, atFlags: uint64(p.Msg.Flags), atLayer: uint64(p.Msg.Layer),
		atIncarnation: p.Incarnation,
	}
}

// packet returns a vector as a packet.
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

// appendPacket appends a packet for a group, and stores it in last.
//
// Only the changes since the last packet of the group are sent: a heartbeat, in which Round and Seq are one larger,
// takes four or five bytes instead of about forty. Seq is expected to grow by one, and then takes none.
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

// appendText appends a length and as many bytes.
func appendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// reader reads numbers and texts from the bytes of a frame. If there are too few of them, short is true.
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

// whole reports whether everything so far was there, and right.
func (r *reader) whole() bool { return !r.short && r.err == nil }

// number reads a varint.
func (r *reader) number() uint64 {
	if !r.whole() {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.at:])
	switch {
	case n == 0:
		r.short = true
		return 0
	// There is one way to write a number. Another way is a sign that the two ends are out of step.
	case n < 0 || n > 1 && r.b[r.at+n-1] == 0:
		r.fail("a number of more than 64 bits, or with zeros in front")
		return 0
	}
	r.at += n
	return v
}

// text reads a length and as many bytes, which the caller does not keep.
func (r *reader) text(most int) []byte {
	n := r.number()
	switch {
	case n > uint64(most):
		r.fail("a text of %d bytes, at most %d", n, most)
	case uint64(len(r.b)-r.at) < n:
		r.short = true
	}
	if !r.whole() {
		return nil
	}
	r.at += int(n)
	return r.b[r.at-int(n) : r.at : r.at]
}

// packet reads what appendPacket has appended behind the head, and changes last only if all of it is there. If last
// is nil, the packet is for a group that is closed, and is skipped.
func (r *reader) packet(last *vector) {
	var v vector
	if last != nil {
		v = *last
	}
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
		if v[i] += uint64(int64(change>>1) ^ -int64(change&1)); r.whole() && last != nil &&
			(change == 0 || v[i] > widest[i]) {
			r.fail("field %d does not change, or is out of range", i)
		}
	}
	if r.whole() && last != nil {
		*last = v
	}
}
