package tcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		in := g.own
		if l := g.to(from); l != nil {
			in = l.box
		}
		g.take(in, &election.Packet{From: from, Msg: election.Message{Value: value}})
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
		g.arrives(2, 1, 2, 3)
		g.arrives(1, 4, 5, 6)
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
		g.arrives(2, 7)
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
		g.arrives(2, 1, 2)
		g.arrives(1, 3)
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
		time.AfterFunc(time.Minute, func() { g.arrives(2, 1) })
		_, err = g.Recv(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualValues(t, 1, pushed.Load())
		release(nil)
	})
}

// TestRefusedGroup: a peer whose hello is refused is logged, learns it, and gets no packet until it opens the group with
// another hello.
func TestRefusedGroup(t *testing.T) {
	c, g := wired(t, true)
	l := g.to(2)
	require.NoError(t, g.Greet(nil, func(_ election.ID, hello []byte) error {
		if string(hello) == "theirs" {
			return errors.New("another lease")
		}
		return nil
	}))
	g.net.running.Wait()
	own, _ := c.peer.collect(c, nil)
	require.Equal(t, appendAnnouncement(nil, "g", 1, nil), own, "again")
	accepts := (&answer{}).append(appendHead(nil, kindAnswer, 1))
	_, err := c.frames(append(appendAnnouncement(nil, "g", 7, []byte("theirs")), accepts...))
	require.NoError(t, err)
	require.EqualValues(t, 1, c.net.stats.refused.Load())
	require.False(t, l.up.Load())
	require.Len(t, c.net.said, 1)
	require.NoError(t, g.Send(t.Context(), election.Packet{To: 2}))
	b, _ := c.peer.collect(c, nil)
	require.Equal(t, (&answer{refused, "another lease"}).append(appendHead(nil, kindAnswer, 7)), b)

	leaves := appendText(appendHead(nil, kindLeave, 0), "g")
	_, err = c.frames(slices.Concat(leaves, appendAnnouncement(nil, "g", 8, nil)))
	require.NoError(t, err)
	require.False(t, l.up.Load(), "it has not accepted the group yet")
	_, err = c.frames(accepts)
	require.NoError(t, err)
	require.True(t, l.up.Load())
	require.Empty(t, c.net.said, "the next refusal is logged again")
	b, _ = c.peer.collect(c, nil)
	require.Equal(t, byte(8<<kindBits), b[len((&answer{}).append(appendHead(nil, kindAnswer, 8)))])
	_, err = c.frames(leaves)
	require.NoError(t, err)
	require.False(t, l.up.Load())
}

// TestMostGroups: a peer may announce as many groups as MaxGroups, and no more.
func TestMostGroups(t *testing.T) {
	c, _ := wired(t, false)
	for number := range uint64(5) {
		_, err := c.frames(appendAnnouncement(nil, fmt.Sprint(number), number, nil))
		require.Equal(t, number < 4, err == nil, "%d", number)
	}
}

// TestFarewell: Close waits for a Timeout until a peer has taken what it was sent.
func TestFarewell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, g := wired(t, true) // what is sent is never written
		require.NoError(t, g.Send(t.Context(), election.Packet{To: 2}))
		began := time.Now()
		require.NoError(t, g.Close())
		require.Equal(t, time.Second, time.Since(began))
		require.ErrorIs(t, g.Send(t.Context(), election.Packet{To: 2}), election.ErrClosed)
	})
}

// TestJoin: a group that is opened while the peer is connected is announced at once.
func TestJoin(t *testing.T) {
	c, g := wired(t, true)
	b, _ := c.peer.collect(c, nil)
	require.Empty(t, b, "g was announced before")
	late := newGroup(g.net, "late", 2, GroupConfig{})
	c.peer.join(late.to(2))
	<-c.wake
	b, _ = c.peer.collect(c, nil)
	require.Equal(t, appendAnnouncement(nil, "late", 2, nil), b)
}

// TestHellosKept: the hellos of the groups that a peer has open are limited together. Those of groups that it has closed,
// or has announced on an earlier connection, do not count. A guest may have a quarter.
func TestHellosKept(t *testing.T) {
	for inList, most := range map[bool]int{true: 6, false: 1} { // of the largest hellos
		c, _ := wired(t, false)
		p := c.peer
		c.net.config.MaxGroups, p.book.inList, p.book.address = 100, inList, ""
		announces := func(name string) error {
			_, err := c.frames(appendAnnouncement(nil, name, 7, make([]byte, MaxHello)))
			return err
		}
		for range 2 {
			for round := range 3 {
				for i := range most {
					require.NoError(t, announces(fmt.Sprint(i)), "%d", round)
					require.NoError(t, announces(fmt.Sprint(i)), "another hello of the same group")
				}
				for i := range most {
					_, err := c.frames(appendText(appendHead(nil, kindLeave, 0), fmt.Sprint(i)))
					require.NoError(t, err)
				}
			}
			for i := range most {
				require.NoError(t, announces(fmt.Sprint(i)))
			}
			require.ErrorContains(t, announces("one more"), "hellos of more than")
			c = linked(t, p, false, 9)
			require.NoError(t, p.adopt(c))
		}
	}
}

// TestLeaveAfterRefusal: when a group is closed whose hello was refused once and is accepted now, what waits is written.
func TestLeaveAfterRefusal(t *testing.T) {
	c, g := wired(t, true)
	l := g.to(2)
	_, err := c.frames(opened())
	require.NoError(t, err)
	for _, verdict := range []uint64{refused, accepted} {
		_, err = c.frames((&answer{verdict: verdict}).append(appendHead(nil, kindAnswer, 1)))
		require.NoError(t, err)
		require.Equal(t, verdict == accepted, l.up.Load())
	}
	require.NoError(t, g.Send(t.Context(), election.Packet{To: 2}))
	c.peer.leave(l)
	c.peer.collect(c, nil)
	require.EqualValues(t, 1, c.net.stats.packetsOut.Load())
}
