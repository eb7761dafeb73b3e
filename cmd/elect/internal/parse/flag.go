package parse

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
)

// value is a flag with a syntax of its own.
type value[T any] struct {
	to         *T
	flag, kind string
	text       string   // of the default or the last value
	given      []string // the texts of all values
	read       func(flag, text string) (T, error)
}

func (v *value[T]) String() string     { return v.text }
func (v *value[T]) Type() string       { return v.kind }
func (v *value[T]) GetSlice() []string { return v.given }

func (v *value[T]) Set(text string) error {
	read, err := v.read(v.flag, text)
	if err == nil {
		*v.to, v.text, v.given = read, text, append(v.given, text)
	}
	return err
}

// Var defines a flag with a syntax of its own. Its default is what to points to, and help shows kind as the
// form of its values. The function read returns the value of a text, or an error that begins with the flag. A
// flag of one letter is a shorthand, too.
func Var[T any](fs *pflag.FlagSet, to *T, name, kind, usage string, read func(flag, text string) (T, error)) {
	v := &value[T]{to: to, flag: "--" + name, kind: kind, read: read}
	short := ""
	if len(name) == 1 {
		v.flag, short = "-"+name, name
	}
	if !reflect.ValueOf(to).Elem().IsZero() {
		v.text = fmt.Sprint(*to)
	}
	fs.VarP(v, name, short, usage)
}

// Choice defines a flag whose value is one of some words, which a shell completes.
func Choice[T ~string](cmd *cobra.Command, to *T, name, usage string, words ...T) {
	Var(cmd.Flags(), to, name, "word", usage, OneOf(words...))
	Complete(cmd, name, words...)
}

// OneOf returns a function that reads one of some words.
func OneOf[T ~string](words ...T) func(flag, text string) (T, error) {
	return func(flag, text string) (T, error) {
		if slices.Contains(words, T(text)) {
			return T(text), nil
		}
		known, hint := Strings(words), ""
		if near := prose.Nearest(text, known); near != "" {
			hint = ": did you mean " + near + "?"
		}
		return "", input.Errorf("%s: %.60q is not one of %s%s", flag, text, strings.Join(known, ", "), hint)
	}
}

// Strings returns words as strings.
func Strings[T ~string](words []T) []string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return texts
}

// Complete makes shells complete the value of a flag with some words.
func Complete[T ~string](cmd *cobra.Command, flag string, words ...T) {
	CompleteBy(cmd, flag, cobra.FixedCompletions(Strings(words), cobra.ShellCompDirectiveNoFileComp))
}

// CompleteBy makes shells complete the value of a flag by a function.
func CompleteBy(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // there is no such flag, or it has a function already
	}
}

// File defines a flag that names a file. Shells complete it with files of this extension.
func File(cmd *cobra.Command, to *string, name, extension, usage string) {
	Var(cmd.Flags(), to, name, "file", usage, Named("file"))
	if err := cmd.MarkFlagFilename(name, extension); err != nil {
		panic(err) // there is no such flag
	}
}

// Folder defines a flag that names a folder.
func Folder(cmd *cobra.Command, to *string, name, usage string) {
	Var(cmd.Flags(), to, name, "folder", usage, Named("folder"))
	if err := cmd.MarkFlagDirname(name); err != nil {
		panic(err) // there is no such flag
	}
}

// Named returns a function that reads any text but none.
func Named(kind string) func(flag, text string) (string, error) {
	return func(flag, text string) (string, error) {
		if text == "" {
			return "", input.Errorf("%s: no %s is given", flag, kind)
		}
		return text, nil
	}
}

// Exclude refuses one flag together with any of some others that the command has.
func Exclude(cmd *cobra.Command, one string, others ...string) {
	for _, other := range others {
		if cmd.Flags().Lookup(other) != nil {
			cmd.MarkFlagsMutuallyExclusive(one, other)
		}
	}
}

// Subcommand refuses arguments of a command that only has subcommands, and suggests the nearest of them.
func Subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return input.Errorf("unknown command %.60q: did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return input.Errorf("unknown command %.60q: %s --help lists them", args[0], cmd.CommandPath())
}

// Help is what a command runs that only has subcommands.
func Help(cmd *cobra.Command, _ []string) error { return cmd.Help() }
