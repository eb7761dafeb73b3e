package reliable

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// The streams of the tests: a sender draws the first, and a receiver the others.
const (
	drawn    = 0xd0
	accepted = 0xa0
	stranger = 0x50
)

// sending returns a sender with packets in its queue, the values of which count from 1.
func sending(count int) *sender {
	s := &sender{stream: drawn, first: 1}
	for v := range uint64(count) {
		s.queue.push(election.Packet{Port: 3, Msg: election.Message{Kind: 9, Value: v + 1}})
	}
	return s
}

// sends returns the numbers of the packets that s has to send, and checks their content.
func sends(t *testing.T, s *sender, ahead uint64) (numbers []uint64) {
	t.Helper()
	for p, ok := s.next(); ok; p, ok = s.next() {
		require.Equal(t, election.Packet{Port: 3, Incarnation: s.stream, Seq: p.Seq,
			Msg: election.Message{Kind: 9, Value: p.Seq + ahead}}, p)
		numbers = append(numbers, p.Seq)
	}
	return numbers
}

// upTo returns the numbers from first to last.
func upTo(first, last uint64) (all []uint64) {
	for ; first <= last; first++ {
		all = append(all, first)
	}
	return all
}

func TestSender(t *testing.T) {
	t.Run("Rule2", func(t *testing.T) {
		s := sending(100)
		require.Equal(t, upTo(1, 64), sends(t, s, 0))
		s.ack(drawn, 10, 0)
		require.Equal(t, upTo(65, 74), sends(t, s, 0))
		s.ack(drawn, 10, 0xff0) // packets kept out of order do not move the window
		require.Empty(t, sends(t, s, 0))
	})
	t.Run("Rule3", func(t *testing.T) {
		s := sending(5)
		s.expire()
		require.Equal(t, upTo(1, 5), sends(t, s, 0), "nothing was sent before")
		s.ack(drawn, 1, 1<<1)
		s.expire()
		require.Equal(t, []uint64{2, 4, 5}, sends(t, s, 0), "all except the packets that the receiver has")
		s.expire()
		require.Equal(t, []uint64{2}, sends(t, s, 0), "no progress: one")
		s.ack(drawn, 1, 1<<1) // nothing new
		s.expire()
		require.Equal(t, []uint64{2}, sends(t, s, 0))
		s.ack(drawn, 1, 1<<2)
		s.expire()
		require.Equal(t, []uint64{2, 5}, sends(t, s, 0), "progress")
		s.ack(drawn, 1, 0b1111)
		s.expire()
		require.Equal(t, []uint64{2}, sends(t, s, 0), "the receiver has all, but no room: ask for news")
		s.ack(drawn, 5, 0)
		s.expire()
		require.Empty(t, sends(t, s, 0))
	})
	t.Run("Rule4", func(t *testing.T) {
		s := sending(5)
		sends(t, s, 0)
		for _, step := range []struct {
			delivered, has uint64
			count          int
			progress       bool
			left           int
		}{
			{0, 0, 0, false, 5},
			{0, 1 << 1, 0, true, 5},
			{0, 1 << 1, 0, false, 5},
			{2, 0, 2, true, 3},
			{1, 1 << 3, 0, false, 3}, // out of date
			{2, 1 << 1, 0, true, 3},
			{5, 0, 3, true, 0},
			{5, 0, 0, false, 0},
		} {
			count, progress := s.ack(drawn, step.delivered, step.has)
			require.Equal(t, step.count, count, step)
			require.Equal(t, step.progress, progress, step)
			require.Equal(t, step.left, s.queue.len(), step)
		}
	})
	t.Run("Rule5", func(t *testing.T) {
		s := sending(5)
		sends(t, s, 0)
		s.ack(drawn, 2, 1<<1)
		require.True(t, s.rename(drawn, accepted))
		require.EqualValues(t, accepted, s.stream)
		require.Equal(t, upTo(1, 3), sends(t, s, 2), "all that are not acknowledged, from 1")
	})
	t.Run("Rule6", func(t *testing.T) {
		s := sending(5)
		sends(t, s, 0)
		for _, stream := range []uint64{0, accepted} {
			count, progress := s.ack(stream, 2, 1)
			require.Zero(t, count)
			require.False(t, progress)
			require.False(t, s.rename(stream, stranger))
		}
		require.False(t, s.rename(drawn, 0), "zero is no name")
		for _, delivered := range []uint64{6, 1 << 32, 1<<64 - 1} {
			count, progress := s.ack(drawn, delivered, 1<<64-1)
			require.Zero(t, count, "more than was sent")
			require.False(t, progress)
		}
		count, progress := s.ack(drawn, 0, 1<<5)
		require.Zero(t, count)
		require.False(t, progress, "a packet that was not sent")
		require.Equal(t, 5, s.queue.len())
	})
}

// receiving returns a receiver that delivers the stream accepted.
func receiving() *receiver {
	r := new(receiver)
	r.asked, r.offered = drawn, accepted
	return r
}

// arrives makes packets of a stream arrive, and returns the reply.
func arrives(r *receiver, stream uint64, numbers ...uint64) election.Packet {
	for _, n := range numbers {
		r.receive(&election.Packet{Incarnation: stream, Seq: n, Msg: election.Message{Value: n}},
			func() uint64 { return stream + 1 })
	}
	p, _ := r.reply()
	return p
}

// delivers returns the values of the packets that r delivers.
func delivers(r *receiver) (values []uint64) {
	for p, ok := r.deliver(); ok; p, ok = r.deliver() {
		values = append(values, p.Msg.Value)
	}
	return values
}

func ackOf(stream, delivered, has uint64) election.Packet {
	return election.Packet{Incarnation: stream,
		Msg: election.Message{Kind: kindAck, Term: delivered, Value: has}}
}

