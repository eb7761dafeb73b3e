package electiontest

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// among lists the processes that take part.
func among(in *scenario.Input) string {
	text := fmt.Sprintf("among %v", in.IDs)
	if slices.ContainsFunc(in.Priorities, func(v uint64) bool { return v != 0 }) {
		text += fmt.Sprintf(", priorities %v", in.Priorities)
	}
	return text
}

// inUnits formats a time.
func inUnits(d time.Duration) string {
	return strconv.FormatFloat(math.Round(float64(d)/float64(scenario.Unit)*1000)/1000, 'f', -1, 64)
}

// planned describes what is special about a random run.
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
	for _, cut := range p.Config.Faults.Partitions {
		parts = append(parts, fmt.Sprintf("%v are cut off from the others from %s to %s", cut.Groups[0],
			inUnits(cut.From), inUnits(cut.Until)))
	}
	if p.Schedule == sim.RandomDelay {
		parts = append(parts, "random delays")
	}
	if p.Config.Faults.Loss > 0 {
		parts = append(parts, fmt.Sprintf("links that lose %.0f of 100 messages", 100*p.Config.Faults.Loss))
	}
	if p.Config.Faults.Duplicate > 0 {
		parts = append(parts, fmt.Sprintf("links that double %.0f of 100 messages",
			100*p.Config.Faults.Duplicate))
	}
	if p.Unordered {
		parts = append(parts, "links that do not keep the order")
	}
	return strings.Join(parts, ", ")
}

// starting lists the processes that start.
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
		text = "no process starts"
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

// longestLog is the maximum number of log lines of a failure.
const longestLog = 60

// smallest describes the smallest failing run, with its log.
func smallest(f *soak.Failure) string {
	b := new(strings.Builder)
	b.WriteString("smallest: " + planned(f.Smallest))
	if why := f.Shrunk.Violation.Reason; why != f.Violation.Reason {
		b.WriteString(": " + why)
	}
	b.WriteString("\n")
	if err := f.Smallest.WriteSteps(b, longestLog); err != nil {
		fmt.Fprintf(b, "there is no log: %v", err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// stepsOf returns the log of a counterexample.
func stepsOf(in scenario.Input, e *check.Trail) string {
	if len(e.Steps) == 0 {
		return "before the first step"
	}
	timed := slices.ContainsFunc(e.Steps, func(s scenario.Step) bool { return s.At != nil && *s.At > 0 })
	b := new(strings.Builder)
	taken := 0
	var err error
	run := func(o observe.Observer) {
		var s *sim.Sim
		if s, err = sim.New(sim.Config{Input: in, Steps: e.Steps, Observe: o}); err != nil {
			return
		}
		for s.Step() {
			taken++
		}
		err = s.Run(context.Background())
	}
	if failed := trace.WriteExcerpt(b, &in, trace.About{}, longestLog, run,
		func(w io.Writer, t *trace.Trace) error { return trace.WriteSteps(w, t, timed) }); failed != nil {
		fmt.Fprintf(b, "there is no log: %v\n", failed)
	}
	last := fmt.Sprintf("%5s", strconv.Itoa(taken+1)+".")
	switch {
	case err == nil || taken == len(e.Steps):
	case impossible(err):
		fmt.Fprintf(b,
			"%s cannot be taken: here the processes do otherwise than where all states were visited, and "+
				"each was saved and restored; "+
				"does State visit every field that a Step changes, and does a Step depend on nothing "+
				"else? See what State and Purity say (%v)\n",
			last, err)
	default: // an observer receives a step after it is over, and a step that panics is never over
		fmt.Fprintf(b, "%s %v\n", last, err)
	}
	switch {
	case e.Cycle == len(e.Steps)-1:
		fmt.Fprintf(b, "step %d repeats forever", len(e.Steps))
	case e.Cycle < len(e.Steps):
		fmt.Fprintf(b, "steps %d to %d repeat forever", e.Cycle+1, len(e.Steps))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// impossible reports whether a run ended with this error because its next step is not possible.
func impossible(err error) bool {
	var of *observe.ProcessError
	return errors.Is(err, election.ErrInput) && !errors.As(err, &of)
}
