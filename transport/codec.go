package transport

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// ErrPacket: the bytes are not a packet of this version.
var ErrPacket = input.Sentinel("election", "not a packet")

// PacketSize is the length of every packet on the wire, in bytes.
const PacketSize = 80

// wireVersion is the first byte of a packet.
const wireVersion = 2

// Layout, little-endian:
//
//	 0 version   1 kind   2 flags   3 layer
//	 4 port      8 round
//	12 from     20 to    28 term   36 priority  44 id  52 value
//	60 incarnation         68 seq
//	76 CRC-32C of all preceding bytes
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendPacket appends p in the wire format to b.
func AppendPacket(b []byte, p election.Packet) []byte {
	start := len(b)
	le := binary.LittleEndian
	m := &p.Msg
	b = append(b, wireVersion, m.Kind, m.Flags, m.Layer)
	b = le.AppendUint32(b, uint32(p.Port))
	b = le.AppendUint32(b, m.Round)
	for _, v := range [...]uint64{
		uint64(p.From), uint64(p.To), m.Term, m.Rank.Priority, uint64(m.Rank.ID), m.Value,
		p.Incarnation, p.Seq,
	} {
		b = le.AppendUint64(b, v)
	}
	return le.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// ParsePacket parses a packet in the wire format. If b is too short, too long, damaged or of another version,
// the error wraps [ErrPacket].
func ParsePacket(b []byte) (election.Packet, error) {
	le := binary.LittleEndian
	switch {
	// Check the version first: another version may have another size and checksum.
	case len(b) > 0 && b[0] != wireVersion:
		return election.Packet{}, fmt.Errorf("%w: version %d, this is version %d", ErrPacket, b[0],
			wireVersion)
	case len(b) != PacketSize:
		return election.Packet{}, fmt.Errorf("%w: %d bytes instead of %d", ErrPacket, len(b), PacketSize)
	case le.Uint32(b[76:]) != crc32.Checksum(b[:76], castagnoli):
		return election.Packet{}, fmt.Errorf("%w: the checksum is wrong", ErrPacket)
	}
	return election.Packet{
		From: election.ID(le.Uint64(b[12:])), To: election.ID(le.Uint64(b[20:])),
		Port: election.Port(le.Uint32(b[4:])),
		Msg: election.Message{
			Kind: b[1], Flags: b[2], Layer: b[3],
			Round: le.Uint32(b[8:]),
			Term:  le.Uint64(b[28:]),
			Rank:  election.Rank{Priority: le.Uint64(b[36:]), ID: election.ID(le.Uint64(b[44:]))},
			Value: le.Uint64(b[52:]),
		},
		Incarnation: le.Uint64(b[60:]), Seq: le.Uint64(b[68:]),
	}, nil
}
