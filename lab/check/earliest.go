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

// Earliest returns the same steps at the earliest times at which no message is later than the bound on
// delays of the algorithm and each timer runs for its time; nil if there are none, or if processes act
// otherwise then. So what a hand did, which takes a unit for each act, is judged by its order. Where the
// algorithm has no such bound messages may take any time. The error wraps [election.ErrInput]: the steps
// cannot be, or there are more than 500.
func Earliest(ctx context.Context, in scenario.Input, steps []scenario.Step) ([]scenario.Step, error) {
	if len(steps) > mostTimed {
		return nil, input.Errorf("steps: %d, at most %d can be timed anew", len(steps), mostTimed)
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	bound := in.Algorithm.DelayBound()
	if bound == 0 {
		bound = scenario.Unit << 20
	}
	all := slices.Clone(steps)
	for i, at := 0, time.Duration(-scenario.Unit); i < len(all); i++ {
		at = all[i].When(at)
		all[i].At = new(at)
	}
	// The second round takes the steps at their new times, and finds the same times unless processes act
	// otherwise then.
	for round := range 2 {
		t := &moments{bound: bound, open: make(map[any]deadline)}
		_, err := sim.Run(ctx, sim.Config{Input: in, Steps: all, Observe: t.observe})
		switch {
		case err == nil:
		case errors.Is(err, observe.ErrPanic) || errors.Is(err, observe.ErrPort):
			t.fail(&all[len(all)-1])
		case round == 0:
			return nil, err
		default:
			return nil, ctx.Err()
		}
		times, ok := t.earliest()
		if !ok {
			return nil, nil
		}
		for i := range all {
			at := times[*all[i].At]
			if round > 0 && at != *all[i].At {
				return nil, nil
			}
			all[i].At = new(at)
		}
	}
	return all, nil
}

// moments are what the times of a run have to obey: messages arrive within the bound on delays, and
// timers run for their time.
type moments struct {
	bound time.Duration   // of delays
	times []time.Duration // of the run, each once
	least []apart
	open  map[any]deadline // messages and timers, by number and by timed
}

// apart: the moment to is at least by after the moment from; by may be negative.
type apart struct {
	from, to int
	by       time.Duration
}

// deadline says until when something happens that began at a moment.
type deadline struct {
	began     int
	least, by time.Duration
}

// timed names a timer.
type timed struct {
	process election.ID
	owner   owner // of process 0
}

// observe takes all that happens in the run.
func (t *moments) observe(o *observe.Occurrence) {
	now := t.at(o.At)
	switch o.What {
	case observe.Lose:
		t.close(o.Message, now, false)
	case observe.Crash:
		t.stop(now, func(is timed) bool { return is.process == o.Process })
	case observe.Step:
		t.step(o, now)
	}
}

// stop notes that timers do not run any more.
func (t *moments) stop(now int, which func(timed) bool) {
	for key := range t.open {
		if is, ok := key.(timed); ok && which(is) {
			t.close(key, now, false)
		}
	}
}

// at returns the number of a moment that is no earlier than all before.
func (t *moments) at(time time.Duration) int {
	now := len(t.times) - 1
	if now >= 0 && t.times[now] == time {
		return now
	}
	t.times = append(t.times, time)
	if now++; now > 0 {
		t.least = append(t.least, apart{now - 1, now, 0})
	}
	return now
}

// step takes one step of a process.
func (t *moments) step(o *observe.Occurrence, now int) {
	switch o.Event.Op {
	case election.Recv:
		t.close(o.Message, now, false)
	case election.Timeout:
		t.close(timed{o.Process, newOwner(0, o.Event.Layer, o.Event.Timer)}, now, true)
	}
	for i := range o.Effects.Sends {
		t.open[o.First+uint64(i)] = deadline{now, 0, t.bound}
	}
	for _, change := range o.Effects.Timers {
		t.stop(now, func(is timed) bool { return is.process == o.Process && is.owner.matches(0, &change) })
		if !change.Stop {
			least := max(change.Min, 0)
			t.open[timed{o.Process, newOwner(0, change.Layer, change.Timer)}] = deadline{now, least,
				max(change.Max, least)}
		}
	}
}

// close notes that a message is no longer on its way, or that a timer does not run any more: its time
// may have to be over.
func (t *moments) close(key any, now int, over bool) {
	d, ok := t.open[key]
	if !ok {
		return
	}
	delete(t.open, key)
	t.least = append(t.least, apart{now, d.began, -d.by})
	if over {
		t.least = append(t.least, apart{d.began, now, d.least})
	}
}

// earliest returns the earliest time of each moment; false if no times obey.
func (t *moments) earliest() (map[time.Duration]time.Duration, bool) {
	for key := range t.open {
		t.close(key, len(t.times)-1, false)
	}
	at := make([]time.Duration, len(t.times))
	// Each round sets at least one moment for good, unless two demands push each other for ever.
	for round, more := 0, true; more; round++ {
		if more = false; round > len(at) {
			return nil, false
		}
		for _, is := range t.least {
			if least := at[is.from] + is.by; at[is.to] < least {
				at[is.to], more = least, true
			}
		}
	}
	times := make(map[time.Duration]time.Duration, len(at))
	for i, was := range t.times {
		times[was] = at[i]
	}
	return times, true
}

// fail notes the last step, at which a Node panics: an observer does not see it.
func (t *moments) fail(s *scenario.Step) {
	last := len(t.times)
	t.at(*s.At)
	if last < len(t.times) && s.Do == observe.Timeout {
		t.close(timed{s.Process, newOwner(0, s.Layer, s.Timer)}, last, true)
	}
}
