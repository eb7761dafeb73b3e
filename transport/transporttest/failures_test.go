package transporttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-election/election"
)

// recorder is a testing.TB that keeps what is reported to it.
type recorder struct {
	testing.TB
	cleanups []func()
	said     []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Failed() bool      { return len(r.said) > 0 }
func (r *recorder) Cleanup(f func())  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Error(args ...any) { r.said = append(r.said, fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

// failures returns the failures that the suite reports, by property, for transports with one part replaced, and
// the total duration.
func failures(t *testing.T, size int, opts Options, s spoilt) (said map[string]string, took time.Duration) {
	t.Helper()
	opts.burst = 5000
	said = make(map[string]string)
	for _, p := range properties() {
		if p.promised != nil && !p.promised(&opts) {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			over := make(chan struct{})
			defer close(over)
			r := &recorder{TB: t}
			var net *wires
			opts := opts
			if opts.Reopen != nil {
				opts.Reopen = func(_ testing.TB, id election.ID) election.Transport {
					return s.over(net.open(id))
				}
			}
			try(r, p, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
				net = newWires(ids, size, over)
				for _, id := range ids {
					ends = append(ends, s.over(net.end(id)))
				}
				return ends
			}, opts)
			for _, f := range slices.Backward(r.cleanups) {
				f()
			}
			if r.Failed() {
				said[p.name] = strings.Join(r.said, "\n")
			}
			took += time.Since(began)
		})
	}
	return said, took
}

// over returns s with its own wire.
func (s spoilt) over(w *wire) election.Transport {
	s.wire = w
	return &s
}

// again is the Reopen of Options if processes recover.
func again(testing.TB, election.ID) election.Transport { return nil }

// marked reports whether a packet is affected by a fault: every hundredth packet is.
func marked(p *election.Packet) bool { return p.Msg.Value%100 == 99 }
