package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// TestTiming: of a run, the latest message counts, and each timer that runs out early or not at all, unless
// it was stopped, set again or lost in a crash.
func TestTiming(t *testing.T) {
	const second = time.Second
	in := &scenario.Input{Algorithm: &election.Algorithm{Delay: second}}
	step := func(at time.Duration, ev election.Event, timers ...election.TimerChange) *observe.Occurrence {
		return &observe.Occurrence{What: observe.Step, Process: 1, At: at, Event: &ev,
			Effects: &election.Effects{Timers: timers}}
	}
	start, out := election.Event{Op: election.Start}, election.Event{Op: election.Timeout, Timer: 3}
	set := func(d time.Duration) election.TimerChange {
		return election.TimerChange{Timer: 3, Min: d, Max: 2 * d}
	}
	stop := election.TimerChange{Timer: 3, Stop: true}
	send := step(0, start)
	send.First = 7
	send.Effects.Sends = make([]election.Outgoing, 2)
	recv := step(4*second, election.Event{Op: election.Recv})
	recv.Message = 8
	for i, c := range []struct {
		run      []*observe.Occurrence
		mistimed int
		late     time.Duration
	}{
		{[]*observe.Occurrence{step(0, start, set(3*second))}, 0, 0},
		{[]*observe.Occurrence{step(0, start, set(second))}, 1, 0},
		{[]*observe.Occurrence{step(0, start, set(second)), step(1, start, stop)}, 0, 0},
		{[]*observe.Occurrence{step(0, start, set(second)), step(1, start, set(4*second))}, 0, 0},
		{[]*observe.Occurrence{step(0, start, set(second)), step(second, out)}, 0, 0},
		{[]*observe.Occurrence{step(0, start, set(second)), step(2*second, out)}, 0, 0},
		{[]*observe.Occurrence{step(0, start, set(second)), step(second-1, out)}, 1, 0},
		{[]*observe.Occurrence{step(0, start, set(second)), step(2*second+1, out)}, 1, 0},
		{[]*observe.Occurrence{step(0, start, set(second)), {What: observe.Crash, Process: 1}}, 0, 0},
		{[]*observe.Occurrence{step(0, start, set(second)), {What: observe.Crash, Process: 2}}, 1, 0},
		{[]*observe.Occurrence{send}, 0, 4 * second},
		{[]*observe.Occurrence{send, recv}, 0, 4 * second},
		{[]*observe.Occurrence{send, {What: observe.Lose, Message: 7}, recv}, 0, 3 * second},
		{[]*observe.Occurrence{send, {What: observe.Lose, Message: 7}, {What: observe.Lose, Message: 8}},
			0, 0},
	} {
		timing := newTiming(in)
		for _, o := range c.run {
			timing.observe(o)
		}
		require.Equal(t, breaches{late: c.late, mistimed: c.mistimed},
			timing.end(5*second), i)
	}
}
