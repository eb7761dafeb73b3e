package tcp_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
)

// stalling returns a way to dial over which nothing arrives as long as stalled is true. What waits
// arrives later, unless the sender has closed the connection: the kernel of a machine does the same.
func stalling(dial func(context.Context, string) (net.Conn, error), stalled *atomic.Bool,
	look time.Duration) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, addr string) (net.Conn, error) {
		nc, err := dial(ctx, addr)
		if err != nil {
			return nil, err
		}
		ours, theirs := net.Pipe()
		go stall(theirs, nc, stalled, look)
		go stall(nc, theirs, stalled, look)
		return ours, nil
	}
}

func stall(from, to net.Conn, stalled *atomic.Bool, look time.Duration) {
	defer from.Close()
	defer to.Close()
	waiting, closed := make(chan []byte, 1<<16), make(chan struct{})
	go func() {
		defer close(closed)
		b := make([]byte, 1<<14)
		for {
			n, err := from.Read(b)
			if err != nil {
				return
			}
			waiting <- bytes.Clone(b[:n])
		}
	}()
	for {
		select {
		case b := <-waiting:
			for stalled.Load() {
				select {
				case <-closed:
					return
				case <-time.After(look):
				}
			}
			if _, err := to.Write(b); err != nil {
				return
			}
		case <-closed:
			return
		}
	}
}

// TestDelay: however the network stands still and continues, no packet arrives later than Delay says.
func TestDelay(t *testing.T) {
	for _, delay := range []time.Duration{0, 100 * time.Millisecond, 10 * time.Second} {
		t.Run(delay.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h hub
				c1, c2 := h.member(1), h.member(2)
				stalled := new(atomic.Bool)
				c1.Delay, c2.Delay = delay, delay
				if delay == 0 {
					delay = 2 * time.Second
				}
				c1.Dial, c2.Dial = stalling(h.Dial, stalled, delay/100), noWayOut
				n1 := open(t, c1)
				g1, g2 := group(t, n1, tcp.GroupConfig{}), group(t, open(t, c2), tcp.GroupConfig{})
				awaitUp(t, g1, 1)
				began := time.Now()
				var latest time.Duration
				arrived := 0
				go func() {
					for {
						p, err := g2.Recv(context.Background())
						if err != nil {
							return
						}
						latest = max(latest, time.Since(began)-time.Duration(p.Msg.Value))
						arrived++
					}
				}()
				dice := rand.New(rand.NewPCG(1, 2))
				const packets = 4000
				for left := time.Duration(0); left < packets; left++ {
					if dice.IntN(25) == 0 {
						stalled.Store(!stalled.Load())
					}
					require.NoError(t, g1.Send(t.Context(), election.Packet{To: 2,
						Msg: election.Message{Kind: 1, Value: uint64(time.Since(began))}}))
					time.Sleep(delay / 40)
				}
				synctest.Wait()
				require.LessOrEqual(t, latest, delay)
				require.Greater(t, latest, delay/4)
				require.Greater(t, arrived, packets/4)
				require.NotZero(t, n1.Stats().Expired)
			})
		})
	}
}

// TestDelayTooSmall: the parts of Delay are not larger than it is.
func TestDelayTooSmall(t *testing.T) {
	var h hub
	for _, tt := range []struct {
		delay, maxAge, timeout time.Duration
		want                   string
	}{
		{time.Second, 0, 0, ""},
		{time.Second, 250 * time.Millisecond, 500 * time.Millisecond, ""},
		{time.Second, 251 * time.Millisecond, 500 * time.Millisecond,
			"delay: 1s is less than max age (251ms)"},
		{time.Second, 0, time.Second, "one and a half timeout (1s)"},
		{0, time.Minute, time.Minute, ""},
		{-1, 0, 0, "delay: -1ns, it is never negative"},
		{0, -1, 0, "max age: -1ns, it is never negative"},
		{0, 0, -1, "timeout: -1ns, it is never negative"},
	} {
		c := h.member(1)
		c.Delay, c.MaxAge, c.Timeout = tt.delay, tt.maxAge, tt.timeout
		n, err := tcp.New(c)
		if tt.want == "" {
			require.NoError(t, err)
			require.NoError(t, n.Close())
			continue
		}
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, tt.want)
	}
}
