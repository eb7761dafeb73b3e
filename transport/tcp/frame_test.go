package tcp

import (
	"bytes"
	"log/slog"
	"math"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// samples are packets of which each differs from the one before in another way.
func samples() []election.Packet {
	beat := election.Packet{From: 1, To: 2, Port: 3, Msg: election.Message{Term: 7,
		Rank: election.Rank{Priority: 5, ID: 1}, Value: 1 << 60, Round: 100, Kind: 4, Layer: 1},
		Incarnation: 0x0123456789abcdef, Seq: 1}
	next := beat
	next.Seq, next.Msg.Round = 2, 101
	full := election.Packet{From: 1, To: 2, Port: math.MaxUint32,
		Msg: election.Message{
			Term: math.MaxUint64, Rank: election.Rank{Priority: math.MaxUint64, ID: math.MaxUint64},
			Value: math.MaxUint64, Round: math.MaxUint32, Kind: 255, Flags: 255, Layer: 255},
		Incarnation: math.MaxUint64, Seq: math.MaxUint64}
	empty := election.Packet{From: 1, To: 2}
	return []election.Packet{beat, next, full, empty, full, beat, empty, empty}
}

// TestPackets: whatever is coded is read, and a cut frame is one that is not whole yet.
func TestPackets(t *testing.T) {
	var out, in vector
	for i, p := range samples() {
		b := appendPacket(nil, 5, &p, &out)
		require.LessOrEqual(t, len(b), maxPacket)
		for size := range b {
			r := reader{b: b[:size]}
			before := in
			r.number()
			r.packet(&in)
			require.True(t, r.short && r.err == nil, "%d bytes of packet %d", size, i)
			require.Equal(t, before, in)
		}
		r := reader{b: b}
		require.Equal(t, uint64(5<<kindBits), r.number())
		r.packet(&in)
		require.NoError(t, r.err)
		require.Equal(t, len(b), r.at)
		require.Equal(t, p, in.packet(1, 2))
	}
}

// TestHeartbeat: where only Round and Seq count up, a packet takes at most 8 bytes among a million groups.
func TestHeartbeat(t *testing.T) {
	var last vector
	p := samples()[0]
	appendPacket(nil, 1<<20, &p, &last)
	p.Seq, p.Msg.Round = p.Seq+1, p.Msg.Round+1
	require.Len(t, appendPacket(nil, 1, &p, &last), 3)
	p.Seq, p.Msg.Round = p.Seq+40, p.Msg.Round+1000 // after a pause
	require.Len(t, appendPacket(nil, 1<<20, &p, &last), 8)
}

// wired returns a connection to a peer, as the side that has dialled or the other one, and its group.
func wired(tb testing.TB, dialled bool) (*conn, *Group) {
	n := &Network{config: Config{Self: 2, Queue: 4, MaxGroups: 4, MaxAge: time.Second, Timeout: time.Second},
		log: slog.New(slog.DiscardHandler), groups: make(map[string]*Group), began: time.Now(),
		said: make(map[string]time.Duration)}
	p := &peer{net: n, id: 1, wanted: make(chan struct{}, 1), lanes: make(map[uint64]*lane),
		turns: make(chan struct{}, 1)}
	n.peers = map[election.ID]*peer{1: p}
	ours, theirs := net.Pipe()
	tb.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	c := newConn(n, p, wire{nc: ours, raw: counted{ours, &n.stats}}, dialled, 9)
	g := newGroup(n, "g", 1, GroupConfig{Reliable: true})
	n.groups["g"] = g
	p.join(g.lanes[1])
	if dialled {
		p.adopt(c)
		c.collect(nil) // announces
	}
	return c, g
}

// TestFrameErrors: what no process sends is an error that says so.
func TestFrameErrors(t *testing.T) {
	announce := (&announcement{name: []byte("g"), reliable: true}).append(nil, 1)
	more := bytes.Clone(announce)
	for i := range uint64(5) {
		more = (&announcement{name: []byte("h")}).append(more, i+2)
	}
	many := bytes.Clone(announce)
	for range 5 {
		many = append(many, 1<<kindBits, 0)
	}
	open := (&opening{instance: 1, window: 1}).append(nil, 1)
	for name, tt := range map[string]struct {
		dialled bool
		frames  []byte
		want    string
	}{
		"unknown group": {false, []byte{1 << kindBits, 0},
			"a packet of group 1, which was not announced"},
		"unknown group leaves": {false, []byte{1<<kindBits | kindLeave},
			"group 1 leaves, which was not announced"},
		"14 fields": {false, slices.Concat(announce, []byte{1 << kindBits, 0x80, 0x20}),
			"a packet of more than 11 fields"},
		"no change": {false, slices.Concat(announce, []byte{1 << kindBits, 1, 0}),
			"field 0 does not change, or is out of range"},
		"out of range": {false, slices.Concat(announce, []byte{1 << kindBits, 1, 1}),
			"field 0 does not change, or is out of range"},
		"zeros in front": {false, []byte{0x80, 0x00}, "zeros in front"},
		"65 bits":        {false, bytes.Repeat([]byte{0xff}, 11), "more than 64 bits"},
		"mode":           {false, []byte{1<<kindBits | kindAnnounce, 2, 1, 'g', 0}, "mode 2"},
		"long name": {false, []byte{1<<kindBits | kindAnnounce, 1, 0x80, 2},
			"a text of 256 bytes, at most 255"},
		"long hello": {false, []byte{1<<kindBits | kindAnnounce, 1, 1, 'g', 0x81, 0x20},
			"a text of 4097 bytes, at most 4096"},
		"too many groups":  {false, more, "more than 4 groups"},
		"too many packets": {false, many, "more packets than may be under way"},
		"acceptor's kind":  {false, open, "kind 3 from the side that has dialled"},
		"dialler's kind":   {true, announce, "kind 1 from the side that was dialled"},
		"received too much": {true, (&opening{instance: 1, received: 1, window: 1}).append(nil, 1),
			"1 packets have arrived of 0"},
		"acknowledged too much": {true, appendAck(bytes.Clone(open), 1, 1),
			"1 packets of 0 are acknowledged"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := wired(t, tt.dialled)
			_, err := c.frames(tt.frames)
			require.ErrorIs(t, err, errFrame)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// TestReplaced: what an old connection still brings, once a later one has taken its group over, is not
// delivered: the peer sends it again.
func TestReplaced(t *testing.T) {
	c1, g := wired(t, false)
	c2 := newConn(c1.net, c1.peer, c1.wire, false, c1.incarnation)
	frames := func(c *conn, b ...byte) {
		used, err := c.frames(b)
		require.NoError(t, err)
		require.Len(t, b, used)
	}
	announce := (&announcement{name: []byte("g"), reliable: true}).append(nil, 1)
	packet := []byte{1 << kindBits, 0}
	frames(c1, announce...)
	frames(c1, packet...)
	frames(c2, announce...)
	require.Equal(t, (&opening{instance: 1, received: 1, window: 4}).append(nil, 1), c2.answers)
	frames(c1, packet...)
	require.Equal(t, 1, g.in[1].queue.len())
	frames(c1, announce...)
	frames(c1, packet...)
	require.Equal(t, 1, g.in[1].queue.len())
	frames(c2, packet...)
	require.Equal(t, 2, g.in[1].queue.len())
}

// FuzzFrames: whatever arrives, there is no panic, and no more is kept than may be.
func FuzzFrames(f *testing.F) {
	b := (&announcement{name: []byte("g"), reliable: true}).append(nil, 1)
	var last vector
	for _, p := range samples()[:4] {
		b = appendPacket(b, 1, &p, &last)
	}
	f.Add(false, append(b, 1<<kindBits|kindLeave, kindPing, kindPong))
	b = (&opening{instance: 1, window: 2, hello: []byte("hello")}).append(nil, 1)
	b = appendAck(b, 1, 0)
	f.Add(true, (&refusal{reason: []byte("no")}).append(b, 1))
	f.Add(true, (&refusal{reason: []byte("no"), stranger: true}).append(b, 1))
	f.Fuzz(func(t *testing.T, dialled bool, b []byte) {
		c, g := wired(t, dialled)
		for len(b) > 0 { // as it arrives, in parts of at most 100 bytes
			used, err := c.frames(b[:min(100, len(b))])
			if err != nil || used == 0 {
				break
			}
			b = b[used:]
		}
		require.LessOrEqual(t, g.in[1].queue.len(), 4)
		require.LessOrEqual(t, len(c.streams), 5)
		require.LessOrEqual(t, len(c.answers), maxAnswers)
	})
}

// FuzzHello: no hello makes a panic, and what is read is what would be written.
func FuzzHello(f *testing.F) {
	f.Add((&hello{from: 1, to: 2, incarnation: 3}).append(nil))
	f.Add((&hello{from: 1, to: 2, refused: "no", stranger: true}).append(nil))
	f.Add((&hello{from: math.MaxUint64, to: 2, incarnation: math.MaxUint64, refused: "no"}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.NewReader(b)
		h, err := readHello(in)
		if err != nil {
			require.ErrorIs(t, err, errHello)
			return
		}
		require.Equal(t, b[:len(b)-in.Len()], h.append(nil))
	})
}
