package experimentcmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/lab/experiment"
)

func complexityCommand(a *console.Console) *cobra.Command {
	var given flags.Set
	cmd := flags.Command("complexity", "How many messages an election takes: equations (1) to (10)",
		func(cmd *cobra.Command, args []string) error {
			if err := flags.NoMore(args); err != nil {
				return err
			}
			most, err := parse.Whole("-n", given.Text("n"), "processes", experiment.FewestProcesses,
				experiment.MostMeasured)
			if err != nil {
				return err
			}
			return runComplexity(a, cmd.Context(), most, given.On("json"))
		})
	given.Define(cmd, "experiment-complexity")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
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
		err = run.WriteJSON(a.Stdout, elections, rows)
	} else {
		err = run.WriteText(a.Stdout, elections, rows, marks(a))
	}
	if err != nil {
		return exit.Failed(err)
	}
	return exit.Failed(experiment.Differing(rows))
}
