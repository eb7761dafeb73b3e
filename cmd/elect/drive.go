package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/observe"
)

// driver runs one election.
type driver func(ctx context.Context, j *job, m *meter) (*outcome, error)

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

func (a *app) simCommand() *cobra.Command {
	f := &flags{most: scenario.MaxProcesses, driven: "simulated"}
	cmd := &cobra.Command{
		Use:   "sim ALGORITHM",
		Short: "Simulate an election in virtual time",
		Long: `Simulates an election in virtual time. One seed decides everything: the same input and seed
give the same run, event for event, which the trace hash shows.` + aboutTopology + aboutOutput,
		Example: `  elect sim lcr -n 1000 --order random --seed 7
  elect sim lcr/initiators --ids 3,1,4,8,5,2 --initiators 3,5 --json
  elect sim hs -n 64 --schedule random --seed 3
  elect sim lcr -n 9 --loss 0.01 --partition '1,2|3,4,5@3-9'
  elect sim mutex --param election=lcr -n 5 --crash-at 5@9 --suspect-after 2
  elect sim hs -n 8 --svg hs.svg --trace hs.ndjson
  elect sim --scenario file.json`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.execute(cmd.Context(), f, args, simulate) },
	}
	f.add(cmd)
	f.addVirtual(cmd)
	f.complete()
	return cmd
}

func (a *app) runCommand() *cobra.Command {
	f := &flags{most: local.MaxProcesses, driven: "run as goroutines"}
	cmd := &cobra.Command{
		Use:   "run ALGORITHM",
		Short: "Run an election among goroutines of this process",
		Long: `Runs an election among goroutines of this process, one for every participant. Nothing decides
the order in which they act but the Go scheduler.` + aboutTopology + aboutOutput,
		Example: `  elect run hs -n 200
  elect run lcr --ids 3,1,4,8,5,2 --json
  elect run bully -n 5 --crashed 5 --initiators 1 --unit 20ms`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.execute(cmd.Context(), f, args, goRoutines) },
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		told := flagError(cmd, err)
		for _, flag := range []string{"svg", "mermaid", "log"} {
			if strings.HasSuffix(told.Error(), "unknown flag --"+flag) {
				return usage("unknown flag --%s: use --trace FILE, then elect trace FILE --%[1]s", flag)
			}
		}
		return told
	})
	f.add(cmd)
	f.addReal(cmd)
	f.complete()
	return cmd
}

// execute runs the elections that were asked for, one after another, and tells what came out of
// each. One that fails, or turns out to be asked for in vain, does not keep the next from being
// run.
func (a *app) execute(ctx context.Context, f *flags, args []string, drive driver) error {
	jobs, err := f.jobs(a, args)
	if err != nil {
		return err
	}
	if err := f.recorded(jobs); err != nil {
		return err
	}
	var all failures
	for i, j := range jobs {
		if ctx.Err() != nil {
			return errInterrupted
		}
		recording, err := f.record(a, j)
		if err != nil {
			return err
		}
		m := a.newMeter()
		o, err := drive(ctx, j, m)
		m.clear()
		if err := recording.finish(a); err != nil {
			all = append(all, j.named(err))
		}
		if err != nil {
			all = append(all, judged(j.named(err)))
			continue
		}
		if !f.silent {
			if err := a.report(j, o, f.json, i > 0); err != nil {
				return failed(err)
			}
		}
		if err := j.check(o); err != nil {
			all = append(all, failed(j.named(err)))
		}
	}
	return all.err()
}

// simulate runs an election in virtual time.
func simulate(ctx context.Context, j *job, m *meter) (*outcome, error) {
	c := j.Config
	if m != nil {
		c.Progress = func(delivered uint64, _ time.Duration) { m.show(delivered) }
	}
	schedule := string(j.Schedule)
	if j.Steps != nil {
		schedule = givenSteps
	}
	judge := j.judge()
	if j.Steps != nil || j.Algorithm.Sections > 0 {
		c.Observe = also(judge.Observe, j.Observe)
	}
	r, err := sim.Run(ctx, c)
	v := &virtual{time: r.Time, hash: r.TraceHash, lost: r.Lost, duplicated: r.Duplicated, reordered: r.Reordered}
	return &outcome{Result: r.Result, schedule: schedule, wall: r.Wall, virtual: v, judge: judge}, err
}

// also returns an observer that reports to another as well, if there is one.
func also(first, other observe.Observer) observe.Observer {
	if other == nil {
		return first
	}
	return func(o *observe.Occurrence) {
		first(o)
		other(o)
	}
}

// errUntil ends a run that has lasted as long as it should.
var errUntil = errors.New("until the end that was asked for")

// goRoutines runs an election among goroutines.
func goRoutines(ctx context.Context, j *job, m *meter) (*outcome, error) {
	c := local.Config{Input: j.Input, Unit: j.unit, Observe: j.Observe}
	if j.Until > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(float64(j.Until)/float64(sim.Unit)*float64(j.unit)), errUntil)
		defer cancel()
	}
	if m != nil {
		c.Progress = m.show
	}
	var entered verdict.Entries
	if j.Algorithm.Sections > 0 {
		c.Observe = also(entered.Observe, j.Observe)
	}
	r, err := local.Run(ctx, c)
	if errors.Is(err, errUntil) {
		err = nil
	}
	r.Entries = entered
	return &outcome{Result: r.Result, schedule: goroutines, wall: r.Wall, judge: j.judge()}, err
}
