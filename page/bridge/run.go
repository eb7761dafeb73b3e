package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// How many events a run may have.
const (
	usualEvents = 400_000
	mostEvents  = 4_000_000
)

// run is a run of a scenario, which can be made again and again.
type run struct {
	key      string // the scenario in the form of the library
	given    string // as it was given last
	scenario *scenario.Scenario
	config   sim.Config
	outside  []trace.FilmOutside // of what is planned
	most     int                 // events

	positions [][2]float64 // of the processes, if they are known

	fixed   bool // it is a trace that was read
	doubted bool // the Property of its scenario has been checked
	played  bool
	playing *sim.Sim // by play
	after   []uint32 // how many steps there are after each turn of the simulator, the first before any
	trace   *trace.Trace
	said    *trace.Sentences // of the trace
	ran     *ran
	walk    walker
}

// keptRuns is how many runs a Bridge keeps: a page compares two, and looks at what one was before an act.
const keptRuns = 3

// open returns the run of a scenario, which it may have made before; without one, the trace that was
// read last.
func (b *Bridge) open(text json.RawMessage, most int) (*run, error) {
	if given := string(bytes.TrimSpace(text)); given == "" || given == "null" {
		if b.recorded == nil {
			return nil, input.Errorf("scenario: missing")
		}
		return b.recorded, nil
	}
	switch {
	case most == 0:
		most = usualEvents
	case most < 0 || most > mostEvents:
		return nil, input.Errorf("most: %d events, it must be up to %d", most, mostEvents)
	}
	// A page asks of one run again and again: its text need not be read each time.
	if r := b.kept(func(r *run) bool { return r.given == string(text) && r.most == most }); r != nil {
		return r, nil
	}
	s := &scenario.Scenario{}
	if err := s.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	if len(s.IDs) > mostProcesses {
		return nil, input.Errorf("ids: %d processes, at most %d can be shown", len(s.IDs), mostProcesses)
	}
	key, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}
	r := b.kept(func(r *run) bool { return r.key == string(key) && r.most == most })
	if r == nil {
		if r, err = newRun(s, most); err != nil {
			return nil, err
		}
		r.key = string(key)
		b.runs = append([]*run{r}, b.runs[:min(len(b.runs), keptRuns-1)]...)
	}
	r.given = string(text)
	return r, nil
}

// kept returns the wanted run, if it is kept. It moves that run to the front; the last one is dropped first.
func (b *Bridge) kept(wanted func(*run) bool) *run {
	i := slices.IndexFunc(b.runs, wanted)
	if i < 0 {
		return nil
	}
	r := b.runs[i]
	copy(b.runs[1:i+1], b.runs[:i])
	b.runs[0] = r
	return r
}

// newRun prepares a run. What its algorithm is not made for is run all the same, and noted.
func newRun(s *scenario.Scenario, most int) (*run, error) {
	c, err := sim.FromScenario(s, find)
	if err != nil {
		return nil, err
	}
	if c.Algorithm.NeverQuiesces && c.Until == 0 && endless(s) {
		own := *s
		own.Until = endOf(c.Algorithm)
		s, c.Until = &own, own.Until
	}
	r := &run{scenario: s, most: most}
	probe := c
	err = probe.Check()
	if errors.Is(err, election.ErrNeedsFIFO) || errors.Is(err, sim.ErrCopies) ||
		errors.Is(err, sim.ErrDelay) || errors.Is(err, sim.ErrSynchronous) {
		r.outside = append(r.outside, trace.FilmOutside{Why: input.Reason(err)})
		c.Force = true
		err = c.Check()
	} else {
		c = probe
	}
	r.config = c
	return r, err
}

// endless reports whether the schedule of a scenario continues as long as its processes do.
func endless(s *scenario.Scenario) bool { return s.Steps == nil && s.Schedule != sim.Hand }

// sim returns the run at its beginning.
func (r *run) sim(observer observe.Observer) (*sim.Sim, error) {
	if r.fixed {
		return nil, errFixed
	}
	c := r.config
	c.Observe = observer
	c.KeepSaved = c.KeepSaved || observer == nil // a hand may restart processes, see do
	return sim.New(c)
}

// about returns the header of a trace of the run.
func (r *run) about() trace.About {
	s := r.scenario
	about := trace.About{Driver: "sim", Params: trace.Configured(s.ParamsOf(r.config.Algorithm)),
		Seed: s.Seed, FIFO: s.FIFO, Delay: s.Delay, Property: s.Property, Until: r.config.Until}
	if s.Property != "" {
		about.Note = s.Note
	}
	if s.Steps == nil {
		about.Schedule = r.config.Schedule
	}
	return about
}

// patience is how many turns pass between two looks at the context.
const patience = 1 << 12

// play runs it to its end with an observer. The text is the reason if the run stopped early, or else empty.
func (r *run) play(ctx context.Context, events func() int, observer observe.Observer) (*sim.Sim, string,
	error) {
	steps := uint32(0)
	s, err := r.sim(func(o *observe.Occurrence) {
		steps++
		observer(o)
	})
	if err != nil {
		return nil, "", err
	}
	r.playing = s
	defer func() { r.playing = nil }()
	note := !r.played
	if note {
		r.after = append(r.after[:0], 0)
	}
	stopped := ""
	for turn := 0; r.turn(s, turn); turn++ {
		if note {
			r.after = append(r.after, steps)
		}
		if turn%patience == 0 && ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		if n := events(); n >= r.most {
			stopped = fmt.Sprintf("after %d events", n)
			break
		}
	}
	// The last turn may do something and find that it was the last: a Node panics, or a process begins.
	if last := len(r.after) - 1; note && r.after[last] < steps {
		r.after = append(r.after, steps)
	}
	r.played = true
	return s, stopped, nil
}

// turn makes a turn of the run, and returns whether there may be another. In the first one processes
// begin: what a hand does next comes before all else that happens.
func (r *run) turn(s *sim.Sim, turn int) (more bool) {
	if turn == 0 {
		s.Begin()
		return true
	}
	return s.Step()
}

// steps returns how many steps the run has.
func (r *run) steps(ctx context.Context) (int, error) {
	if r.fixed {
		return 0, errFixed
	}
	if !r.played { // as for a film, so that too many events end it at the same point
		if _, err := r.film(ctx); err != nil {
			return 0, err
		}
	}
	return int(r.after[len(r.after)-1]), nil
}

// recorded returns the trace of the run.
func (r *run) recorded(ctx context.Context) (*trace.Trace, error) {
	if r.trace != nil {
		return r.trace, nil
	}
	in := r.config.Input
	recorder, err := trace.NewRecorder(&in, r.about())
	if err != nil {
		return nil, err
	}
	t := recorder.Trace()
	if _, _, err := r.play(ctx, func() int { return len(t.Events) }, recorder.Observe); err != nil {
		return nil, err
	}
	r.trace = t
	return t, recorder.Close()
}
