package electiontest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// among says who takes part.
func among(in *scenario.Input) string {
	text := fmt.Sprintf("among %v", in.IDs)
	if slices.ContainsFunc(in.Priorities, func(v uint64) bool { return v != 0 }) {
		text += fmt.Sprintf(", priorities %v", in.Priorities)
	}
	return text
}

// inUnits tells a time.
func inUnits(d time.Duration) string {
	return strconv.FormatFloat(math.Round(float64(d)/float64(scenario.Unit)*1000)/1000, 'f', -1, 64)
}

// planned says what is special about a run that was drawn, and nothing of what is not.
func planned(p *soak.Plan) string {
	shape := string(p.Topology.Shape())
	if shape == string(election.Complete) {
		shape += " graph"
	}
	parts := []string{among(&p.Input) + " on a " + shape, starting(&p.Input)}
	all := func(what string, at []scenario.At) {
		for _, a := range at {
			parts = append(parts, fmt.Sprintf("%d %s at %s", a.ID, what, inUnits(a.Time)))
		}
	}
	for _, id := range p.Crashed {
		parts = append(parts, fmt.Sprintf("%d is down", id))
	}
	all("crashes", p.CrashAt)
	all("comes back without its state", p.RecoverAt)
	all("comes back with its state", p.RestartAt)
	for _, a := range p.PauseAt {
		parts = append(parts, fmt.Sprintf("%d pauses from %s to %s", a.ID, inUnits(a.From), inUnits(a.Until)))
	}
	if p.Schedule == sim.RandomDelay {
		parts = append(parts, "random delays")
	}
	if p.Config.Faults.Loss > 0 {
		parts = append(parts, fmt.Sprintf("links that lose %.0f of 100 messages", 100*p.Config.Faults.Loss))
	}
	if p.Unordered {
		parts = append(parts, "links that keep no order")
	}
	return strings.Join(parts, ", ")
}

// starting says who starts.
func starting(in *scenario.Input) string {
	starters := in.Starters()
	if starters == nil {
		starters = in.IDs
	}
	text := fmt.Sprintf("%v start", starters)
	switch len(starters) {
	case len(in.IDs):
		text = "all start"
	case 0:
		text = "nobody starts"
	case 1:
		text = fmt.Sprintf("%d starts", starters[0])
	}
	if slices.ContainsFunc(in.StartTimes, func(d time.Duration) bool { return d != 0 }) {
		var times []string
		for i, d := range in.StartTimes {
			times = append(times, fmt.Sprintf("%d at %s", starters[i], inUnits(d)))
		}
		text += " (" + strings.Join(times, ", ") + ")"
	}
	return text
}

// How many steps of a run are told, and of one that goes on and on.
const (
	longestLog = 40
	glimpse    = 12
	onAndOn    = 1000
)

// stepLog tells a run step by step, a line each: what comes to a process, and what it does then, in the words
// of package trace.
type stepLog struct {
	recorder *trace.Recorder
	timed    bool
	sent     map[trace.Ref]int // where the sendings stand in the trace
	down     []election.ID     // from the beginning
	lines    []string
	steps    int
}

// newLog returns a log of a run of an Input, or of one whose steps are given.
func newLog(in scenario.Input, about trace.About, timed bool) (*stepLog, error) {
	r, err := trace.NewRecorder(&in, about)
	return &stepLog{recorder: r, timed: timed, sent: make(map[trace.Ref]int), down: in.Crashed}, err
}

// observe adds a step. What processes do as they begin or come back is none, and has no number.
func (l *stepLog) observe(o *observe.Occurrence) {
	label := ""
	switch o.What {
	case observe.Step:
		if o.Event.Op != election.Init && o.Event.Op != election.Rejoin {
			label = "."
		}
	case observe.Crash:
		if l.steps > 0 || !slices.Contains(l.down, o.Process) {
			label = "."
		}
	case observe.Recover, observe.Restart, observe.Lose, observe.Duplicate:
		label = "."
	}
	if label != "" {
		l.steps++
		label = strconv.Itoa(l.steps) + label
	}
	if l.steps > longestLog {
		return
	}
	t := l.recorder.Trace()
	first := len(t.Events)
	l.recorder.Observe(o)
	var words []string
	for i := first; i < len(t.Events); i++ {
		if text := l.words(t, i); text != "" {
			words = append(words, text)
		}
	}
	if label == "" && len(words) < 2 {
		return // somebody has begun, as all do
	}
	when := ""
	if l.timed {
		when = "at " + inUnits(o.At) + ": "
	}
	l.lines = append(l.lines, fmt.Sprintf("%5s %s%d %s", label, when, o.Process, strings.Join(words, "; ")))
}

