package tcp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// laneOf returns the lane to the peer of a group whose queue has room for four packets, MaxAge being a
// second.
func laneOf(tb testing.TB, reliable bool) *lane {
	c, g := wired(tb, true)
	g.config.Reliable = reliable
	l := g.lanes[1]
	require.NoError(tb, l.open(9, &opening{instance: 1, window: 4}))
	c.peer.dirty, l.dirty = nil, false
	return l
}

// puts puts a packet with each value in.
func (l *lane) puts(tb testing.TB, now time.Duration, values ...uint64) {
	tb.Helper()
	for _, value := range values {
		require.True(tb, l.put(&election.Packet{Msg: election.Message{Value: value}}, now))
	}
}

// values returns what waits to be written, and what is kept although it was written.
func (l *lane) values() (waiting, kept []uint64) {
	for i := l.queue.base; i != l.queue.end; i++ {
		if value := l.queue.get(i).packet.Msg.Value; i < l.next {
			kept = append(kept, value)
		} else {
			waiting = append(waiting, value)
		}
	}
	return waiting, kept
}

// TestQueueGrows: a queue keeps its order while it grows from four items to eight and more.
func TestQueueGrows(t *testing.T) {
	var q queue
	next := uint64(0)
	for size, want := range map[uint64]int{1: 4, 4: 4, 5: 8, 8: 8, 9: 16} {
		q, next = queue{base: 3, end: 3}, 0
		for value := range size {
			q.push(&election.Packet{Seq: value}, time.Duration(value))
		}
		require.Len(t, q.items, want)
		require.Equal(t, int(size), q.len())
		for i := q.base; i != q.end; i++ {
			require.Equal(t, item{election.Packet{Seq: next}, time.Duration(next)}, *q.get(i))
			next++
		}
	}
}

// TestPut: a full queue refuses a packet where none may be lost; elsewhere it drops its oldest one. What was
// written is kept for a while, but takes no room from what was not.
func TestPut(t *testing.T) {
	l := laneOf(t, true)
	l.puts(t, 0, 1, 2, 3, 4)
	require.False(t, l.put(&election.Packet{}, 0))
	l.take(nil, bufferSize, 0)
	require.False(t, l.put(&election.Packet{}, time.Hour), "what was written is not there yet")
	require.NoError(t, l.ack(1))
	l.puts(t, 0, 5)
	require.False(t, l.put(&election.Packet{}, 0))

	l = laneOf(t, false)
	dropped := &l.group.net.stats.dropped
	l.puts(t, 0, 1, 2)
	l.take(nil, bufferSize, 0)
	l.puts(t, 1, 3, 4, 5)
	waiting, kept := l.values()
	require.Equal(t, []uint64{3, 4, 5}, waiting)
	require.Equal(t, []uint64{2}, kept)
	l.puts(t, 2, 6)
	require.Zero(t, dropped.Load(), "a packet that was written is not dropped")
	l.puts(t, 3, 7)
	waiting, kept = l.values()
	require.Equal(t, []uint64{4, 5, 6, 7}, waiting)
	require.Empty(t, kept)
	require.EqualValues(t, 1, dropped.Load())

	l = laneOf(t, false)
	l.group.net.config.Queue = 100
	l.puts(t, 0, 1)
	l.puts(t, 1, 2)
	l.take(nil, bufferSize, 1)
	l.puts(t, 1, 3, 4)
	l.puts(t, time.Second+1, 5)
	waiting, kept = l.values()
	require.Equal(t, []uint64{3, 4, 5}, waiting)
	require.Equal(t, []uint64{2}, kept, "what is a second old is kept, what is older is not")
	require.Len(t, l.queue.items, 4)
	l.puts(t, time.Hour, 6, 7)
	waiting, kept = l.values()
	require.Equal(t, []uint64{6, 7}, waiting, "what is too old to be written is forgotten")
	require.Empty(t, kept)
}

