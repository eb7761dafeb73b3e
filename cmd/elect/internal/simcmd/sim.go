// Package simcmd is elect sim and elect run: one election after another, simulated or among goroutines.
package simcmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/run"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/local"
)

// driver runs one election.
type driver func(ctx context.Context, j *job.Job, m *console.Meter) (*run.Outcome, error)

// aboutOutput is the part of the help that sim and run share.
const aboutOutput = `

The lines best, mean and worst hold the number of messages that the algorithm sends in that case
if everybody starts at once, or the one that may, and the messages of this election in per cent of that number:
behind worst, 50 % says that it took half of the most that there can be, behind best, 200 % that
it took twice the least. They say reached where both numbers are the same; after a ≤ the number is
a bound that need not be attained.

A file for --scenario holds one scenario or an array of them. All are checked before the first is
run; one that fails does not keep the others from being run, and each that fails is told in a line
of its own on standard error. With --json, each election is one object on one line.`

// NewSim returns elect sim.
func NewSim(a *console.Console) *cobra.Command {
	f := &job.Flags{Most: scenario.MaxProcesses, Driven: "simulated"}
	cmd := &cobra.Command{
		Use:   "sim ALGORITHM",
		Short: "Simulate an election in virtual time",
		Long: `Simulates an election in virtual time. One seed decides everything: the same input and seed
give the same run, event for event, which the trace hash shows.` + job.AboutTopology + aboutOutput,
		Example: `  elect sim lcr -n 1000 --order random --seed 7
  elect sim lcr/initiators --ids 3,1,4,8,5,2 --initiators 3,5 --json
  elect sim hs -n 64 --schedule random --seed 3
  elect sim lcr -n 9 --loss 0.01 --partition '1,2|3,4,5@3-9'
  elect sim mutex --param election=lcr -n 5 --crash-at 5@9 --suspect-after 2
  elect sim hs -n 8 --svg hs.svg --trace hs.ndjson
  elect sim --scenario file.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return executeJobs(a, cmd.Context(), f, args, run.Simulate)
		},
	}
	f.Define(cmd)
	f.DefineVirtual(cmd)
	f.Complete()
	return cmd
}

// NewRun returns elect run.
func NewRun(a *console.Console) *cobra.Command {
	f := &job.Flags{Most: local.MaxProcesses, Driven: "run as goroutines"}
	cmd := &cobra.Command{
		Use:   "run ALGORITHM",
		Short: "Run an election among goroutines of this process",
		Long: `Runs an election among goroutines of this process, one for every participant. Nothing decides
the order in which they act but the Go scheduler.` + job.AboutTopology + aboutOutput,
		Example: `  elect run hs -n 200
  elect run lcr --ids 3,1,4,8,5,2 --json
  elect run bully -n 5 --crashed 5 --initiators 1 --unit 20ms`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return executeJobs(a, cmd.Context(), f, args, run.Goroutines)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		told := suggest.FlagError(cmd, err)
		for _, flag := range []string{"svg", "mermaid", "log"} {
			if strings.HasSuffix(told.Error(), "unknown flag --"+flag) {
				return input.Errorf("unknown flag --%s: use --trace FILE, then elect trace FILE --%[1]s", flag)
			}
		}
		return told
	})
	f.Define(cmd)
	f.DefineReal(cmd)
	f.Complete()
	return cmd
}

// executeJobs runs the elections that were asked for, one after another, and tells what came out of
// each. One that fails, or turns out to be asked for in vain, does not keep the next from being
// run.
func executeJobs(a *console.Console, ctx context.Context, f *job.Flags, args []string, drive driver) error {
	jobs, err := f.Jobs(a, args)
	if err != nil {
		return err
	}
	if err := checkFiles(f, jobs); err != nil {
		return err
	}
	var all exit.Failures
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
		}
		if err != nil {
			all = append(all, exit.Classify(j.Named(err)))
			continue
		}
		if !f.Silent {
			if err := run.Report(a, j, o, f.JSON, i > 0); err != nil {
				return exit.Failed(err)
			}
		}
		if err := run.WhyFailed(j, o); err != nil {
			all = append(all, exit.Failed(j.Named(err)))
		}
	}
	return all.Err()
}
