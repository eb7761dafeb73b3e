package listing

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
)

// WriteTable writes a row for each algorithm, its variants together, for people.
func WriteTable(w io.Writer, all []*election.Algorithm, how Page) error {
	how = how.complete()
	rows := [][]string{{"ALGORITHM", "VARIANTS", "LINKS", "WINNER", "SURVIVES"}}
	for _, variants := range byName(all) {
		rows = append(rows, []string{variants[0].Name, strconv.Itoa(len(variants)), allLinks(variants),
			allWinners(variants), allFaults(variants)})
	}
	var table strings.Builder
	if err := writeRows(&table, rows, how.Width); err != nil {
		return err
	}
	names, lines, _ := strings.Cut(table.String(), "\n")
	note := "In parentheses: of some variants only. A copy is a message that arrives twice. " +
		"elect list NAME shows all that there is about one."
	_, err := io.WriteString(w, how.Heading(names)+"\n"+lines+"\n"+prose.Wrapped(note, "", how.Width))
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

// allLinks names the topologies of variants; directions of rings only where all run on the same.
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

// allFaults names the faults that variants survive, those that only some do in parentheses.
func allFaults(variants []*election.Algorithm) string {
	count := make(map[string]int)
	var every, some []string
	for _, a := range variants {
		for _, fault := range faults(&a.Faults) {
			count[fault]++
		}
	}
	for _, fault := range faults(&election.Faults{Crash: true, Loss: true, Copies: true, Pause: true,
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

// writeRows aligns rows. Numbers, in the second column, stand at the right; what is too long for the
// width goes on below, in its column.
func writeRows(w io.Writer, rows [][]string, width int) error {
	const gap = len("  ")
	wide, least := make([]int, len(rows[0])), make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
			for word := range strings.FieldsSeq(cell) {
				least[i] = max(least[i], utf8.RuneCountInString(word))
			}
		}
	}
	for {
		// A column that is as narrow as its longest word would not get narrower, only its width would.
		total, widest := gap*(len(wide)-1), -1
		for i, n := range wide {
			if total += n; i >= 2 && n > least[i] && (widest < 0 || n > wide[widest]) {
				widest = i
			}
		}
		if total <= width || widest < 0 {
			break
		}
		wide[widest]--
	}
	var b strings.Builder
	for _, row := range rows {
		cells := make([][]string, len(row))
		lines := 0
		for i, cell := range row {
			cells[i] = strings.Split(strings.TrimSuffix(prose.Wrapped(cell, "", wide[i]), "\n"), "\n")
			lines = max(lines, len(cells[i]))
		}
		for line := range lines {
			text := ""
			for i := range row {
				cell := ""
				if line < len(cells[i]) {
					cell = cells[i][line]
				}
				if i == 1 {
					text += fmt.Sprintf("%*s", wide[i], cell)
				} else {
					text += fmt.Sprintf("%-*s", wide[i], cell)
				}
				text += "  "
			}
			b.WriteString(strings.TrimRight(text, " ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// faults names the kinds of faults that are survived.
func faults(f *election.Faults) (all []string) {
	for _, fault := range []struct {
		survived bool
		name     string
	}{{f.Crash, "crashes"}, {f.Loss, "loss"}, {f.Copies, "copies"}, {f.Pause, "pauses"}, {f.Cut, "cuts"}} {
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
		{f.Crash && f.Down != nil, fmt.Sprintf("at most %d of 9 processes are down at a time",
			f.MostDown(9))},
		{f.Reported, "a failure detector reports each crash"},
		{f.Returns, "each process that crashes comes back"},
		{f.Crash && !f.Recover && !f.Restart, "a process that crashes stays down"},
		{f.Crash && !f.Recover && f.Restart, "a process that comes back has its state"},
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
		until = " --until 20"
	}
	n := 8
	if a.Topology == election.Mesh {
		n = 9
	}
	return []string{fmt.Sprintf("sim %s -n %d%s", a.Title(), n, until),
		fmt.Sprintf("sim %s -n %d%s --svg %s.svg", a.Title(), n, until, a.Name),
		fmt.Sprintf("soak %s --runs 1000", a.Title())}
}
