package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// arrives lets packets with these values arrive from a member.
func (g *Group) arrives(from election.ID, values ...uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, value := range values {
		g.take(g.in[from], &election.Packet{From: from, Msg: election.Message{Value: value}})
	}
}

// TestPushWhatWaits: a receiver that begins to push gets all that waits, until it refuses; what it gives
// back comes before all else. Members take turns in Recv.
func TestPushWhatWaits(t *testing.T) {
	for most, c := range map[int]struct{ pushed, left []uint64 }{
		9: {[]uint64{1, 2, 3, 4, 5, 6}, []uint64{8, 9, 7}},
		4: {[]uint64{1, 2, 3, 4}, []uint64{8, 9, 5, 7, 6}},
		2: {[]uint64{1, 2}, []uint64{8, 9, 3, 4, 7, 5, 6}}, // 4 comes in the turn of another member
	} {
		_, g := wired(t, false)
		g.arrives(1, 1, 2, 3)
		g.arrives(2, 4, 5, 6)
		var pushed []uint64
		release, err := g.Push(t.Context(), func(p election.Packet, err error) bool {
			if err != nil || len(pushed) == most {
				return false
			}
			pushed = append(pushed, p.Msg.Value)
			return true
		})
		require.NoError(t, err)
		require.Equal(t, c.pushed, pushed)
		release([]election.Packet{{Msg: election.Message{Value: 8}}, {Msg: election.Message{Value: 9}}})
		g.arrives(1, 7)
		var left []uint64
		for range c.left {
			p, err := g.Recv(t.Context())
			require.NoError(t, err)
			left = append(left, p.Msg.Value)
		}
		require.Equal(t, c.left, left)
	}
}

// TestTwoReceivers: packets that arrive together wake all that wait in Recv.
func TestTwoReceivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, g := wired(t, false)
		got := make(chan uint64, 3)
		for range 3 {
			go func() {
				p, _ := g.Recv(t.Context())
				got <- p.Msg.Value
			}()
		}
		synctest.Wait()
		g.arrives(1, 1, 2)
		g.arrives(2, 3)
		require.EqualValues(t, 6, <-got+<-got+<-got)

		release, err := g.Push(t.Context(), func(election.Packet, error) bool { return true })
		require.NoError(t, err)
		for range 3 {
			go func() {
				p, _ := g.Recv(t.Context())
				got <- p.Msg.Value
			}()
		}
		synctest.Wait()
		release([]election.Packet{{Msg: election.Message{Value: 4}}, {Msg: election.Message{Value: 5}},
			{Msg: election.Message{Value: 6}}})
		require.EqualValues(t, 15, <-got+<-got+<-got, "also those that are given back")
	})
}

// TestRecvDuringPush: Recv returns nothing while another receiver pushes.
func TestRecvDuringPush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, g := wired(t, false)
		var pushed atomic.Int32
		release, err := g.Push(t.Context(), func(election.Packet, error) bool { pushed.Add(1); return true })
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		time.AfterFunc(time.Minute, func() { g.arrives(1, 1) })
		_, err = g.Recv(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualValues(t, 1, pushed.Load())
		release(nil)
	})
}

// TestRefusedOpening: a peer whose hello is refused when it opens the group is logged, and gets no packet.
func TestRefusedOpening(t *testing.T) {
	c, g := wired(t, true)
	g.config.Accept = func(election.ID, []byte) error { return errors.New("another lease") }
	_, err := c.frames((&opening{instance: 1, window: 4, hello: []byte("theirs")}).append(nil, 1))
	require.NoError(t, err)
	require.EqualValues(t, 1, c.net.stats.refused.Load())
	require.Equal(t, laneRefused, g.lanes[1].state)
	require.False(t, g.lanes[1].up.Load())
	require.Len(t, c.net.said, 1)

	g.config.Accept, g.lanes[1].state = nil, laneAnnounced
	_, err = c.frames((&opening{instance: 1, window: 4}).append(nil, 1))
	require.NoError(t, err)
	require.True(t, g.lanes[1].up.Load())
	require.Empty(t, c.net.said, "the next refusal is logged again")
}

// half is a connection of which one direction can be ended.
type half struct {
	net.Conn
	err error
}

func (h half) CloseWrite() error { return h.err }

// TestFinish: a connection that has said all stays open until the peer has read it, where one direction
// can be ended.
func TestFinish(t *testing.T) {
	for name, c := range map[string]struct {
		change func(net.Conn) net.Conn
		closed bool
	}{
		"half":       {func(nc net.Conn) net.Conn { return half{nc, nil} }, false},
		"an error":   {func(nc net.Conn) net.Conn { return half{nc, errors.New("broken")} }, true},
		"as a whole": {func(nc net.Conn) net.Conn { return nc }, true},
	} {
		conn, _ := wired(t, false)
		conn.nc = c.change(conn.nc)
		conn.finish()
		if c.closed {
			require.Equal(t, errEnded, conn.reason(), name)
		} else {
			require.NoError(t, conn.reason(), name)
		}
	}
}

