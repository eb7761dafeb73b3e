// Package console is the output of a command: standard output and error, with colours and a line of progress
// where these are terminals.
package console

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-election/election/catalog"
)

// Console is one invocation of the command.
type Console struct {
	Catalog  catalog.List // the algorithms that it knows
	Stdin    io.Reader
	Stdout   *Checked
	Stderr   io.Writer
	Colour   bool // standard output shows colours
	Progress bool // standard error shows the progress
}

// Checked is a writer that keeps its first error.
type Checked struct {
	w   io.Writer
	err error
}

// Unchecked returns what this writes to, for a program that is started: it gets the file itself.
func (c *Checked) Unchecked() io.Writer { return c.w }

// IsTerminal reports whether this writes to a terminal.
func (c *Checked) IsTerminal() bool { return IsTerminal(c.w) }

// Write writes, and keeps the first error.
func (c *Checked) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	// Remember the first error: most callers of Fprint ignore it, and the command must still fail.
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// IsTerminal reports whether a reader or writer is a terminal.
func IsTerminal(file any) bool {
	f, ok := file.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	// The null device is a character device too, but no terminal.
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// wantsColour follows no-color.org.
func wantsColour(w io.Writer) bool { return IsTerminal(w) && os.Getenv("NO_COLOR") == "" }

// The colours, as terminals know them.
const (
	Bold  = "1"
	Red   = "31"
	Green = "32"
)

// Paint returns text in a colour, where standard output shows colours.
func (a *Console) Paint(colour, text string) string {
	if !a.Colour {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// ReportUnwritten says that files are not written: behind a report, or on standard error where standard
// output is for programs.
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
	return &Console{
		Catalog: algorithms, Stdin: stdin, Stdout: &Checked{w: stdout}, Stderr: stderr,
		Colour: wantsColour(stdout), Progress: IsTerminal(stderr),
	}
}

// Broken returns the first error of standard output.
func (a *Console) Broken() error { return a.Stdout.err }

// patience is the key of what [MayTake] sets.
type patience struct{}

// WithPatience lets a command say by [MayTake] how long it may take to stop.
func WithPatience(ctx context.Context, d *atomic.Int64) context.Context {
	return context.WithValue(ctx, patience{}, d)
}

// MayTake says how long this command may take to stop once it is interrupted.
func MayTake(ctx context.Context, d time.Duration) {
	if set, ok := ctx.Value(patience{}).(*atomic.Int64); ok {
		set.Store(int64(d))
	}
}

// ReportsWhenInterrupted says that an interrupted command reports what it has found so far, which takes some
// time.
func ReportsWhenInterrupted(ctx context.Context) { MayTake(ctx, 10*time.Second) }

// Quoted returns a word with the quotes that a shell needs.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-+=./:,@%", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
