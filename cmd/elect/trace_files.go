package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/params"
)

// standardStream is the file name that stands for standard input or output.
const standardStream = "-"

// traceFiles are the files into which a trace goes, and what is made of it.
type traceFiles struct {
	trace, svg, mermaid, log string

	numbered, timed bool // the log has the numbers of given steps, and their times
}

// traceFile is one of them.
type traceFile struct {
	flag, about, ending string
	name                *string
	write               func(io.Writer, *trace.Trace) error
	picture             bool
}

func (t *traceFiles) all() []traceFile {
	return []traceFile{
		{"trace", "record all that happens into this file, - for standard output", "ndjson", &t.trace, trace.Write, false},
		{"svg", "draw it into this file, - for standard output: a line for each process, an arrow for each message", "svg", &t.svg, trace.WriteSVG, true},
		{"mermaid", "write a sequence diagram for Mermaid into this file", "mmd", &t.mermaid, trace.WriteMermaid, true},
		{"log", "write it in words into this file", "log", &t.log, t.writeLog, false},
	}
}

// number lets the log have the numbers of given steps, and times where these have any.
func (t *traceFiles) number(steps []scenario.Step) {
	t.numbered = true
	t.timed = slices.ContainsFunc(steps, func(s scenario.Step) bool { return s.At != nil && *s.At > 0 })
}

// writeLog writes a trace in words.
func (t *traceFiles) writeLog(w io.Writer, tr *trace.Trace) error {
	if t.numbered {
		return trace.WriteSteps(w, tr, t.timed)
	}
	return trace.WriteLog(w, tr)
}

// any reports whether a file is asked for, and onlyTrace whether it is that of the trace alone.
func (t *traceFiles) any() bool { return t.trace != "" || !t.onlyTrace() }

func (t *traceFiles) onlyTrace() bool { return t.svg == "" && t.mermaid == "" && t.log == "" }

// add defines the flags for some of the files.
func (t *traceFiles) add(cmd *cobra.Command, flags ...string) {
	for _, f := range t.all() {
		for _, flag := range flags {
			if f.flag != flag {
				continue
			}
			text(cmd.Flags(), f.name, flag, "file", "", f.about)
			if err := cmd.MarkFlagFilename(flag, f.ending); err != nil {
				panic(err) // no such flag
			}
		}
	}
}

// check refuses names that cannot be written to, also of a file that is read, or of another that is
// written. It returns whether there are any, and whether standard output is one.
func (t *traceFiles) check(cmd *cobra.Command, read ...string) (some, standard bool, err error) {
	all := t.all()
	for i, f := range all {
		if flag := cmd.Flags().Lookup(f.flag); flag == nil || !flag.Changed {
			continue
		}
		some = true
		switch name := *f.name; {
		case name == "":
			return false, false, usage("--%s: no file is given", f.flag)
		case name == standardStream && standard:
			return false, false, usage("--%s: standard output is taken already", f.flag)
		case name == standardStream:
			standard = true
		default:
			if err := writable(f.flag, name); err != nil {
				return false, false, err
			}
			if slices.ContainsFunc(read, func(other string) bool { return sameFile(name, other) }) {
				return false, false, usage("--%s: %s is read already", f.flag, name)
			}
			for _, other := range all[:i] {
				if sameFile(name, *other.name) {
					return false, false, usage("--%s: %s is written by --%s already", f.flag, name, other.flag)
				}
			}
		}
	}
	return some, standard, nil
}

// writable refuses the name of a file, or of standard output, that is that of a folder, or in none.
func writable(flag, name string) error {
	switch {
	case name == standardStream:
	case isFolder(name):
		return usage("--%s %s: it is a folder, not a file", flag, name)
	case !isFolder(filepath.Dir(name)):
		return usage("--%s %s: there is no such folder", flag, name)
	}
	return nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// sameFile reports whether two names are those of one file, whether it exists yet or not.
func sameFile(a, b string) bool {
	if a == "" || b == "" || a == standardStream || b == standardStream {
		return false
	}
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(first, second) && (first.Mode().IsRegular() || first.IsDir())
	}
	return err != nil && err2 != nil && whole(a) == whole(b)
}

