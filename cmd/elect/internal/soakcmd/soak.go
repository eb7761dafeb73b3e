// Package soakcmd is elect soak: it reads flags, tries random runs by lab/soak, and reports what it found.
package soakcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/soak"
)

// options are the flags of elect soak.
type options struct {
	job.Options
	soak soak.Config // as far as the flags give it
	all  bool
	out  string
}

// soakTime is the default of --duration, without --runs.
const soakTime = 10 * time.Second

// mostSoaked is the largest number of processes.
const mostSoaked = 1 << 10

// New returns elect soak.
func New(a *console.Console) *cobra.Command {
	o := &options{Options: job.Options{Catalog: a.Catalog}}
	cmd := &cobra.Command{
		Use: "soak ALGORITHM", Short: "Simulate random elections until one fails", Long: long, Example: examples,
		ValidArgsFunction: job.Algorithms(a.Catalog, func(args []string) bool { return len(args) == 0 && !o.all }),
		RunE:              func(cmd *cobra.Command, args []string) error { return runSoak(a, cmd.Context(), o, args) },
	}
	fs, c := cmd.Flags(), &o.soak
	fs.SortFlags = false
	fs.BoolVar(&o.all, "all", false, "every algorithm, one after another")
	o.DefineAlgorithm(cmd)
	parse.Var(fs, &c.Duration, "duration", "30s", "how long to soak each algorithm, in real time (default, without "+
		"--runs, 10s)", parse.Duration)
	parse.Var(fs, &c.Runs, "runs", "K", "the number of runs of each (default as many as there is time for)",
		parse.Between[uint64](1, 1<<53)) // numbers such as 1e6 are read as float64, which skips larger ones
	fs.Uint64Var(&c.Seed, "seed", 0, "the number of the first run")
	parse.Var(fs, &c.Processes, "processes", "K", "the largest number of processes (default 12)",
		parse.Between(1, mostSoaked))
	parse.Choice(cmd, &c.Profile, "profile", "what is drawn often: with chaos, few processes that crash and return "+
		"next to other steps; with voters, groups whose voters change (default everything)", soak.Chaos, soak.Voters)
	parse.Var(fs, &c.Workers, "workers", "K", "the number of workers (default one for each processor)",
		parse.Between(1, 1<<10))
	parse.File(cmd, &o.out, "out", "json", "write the smallest failing run as a scenario into this file, - for standard "+
		"output")
	fs.BoolVar(&o.JSON, "json", false, "one JSON object for each algorithm, each on a line")
	parse.Exclude(cmd, "all", "out", "variant", "param") // they are for one algorithm
	return cmd
}

// runSoak soaks one algorithm after another. One that fails does not keep the next from its turn.
func runSoak(a *console.Console, ctx context.Context, o *options, args []string) error {
	c, err := o.config()
	if err != nil {
		return err
	}
	algorithms, err := o.which(args)
	if err != nil {
		return err
	}
	// Before the heading of a table that would stay empty.
	if ctx.Err() != nil {
		return exit.ErrInterrupted
	}
	console.ReportsWhenInterrupted(ctx)
	var table *soakTable
	if o.all && !o.JSON {
		if table, err = newSoakTable(a, algorithms); err != nil {
			return err
		}
	}
	all, err := soakEach(a, ctx, o, c, algorithms, table)
	if broken := table.end(); broken != nil {
		return broken
	}
	switch {
	case err != nil:
		return err
	case len(all) == 0:
		return nil
	case len(all) == 1:
		return all[0]
	}
	return all
}

// soakEach soaks one algorithm after another, reports each, as a row if there is a table, and returns those
// that failed.
func soakEach(a *console.Console, ctx context.Context, o *options, c *soak.Config,
	algorithms []*election.Algorithm, table *soakTable) (all exit.Failures, err error) {
	for _, alg := range algorithms {
		c.Algorithm = alg
		m := a.Meter()
		if m != nil {
			c.Progress = func(t soak.Tally) { showSoak(m, t) }
		}
		r, err := soak.Run(ctx, *c)
		m.Clear()
		if err != nil {
			return all, exit.Classify(err)
		}
		// The configuration changes with the next algorithm, but the report of this one is written later.
		of := *c
		done := &soaking{Config: &of, Result: &r, flags: o, title: alg.Title()}
		if table != nil {
			err = table.add(done)
		} else {
			err = reportSoak(a, done)
		}
		if err != nil {
			return all, err
		}
		if err := done.judged(); err != nil {
			all = append(all, err)
		}
		// Each of the others would be interrupted in its first run.
		if ctx.Err() != nil {
			break
		}
	}
	return all, nil
}

// which returns the algorithms to soak.
func (o *options) which(args []string) ([]*election.Algorithm, error) {
	if !o.all {
		alg, err := o.Algorithm(args)
		return []*election.Algorithm{alg}, err
	}
	if len(args) > 0 {
		return nil, input.Errorf("--all: unexpected argument %.60q", args[0])
	}
	return o.Catalog, nil
}

// config returns the configuration.
func (o *options) config() (*soak.Config, error) {
	c := o.soak
	var err error
	if c.Params, err = o.ReadParams(); err != nil {
		return nil, err
	}
	if c.Runs == 0 && c.Duration == 0 {
		c.Duration = soakTime
	}
	switch {
	case o.out == files.Standard && o.JSON:
		return nil, input.Errorf("--json: standard output is taken by a file named -")
	case o.out == "":
		return &c, nil
	}
	return &c, files.CheckWritable("out", o.out)
}

// soaking is the result of soaking one algorithm.
type soaking struct {
	*soak.Config
	*soak.Result
	flags *options
	title string
}

// judged returns why the exit status is not zero, or nil.
func (k *soaking) judged() error {
	switch {
	case k.Failure != nil:
		return exit.Failed(fmt.Errorf("%s: seed %d: violated: %w", k.title, k.Failure.Seed,
			k.Failure.Violation))
	case k.Stopped != nil:
		return exit.WithStatus(exit.StatusUnfinished, fmt.Errorf("%s: %s", k.title, k.stopped()))
	}
	return nil
}

// stopped returns why not all runs were made.
func (k *soaking) stopped() string {
	if errors.Is(k.Stopped, context.Canceled) {
		return fmt.Sprintf("interrupted after %s runs", prose.Grouped(k.Result.Runs))
	}
	return fmt.Sprintf("the time was up after %s of %s runs", prose.Grouped(k.Result.Runs),
		prose.Grouped(k.Config.Runs))
}

// replay is the command that makes a run once more.
func (k *soaking) replay(seed uint64) string {
	var command strings.Builder
	fmt.Fprintf(&command, "elect soak %s --seed %d --runs 1", k.title, seed)
	for _, p := range k.flags.Params {
		command.WriteString(" --param " + terminal.Quoted(p))
	}
	if k.Processes > 0 {
		fmt.Fprintf(&command, " --processes %d", k.Processes)
	}
	if k.Profile != soak.Broad {
		command.WriteString(" --profile " + string(k.Profile))
	}
	return command.String()
}
