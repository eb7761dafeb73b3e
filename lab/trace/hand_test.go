package trace_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// byHand runs an algorithm by hand: these processes start, and nothing else happens.
func byHand(t *testing.T, name string, n int, starts ...election.ID) *trace.Trace {
	t.Helper()
	c := network(t, name, n, nil)
	c.Schedule = sim.Hand
	for i, id := range starts {
		c.Acts = append(c.Acts, scenario.Act{After: uint64(n + i),
			Step: scenario.Step{Do: observe.Start, Process: id}})
	}
	return simulated(t, c)
}
