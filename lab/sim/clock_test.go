package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
)

// TestClockAtUntil: time passes while nothing happens, so what is posted next comes at Until.
func TestClockAtUntil(t *testing.T) {
	var started []time.Duration
	in := wildInput(1, func(e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Init:
			e.SetTimer(0, 7*sim.Unit, 7*sim.Unit)
		case election.Start, election.Timeout:
			started = append(started, ev.At)
		}
	})
	in.Initiators = []election.ID{}
	s, err := sim.New(sim.Config{Input: in, Until: 3 * sim.Unit})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	require.Equal(t, 3*sim.Unit, s.Now(), "a timer runs out later")
	s.Post(0, start())
	s.Extend(2 * sim.Unit)
	require.False(t, s.Step())
	require.Equal(t, 3*sim.Unit, s.Now(), "never back")
	s.Extend(9 * sim.Unit)
	require.NoError(t, s.Run(t.Context()))
	require.Equal(t, 9*sim.Unit, s.Now(), "nothing is left")
	s.Post(0, start())
	require.Equal(t, []time.Duration{3 * sim.Unit, 7 * sim.Unit, 9 * sim.Unit}, started)
	s.Extend(math.MaxInt64 - 1)
	require.NoError(t, s.Run(t.Context()))
	s.Extend(0)
	require.False(t, s.Step())
	require.Equal(t, time.Duration(math.MaxInt64/2), s.Now(), "the end of virtual time")
}
