package soak_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
)

// TestLivelock: a run without end is one that fails, however it continues, and whether it could ever rest.
func TestLivelock(t *testing.T) {
	soak.LowerStepLimit(t, 1<<17)
	beating, err := bully.Rules(bully.Config{Heartbeat: 8 * sim.Unit})
	require.NoError(t, err)
	for name, a := range map[string]*election.Algorithm{
		"one message for each": endless(),
		"two messages for each": spoil(lcr.Participant(),
			func(n election.Node, e *election.Env, ev *election.Event) {
				if n.Step(e, ev); ev.Op == election.Recv {
					e.Send(0, ev.Msg)
					e.Send(0, ev.Msg)
				}
			}),
		"a timer that runs out at once": spoil(lcr.Participant(),
			func(n election.Node, e *election.Env, ev *election.Event) {
				if n.Step(e, ev); ev.Op != election.Init {
					e.SetTimer(3, 0, 0)
				}
			}),
		"with heartbeats": spoil(beating, func(n election.Node, e *election.Env, ev *election.Event) {
			if n.Step(e, ev); ev.Op == election.Recv || ev.Op == election.Start {
				e.SetTimer(99, 1, 1)
			}
			if ev.Op == election.Timeout && ev.Timer == 99 {
				e.SetTimer(99, 1, 1)
			}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			c := soak.Config{Algorithm: a, Processes: 3}
			for seed := uint64(0); ; seed++ {
				require.Less(t, seed, uint64(20))
				plan, err := c.Plan(seed)
				require.NoError(t, err)
				if v := plan.Run(nil).Violation; v != nil {
					require.Equal(t, verdict.Rests, v.Property)
					require.Regexp(t, `^it continues after \d+ (steps|units)$`, v.Reason)
					return
				}
			}
		})
	}
}

// TestInterruptedRun: a long run is left where it is, and is no failure.
func TestInterruptedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	a := spoil(endless(), func(n election.Node, e *election.Env, ev *election.Event) {
		if n.Step(e, ev); steps == 50_000 {
			cancel()
		}
		steps++
	})
	r, err := soak.Run(ctx, soak.Config{Algorithm: a, Workers: 1})
	require.NoError(t, err)
	require.ErrorIs(t, r.Stopped, context.Canceled)
	require.Nil(t, r.Failure)
	require.Less(t, steps, 70_000)
}

// TestManyProcesses: what takes long because there are many is not without end.
func TestManyProcesses(t *testing.T) {
	const limit = 1 << 14
	soak.LowerStepLimit(t, limit)
	plan, err := (&soak.Config{Algorithm: bully.Algorithms()[0], Processes: 110}).Plan(2)
	require.NoError(t, err)
	o := plan.Run(nil)
	require.Nil(t, o.Violation)
	require.Greater(t, o.Messages, uint64(limit))
}
