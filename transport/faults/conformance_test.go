package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/transporttest"
)

// TestConformance: links over a transport are a transport, and keep what their faults let them.
func TestConformance(t *testing.T) {
	for name, c := range map[string]struct {
		faults faults.Config
		opts   transporttest.Options
	}{
		"NoFaults": {},
		"Delay": {
			faults: faults.Config{Max: 200 * time.Microsecond},
			opts:   transporttest.Options{Abrupt: true},
		},
		"Loss": {
			faults: faults.Config{Plan: fault.Plan{Loss: 0.1}},
			opts:   transporttest.Options{Lossy: true},
		},
		"Duplicate": {
			faults: faults.Config{Plan: fault.Plan{Duplicate: 0.2}},
			opts:   transporttest.Options{Duplicates: true},
		},
		"Reorder": {
			faults: faults.Config{Plan: fault.Plan{Reorder: 0.2}, Max: 200 * time.Microsecond},
			opts:   transporttest.Options{Unordered: true, Abrupt: true},
		},
		"Everything": {
			faults: faults.Config{Plan: fault.Plan{Loss: 0.1, Duplicate: 0.2, Reorder: 0.2},
				Max: 200 * time.Microsecond},
			opts: transporttest.Options{Lossy: true, Duplicates: true, Unordered: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				c.opts.Capacity = 2000 // a burst of fewer packets
			}
			var links *faults.Links
			var net *memory.Network
			end := func(tb testing.TB, id election.ID) election.Transport {
				end, err := net.Endpoint(id)
				require.NoError(tb, err)
				return links.Over(end)
			}
			c.opts.Reopen, c.opts.Virtual = end, true
			transporttest.Test(t, func(tb testing.TB, ids []election.ID) (ends []election.Transport) {
				var err error
				links, err = faults.NewLinks(c.faults)
				require.NoError(tb, err)
				net = memory.New()
				for _, id := range ids {
					ends = append(ends, end(tb, id))
				}
				return ends
			}, c.opts)
		})
	}
}
