// Package tracecmd is elect trace: it shows, replays, compares and merges recorded elections.
package tracecmd

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/trace"
)

// New returns elect trace.
func New(a *console.Console) *cobra.Command {
	t, f := &files.Trace{}, &flags.Set{}
	cmd := flags.Command("trace FILE", "Show a recorded election, replay it, compare or merge several",
		func(cmd *cobra.Command, args []string) error { return show(a, f, t, args) })
	f.Define(cmd, "trace")
	t.Define(cmd, "svg", "links", "mermaid", "chrome", "shiviz", "log")
	cmd.AddCommand(
		flags.Command("replay FILE",
			"Give a recorded election to the algorithm again and compare what it does",
			func(_ *cobra.Command, args []string) error { return replay(a, args) }),
		flags.Command("diff FILE OTHER", "Compare two recorded elections by their causal order",
			func(_ *cobra.Command, args []string) error { return diff(a, args) }),
		mergeCommand(a))
	return cmd
}

func mergeCommand(a *console.Console) *cobra.Command {
	t := &files.Trace{}
	cmd := flags.Command("merge FILE...", "Make one trace of those that single processes have written",
		func(cmd *cobra.Command, args []string) error { return merge(a, cmd, t, args) })
	cmd.Flags().SortFlags = false
	t.Define(cmd, "trace", "svg", "links", "mermaid", "chrome", "shiviz", "log")
	cmd.Flags().Lookup("trace").Usage = "write the trace into this file, - for standard output"
	return cmd
}

// merge makes one trace of several.
func merge(a *console.Console, cmd *cobra.Command, t *files.Trace, args []string) error {
	some, _, err := t.Check(cmd, args...)
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
	if err := flags.NoMore(args[len(names):]); err != nil {
		return nil, err
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

// selected reads which lines of the log are wanted.
func selected(f *flags.Set, h *trace.Header) (s trace.Selection, err error) {
	if f.Given("process") {
		if s.Processes, err = parse.IDs("--process", f.Text("process")); err != nil {
			return s, err
		}
	}
	if f.Given("kind") {
		s.Kinds = strings.Split(f.Text("kind"), ",")
	}
	for name, to := range map[string]*time.Duration{"from": &s.From, "until": &s.Until} {
		if f.Given(name) {
			if *to, err = parse.Time("--"+name, f.Text(name)); err != nil {
				return s, err
			}
		}
	}
	whole := []string{"svg", "links", "mermaid", "chrome", "shiviz"}
	if slices.ContainsFunc(whole, f.Cmd.Flags().Changed) {
		for _, name := range []string{"process", "kind", "from", "until"} {
			if f.Given(name) {
				return s, input.Errorf("--%s: it selects lines of the log, and all else shows the whole",
					name)
			}
		}
	}
	if err := s.Check(h); err != nil {
		return s, input.Errorf("--%s", input.Reason(err))
	}
	return s, nil
}

// show writes a trace as pictures and as a log.
func show(a *console.Console, f *flags.Set, t *files.Trace, args []string) error {
	cmd := f.Cmd
	some, _, err := t.Check(cmd, args...)
	if err != nil {
		return err
	}
	// The first argument may be a file of any name: cobra cannot say that it is a misspelt command.
	if len(args) > 0 && suggest.Meant(args[0], cmd) != "" {
		return suggest.UnknownCommand(cmd, args[0])
	}
	all, err := readTraces(a, args, "the file of a trace")
	if err != nil {
		return err
	}
	if t.Selection, err = selected(f, &all[0].Header); err != nil {
		return err
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

// sayAlike says that there is no difference.
func sayAlike(a *console.Console, t *trace.Trace, how string) error {
	_, err := fmt.Fprintf(a.Log(a.Stdout), "%s: %s events of %s\n", how, prose.Grouped(uint64(len(t.Events))),
		prose.Processes(len(t.Header.Scenario.IDs)))
	return err
}
