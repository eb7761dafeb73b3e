// Package terminal asks what a terminal is and shows: how wide it is, whether it has colours, a line of
// progress.
package terminal

import (
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Is reports whether a reader or writer is a terminal.
func Is(file any) bool { return term.IsTerminal(descriptor(file)) }

// descriptor returns the file descriptor of a reader or writer, or -1 if it is no file.
func descriptor(file any) int {
	if f, ok := file.(*os.File); ok {
		return int(f.Fd())
	}
	return -1
}

// isNull reports whether a file is the null device.
func isNull(file any) bool {
	f, ok := file.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	null, missing := os.Stat(os.DevNull)
	return err == nil && missing == nil && os.SameFile(info, null)
}

// Size returns the columns and rows of the terminal that w writes to. The variable COLUMNS is stronger than the
// terminal. Without both, it returns 80 and 24.
func Size(w io.Writer) (columns, rows int) {
	columns, rows, err := term.GetSize(descriptor(w))
	if err != nil || columns <= 0 || rows <= 0 {
		columns, rows = 80, 24
	}
	if set, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && set > 0 {
		columns = set
	}
	return columns, rows
}

// Width returns the number of columns for text that is written to w: at least 40 and at most 100, above which
// lines are hard to read.
func Width(w io.Writer) int {
	columns, _ := Size(w)
	return min(max(columns, 40), 100)
}

// When there are colours.
const (
	WhenAuto   = "auto" // on a terminal, unless the environment has another
	WhenAlways = "always"
	WhenNever  = "never"
)

// When are all of these.
var When = []string{WhenAuto, WhenAlways, WhenNever}

// Colours reports whether what is written to w has colours. NO_COLOR, CLICOLOR and CLICOLOR_FORCE are
// the variables of no-color.org and bixense.com/clicolors; the first is the strongest.
func Colours(w io.Writer, when string) bool {
	forced := os.Getenv("CLICOLOR_FORCE")
	switch {
	case when != WhenAuto:
		return when == WhenAlways
	case os.Getenv("NO_COLOR") != "":
		return false
	case forced != "" && forced != "0":
		return true
	}
	return Is(w) && os.Getenv("CLICOLOR") != "0"
}

// The colours, as terminals know them.
const (
	Bold  = "1"
	Dim   = "2" // of what is secondary
	Red   = "31"
	Green = "32"
	Amber = "33"
)

// Painted returns text in a colour, if there are colours.
func Painted(colours bool, colour, text string) string {
	if !colours {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

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
