package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// aboutCheck is the help of elect check.
const aboutCheck = `Visits every state that an election can be in: whoever is to start starts at any moment, any link
delivers, any timer runs out, and within the budgets that are given processes crash and come back, and
messages are lost and copied. In every state, at the end of every run, and over all runs it judges what
the algorithm promises. What it finds is a shortest run to where that does not hold, step by step.

What is to be at some time, as that somebody leads, is seen or not; all else holds or is violated. Where whoever
starts does so at any moment, a late start may begin another election: the numbers of messages and of steps are of
all elections of a run then, and of one alone with --started.

--network is one of

  fifo          links keep the order (the default)
  unordered     any message on a link may be the next
  lossy         fifo, but --losses of all messages are lost (default: unlimited)
  duplicating   fifo, but --duplicates of all messages arrive twice (default: 1)

Budgets may be added to unordered links, and to one another.

An algorithm that counts on a bound of delays is checked in time: messages take up to --delay, and timers
run out when they should, in steps of --tick. With --untimed, and where there is no such bound, a message
takes as long as it likes, and a timer runs out whenever it likes, though not before one that was set earlier
and is shorter.

Where more may happen than the algorithm is made for, as that processes crash on a ring, the report says that this is
outside its model. All that does not depend on it is judged all the same.

The exit status is 0 if everything holds, 1 if something does not, 2 if what was asked for cannot be, and 3 if
not every state was visited: at a limit, or interrupted. What has been found by then is told. With --json, a
property that has not been violated by then, or is not judged, holds null.

A counterexample is told as a log, and by the pictures that are asked for. --out writes it as a scenario,
which elect check --replay and elect sim --scenario run. After a correction of the algorithm, it is --replay that
judges it: it asks for the property that was violated, and is content with steps that do not violate it any more.
elect sim asks for a leader, which there may not be yet where the steps end.`

// checkFlags are those of elect check, as they were typed.
type checkFlags struct {
	flags

	network, losses, duplicates, crashes, recoveries, restarts string
	tick, window, workers, maxStates, memory, replay, out      string

	nudge, started, noAnnouncement, untimed, reduce, exact bool

	mayTake int64 // bytes, of --memory
}

// mostChecked is how many processes there may be.
const mostChecked = 1 << 10

