// Package experimentcmd is elect experiment: the measurements of a paper, as lab/experiment repeats them.
package experimentcmd

import (
	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/lab/report"
)

// New returns elect experiment.
func New(a *console.Console) *cobra.Command {
	cmd := &cobra.Command{Use: "experiment", Short: "Repeat the measurements of a paper", Long: long,
		Example: examples, Args: parse.Subcommand, RunE: parse.Help}
	cmd.AddCommand(redundancyCommand(a), complexityCommand(a))
	return cmd
}

// marks colours a text of an experiment.
func marks(a *console.Console) report.Marks {
	in := func(colour string) func(string) string {
		return func(text string) string { return a.Paint(colour, text) }
	}
	return report.Marks{Title: in(terminal.Bold), Right: in(terminal.Green), Wrong: in(terminal.Red),
		Width: a.Width()}
}
