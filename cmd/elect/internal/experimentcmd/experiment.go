// Package experimentcmd is elect experiment: the measurements of a paper, as lab/experiment repeats them.
package experimentcmd

import (
	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/suggest"
)

// New returns elect experiment.
func New(a *console.Console) *cobra.Command {
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
			return suggest.UnknownCommand(cmd, args[0])
		},
	}
	cmd.AddCommand(redundancyCommand(a), complexityCommand(a))
	return cmd
}