// TestTake: packets that are too old are not written, nor more than the peer has room for, nor more than fit.
func TestTake(t *testing.T) {
	l := laneOf(t, false)
	stats := &l.group.net.stats
	l.puts(t, 0, 1)
	l.puts(t, 1, 2, 3)
	b, all := l.take(nil, bufferSize, time.Second+1)
	require.True(t, all)
	require.NotEmpty(t, b)
	require.EqualValues(t, 1, stats.expired.Load())
	require.EqualValues(t, 2, stats.packetsOut.Load())
	require.EqualValues(t, 2, l.written)
	waiting, kept := l.values()
	require.Empty(t, waiting)
	require.Equal(t, []uint64{2, 3}, kept)

	l.puts(t, time.Hour, 4)
	b, all = l.take(make([]byte, 100), 100+maxPacket-1, time.Hour)
	require.False(t, all)
	require.Len(t, b, 100, "it might not fit")
	b, all = l.take(make([]byte, 100), 100+maxPacket, time.Hour)
	require.True(t, all)
	require.Greater(t, len(b), 100)

	l = laneOf(t, true)
	l.window = 2
	l.puts(t, 0, 1, 2, 3, 4)
	_, all = l.take(nil, bufferSize, time.Hour)
	require.True(t, all, "the rest waits for an ack")
	require.EqualValues(t, 2, l.written)
	require.NoError(t, l.ack(1))
	l.take(nil, bufferSize, time.Hour)
	require.EqualValues(t, 3, l.written)
	require.False(t, l.empty())
	require.NoError(t, l.ack(3))
	l.take(nil, bufferSize, time.Hour)
	require.True(t, l.empty())
}

// TestAck: an acknowledgement makes room and wakes the senders that wait; one that goes back or too far is an
// error, and so is any in a group whose packets are not acknowledged.
func TestAck(t *testing.T) {
	l := laneOf(t, true)
	l.puts(t, 0, 1, 2, 3, 4)
	l.take(nil, bufferSize, 0)
	l.room = make(chan struct{})
	room := l.room
	require.NoError(t, l.ack(2))
	<-room
	require.Nil(t, l.room)
	_, kept := l.values()
	require.Equal(t, []uint64{3, 4}, kept)
	require.NoError(t, l.ack(2), "it may come again")
	require.ErrorContains(t, l.ack(1), "1 packets of 4 are acknowledged, and 2 were before")
	require.ErrorIs(t, l.ack(5), errFrame)
	require.NoError(t, l.ack(4))
	_, kept = l.values()
	require.Empty(t, kept)
	require.ErrorContains(t, laneOf(t, false).ack(0), "0 packets of 0 are acknowledged")
}

// TestResume: a new connection goes on where the peer has ceased to receive. To another instance of the
// group, or of the peer's process, nothing is sent again.
func TestResume(t *testing.T) {
	for _, reliable := range []bool{false, true} {
		l := laneOf(t, reliable)
		l.puts(t, 0, 1, 2, 3)
		l.take(nil, bufferSize, 0)
		l.puts(t, 0, 4)
		l.last = vector{1}
		require.NoError(t, l.open(9, &opening{instance: 1, received: 1, window: 7}))
		require.Equal(t, vector{}, l.last)
		require.EqualValues(t, 7, l.window)
		waiting, kept := l.values()
		require.Equal(t, []uint64{2, 3, 4}, waiting)
		require.Equal(t, []uint64{1}, kept)
		require.EqualValues(t, 1, l.written)
		require.ErrorContains(t, l.open(9, &opening{instance: 1, received: 2, window: 7}),
			"2 packets have arrived of 1, and 0 were taken")
		if reliable {
			require.NoError(t, l.ack(1))
			require.ErrorIs(t, l.rewind(0), errFrame, "what was taken has arrived")
		}
		for _, other := range []struct{ incarnation, instance uint64 }{{10, 1}, {10, 2}} {
			l.take(nil, bufferSize, 0)
			l.puts(t, 0, 5)
			l.room = make(chan struct{})
			room := l.room
			require.NoError(t, l.open(other.incarnation, &opening{instance: other.instance, window: 4}))
			<-room
			waiting, kept = l.values()
			require.Equal(t, []uint64{5}, waiting)
			require.Empty(t, kept)
			require.Zero(t, l.written+l.acked)
		}
	}
	// What a group that is not reliable has kept may be less than what is missing.
	l := laneOf(t, false)
	l.puts(t, 0, 1, 2, 3, 4)
	l.take(nil, bufferSize, 0)
	l.puts(t, 0, 5, 6)
	require.NoError(t, l.rewind(1))
	waiting, _ := l.values()
	require.Equal(t, []uint64{3, 4, 5, 6}, waiting)
}
