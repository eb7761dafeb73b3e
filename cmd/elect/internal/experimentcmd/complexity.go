package experimentcmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/report"
)

func complexityCommand(a *console.Console) *cobra.Command {
	n, asJSON := 10, false
	cmd := &cobra.Command{
		Use: "complexity", Short: "How many messages an election takes: equations (1) to (10)",
		Long: longComplexity, Example: examplesComplexity, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runComplexity(a, cmd.Context(), n, asJSON) },
	}
	parse.Var(cmd.Flags(), &n, "n", "N", "the largest number of processes",
		parse.Between(experiment.FewestProcesses, experiment.MostMeasured))
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func runComplexity(a *console.Console, ctx context.Context, n int, asJSON bool) error {
	m := a.Meter()
	elections := 0
	run := experiment.Complexity{N: n, Progress: func(done int) {
		elections = done
		m.Count(done, 0, "elections")
	}}
	rows, err := run.Run(ctx)
	m.Clear()
	if err != nil {
		return exit.Classify(err)
	}
	if asJSON {
		err = report.ComplexityJSON(a.Stdout, &run, elections, rows)
	} else {
		err = report.WriteComplexity(a.Stdout, &run, elections, rows, marks(a))
	}
	if err != nil {
		return exit.Failed(err)
	}
	return exit.Failed(experiment.Differing(rows))
}
