package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// How many states a check visits, and how much memory it takes, in a browser.
const (
	usualStates = 300_000
	mostStates  = 5_000_000
	mostMemory  = 1 << 30
	mostUntil   = 1_000_000 // units, as in a scenario
)

// budget is what may go wrong in a check, and when it ends. A number of -1 is no limit.
type budget struct {
	States     int      `json:"states"`
	Crashes    int      `json:"crashes"`
	Recoveries int      `json:"recoveries"`
	Restarts   int      `json:"restarts"`
	Losses     int      `json:"losses"`
	Duplicates int      `json:"duplicates"`
	Pauses     int      `json:"pauses"`
	Cuts       int      `json:"cuts"`
	Any        bool     `json:"any"`   // messages arrive in any order
	Until      *float64 `json:"until"` // of an algorithm that never rests; if not given, some units
}

// question is what a check is asked: what can happen from the beginning of a scenario, or after a step of it.
type question struct {
	Scenario json.RawMessage `json:"scenario"`
	After    *int            `json:"after"`
	Budget   budget          `json:"budget"`
}

// asked is a question that can be answered.
type asked struct {
	check.Config
	scenario *scenario.Scenario // without what is planned
	failed   *violation         // by a Node that panicked after what has happened; nil if none did
	unseen   bool               // the step at which a Node panicked is none of After: no observer sees it
	outside  []sim.Outside      // what has happened outside the model
	held     bool               // a process is paused, or a link cut, behind After
	cut      bool               // After is only the beginning of what has happened
	between  bool               // if time is modeled, After has times between its units
	random   bool               // delays are
	blank    int                // returns of processes that have saved nothing, which are of both kinds
}

// check visits all states and returns which properties hold.
func (b *Bridge) check(ctx context.Context, args json.RawMessage, progress func(any)) (Reply, error) {
	var q question
	if err := read(args, &q); err != nil {
		return Reply{}, err
	}
	c, err := b.ask(ctx, &q)
	if err != nil {
		return Reply{}, err
	}
	c.Progress = func(p check.Progress) {
		progress(struct {
			States uint64 `json:"states"`
			Depth  int    `json:"depth"`
		}{p.States, p.Depth})
	}
	r, err := check.Run(ctx, c.Config)
	if err != nil {
		return Reply{}, c.refused(err)
	}
	found, err := c.found(r)
	if err != nil {
		return Reply{}, err
	}
	return written(found)
}

// ask makes the check.
func (b *Bridge) ask(ctx context.Context, q *question) (*asked, error) {
	r, err := b.open(q.Scenario, 0)
	if err != nil {
		return nil, err
	}
	states := q.Budget.States
	if states == 0 {
		states = usualStates
	}
	if states < 1 || states > mostStates {
		return nil, input.Errorf("budget.states: %d, it must be from 1 to %d", states, mostStates)
	}
	k := &q.Budget
	if k.Until != nil && (*k.Until <= 0 || *k.Until > mostUntil) {
		return nil, input.Errorf("budget.until: %v, it must be above 0 and at most %d units", *k.Until,
			mostUntil)
	}
	a := &asked{scenario: r.unplanned()}
	a.Config = check.Config{Crashes: k.Crashes, Recoveries: k.Recoveries, Restarts: k.Restarts,
		Losses: k.Losses, Duplicates: k.Duplicates, Pauses: k.Pauses, Cuts: k.Cuts,
		Unordered: k.Any || r.config.Unordered, MaxStates: states, MaxBytes: mostMemory}
	if a.Input, err = a.scenario.Input(find); err != nil {
		return nil, err
	}
	now := time.Duration(0)
	if q.After != nil {
		if a.After, now, a.held, err = r.stepsTo(ctx, *q.After); err != nil {
			return nil, err
		}
	}
	a.Delay = a.Algorithm.Delay // with which alone it is right; zero: no time is modelled
	if a.Delay > 0 && a.Algorithm.NeverQuiesces {
		a.Until = now + 8*a.Delay
		if k.Until != nil {
			a.Until = time.Duration(*k.Until * float64(scenario.Unit))
		}
		a.Until = max(a.Until-a.Until%a.Delay, a.Delay) // whole ticks, and one at least
	}
	a.between = a.Delay > 0 && slices.ContainsFunc(a.After, func(s scenario.Step) bool {
		return s.At != nil && *s.At%a.Delay != 0
	})
	a.random = r.scenario.Schedule == scenario.RandomDelay
	return a, a.Check()
}

// refused returns the reason why a check is impossible.
func (a *asked) refused(err error) error {
	if !a.between || !errors.Is(err, election.ErrInput) {
		return err
	}
	here, instead := "timers run out within one", "ask at an earlier step"
	if a.random {
		here, instead = "messages take parts of one", "take delays of one unit each"
	}
	return input.Errorf("after: %s is checked in units of time, and here %s: %s", a.Algorithm.Title(), here,
		instead)
}

// unplanned returns a scenario without what is to happen at some time or by chance: a check tries all of
// that.
func unplanned(s *scenario.Scenario) *scenario.Scenario {
	return &scenario.Scenario{Algorithm: s.Algorithm, Variant: s.Variant, Topology: s.Topology, IDs: s.IDs,
		Priorities: s.Priorities, Initiators: s.Initiators, Crashed: s.Crashed, Params: s.Params}
}

