package electiontest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/newcomer"
	"github.com/go-election/election/lcr"
)

// TestDetector: an algorithm that survives crashes if a failure detector reports them is tried with crashes
// and reports. One that ignores a report fails wherever a process crashes.
func TestDetector(t *testing.T) {
	ring, err := lcr.Participant().OverComplete()
	require.NoError(t, err)
	for _, a := range []*election.Algorithm{ring, newcomer.Second()} {
		deaf := spoil(a, spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
			if ev.Op != election.Suspect {
				n.Node.Step(e, ev)
			}
		}})
		o := Options{Seeds: 50, States: 5000, Exhaustive: []int{2, 3}, Allocates: true}
		got := failures(t, deaf, o, "Goroutines", "Allocation", "Unknown", "Purity", "State")
		require.Contains(t, got["Simulation"], "crash")
		require.Contains(t, got["Exhaustive"], "crashes: 1")
		require.Contains(t, got["Repeated"], "after the leader has crashed")
		require.Len(t, got, 3, "%v", got)

		got = failures(t, a, o, "Goroutines", "Allocation", "Unknown", "Purity", "State")
		require.Empty(t, got)
	}
}
