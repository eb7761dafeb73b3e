// Package checkcmd is elect check: it reads flags, visits every state by lab/check, and reports what it
// found.
package checkcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// New returns elect check.
func New(a *console.Console) *cobra.Command {
	o := &options{Options: job.Options{Catalog: a.Catalog, Most: mostChecked, Driven: "checked"}}
	cmd := &cobra.Command{
		Use: "check ALGORITHM", Short: "Check every state that an election can reach",
		Long: long, Example: examples,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.replay != "" {
				return replaySteps(a, cmd.Context(), o, args)
			}
			return runCheck(a, cmd.Context(), o, args)
		},
	}
	o.define(cmd)
	return cmd
}

// runCheck visits all states and reports what it has found.
func runCheck(a *console.Console, ctx context.Context, o *options, args []string) error {
	c, err := o.readConfig(a, args)
	if err != nil {
		return err
	}
	// Before the check, which may take hours.
	if err := o.outputs(len(c.IDs)); err != nil {
		return err
	}
	draw := func(w io.Writer) error { return check.WriteDOT(ctx, w, *c) }
	if file := o.dot; file != "" {
		if err := files.Write(a, "dot", file, draw); err != nil {
			return exit.Classify(err)
		}
	}
	console.ReportsWhenInterrupted(ctx)
	m := a.Meter()
	if m != nil {
		c.Progress = func(p check.Progress) { showCheck(m, p) }
	}
	// The inner call sets the limit now and returns the old one, which the deferred call restores.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(o.mayTake))
	r, err := check.Run(ctx, *c)
	m.Clear()
	if err != nil {
		return exit.Classify(err)
	}
	found := &checking{Config: c, Result: r, flags: o}
	if r.Counterexample != nil {
		if err := found.example(ctx); err != nil {
			return exit.Failed(err)
		}
	}
	if err := reportCheck(a, found); err != nil {
		return exit.Failed(err)
	}
	return found.judged()
}

// checking is a check and its result.
type checking struct {
	*check.Config
	*check.Result
	flags *options
	ran   *counterexample // nil without one
}

// judged returns why the exit status is not zero, or nil.
func (k *checking) judged() error {
	switch t := k.Counterexample; {
	case t != nil && k.ran.broken != nil:
		return exit.Failed(fmt.Errorf("%s; but the simulator cannot follow: %w",
			violated(t.Property, k.reason()), k.ran.broken))
	case t != nil:
		return exit.Failed(errors.New(violated(t.Property, k.reason())))
	// A property that must hold in some state holds in none.
	case errors.Is(k.Result.Err(), check.ErrViolated):
		return exit.Failed(k.missing())
	case !k.Exhausted:
		return exit.WithStatus(exit.StatusUnfinished, k.stopped())
	}
	return nil
}

// violated reports that a property does not hold, and why. The first word keeps readers from taking the name of
// the property for what has happened.
func violated(property verdict.Property, reason string) string {
	return "violated: " + property.Text() + ": " + reason
}

// reason returns why the property of the counterexample does not hold.
func (k *checking) reason() string {
	return explained(k.Counterexample.Property, k.Counterexample.Reason, k.Algorithm)
}

// explained returns why a property does not hold, with the formula of the descriptor that promises it, if
// there is one.
func explained(property verdict.Property, reason error, a *election.Algorithm) string {
	text := prose.OneLine(input.Reason(reason))
	if property == verdict.Bounded && a.Worst.Formula != "" {
		text += fmt.Sprintf(" (worst case: %s)", a.Worst.Formula)
	}
	return text
}

// missing returns the error of a property that must hold in some state and holds in none.
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
	why := prose.OneLine(input.Reason(k.Stopped))
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
