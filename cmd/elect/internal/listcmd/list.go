// Package listcmd is elect list: the algorithms of the catalog.
package listcmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/report"
)

// New returns elect list.
func New(a *console.Console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list [ALGORITHM ...]", Short: "List the algorithms: links, winner, bounds, parameters",
		Long: long, Example: examples,
		ValidArgsFunction: job.Algorithms(a.Catalog, func([]string) bool { return true }),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := chosen(a.Catalog, args)
			bold := func(text string) string { return a.Paint(terminal.Bold, text) }
			page := report.Page{Width: a.Width(), Heading: bold}
			switch {
			case err != nil:
				return err
			case asJSON:
				return report.ListJSON(a.Stdout, all)
			case len(args) > 0:
				return report.WritePages(a.Stdout, all, page)
			}
			return report.WriteList(a.Stdout, all, page)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON array")
	return cmd
}

// chosen returns the named algorithms, in the order of the catalog; all of them if no name is given.
func chosen(list catalog.List, names []string) (catalog.List, error) {
	if len(names) == 0 {
		return list, nil
	}
	wanted := make(map[string]bool) // names, and titles
	for _, title := range names {
		name, variant, slash := strings.Cut(title, "/")
		if slash && variant == "" {
			return nil, input.Errorf("%.60q: a variant is missing after the slash", title)
		}
		if _, err := job.Find(list, name, variant); err != nil {
			return nil, err
		}
		wanted[title] = true
	}
	return slices.DeleteFunc(slices.Clone(list),
		func(a *election.Algorithm) bool { return !wanted[a.Name] && !wanted[a.Title()] }), nil
}
