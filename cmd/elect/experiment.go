package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/internal/prose"
)

func (a *app) experimentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Repeat the measurements of a paper",
		Long: `Repeats measurements of R. Nourmandipour's paper on the modified bully algorithm, with the
algorithms of this project in the simulator, and says what of the paper holds.`,
		Example: `  elect experiment redundancy --svg figure.svg
  elect experiment redundancy --iterations 10000 --model b
  elect experiment complexity -n 12`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	cmd.AddCommand(a.redundancyCommand(), a.complexityCommand())
	return cmd
}

// noMore refuses arguments that no flag takes.
func noMore(args []string) error {
	if len(args) > 0 {
		return usage("unexpected argument %q", args[0])
	}
	return nil
}

// parseWhole reads a whole number from least to most.
func parseWhole(flag, text, of string, least, most int) (int, error) {
	n, err := parseCount(flag, text)
	switch {
	case err != nil:
		return 0, err
	case n < float64(least) && least == 1:
		return 0, usage("%s: %s %s, at least one is needed", flag, text, of)
	case n < float64(least):
		return 0, usage("%s: %s %s, at least %d are needed", flag, text, of, least)
	case n > float64(most):
		return 0, usage("%s: %s %s, at most %d can be", flag, text, of, most)
	}
	return int(n), nil
}

// count shows how much of something is done, and of how much if that is known.
func (m *meter) count(done, of int, things string) {
	now := time.Now()
	if m == nil || now.Sub(m.begin) < meterPatience || now.Sub(m.shown) < meterPause {
		return
	}
	m.shown = now
	total := ""
	if of > 0 {
		total = " of " + prose.Grouped(uint64(of))
	}
	fmt.Fprintf(m.w, "\r%s%s %s in %.0f s\x1b[K", prose.Grouped(uint64(done)), total, things, now.Sub(m.begin).Seconds())
}