// words returns what the trace says of an event, without the names of others, which do not stand here.
func (l *stepLog) words(t *trace.Trace, i int) string {
	e := &t.Events[i]
	text := strings.TrimSuffix(t.Words(i), fmt.Sprintf(" (%s)", e.From))
	switch sent, known := l.sent[e.From]; {
	case e.Do == observe.Send:
		l.sent[e.Ref()] = i
	case e.Do == observe.Stop, e.Do == observe.StopAll:
		return "" // of timers that do not run, mostly
	case e.Do == observe.Lose && known:
		text = fmt.Sprintf("loses %s, sent by %d", strings.TrimPrefix(t.Words(sent), "sends "),
			t.Events[sent].Process)
	}
	return text
}

// String returns the lines, each after a line break.
func (l *stepLog) String() string {
	lines, note := l.lines, ""
	switch {
	case l.steps > onAndOn:
		lines, note = lines[:glimpse], fmt.Sprintf("\n  ... and so on, %d steps in all", l.steps)
	case l.steps > longestLog:
		note = fmt.Sprintf("\n  ... and %d steps more", l.steps-longestLog)
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("\n" + line)
	}
	return b.String() + note
}

// smallest tells what is left of a run that fails.
func smallest(f *soak.Failure) string {
	text := "smallest: " + planned(f.Smallest)
	if why := f.Shrunk.Violation.Reason; why != f.Violation.Reason {
		text += ": " + why
	}
	p := f.Smallest
	l, err := newLog(p.Input, trace.About{Seed: p.Config.Seed, Schedule: p.Schedule, Params: p.Params()},
		true)
	if err != nil {
		return fmt.Sprintf("%s; it cannot be told: %v", text, err)
	}
	p.Run(l.observe)
	return text + l.String()
}

// told tells the steps of a counterexample.
func told(ctx context.Context, in scenario.Input, e *check.Trail) string {
	if len(e.Steps) == 0 {
		return "before the first step"
	}
	text := fmt.Sprintf("after %d steps:", len(e.Steps))
	if len(e.Steps) == 1 {
		text = "after one step:"
	}
	timed := slices.ContainsFunc(e.Steps, func(s scenario.Step) bool { return s.At != nil && *s.At > 0 })
	l, err := newLog(in, trace.About{}, timed)
	if err != nil {
		return fmt.Sprintf("%s they cannot be told: %v", text, err)
	}
	_, err = sim.Run(ctx, sim.Config{Input: in, Steps: e.Steps, Observe: l.observe})
	text += l.String()
	switch {
	case err == nil || l.steps >= len(e.Steps):
	case impossible(err):
		text += fmt.Sprintf("\n%5s cannot be taken: here the processes do otherwise than where all states were visited, and each was saved and restored; "+
			"does State visit every field that a Step changes, and does a Step depend on nothing else? See what State and Purity say (%v)",
			strconv.Itoa(l.steps+1)+".", err)
	default: // the last is not told, perhaps since it panics
		text += fmt.Sprintf("\n%5s %v", strconv.Itoa(l.steps+1)+".", err)
	}
	switch {
	case e.Cycle == len(e.Steps)-1:
		text += fmt.Sprintf("\n  step %d repeats for ever", len(e.Steps))
	case e.Cycle < len(e.Steps):
		text += fmt.Sprintf("\n  steps %d to %d repeat for ever", e.Cycle+1, len(e.Steps))
	}
	return text
}

// impossible reports whether a run ends with this error since the next of its steps cannot be taken.
func impossible(err error) bool {
	var of *observe.ProcessError
	return errors.Is(err, election.ErrInput) && !errors.As(err, &of)
}
