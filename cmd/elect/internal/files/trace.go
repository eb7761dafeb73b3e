package files

import (
	"bufio"
	"bytes"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
)

// Trace are the files of the flags --trace, --svg, --links, --mermaid, --chrome, --shiviz and --log.
type Trace struct {
	Trace, svg, links, mermaid, chrome, shiviz, Log string

	Selection trace.Selection // of the lines of the log

	numbered, timed bool // the log has the numbers of given steps, and their times
}

// traceFile is one of them.
type traceFile struct {
	Flag, about, ending string
	Name                *string
	write               func(io.Writer, *trace.Trace) error
	processes           int // at most, of a picture
}

// All returns the files in the order of their flags.
func (t *Trace) All() []traceFile {
	return []traceFile{
		{"trace", "record everything that happens in this file, - for standard output", "ndjson", &t.Trace,
			trace.Write, 0},
		{"svg", "draw it into this file, - for standard output: a line for each process, an arrow for each " +
			"message", "svg", &t.svg, trace.WriteSVG, trace.MostLanes},
		{"links", "draw the network into this file, with the messages of each link", "svg", &t.links,
			trace.WriteLinks, trace.MostLanes},
		{"mermaid", "write a sequence diagram for Mermaid into this file", "mmd", &t.mermaid,
			trace.WriteMermaid, trace.MostProcesses},
		{"chrome", "write it for ui.perfetto.dev, which shows it as tracks and arrows, into this file",
			"json",
			&t.chrome, trace.WriteChrome, 0},
		{"shiviz", "write it for ShiViz, with vector clocks, into this file", "log", &t.shiviz,
			trace.WriteShiViz, 0},
		{"log", "write it in words into this file", "log", &t.Log, t.WriteLog, 0},
	}
}

// Number puts the numbers of given steps into the log, and times if the steps have any.
func (t *Trace) Number(steps []scenario.Step) {
	t.numbered = true
	t.timed = slices.ContainsFunc(steps, func(s scenario.Step) bool { return s.At != nil && *s.At > 0 })
}

// WriteLog writes the log of a trace.
func (t *Trace) WriteLog(w io.Writer, tr *trace.Trace) error {
	if t.numbered {
		return trace.WriteSteps(w, tr, t.timed)
	}
	return trace.WriteSelected(w, tr, t.Selection)
}

// Any reports whether a flag names a file.
func (t *Trace) Any() bool { return t.Trace != "" || !t.OnlyTrace() }

// OnlyTrace reports whether --trace is the only flag that names a file.
func (t *Trace) OnlyTrace() bool { return t.svg+t.links+t.mermaid+t.chrome+t.shiviz+t.Log == "" }

// ReadTrace reads a trace. If the file is a scenario, the error tells that.
func ReadTrace(r io.Reader) (*trace.Trace, error) {
	b := bufio.NewReader(r)
	head, _ := b.Peek(1 << 10) // an error comes again
	scenario := bytes.Contains(head, []byte(`"algorithm"`)) && !bytes.Contains(head, []byte(`"trace"`))
	t, err := trace.Read(b)
	if err != nil && scenario {
		return nil, input.Errorf("it is a scenario, not a trace: elect sim --scenario, elect page " +
			"--scenario and elect check --replay take it")
	}
	return t, err
}

// Define defines the flags for some of the files.
func (t *Trace) Define(cmd *cobra.Command, wanted ...string) {
	for _, f := range t.All() {
		if slices.Contains(wanted, f.Flag) {
			parse.File(cmd, f.Name, f.Flag, f.ending, f.about)
		}
	}
}

// Check refuses names of files that cannot be written, that are read, or that are written twice. It returns
// whether there are any, and whether standard output is one.
func (t *Trace) Check(read ...string) (some, standard bool, err error) {
	all := t.All()
	for i, f := range all {
		switch name := *f.Name; {
		case name == "":
			continue
		case name == Standard && standard:
			return false, false, input.Errorf("--%s: standard output is taken already", f.Flag)
		case name == Standard:
			standard = true
		default:
			if err := CheckWritable(f.Flag, name); err != nil {
				return false, false, err
			}
			if slices.ContainsFunc(read, func(other string) bool { return Same(name, other) }) {
				return false, false, input.Errorf("--%s: %s is read already", f.Flag, name)
			}
			for _, other := range all[:i] {
				if Same(name, *other.Name) {
					return false, false, input.Errorf("--%s: %s is written by --%s already", f.Flag, name,
						other.Flag)
				}
			}
		}
	}
	return t.Any(), standard, nil
}

// CheckPictures refuses a picture of more processes than one can show.
func (t *Trace) CheckPictures(n int) error {
	for _, f := range t.All() {
		if f.processes > 0 && *f.Name != "" && n > f.processes {
			return input.Errorf("--%s: %d processes, at most %d are legible", f.Flag, n, f.processes)
		}
	}
	return nil
}

// Write writes the files; not the trace itself, if it was written during the run.
func (t *Trace) Write(a *console.Console, tr *trace.Trace, written bool) error {
	for _, f := range t.All() {
		if *f.Name == "" || f.Flag == "trace" && written {
			continue
		}
		if err := Write(a, f.Flag, *f.Name, func(w io.Writer) error { return f.write(w, tr) }); err != nil {
			return err
		}
	}
	return nil
}
