package tcp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/transporttest"
)

// proxy stands between the processes: it splits what is sent into small parts, holds them back for a
// little, and cuts connections after some thousand bytes.
type proxy struct {
	mu   sync.Mutex
	dice *rand.Rand
	cut  int // how many bytes a connection lives, on average; zero: forever
	cuts int
}

// dial is tcp.Config.Dial, for processes of a suite.
func (p *proxy) dial(ctx context.Context, s *suite, addr string) (net.Conn, error) {
	nc, err := s.dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	ours, theirs := net.Pipe()
	p.mu.Lock()
	left := 0
	if p.cut > 0 {
		left = 1 + p.dice.IntN(2*p.cut)
	}
	there, back := rand.NewPCG(p.dice.Uint64(), 0), rand.NewPCG(p.dice.Uint64(), 0)
	p.mu.Unlock()
	s.busy.Go(func() { p.pump(theirs, nc, rand.New(there), left) })
	s.busy.Go(func() { p.pump(nc, theirs, rand.New(back), 0) })
	return ours, nil
}

// pump copies bytes until one end closes, or the connection is cut.
func (p *proxy) pump(from, to net.Conn, dice *rand.Rand, left int) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 4096)
	for limited := left > 0; ; {
		n, err := from.Read(b)
		for part := b[:n]; len(part) > 0; {
			size := 1 + n/7
			if limited {
				size = 1 + dice.IntN(min(300, len(part)))
				if left -= size; left <= 0 {
					p.mu.Lock()
					p.cuts++
					p.mu.Unlock()
					return
				}
			}
			size = min(size, len(part))
			<-time.After(time.Duration(dice.IntN(20_000)))
			if _, err := to.Write(part[:size]); err != nil {
				return
			}
			part = part[size:]
		}
		if err != nil {
			return
		}
	}
}

// TestProxy: groups meet the requirements of a transport that loses packets if connections break all the time.
func TestProxy(t *testing.T) {
	for _, secure := range []bool{false, true} {
		if testing.Short() && !secure {
			continue
		}
		t.Run(fmt.Sprintf("TLS=%t", secure), func(t *testing.T) {
			p := &proxy{dice: rand.New(rand.NewPCG(1, 2)), cut: 500}
			if secure {
				p.cut = 4000 // a handshake takes half of that
			}
			conforms(t, transporttest.Options{Abrupt: true, Lossy: true}, func(s *suite, c *tcp.Config) {
				c.Dial = func(ctx context.Context, addr string) (net.Conn, error) {
					return p.dial(ctx, s, addr)
				}
				if secure {
					c.TLS = s.ca.of(t, c.Self)
				}
			})
			require.Greater(t, p.cuts, 15)
		})
	}
}
