package tcp

import (
	"bytes"
	"fmt"
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

// wired returns a connection to a peer, as the side that has dialled or the other one, and its group. This process
// decides which connection is in use.
func wired(tb testing.TB, dialled bool) (*conn, *Group) {
	n := &Network{config: Config{Self: 1, Queue: 4, MaxGroups: 4, MaxAge: time.Second, Timeout: time.Second},
		log: slog.New(slog.DiscardHandler), groups: make(map[string]*Group), began: time.Now(),
		said: make(map[string]time.Duration), turns: make(chan struct{}, 1)}
	n.last.Store(1)
	n.stopped = tb.Context()
	n.peers = make(map[election.ID]*peer)
	p := n.addPeer(2, "2")
	p.book.inList, p.book.dialled, p.book.full, p.book.address = true, true, true, "127.0.0.1:2"
	c := linked(tb, p, dialled, 9)
	require.NoError(tb, p.adopt(c))
	g := newGroup(n, "g", 1, GroupConfig{})
	n.groups["g"] = g
	p.join(g.to(2))
	p.collect(c, nil) // announces
	return c, g
}

// linked returns a connection to a peer with this incarnation.
func linked(tb testing.TB, p *peer, dialled bool, incarnation uint64) *conn {
	ours, theirs := net.Pipe()
	tb.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	w := wire{nc: ours, raw: counted{ours, &p.net.stats}}
	serial := p.net.serial.Add(1)
	return newConn(p, w, dialled, serial, hello{incarnation: incarnation, serial: 100 + serial})
}

// opened is what a peer sends that opens group g, and accepts it, with number 7.
func opened() []byte {
	return (&answer{}).append(appendHead(appendAnnouncement(nil, "g", 7, nil), kindAnswer, 1))
}

// TestFrameErrors: what no process sends is an error that names it.
func TestFrameErrors(t *testing.T) {
	var more []byte
	for i := range uint64(5) {
		more = appendAnnouncement(more, fmt.Sprint(i), i+1, nil)
	}
	for name, tt := range map[string]struct {
		frames []byte
		want   string
	}{
		"unknown group": {[]byte{2 << kindBits, 0}, "a packet for group 2, which was not announced"},
		"answer for an unknown group": {(&answer{}).append(appendHead(nil, kindAnswer, 2)),
			"group 2 was not announced"},
		"14 fields": {slices.Concat(opened(), []byte{1 << kindBits, 0x80, 0x20}),
			"a packet of more than 11 fields"},
		"no change": {slices.Concat(opened(), []byte{1 << kindBits, 1, 0}),
			"field 0 does not change, or is out of range"},
		"out of range": {slices.Concat(opened(), []byte{1 << kindBits, 1, 1}),
			"field 0 does not change, or is out of range"},
		"zeros in front": {[]byte{0x80, 0x00}, "zeros in front"},
		"65 bits":        {bytes.Repeat([]byte{0xff}, 11), "more than 64 bits"},
		"verdict":        {[]byte{1<<kindBits | kindAnswer, 4, 0}, "verdict 4"},
		"long name":      {[]byte{1<<kindBits | kindAnnounce, 0x80, 2}, "a text of 256 bytes, at most 255"},
		"long hello": {[]byte{1<<kindBits | kindAnnounce, 1, 'g', 0x81, 0x80, 4},
			"a text of 65537 bytes, at most 65536"},
		"too large hellos": {slices.Concat(appendAnnouncement(nil, "g", 2, make([]byte, MaxHello)),
			appendAnnouncement(nil, "h", 3, []byte{1})), "hellos of more than 65536 bytes"},
		"too many groups": {more, "more than 4 groups"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := wired(t, false)
			_, err := c.frames(tt.frames)
			require.ErrorIs(t, err, errFrame)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// TestReplaced: what an old connection still brings is not delivered when a later one is in use, or it would arrive
// after packets of the later one.
func TestReplaced(t *testing.T) {
	c1, g := wired(t, false)
	frames := func(c *conn, b ...byte) {
		used, err := c.frames(b)
		require.NoError(t, err)
		require.Len(t, b, used)
	}
	packet := []byte{1 << kindBits, 0}
	frames(c1, slices.Concat(opened(), packet)...)
	in := g.to(2).box
	require.Equal(t, 1, in.queue.size)
	c2 := linked(t, c1.peer, false, 9)
	require.NoError(t, c1.peer.adopt(c2))
	require.Equal(t, errReplaced, c1.reason())
	require.False(t, g.to(2).up.Load())
	for _, b := range [][]byte{packet, opened(), {1<<kindBits | kindAnswer, 0, 0}} {
		_, err := c1.frames(b)
		require.Equal(t, errReplaced, err)
	}
	c2.collect(nil, false) // announces
	frames(c2, opened()...)
	g.arrive(c1, in, &election.Packet{}) // the reader of the old one was about to
	require.Equal(t, 1, in.queue.size)
	frames(c2, packet...)
	require.Equal(t, 2, in.queue.size)
}

// TestClosedGroup: packets for a group that was closed here are skipped, whatever they change, and do not reach its
// successor.
func TestClosedGroup(t *testing.T) {
	c, g := wired(t, false)
	_, err := c.frames(opened())
	require.NoError(t, err)
	c.peer.drop(g.to(2))
	c.net.forget(g)
	next := newGroup(c.net, "g", c.net.last.Add(1), GroupConfig{})
	c.net.groups["g"] = next
	c.peer.join(next.to(2))
	b, _ := c.peer.collect(c, nil)
	want := appendText(appendHead(nil, kindLeave, 0), "g")
	want = (&answer{}).append(appendHead(appendAnnouncement(want, "g", 2, nil), kindAnswer, 7))
	require.Equal(t, want, b)
	var last vector
	packets := appendPacket(appendPacket(nil, 1, &samples()[2], &last), 1, &samples()[0], &last)
	used, err := c.frames(packets)
	require.NoError(t, err)
	require.Len(t, packets, used)
	require.Zero(t, next.to(2).box.queue.size+g.to(2).box.queue.size)
	_, err = c.frames(appendPacket(nil, 2, &samples()[0], new(vector)))
	require.NoError(t, err)
	require.Equal(t, 1, next.to(2).box.queue.size)
}

// FuzzFrames: whatever arrives, there is no panic, and no more is kept than permitted.
func FuzzFrames(f *testing.F) {
	b := opened()
	var last vector
	for _, p := range samples()[:4] {
		b = appendPacket(b, 1, &p, &last)
	}
	f.Add(append(b, 1<<kindBits|kindLeave, 1, 'g', kindPing, kindPong, kindMove, kindEnd))
	b = appendAnnouncement(nil, "h", 1, []byte("hello"))
	b = (&answer{refused, "no"}).append(appendHead(b, kindAnswer, 1))
	f.Add((&answer{refused, "no"}).append(appendHead(b, kindAnswer, 1)))
	// A group whose hello changes between packets, and one that is as large as it may be.
	b, last = opened(), vector{}
	for i, p := range samples()[:4] {
		b = appendPacket(appendAnnouncement(b, "g", 7, make([]byte, i)), 1, &p, &last)
	}
	f.Add(append(b, appendAnnouncement(nil, "g", 7, make([]byte, MaxHello))...))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, g := wired(t, false)
		for part := 100; len(b) > 0; { // as it arrives, in parts of at most 100 bytes, or what a frame needs
			used, err := c.frames(b[:min(part, len(b))])
			if err != nil || used == 0 && part >= len(b) {
				break
			}
			if b = b[used:]; used == 0 {
				part *= 2
			} else {
				part = 100
			}
		}
		require.LessOrEqual(t, g.to(2).box.queue.size, 4)
		require.LessOrEqual(t, len(c.peer.theirs), 5)
		kept := 0
		for _, a := range c.peer.theirs {
			kept += len(a.hello)
		}
		require.Equal(t, kept, c.peer.hellos)
		require.LessOrEqual(t, kept, 2*MaxHello, "the last one is refused")
		require.LessOrEqual(t, len(c.peer.dirty), 1)
	})
}

// FuzzHello: no hello makes a panic, and what is read is what would be written.
func FuzzHello(f *testing.F) {
	f.Add((&hello{versions: spoken, from: 1, to: 2, name: "one", incarnation: 3, serial: 4, last: 5, renews: 1}).append(nil))
	f.Add((&hello{versions: spoken, from: 1, to: 2, answer: answer{refused, "no"}}).append(nil))
	f.Add((&hello{versions: spoken, from: math.MaxUint64, to: 2, incarnation: math.MaxUint64, answer: answer{verdict: busy}}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.NewReader(b)
		h, err := readHello(in, spoken)
		if err != nil {
			require.ErrorIs(t, err, errHello)
			return
		}
		whole := h.append(nil)
		again, err := readHello(bytes.NewReader(whole), spoken)
		require.NoError(t, err)
		require.Equal(t, h, again)
		require.GreaterOrEqual(t, len(b)-in.Len(), len(whole), "a later version adds to it")
	})
}
