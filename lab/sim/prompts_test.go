package sim_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// TestPrompts: if all processes get a report of a crash, the arbiter fails over with any election below. The
// run and its trace contain the reports, the same each time.
func TestPrompts(t *testing.T) {
	for _, name := range []string{"lcr", "hs", "franklin", "bully", "treeelect", "echo", "inquiry"} {
		params := map[string]params.Value{"election": {Text: name}}
		run := func(back time.Duration) (sim.Result, *trace.Trace) {
			a, err := catalog.Find("mutex", "arbiter")
			require.NoError(t, err)
			ids := []election.ID{1, 2, 3, 4, 5}
			a, err = scenario.Configure(a, params, ids, sim.Unit)
			require.NoError(t, err)
			in := scenario.Input{Algorithm: a, IDs: ids, CrashAt: []scenario.At{{ID: 5, Time: 3 * sim.Unit}}}
			in.SuspectAfter = 2 * sim.Unit
			if back > 0 {
				in.RestartAt = []scenario.At{{ID: 5, Time: back}}
			}
			recorder, err := trace.NewRecorder(&in, trace.About{Params: params})
			require.NoError(t, err)
			r, err := sim.Run(t.Context(), sim.Config{Input: in, Observe: recorder.Observe})
			require.NoError(t, err)
			return r, recorder.Trace()
		}
		for _, back := range []time.Duration{0, 200 * sim.Unit} {
			r, tr := run(back)
			again, _ := run(back)
			require.Equal(t, r.TraceHash, again.TraceHash)
			require.NoError(t, r.Err(), name)
			entered := make(map[election.ID]bool)
			for _, e := range r.Entries {
				entered[e.ID] = true
			}
			for id := range election.ID(4) {
				require.True(t, entered[id+1], "%s: %d is served: %v", name, id+1, r.Entries)
			}
			suspects, trusts := 0, 0
			for i := range tr.Events {
				switch tr.Events[i].Do {
				case observe.Suspect:
					suspects++
					require.Equal(t, 5*sim.Unit, tr.Events[i].At)
				case observe.Trust:
					trusts++
					require.Equal(t, 202*sim.Unit, tr.Events[i].At)
				}
			}
			require.Equal(t, 4, suspects)
			require.Equal(t, back > 0, trusts == 4)
			var b bytes.Buffer
			require.NoError(t, trace.Write(&b, tr))
			read, err := trace.Read(&b)
			require.NoError(t, err)
			require.Equal(t, 2*sim.Unit, read.Header.Scenario.SuspectAfter)
			d, err := trace.Replay(read, catalog.Find)
			require.NoError(t, err)
			require.Nil(t, d)
		}
	}
}