// unplanned returns the scenario of a run without its planned faults. Wrong clocks remain if time is modeled.
// Otherwise a timer may fire at any moment.
func (r *run) unplanned() *scenario.Scenario {
	s := unplanned(r.scenario)
	if r.config.Algorithm.Delay > 0 {
		s.ClockRates = r.scenario.ClockRates
	}
	return s
}

// stepsTo returns what happens in the run up to a step, when that is, and whether a process is paused or a
// link cut then.
func (r *run) stepsTo(ctx context.Context, step int) (all []scenario.Step, now time.Duration, held bool,
	err error) {
	steps, err := r.steps(ctx)
	if err != nil {
		return nil, 0, false, err
	}
	if step < 0 || step > steps {
		return nil, 0, false, input.Errorf("after: %d, and the run has %d steps", step, steps)
	}
	in := r.config.Input
	recorder, cut := scenario.NewStepRecorder(&in), 0
	s, err := r.sim(func(o *observe.Occurrence) {
		recorder.Observe(o)
		switch o.What {
		case observe.Cut:
			cut++
		case observe.Heal:
			cut--
		}
	})
	if err != nil {
		return nil, 0, false, err
	}
	last, _ := slices.BinarySearch(r.after, uint32(step))
	for turn := range last {
		r.turn(s, turn)
	}
	held = cut > 0
	for p := range in.IDs {
		held = held || s.Status(p) == sim.Paused
	}
	all, err = recorder.Steps()
	return all, s.Now(), held, err
}

// found is what a check has found.
type found struct {
	States         uint64             `json:"states"`
	Transitions    uint64             `json:"transitions"`
	Depth          int                `json:"depth"`
	Exhausted      bool               `json:"exhausted"`
	Stopped        string             `json:"stopped,omitempty"`
	More           int                `json:"more,omitempty"` // states that a further check may visit
	Verdicts       []judged           `json:"verdicts"`
	Counterexample *scenario.Scenario `json:"counterexample"`
	Property       string             `json:"property,omitempty"` // that does not hold
	Violated       string             `json:"violated,omitempty"` // the same, in words
	Reason         string             `json:"reason,omitempty"`
	Length         int                `json:"length"`            // steps of the counterexample
	Repeats        int                `json:"repeats,omitempty"` // the steps from this one on repeat forever
	// why the budget leaves the model of the algorithm
	Outside string `json:"outside,omitempty"`
	Words   string `json:"words"` // how much was visited, and what is taken for granted
	MS      int64  `json:"ms"`
}

// judged is what was found of one property.
type judged struct {
	Property string `json:"property"`
	Holds    *bool  `json:"holds"` // null: not known
	Words    string `json:"words"`
}

// where is a phrase for the states that a property is about. Without it, "a process leads", which holds if a
// process leads in some state, would seem to contradict a run that ends without a leader.
var where = map[verdict.Kind]string{verdict.Always: "in every state: ", verdict.Sometimes: "in some state: ",
	verdict.Finally: "in the end: "}

// found returns the result of a check.
func (a *asked) found(r *check.Result) (*found, error) {
	f := &found{States: r.States, Transitions: r.Transitions, Depth: r.Depth, Exhausted: r.Exhausted,
		Verdicts: []judged{}, Outside: a.Outside(), MS: r.Wall.Milliseconds()}
	f.Words = fmt.Sprintf("%s, %s, up to %d deep.", prose.Plural(int(r.States), "state"),
		prose.Plural(int(r.Transitions), "move"), r.Depth)
	if text := a.NoticesInWords(); text != "" {
		f.Words += " " + strings.ToUpper(text[:1]) + text[1:] + "."
	}
	if a.held {
		f.Words += " Processes that are paused or cut off at this step are assumed to continue later."
	}
	if r.Stopped != nil {
		f.Stopped = oneLine(r.Stopped).Error()
		if errors.Is(r.Stopped, check.ErrTick) {
			f.Stopped = "check: timers here take parts of a unit; with whole times, and a drift of 0, " +
				"under More settings all states can be tried"
		}
		if r.States >= uint64(a.MaxStates) && a.MaxStates < mostStates {
			f.More = min(10*a.MaxStates, mostStates)
		}
	}
	for _, v := range r.Properties {
		one := judged{Property: string(v.Property), Words: v.Property.Text()}
		if !strings.HasPrefix(one.Words, "every ") { // as "every run ends"
			one.Words = where[v.Kind] + one.Words
		}
		if v.Known {
			one.Holds = &v.Holds
		}
		f.Verdicts = append(f.Verdicts, one)
	}
	t := r.Counterexample
	if t == nil {
		return f, nil
	}
	f.Property, f.Violated = string(t.Property), t.Property.Text()
	f.Reason, f.Length = input.Reason(oneLine(t.Reason)), len(t.Steps)
	if t.Cycle < len(t.Steps) {
		f.Repeats = t.Cycle + 1
	}
	f.Counterexample = a.with(t.Steps)
	f.Counterexample.Name, f.Counterexample.Note = t.Title(), f.Reason
	if t.Property.Known() {
		f.Counterexample.Property = t.Property
	}
	return f, nil
}

// with returns the scenario with these steps as the only events.
func (a *asked) with(steps []scenario.Step) *scenario.Scenario {
	s := *a.scenario
	s.Steps = append([]scenario.Step{}, steps...)
	s.Params = scenario.WithDelay(a.Algorithm, s.Params)
	return &s
}
