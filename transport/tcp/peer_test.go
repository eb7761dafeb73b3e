package tcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReadError: the reason for the end of a connection depends on whether a frame has begun and whether a ping has no
// answer.
func TestReadError(t *testing.T) {
	late := fmt.Errorf("read: %w", os.ErrDeadlineExceeded)
	other := errors.New("reset")
	const cut, slow = "the connection was cut within a frame", "did not end within 1s"
	for _, of := range []struct {
		err              error
		within, awaiting bool
		want             string
	}{
		{late, true, false, slow},
		{late, true, true, errSilent.Error()},
		{late, false, true, errSilent.Error()},
		{other, true, false, "reset"},
		{io.EOF, true, false, cut},
		{io.EOF, false, true, errGone.Error()},
	} {
		c, _ := wired(t, true)
		c.awaiting, c.pinged = of.awaiting, time.Now().Add(-time.Second)
		err := c.readError(of.err, of.within)
		require.ErrorContains(t, err, of.want, "%+v", of)
		require.Equal(t, of.want == slow, errors.Is(err, errFrame))
	}
}

// TestAdopt: the last connection is in use. But the process that decides refuses a connection of the peer if it has
// dialled one itself of which the peer did not know yet.
func TestAdopt(t *testing.T) {
	for _, of := range []struct {
		decides, oldDialled, newDialled bool
		last                            uint64 // the serial that the peer knows of, the old one being 1
		earlier                         bool   // the new one began before the old one
		ended                           bool   // the old one has
		busy                            bool
	}{
		{decides: true, oldDialled: true, last: 0, busy: true},
		{decides: true, oldDialled: true, last: 1},
		{decides: true, oldDialled: true, ended: true},
		{decides: true, oldDialled: false},
		{decides: true, newDialled: true, earlier: true, busy: true},
		{decides: true, newDialled: true, earlier: true, ended: true},
		{decides: false, oldDialled: true},
		{decides: false, newDialled: true, earlier: true, busy: true},
		{decides: false, earlier: true, busy: true},
	} {
		old, g := wired(t, of.oldDialled)
		p := old.peer
		if !of.decides {
			p.id = 0
		}
		c := linked(t, p, of.newDialled, 9)
		if c.said.last = of.last; of.earlier {
			c.serial = old.serial - 1
		}
		var reason error
		if of.ended {
			reason = errEnded
			old.close(reason)
		}
		if of.busy {
			require.Equal(t, errBusy, p.adopt(c), "%+v", of)
			require.Same(t, old, p.conn)
			require.NotNil(t, g.to(2).announced)
		} else {
			require.NoError(t, p.adopt(c), "%+v", of)
			require.Same(t, c, p.conn)
			require.Equal(t, c.said.serial, p.last)
			require.Equal(t, cmp.Or(reason, errReplaced), old.reason())
			require.Nil(t, g.to(2).announced)
			p.lost(old)
			require.Same(t, c, p.conn, "the end of the old one does not matter")
		}
	}
}

// TestUrgent: a lane whose queue is more than half full of what was not written waits no longer.
func TestUrgent(t *testing.T) {
	for waiting, urgent := range []int{0, 0, 0, 1, 1} { // of the four that a queue has room for
		l := laneOf(t)
		c := l.peer.conn
		for range waiting {
			l.puts(0, 1)
		}
		l.peer.mark(l)
		require.Len(t, c.urgent, urgent, "%d", waiting)
		require.True(t, l.dirty)
		l.peer.mark(l)
		require.Equal(t, []*lane{l}, l.peer.dirty, "once")
	}
}

// TestDialledFirst: an attempt to connect ends when another connection comes into use, and none begins then. Its hello
// has the serial of the last connection before.
func TestDialledFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := wired(t, true)
		p := c.peer
		p.net.config.Dial = func(ctx context.Context, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		var own hello
		_, err := p.dial(t.Context(), &own, nil)
		require.Equal(t, errBusy, err)
		p.lost(c)
		next := linked(t, p, false, 9)
		time.AfterFunc(time.Second, func() { require.NoError(t, p.adopt(next)) })
		began := time.Now()
		_, err = p.dial(t.Context(), &own, nil)
		require.Equal(t, errBusy, err)
		require.Equal(t, time.Second, time.Since(began))
		require.Equal(t, c.said.serial, own.last)
		require.Equal(t, next.said.serial, p.last)
	})
}

// TestMove: a connection continues on another wire, and closes the first one when both directions have moved.
func TestMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, peerFirst := range map[string]bool{"the peer moves first": true, "this process does": false} {
			c, _ := wired(t, false)
			first, second := linked(t, c.peer, true, 9).in, linked(t, c.peer, true, 9).in
			c.in, c.out = first, first
			if peerFirst {
				time.AfterFunc(time.Second/4, func() { require.NoError(t, c.renew(second)) })
				require.NoError(t, c.follow(), name)
			} else {
				require.NoError(t, c.renew(second))
			}
			require.Equal(t, errBusy, c.renew(second), "one at a time")
			require.NoError(t, first.raw.SetDeadline(time.Now()), "it is open")
			b, more, last := c.collect(nil, false)
			require.EqualValues(t, kindMove, last)
			require.EqualValues(t, kindMove, b[len(b)-1])
			require.True(t, more)
			if c.moved(&c.out); !peerFirst {
				require.NoError(t, first.raw.SetDeadline(time.Now()), "it is open")
				used, err := c.frames([]byte{kindMove, kindPing})
				require.Equal(t, errMove, err)
				require.Equal(t, 1, used)
				require.NoError(t, c.follow())
			}
			require.Error(t, first.raw.SetDeadline(time.Now()), "it is closed")
			require.Equal(t, []wire{second, second, {}}, []wire{c.in, c.out, c.next})
			began := time.Now()
			require.EqualError(t, c.follow(), "the peer has moved to a connection that broke")
			require.Equal(t, time.Second/2, time.Since(began))
		}
	})
}

// TestLeave: a lane of a group that is closed ends at once where nothing waits, or nothing can be
// written; else when that is written.
func TestLeave(t *testing.T) {
	for name, of := range map[string]struct {
		change func(p *peer, l *lane)
		ends   bool
	}{
		// but its end is to be written
		"nothing waits":                    {func(*peer, *lane) {}, false},
		"nothing waits, and not announced": {func(_ *peer, l *lane) { l.announced = nil }, true},
		"nothing waits, and no connection": {func(p *peer, _ *lane) { p.lost(p.conn) }, true},
		"something waits":                  {func(_ *peer, l *lane) { l.puts(0, 1) }, false},
		"something waits, and no connection": {func(p *peer, l *lane) { l.puts(0, 1); p.lost(p.conn) },
			false},
		"something waits, and the peer is gone": {func(p *peer, l *lane) { l.puts(0, 1); p.absent = true },
			true},
		"something waits, and the group is": {func(_ *peer, l *lane) { l.puts(0, 1); l.away = true },
			true},
	} {
		l := laneOf(t)
		of.change(l.peer, l)
		l.peer.leave(l)
		require.True(t, l.closing)
		select {
		case <-l.gone:
			require.True(t, of.ends, name)
			require.Empty(t, l.peer.lanes)
			require.Empty(t, l.peer.dirty)
		default:
			require.False(t, of.ends, name)
			require.Equal(t, []*lane{l}, l.peer.dirty)
		}
	}
}
