// Package experimentcmd is elect experiment: the measurements of a paper, as lab/experiment repeats them.
package experimentcmd

import (
	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/help"
	"github.com/go-election/election/cmd/elect/internal/suggest"
)

// New returns elect experiment.
func New(a *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "experiment",
		Short:   "Repeat the measurements of a paper",
		Long:    help.Long("experiment"),
		Example: help.Example("experiment"),
		Args:    cobra.ArbitraryArgs,
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
