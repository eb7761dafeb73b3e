// Package console is the output of a command: standard output and error, with colours and a line of progress
// if these are terminals.
package console

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/terminal"
)

// Console is one invocation of the command.
type Console struct {
	Catalog  catalog.List // the algorithms that it knows
	Stdin    io.Reader
	Stdout   *Checked
	Stderr   io.Writer
	Colour   bool // standard output shows colours
	Progress bool // standard error shows the progress

	ErrColour bool // standard error shows colours
	Verbose   bool // reports have the speed of the program
}

// Checked is a writer that keeps its first error.
type Checked struct {
	w   io.Writer
	err error
}

// Unchecked returns what this writes to, for a program that is started: it gets the file itself.
func (c *Checked) Unchecked() io.Writer { return c.w }

// IsTerminal reports whether this writes to a terminal.
func (c *Checked) IsTerminal() bool { return terminal.Is(c.w) }

// Write writes, and keeps the first error.
func (c *Checked) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	// Remember the first error: most callers of Fprint ignore it, and the command must still fail.
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// Paint returns text in a color, if standard output shows colors.
func (a *Console) Paint(colour, text string) string { return terminal.Painted(a.Colour, colour, text) }

// Width returns how wide text is laid out.
func (a *Console) Width() int { return terminal.Width(a.Stdout.w) }

// Log returns the writer of a log to standard output. On a terminal its lines fit; programs get them whole.
func (a *Console) Log(to io.Writer) io.Writer {
	if !a.Stdout.IsTerminal() {
		return to
	}
	return terminal.Fit(to, a.Width())
}

// Meter returns nil if standard error is no terminal.
func (a *Console) Meter() *terminal.Meter {
	if !a.Progress {
		return nil
	}
	return terminal.NewMeter(a.Stderr, time.Now())
}

// Complain writes why the command has failed, in a line.
func (a *Console) Complain(line string) {
	fmt.Fprintln(a.Stderr, terminal.Painted(a.ErrColour, terminal.Red, "elect:")+" "+line)
}

// SetColours decides whether standard output and error show colours.
func (a *Console) SetColours(when string) {
	a.Colour, a.ErrColour = terminal.Colours(a.Stdout.w, when), terminal.Colours(a.Stderr, when)
}

// ReportUnwritten reports that files are not written: after a report, or on standard error if standard output
// is for programs.
func ReportUnwritten(a *Console, text string, quiet bool) (err error) {
	switch {
	case text == "":
	case quiet:
		_, err = fmt.Fprintln(a.Stderr, "elect: "+text)
	default:
		_, err = fmt.Fprintln(a.Stdout, "\n"+text)
	}
	return err
}

// New returns the console of one invocation of a command that knows these algorithms.
func New(algorithms catalog.List, stdin io.Reader, stdout, stderr io.Writer) *Console {
	a := &Console{Catalog: algorithms, Stdin: stdin, Stdout: &Checked{w: stdout}, Stderr: stderr,
		Progress: terminal.Is(stderr)}
	a.SetColours(terminal.WhenAuto)
	return a
}

// Broken returns the first error of standard output.
func (a *Console) Broken() error { return a.Stdout.err }

// patience is the key of what [MayTake] sets.
type patience struct{}

// WithPatience allows a command to set by [MayTake] how long it may take to stop.
func WithPatience(ctx context.Context, d *atomic.Int64) context.Context {
	return context.WithValue(ctx, patience{}, d)
}

// MayTake sets how long this command may take to stop once it is interrupted.
func MayTake(ctx context.Context, d time.Duration) {
	if set, ok := ctx.Value(patience{}).(*atomic.Int64); ok {
		set.Store(int64(d))
	}
}

// ReportsWhenInterrupted declares that an interrupted command reports what it has found so far, which takes some
// time.
func ReportsWhenInterrupted(ctx context.Context) { MayTake(ctx, 10*time.Second) }
