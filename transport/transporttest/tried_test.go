package transporttest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

var update = flag.Bool("update", false, "regenerate testdata/tried.txt")

// tally counts what a property does with transports.
type tally struct {
	mu                     sync.Mutex
	packets                map[election.Packet]bool // the different ones
	sent, received, closed int                      // calls
}

func (c *tally) count(calls *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*calls++
}

// over returns a wire that is counted.
func (c *tally) over() spoilt {
	return spoilt{
		send: func(w *wire, ctx context.Context, p election.Packet) error {
			c.mu.Lock()
			c.packets[p] = true
			c.sent++
			c.mu.Unlock()
			return w.Send(ctx, p)
		},
		recv: func(w *wire, ctx context.Context) (election.Packet, error) {
			c.count(&c.received)
			return w.Recv(ctx)
		},
		close: func(w *wire) error {
			c.count(&c.closed)
			return w.Close()
		},
	}
}

// sum is the same for the same packets, in any order.
func (c *tally) sum() (sum uint64) {
	for p := range c.packets {
		h := uint64(14695981039346656037)
		m := &p.Msg
		for _, v := range [...]uint64{uint64(p.From), uint64(p.To), uint64(p.Port), m.Term,
			uint64(m.Rank.ID), m.Rank.Priority, m.Value, uint64(m.Round), uint64(m.Kind), uint64(m.Flags),
			uint64(m.Layer), p.Incarnation, p.Seq} {
			h = (h ^ v) * 1099511628211
		}
		// Without this, numbers that differ evenly in their last bits have the same sum.
		sum += (h ^ h>>32) * 1099511628211
	}
	return sum
}

// TestTried pins what each property sends, over transports that break none: a suite that tries less, or
// something else, finds nothing wrong either.
func TestTried(t *testing.T) {
	const file = "testdata/tried.txt"
	b := new(strings.Builder)
	for _, promises := range []struct {
		name string
		Options
	}{
		{"everything", Options{Reopen: again, burst: 500}},
		{"room for ten", Options{Capacity: 10, burst: 500}},
		{"room for three", Options{Capacity: 3, burst: 500}},
		{"room for one", Options{Capacity: 1, burst: 500}},
		{"nothing", Options{Unordered: true, Lossy: true, Duplicates: true, Abrupt: true, Trusting: true,
			NoSelf: true, burst: 500}},
	} {
		for _, p := range properties() {
			if p.promised == nil || p.promised(&promises.Options) {
				fmt.Fprintf(b, "promises %s: %s: %s\n", promises.name, p.name, tried(t, p, promises.Options))
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(),
		"go test ./transport/transporttest -run TestTried -update regenerates it")
}

// tried returns the result of a property.
func tried(t *testing.T, p property, opts Options) (text string) {
	synctest.Test(t, func(t *testing.T) {
		began, over := time.Now(), make(chan struct{})
		defer close(over)
		c := &tally{packets: make(map[election.Packet]bool)}
		var net *wires
		if opts.Reopen != nil {
			opts.Reopen = func(_ testing.TB, id election.ID) election.Transport {
				return c.over().over(net.open(id))
			}
		}
		try(t, p, func(_ testing.TB, ids []election.ID) (ends []election.Transport) {
			net = newWires(ids, roomy, over)
			for _, id := range ids {
				ends = append(ends, c.over().over(net.end(id)))
			}
			return ends
		}, opts)
		text = fmt.Sprintf("%d times closed, within %v", c.closed, time.Since(began))
		synctest.Wait() // until each receiver has found its end closed
		calls := fmt.Sprintf("%d Send, %d Recv, ", c.sent, c.received)
		switch p.name {
		case "Election": // what a process sends depends on how soon it starts
			return
		case "CloseSend": // it sends until it is ended
			calls = ""
		case "CancelRecv": // the first Recv may return the packet, or the second
			calls = fmt.Sprintf("%d Send, ", c.sent)
		}
		text = fmt.Sprintf("%d packets, %016x, %s%s", len(c.packets), c.sum(), calls, text)
	})
	return text
}
