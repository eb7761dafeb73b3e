package trace_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/svgtest"
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

// TestUnderWay: a picture grows as far down as the ends of messages need that are still under way when it
// ends. They lie on nothing that is below it, nor on each other, however many leave one process at once.
func TestUnderWay(t *testing.T) {
	for _, name := range []string{"bully", "mutex", "inquiry", "modbully", "invitation"} {
		for n := 4; n <= 9; n++ {
			some := numbered(n)
			r := rand.New(rand.NewPCG(uint64(n), 1))
			r.Shuffle(n, func(i, j int) { some[i], some[j] = some[j], some[i] })
			for _, starts := range [][]election.ID{numbered(n), {1}, some[:1+r.IntN(n)]} {
				var text strings.Builder // drawn once, as this is slow
				require.NoError(t, svgOf(&text, byHand(t, name, n, starts...)))
				assert.Empty(t, svgtest.Faults(text.String()), "%s %d %v", name, n, starts)
			}
		}
	}
}
