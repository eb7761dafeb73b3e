package check_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// TestPause: a process that is paused takes its messages, timers and starts late, while time passes.
func TestPause(t *testing.T) {
	clock := func(e *election.Env) { e.SetTimer(9, 3*second, 3*second) } // for which time passes
	hour := func(ev *election.Event) uint64 { return uint64(1 + ev.At/second) }
	for name, c := range map[string]struct {
		do   toyStep
		late bool // whether process 1 is to start
	}{
		"message": {do: func(n *toy, e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				clock(e)
				e.Send(0, ball(0))
			case election.Recv:
				n.believe(e, hour(ev))
			}
		}},
		"timer": {do: func(n *toy, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Start:
				clock(e)
			case ev.Op == election.Init && n.self.ID == 1:
				e.SetTimer(1, second, second)
			case ev.Op == election.Timeout && ev.Timer == 1:
				n.believe(e, hour(ev))
			}
		}},
		"start": {late: true, do: func(n *toy, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Start && n.self.ID == 2:
				clock(e)
			case ev.Op == election.Start:
				n.believe(e, hour(ev))
			}
		}},
	} {
		config := toys(election.Complete, 2, c.do)
		config.Delay = second
		if !c.late {
			config.Initiators = rising(2)[1:]
		}
		_, last := numbers(t, config)
		require.NotContains(t, last, election.ID(3), name)
		config.Pauses = 1
		_, paused := numbers(t, config)
		for hour := range paused {
			require.LessOrEqual(t, hour, election.ID(4), name)
		}
		require.Contains(t, paused, election.ID(3), name)
		require.Contains(t, paused, election.ID(4), name)
		for hour := range last {
			require.Contains(t, paused, hour, "the pause need not come, nor last")
		}
	}
}

// TestCut: what is sent over a cut is lost, from its beginning to its end, and nothing else is.
func TestCut(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Recv:
			n.n |= 1 << ev.Msg.Value
			n.believe(e, 1+n.n)
		case n.self.ID == 2 && ev.Op != election.Init && n.n < 4: // sends bit after bit
			e.Send(0, ball(n.n))
			n.n++
			e.SetTimer(1, second, second)
		}
	})
	c.Initiators = rising(2)[1:]
	for _, c.Delay = range []time.Duration{0, second} {
		c.Cuts = 0
		_, last := numbers(t, c)
		require.Equal(t, set(1+0b1111), last)
		c.Cuts = 1
		_, last = numbers(t, c)
		delete(last, 0) // no bit has come
		require.Equal(t, set(1+0b1111, 1+0b1110, 1+0b1101, 1+0b1011, 1+0b0111, 1+0b1100, 1+0b1001, 1+0b0011,
			1+0b1000, 1+0b0001), last)
		c.Cuts = 2
		_, last = numbers(t, c)
		require.Contains(t, last, election.ID(1+0b1010))
		require.Contains(t, last, election.ID(1+0b0101))
	}
}

// TestGroups: the network may be cut between any two groups.
func TestGroups(t *testing.T) {
	c := toys(election.Complete, 3, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start:
			for port := range election.Port(2) {
				e.Send(port, ball(uint64(n.self.ID)))
			}
		case ev.Op == election.Recv:
			n.n |= 1 << (3*n.self.ID + election.ID(ev.Msg.Value))
			n.believe(e, n.n)
		}
	})
	heard := make(map[[3]uint64]bool) // what 1, 2 and 3 have heard of the others
	c.Workers, c.Cuts, c.Started = 1, 1, false
	c.Properties = []check.Property{{Name: "last", Kind: verdict.Finally, Holds: func(s *check.State) bool {
		var all [3]uint64
		for p := range all {
			all[p] = uint64(s.Outcome(p).Leader.ID) >> (3 * (p + 1))
		}
		heard[all] = true
		return true
	}}}
	holds(t, c)
	const one, two, three = 1 << 1, 1 << 2, 1 << 3
	for _, of := range [][3]uint64{
		{two | three, one | three, one | two}, {0, three, two}, {three, 0, one}, {two, one, 0},
	} {
		require.Contains(t, heard, of)
	}
	require.NotContains(t, heard, [3]uint64{}, "two of three are together in any cut")
}

