package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-election/election/catalog"
)

// complete tells the shell what may follow.
func (f *flags) complete() {
	f.cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 || f.given("scenario") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return algorithms(typed), cobra.ShellCompDirectiveNoFileComp
	}
	f.values("variant", func(args []string) []cobra.Completion {
		if len(args) == 0 {
			return nil
		}
		name, _, _ := strings.Cut(args[0], "/")
		return catalog.Variants(name)
	})
	f.values("initiators", func([]string) []cobra.Completion { return starters })
	f.values("order", func([]string) []cobra.Completion { return orders })
	f.values("topology", func([]string) []cobra.Completion { return topologies })
	f.values("schedule", func([]string) []cobra.Completion { return schedules })
	for _, free := range append([]string{"n", "ids", "priorities", "seed", "param", "start-times", "delay", "unit", "until"}, faults...) {
		f.values(free, func([]string) []cobra.Completion { return nil })
	}
	if err := f.cmd.MarkFlagFilename("scenario", "json"); err != nil {
		panic(err) // no such flag
	}
}

// values says what a flag may be, if the command has it.
func (f *flags) values(flag string, values func(args []string) []cobra.Completion) {
	if f.cmd.Flags().Lookup(flag) == nil {
		return
	}
	err := f.cmd.RegisterFlagCompletionFunc(flag,
		func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return values(args), cobra.ShellCompDirectiveNoFileComp
		})
	if err != nil {
		panic(err) // registered twice
	}
}

// algorithms returns the names that begin with what is typed; the variants once there is a slash.
func algorithms(typed string) []cobra.Completion {
	var names []cobra.Completion
	if !strings.Contains(typed, "/") {
		for _, name := range catalog.Names() {
			if strings.HasPrefix(name, typed) {
				names = append(names, name)
			}
		}
	}
	for _, a := range catalog.All() {
		if a.Variant != "" && strings.HasPrefix(a.Title(), typed) {
			names = append(names, cobra.CompletionWithDesc(a.Title(), a.Summary))
		}
	}
	return names
}
