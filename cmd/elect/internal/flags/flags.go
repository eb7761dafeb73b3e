// Package flags defines the flags of all commands from one table, with their completion in a shell.
package flags

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/help"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/topology"
)

// table is the flags of all commands.
//
//go:embed flags.txt
var table string

// Set is the flags of a command. A flag that the command does not have counts as not given.
type Set struct {
	Cmd     *cobra.Command
	Catalog catalog.List // the algorithms, which a shell completes
	values  map[string][]string
}

// Define defines the flags that stand in the table below a name.
func (s *Set) Define(cmd *cobra.Command, name string) {
	s.Cmd = cmd
	cmd.Flags().SortFlags = false
	s.values = make(map[string][]string)
	shared := make(map[string]string)
	section, group := "", ""
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		flag, _, whole := strings.Cut(line, "\t")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section, group = strings.Trim(line, "[]"), ""
		case line[0] == '=':
			group = line[2:]
		// This section is the first of the table, so that all others find its rows.
		case section == "shared":
			shared[flag] = line
		case section != name:
		case whole:
			s.define(line, group)
		default:
			s.define(shared[flag], group)
		}
	}
}

// define defines the flag of a row and a group; -n is short for --n.
func (s *Set) define(row, group string) {
	columns := strings.Split(row, "\t")
	name, kind, unless, values, about := columns[0], columns[1], columns[2], columns[3], columns[4]
	fs, short := s.Cmd.Flags(), ""
	if len(name) == 1 {
		short = name
	}
	if kind == "bool" {
		fs.Bool(name, unless == "true", about)
	} else if kind, many := strings.CutSuffix(kind, "..."); many {
		fs.Var(&words{kind: kind}, name, about)
	} else {
		fs.VarP(&word{text: &unless, kind: kind}, name, short, about)
	}
	if group != "" {
		_ = fs.SetAnnotation(name, help.Group, []string{group}) // the flag is defined above
	}
	switch ending, file := strings.CutPrefix(values, "*."); {
	case file:
		Files(s.Cmd, ending, name)
	case values != "":
		s.complete(name, values)
	}
}

// complete defines the values that a shell proposes for a flag.
func (s *Set) complete(name, values string) {
	s.values[name] = strings.Split(values, ",")
	complete := func([]string) []string { return s.values[name] }
	switch values {
	// Without a function that proposes nothing, a shell proposes files.
	case "-":
		complete = func([]string) []string { return nil }
	case "@topology":
		complete = func([]string) []string { return topology.Kinds() }
	case "@variant":
		complete = func(args []string) []string {
			if len(args) == 0 {
				return nil
			}
			name, _, _ := strings.Cut(args[0], "/")
			return s.Catalog.Variants(name)
		}
	}
	err := s.Cmd.RegisterFlagCompletionFunc(name,
		func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return complete(args), cobra.ShellCompDirectiveNoFileComp
		})
	if err != nil {
		panic(err) // registered twice
	}
}

// Algorithms lets a shell complete arguments with algorithms, as long as there may be more of them.
func (s *Set) Algorithms(more func(args []string) bool) {
	s.Cmd.ValidArgsFunction = func(
		_ *cobra.Command, args []string, typed string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		if !more(args) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return s.algorithms(typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// algorithms returns the names that begin with what is typed; the variants once there is a slash.
func (s *Set) algorithms(typed string) []cobra.Completion {
	var names []cobra.Completion
	if !strings.Contains(typed, "/") {
		for _, name := range s.Catalog.Names() {
			if strings.HasPrefix(name, typed) {
				names = append(names, name)
			}
		}
	}
	for _, a := range s.Catalog {
		if a.Variant != "" && strings.HasPrefix(a.Title(), typed) {
			names = append(names, cobra.CompletionWithDesc(a.Title(), a.Summary))
		}
	}
	return names
}

// Given reports whether a flag stands on the command line.
func (s *Set) Given(name string) bool { return s.Cmd.Flags().Changed(name) }

// Text returns the value of a flag, or its default.
func (s *Set) Text(name string) string {
	if f := s.Cmd.Flags().Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// Among returns an error unless the value of a flag is one of those that the table has.
func (s *Set) Among(name string) error { return suggest.Among(name, s.Text(name), s.values[name]...) }

// On reports whether a flag is true.
func (s *Set) On(name string) bool { return s.Text(name) == "true" }

// All returns the values of a flag that may be given several times.
func (s *Set) All(name string) []string {
	if f := s.Cmd.Flags().Lookup(name); f != nil {
		return f.Value.(interface{ All() []string }).All()
	}
	return nil
}

// Again returns the command line that runs the same again: without the flags of output, which change nothing
// in it.
func (s *Set) Again(args []string) string {
	line := s.Cmd.CommandPath()
	for _, arg := range args {
		line += " " + terminal.Quoted(arg)
	}
	s.Cmd.Flags().Visit(func(f *pflag.Flag) {
		if group := f.Annotations[help.Group]; group == nil || group[0] == help.Output {
			return
		}
		values := []string{f.Value.String()}
		if many, ok := f.Value.(*words); ok {
			values = many.all
		}
		for _, value := range values {
			line += " " + suggest.Dashed(f.Name)
			switch {
			case f.Value.Type() != "bool":
				line += " " + terminal.Quoted(value)
			case value != "true":
				line += "=" + value
			}
		}
	})
	return line
}

// words is the value of a flag that holds text and may be given several times.
type words struct {
	all  []string
	kind string
}

func (w *words) All() []string         { return w.all }
func (w *words) String() string        { return "" }
func (w *words) Set(text string) error { w.all = append(w.all, text); return nil }
func (w *words) Type() string          { return w.kind }

// word is the value of a flag that holds text. Help shows what kind of text.
type word struct {
	text *string
	kind string
}

func (w *word) String() string        { return *w.text }
func (w *word) Set(text string) error { *w.text = text; return nil }
func (w *word) Type() string          { return w.kind }

// File defines a flag that holds the name of a file with an ending.
func File(cmd *cobra.Command, to *string, name, ending, about string) {
	cmd.Flags().Var(&word{text: to, kind: "file"}, name, about)
	Files(cmd, ending, name)
}

// Files says how the names of the files that a flag takes end.
func Files(cmd *cobra.Command, ending string, names ...string) {
	for _, name := range names {
		if err := cmd.MarkFlagFilename(name, ending); err != nil {
			panic(err) // no such flag
		}
	}
}

// Command returns a command. It refuses arguments itself, in the words of this command line.
func Command(use, short string, run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: run}
}

// NoMore refuses arguments that no flag takes.
func NoMore(args []string) error {
	if len(args) > 0 {
		return input.Errorf("unexpected argument %.60q", args[0])
	}
	return nil
}
