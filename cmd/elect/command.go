package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/certcmd"
	"github.com/go-election/election/cmd/elect/internal/checkcmd"
	"github.com/go-election/election/cmd/elect/internal/clustercmd"
	"github.com/go-election/election/cmd/elect/internal/comparecmd"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/experimentcmd"
	"github.com/go-election/election/cmd/elect/internal/help"
	"github.com/go-election/election/cmd/elect/internal/leadcmd"
	"github.com/go-election/election/cmd/elect/internal/listcmd"
	"github.com/go-election/election/cmd/elect/internal/simcmd"
	"github.com/go-election/election/cmd/elect/internal/soakcmd"
	"github.com/go-election/election/cmd/elect/internal/suggest"
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
	if err != nil && ctx.Err() != nil && !exit.IsUnfinished(err) {
		err = exit.ErrInterrupted
	}
	for _, line := range exit.Lines(err) {
		fmt.Fprintln(stderr, "elect: "+line)
	}
	return exit.Status(err)
}

func rootCommand(a *console.Console) *cobra.Command {
	root := &cobra.Command{
		Use:           "elect",
		Short:         "Run leader elections: as processes, simulated, or in every way there is",
		Long:          help.Long("elect"),
		Example:       help.Example("elect"),
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true, // run reports them, in one line each
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return suggest.UnknownCommand(cmd, args[0])
		},
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout) // before InitDefaultCompletionCmd, which keeps the writer
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(suggest.FlagError)
	root.AddCommand(clustercmd.New(a), leadcmd.New(a), certcmd.New(), listcmd.New(a), simcmd.NewSim(a),
		simcmd.NewRun(a), checkcmd.New(a), soakcmd.New(a), comparecmd.New(a), tracecmd.New(a),
		experimentcmd.New(a))
	root.InitDefaultCompletionCmd("completion")
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = root.Args, root.RunE // help, or an error for an unknown shell
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
				return suggest.UnknownCommand(about, rest[0])
			}
			return about.Help()
		},
	})
	return root
}

// version returns the version of the module, as the binary holds it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
