package pipenet_test

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/pipenet"
)

// TestHub: a connection reaches the last listener of its address, in virtual time, until that is closed.
func TestHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h pipenet.Hub
		_, err := h.Dial(t.Context(), "a:1")
		require.EqualError(t, err, "no listener")
		h.Listen("a:1")
		l := h.Listen("a:1")
		require.Equal(t, "a:1", l.Addr().String())
		require.Equal(t, "hub", l.Addr().Network())
		accepted := make(chan net.Conn)
		time.AfterFunc(time.Hour, func() {
			c, err := l.Accept()
			require.NoError(t, err)
			accepted <- c
		})
		began := time.Now()
		ours, err := h.DialFrom(t.Context(), "b:1", "a:1")
		require.NoError(t, err)
		require.Equal(t, time.Hour, time.Since(began))
		theirs := <-accepted
		require.Equal(t, "b:1", theirs.RemoteAddr().String())
		go func() {
			_, _ = io.WriteString(ours, "hello")
			_ = ours.Close()
		}()
		text, err := io.ReadAll(theirs)
		require.NoError(t, err)
		require.Equal(t, "hello", string(text))

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = h.Dial(ctx, "a:1")
		require.ErrorIs(t, err, context.DeadlineExceeded, "no process accepts")
		require.NoError(t, l.Close())
		require.NoError(t, l.Close())
		_, err = l.Accept()
		require.ErrorIs(t, err, net.ErrClosed)
		_, err = h.Dial(t.Context(), "a:1")
		require.EqualError(t, err, "refused")
	})
}
