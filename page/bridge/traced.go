package bridge

import (
	"context"
	"slices"
	"strconv"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/counters"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// keep keeps a trace that was read as a run that can be inspected. Calls without a scenario refer to it,
// since its scenario would give another run if the trace was recorded in real time.
func (b *Bridge) keep(t *trace.Trace) error {
	in, err := t.Header.Input(find)
	if err != nil {
		return err
	}
	b.recorded = &run{scenario: &t.Header.Scenario, most: usualEvents, trace: t, fixed: true}
	b.recorded.config.Input = in
	return nil
}

// refilm returns the film of a trace, and the step at which the machines would have behaved differently.
func (r *run) refilm() (*trace.Film, *trace.Difference, error) {
	d, err := trace.Replay(r.trace, find)
	if err != nil {
		return nil, nil, err
	}
	f, err := trace.NewFilm(r.trace)
	if err != nil {
		return nil, nil, err
	}
	f.Head.Loans = trace.Held(trace.Loans(r.trace, f))
	if f.Head.OK = d == nil; d != nil {
		f.Head.Errors = append(f.Head.Errors, d.String())
	}
	return f, d, nil
}

// errFixed refuses a look into the future of a trace.
var errFixed = input.Errorf("a recorded run is over: only its scenario can be run again")

// replayTo replays a trace up to a step, and then calls see with its processes. A process that has not begun
// is nil.
func (r *run) replayTo(step int, see func(hosts []*election.TermKeeper)) error {
	t := r.trace
	last, n := 0, 0
	for i := range t.Events {
		if e := &t.Events[i]; !e.Do.Effect() {
			if n++; n <= step && e.Do.Op() != 0 {
				last = n
			}
		}
	}
	if step < 0 || step > n {
		return input.Errorf("step: %d, and the run has %d", step, n)
	}
	hosts := make([]*election.TermKeeper, len(r.config.IDs))
	if last == 0 {
		see(hosts)
		return nil
	}
	_, err := trace.ReplayWith(t, find, func(k, p int, host *election.TermKeeper) {
		if k > last {
			return
		}
		if hosts[p] = host; k == last {
			see(hosts)
		}
	})
	return err
}

// replayed returns the states of processes of a trace after a step, with their running timers. It stops at
// the step at which the machines would have behaved differently.
func (r *run) replayed(step int, wanted []int) (states []processState, err error) {
	running := r.running(step)
	err = r.replayTo(step, func(hosts []*election.TermKeeper) {
		for _, p := range wanted {
			state := processState{Process: strconv.FormatUint(uint64(r.config.IDs[p]), 10),
				Machines: []machine{}}
			if hosts[p] != nil {
				state.Machines = r.machines(hosts[p].Machines(), p)
			}
			r.addTimers(&state, running[p])
			states = append(states, state)
		}
	})
	if states == nil && err == nil {
		err = input.Errorf("step: %d comes after what the algorithm would not have done", step)
	}
	return states, err
}

// due is a timer that runs, and the latest time at which it may run out.
type due struct {
	layer, timer uint8
	at           float64
}

// running returns the timers of each process that run after a step.
func (r *run) running(step int) map[int][]due {
	where, all := r.config.Positions(), make(map[int][]due)
	n := 0
	for i := range r.trace.Events {
		e := &r.trace.Events[i]
		if !e.Do.Effect() {
			n++
		}
		if n > step {
			break
		}
		p := where[e.Process]
		same := func(d due) bool { return d.layer == e.Layer && d.timer == e.Timer }
		switch e.Do {
		case observe.Set:
			all[p] = append(slices.DeleteFunc(all[p], same), due{e.Layer, e.Timer, units(e.At + e.Max)})
		case observe.Stop, observe.Timeout:
			all[p] = slices.DeleteFunc(all[p], same)
		case observe.StopAll:
			all[p] = slices.DeleteFunc(all[p], func(d due) bool { return d.layer == e.Layer })
		case observe.Crash:
			delete(all, p)
		}
	}
	return all
}

// recount takes the counters after each step of a trace.
func (r *run) recount(context.Context) (*ran, error) {
	all := &ran{}
	counters.Of().Take(nil) // what other runs have left
	var set *counters.Set
	_, err := trace.ReplayWith(r.trace, find, func(step, _ int, host *election.TermKeeper) {
		if set == nil {
			set = counters.Of(packages(host.Machines())...)
		}
		for len(all.ends) < step-1 { // steps that no machine takes
			all.ends = append(all.ends, len(all.blocks))
		}
		all.blocks = set.Take(all.blocks)
		all.ends = append(all.ends, len(all.blocks))
	})
	return all, err
}
