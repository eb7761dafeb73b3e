// Package files checks the names of files that flags take, and writes files all or nothing.
package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/wholefile"
)

// Standard is the file name that stands for standard input or output.
const Standard = "-"

// CheckWritable refuses the name of a folder, and of a file whose folder does not exist.
func CheckWritable(flag, name string) error {
	switch {
	case name == Standard:
	case IsFolder(name):
		return input.Errorf("--%s %s: it is a folder, not a file", flag, name)
	case !IsFolder(filepath.Dir(name)):
		return input.Errorf("--%s %s: there is no such folder", flag, name)
	}
	return nil
}

// IsFolder reports whether there is a folder of this name.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Same reports whether two names are of the same file, which need not exist yet.
func Same(a, b string) bool {
	return a != "" && b != "" && a != Standard && b != Standard && wholefile.Same(a, b)
}

// NotWritten returns a line that names the files that are not written; empty if there are none.
func NotWritten(why string, names ...string) string {
	some := slices.ContainsFunc(names, func(name string) bool { return name != "" })
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" || name == Standard })
	switch {
	case !some:
		return ""
	case len(names) == 0:
		return why + ", nothing is written"
	case len(names) == 1:
		return fmt.Sprintf("%s, %s is not written", why, names[0])
	}
	last := len(names) - 1
	return fmt.Sprintf("%s, %s and %s are not written", why, strings.Join(names[:last], ", "), names[last])
}

// Write writes to a file, or to standard output, all or nothing.
func Write(a *console.Console, flag, name string, write func(io.Writer) error) error {
	// Into memory first: a failure must not leave half a file, or destroy one that was there.
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	if name == Standard {
		_, err := b.WriteTo(a.Stdout)
		return err
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		return Unwritable(flag, name, err)
	}
	return nil
}

// WriteFigure writes the figure of --svg.
func WriteFigure(a *console.Console, name, figure string) error {
	return Write(a, "svg", name, func(w io.Writer) error {
		_, err := io.WriteString(w, figure)
		return err
	})
}

// Unwritable returns the error of a file that cannot be written.
func Unwritable(flag, name string, err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err // the line names the path already
	}
	return exit.Failed(fmt.Errorf("--%s %s: it cannot be written: %w", flag, name, err))
}
