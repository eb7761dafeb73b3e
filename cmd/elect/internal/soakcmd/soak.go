// Package soakcmd is elect soak: it reads flags, lets lab/soak try random runs, and reports what it found.
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
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/soak"
)

// soakFlags are those of elect soak, as they were typed.
type soakFlags struct{ job.Flags }

// soakTime is the default of --duration, without --runs.
const soakTime = 10 * time.Second

// mostSoaked is the largest number of processes.
const mostSoaked = 1 << 10

// New returns elect soak.
func New(a *console.Console) *cobra.Command {
	f := &soakFlags{Flags: job.Flags{Set: flags.Set{Catalog: a.Catalog}}}
	cmd := flags.Command("soak ALGORITHM", "Simulate random elections until one fails",
		func(cmd *cobra.Command, args []string) error { return runSoak(a, cmd.Context(), f, args) })
	f.Define(cmd, "soak")
	f.Algorithms(func(args []string) bool { return len(args) == 0 && !f.On("all") })
	return cmd
}

// runSoak soaks one algorithm after another. One that fails does not keep the next from its turn.
func runSoak(a *console.Console, ctx context.Context, f *soakFlags, args []string) error {
	c, err := f.config()
	if err != nil {
		return err
	}
	algorithms, err := f.which(args)
	if err != nil {
		return err
	}
	// Before the heading of a table that would stay empty.
	if ctx.Err() != nil {
		return exit.ErrInterrupted
	}
	console.ReportsWhenInterrupted(ctx)
	var table *soakTable
	if f.On("all") && !f.On("json") {
		if table, err = newSoakTable(a, algorithms); err != nil {
			return err
		}
	}
	all, err := soakEach(a, ctx, f, c, algorithms, table)
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
func soakEach(a *console.Console, ctx context.Context, f *soakFlags, c *soak.Config,
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
		done := &soaking{Config: &of, Result: &r, flags: f, title: alg.Title()}
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
func (f *soakFlags) which(args []string) ([]*election.Algorithm, error) {
	if !f.On("all") {
		alg, err := f.Algorithm(args)
		return []*election.Algorithm{alg}, err
	}
	switch {
	case len(args) > 0:
		return nil, input.Errorf("--all: unexpected argument %.60q", args[0])
	case f.Given("out"), f.Given("variant"), f.Given("param"):
		return nil, input.Errorf("--all excludes --out, --variant and --param, which are for one algorithm")
	}
	return f.Catalog, nil
}

// config reads the flags.
func (f *soakFlags) config() (*soak.Config, error) {
	c := &soak.Config{}
	var err error
	if c.Params, err = f.ReadParams(); err != nil {
		return nil, err
	}
	if c.Seed, err = parse.Number("--seed", f.Text("seed")); err != nil {
		return nil, err
	}
	if f.Given("profile") {
		c.Profile = soak.Profile(f.Text("profile"))
		if err := suggest.Among("profile", f.Text("profile"), string(soak.Chaos)); err != nil {
			return nil, err
		}
	}
	// Numbers such as 1e6 are read as float64, which skips whole numbers above 2^53.
	for _, flag := range []struct {
		name string
		most float64
		set  func(n float64)
	}{
		{"runs", 1 << 53, func(n float64) { c.Runs = uint64(n) }},
		{"workers", 1 << 10, func(n float64) { c.Workers = int(n) }},
		{"processes", mostSoaked, func(n float64) { c.Processes = int(n) }},
	} {
		if !f.Given(flag.name) {
			continue
		}
		n, err := parse.Count("--"+flag.name, f.Text(flag.name))
		switch {
		case err != nil:
			return nil, err
		case n < 1 || n > flag.most:
			return nil, input.Errorf("--%s: %s is not between 1 and %.0f", flag.name, f.Text(flag.name),
				flag.most)
		}
		flag.set(n)
	}
	switch {
	case f.Given("duration"):
		if c.Duration, err = time.ParseDuration(f.Text("duration")); err != nil || c.Duration <= 0 {
			return nil, input.Errorf("--duration: %.60q is not a time above 0, as in 30s or 5m",
				f.Text("duration"))
		}
	case c.Runs == 0:
		c.Duration = soakTime
	}
	if f.Given("out") && f.Text("out") == "" {
		return nil, input.Errorf("--out: no file is given")
	}
	if f.Text("out") == files.Standard && f.On("json") {
		return nil, input.Errorf("--json: standard output is taken by a file named -")
	}
	if f.Text("out") == "" {
		return c, nil
	}
	return c, files.CheckWritable("out", f.Text("out"))
}

// soaking is the result of soaking one algorithm.
type soaking struct {
	*soak.Config
	*soak.Result
	flags *soakFlags
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

// stopped says why not all runs were made.
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
	command.WriteString(fmt.Sprintf("elect soak %s --seed %d --runs 1", k.title, seed))
	for _, p := range k.flags.All("param") {
		command.WriteString(" --param " + terminal.Quoted(p))
	}
	if k.flags.Given("processes") {
		command.WriteString(" --processes " + terminal.Quoted(k.flags.Text("processes")))
	}
	if k.Profile != soak.Broad {
		command.WriteString(" --profile " + string(k.Profile))
	}
	return command.String()
}
