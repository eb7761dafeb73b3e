package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/certcmd"
	"github.com/go-election/election/cmd/elect/internal/checkcmd"
	"github.com/go-election/election/cmd/elect/internal/clustercmd"
	"github.com/go-election/election/cmd/elect/internal/comparecmd"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/experimentcmd"
	"github.com/go-election/election/cmd/elect/internal/leadcmd"
	"github.com/go-election/election/cmd/elect/internal/listcmd"
	"github.com/go-election/election/cmd/elect/internal/memberscmd"
	"github.com/go-election/election/cmd/elect/internal/pagecmd"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/simcmd"
	"github.com/go-election/election/cmd/elect/internal/soakcmd"
	"github.com/go-election/election/cmd/elect/internal/statuscmd"
	"github.com/go-election/election/cmd/elect/internal/storecmd"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/cmd/elect/internal/tracecmd"
	"github.com/go-election/election/internal/prose"
)

// run carries out the command line, with the algorithms of the project, and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runWith(ctx, catalog.All(), args, stdin, stdout, stderr)
}

// runWith carries out the command line with these algorithms.
func runWith(ctx context.Context, algorithms catalog.List, args []string, stdin io.Reader,
	stdout, stderr io.Writer,
) int {
	a := console.New(algorithms, stdin, stdout, stderr)
	root := rootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if broken := a.Broken(); broken != nil { // a command may have dropped or wrapped the error
		err = exit.Failed(broken)
	}
	// An unfinished check reports how far it has come, which is more than that it was interrupted.
	if err != nil && ctx.Err() != nil && exit.Status(err) != exit.StatusUnfinished {
		err = exit.ErrInterrupted
	}
	for _, line := range exit.Lines(err) {
		a.Complain(line)
	}
	return exit.Status(err)
}

func rootCommand(a *console.Console) *cobra.Command {
	info, _ := debug.ReadBuildInfo()
	when := terminal.WhenAuto
	root := &cobra.Command{
		Use:              "elect",
		Short:            "Run leader elections: as processes, simulated, or in every way there is",
		Long:             long,
		Example:          examples,
		Version:          version(info),
		Args:             parse.Subcommand,
		RunE:             parse.Help,
		PersistentPreRun: func(*cobra.Command, []string) { a.SetColours(when) },
		SilenceErrors:    true, // run reports them, in one line each
		SilenceUsage:     true,
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout) // before InitDefaultCompletionCmd, which keeps the writer
	root.SetErr(a.Stderr)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages", fmt.Sprint("FlagUsagesWrapped ", a.Width())))
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	parse.Var(root.PersistentFlags(), &when, "color", "when", "when to use colours: "+strings.Join(terminal.When, ", "),
		parse.OneOf(terminal.When...))
	parse.Complete(root, "color", terminal.When...)
	root.PersistentFlags().BoolVarP(&a.Verbose, "verbose", "v", false, "also report the speed of the program")
	group := func(id, title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: id, Title: title})
		for _, c := range commands {
			c.GroupID = id
		}
		root.AddCommand(commands...)
	}
	group("services", "Services:", clustercmd.New(a), leadcmd.New(a), memberscmd.New(a), statuscmd.New(a), certcmd.New(a),
		storecmd.New(a))
	group("elections", "Elections:", listcmd.New(a), simcmd.NewSim(a), simcmd.NewRun(a), tracecmd.New(a), pagecmd.New(a))
	group("studies", "Checks and measurements:", checkcmd.New(a), soakcmd.New(a), comparecmd.New(a),
		experimentcmd.New(a))
	root.AddCommand(topics()...)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("completion")
	for _, c := range root.Commands() {
		switch c.Name() { // cobra shows help for unknown arguments of these
		case "completion":
			c.Args, c.RunE = parse.Subcommand, parse.Help
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				switch {
				case err != nil:
					return err
				case about.HasSubCommands():
					return parse.Subcommand(about, rest)
				}
				return cobra.NoArgs(about, rest)
			}
		}
	}
	return root
}

// flagError completes the errors of pflag.
func flagError(cmd *cobra.Command, err error) error {
	// The flags of a mistyped subcommand are unknown, too. The subcommand is the better hint.
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 {
		if unknown := cmd.ValidateArgs(args); unknown != nil {
			return unknown
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if own := invalid.Unwrap(); errors.Is(own, election.ErrInput) { // it names the flag and the value
			return own
		}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := prose.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return fmt.Errorf("%w: did you mean --%s?", err, near)
		}
	}
	return err
}

const long = `elect runs leader elections: members of a service as processes, programs on the
member that leads, and the algorithms of this project in a simulator with
virtual time or as goroutines. It also checks an algorithm in every state that
it can reach, and compares, records and draws elections.`

const examples = `  elect cluster
  elect lead --once --self a --member a=127.0.0.1:7946 -- env
  elect list
  elect sim lcr -n 1000 --order random --seed 7
  elect sim lcr/max --ids 3,1,4,8,5,2 --json
  elect run hs -n 200
  elect check lcr -n 5
  elect page --open`

// version returns the version of the module, or else the revision that the binary was built from. Of go run,
// and of a build outside a clone, neither is known.
func version(info *debug.BuildInfo) string {
	text := "development version"
	if info == nil {
		return text
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return "version " + v
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text = "version " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			text += ", changed since"
		}
	}
	return text
}