// whole returns the name of a file from the root on, its folder without links.
func whole(name string) string {
	folder, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return filepath.Clean(name)
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return filepath.Join(folder, filepath.Base(name))
}

// pictures returns an error if there is to be a picture of more processes than one can show.
func (t *traceFiles) pictures(n int) error {
	for _, f := range t.all() {
		if f.picture && *f.name != "" && n > trace.MostProcesses {
			return usage("--%s: %d processes, at most %d are legible", f.flag, n, trace.MostProcesses)
		}
	}
	return nil
}

// write writes the files, the trace itself excepted if that has been written.
func (t *traceFiles) write(a *app, tr *trace.Trace, written bool) error {
	for _, f := range t.all() {
		if *f.name == "" || f.flag == "trace" && written {
			continue
		}
		if err := a.writeFile(f.flag, *f.name, func(w io.Writer) error { return f.write(w, tr) }); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes to a file, or to standard output, all or nothing.
func (a *app) writeFile(flag, name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	if name == standardStream {
		_, err := b.WriteTo(a.stdout)
		return err
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		return unwritable(flag, name, err)
	}
	return nil
}

// writeFigure writes the figure of --svg.
func (a *app) writeFigure(name, figure string) error {
	return a.writeFile("svg", name, func(w io.Writer) error {
		_, err := io.WriteString(w, figure)
		return err
	})
}

func unwritable(flag, name string, err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err // the path is said already
	}
	return failed(fmt.Errorf("--%s %s: it cannot be written: %w", flag, name, err))
}

// recording is the trace of one election as it comes about.
type recording struct {
	files    *traceFiles
	recorder *trace.Recorder
	file     *os.File // if the trace goes there at once and is not kept
}

// record lets a job be recorded. It returns nil if nobody wants that.
func (f *flags) record(a *app, j *job) (*recording, error) {
	t := &f.files
	if !t.any() {
		return nil, nil
	}
	about := trace.About{Driver: "sim", Params: j.params, Seed: j.Seed}
	if about.Params == nil { // configured all the same
		about.Params = map[string]params.Value{}
	}
	if f.goroutines() {
		about.Driver = "local"
	} else if j.Steps == nil {
		about.Schedule = j.Schedule
	}
	if d := j.Delay; d != (sim.Delay{}) {
		about.Delay = &d
	}
	if j.Unordered {
		about.FIFO = new(bool)
	}
	r := &recording{files: t}
	var err error
	switch {
	case !t.onlyTrace():
		r.recorder, err = trace.NewRecorder(&j.Input, about)
	case t.trace == standardStream:
		r.recorder, err = trace.NewWriter(a.stdout, &j.Input, about)
	default:
		if r.file, err = os.Create(t.trace); err != nil {
			return nil, unwritable("trace", t.trace, err)
		}
		r.recorder, err = trace.NewWriter(r.file, &j.Input, about)
	}
	if err != nil {
		return nil, err
	}
	j.Observe = r.recorder.Observe
	return r, nil
}

// finish writes what is left to write.
func (r *recording) finish(a *app) error {
	if r == nil {
		return nil
	}
	written := r.files.onlyTrace()
	err := r.recorder.Close()
	if r.file != nil {
		err = errors.Join(err, r.file.Close())
	}
	if err != nil {
		return unwritable("trace", r.files.trace, err)
	}
	return r.files.write(a, r.recorder.Trace(), written)
}

// recorded checks what the flags that record ask for.
func (f *flags) recorded(jobs []*job) error {
	some, standard, err := f.files.check(f.cmd, f.reads()...)
	switch {
	case err != nil || !some:
		return err
	case len(jobs) > 1:
		return usage("--scenario %s: it holds %d scenarios, one can be recorded", f.file, len(jobs))
	case standard && f.json:
		return usage("--json: standard output is taken by a file named -")
	}
	f.silent = standard
	return f.files.pictures(len(jobs[0].IDs))
}

// reads returns the files that the command line says to read.
func (f *flags) reads() []string {
	files := []string{f.file}
	if kind, name, _ := strings.Cut(f.topology, ":"); kind == "dot" {
		files = append(files, name)
	}
	return files
}
