package main

import (
	"context"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/certcmd"
	"github.com/go-election/election/cmd/elect/internal/checkcmd"
	"github.com/go-election/election/cmd/elect/internal/clustercmd"
	"github.com/go-election/election/cmd/elect/internal/comparecmd"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/experimentcmd"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/help"
	"github.com/go-election/election/cmd/elect/internal/leadcmd"
	"github.com/go-election/election/cmd/elect/internal/listcmd"
	"github.com/go-election/election/cmd/elect/internal/pagecmd"
	"github.com/go-election/election/cmd/elect/internal/simcmd"
	"github.com/go-election/election/cmd/elect/internal/soakcmd"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/cmd/elect/internal/tracecmd"
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
	// An unfinished check says how far it has come, which is more than that it was interrupted.
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
	root := &cobra.Command{
		Use:           "elect",
		Short:         "Run leader elections: as processes, simulated, or in every way there is",
		Version:       version(info),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true, // run reports them, in one line each
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return printer(a, true).Command(cmd)
			}
			return suggest.UnknownCommand(cmd, args[0])
		},
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout) // before InitDefaultCompletionCmd, which keeps the writer
	root.SetErr(a.Stderr)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(suggest.FlagError)
	root.PersistentFlags().Var(&terminal.Choice{Flag: "color", Kind: "when", Words: terminal.When,
		Then: a.SetColours}, "color",
		"when there are colours: "+strings.Join(terminal.When, ", "))
	root.PersistentFlags().BoolVarP(&a.Verbose, "verbose", "v", false, "say how fast the program was, too")
	_ = root.RegisterFlagCompletionFunc("color",
		cobra.FixedCompletions(terminal.When, cobra.ShellCompDirectiveNoFileComp))
	root.AddCommand(clustercmd.New(a), leadcmd.New(a), certcmd.New(a), listcmd.New(a), simcmd.NewSim(a),
		simcmd.NewRun(a), checkcmd.New(a), soakcmd.New(a), comparecmd.New(a), tracecmd.New(a),
		pagecmd.New(a), experimentcmd.New(a))
	root.InitDefaultCompletionCmd("completion")
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = root.Args, root.RunE // help, or an error for an unknown shell
		}
	}
	// Both -h and --help come here, and elect help without any flag.
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		_ = printer(a, slices.Contains(args, "-h")).Command(cmd) // Console.Broken keeps the error
	})
	root.SetHelpCommand(helpCommand(a, root))
	return root
}

// printer returns what writes help.
func printer(a *console.Console, short bool) *help.Printer {
	return &help.Printer{To: a.Stdout, Width: a.Width(), Short: short,
		Heading: func(text string) string { return a.Paint(terminal.Bold, text) }}
}

// helpCommand returns elect help, which is about a command or a topic.
func helpCommand(a *console.Console, root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:       "help [COMMAND | TOPIC]",
		Short:     "Explain a command, or a topic: " + strings.Join(help.Topics, ", "),
		ValidArgs: help.Topics,
		RunE: func(_ *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			switch topic := len(args) > 0 && slices.Contains(help.Topics, args[0]); {
			case topic && len(args) == 1:
				return printer(a, false).Topic(args[0])
			case topic:
				return flags.NoMore(args[1:])
			case err != nil:
				return err
			case !about.HasSubCommands() && len(rest) > 0:
				return flags.NoMore(rest)
			case len(rest) > 0:
				return suggest.UnknownCommand(about, rest[0], help.Topics...)
			}
			return about.Help()
		},
	}
}

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
