package simcmd

import (
	"fmt"
	"strings"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/terminal"
)

// fitsPage reports whether the page shows a run of that size. It reads up to 64 MB, and a recorded message
// takes some 250 bytes; beyond a thousand processes it has no room for them.
func fitsPage(processes int, messages uint64) bool { return processes <= 1024 && messages <= 100_000 }

// proposePage says which command shows the elections of the command line on the page.
func proposePage(a *console.Console, f *job.Flags, args []string, elections int) error {
	line := pageCommand(f, args, elections)
	if line == "" {
		return nil
	}
	what := "it"
	if elections > 1 {
		what = "the first"
	}
	const indent = 2
	if len(line)+indent > a.Width() { // a shell reads on behind a pipe
		line = strings.Replace(line, pipe, " |\n", 1)
	}
	_, err := fmt.Fprintf(a.Stdout, "\nTo see %s step by step:\n%s", what,
		terminal.CommandLines(line, 2, a.Width()))
	return err
}

// pipe stands between the commands of a line.
const pipe = " | "

// pageCommand returns that command, nothing where there is none.
func pageCommand(f *job.Flags, args []string, elections int) string {
	const page = "elect page --open "
	file := f.Text("scenario")
	again := f.Again(args)
	switch {
	case f.Files.Trace != "":
		return page + "--trace " + terminal.Quoted(f.Files.Trace)
	// Goroutines send in another order each time, and standard input has been read.
	case f.Goroutines(), file == files.Standard:
		return ""
	case f.Given("scenario") && again == f.Cmd.CommandPath()+" --scenario "+terminal.Quoted(file):
		return page + "--scenario " + terminal.Quoted(file)
	case elections > 1: // other flags change what the file says, and one election alone can be recorded
		return ""
	}
	return again + " --trace -" + pipe + page + "--trace -"
}
