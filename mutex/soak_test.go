package mutex_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/mutex"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

// TestApart: after pauses and partitions all guarantees hold again, and tokens are larger than all earlier
// ones, if heartbeats inform separated arbiters of each other.
func TestApart(t *testing.T) {
	runs := uint64(2000)
	if !*long {
		runs = 40
	}
	elect := must(t)(bully.Rules(bully.Config{Delay: unit, Heartbeat: 3 * unit}))
	modified := must(t)(modbully.New(modbully.Base, modbully.Config{Delay: unit, Heartbeat: 3 * unit}))
	for _, c := range []mutex.Config{{CriticalSection: unit, Election: elect},
		{CriticalSection: unit, Election: modified}} {
		a := must(t)(mutex.Arbiter(c))
		require.True(t, a.Faults.Pause && a.Faults.Cut)
		r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Runs: runs})
		require.NoError(t, err)
		require.Nil(t, r.Failure)
	}
	a := must(t)(mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0]}))
	require.False(t, a.Faults.Pause || a.Faults.Cut)
}
