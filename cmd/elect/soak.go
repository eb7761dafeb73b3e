package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/soak"
)

// aboutSoak is the help of elect soak.
const aboutSoak = `Simulates a great many elections, each drawn from one number: links that fit, how many processes,
their ids, priorities and places, who starts and when, how long messages take and whether they may
overtake each other, and what goes wrong within the model of the algorithm: crashes and returns where the
largest that is up is elected, pauses where no delay is assumed. Then nothing goes wrong any more,
crashes are noticed, and there must be one leader, the right one, that all know. A run that goes on and on
fails; one with heartbeats, which never ends, must have its leader after a time, and keep it.

The first run has the number --seed, the next the one after it. If some fail, the one of the smallest number is
told, made as small as it can be while it still fails, as a log, and with --out as a scenario that elect
sim runs. For one algorithm, --runs 1 tells the log of that run in any case. With --all there is a row for each
algorithm, and below them all that is told of those that fail.

What comes out of --runs does not depend on --workers, nor on how fast the machine is. With --duration it
is as many runs as there is time for.

What is told as time is what passes in the runs, in units, not on the clock. The hash is made of all that happens
in them. Both are equal for equal runs, on every machine: another hash means that something else has happened.

The exit status is 0 if all is well, 1 if a run fails, 2 if what was asked for cannot be, and 3 if not
all runs were made: the time was up before --runs were, or it was interrupted.`

// soakFlags are those of elect soak, as they were typed.
type soakFlags struct {
	flags

	runs, duration, workers, processes, out string

	every bool
}

// soakTime is how long to soak where nothing is said.
const soakTime = 10 * time.Second

// mostSoaked is how many processes there may be.
const mostSoaked = 1 << 10

