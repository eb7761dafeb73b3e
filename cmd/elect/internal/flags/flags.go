// Package flags defines flags that hold text, and what a shell may complete.
package flags

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election/internal/input"
)

// words is the value of a flag that holds text and may be given several times.
type words struct {
	all  *[]string
	kind string
}

func (w words) String() string { return "" }

func (w words) Set(text string) error { *w.all = append(*w.all, text); return nil }

func (w words) Type() string { return w.kind }

// word is the value of a flag that holds text. Help shows what kind of text.
type word struct {
	text *string
	kind string
}

func (w word) String() string { return *w.text }

func (w word) Set(text string) error { *w.text = text; return nil }

func (w word) Type() string { return w.kind }

// Text defines a flag that holds text; -n is short for --n.
func Text(fs *pflag.FlagSet, to *string, name, kind, unless, about string) {
	*to = unless
	short := ""
	if len(name) == 1 {
		short = name
	}
	fs.VarP(word{to, kind}, name, short, about)
}

// Dashed returns a flag as people write it.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// NoMore refuses arguments that no flag takes.
func NoMore(args []string) error {
	if len(args) > 0 {
		return input.Errorf("unexpected argument %q", args[0])
	}
	return nil
}

// List defines a flag that holds text and may be given several times.
func List(fs *pflag.FlagSet, to *[]string, name, kind, about string) {
	fs.Var(words{to, kind}, name, about)
}

// Files says how the names of the files that a flag takes end.
func Files(cmd *cobra.Command, ending string, flags ...string) {
	for _, flag := range flags {
		if err := cmd.MarkFlagFilename(flag, ending); err != nil {
			panic(err) // no such flag
		}
	}
}
