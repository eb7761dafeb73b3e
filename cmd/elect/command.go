package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// app is one invocation of the command.
type app struct {
	stdin    io.Reader
	stdout   *checked
	stderr   io.Writer
	colour   bool // standard output shows colours
	progress bool // standard error shows how far the work is
}

// run carries out the command line and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{
		stdin: stdin, stdout: &checked{w: stdout}, stderr: stderr,
		colour: wantsColour(stdout), progress: isTerminal(stderr),
	}
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if a.stdout.err != nil { // whatever became of it on its way
		err = failed(a.stdout.err)
	}
	if _, told := errors.AsType[unfinished](err); err != nil && ctx.Err() != nil && !told {
		err = errInterrupted
	}
	for _, line := range lines(err) {
		fmt.Fprintln(stderr, "elect: "+line)
	}
	return status(err)
}

// checked remembers that something could not be written.
type checked struct {
	w   io.Writer
	err error
}

func (c *checked) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "elect",
		Short: "Run leader elections: simulated, as goroutines, or in every way there is",
		Long: `elect runs leader-election algorithms, each after its published source, rule by rule: in a
simulator with virtual time, or as goroutines of this process; and it checks them in every state
that they can be in.`,
		Example: `  elect list
  elect sim lcr -n 1000 --order random --seed 7
  elect sim lcr/max --ids 3,1,4,8,5,2 --json
  elect run hs -n 200
  elect check lcr -n 5`,
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true, // run reports them, in one line each
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout) // before the completion command is made, which keeps it
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.listCommand(), a.simCommand(), a.runCommand(), a.checkCommand(), a.soakCommand(), a.compareCommand(), a.traceCommand(), a.experimentCommand())
	root.InitDefaultCompletionCmd("completion")
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = root.Args, root.RunE // help, or which shell is not known
		}
	}
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(about, rest[0])
			}
			return about.Help()
		},
	})
	return root
}

// version returns that of the module, as the binary remembers it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func unknownCommand(cmd *cobra.Command, name string) error {
	return usage("unknown command %q%s", name, suggestion(name, commands(cmd), ""))
}

// flagError says in our own words what is wrong with a flag, and adds the nearest name to an
// unknown one.
func flagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok { // of the flags that hold no text
		return usage("--%s: %q is neither true nor false", invalid.GetFlag().Name, invalid.GetValue())
	}
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 && (!takesFiles(cmd) || meant(args[0], cmd) != "") {
		return unknownCommand(cmd, args[0])
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usage("%s: a value is missing", dashed(missing.GetFlag().Name))
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	switch {
	case !ok:
		return err
	case unknown.GetSpecifiedShortnames() != "":
		return usage("unknown flag -%s", unknown.GetSpecifiedName())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	if only := theOneWith(cmd, name); only != nil {
		return usage("unknown flag --%s: only %s has it", name, only.CommandPath())
	}
	return usage("unknown flag --%s%s", name, suggestion(name, names, "--"))
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

// among returns an error unless the value of a flag is one of those that it may have.
func among(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return usage("--%s: %q is not one of %s%s", flag, value, strings.Join(allowed, ", "), suggestion(value, allowed, ""))
}