// inTurn returns processes that are in a critical section one after another by their clocks, and take
// tokens in that order, whatever time it is.
func inTurn() check.Config {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		place := uint64(n.self.ID)
		switch {
		case ev.Op == election.Init:
			at := time.Duration(place) * second
			e.SetTimer(1, at, at)
		case ev.Op == election.Timeout && ev.Timer == 1:
			e.Raise(election.Event{Op: election.Entered, Msg: election.Message{Value: place}})
			e.SetTimer(2, second/2, second/2)
		case ev.Op == election.Timeout && ev.Timer == 2:
			e.Raise(election.Event{Op: election.Exited})
		}
	})
	c.Algorithm.Sections, c.Initiators = 1, []election.ID{}
	c.Delay, c.Tick = second, second/2
	return c
}

// TestTokensOfAPause: a process that is paused before it enters has a token that is too small. The simulator
// takes the steps of the counterexample, and a Judge finds the same. That two are inside is not judged;
// nor is the token, where the description says that pauses are survived.
func TestTokensOfAPause(t *testing.T) {
	c := inTurn()
	holds(t, c)
	c.Pauses = 1
	r := run(t, c)
	require.Equal(t, verdict.Tokens, r.Counterexample.Property)
	for _, v := range r.Properties {
		require.NotEqual(t, verdict.Exclusive, v.Property)
	}
	trail := replayed(t, c, verdict.Tokens)
	require.Equal(t, []observe.What{observe.Pause, observe.Timeout, observe.Resume, observe.Timeout},
		dos(trail.Steps))
	property, reason := ruled(t, c.Input, trail.Steps, verdict.Tokens)
	require.Equal(t, verdict.Tokens, property)
	require.EqualError(t, reason, trail.Reason.Error())
	require.Equal(t, "toy promises nothing if processes pause", c.Outside())
	// Where pauses are survived the token of such an entry may be too small. That of another entry may not.
	c.Algorithm.Faults.Pause = true
	require.Empty(t, c.Outside())
	holds(t, c)
	property, reason = ruled(t, c.Input, trail.Steps, verdict.Tokens)
	require.Empty(t, property)
	require.NoError(t, reason)
}

// TestTokensAfterAPause: an algorithm that survives pauses may give one small token, to what was asked for
// before a pause. The process's next entry is judged again.
func TestTokensAfterAPause(t *testing.T) {
	enter := func(e *election.Env, token uint64) {
		e.Raise(election.Event{Op: election.Entered, Msg: election.Message{Value: token}})
		e.Raise(election.Event{Op: election.Exited})
	}
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Init:
			e.SetTimer(0, second, second)
		case ev.Op == election.Timeout && ev.Timer == 0 && n.self.ID == 2:
			enter(e, 5)
			e.SetTimer(1, second, second) // for which time passes
		case ev.Op == election.Timeout && ev.Timer == 0 && ev.At > second:
			enter(e, 4)
			e.SetTimer(1, second, second)
		case ev.Op == election.Timeout && n.self.ID == 1 && ev.Timer == 1:
			enter(e, 3)
		}
	})
	c.Algorithm.Sections, c.Algorithm.Faults.Pause, c.Initiators = 1, true, []election.ID{}
	c.Delay = second
	holds(t, c)
	c.Pauses = 1
	trail := replayed(t, c, verdict.Tokens)
	require.ErrorContains(t, trail.Reason, "process 1 entered section 0 with token 3, after token 5")
	_, reason := ruled(t, c.Input, trail.Steps, verdict.Tokens)
	require.EqualError(t, reason, trail.Reason.Error())
}

// TestRequestOverACut: a request that is lost is never sent again, so that it is not served.
func TestRequestOverACut(t *testing.T) {
	a := find(t, "mutex", "ricartagrawala", rising(2), nil)
	c := check.Config{Input: input(a, rising(2)), Cuts: 1}
	trail := fails(t, c, verdict.Served)
	require.Contains(t, dos(trail.Steps), observe.Cut)
	require.NotContains(t, dos(trail.Steps), observe.Lose)
	property, reason := ruled(t, c.Input, trail.Steps, verdict.Served)
	require.Equal(t, verdict.Served, property)
	require.EqualError(t, reason, trail.Reason.Error())
	require.Equal(t, "mutex/ricartagrawala promises nothing if the network is cut", c.Outside())
	require.Equal(t, "1 cut of the network", c.BudgetsInWords())
}

