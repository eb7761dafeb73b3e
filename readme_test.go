package election_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/elector"
)

var (
	long   = flag.Bool("long", false, "try more elections")
	update = flag.Bool("update", false, "regenerate parts of the README")
)

// TestReadme keeps the generated parts of the README and of docs/algorithms.md true: the program is an example,
// the table is the catalog.
func TestReadme(t *testing.T) {
	program, err := os.ReadFile("examples/leader/main.go")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(program), "package main")
	require.True(t, ok)
	readme := generated(t, "README.md", "leader", "```go\npackage main"+body+"```\n")
	generated(t, "docs/algorithms.md", "algorithms", algorithmTable())
	durable := elector.LAN() // with a Dir
	durable.Delay = elector.DiskDelay
	least, most := durable.FailOver(3)
	require.Contains(t, readme, fmt.Sprintf("after %.1f to %.1f s", least.Seconds(), most.Seconds()))
}

// generated compares a section of a document with its content, or writes it with -update. It returns the document.
func generated(t *testing.T, file, name, content string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	want := section(t, string(b), name, content)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return want
	}
	require.Equal(t, want, string(b), "run: make docs")
	return want
}

// section replaces what stands between <!-- name --> and <!-- /name -->.
func section(t *testing.T, text, name, content string) string {
	t.Helper()
	open, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- /%s -->\n", name)
	before, rest, ok := strings.Cut(text, open)
	require.True(t, ok, open)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok, end)
	return before + open + content + end + after
}

func algorithmTable() string {
	var b strings.Builder
	b.WriteString("| algorithm | links | order on links | winner | a late start | best | mean | worst " +
		"|\n|---|---|---|---|---|---|---|---|\n")
	for _, a := range catalog.All() {
		links, order := "one-way "+string(a.Topology), "any"
		if a.TwoWay {
			links = "two-way " + string(a.Topology)
		}
		if a.NeedsFIFO {
			order = "kept"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", a.Title(), links, order, a.Wins(),
			a.LateStart,
			formula(a.Best), formula(a.Mean), formula(a.Worst))
	}
	return b.String()
}

func formula(b cost.Bound) string {
	text := "-"
	switch {
	case b.Loose:
		text = "≤ `" + b.Formula + "`" + b.Where()
	case b.Formula != "":
		text = "`" + b.Formula + "`" + b.Where()
	}
	if b.Also != "" {
		text += "; " + b.Also
	}
	return text
}
