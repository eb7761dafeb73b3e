package tcp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// laneOf returns the lane to the peer of a group whose queue has room for four packets, MaxAge being a second.
func laneOf(tb testing.TB) *lane {
	c, g := wired(tb, true)
	_, err := c.frames(opened())
	require.NoError(tb, err)
	l := g.to(2)
	require.True(tb, l.open())
	c.collect(nil, false)
	return l
}

// puts puts a packet with each value in.
func (l *lane) puts(now time.Duration, values ...uint64) {
	for _, value := range values {
		l.put(&election.Packet{Msg: election.Message{Value: value}}, now)
	}
}

// values returns what waits to be written.
func (l *lane) values() (waiting []uint64) {
	for i := range l.queue.size {
		waiting = append(waiting, l.queue.get(i).packet.Msg.Value)
	}
	return waiting
}

// TestQueueGrows: a queue keeps its order while it grows from four items to eight and more.
func TestQueueGrows(t *testing.T) {
	for size, want := range map[int]int{1: 4, 4: 4, 5: 8, 8: 8, 9: 16} {
		var q queue
		for range 3 { // so that it does not begin at the first place
			q.push(&election.Packet{}, 0)
			q.pop()
		}
		for value := range size {
			q.push(&election.Packet{Seq: uint64(value)}, time.Duration(value))
		}
		require.Len(t, q.items, want)
		for value := range size {
			require.Equal(t, size-value, q.size)
			require.Equal(t, item{election.Packet{Seq: uint64(value)}, time.Duration(value)}, *q.pop())
		}
	}
}

// TestPut: a full queue drops its oldest packet, and packets that are too old to be written are no reason to grow.
func TestPut(t *testing.T) {
	l := laneOf(t)
	stats := &l.group.net.stats
	l.puts(0, 1, 2, 3, 4)
	l.puts(3, 5)
	require.Equal(t, []uint64{2, 3, 4, 5}, l.values())
	require.EqualValues(t, 1, stats.dropped.Load())

	l = laneOf(t)
	stats = &l.group.net.stats
	l.group.net.config.Queue = 100
	l.puts(0, 1, 2)
	l.puts(1, 3, 4)
	l.puts(time.Second+1, 5)
	require.Equal(t, []uint64{3, 4, 5}, l.values(), "what is a second old is kept, what is older is not")
	require.Len(t, l.queue.items, 4)
	l.puts(time.Hour, 6, 7)
	require.Equal(t, []uint64{6, 7}, l.values())
	require.EqualValues(t, 5, stats.expired.Load())
	require.Zero(t, stats.dropped.Load())
}

// TestTake: packets that are too old are not written, nor more than fit.
func TestTake(t *testing.T) {
	l := laneOf(t)
	stats := &l.group.net.stats
	l.puts(0, 1)
	l.puts(1, 2, 3)
	b, all := l.take(nil, time.Second+1)
	require.True(t, all)
	require.NotEmpty(t, b)
	require.EqualValues(t, 1, stats.expired.Load())
	require.EqualValues(t, 2, stats.packetsOut.Load())
	require.Empty(t, l.values())

	l.puts(time.Hour, 4)
	b, all = l.take(make([]byte, bufferSize-maxPacket+1), time.Hour)
	require.False(t, all)
	require.Len(t, b, bufferSize-maxPacket+1, "it might not fit")
	b, all = l.take(make([]byte, bufferSize-maxPacket), time.Hour)
	require.True(t, all)
	require.Greater(t, len(b), bufferSize-maxPacket)
}