func (a *app) checkCommand() *cobra.Command {
	f := &checkFlags{flags: flags{most: mostChecked, driven: "checked"}}
	cmd := &cobra.Command{
		Use:   "check ALGORITHM",
		Short: "Check an election in every state that it can be in",
		Long:  aboutCheck + aboutTopology,
		Example: `  elect check lcr -n 5
  elect check lcr -n 5 --order worst --network unordered --no-announcement
  elect check dkr -n 3 --network unordered --out counterexample.json
  elect check --replay counterexample.json --mermaid counterexample.mmd
  elect check bully -n 3 --crashes 1
  elect check mutex/ricartagrawala -n 3 --memory 4GB --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.given("replay") {
				return a.replaySteps(f, args)
			}
			return a.check(cmd.Context(), f, args)
		},
	}
	f.addInput(cmd)
	f.addModel(cmd)
	f.files.add(cmd, "trace", "svg", "mermaid", "log")
	for _, file := range []string{"trace", "svg", "mermaid", "log"} {
		cmd.Flags().Lookup(file).Usage = "of a counterexample: " + cmd.Flags().Lookup(file).Usage
	}
	f.completeCheck()
	return cmd
}

// addInput defines the flags that say what to check.
func (f *checkFlags) addInput(cmd *cobra.Command) {
	f.cmd = cmd
	fs := cmd.Flags()
	fs.SortFlags = false
	text(fs, &f.n, "n", "N", "", "so many processes, with ids 1 to N")
	text(fs, &f.ids, "ids", "3,1,4", "", "the processes instead, in the order of the topology")
	text(fs, &f.priorities, "priorities", "5,0,5", "", "their priorities, in the same order")
	text(fs, &f.variant, "variant", "variant", "", "which variant of the algorithm (default: the first listed)")
	fs.Var(words{&f.params, "name=value"}, "param", "a parameter of the algorithm, as elect list shows them; may be given again")
	text(fs, &f.initiators, "initiators", "ids", "all", "who starts, each at any moment: all, none, or the ids")
	text(fs, &f.order, "order", "case", "", "how processes are arranged: sorted, random, best or worst case (default: as given)")
	text(fs, &f.seed, "seed", "number", "0", "a random order, or topology, is drawn from this number (default 0)")
	text(fs, &f.topology, "topology", "links", "", "the links, as grid:3x4 or dot:file (default: as the algorithm needs them)")
	text(fs, &f.crashed, "crashed", "ids", "", "who is down from the beginning")
	text(fs, &f.file, "scenario", "file", "", "take the election from a file with one scenario, - for standard input")
	fs.BoolVar(&f.started, "started", false, "all initiators have started before the first state")
	fs.BoolVar(&f.noAnnouncement, "no-announcement", false, "without messages that announce, and what followers should know; includes --started")
	fs.BoolVar(&f.nudge, "nudge", false, "who has no leader when nothing is left to happen is told to start")
}

// addModel defines the flags that say what may happen, and how to check.
func (f *checkFlags) addModel(cmd *cobra.Command) {
	fs := cmd.Flags()
	text(fs, &f.network, "network", "links", networks[0], "the links: fifo, unordered, lossy or duplicating")
	text(fs, &f.losses, "losses", "K", "", "how many messages may be lost, or unlimited")
	text(fs, &f.duplicates, "duplicates", "K", "", "how many messages may arrive twice")
	text(fs, &f.crashes, "crashes", "K", "", "how many times a process may crash, at any moment")
	text(fs, &f.recoveries, "recoveries", "K", "", "how many times one may come back without its state")
	text(fs, &f.restarts, "restarts", "K", "", "how many times one may come back with the state that it saved last")
	text(fs, &f.delay, "delay", "1", "", "the longest that a message takes, in units (default: what the algorithm allows for)")
	text(fs, &f.tick, "tick", "0.5", "", "how far time goes on at once, in units (default: --delay, or less if timers run out in between)")
	text(fs, &f.window, "window", "3", "", "until when the initiators start, in units (default: at once)")
	text(fs, &f.until, "until", "20", "", "when every run ends, in units; needed where there are heartbeats")
	fs.BoolVar(&f.untimed, "untimed", false, "messages take as long as they like, whatever the algorithm allows for")
	fs.BoolVar(&f.reduce, "reduce", false, "leave out orders of steps that cannot make a difference")
	fs.BoolVar(&f.exact, "exact", false, "compare whole states instead of their hashes: no state is missed")
	text(fs, &f.workers, "workers", "K", "", "how many work at it (default: one a processor)")
	text(fs, &f.maxStates, "max-states", "1e6", "", "stop at so many states")
	text(fs, &f.memory, "memory", "4GB", "", "stop before it takes more memory, as 4GB, 1.5GiB or 500MB (default: three quarters of what is free)")
	text(fs, &f.replay, "replay", "file", "", "run the steps of a counterexample instead, - for standard input")
	text(fs, &f.out, "out", "file", "", "write a counterexample as a scenario into this file, - for standard output")
	fs.BoolVar(&f.json, "json", false, "one JSON object")
}

// check visits all states and tells what it has found.
func (a *app) check(ctx context.Context, f *checkFlags, args []string) error {
	c, err := f.config(a, args)
	if err != nil {
		return err
	}
	if err := f.outputs(len(c.IDs)); err != nil {
		return err
	}
	reportsWhenInterrupted(ctx)
	m := a.newMeter()
	if m != nil {
		c.Progress = m.checked
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(f.mayTake))
	r, err := check.Run(ctx, *c)
	m.clear()
	if err != nil {
		return judged(err)
	}
	found := &checking{Config: c, Result: r, flags: f}
	if r.Counterexample != nil {
		if err := found.example(ctx); err != nil {
			return failed(err)
		}
	}
	if err := a.tell(found); err != nil {
		return failed(err)
	}
	return found.judged()
}

// checking is a check and what came out of it.
type checking struct {
	*check.Config
	*check.Result
	flags *checkFlags
	ran   *counterexample // nil without one
}

// judged returns why the exit status is not zero, or nil.
func (k *checking) judged() error {
	switch t := k.Counterexample; {
	case t != nil && k.ran.broken != nil:
		return failed(fmt.Errorf("%s; but the simulator cannot follow: %w", violated(t.Property, k.reason()), k.ran.broken))
	case t != nil:
		return failed(errors.New(violated(t.Property, k.reason())))
	case errors.Is(k.Result.Err(), check.ErrViolated): // what was to be at some time and is not
		return failed(k.missing())
	case !k.Exhausted:
		return unfinished{k.stopped()}
	}
	return nil
}

// violated says that a property is, and why, so that nobody takes its name for what has happened.
func violated(property verdict.Property, reason string) string {
	return "violated: " + property.Text() + ": " + reason
}

// reason returns why the property of the counterexample does not hold.
func (k *checking) reason() string {
	return explained(k.Counterexample.Property, k.Counterexample.Reason, k.Algorithm)
}

// explained returns why a property does not hold, and what of a description promises it where that is a formula.
func explained(property verdict.Property, reason error, a *election.Algorithm) string {
	text := oneLine(reason.Error())
	if property == verdict.Bounded && a.Worst.Formula != "" {
		text += fmt.Sprintf(" (worst case: %s)", a.Worst.Formula)
	}
	return text
}

// missing returns which property holds in no state and should.
func (k *checking) missing() error {
	for _, v := range k.Result.Properties {
		if v.Known && !v.Holds {
			return errors.New(violated(v.Property, "in no state"))
		}
	}
	return k.Result.Err()
}

// stopped returns why not every state was visited.
func (k *checking) stopped() error {
	why := oneLine(k.Stopped.Error())
	switch {
	case errors.Is(k.Stopped, context.Canceled):
		why = "interrupted"
	case !errors.Is(k.Stopped, check.ErrLimit):
	case k.MaxStates > 0 && k.States >= uint64(k.MaxStates):
		why = "stopped at the limit of states"
	default:
		why = fmt.Sprintf("stopped at the limit of memory, %s MB", prose.Grouped(uint64(k.flags.mayTake/1e6)))
	}
	return fmt.Errorf("not exhausted: %s after %s", why, prose.Plural(int(k.States), "state"))
}
