package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
)

// WriteList writes a row for each algorithm, its variants together, for people.
func WriteList(w io.Writer, all []*election.Algorithm, how Page) error {
	how = how.complete()
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ALGORITHM\tVARIANTS\tLINKS\tWINNER\tSURVIVES")
	for _, variants := range byName(all) {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\n", variants[0].Name, len(variants), allLinks(variants), allWinners(variants),
			allFaults(variants))
	}
	t.Flush()
	names, lines, _ := strings.Cut(table.String(), "\n")
	note := "In parentheses: of some variants only. A copy is a message that arrives twice. " +
		"elect list NAME shows all that there is about one."
	text := how.Heading(strings.TrimSuffix(prose.Row(names, how.Width), "\n")) + "\n"
	for line := range strings.Lines(lines) {
		text += prose.Row(line, how.Width)
	}
	_, err := io.WriteString(w, text+"\n"+prose.Wrapped(note, "", how.Width))
	return err
}

// different returns what there is of variants, each once.
func different(variants []*election.Algorithm, of func(a *election.Algorithm) string) (all []string) {
	for _, a := range variants {
		if text := of(a); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// allLinks names the topologies of variants; directions of rings only if all run on the same.
func allLinks(variants []*election.Algorithm) string {
	all := different(variants, func(a *election.Algorithm) string { return links(a.Topology, !twoWay(a)) })
	if len(all) > 1 {
		all = different(variants, func(a *election.Algorithm) string { return string(a.Topology) })
	}
	return strings.Join(all, "/")
}

// allWinners names the winners of variants: "largest of all/initiators".
func allWinners(variants []*election.Algorithm) string {
	all := different(variants, (*election.Algorithm).Wins)
	if !slices.ContainsFunc(all, func(text string) bool { return !strings.HasPrefix(text, "largest of ") }) {
		// The first stands there with the words that all share, so the shortest one is.
		slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	}
	first := strings.Fields(all[0])
	for i, text := range all[1:] {
		words := strings.Fields(text)
		same := 0
		for same < min(len(first), len(words))-1 && words[same] == first[same] {
			same++
		}
		all[i+1] = strings.TrimPrefix(strings.Join(words[same:], " "), "the ")
	}
	return strings.Join(all, "/")
}

// allFaults names the faults that variants survive, and in parentheses the faults that only some survive.
func allFaults(variants []*election.Algorithm) string {
	count := make(map[string]int)
	var every, some []string
	for _, a := range variants {
		for _, fault := range faults(&a.Faults) {
			count[fault]++
		}
	}
	for _, fault := range faults(&election.Faults{Crash: election.StaysDown, Loss: true, Copies: true, Pause: true,
		Cut: true}) {
		switch count[fault] {
		case 0:
		case len(variants):
			every = append(every, fault)
		default:
			some = append(some, fault)
		}
	}
	if len(some) > 0 {
		every = append(every, "("+strings.Join(some, "/")+")")
	}
	switch len(every) {
	case 0:
		return "none"
	case 5:
		return "all"
	}
	return strings.Join(every, ", ")
}

// byName puts the variants of each algorithm together.
func byName(all []*election.Algorithm) (names [][]*election.Algorithm) {
	for _, a := range all {
		if last := len(names) - 1; last >= 0 && names[last][0].Name == a.Name {
			names[last] = append(names[last], a)
		} else {
			names = append(names, []*election.Algorithm{a})
		}
	}
	return names
}

// faults names the kinds of faults that are survived.
func faults(f *election.Faults) (all []string) {
	for _, fault := range []struct {
		survived bool
		name     string
	}{{f.Crash != election.NoCrash, "crashes"}, {f.Loss, "loss"}, {f.Copies, "copies"}, {f.Pause, "pauses"}, {f.Cut, "cuts"}} {
		if fault.survived {
			all = append(all, fault.name)
		}
	}
	return all
}

// Page is the layout of [WritePages]. The zero value is ready for use.
type Page struct {
	Width   int                      // If zero, 80.
	Heading func(text string) string // how a heading looks; if nil, as it is
}

// complete returns the looks of a page with what is not given.
func (p Page) complete() Page {
	if p.Width == 0 {
		p.Width = 80
	}
	if p.Heading == nil {
		p.Heading = func(text string) string { return text }
	}
	return p
}

// WritePages writes a page for each algorithm: what each variant does, its source, where it runs, its
// bounds and kinds of messages; then the parameters, and commands that run it.
func WritePages(w io.Writer, all []*election.Algorithm, how Page) error {
	how = how.complete()
	var b strings.Builder
	for i, variants := range byName(all) {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, a := range variants {
			how.variant(&b, a)
		}
		a := variants[0]
		if len(a.Params) > 0 {
			fmt.Fprintf(&b, "%s\n", how.Heading("Parameters of "+a.Name))
			for _, p := range a.Params {
				about := p.About
				if p.Default != "" {
					about += " (default " + p.Default + ")"
				}
				b.WriteString(prose.Hanging("  "+p.Name, about, 23, how.Width))
			}
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n", how.Heading("Examples"))
		for _, line := range commands(a) {
			fmt.Fprintf(&b, "  elect %s\n", line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// variant writes what there is about one variant.
func (p *Page) variant(b *strings.Builder, a *election.Algorithm) {
	fmt.Fprintf(b, "%s\n%s", p.Heading(a.Title()), prose.Wrapped(a.Summary, "  ", p.Width))
	order, delays := "any", "any"
	if a.NeedsFIFO {
		order = "kept"
	}
	if a.DelayBound() > 0 {
		delays = "bounded"
	}
	for _, row := range [][2]string{{"source", a.Source}, {"links", links(a.Topology, !twoWay(a))},
		{"order", order},
		{"delays", delays}, {"winner", a.Wins()}, {"late start", string(a.LateStart)},
		{"survives", survives(&a.Faults)}, {"best case", a.Best.Words()}, {"mean", a.Mean.Words()},
		{"worst case", a.Worst.Words()}, {"kinds", strings.Join(kinds(a), ", ")}} {
		if row[1] != "" {
			b.WriteString(prose.Hanging("  "+row[0], row[1], 14, p.Width))
		}
	}
	b.WriteString("\n")
}

// survives names the faults that are survived, and their conditions.
func survives(f *election.Faults) string {
	text := strings.Join(faults(f), ", ")
	if text == "" {
		text = "none"
	}
	for _, condition := range []struct {
		holds bool
		text  string
	}{
		{f.Crash != election.NoCrash && f.Down != nil, fmt.Sprintf("at most %d of 9 processes are down at a time",
			f.MostDown(9))},
		{f.Reported, "a failure detector reports each crash"},
		{f.Crash == election.MustRestart, "each process that crashes comes back"},
		{f.Crash == election.StaysDown, "a process that crashes stays down"},
		{f.Crash == election.MayRestart || f.Crash == election.MustRestart, "a process that comes back has its state"},
		{f.Nudged, "after a crash a process may have to be started once more"},
	} {
		if condition.holds {
			text += "; " + condition.text
		}
	}
	return text
}

// commands returns command lines that run an algorithm.
func commands(a *election.Algorithm) []string {
	until := ""
	if a.NeverQuiesces {
		if until = " --until 20"; a.Store { // as long as nothing is stored, a candidate waits for a lease
			until = " --until 120"
		}
	}
	n, order := 8, ""
	switch {
	case a.Topology == election.Mesh:
		n = 9
	case a.Topology == election.Ring && a.Winner != nil: // in the picture of sorted ids only one competes
		order = " --order random --seed 3"
	}
	return []string{fmt.Sprintf("sim %s -n %d%s", a.Title(), n, until),
		fmt.Sprintf("sim %s -n %d%s%s --svg %s.svg", a.Title(), n, until, order, a.Name),
		fmt.Sprintf("soak %s --runs 1000", a.Title())}
}