// TestStrangers: a group that opens meets the streams of its name that no group has met and that were
// not closed.
func TestStrangers(t *testing.T) {
	c, g := wired(t, false)
	for number, s := range []*stream{{announcement: announcement{name: []byte("g")}},
		{announcement: announcement{name: []byte("h")}},
		{announcement: announcement{name: []byte("g")}, dead: true},
		{announcement: announcement{name: []byte("g")}}} {
		if number == 3 {
			s.group.Store(g)
		}
		c.streams[uint64(number)] = s
	}
	require.Equal(t, []*stream{c.streams[0]}, c.strangers("g"))
	require.Equal(t, []*stream{c.streams[1]}, c.strangers("h"))
	require.Empty(t, c.strangers("i"))
}

// TestAnswersWait: a peer that announces faster than it reads the answers waits until some are written,
// or the connection ends.
func TestAnswersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, ends := range []bool{false, true} {
			c, _ := wired(t, false)
			announce := (&announcement{name: []byte("unknown")}).append(nil, 1)
			answer := new(refusal).append(nil, 1)
			done := make(chan int)
			go func() {
				count := 0
				for len(answer)*count <= maxAnswers+100 {
					_, err := c.frames(announce)
					require.NoError(t, err)
					count++
				}
				done <- count
			}()
			synctest.Wait()
			c.mu.Lock()
			size := len(c.answers)
			c.mu.Unlock()
			require.Equal(t, maxAnswers+2*len(answer), size, "the first that is too much, and one more")
			require.Empty(t, done)
			if ends {
				c.close(errEnded)
			} else {
				b, more, ending := c.collect(nil)
				require.Len(t, b, size)
				require.False(t, more || ending)
			}
			require.Greater(t, <-done, maxAnswers/len(answer))
		}
	})
}

// TestMostGroups: a peer may announce as many groups as MaxGroups says, and no more.
func TestMostGroups(t *testing.T) {
	c, _ := wired(t, false)
	for number := range uint64(5) {
		_, err := c.frames((&announcement{name: []byte("h")}).append(nil, number))
		require.Equal(t, number < 4, err == nil, "%d", number)
	}
}

// TestFarewell: Close waits for a Timeout until a peer has taken what it was sent.
func TestFarewell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, g := wired(t, true) // what is sent is never written
		require.NoError(t, g.Send(t.Context(), election.Packet{To: 1}))
		began := time.Now()
		require.NoError(t, g.Close())
		require.Equal(t, time.Second, time.Since(began))
		require.ErrorIs(t, g.Send(t.Context(), election.Packet{To: 1}), election.ErrClosed)
	})
}

// TestJoin: a group that is opened while the peer is connected is announced at once.
func TestJoin(t *testing.T) {
	c, g := wired(t, true)
	b, _, _ := c.collect(nil)
	require.Empty(t, b, "g was announced before")
	late := newGroup(g.net, "late", 2, GroupConfig{})
	c.peer.join(late.lanes[1])
	<-c.wake
	b, _, _ = c.collect(nil)
	require.Equal(t, (&announcement{name: []byte("late")}).append(nil, 2), b)
}

// TestAckOnce: of a stream whose progress waits to be written, nothing more waits.
func TestAckOnce(t *testing.T) {
	c, s := newConn(new(Network), nil, wire{}, false, 1), new(stream)
	for range 2 {
		for range 3 {
			c.ack(s)
			require.Len(t, c.acks, 1)
			require.Len(t, c.wake, 1)
		}
		b, more, ending := c.collect(nil) // which writes nothing: the stream has no group
		require.Empty(t, b)
		require.False(t, more || ending)
		require.Empty(t, c.acks)
	}
}

// TestUnlisted: a peer that answers that this process is no member of its list, or of the list of the group, is
// reported until it accepts this process, or cannot be reached.
func TestUnlisted(t *testing.T) {
	c, g := wired(t, true)
	announced := func() {
		c.peer.mark(g.lanes[1])
		c.collect(nil)
	}
	announced()
	for _, answer := range []struct {
		stranger bool
		want     []election.ID
	}{{true, []election.ID{1}}, {false, nil}} {
		f := refusal{reason: []byte("no"), stranger: answer.stranger}
		_, err := c.frames(f.append(nil, 1))
		require.NoError(t, err)
		require.Equal(t, answer.want, g.Unlisted())
	}
	_, err := c.frames((&refusal{reason: []byte("no"), stranger: true}).append(nil, 1))
	require.NoError(t, err)
	_, err = c.frames((&opening{instance: 1, window: 4}).append(nil, 1))
	require.NoError(t, err)
	require.Empty(t, g.Unlisted())

	for _, one := range []struct {
		err  error
		want []election.ID
	}{
		{fmt.Errorf("process 1: %w", refusedError("no", true, "2")), []election.ID{1}},
		{refusedError("no", false, "2"), nil},
		{&NoMemberError{"2"}, []election.ID{1}},
		{errors.New("connection refused"), nil},
	} {
		c.peer.failed(one.err)
		require.Equal(t, one.want, g.Unlisted())
	}
	c.peer.failed(&NoMemberError{"2"})
	c.peer.adopt(c)
	require.Empty(t, g.Unlisted())
}