func (a *app) soakCommand() *cobra.Command {
	f := &soakFlags{}
	cmd := &cobra.Command{
		Use:   "soak ALGORITHM",
		Short: "Simulate random elections until one fails",
		Long:  aboutSoak,
		Example: `  elect soak bully --duration 30s
  elect soak bully --runs 10000 --seed 5 --out failure.json
  elect soak bully --seed 4 --runs 1
  elect soak --all --runs 1000 --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.soak(cmd.Context(), f, args) },
	}
	f.cmd = cmd
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.BoolVar(&f.every, "all", false, "every algorithm, one after another")
	text(fs, &f.variant, "variant", "variant", "", "which variant of the algorithm (default: the first listed)")
	fs.Var(words{&f.params, "name=value"}, "param", "a parameter of the algorithm, as elect list shows them; may be given again")
	text(fs, &f.duration, "duration", "30s", "", "how long to go on with each algorithm, in real time (default, without --runs: 10s)")
	text(fs, &f.runs, "runs", "K", "", "how many runs to make of each (default: as there is time for)")
	text(fs, &f.seed, "seed", "number", "0", "the number of the first run (default 0)")
	text(fs, &f.processes, "processes", "K", "", "how many processes there are at most (default 12)")
	text(fs, &f.workers, "workers", "K", "", "how many work at it (default: one a processor)")
	text(fs, &f.out, "out", "file", "", "write what is left of a failure as a scenario into this file, - for standard output")
	fs.BoolVar(&f.json, "json", false, "one JSON object a line for each algorithm")
	f.completeSoak()
	return cmd
}

// completeSoak tells the shell what may follow.
func (f *soakFlags) completeSoak() {
	f.cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 || f.every {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return algorithms(typed), cobra.ShellCompDirectiveNoFileComp
	}
	f.values("variant", func(args []string) []cobra.Completion {
		if len(args) == 0 {
			return nil
		}
		name, _, _ := strings.Cut(args[0], "/")
		return catalog.Variants(name)
	})
	for _, free := range []string{"param", "seed", "runs", "duration", "workers", "processes"} {
		f.values(free, func([]string) []cobra.Completion { return nil })
	}
	if err := f.cmd.MarkFlagFilename("out", "json"); err != nil {
		panic(err) // no such flag
	}
}

// soak soaks one algorithm after another. One that fails does not keep the next from its turn.
func (a *app) soak(ctx context.Context, f *soakFlags, args []string) error {
	c, err := f.config()
	if err != nil {
		return err
	}
	algorithms, err := f.which(args)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	reportsWhenInterrupted(ctx)
	var table *soakTable
	if f.every && !f.json {
		if table, err = a.newSoakTable(algorithms); err != nil {
			return err
		}
	}
	all, err := a.soakEach(ctx, f, c, algorithms, table)
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

// soakEach soaks one algorithm after another, tells of each, as a row if there is a table, and returns which failed.
func (a *app) soakEach(ctx context.Context, f *soakFlags, c *soak.Config, algorithms []*election.Algorithm, table *soakTable) (all failures, err error) {
	for _, alg := range algorithms {
		c.Algorithm = alg
		m := a.newMeter()
		if m != nil {
			c.Progress = m.soaked
		}
		r, err := soak.Run(ctx, *c)
		m.clear()
		if err != nil {
			return all, judged(err)
		}
		of := *c
		done := &soaking{Config: &of, Result: &r, flags: f, title: alg.Title()}
		if table != nil {
			err = table.add(done)
		} else {
			err = a.tellSoak(done)
		}
		if err != nil {
			return all, err
		}
		if err := done.judged(); err != nil {
			all = append(all, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return all, nil
}

// which returns the algorithms to soak.
func (f *soakFlags) which(args []string) ([]*election.Algorithm, error) {
	if !f.every {
		alg, err := f.algorithm(args)
		return []*election.Algorithm{alg}, err
	}
	switch {
	case len(args) > 0:
		return nil, usage("--all: unexpected argument %q", args[0])
	case f.given("out"), f.given("variant"), f.given("param"):
		return nil, usage("--all excludes --out, --variant and --param, which are for one algorithm")
	}
	return catalog.All(), nil
}

// config reads the flags.
func (f *soakFlags) config() (*soak.Config, error) {
	c := &soak.Config{}
	var err error
	if c.Params, err = f.asked(); err != nil {
		return nil, err
	}
	if c.Seed, err = parseNumber("--seed", f.seed); err != nil {
		return nil, err
	}
	for _, flag := range []struct {
		name, text string
		most       float64
		set        func(n float64)
	}{
		{"runs", f.runs, 1 << 53, func(n float64) { c.Runs = uint64(n) }},
		{"workers", f.workers, 1 << 10, func(n float64) { c.Workers = int(n) }},
		{"processes", f.processes, mostSoaked, func(n float64) { c.Processes = int(n) }},
	} {
		if !f.given(flag.name) {
			continue
		}
		n, err := parseCount("--"+flag.name, flag.text)
		switch {
		case err != nil:
			return nil, err
		case n < 1 || n > flag.most:
			return nil, usage("--%s: %s is not between 1 and %.0f", flag.name, flag.text, flag.most)
		}
		flag.set(n)
	}
	switch {
	case f.given("duration"):
		if c.Duration, err = time.ParseDuration(f.duration); err != nil || c.Duration <= 0 {
			return nil, usage("--duration: %.60q is not a time above 0, as in 30s or 5m", f.duration)
		}
	case c.Runs == 0:
		c.Duration = soakTime
	}
	if f.given("out") && f.out == "" {
		return nil, usage("--out: no file is given")
	}
	if f.out == standardStream && f.json {
		return nil, usage("--json: standard output is taken by a file named -")
	}
	if f.out == "" {
		return c, nil
	}
	return c, writable("out", f.out)
}

// soaking is what came out of soaking one algorithm.
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
		return failed(fmt.Errorf("%s: seed %d: violated: %w", k.title, k.Failure.Seed, k.Failure.Violation))
	case k.Stopped != nil:
		return unfinished{fmt.Errorf("%s: %s", k.title, k.stopped())}
	}
	return nil
}

// stopped says why not all runs were made.
func (k *soaking) stopped() string {
	if errors.Is(k.Stopped, context.Canceled) {
		return fmt.Sprintf("interrupted after %s runs", prose.Grouped(k.Result.Runs))
	}
	return fmt.Sprintf("the time was up after %s of %s runs", prose.Grouped(k.Result.Runs), prose.Grouped(k.Config.Runs))
}

// replay is the command that makes a run once more.
func (k *soaking) replay(seed uint64) string {
	var command strings.Builder
	command.WriteString(fmt.Sprintf("elect soak %s --seed %d --runs 1", k.title, seed))
	for _, p := range k.flags.params {
		command.WriteString(" --param " + quoted(p))
	}
	if k.flags.given("processes") {
		command.WriteString(" --processes " + quoted(k.flags.processes))
	}
	return command.String()
}

// quoted returns a word as a shell takes it.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+=./:,@%", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
