package museum

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mark ends what is generated.
const mark = "<!-- end of what go test ./lab/museum -update writes -->"

const intro = `# The museum of bugs

The mistakes here have been printed in papers, books or lecture notes, or are well-known slips of those who implement
the algorithms. Each is put into the code of this project again, in a test, which fails if the checks do not find it: a
mistake that survived would mean that the checks are too weak. Sources are named, and what they say is told in other
words, but for names and formulas.

**Controls.** Beside each mistake stands its control: the right algorithm in the very same setting, that is with the
same processes, links, starts and faults, of which every state is visited and none is wrong. What is said to be a
*limit* is nobody's mistake: the algorithm is used, as it is, where its assumptions do not hold, and the control is the
same algorithm where they do. What is *also right* is there to compare, such as the same mistake where it does no harm.

**How they are made.** Where a mistake could be put around the project's own Node it was: the Node takes the same
events, and some of what it wants done is changed. Where what is wrong changes no outcome, as where it wastes messages,
an *audit* is put around the wrong Node and the right one alike: it breaks the run at a message that must not be sent.

**How they are found.** The checker (package check) goes breadth first, so the steps shown are the fewest that lead to a
state that is wrong. Runs that do not end, or that take too many messages, are looked for afterwards, and there may be
shorter ones. Some mistakes are found by the simulator, in a single run: they show in the number of messages of a large
ring, or when a crash and two starts come at certain times. Their control is that run without the mistake, not every
state.

**What is counted.** Every start, message received or lost, timer, suspicion, crash and return is a *step*, and has one
line; where an audit breaks the run, that is the last. What there is before the first step is told above it and not
counted. Where steps repeat for ever they are listed once. *States* is how many had been visited when the mistake was
found. A dash stands where there is nothing to count: no steps where only messages are compared, no states in a single
run.

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
		if x.setting != "" {
			fmt.Fprintf(&b, "%s.\n\n", x.setting)
		}
		if len(f.before) > 0 {
			fmt.Fprintf(&b, "At first: %s.\n\n", strings.Join(f.before, ", "))
		}
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
		fmt.Fprintf(&b, "Violated: **%s**. %s.\n\nControl: %s.\n", f.property, sentence(strings.ReplaceAll(f.reason, "election: ", "")), f.right)
		if len(f.also) > 0 {
			fmt.Fprintf(&b, "\nAlso right: %s.\n", strings.Join(f.also, "; "))
		}
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

// TestSteps: the document lists as many steps as it counts.
func TestSteps(t *testing.T) {
	b, err := os.ReadFile(document)
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| (\d+) \|.* \| ([\d-]+) \| [\d-]+ \|$`).FindAllStringSubmatch(string(b), -1)
	sections := regexp.MustCompile(`(?m)^### \d+\. `).Split(string(b), -1)[1:]
	require.Len(t, rows, len(exhibits()))
	require.Len(t, sections, len(rows))
	for i, row := range rows {
		steps := regexp.MustCompile(`(?m)^(\d+)\. `).FindAllStringSubmatch(sections[i], -1)
		if row[2] == "-" {
			require.Empty(t, steps, "exhibit %s", row[1])
			continue
		}
		require.Equal(t, row[2], strconv.Itoa(len(steps)), "exhibit %s", row[1])
		require.Equal(t, row[2], steps[len(steps)-1][1], "exhibit %s: the last number", row[1])
	}
}
