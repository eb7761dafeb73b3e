package check

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// mostTimed bounds the steps that are timed: that takes their square.
const mostTimed = 500

// Earliest returns the same steps, which have times, at the earliest times at which no message is later than
// the bound on delays of the algorithm and each timer runs for its time; nil if there are none, if processes
// act otherwise then, or if there are more than 500 steps. So what a hand did, which takes a unit for each
// act, is judged by its order. Where the algorithm has no such bound messages may take any time. The error
// wraps [election.ErrInput]: the steps cannot be, at these times or at the earliest.
func Earliest(ctx context.Context, in scenario.Input, steps []scenario.Step) ([]scenario.Step, error) {
	if err := in.Check(); err != nil || len(steps) > mostTimed {
		return nil, err
	}
	bound := in.Algorithm.DelayBound()
	if bound == 0 {
		bound = scenario.Unit << 20
	}
	for i, step := range steps {
		if step.At == nil {
			return nil, input.Errorf("steps[%d] has no time", i)
		}
	}
	all := slices.Clone(steps)
	// The second round takes the steps at their new times, and finds the same times unless processes act
	// otherwise then.
	for round := range 2 {
		t := &moments{bound: bound}
		_, err := sim.Run(ctx, sim.Config{Input: in, Steps: all, Observe: t.observe})
		if err != nil && !errors.Is(err, observe.ErrPanic) && !errors.Is(err, observe.ErrPort) {
			return nil, err
		}
		at := t.earliest()
		if at == nil {
			return nil, nil
		}
		for i := range all {
			now, ok := slices.BinarySearch(t.times, *all[i].At)
			if !ok { // a Node panics at this step, which no observer sees: it comes with the one before
				now = len(at) - 1
			}
			if round > 0 && at[now] != *all[i].At {
				return nil, nil
			}
			all[i].At = new(at[now])
		}
	}
	return all, nil
}

// moments are what the times of a run have to obey: messages arrive within the bound on delays, and timers
// run for their time.
type moments struct {
	bound time.Duration   // of delays
	times []time.Duration // of the run, each once
	least []apart
	open  []deadline // messages on their way and timers that run
}

// apart: the moment to is at least by after the moment from; by may be negative.
type apart struct {
	from, to int
	by       time.Duration
}

// deadline says until when something ends that began at a moment: a message, by its number, or a timer of a
// process.
type deadline struct {
	process   election.ID // 0 of a message
	number    uint64      // of a message, or the owner of a timer, as of process 0
	began     int
	least, by time.Duration
}

// observe takes all that happens in the run.
func (t *moments) observe(o *observe.Occurrence) {
	now := len(t.times) - 1
	if now < 0 || t.times[now] != o.At {
		t.times = append(t.times, o.At)
		if now++; now > 0 {
			t.least = append(t.least, apart{now - 1, now, 0})
		}
	}
	switch o.What {
	case observe.Lose:
		t.end(now, 0, o.Message, false)
	case observe.Crash:
		t.end(now, o.Process, every, false)
	case observe.Step:
		t.step(o, now)
	}
}

// every is the number of all timers of a process.
const every = 1 << 32

// step takes one step of a process.
func (t *moments) step(o *observe.Occurrence, now int) {
	switch o.Event.Op {
	case election.Recv:
		t.end(now, 0, o.Message, false)
	case election.Timeout:
		t.end(now, o.Process, uint64(newOwner(0, o.Event.Layer, o.Event.Timer)), true)
	}
	for i := range o.Effects.Sends {
		t.open = append(t.open, deadline{0, o.First + uint64(i), now, 0, t.bound})
	}
	for _, change := range o.Effects.Timers {
		number := uint64(newOwner(0, change.Layer, change.Timer))
		if change.All {
			number = every + 1 + uint64(change.Layer) // all of the layer
		}
		if t.end(now, o.Process, number, false); !change.Stop {
			least := max(change.Min, 0)
			t.open = append(t.open, deadline{o.Process, number, now, least, max(change.Max, least)})
		}
	}
}

// end notes that a message is no longer on its way, or that timers do not run any more; due if one has run
// out.
func (t *moments) end(now int, process election.ID, number uint64, due bool) {
	t.open = slices.DeleteFunc(t.open, func(d deadline) bool {
		if d.process != process || d.number != number && number != every && number != every+d.number>>8+1 {
			return false
		}
		t.least = append(t.least, apart{now, d.began, -d.by})
		if due {
			t.least = append(t.least, apart{d.began, now, d.least})
		}
		return true
	})
}

// earliest returns the earliest time of each moment; nil if no times obey.
func (t *moments) earliest() []time.Duration {
	for _, d := range t.open {
		t.least = append(t.least, apart{len(t.times) - 1, d.began, -d.by})
	}
	at := make([]time.Duration, len(t.times))
	// Each round sets at least one moment for good, unless two demands push each other forever.
	for round, more := 0, true; more; round++ {
		if more = false; round > len(at) {
			return nil
		}
		for _, is := range t.least {
			if least := at[is.from] + is.by; at[is.to] < least {
				at[is.to], more = least, true
			}
		}
	}
	return at
}
