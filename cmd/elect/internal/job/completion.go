package job

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/lab/topology"
)

// Complete tells the shell what may follow.
func (f *Flags) Complete() {
	f.Cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 || f.Given("scenario") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return CompleteAlgorithms(f.Catalog, typed), cobra.ShellCompDirectiveNoFileComp
	}
	f.Suggest("variant", func(args []string) []cobra.Completion {
		if len(args) == 0 {
			return nil
		}
		name, _, _ := strings.Cut(args[0], "/")
		return f.Catalog.Variants(name)
	})
	f.Suggest("initiators", func([]string) []cobra.Completion { return starters })
	f.Suggest("order", func([]string) []cobra.Completion { return Orders })
	f.Suggest("topology", func([]string) []cobra.Completion { return topology.Kinds() })
	f.Suggest("schedule", func([]string) []cobra.Completion { return Schedules })
	for _, free := range append([]string{"n", "ids", "priorities", "seed", "param", "start-times", "delay", "unit", "until"}, faults...) {
		f.Suggest(free, func([]string) []cobra.Completion { return nil })
	}
	flags.Files(f.Cmd, "json", "scenario")
}

// Suggest says what a flag may be, if the command has it.
func (f *Flags) Suggest(flag string, values func(args []string) []cobra.Completion) {
	if f.Cmd.Flags().Lookup(flag) == nil {
		return
	}
	err := f.Cmd.RegisterFlagCompletionFunc(flag,
		func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return values(args), cobra.ShellCompDirectiveNoFileComp
		})
	if err != nil {
		panic(err) // registered twice
	}
}

// CompleteAlgorithms returns the names that begin with what is typed; the variants once there is a slash.
func CompleteAlgorithms(list catalog.List, typed string) []cobra.Completion {
	var names []cobra.Completion
	if !strings.Contains(typed, "/") {
		for _, name := range list.Names() {
			if strings.HasPrefix(name, typed) {
				names = append(names, name)
			}
		}
	}
	for _, a := range list {
		if a.Variant != "" && strings.HasPrefix(a.Title(), typed) {
			names = append(names, cobra.CompletionWithDesc(a.Title(), a.Summary))
		}
	}
	return names
}
