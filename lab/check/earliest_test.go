package check_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// TestEarliest: of steps a unit apart the order stays, and no message is late; where a timer would have
// to run out too soon for that no times fit.
func TestEarliest(t *testing.T) {
	in := scenario.Input{Algorithm: bully.Algorithms()[0], IDs: []election.ID{1, 2, 3},
		Initiators: []election.ID{1}}
	at := time.Duration(0)
	step := func(do observe.What, id election.ID, port election.Port) scenario.Step {
		at += scenario.Unit
		return scenario.Step{Do: do, Process: id, Port: port, At: new(at)}
	}
	// Process 1 asks 2 and 3. Each receives that a unit after the other, and both reply.
	steps := []scenario.Step{step(observe.Start, 1, 0), step(observe.Deliver, 2, 0),
		step(observe.Deliver, 3, 0),
		step(observe.Deliver, 1, 0)}
	times := func(steps []scenario.Step) (all []time.Duration) {
		for i := range steps {
			all = append(all, *steps[i].At)
		}
		return all
	}
	all, err := check.Earliest(t.Context(), in, steps)
	require.NoError(t, err)
	require.Equal(t, []time.Duration{0, 0, 0, 0}, times(all))
	require.Equal(t, scenario.Unit, *steps[0].At, "what is given stays as it is")

	_, err = check.Earliest(t.Context(), in, []scenario.Step{{Do: observe.Start, Process: 1}})
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "steps[0] has no time")

	// The time-out is over as soon as it may be, after two delays; the messages before it have arrived.
	quiet := []scenario.Step{steps[0], step(observe.Crash, 3, 0), step(observe.Crash, 2, 0),
		step(observe.Deliver, 2, 0), step(observe.Deliver, 3, 0), step(observe.Timeout, 1, 0)}
	all, err = check.Earliest(t.Context(), in, quiet)
	require.NoError(t, err)
	require.Len(t, all, len(quiet))
	last := times(all)
	require.Equal(t, []time.Duration{0, 0, 0}, last[:3])
	require.GreaterOrEqual(t, last[5], 2*scenario.Unit)

	// With a message on its way all the time there is no room for the time-out.
	all, err = check.Earliest(t.Context(), in, []scenario.Step{steps[0], step(observe.Timeout, 1, 0)})
	require.NoError(t, err)
	require.Nil(t, all)

	_, err = check.Earliest(t.Context(), in, steps[1:])
	require.ErrorIs(t, err, election.ErrInput)
	all, err = check.Earliest(t.Context(), in, make([]scenario.Step, 501))
	require.NoError(t, err)
	require.Nil(t, all)
}
