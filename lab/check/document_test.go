package check_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// document wants a part of the documentation to say so, or makes it say so.
func document(t *testing.T, name, content string) {
	t.Helper()
	before, _, after := part(t, name)
	asWritten(t, verification, before+content+after)
}

var verification = filepath.Join("..", "..", "docs", "verification.md")

// part returns the part of the documentation of that name, and what is before and after it.
func part(t *testing.T, name string) (before, content, after string) {
	t.Helper()
	text, err := os.ReadFile(verification)
	require.NoError(t, err)
	open, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- /%s -->\n", name)
	before, rest, ok := strings.Cut(string(text), open)
	require.True(t, ok, open)
	content, after, ok = strings.Cut(rest, end)
	require.True(t, ok, end)
	return before + open, content, end + after
}

// row is a line of a table: what is checked, and a check that returns the cells about what comes of it.
type row struct {
	what  string
	check func() string
}

// documented wants a table of the documentation to consist of these rows, or makes it so. A row that has more
// states there than are worth the time now stays as it is.
func documented(t *testing.T, name, header string, rows []row) {
	t.Helper()
	_, content, _ := part(t, name)
	lines := strings.Split(content, "\n")
	column := slices.IndexFunc(strings.Split(header, " | "), func(cell string) bool {
		return strings.HasPrefix(cell, "states")
	})
	var b strings.Builder
	b.WriteString(headed(header))
	for _, r := range rows {
		begin := "| " + r.what + " | "
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, begin) })
		if at >= 0 {
			cell, _, _ := strings.Cut(strings.Split(strings.Trim(lines[at], "| "), " | ")[column], ",")
			states, err := strconv.Atoi(cell)
			require.NoError(t, err, lines[at])
			if states > worthwhile() {
				b.WriteString(lines[at] + "\n")
				continue
			}
		}
		b.WriteString(line(r))
	}
	document(t, name, b.String())
}

// worthwhile returns how many states a row of the documentation may have to be checked again. Where an
// algorithm changes, a row with fewer states and the pinned counts change too.
func worthwhile() int {
	switch {
	case *long || *update:
		return math.MaxInt
	case testing.Short():
		return 8_000
	}
	return 100_000
}

// printed prints a table of the long run, each row as soon as it is there.
func printed(t *testing.T, header string, rows []row) {
	t.Log("\n" + headed(header))
	for _, r := range rows {
		t.Log(line(r))
	}
}

func headed(header string) string {
	columns := strings.Count(header, " | ") + 1
	return "| " + header + " |\n|" + strings.Repeat("---|", columns) + "\n"
}

func line(r row) string { return "| " + r.what + " | " + r.check() + " |\n" }