func offerOf(stream, name uint64) election.Packet {
	return election.Packet{Incarnation: stream, Msg: election.Message{Kind: kindOffer, Value: name}}
}

func TestReceiver(t *testing.T) {
	t.Run("Rule7", func(t *testing.T) {
		r := receiving()
		require.Equal(t, ackOf(accepted, 0, 1), arrives(r, accepted, 1))
		require.Equal(t, upTo(1, 1), delivers(r))
		require.Equal(t, ackOf(accepted, 1, 0b1010), arrives(r, accepted, 3, 5, 3))
		require.Empty(t, delivers(r))
		require.Equal(t, ackOf(accepted, 1, 0b1011), arrives(r, accepted, 2))
		require.Equal(t, upTo(2, 3), delivers(r))
		p, ok := r.reply()
		require.True(t, ok, "there is room again")
		require.Equal(t, ackOf(accepted, 3, 0b10), p)
		_, ok = r.reply()
		require.False(t, ok, "once")
		require.Equal(t, ackOf(accepted, 3, 0b10), arrives(r, accepted, 1), "a duplicate")
		require.Equal(t, ackOf(accepted, 3, 0b10|1<<63), arrives(r, accepted, 3+64, 3+65, 1<<63, 1<<64-1),
			"the last of the next 64, and further ones")
		arrives(r, accepted, upTo(4, 66)...)
		require.Equal(t, upTo(4, 67), delivers(r))
	})
	t.Run("Rule8", func(t *testing.T) {
		r := receiving()
		arrives(r, accepted, 1, 2, 4)
		require.Equal(t, upTo(1, 2), delivers(r))
		require.Equal(t, offerOf(stranger, stranger+1), arrives(r, stranger, 1))
		require.Equal(t, ackOf(accepted, 2, 0b10), arrives(r, accepted, 2), "an offer replaces nothing")
		require.Equal(t, ackOf(stranger+1, 0, 0b10), arrives(r, stranger+1, 2), "its use does")
		require.Equal(t, offerOf(accepted, accepted+1), arrives(r, accepted, 3), "the former stream")
		require.Equal(t, ackOf(stranger+1, 0, 0b11), arrives(r, stranger+1, 1))
		require.Equal(t, upTo(1, 2), delivers(r))
	})
	t.Run("Rule9", func(t *testing.T) {
		r := new(receiver)
		require.Equal(t, offerOf(drawn, drawn+1), arrives(r, drawn, 1))
		require.Equal(t, offerOf(drawn, drawn+1), arrives(r, drawn, 2), "the same offer")
		require.Equal(t, offerOf(stranger, stranger+1), arrives(r, stranger, 1))
		require.Equal(t, offerOf(drawn+1, drawn+2), arrives(r, drawn+1, 1), "an offer that was replaced")
		require.Empty(t, delivers(r))
		require.Zero(t, arrives(r, 0, 1), "zero is no stream")
	})
}

// TestRing: a ring is a queue, also when its items wrap around.
func TestRing(t *testing.T) {
	var r ring[int]
	r.drop(0)
	in, out := 0, 0
	for size := range 40 {
		for range size {
			r.push(in)
			in++
		}
		require.Equal(t, in-out, r.len())
		for i := range r.len() {
			require.Equal(t, out+i, *r.at(i))
		}
		r.drop(size * 3 / 4)
		out += size * 3 / 4
	}
	require.Greater(t, r.len(), 100)
}

// TestNoAllocation: in a steady state, packets cost no allocation.
func TestNoAllocation(t *testing.T) {
	s, r := sending(10), receiving()
	s.stream = accepted
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		s.queue.push(election.Packet{})
		for p, ok := s.next(); ok; p, ok = s.next() {
			r.receive(&p, draw)
		}
		for _, ok := r.deliver(); ok; _, ok = r.deliver() {
		}
		p, _ := r.reply()
		s.ack(p.Incarnation, p.Msg.Term, p.Msg.Value)
	}))
	require.Zero(t, s.queue.len())
	require.Greater(t, r.next, uint64(1000))
}

// FuzzHostile: whatever a peer sends, both ends stay within their bounds, the sender sends its packets in order, and
// the receiver delivers only what has arrived.
func FuzzHostile(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1})
	f.Add([]byte{1, 1, 5, 0, 0, 0, 0, 0, 0, 0, 255, 2, 1, 7, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 255, 255, 255, 255, 255, 255, 255, 255, 9})
	f.Fuzz(func(t *testing.T, script []byte) {
		const packets = 200
		s, r := sending(packets), receiving()
		delivered, arrived := 0, 0
		for ; len(script) >= 11; script = script[11:] {
			streams := [...]uint64{s.stream, r.stream, r.offered, stranger, 0}
			stream := streams[int(script[1])%len(streams)]
			number, has := binary.LittleEndian.Uint64(script[2:]), uint64(script[10])*0x0101010101010101
			switch script[0] % 6 {
			case 0:
				arrives(r, stream, number)
				arrived++
			case 1:
				s.ack(stream, number, has)
			case 2:
				s.ack(stream, s.first+number%64, has) // more often accepted
			case 3:
				s.rename(stream, number)
			case 4:
				s.expire()
			case 5:
				arrives(r, stream, r.next+number%70)
				arrived++
			}
			delivered += len(delivers(r))
			gone := packets - s.queue.len()
			sends(t, s, uint64(gone)-(s.first-1)) // checks what is sent
			require.LessOrEqual(t, s.sent, min(window, s.queue.len()))
			require.Zero(t, s.has>>s.sent)
			require.Zero(t, s.again)
			require.Zero(t, r.has&1)
		}
		require.LessOrEqual(t, delivered, arrived)
	})
}
