// Package storecmd is elect store: it tests stores.
package storecmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/stores"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/storetest"
)

// New returns elect store.
func New(a *console.Console) *cobra.Command {
	cmd := &cobra.Command{Use: "store", Short: "Test whether a store can keep a lease", Long: long, Args: parse.Subcommand,
		RunE: parse.Help}
	t := &tester{a: a, patience: 10 * time.Second}
	test := &cobra.Command{Use: "test URL", Short: "Test a store, and print what it does not promise",
		Long: longTest + stores.Forms("  ") + exits, Example: examplesTest, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return t.test(cmd.Context(), args[0]) }}
	test.Flags().BoolVar(&t.asJSON, "json", false, "print each finding as JSON, on a line")
	parse.Var(test.Flags(), &t.patience, "patience", "time", "how long to wait for an answer", parse.Duration)
	cmd.AddCommand(test)
	return cmd
}

type tester struct {
	a        *console.Console
	asJSON   bool
	patience time.Duration
}

const columns = 27 // to the left of the text

func (t *tester) test(ctx context.Context, text string) error {
	u, err := stores.Parse(text)
	if err != nil {
		return err
	}
	// Before the tests: that the store cannot be reached is no finding.
	if err := t.reach(ctx, u); err != nil {
		return err
	}
	var broken []string
	for f := range storetest.Check(ctx, u.OpenAt, storetest.Options{Address: u.Address(), Patience: t.patience}) {
		if f.Verdict == storetest.Broken {
			broken = append(broken, f.Property)
		}
		t.print(f)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !t.asJSON {
		t.printLimits(u)
	}
	if len(broken) > 0 {
		return exit.Failed(fmt.Errorf("%s cannot keep a lease: broken %s", u, strings.Join(broken, ", ")))
	}
	return nil
}

// reach connects to a store and reads a key.
func (t *tester) reach(ctx context.Context, u stores.URL) error {
	ctx, stop := context.WithTimeout(ctx, t.patience)
	defer stop()
	s, closeStore, err := u.Open(ctx)
	if err != nil {
		return err
	}
	_, _, err = s.Get(ctx, "storetest/absent")
	if closeStore != nil {
		_ = closeStore()
	}
	if err != nil && !errors.Is(err, store.ErrAbsent) {
		return exit.Failed(fmt.Errorf("%s: %w", u, err))
	}
	return nil
}

func (t *tester) print(f storetest.Finding) {
	if t.asJSON {
		line, _ := json.Marshal(struct { // strings
			Property string            `json:"property"`
			Verdict  storetest.Verdict `json:"verdict"`
			Text     string            `json:"text,omitempty"`
		}{f.Property, f.Verdict, f.Text})
		fmt.Fprintf(t.a.Stdout, "%s\n", line)
		return
	}
	head := fmt.Sprintf("%-11s  %-12s", f.Property, f.Verdict)
	fmt.Fprint(t.a.Stdout, prose.Hanging(strings.TrimRight(head, " "), prose.OneLine(f.Text), columns, t.a.Width()))
}

// printLimits prints what no test finds.
func (t *tester) printLimits(u stores.URL) {
	fmt.Fprintln(t.a.Stdout, "\nWhat no test finds:")
	for _, limit := range u.Limits {
		fmt.Fprint(t.a.Stdout, prose.Hanging("  -", limit, 4, t.a.Width()))
	}
	if u.Remove != "" {
		fmt.Fprintf(t.a.Stdout, "\nTo remove the keys of the test:\n  %s\n", u.Remove)
	}
}
