package checkcmd

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/run"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
)

// replaySteps runs a counterexample and reports it.
func replaySteps(a *console.Console, f *checkFlags, args []string) error {
	if err := f.onlyReplay(args); err != nil {
		return err
	}
	s, err := f.single(a, "replay", f.Text("replay"))
	if err != nil {
		return err
	}
	if s.Steps == nil {
		return input.Errorf("--replay %s: it has no steps; elect sim --scenario runs it", f.Text("replay"))
	}
	j, err := f.ScenarioJob(s)
	if err != nil {
		return fmt.Errorf("--replay %s: %w", f.Text("replay"), err)
	}
	j.Name, j.Label = s.Name, "--replay "+f.Text("replay")
	if err := f.outputs(len(j.IDs)); err != nil {
		return err
	}
	judge, err := check.NewJudge(j.Input, j.Steps, s.Property)
	if err != nil {
		return fmt.Errorf("--replay %s: %w", f.Text("replay"), err)
	}
	j.Observe = judge.Observe
	f.Files.Number(j.Steps)
	t, o, err := retold(f.Cmd.Context(), j)
	if t == nil || errors.Is(err, election.ErrInput) {
		return j.Named(err)
	}
	if broken, reason := judge.End(); reason != nil { // pictures mark where
		t.Header.Scenario.Property, t.Header.Scenario.Note = broken, input.Reason(reason)
	}
	if err := reportReplay(a, f, j, t, o); err != nil {
		return exit.Failed(err)
	}
	if err != nil {
		return exit.Classify(j.Named(err))
	}
	return judgeReplay(a, f, s, o, j, judge)
}

// onlyReplay refuses flags that have no part in a replay.
func (f *checkFlags) onlyReplay(args []string) error {
	if len(args) > 0 {
		return input.Errorf("--replay says the algorithm itself: unexpected argument %.60q", args[0])
	}
	with := map[string]bool{"replay": true, "json": true, "trace": true, "svg": true, "links": true,
		"mermaid": true, "log": true, "marks": true, "help": true, "color": true, "verbose": true}
	var other error
	f.Cmd.Flags().Visit(func(flag *pflag.Flag) {
		name, why := flag.Name, "the steps say what happens"
		switch {
		case with[name] || other != nil:
			return
		case slices.Contains(job.InFile, name) || name == "scenario":
			why = "its file says the election"
		case name == "out":
			why = "its file is a scenario already"
		}
		other = input.Errorf("--replay and %s exclude each other: %s", suggest.Dashed(name), why)
	})
	return other
}

// reportReplay reports what happens in a replay.
func reportReplay(a *console.Console, f *checkFlags, j *job.Job, t *trace.Trace, o *run.Outcome) error {
	switch {
	case f.On("json"):
		if err := run.Report(a, j, o, true, false); err != nil {
			return err
		}
	case !f.Silent && f.Files.Log == "":
		if j.Name != "" {
			fmt.Fprintf(a.Stdout, "%s\n", a.Paint(terminal.Bold, prose.OneLine(j.Name)))
		}
		if err := f.Files.WriteLog(a.Log(a.Stdout), t); err != nil {
			return err
		}
	}
	return f.Files.Write(a, t, false)
}

// judgeReplay reports the violation that a replay shows, if there is one.
func judgeReplay(a *console.Console, f *checkFlags, s *scenario.Scenario, o *run.Outcome, j *job.Job,
	judge *check.Judge) error {
	broken, reason := judge.End()
	switch {
	case reason == nil && o.Judge.Expects():
		if err := run.WhyFailed(j, o); err != nil {
			return exit.Failed(j.Named(err))
		}
	case reason != nil:
		text := explained(broken, reason, j.Algorithm)
		if s.Property == broken {
			text += ", as recorded"
		}
		return exit.Failed(j.Named(errors.New(violated(broken, text))))
	}
	if f.On("json") || f.Silent {
		return nil
	}
	text := "not violated in these steps"
	if only := judge.Property(); only != "" {
		text += ": " + only.Text()
	}
	_, err := fmt.Fprintln(a.Stdout, text)
	return err
}
