package checkcmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/run"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// counterexample is a run that violates a property, as the simulator reports it.
type counterexample struct {
	trace  *trace.Trace
	form   *report.Counterexample
	broken error // why the simulator cannot follow the steps, a mistake of this program
}

// example runs the counterexample in the simulator.
func (k *checking) example(ctx context.Context) error {
	x := &counterexample{}
	k.ran = x
	params := scenario.WithDelay(k.Config.Algorithm, k.flags.Values)
	j := &job.Job{Params: params, Config: sim.Config{Input: k.Input, Steps: k.Counterexample.Steps}}
	var err error
	k.flags.Files.Number(j.Steps)
	// Also once the command is interrupted: what was found by then is reported.
	if x.trace, _, err = retold(context.WithoutCancel(ctx), j); x.trace == nil {
		return err
	}
	// the counterexample may exist to show one of these
	if !errors.Is(err, observe.ErrPanic) && !errors.Is(err, observe.ErrPort) {
		x.broken = err
	}
	t, reason := k.Counterexample, k.reason()
	x.trace.Header.Scenario.Property, x.trace.Header.Scenario.Note = t.Property, reason
	x.form = &report.Counterexample{Property: t.Property, Reason: reason}
	note := reason
	if t.Cycle < len(t.Steps) {
		x.form.Cycle = &t.Cycle
		note += fmt.Sprintf("; the steps from number %d on repeat forever", t.Cycle)
	}
	s, err := t.Scenario(&k.Input)
	if errors.Is(err, election.ErrInput) { // a log shows the run all the same
		return nil
	} else if err != nil {
		return err
	}
	s.Params, s.Note = params, note
	x.form.Scenario = s
	return nil
}

// writeExample writes the counterexample to standard output and to the files of the flags.
func writeExample(a *console.Console, k *checking) error {
	f, t := k.flags, k.Counterexample
	if !f.JSON && !f.Silent && f.Files.Log == "" {
		fmt.Fprintf(a.Log(a.Stdout), "\n%s, after %s: %s\n", a.Paint(terminal.Bold, t.Title()),
			prose.Plural(len(t.Steps), "step"), k.reason())
		if t.Cycle < len(t.Steps) {
			fmt.Fprintf(a.Stdout, "the last %s repeat forever\n", prose.Plural(len(t.Steps)-t.Cycle, "step"))
		}
		if err := f.Files.WriteLog(a.Log(a.Stdout), k.ran.trace); err != nil {
			return err
		}
	}
	if f.out != "" {
		if k.ran.form.Scenario == nil {
			return input.Errorf("--out: no scenario can say where the links of this topology are")
		}
		if err := files.Write(a, "out", f.out,
			func(w io.Writer) error { return scenario.Write(w, k.ran.form.Scenario) }); err != nil {
			return err
		}
		if !f.JSON && !f.Silent {
			fmt.Fprintf(a.Stdout, "\n%s is written. After a correction this judges it:\n  elect check --replay %s%s\n",
				f.out, terminal.Quoted(f.out), f.votersQuoted())
		}
	}
	return f.Files.Write(a, k.ran.trace, false)
}

// retold runs given steps in the simulator, and returns the trace. The error is of the run, which the
// steps may exist to show.
func retold(ctx context.Context, j *job.Job) (*trace.Trace, *run.Outcome, error) {
	about := trace.About{Params: trace.Configured(j.Params), Seed: j.Seed}
	recorder, err := trace.NewRecorder(&j.Input, about)
	if err != nil {
		return nil, nil, err
	}
	j.Observe = observe.Both(recorder.Observe, j.Observe)
	o, err := run.Simulate(ctx, j, nil)
	if broken := recorder.Close(); broken != nil {
		return nil, nil, broken
	}
	return recorder.Trace(), o, err
}
