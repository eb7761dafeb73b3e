// Package help writes the help of the commands, from a file for each: its text, its examples, and the names
// of the flags that are used most, between lines of dashes. Topics have files too.
package help

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/internal/prose"
)

//go:embed *.txt
var files embed.FS

// separator stands between the parts of a file.
const separator = "\n---\n"

// Topics are what several commands share: elect help TOPIC shows them.
var Topics = []string{"topology", "scenario", "faults", "output"}

// Page is the file of a command or a topic. A topic has a text alone.
type Page struct {
	Text, Examples string
	Used           []string // the flags that are used most; none where the command has few
}

// Read returns the page of a command or a topic, an empty one where there is no such file.
func Read(name string) Page {
	b, _ := files.ReadFile(name + ".txt")
	text, rest, _ := strings.Cut(string(b), separator)
	examples, used, _ := strings.Cut(rest, separator)
	return Page{Text: text, Examples: examples, Used: strings.Fields(used)}
}

// about returns the page of a command, or else that of its parent.
func about(cmd *cobra.Command) Page {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	page := Read(strings.TrimPrefix(name, "elect-"))
	if page.Text == "" && cmd.HasParent() {
		page = Read(cmd.Parent().Name())
	}
	return page
}

// Group is the annotation of a flag that names its group. Flags without one are of Output, the last.
const (
	Group  = "group"
	Output = "output"
)

// Printer writes help.
type Printer struct {
	To      io.Writer
	Width   int
	Heading func(string) string // how a heading looks
	Short   bool                // what the command is for, three examples, and the flags that are used most
}

// Topic writes one of [Topics].
func (p *Printer) Topic(name string) error {
	_, err := io.WriteString(p.To, prose.Fitted(Read(name).Text, p.Width))
	return err
}

// Command writes the help of a command.
func (p *Printer) Command(cmd *cobra.Command) error {
	var b strings.Builder
	page, most := about(cmd), 100 // examples
	switch {
	case p.Short:
		most, page.Text = 3, cmd.Short+".\n"
	case cmd.Long != "": // those of the library for commands
		page.Text = cmd.Long
	}
	b.WriteString(prose.Fitted(page.Text, p.Width))
	p.heading(&b, "Usage")
	fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	if page.Examples != "" {
		p.heading(&b, "Examples")
		b.WriteString(terminal.CommandLines(page.Examples, most, p.Width))
	}
	p.commands(&b, cmd)
	groups := groupsOf(cmd)
	last := "elect help TOPIC says more of " + strings.Join(Topics, ", ")
	if p.Short {
		used, others := mostUsed(groups, page.Used)
		groups, last = used, cmd.CommandPath()+" --help says all"+others
	}
	p.flags(&b, groups)
	b.WriteString("\n" + prose.Wrapped(last+".", "", p.Width))
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

// group is some flags of a command.
type group struct {
	name  string
	flags []*pflag.Flag
}

// groupsOf returns the flags of a command by their groups.
func groupsOf(cmd *cobra.Command) (groups []group) {
	// elect help reaches a command whose flags are not parsed: then they lack those of its parents.
	cmd.InitDefaultHelpFlag()
	cmd.InheritedFlags()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := Output
		if f.Annotations[Group] != nil {
			name = f.Annotations[Group][0]
		}
		if f.Hidden {
			return
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.name == name })
		if at < 0 {
			at, groups = len(groups), append(groups, group{name: name})
		}
		groups[at].flags = append(groups[at].flags, f)
	})
	return groups
}

// flags lists flags by their groups.
func (p *Printer) flags(b *strings.Builder, groups []group) {
	for _, g := range groups {
		name := "Flags, " + g.name
		if len(groups) == 1 {
			name = "Flags"
		}
		p.heading(b, name)
		for _, f := range g.flags {
			b.WriteString(p.flag(f))
		}
	}
}

// mostUsed returns the flags of these names alone, and what the others are. Without names it returns all.
func mostUsed(groups []group, names []string) (used []group, others string) {
	if len(names) == 0 {
		return groups, ""
	}
	used = make([]group, 1)
	var of []string
	more := -len(names)
	for _, g := range groups {
		of = append(of, g.name)
		more += len(g.flags)
		for _, f := range g.flags {
			if slices.Contains(names, f.Name) {
				used[0].flags = append(used[0].flags, f)
			}
		}
	}
	others = ", with " + prose.Plural(more, "more flag")
	if len(of) > 1 {
		others += ", for " + strings.Join(of, ", ")
	}
	return used, others
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
		for _, detail := range []string{"; ", " (", ", - for "} {
			usage, _, _ = strings.Cut(usage, detail)
		}
	case def != "" && def != "false" && !strings.Contains(usage, "(default"):
		usage += " (default " + def + ")"
	}
	return prose.Hanging(head, usage, column, p.Width)
}
