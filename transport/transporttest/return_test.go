package transporttest

import (
	"context"
	"sync"
	"time"

	"github.com/go-election/election"
)

// brokenReturns are transports that fail only when a process recovers.
func brokenReturns() map[string]broken {
	type way struct {
		from *wire
		to   election.ID
	}
	var mu sync.Mutex
	refused := make(map[way]time.Time) // when a wire has last found its peer closed
	return map[string]broken{
		"returns": {opts: Options{Reopen: again}},
		"drops for a while what is for a peer that was absent": {
			spoilt: spoilt{send: func(w *wire, ctx context.Context, p election.Packet) error {
				mu.Lock()
				to, last := w.net.end(p.To), refused[way{w, p.To}]
				if to != nil && to.isClosed() && !w.isClosed() {
					refused[way{w, p.To}] = time.Now()
				}
				mu.Unlock()
				if !w.isClosed() && time.Since(last) < 20*time.Millisecond {
					return nil
				}
				return w.Send(ctx, p)
			}},
			opts: Options{Reopen: again},
			want: map[string]string{
				"Return": "packets are lost: the first packet from process 1 to process " +
					"9223372036854775815, after one of them has come back, never arrived",
			},
		},
	}
}
