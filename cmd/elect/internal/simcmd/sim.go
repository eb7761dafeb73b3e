// Package simcmd is elect sim and elect run: one election after another, simulated or among goroutines.
package simcmd

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/run"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/local"
)

// driver runs one election.
type driver func(ctx context.Context, j *job.Job, m *terminal.Meter) (*run.Outcome, error)

// NewSim returns elect sim.
func NewSim(a *console.Console) *cobra.Command {
	f := &job.Flags{Set: flags.Set{Catalog: a.Catalog}, Most: scenario.MaxProcesses, Driven: "simulated"}
	cmd := flags.Command("sim ALGORITHM", "Simulate an election in virtual time",
		func(cmd *cobra.Command, args []string) error {
			return executeJobs(a, cmd.Context(), f, args, run.Simulate)
		})
	f.Define(cmd, "sim")
	f.Files.Define(cmd, "trace", "svg", "links", "mermaid", "log")
	f.Complete()
	return cmd
}

// NewRun returns elect run.
func NewRun(a *console.Console) *cobra.Command {
	f := &job.Flags{Set: flags.Set{Catalog: a.Catalog}, Most: local.MaxProcesses, Driven: "run as goroutines"}
	cmd := flags.Command("run ALGORITHM", "Run an election among goroutines of this process",
		func(cmd *cobra.Command, args []string) error {
			return executeJobs(a, cmd.Context(), f, args, run.Goroutines)
		})
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			flag := unknown.GetSpecifiedName()
			if slices.Contains([]string{"svg", "links", "mermaid", "log"}, flag) {
				return input.Errorf("unknown flag --%s: use --trace FILE, then elect trace FILE --%[1]s",
					flag)
			}
		}
		return suggest.FlagError(cmd, err)
	})
	f.Define(cmd, "run")
	f.Files.Define(cmd, "trace")
	f.Complete()
	return cmd
}

// executeJobs runs the elections of the command line, one after another, and reports each result. One that
// fails, or cannot be run, does not keep the next from being run.
func executeJobs(a *console.Console, ctx context.Context, f *job.Flags, args []string, drive driver) error {
	jobs, err := f.Jobs(a, args)
	if err != nil {
		return err
	}
	// Before the first election: a name that cannot be written must not show after a long run.
	if err := checkFiles(f, jobs); err != nil {
		return err
	}
	var all exit.Failures
	shown := a.Stdout.IsTerminal() && !f.On("json") && !f.Silent
	for i, j := range jobs {
		if ctx.Err() != nil {
			return exit.ErrInterrupted
		}
		recording, err := record(a, f, j)
		if err != nil {
			return err
		}
		m := a.Meter()
		o, err := drive(ctx, j, m)
		m.Clear()
		if err := recording.finish(a); err != nil {
			all = append(all, j.Named(err))
			shown = false
		}
		if err != nil {
			all = append(all, exit.Classify(j.Named(err)))
			shown = false
			refused := errors.Is(err, election.ErrLateStart) || errors.Is(err, election.ErrNotInitiator)
			if len(j.Acts)+len(j.Steps) == 0 || !refused {
				continue // else what was done is reported all the same, as on the page
			}
		}
		shown = shown && fitsPage(len(j.IDs), o.Messages)
		if !f.Silent {
			if err := run.Report(a, j, o, f.On("json"), i > 0); err != nil {
				return exit.Failed(err)
			}
		}
		if err := run.WhyFailed(j, o); err != nil {
			all = append(all, exit.Failed(j.Named(err)))
		}
	}
	if shown {
		if err := proposePage(a, f, args, len(jobs)); err != nil {
			return exit.Failed(err)
		}
	}
	return all.Err()
}
