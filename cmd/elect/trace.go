package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/trace"
)

func (a *app) traceCommand() *cobra.Command {
	t := &traceFiles{}
	cmd := &cobra.Command{
		Use:   "trace FILE",
		Short: "Show a recorded election, replay it, compare or merge several",
		Long: `Shows an election that elect sim --trace or elect run --trace has recorded: as a space-time
diagram, as a sequence diagram, or in words, which is what it does if no file is asked for. The name -
stands for standard input and output.

In a space-time diagram each process is a line down, and each message an arrow in the colour of its
kind. Pictures show at most ` + fmt.Sprintf("%d processes and %d messages.", trace.MostProcesses, trace.MostMessages),
		Example: `  elect sim hs -n 8 --trace hs.ndjson
  elect trace hs.ndjson
  elect trace hs.ndjson --svg hs.svg --mermaid hs.mmd
  elect trace replay hs.ndjson
  elect trace diff hs.ndjson other.ndjson`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return a.show(cmd, t, args) },
	}
	cmd.Flags().SortFlags = false
	t.add(cmd, "svg", "mermaid", "log")
	cmd.AddCommand(&cobra.Command{
		Use:   "replay FILE",
		Short: "Give a recorded election to the algorithm again and compare what it does",
		Long: `Gives all that happened in a recorded election to the algorithm once more and compares what it does
with what was recorded. The first difference is told on standard error, and the exit status is 1.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return a.replay(args) },
	}, &cobra.Command{
		Use:   "diff FILE OTHER",
		Short: "Compare two recorded elections by their causal order",
		Long: `Compares two recorded elections process by process: what happened to each, and what it did, in its
order. When that was, and what happened first elsewhere, does not count. The first difference is
told on standard error, and the exit status is 1.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return a.diff(args) },
	}, a.mergeCommand())
	return cmd
}

func (a *app) mergeCommand() *cobra.Command {
	t := &traceFiles{}
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Make one trace of those that single processes have written",
		Long: `Makes one trace of those that the processes of a run have written, each in a program of its own. The
lines are put into their causal order, and clocks that are slow are put forward, for nothing to arrive
before it was sent. A process that has come back may have several files, in this order. Without
--trace, or another file to write, the trace goes to standard output. Files that do not fit together are
refused: of different runs, of one process twice, or where something is received that nobody has sent.`,
		Example: `  elect trace merge 1.ndjson 2.ndjson 3.ndjson --trace all.ndjson --svg all.svg
  elect trace merge *.ndjson | elect trace replay -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return a.merge(cmd, t, args) },
	}
	cmd.Flags().SortFlags = false
	t.add(cmd, "trace", "svg", "mermaid", "log")
	cmd.Flags().Lookup("trace").Usage = "write the trace into this file, - for standard output"
	return cmd
}

// merge makes one trace of several.
func (a *app) merge(cmd *cobra.Command, t *traceFiles, args []string) error {
	some, _, err := t.check(cmd, args...)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return usage("the files of the traces are missing: each process has written one")
	}
	var parts []trace.Part
	standard := false
	for _, name := range args {
		if name == standardStream && standard {
			return usage("%s: standard input can be read once only", standardStream)
		}
		standard = standard || name == standardStream
		tr, err := a.readTrace(name)
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
		t.trace = standardStream
	}
	if err := t.pictures(len(merged.Header.Scenario.IDs)); err != nil {
		return err
	}
	return t.write(a, merged, false)
}

// traces wants so many names of traces, and reads them.
func (a *app) traces(args []string, names ...string) ([]*trace.Trace, error) {
	if len(args) < len(names) {
		return nil, usage("%s is missing: elect sim --trace makes one", names[len(args)])
	}
	if err := noMore(args[len(names):]); err != nil {
		return nil, err
	}
	all := make([]*trace.Trace, len(args))
	if len(args) == 2 && args[0] == standardStream && args[1] == standardStream {
		return nil, usage("%s: standard input can be read once only", standardStream)
	}
	for i, name := range args {
		var err error
		if all[i], err = a.readTrace(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readTrace reads a trace from a file, or from standard input.
func (a *app) readTrace(name string) (*trace.Trace, error) {
	in := a.stdin
	if isFolder(name) {
		return nil, usage("%s: it is a folder, not a file", name)
	}
	if name != standardStream {
		file, err := os.Open(name)
		if err != nil {
			return nil, usage("%s: %v", name, err.(*os.PathError).Err) // the path is said already
		}
		defer file.Close()
		in = file
	}
	t, err := trace.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// show makes pictures and words of a trace.
func (a *app) show(cmd *cobra.Command, t *traceFiles, args []string) error {
	some, _, err := t.check(cmd, args...)
	if err != nil {
		return err
	}
	if len(args) > 0 && meant(args[0], cmd) != "" {
		return unknownCommand(cmd, args[0])
	}
	all, err := a.traces(args, "the file of a trace")
	if err != nil {
		return err
	}
	if !some {
		t.log = standardStream
	}
	if err := t.pictures(len(all[0].Header.Scenario.IDs)); err != nil {
		return err
	}
	return t.write(a, all[0], true)
}

// replay compares a trace with what the algorithm does.
func (a *app) replay(args []string) error {
	all, err := a.traces(args, "the file of a trace")
	if err != nil {
		return err
	}
	d, err := trace.Replay(all[0], find)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if d != nil {
		return failed(fmt.Errorf("%s: %v", args[0], d))
	}
	return a.same(all[0], "the replay does the same")
}

// diff compares two traces.
func (a *app) diff(args []string) error {
	all, err := a.traces(args, "the file of a trace", "the file of the other trace")
	if err != nil {
		return err
	}
	differences := trace.Diff(all[0], all[1])
	if len(differences) == 0 {
		return a.same(all[0], "both are the same in causal order; times are not compared")
	}
	d := &differences[0]
	if d.Ref == (trace.Ref{}) {
		return failed(fmt.Errorf("%s and %s are of different elections: %.200s against %.200s", args[0], args[1], d.Want, d.Have))
	}
	more := ""
	if n := len(differences) - 1; n == 1 {
		more = "; 1 more process differs"
	} else if n > 1 {
		more = fmt.Sprintf("; %s more processes differ", prose.Grouped(uint64(n)))
	}
	want, have := all[0].Words(d.Other-trace.Line(0)), all[1].Words(d.Line-trace.Line(0))
	if want == have { // what the words do not tell
		want, have = d.Want, d.Have
	}
	return failed(fmt.Errorf("event %d of process %d: %s; %s%s", d.Ref.Seq, d.Ref.Process,
		onLine(args[0], d.Other, want), onLine(args[1], d.Line, have), more))
}

// onLine says what stands on a line of a file.
func onLine(file string, line int, words string) string {
	if words == "" {
		return file + ": nothing"
	}
	return fmt.Sprintf("%s, line %d: %s", file, line, words)
}

// same says that there is no difference.
func (a *app) same(t *trace.Trace, how string) error {
	_, err := fmt.Fprintf(a.stdout, "%s: %s events of %s\n", how, prose.Grouped(uint64(len(t.Events))), prose.Processes(len(t.Header.Scenario.IDs)))
	return err
}
