package museum

import (
	"fmt"
	"strings"
)

// mark ends what is generated.
const mark = "<!-- end of what go test ./internal/museum -update writes -->"

const intro = `# The museum of bugs

Every mistake here has been printed in a paper, a book or lecture notes, or is a well-known slip of those who implement
the algorithm. Each is put into the code of this project again, in a test, and the test fails if the checks do not find it:
a mistake that survived would mean that the checks are too weak. Beside each stands its control, the right algorithm in the very
same setting, of which every state is visited and none is wrong.

The checker (package check) goes breadth first, so the steps shown are the fewest that lead to where something is found to be wrong; too many messages are counted at the end of a run. Where a mistake could
be put around the project's own Node it was; the Node takes the same events and some of what it wants done is changed.
Where what is wrong changes no outcome, as where it wastes messages, an *audit* is put around the wrong Node and the right one alike: it
breaks the run at a message that must not be. *States* is how many had been visited when the mistake was found. What is said to be a *limit* is nobody's mistake: the algorithm is used
where its assumptions do not hold.

`

// write returns the document.
func write(list []exhibit, all []found) string {
	var b strings.Builder
	b.WriteString(intro)
	fmt.Fprintf(&b, "%d exhibits:\n\n| | name | source | what is wrong | found by | property violated | steps | states |\n|--:|---|---|---|---|---|--:|--:|\n", len(list))
	for i := range list {
		x, f := &list[i], &all[i]
		limit := ""
		if x.limit {
			limit = " *(limit)*"
		}
		fmt.Fprintf(&b, "| %d | [%s](#%d)%s | %s | %s | %s | %s | %s | %s |\n", i+1, x.name, i+1, limit, x.source,
			escaped(x.wrong), f.by, f.property, number(f.steps), number(f.states))
	}
	for i := range list {
		x, f := &list[i], &all[i]
		fmt.Fprintf(&b, "\n<a id=\"%d\"></a>\n### %d. %s\n\n%s. Source: %s.\n\n", i+1, i+1, x.name, sentence(escaped(x.wrong)), x.source)
		for j, line := range f.lines {
			if j == f.cycle && j < len(f.lines) {
				fmt.Fprintf(&b, "%d. *(from here on, for ever)* %s\n", j+1, line)
			} else {
				fmt.Fprintf(&b, "%d. %s\n", j+1, line)
			}
		}
		if len(f.lines) > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "Violated: **%s**. %s.\n\nControl: %s.\n", f.property, sentence(strings.ReplaceAll(f.reason, "election: ", "")), strings.Join(f.right, "; "))
	}
	return b.String() + "\n" + mark + "\n"
}

// escaped keeps Markdown from reading a sign of its own in a text.
func escaped(s string) string {
	return strings.NewReplacer("<", "&lt;", "|", "\\|", "_", "\\_", "^", "\\^").Replace(s)
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func number(n uint64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
