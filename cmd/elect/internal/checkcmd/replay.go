package checkcmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/run"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
)

// replaySteps runs a counterexample and reports it.
func replaySteps(a *console.Console, ctx context.Context, f *options, args []string) error {
	if len(args) > 0 {
		return input.Errorf("--replay includes the algorithm: unexpected argument %.60q", args[0])
	}
	s, err := f.single(a, "replay", f.replay)
	if err != nil {
		return err
	}
	if s.Steps == nil {
		return input.Errorf("--replay %s: it has no steps; elect sim --scenario runs it", f.replay)
	}
	j, err := f.ScenarioJob(s)
	if err != nil {
		return fmt.Errorf("--replay %s: %w", f.replay, err)
	}
	if f.voters != "" {
		c := check.Config{Input: j.Input}
		if err := f.withVoters(&c); err != nil {
			return err
		}
		j.Input = c.Input
	}
	j.Name, j.Label = s.Name, "--replay "+f.replay
	if err := f.outputs(len(j.IDs)); err != nil {
		return err
	}
	f.Files.Number(j.Steps)
	t, o, err := retold(ctx, j)
	if t == nil || errors.Is(err, election.ErrInput) {
		return j.Named(err)
	}
	ruling, failed := check.Judge(ctx, j.Input, j.Steps, s.Property)
	if failed != nil {
		return fmt.Errorf("--replay %s: %w", f.replay, failed)
	}
	if ruling.Reason != nil { // pictures mark the place
		t.Header.Scenario.Property, t.Header.Scenario.Note = ruling.Broken, input.Reason(ruling.Reason)
	}
	if err := reportReplay(a, f, j, t, o); err != nil {
		return exit.Failed(err)
	}
	if err != nil {
		return exit.Classify(j.Named(err))
	}
	return judgeReplay(a, f, s, o, j, &ruling)
}

// reportReplay reports what happens in a replay.
func reportReplay(a *console.Console, f *options, j *job.Job, t *trace.Trace, o *run.Outcome) error {
	switch {
	case f.JSON:
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
func judgeReplay(a *console.Console, f *options, s *scenario.Scenario, o *run.Outcome, j *job.Job,
	ruling *check.Ruling) error {
	switch broken, reason := ruling.Broken, ruling.Reason; {
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
	if f.JSON || f.Silent {
		return nil
	}
	text := "not violated in these steps"
	if ruling.Only != "" {
		text += ": " + ruling.Only.Text()
	}
	_, err := fmt.Fprintln(a.Stdout, text)
	return err
}
