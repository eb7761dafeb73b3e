package trace_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// processOf returns what process p of an election needs but for its transport.
func processOf(t *testing.T, in *scenario.Input, p int, r *trace.Recorder) process.Config {
	c := process.Config{
		Algorithm: in.Algorithm, Founding: true, Start: p == 0 || !in.Algorithm.SingleInitiator,
		Observe: r.Observe,
	}
	require.NoError(t, c.Place(in.Topology, in.Ranks(), p))
	return c
}

// TestProcesses: processes over a transport share a recorder. Their messages have no numbers, and
// still every receipt finds its sending.
func TestProcesses(t *testing.T) {
	for _, name := range []string{"lcr", "hs", "bully", "echo"} {
		a, err := catalog.Find(name, "")
		require.NoError(t, err)
		in := scenario.Input{Algorithm: a, IDs: numbered(5)}
		r, err := trace.NewRecorder(&in, trace.About{Driver: "processes"})
		require.NoError(t, err)
		network := memory.New()
		ends := make([]election.Transport, len(in.IDs))
		for p, id := range in.IDs { // all, before anybody sends
			ends[p], err = network.Endpoint(id)
			require.NoError(t, err)
		}
		var wg sync.WaitGroup
		for p := range in.IDs {
			c := processOf(t, &in, p, r)
			c.Transport = ends[p]
			wg.Go(func() {
				if _, err := process.Run(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.NoError(t, r.Close())
		received := 0
		for i := range r.Trace().Events {
			if e := &r.Trace().Events[i]; e.Do == observe.Deliver {
				received++
				require.NotZero(t, e.From)
			}
		}
		require.NotZero(t, received)
		replays(t, r.Trace())
	}
}
