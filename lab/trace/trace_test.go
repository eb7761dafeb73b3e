package trace_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
)

// simulated records a simulation.
func simulated(t *testing.T, c sim.Config) *trace.Trace {
	t.Helper()
	r, err := trace.NewRecorder(&c.Input, trace.About{Schedule: c.Schedule, Seed: c.Seed})
	require.NoError(t, err)
	c.Observe = r.Observe
	_, err = sim.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return r.Trace()
}

// written returns a trace as a file.
func written(t *testing.T, tr *trace.Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, trace.Write(&b, tr))
	return b.Bytes()
}

func numbered(n int) []election.ID {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	return ids
}

// inputOf returns a small election of an algorithm, and the priorities shuffled.
func inputOf(t *testing.T, a *election.Algorithm) scenario.Input {
	t.Helper()
	n := 6
	switch a.Topology {
	case election.Hypercube:
		n = 8
	case election.Mesh:
		n = 12
	}
	ids := numbered(n)
	sim.Shuffle(3, n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	in := scenario.Input{Algorithm: a, IDs: ids}
	require.NoError(t, in.Check())
	return in
}

// TestEveryAlgorithm: what is recorded is read back, byte for byte, and its Nodes do the same again.
func TestEveryAlgorithm(t *testing.T) {
	for _, a := range catalogtest.Resting() {
		for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
			t.Run(a.Title()+"/"+string(schedule), func(t *testing.T) {
				c := sim.Config{Input: inputOf(t, a), Schedule: schedule, Seed: 5}
				tr := simulated(t, c)
				text := written(t, tr)
				require.Equal(t, string(text), string(written(t, simulated(t, c))),
					"the same seed gives the same bytes")
				back, err := trace.Read(bytes.NewReader(text))
				require.NoError(t, err)
				require.Equal(t, tr.Events, back.Events)
				require.Equal(t, string(text), string(written(t, back)))
				doesTheSame(t, back)
			})
		}
	}
}
