// Package suggest proposes the nearest known name for an unknown one.
package suggest

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
)

// commands returns the names of the subcommands of a command.
func commands(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// takesFiles reports whether a command with subcommands takes the name of a file itself.
func takesFiles(cmd *cobra.Command) bool { return strings.Contains(cmd.Use, "FILE") }

// Meant returns the subcommand that is nearest to a name for which there is no file.
func Meant(word string, cmd *cobra.Command) string {
	if _, err := os.Stat(word); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return prose.Nearest(word, commands(cmd))
}

// Suggestion asks for the nearest of the names, if one is near.
func Suggestion(word string, names []string, prefix string) string {
	if near := prose.Nearest(word, names); near != "" {
		return ": did you mean " + prefix + near + "?"
	}
	return ""
}

// UnknownCommand refuses an unknown subcommand, and proposes the nearest of them and of others.
func UnknownCommand(cmd *cobra.Command, name string, others ...string) error {
	hint := Suggestion(name, append(commands(cmd), others...), "")
	if hint == "" {
		hint = ": elect help" + strings.TrimPrefix(cmd.CommandPath(), "elect") + " lists them"
	}
	return input.Errorf("unknown command %.60q%s", name, hint)
}

// Among refuses a value of a flag that is not in the list.
func Among(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return input.Errorf("--%s: %.60q is not one of %s%s", flag, value, strings.Join(allowed, ", "),
		Suggestion(value, allowed, ""))
}

// theOneWith returns the other command that has a flag, unless there are several.
func theOneWith(cmd *cobra.Command, flag string) *cobra.Command {
	var found []*cobra.Command
	for _, c := range cmd.Root().Commands() {
		if c != cmd && c.Flags().Lookup(flag) != nil {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// FlagError rewords the errors of cobra like those of this command, and adds the nearest name to an unknown
// flag.
func FlagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok { // of the flags that hold no text
		if cause := invalid.Unwrap(); errors.Is(cause, election.ErrInput) {
			return cause
		}
		return input.Errorf("--%s: %.60q is neither true nor false", invalid.GetFlag().Name,
			invalid.GetValue())
	}
	// With a mistyped subcommand its flags are unknown too. The subcommand is the better hint.
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 && (!takesFiles(cmd) ||
		Meant(args[0], cmd) != "") {
		return UnknownCommand(cmd, args[0])
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return input.Errorf("%s: a value is missing", Dashed(missing.GetFlag().Name))
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	switch {
	case !ok:
		return err
	case unknown.GetSpecifiedShortnames() != "":
		return input.Errorf("unknown flag -%s", unknown.GetSpecifiedName())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	if only := theOneWith(cmd, name); only != nil {
		return input.Errorf("unknown flag --%s: only %s has it", name, only.CommandPath())
	}
	return input.Errorf("unknown flag --%s%s", name, Suggestion(name, names, "--"))
}

// Dashed returns a flag as people write it.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
