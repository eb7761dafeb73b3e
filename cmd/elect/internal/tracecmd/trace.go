// Package tracecmd is elect trace: it shows, replays, compares and merges recorded elections.
package tracecmd

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/trace"
)

// New returns elect trace.
func New(a *console.Console) *cobra.Command {
	t := &files.Trace{}
	cmd := &cobra.Command{
		Use: "trace FILE", Short: "Show a recorded election, replay it, compare or merge several",
		Long: long, Example: examples, Args: known,
		RunE: func(_ *cobra.Command, args []string) error { return show(a, t, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	s := &t.Selection
	parse.Var(fs, &s.Processes, "process", "ids", "only events of these processes, as 3,5", parse.IDs)
	fs.StringSliceVar(&s.Kinds, "kind", nil, "only messages of these kinds, as probe,reply")
	parse.Var(fs, &s.From, "from", "2.5", "only what happens from this time on, in units", parse.Time)
	parse.Var(fs, &s.Until, "until", "10", "only what happens until this time, in units", parse.Time)
	pictures := []string{"svg", "links", "mermaid", "chrome", "shiviz"}
	t.Define(cmd, append(pictures, "log")...)
	for _, name := range []string{"process", "kind", "from", "until"} { // they select lines of the log
		parse.Exclude(cmd, name, pictures...)
	}
	replayed := &cobra.Command{
		Use: "replay FILE", Short: "Give a recorded election to the algorithm again and compare what it does",
		Long: longReplay,
		RunE: func(_ *cobra.Command, args []string) error { return replay(a, args) },
	}
	compared := &cobra.Command{
		Use: "diff FILE OTHER", Short: "Compare two recorded elections by their causal order", Long: longDiff,
		RunE: func(_ *cobra.Command, args []string) error { return diff(a, args) },
	}
	cmd.AddCommand(replayed, compared, mergeCommand(a))
	for _, c := range append(cmd.Commands(), cmd) {
		c.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault) // files
	}
	return cmd
}

// known refuses a misspelt subcommand. The first argument may be a file of any name.
func known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == files.Standard {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if _, err := os.Stat(args[0]); err == nil || len(cmd.SuggestionsFor(args[0])) == 0 {
		return nil
	}
	return parse.Subcommand(cmd, args)
}

func mergeCommand(a *console.Console) *cobra.Command {
	t := &files.Trace{}
	cmd := &cobra.Command{
		Use: "merge FILE...", Short: "Join traces that single processes have written",
		Long: longMerge, Example: examplesMerge,
		RunE: func(_ *cobra.Command, args []string) error { return merge(a, t, args) },
	}
	cmd.Flags().SortFlags = false
	t.Define(cmd, "trace", "svg", "links", "mermaid", "chrome", "shiviz", "log")
	cmd.Flags().Lookup("trace").Usage = "write the trace into this file, - for standard output"
	return cmd
}

// merge makes one trace of several.
func merge(a *console.Console, t *files.Trace, args []string) error {
	some, _, err := t.Check(args...)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return input.Errorf("the files of the traces are missing: each process has written one")
	}
	var parts []trace.Part
	standard := false
	for _, name := range args {
		if name == files.Standard && standard {
			return input.Errorf("%s: standard input can be read once only", files.Standard)
		}
		standard = standard || name == files.Standard
		tr, err := readTrace(a, name)
		if err != nil {
			return err
		}
		parts = append(parts, trace.Part{Name: name, Trace: tr})
	}
	merged, err := trace.Merge(parts...)
	if err != nil {
		return err
	}
	if !some {
		t.Trace = files.Standard
	}
	if err := t.CheckPictures(len(merged.Header.Scenario.IDs)); err != nil {
		return err
	}
	return t.Write(a, merged, false)
}

// readTraces reads the named traces, and refuses another number of names.
func readTraces(a *console.Console, args []string, names ...string) ([]*trace.Trace, error) {
	if len(args) < len(names) {
		return nil, input.Errorf("%s is missing: elect sim --trace makes one", names[len(args)])
	}
	if len(args) > len(names) {
		return nil, input.Errorf("unexpected argument %.60q", args[len(names)])
	}
	all := make([]*trace.Trace, len(args))
	if len(args) == 2 && args[0] == files.Standard && args[1] == files.Standard {
		return nil, input.Errorf("%s: standard input can be read once only", files.Standard)
	}
	for i, name := range args {
		var err error
		if all[i], err = readTrace(a, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readTrace reads a trace from a file, or from standard input.
func readTrace(a *console.Console, name string) (*trace.Trace, error) {
	in := a.Stdin
	if files.IsFolder(name) {
		return nil, input.Errorf("%s: it is a folder, not a file", name)
	}
	if name != files.Standard {
		file, err := os.Open(name)
		if err != nil {
			// The line names the path already.
			return nil, input.Errorf("%s: %v", name, err.(*os.PathError).Err)
		}
		defer file.Close()
		in = file
	}
	t, err := files.ReadTrace(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// show writes a trace as pictures and as a log.
func show(a *console.Console, t *files.Trace, args []string) error {
	some, _, err := t.Check(args...)
	if err != nil {
		return err
	}
	all, err := readTraces(a, args, "the file of a trace")
	if err != nil {
		return err
	}
	if err := t.Selection.Check(&all[0].Header); err != nil {
		return input.Errorf("--%s", input.Reason(err))
	}
	if !some {
		to, wait := terminal.Page(a.Stdin, a.Stdout.Unchecked())
		if to == a.Stdout.Unchecked() {
			to = a.Stdout // which keeps the first error
		}
		if a.Colour {
			return errors.Join(writePainted(a.Log(to), t, all[0]), wait())
		}
		return errors.Join(t.WriteLog(a.Log(to), all[0]), wait())
	}
	if err := t.CheckPictures(len(all[0].Header.Scenario.IDs)); err != nil {
		return err
	}
	return t.Write(a, all[0], true)
}

// replay compares a trace with the effects of the algorithm.
func replay(a *console.Console, args []string) error {
	all, err := readTraces(a, args, "the file of a trace")
	if err != nil {
		return err
	}
	d, err := trace.Replay(all[0], func(name, variant string) (*election.Algorithm, error) {
		return job.Find(a.Catalog, name, variant)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if d != nil {
		return exit.Failed(fmt.Errorf("%s: %v", args[0], d))
	}
	return sayAlike(a, all[0], "the replay does the same")
}

// diff compares two traces.
func diff(a *console.Console, args []string) error {
	all, err := readTraces(a, args, "the file of a trace", "the file of the other trace")
	if err != nil {
		return err
	}
	text := trace.FirstDifference(trace.Part{Name: args[0], Trace: all[0]},
		trace.Part{Name: args[1], Trace: all[1]})
	if text != "" {
		return exit.Failed(errors.New(text))
	}
	return sayAlike(a, all[0], "both are the same in causal order; times are not compared")
}

// sayAlike reports that there is no difference.
func sayAlike(a *console.Console, t *trace.Trace, how string) error {
	_, err := fmt.Fprintf(a.Log(a.Stdout), "%s: %s events of %s\n", how, prose.Grouped(uint64(len(t.Events))),
		prose.Plural(len(t.Header.Scenario.IDs), "process"))
	return err
}
