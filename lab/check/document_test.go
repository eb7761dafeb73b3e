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

// The document with all tables, and the document that explains them and sums them up.
var (
	verdicts     = filepath.Join("..", "..", "docs", "verdicts.md")
	verification = filepath.Join("..", "..", "docs", "verification.md")
)

// document compares a part of verdicts.md with its content, or writes it with -update.
func document(t *testing.T, name, content string) {
	t.Helper()
	before, _, after := part(t, verdicts, name)
	asWritten(t, verdicts, before+content+after)
}

// part returns the part of a document with this name, and the text before and after it.
func part(t *testing.T, file, name string) (before, content, after string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	open, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- /%s -->\n", name)
	before, rest, ok := strings.Cut(string(text), open)
	require.True(t, ok, open)
	content, after, ok = strings.Cut(rest, end)
	require.True(t, ok, end)
	return before + open, content, end + after
}

// row is a row of a table: the cells about what is checked, and a check that returns the cells of its result.
type row struct {
	what  string
	check func() string
}

// documented compares a table of verdicts.md with these rows, or writes it with -update. It leaves rows with more
// than worthwhile states as they are.
func documented(t *testing.T, name, header string, rows []row) {
	t.Helper()
	_, content, _ := part(t, verdicts, name)
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

// worthwhile returns up to how many states a row is checked again. If an algorithm changes, so does a row with
// fewer states.
func worthwhile() int {
	if *long || *update {
		return math.MaxInt
	}
	return 20_000
}

// printed prints a table of the long run, each row when it is complete.
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

// summarize returns a table with a row for each section of a document that has verdicts, and the sums of all tables
// in it. A search is an election, or a row if there is no such column.
func summarize(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| checked | searches | states | visited completely |\n|---|--:|--:|--:|\n")
	for section := range strings.SplitSeq(text, "\n## ") {
		title, body, _ := strings.Cut(section, "\n")
		var header []string
		searches, states, cut := 0, 0, 0
		for line := range strings.Lines(body) {
			if !strings.HasPrefix(line, "| ") {
				continue
			}
			cells := strings.Split(strings.Trim(line, "| \n"), " | ")
			if _, err := strconv.Atoi(number(cells[max(column(header, "states"), 0)])); err != nil || len(header) == 0 {
				header = cells
				continue
			}
			at := column(header, "verdict")
			if at < 0 {
				continue
			}
			n := 1
			if elections := column(header, "elections"); elections >= 0 {
				n = atoi(t, cells[elections])
			}
			searches, states = searches+n, states+atoi(t, cells[column(header, "states")])
			require.True(t, strings.HasPrefix(cells[at], "holds"), line)
			if _, far, ok := strings.Cut(cells[at], "as far as visited: "); ok {
				cut += atoi(t, far)
			} else if strings.Contains(cells[at], "as far as") {
				cut++
			}
		}
		if searches > 0 {
			anchor := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(title), " ", "-"), ",", "")
			fmt.Fprintf(&b, "| [%s](verdicts.md#%s) | %d | %d | %d |\n", title, anchor, searches, states, searches-cut)
		}
	}
	return b.String()
}

// column returns the index of the first cell of a header that begins like this; -1 if there is none.
func column(header []string, begin string) int {
	return slices.IndexFunc(header, func(cell string) bool { return strings.HasPrefix(cell, begin) })
}

// number returns the digits at the beginning of a cell.
func number(cell string) string {
	digits, _, _ := strings.Cut(cell, ",")
	digits, _, _ = strings.Cut(digits, " ")
	return digits
}

func atoi(t *testing.T, cell string) int {
	t.Helper()
	n, err := strconv.Atoi(number(cell))
	require.NoError(t, err, cell)
	return n
}