// TestCutsAreDrawn: a counterexample has the cut as a step, which a picture draws as a band and the log numbers once,
// and what is sent over it is lost in the simulator without more steps.
func TestCutsAreDrawn(t *testing.T) {
	a := find(t, "mutex", "ricartagrawala", rising(3), nil)
	c := check.Config{Input: input(a, rising(3)), Cuts: 1}
	trail := fails(t, c, verdict.Served)
	in := c.Input
	require.NoError(t, in.Check())
	recorder, err := trace.NewRecorder(&in, trace.About{Property: trail.Property})
	require.NoError(t, err)
	lost := 0
	_, err = sim.Run(t.Context(), sim.Config{Input: in, Steps: trail.Steps, Observe: observe.Both(recorder.Observe,
		func(o *observe.Occurrence) {
			if o.What == observe.Lose {
				lost++
			}
		})})
	require.NoError(t, err)
	require.Positive(t, lost)
	var picture, log bytes.Buffer
	require.NoError(t, trace.WriteSVG(&picture, recorder.Trace()))
	require.Equal(t, 1, strings.Count(picture.String(), `<g class="partition">`))
	require.NoError(t, trace.WriteSteps(&log, recorder.Trace(), false))
	require.Contains(t, log.String(), fmt.Sprintf("\n%4d.", len(trail.Steps)))
	require.NotContains(t, log.String(), fmt.Sprintf("\n%4d.", len(trail.Steps)+1))
}

// TestPausedArbiter: an arbiter that pauses gives no token twice, nor one that is too small, whether
// another one takes over meanwhile or not. A client that pauses while its grant is on the way enters
// late: the arbiter may have granted its own request meanwhile, if that came later.
func TestPausedArbiter(t *testing.T) {
	a := find(t, "mutex", "arbiter", rising(2), nil)
	c := check.Config{Input: input(a, rising(2)), Delay: a.Delay, Pauses: 1}
	steps := replayed(t, c, verdict.Tokens).Steps
	paused := slices.IndexFunc(steps, func(s scenario.Step) bool { return s.Do == observe.Pause })
	require.EqualValues(t, 1, steps[paused].Process, "the client")
	c.Started = true // so that the request of the arbiter, which is on no link, is the first
	require.True(t, judged(t, holds(t, c), verdict.Tokens).Known)
	if !*long {
		return
	}
	a = find(t, "mutex", "arbiter", rising(2), map[string]params.Value{"heartbeat": {Number: 2}})
	c = check.Config{Input: input(a, rising(2)), Delay: a.Delay, Pauses: 1, Until: 20 * second}
	require.True(t, judged(t, holds(t, c), verdict.Tokens).Known)
	// Requests that come before the end of a cut may be granted by two arbiters.
	c.Pauses, c.Cuts, c.Until = 0, 1, 12*second
	holds(t, c)
}

// TestPauseInput: what cannot pause or be cut is refused.
func TestPauseInput(t *testing.T) {
	none := toys(election.Complete, 2, func(*toy, *election.Env, *election.Event) {})
	for want, adjust := range map[string]func(c *check.Config){
		"pauses: without a delay, time is not modelled and a pause is the same as a slow message": func(c *check.Config) {
			c.Pauses = 1
		},
		"cuts: 13 processes, at most 12 can be divided": func(c *check.Config) {
			c.IDs, c.Cuts = rising(13), 1
		},
		"pauses: -1 is not between 0 and 1024": func(c *check.Config) { c.Pauses = -1 },
		"cuts: 1025 is not between 0 and 1024": func(c *check.Config) { c.Cuts = 1025 },
	} {
		c := none
		adjust(&c)
		_, err := check.Run(t.Context(), c)
		require.EqualError(t, err, election.ErrInput.Error()+": "+want)
	}
}
