package simcmd

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/terminal"
)

// fitsPage reports whether the page shows a run of that size. It reads up to 64 MB, and a recorded message
// takes some 250 bytes; beyond a thousand processes it has no room for them.
func fitsPage(processes int, messages uint64) bool { return processes <= 1024 && messages <= 100_000 }

// proposePage shows the command that opens the elections of the command line on the page.
func proposePage(a *console.Console, cmd *cobra.Command, o *job.Options, args []string, elections int) error {
	line := pageCommand(cmd, o, args, elections)
	if line == "" {
		return nil
	}
	what := "it"
	if elections > 1 {
		what = "the first"
	}
	_, err := fmt.Fprintf(a.Stdout, "\nTo see %s step by step:\n  %s\n", what, line)
	return err
}

// proposeOrder shows on standard error how to draw more of a ring whose order nobody has chosen. Its ids grow from one
// process to the next, so every candidate but the largest has a larger neighbor, and gives up after its first message.
func proposeOrder(a *console.Console, cmd *cobra.Command, j *job.Job) {
	given := cmd.Flags().Changed
	chosen := slices.ContainsFunc([]string{"order", "ids", "initiators", "crashed", "scenario"}, given)
	if !given("svg") || chosen || j.Algorithm.Topology != election.Ring || j.Algorithm.Winner == nil || len(j.IDs) < 3 {
		return
	}
	fmt.Fprintln(a.Stderr, "With ids in order, only the largest competes for long. To see more: --order random --seed 3")
}

// pageCommand returns that command, or nothing if there is none.
func pageCommand(cmd *cobra.Command, o *job.Options, args []string, elections int) string {
	const page = "elect page --open "
	again, file := commandLine(cmd, args), "--scenario "+terminal.Quoted(o.Scenario)
	switch {
	case o.Files.Trace != "":
		return page + "--trace " + terminal.Quoted(o.Files.Trace)
	// Goroutines send in another order each time, and standard input has been read.
	case o.RealTime(), o.Scenario == files.Standard:
		return ""
	case o.Scenario != "" && again == cmd.CommandPath()+" "+file:
		return page + file
	case elections > 1: // other flags change what the file has, and one election alone can be recorded
		return ""
	}
	return again + " --trace - | " + page + "--trace -"
}

// output are the flags that do not change an election.
var output = []string{"json", "trace", "svg", "links", "mermaid", "log", "color", "verbose"}

// commandLine returns the command line that runs the same elections again, without the flags of output.
func commandLine(cmd *cobra.Command, args []string) string {
	line := cmd.CommandPath()
	for _, arg := range args {
		line += " " + terminal.Quoted(arg)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(output, f.Name) {
			return
		}
		name, values := "--"+f.Name, []string{f.Value.String()}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		if all, ok := f.Value.(interface{ GetSlice() []string }); ok {
			values = all.GetSlice()
		}
		for _, value := range values {
			switch {
			case f.Value.Type() != "bool":
				line += " " + name + " " + terminal.Quoted(value)
			case value == "true":
				line += " " + name
			default:
				line += " " + name + "=" + value
			}
		}
	})
	return line
}
