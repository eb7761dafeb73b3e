// Package help writes the help of the commands, from a file for each, with its examples below a line of
// dashes. Topics have files too.
package help

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/internal/terminal"
)

//go:embed *.txt
var files embed.FS

// separator stands between the text and the examples.
const separator = "\n---\n"

// Topics are what several commands share: elect help TOPIC shows them.
var Topics = []string{"topology", "scenario", "faults", "output"}

// Read returns the text and the examples of a command or a topic, nothing where there is no such file.
func Read(name string) (text, examples string) {
	b, _ := files.ReadFile(name + ".txt")
	text, examples, _ = strings.Cut(string(b), separator)
	return text, examples
}

// Group is the annotation of a flag that names its group. Flags without one are of the last.
const Group = "group"

// Printer writes help.
type Printer struct {
	To      io.Writer
	Width   int
	Heading func(string) string // how a heading looks
	Short   bool                // what the command is for, three examples, and each flag in a line
}

// Topic writes one of [Topics].
func (p *Printer) Topic(name string) error {
	text, _ := Read(name)
	_, err := io.WriteString(p.To, prose.Fitted(text, p.Width))
	return err
}

// Command writes the help of a command.
func (p *Printer) Command(cmd *cobra.Command) error {
	var b strings.Builder
	text, examples := Read(strings.ReplaceAll(cmd.CommandPath(), " ", "-"))
	if text == "" {
		text, examples = Read(strings.TrimPrefix(strings.ReplaceAll(cmd.CommandPath(), " ", "-"), "elect-"))
	}
	if text == "" && cmd.HasParent() {
		text, examples = Read(cmd.Parent().Name())
	}
	most := 100 // examples
	switch {
	case p.Short:
		most, text = 3, cmd.Short+".\n"
	case cmd.Long != "": // those of the library for commands
		text = cmd.Long
	}
	b.WriteString(prose.Fitted(text, p.Width))
	p.heading(&b, "Usage")
	fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	if examples != "" {
		p.heading(&b, "Examples")
		b.WriteString(terminal.CommandLines(examples, most, p.Width))
	}
	p.commands(&b, cmd)
	p.flags(&b, cmd)
	if p.Short {
		fmt.Fprintf(&b, "\n%s --help says more.\n", cmd.CommandPath())
	} else {
		b.WriteString("\n" + prose.Wrapped("elect help TOPIC says more of "+strings.Join(Topics, ", ")+".",
			"",
			p.Width))
	}
	_, err := io.WriteString(p.To, b.String())
	return err
}

func (p *Printer) heading(b *strings.Builder, text string) {
	fmt.Fprintf(b, "\n%s\n", p.Heading(text+":"))
}

// commands lists the commands below a command.
func (p *Printer) commands(b *strings.Builder, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	p.heading(b, "Commands")
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			b.WriteString(prose.Hanging("  "+c.Name(), c.Short, 14, p.Width))
		}
	}
}

// flags lists the flags of a command by their groups.
func (p *Printer) flags(b *strings.Builder, cmd *cobra.Command) {
	var groups []string
	of := make(map[string][]*pflag.Flag)
	// elect help reaches a command whose flags are not parsed: then they lack those of its parents.
	cmd.InitDefaultHelpFlag()
	cmd.InheritedFlags()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		group := "output"
		if f.Annotations[Group] != nil {
			group = f.Annotations[Group][0]
		}
		if f.Hidden {
			return
		}
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
		of[group] = append(of[group], f)
	})
	for _, group := range groups {
		name := "Flags, " + group
		if len(groups) == 1 {
			name = "Flags"
		}
		p.heading(b, name)
		for _, f := range of[group] {
			b.WriteString(p.flag(f))
		}
	}
}

// column is where the usage of flags begins.
const column = 26

// flag returns what help says of a flag.
func (p *Printer) flag(f *pflag.Flag) string {
	head := "      --" + f.Name
	if f.Shorthand != "" {
		head = "  -" + f.Shorthand + ", --" + f.Name
	}
	if kind := f.Value.Type(); kind != "bool" {
		head += " " + kind
	}
	usage := f.Usage
	switch def := f.DefValue; {
	case p.Short:
		usage, _, _ = strings.Cut(usage, "; ")
		usage, _, _ = strings.Cut(usage, " (")
	case def != "" && def != "false" && !strings.Contains(usage, "(default"):
		usage += " (default " + def + ")"
	}
	return prose.Hanging(head, usage, column, p.Width)
}
