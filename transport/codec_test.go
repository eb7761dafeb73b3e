package transport_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport"
)

func fullPacket() election.Packet {
	return election.Packet{
		From: 1<<63 + 2, To: 3, Port: 1<<31 + 4,
		Msg: election.Message{Term: 6 << 40, Rank: election.Rank{Priority: 7 << 41, ID: 8 << 42},
			Value: 9 << 43,
			Round: 10 << 20, Kind: 200, Flags: 201, Layer: 202},
		Incarnation: 11 << 44, Seq: 12 << 45,
	}
}

func TestPacketRoundTrip(t *testing.T) {
	for _, p := range []election.Packet{{}, fullPacket()} {
		b := transport.AppendPacket([]byte("before"), p)
		require.Len(t, b, len("before")+transport.PacketSize)
		got, err := transport.ParsePacket(b[len("before"):])
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
}

// TestPacketWireFormat pins the layout: another release, another language, must read it.
func TestPacketWireFormat(t *testing.T) {
	b := transport.AppendPacket(nil, election.Packet{From: 1, To: 2, Port: 3, Msg: election.Message{
		Term: 5, Rank: election.Rank{Priority: 6, ID: 7}, Value: 8, Round: 9, Kind: 10, Flags: 11,
		Layer: 12}, Incarnation: 13, Seq: 14})
	require.Equal(t, []byte{
		2, 10, 11, 12, 3, 0, 0, 0, 9, 0, 0, 0,
		1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
		5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
		7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0,
		13, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0, 0,
	}, b[:76])
	require.Len(t, b, 80)
}

func TestPacketRefused(t *testing.T) {
	good := transport.AppendPacket(nil, fullPacket())
	other := bytes.Clone(good)
	other[0] = 1
	for _, tt := range []struct {
		name string
		in   []byte
		want string
	}{
		{"empty", nil, "0 bytes instead of 80"},
		{"short", good[:79], "79 bytes instead of 80"},
		{"long", append(bytes.Clone(good), 0), "81 bytes instead of 80"},
		{"another version", other, "version 1, this is version 2"},
		{"one byte of another version", other[:1], "version 1, this is version 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := transport.ParsePacket(tt.in)
			require.ErrorIs(t, err, transport.ErrPacket)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// TestPacketDamaged: no flip of any single bit goes unnoticed.
func TestPacketDamaged(t *testing.T) {
	good := transport.AppendPacket(nil, fullPacket())
	for bit := range 8 * len(good) {
		bad := bytes.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		_, err := transport.ParsePacket(bad)
		require.ErrorIs(t, err, transport.ErrPacket, "bit %d", bit)
	}
}

func FuzzParsePacket(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(transport.AppendPacket(nil, election.Packet{}))
	f.Add(transport.AppendPacket(nil, fullPacket()))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := transport.ParsePacket(b)
		if err != nil {
			require.ErrorIs(t, err, transport.ErrPacket)
			return
		}
		require.Equal(t, b, transport.AppendPacket(nil, p), "what is read must be written the same")
	})
}

func TestPacketAllocations(t *testing.T) {
	b, p := make([]byte, 0, transport.PacketSize), fullPacket()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if got, err := transport.ParsePacket(transport.AppendPacket(b, p)); err != nil || got != p {
			panic("wrong")
		}
	}))
}
