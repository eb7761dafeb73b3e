package museum

import (
	_ "embed"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mark ends what is generated.
const mark = "<!-- end of what go test ./lab/museum -update writes -->"

//go:embed testdata/intro.md
var intro string

// write returns the document.
func write(list []exhibit, all []found) string {
	var b strings.Builder
	b.WriteString(intro)
	drivers := slices.IndexFunc(list, func(x exhibit) bool { return strings.HasPrefix(x.name, driver) })
	fmt.Fprintf(&b, "%d exhibits. In algorithms, and in what a descriptor says of them:\n", len(list))
	writeTable(&b, "source", list, all, 0, drivers)
	b.WriteString("\nIn drivers, beside the tests that hold the project's own to it:\n")
	writeTable(&b, "held by", list, all, drivers, len(list))
	for i := range list {
		x, f := &list[i], &all[i]
		fmt.Fprintf(&b, "\n<a id=\"%d\"></a>\n### %d. %s\n\n%s. Source: %s.\n\n", i+1, i+1, x.name,
			sentence(escaped(x.wrong)), x.source)
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
		fmt.Fprintf(&b, "Violated: **%s**. %s.\n\nControl: %s.\n", f.property,
			sentence(strings.ReplaceAll(f.reason, "election: ", "")), f.right)
		if len(f.also) > 0 {
			fmt.Fprintf(&b, "\nAlso right: %s.\n", strings.Join(f.also, "; "))
		}
	}
	return b.String() + "\n" + mark + "\n"
}

// writeTable writes a row for each exhibit from one number to another. Of what drivers do wrong the tests of
// drivers say more than the source.
func writeTable(b *strings.Builder, column string, list []exhibit, all []found, from, to int) {
	fmt.Fprintf(b, "\n| | name | %s | what is wrong | found by | property violated | steps | states |\n"+
		"|--:|---|---|---|---|---|--:|--:|\n", column)
	for i := from; i < to; i++ {
		x, f := &list[i], &all[i]
		limit, cell := "", x.source
		if x.limit {
			limit = " *(limit)*"
		}
		if len(x.held) > 0 {
			cell = "`" + strings.Join(x.held, "`, `") + "`"
		}
		fmt.Fprintf(b, "| %d | [%s](#%d)%s | %s | %s | %s | %s | %s | %s |\n", i+1, x.name, i+1, limit,
			cell, escaped(x.wrong), f.by, f.property, number(f.steps), number(f.states))
	}
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
