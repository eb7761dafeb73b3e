package tcp_test

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/transport/tcp"
)

// TestPeerThatCloses: a peer that accepts each connection and closes it soon is dialled several times a
// second, as it may accept the next one for good.
func TestPeerThatCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		l := h.Listen(at(2))
		go func() {
			for {
				nc, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.ReadAtLeast(nc, make([]byte, 64), len(said(1, 2, 1)))
				_, _ = nc.Write(said(2, 1, 9))
				_ = nc.Close()
			}
		}()
		c := h.member(1)
		delete(c.Members, 3)
		n := open(t, c)
		time.Sleep(time.Minute)
		before := n.Stats().Dials
		time.Sleep(10 * time.Second)
		require.GreaterOrEqual(t, n.Stats().Dials-before, uint64(10*8), "each 125 ms at most")
		require.LessOrEqual(t, n.Stats().Dials-before, uint64(10*17), "each 62.5 ms at least")
		require.NoError(t, l.Close())
	})
}

// failing is a listener that fails a few times.
type failing struct {
	net.Listener
	times int
}

func (f *failing) Accept() (net.Conn, error) {
	if f.times--; f.times >= 0 {
		return nil, errors.New("too many open files")
	}
	return f.Listener.Accept()
}

// TestAcceptFails: where no connection can be accepted, that is logged once, and tried again each second.
func TestAcceptFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		log := &diary{level: slog.LevelError}
		c1, c2 := h.member(1), h.member(2)
		c1.Listener, c1.Log = &failing{c1.Listener, 3}, log.logger()
		c1.Dial = noWayOut
		g1, g2 := group(t, open(t, c1), tcp.GroupConfig{}), group(t, open(t, c2), tcp.GroupConfig{})
		began := time.Now()
		awaitUp(t, g2, 1)
		require.GreaterOrEqual(t, time.Since(began), 3*time.Second)
		require.Less(t, time.Since(began), 5*time.Second)
		sends(t, g2, 1, 1)
		receives(t, g1, 2, 1)
		lines := log.take()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "too many open files")
	})
}

// TestIdle: a connection lasts although no group has anything to write. The first ping of the process that has
// dialled is answered even if the answer is the first thing that the other one writes.
func TestIdle(t *testing.T) {
	for dialler := range 2 {
		synctest.Test(t, func(t *testing.T) {
			var h hub
			configs := []tcp.Config{h.member(1), h.member(2)}
			for i := range configs {
				delete(configs[i].Members, 3)
			}
			configs[1-dialler].Dial = noWayOut
			dials := open(t, configs[dialler])
			open(t, configs[1-dialler])
			time.Sleep(time.Minute)
			require.LessOrEqual(t, dials.Stats().Dials, uint64(1))
		})
	}
}
