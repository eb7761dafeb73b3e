package local

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// planned is an event of a process at a given time: a crash, a recovery, a start.
type planned struct {
	at time.Duration // real time
	p  int
	do observe.What

	port election.Port // for Suspect and Trust
}

// prepare records which processes are down or start at the beginning, and plans later events.
func (r *run) prepare() {
	c := &r.config
	if len(c.Crashed)+len(c.CrashAt)+len(c.RecoverAt) == 0 && c.Starts() == len(c.IDs) &&
		len(c.StartTimes) == 0 {
		return // all processes start
	}
	where := c.Positions()
	turns := c.Turns()
	for _, t := range turns { // before other plans for the same instant
		if t.Do == observe.Crash {
			r.plan(where[t.ID], t.Time, t.Do)
		}
	}
	starters := c.Starters()
	if starters == nil {
		starters = c.IDs
	}
	r.starters = make([]bool, len(c.IDs))
	for i, id := range starters {
		if i < len(c.StartTimes) && c.StartTimes[i] > 0 {
			r.plan(where[id], c.StartTimes[i], observe.Start)
		} else {
			r.starters[where[id]] = true
		}
	}
	for _, t := range turns {
		if t.Do != observe.Crash {
			r.plan(where[t.ID], t.Time, t.Do)
		}
	}
	for _, w := range c.Prompts() {
		r.plan(w.To, w.At, observe.What(w.Op))
		r.plans[len(r.plans)-1].port = w.Port
	}
	for _, id := range c.Crashed {
		r.procs[where[id]].crashed = true
	}
	slices.SortStableFunc(r.plans, func(a, b planned) int { return cmp.Compare(a.at, b.at) })
}

// plan plans an event for a process. The event does not come from another process, so a goroutine must be there
// to receive it: a process that has a clock keeps its goroutine.
func (r *run) plan(p int, at time.Duration, do observe.What) {
	r.plans = append(r.plans, planned{at: r.realTime(at), p: p, do: do})
	if r.procs[p].clock == nil {
		r.procs[p].clock = new(alarm.Clock)
		r.timed.Store(true)
	}
}

// runDue carries out the plans that are due, and returns a channel that fires when the next ones are.
func (r *run) runDue() <-chan time.Time {
	for len(r.plans) > 0 {
		next := r.plans[0]
		if wait := next.at - time.Since(r.begun); wait > 0 {
			return time.After(wait)
		}
		r.plans = r.plans[1:]
		// Do not call expect here: pending has counted all plans from the beginning.
		r.procs[next.p].box.Push(&mailbox.Item[entry]{Value: entry{what: next.do, port: next.port}})
	}
	return nil
}

// handle handles an entry that is not a message: an expired timer or a planned event.
func (w *worker) handle(p int, pr *proc, in *entry) {
	ev := &w.event
	ev.Op, ev.Port, ev.Msg, ev.Timer, ev.Layer = election.Op(in.what), in.port, election.Message{},
		in.key.Timer,
		in.key.Layer
	switch in.what {
	case observe.Timeout:
		// A timer that is stopped or restarted may have fired already, and its entry is in the mailbox. Accept
		// drops it.
		if pr.clock.Accept(alarm.Expiry{Key: in.key, Seq: in.number}) {
			w.step(p, pr, ev)
		}
	case observe.Start, observe.Suspect, observe.Trust:
		if !pr.crashed {
			w.step(p, pr, ev)
		}
	case observe.Recover:
		if pr.crashed {
			w.rejoin(p, pr, ev)
		}
	case observe.Crash:
		pr.crashed = true
		w.run.report(p, observe.Crash, ev.At, 0)
		// These timers will never fire, and the run must not wait for them.
		w.settled += int64(pr.clock.StopAll())
	}
}

// rejoin restarts a process without its state.
func (w *worker) rejoin(p int, pr *proc, ev *election.Event) {
	pr.crashed, pr.belief, pr.host = false, belief{}, w.run.config.Node(p)
	w.run.report(p, observe.Recover, ev.At, 0)
	ev.Op, ev.Msg.Value = election.Init, w.run.incarnation()
	w.step(p, pr, ev)
	w.wish(p, pr)
	ev.Op, ev.Msg.Value = election.Rejoin, 0
	w.step(p, pr, ev)
}

// wish names to a process the voters that its program wishes, if there are any.
func (w *worker) wish(p int, pr *proc) {
	ev := election.Event{Op: election.Command, At: w.run.now()}
	for _, ev.Msg = range w.run.config.WishCommands(w.run.config.Wish(p, ev.At)) {
		w.step(p, pr, &ev)
	}
}

// now returns the duration of the election so far, in its own time.
func (r *run) now() time.Duration {
	return scale(time.Since(r.begun), scenario.Unit, r.config.Unit)
}

// realTime converts a duration of the election's time to real time.
func (r *run) realTime(d time.Duration) time.Duration { return scale(d, r.config.Unit, scenario.Unit) }

// scale returns d*by/of, at most the longest Duration. It is cheap if the result is d.
func scale(d, by, of time.Duration) time.Duration {
	if by == of || d <= 0 {
		return d
	}
	// Multiply in 128 bits: in 64 a long timeout overflows before the division makes it small again.
	high, low := bits.Mul64(uint64(d), uint64(by))
	if high >= uint64(of) {
		return math.MaxInt64
	}
	scaled, _ := bits.Div64(high, low, uint64(of))
	return time.Duration(min(scaled, math.MaxInt64))
}
