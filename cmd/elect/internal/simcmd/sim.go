// Package simcmd is elect sim and elect run: one election after another, simulated or among goroutines.
package simcmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/run"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/local"
)

// driver runs one election.
type driver func(ctx context.Context, j *job.Job, m *terminal.Meter) (*run.Outcome, error)

// NewSim returns elect sim.
func NewSim(a *console.Console) *cobra.Command {
	o := &job.Options{Catalog: a.Catalog, Most: scenario.MaxProcesses, Driven: "simulated"}
	cmd := &cobra.Command{
		Use: "sim ALGORITHM", Short: "Simulate an election in virtual time", Long: longSim, Example: examplesSim,
		RunE: func(cmd *cobra.Command, args []string) error { return executeJobs(a, cmd, o, args, run.Simulate) },
	}
	fs, c := cmd.Flags(), &o.Config
	fs.SortFlags = false
	o.Define(cmd)
	c.Schedule = sim.UnitDelay
	parse.Choice(cmd, &c.Schedule, "schedule", "the delays of messages: one unit each, or random", sim.UnitDelay,
		sim.RandomDelay)
	parse.Var(fs, &c.Delay, "delay", "0.5,2", "the shortest and the longest random delay, in units", parse.Delay)
	fs.BoolVar(&o.FIFO, "fifo", true, "links keep the order of messages; false needs random delays")
	fs.BoolVar(&c.Force, "force", false, "run an algorithm although links do not keep the order or the delay that it "+
		"needs, --duplicate duplicates messages, or a synchronous one has starts at several times")
	o.DefineRun(cmd)
	parse.Var(fs, &c.RestartAt, "restart-at", "4@15", "processes return after a crash with the state saved last",
		parse.Ats)
	parse.Var(fs, &c.PauseAt, "pause-at", "3@2-6", "processes handle nothing from one time until another", parse.Pauses)
	parse.Var(fs, &c.Faults.Loss, "loss", "0.1", "the probability that a message is lost", parse.Probability)
	parse.Var(fs, &c.Faults.Duplicate, "duplicate", "0.1", "the probability that a message arrives twice",
		parse.Probability)
	parse.Var(fs, &c.Faults.Reorder, "reorder", "0.1", "the probability that a message is delayed once more, so that "+
		"others may overtake it", parse.Probability)
	parse.Var(fs, &c.Faults.Partitions, "partition", "1,2|3,4@3-9", "groups that are cut off from each other from 3 "+
		"until 9; processes in no group form another group; without @ for the whole run; with > in that "+
		"direction only; may be repeated",
		func(flag, text string) ([]fault.Partition, error) {
			cut, err := parse.Partition(flag, text)
			return append(c.Faults.Partitions, cut), err
		})
	o.Files.Define(cmd, "trace", "svg", "links", "mermaid", "log")
	o.Complete(cmd)
	return cmd
}

// NewRun returns elect run.
func NewRun(a *console.Console) *cobra.Command {
	o := &job.Options{Catalog: a.Catalog, Most: local.MaxProcesses, Driven: "run as goroutines",
		Unit: 100 * time.Millisecond}
	cmd := &cobra.Command{
		Use: "run ALGORITHM", Short: "Run an election among goroutines of this process",
		Long: longRun, Example: examplesRun,
		RunE: func(cmd *cobra.Command, args []string) error { return executeJobs(a, cmd, o, args, run.Goroutines) },
	}
	cmd.Flags().SortFlags = false
	o.Define(cmd)
	parse.Var(cmd.Flags(), &o.Unit, "unit", "time", "how long a unit of time lasts: 20ms, 1.5s", parse.Duration)
	o.DefineRun(cmd)
	o.Files.Define(cmd, "trace")
	o.Complete(cmd)
	return cmd
}

// executeJobs runs the elections of the command line, one after another, and reports each result. One that
// fails, or cannot be run, does not keep the next from being run.
func executeJobs(a *console.Console, cmd *cobra.Command, o *job.Options, args []string, drive driver) error {
	ctx := cmd.Context()
	jobs, err := o.Jobs(a, args)
	if err != nil {
		return err
	}
	// Before the first election: a name that cannot be written must not show after a long run.
	if err := checkFiles(o, jobs); err != nil {
		return err
	}
	var all exit.Failures
	shown := a.Stdout.IsTerminal() && !o.JSON && !o.Silent
	for i, j := range jobs {
		if ctx.Err() != nil {
			return exit.ErrInterrupted
		}
		recording, err := record(a, o, j)
		if err != nil {
			return err
		}
		m := a.Meter()
		outcome, err := drive(ctx, j, m)
		m.Clear()
		if err := recording.finish(a); err != nil {
			all = append(all, j.Named(err))
			shown = false
		} else {
			proposeOrder(a, cmd, j)
		}
		if err != nil {
			all = append(all, exit.Classify(j.Named(err)))
			shown = false
			refused := errors.Is(err, election.ErrLateStart) || errors.Is(err, election.ErrNotInitiator)
			if len(j.Acts)+len(j.Steps) == 0 || !refused {
				continue // else what was done is reported all the same, as on the page
			}
		}
		shown = shown && fitsPage(len(j.IDs), outcome.Messages)
		if !o.Silent {
			if err := run.Report(a, j, outcome, o.JSON, i > 0); err != nil {
				return exit.Failed(err)
			}
		}
		if err := run.WhyFailed(j, outcome); err != nil {
			all = append(all, exit.Failed(j.Named(err)))
		}
	}
	if shown {
		if err := proposePage(a, cmd, o, args, len(jobs)); err != nil {
			return exit.Failed(err)
		}
	}
	return all.Err()
}
