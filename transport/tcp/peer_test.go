package tcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReadError: the end of a connection says whether it came in the middle of a frame, and on which
// side that is a fault of the peer.
func TestReadError(t *testing.T) {
	late := fmt.Errorf("read: %w", os.ErrDeadlineExceeded)
	other := errors.New("reset")
	const cut, slow = "the connection was cut within a frame", "did not end within 1s"
	for _, of := range []struct {
		err                     error
		within, dialled, ending bool
		want                    string
	}{
		{late, true, false, false, slow},
		{late, true, true, false, late.Error()},
		{late, true, false, true, late.Error()},
		{late, false, false, false, late.Error()},
		{other, true, false, false, "reset"},
		{io.EOF, true, false, false, cut},
		{io.EOF, true, true, true, cut},
		{io.EOF, false, true, false, errGone.Error()},
	} {
		c, _ := wired(t, of.dialled)
		c.net.config.Timeout, c.ending = time.Second, of.ending
		err := c.readError(of.err, of.within)
		require.ErrorContains(t, err, of.want, "%+v", of)
		require.Equal(t, of.want == slow, errors.Is(err, errFrame))
	}
}

// TestRivals: only an open connection of another process with the identity of the peer is a rival.
func TestRivals(t *testing.T) {
	own, _ := wired(t, true)
	p := own.peer
	same, ended := &conn{incarnation: own.incarnation}, &conn{incarnation: 4, err: errEnded}
	older, younger := &conn{incarnation: 4}, &conn{incarnation: own.incarnation + 1}
	for _, of := range []struct{ in, out, first, second *conn }{
		{nil, nil, nil, nil}, {same, ended, nil, nil}, {ended, same, nil, nil},
		{older, same, older, nil}, {same, older, older, nil}, {younger, nil, younger, nil},
		{nil, younger, younger, nil}, {older, younger, older, younger},
	} {
		p.in, p.out = of.in, of.out
		want := []*conn{of.first, of.second}
		for len(want) > 0 && want[len(want)-1] == nil {
			want = want[:len(want)-1]
		}
		require.Equal(t, len(want), len(p.rivals(own)))
		for k, rival := range p.rivals(own) {
			require.Same(t, want[k], rival)
		}
	}
}

// TestUrgent: a lane whose queue is more than half full of what was not written waits no longer.
func TestUrgent(t *testing.T) {
	for waiting, urgent := range []int{0, 0, 0, 1, 1} { // of the four that a queue has room for
		l := laneOf(t, true)
		c := l.peer.out
		for range waiting {
			l.puts(t, 0, 1)
		}
		l.peer.mark(l)
		require.Len(t, c.urgent, urgent, "%d", waiting)
		require.True(t, l.dirty)
		l.peer.mark(l)
		require.Equal(t, []*lane{l}, l.peer.dirty, "once")
	}
}

// TestHeard: a peer that connects ends the pause before the next attempt, and an attempt that has lasted for
// long; not one that has just begun, nor where there is a connection.
func TestHeard(t *testing.T) {
	for _, of := range []struct {
		after         time.Duration
		connected     bool
		near, stopped bool
	}{
		{5 * leastPause, false, true, false}, {5*leastPause + 1, false, true, true},
		{time.Hour, true, false, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := wired(t, true)
			p := c.peer
			p.near = make(chan struct{}, 1)
			if !of.connected {
				p.lost()
			}
			dialling, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			p.began, p.cancel = p.net.now(), stop
			time.Sleep(of.after)
			p.heard()
			require.Equal(t, of.near, len(p.near) == 1, of)
			require.Equal(t, of.stopped, context.Cause(dialling) == errHeard, of)
		})
	}
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
		"nothing waits, and not announced": {func(_ *peer, l *lane) { l.state = laneDown }, true},
		"nothing waits, and no connection": {func(p *peer, _ *lane) { p.lost() }, true},
		"something waits":                  {func(_ *peer, l *lane) { l.puts(t, 0, 1) }, false},
		"something waits, and no connection": {func(p *peer, l *lane) { l.puts(t, 0, 1); p.lost() },
			false},
		"something waits, and the peer is gone": {func(p *peer, l *lane) { l.puts(t, 0, 1); p.absent = true },
			true},
		"something waits, and the group is": {func(_ *peer, l *lane) { l.puts(t, 0, 1); l.away = true },
			true},
	} {
		l := laneOf(t, true)
		l.room = make(chan struct{})
		room := l.room
		of.change(l.peer, l)
		l.peer.leave(l)
		_, open := <-room
		require.False(t, open, "no sender waits any more")
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
