package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/cluster"
)

// TestDocs: the faults and checks that the documentation names exist, and its table has no fault that is
// gone.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/chaos.md")
	require.NoError(t, err)
	names := map[string]bool{"all": true}
	for _, f := range faults() {
		names[f.name] = true
	}
	checks := map[string]error{"errTokens": errTokens, "errRegister": errRegister, "errNoStale": errNoStale,
		"errHung": errHung, "errLate": errLate, "errFlapping": errFlapping, "errUnsteady": errUnsteady,
		"errConfirm": errConfirm, "errZombie": errZombie, "errBroken": errBroken,
		"errCostly": errCostly, "errNoStrike": errNoStrike,
		"ErrTwoLeases": cluster.ErrTwoLeases, "ErrEarlyTerm": cluster.ErrEarlyTerm}
	named := make(map[string]bool)
	for _, row := range rows(t, string(text), "<!-- hunted -->\n", "<!-- /hunted -->") {
		for _, name := range strings.Split(row[1], "; ") {
			require.True(t, names[name], "there is no fault %q", name)
		}
		for _, name := range regexp.MustCompile(`[eE]rr[A-Z]\w+`).FindAllString(row[2], -1) {
			require.Contains(t, checks, name)
			named[name] = true
		}
	}
	require.Len(t, named, len(checks), "each check hunts something")
	for _, row := range rows(t, string(text), beginMark, endMark) {
		require.True(t, names[row[0]], "there is no fault %q any more", row[0])
	}
}

// TestSummary: the table of the documentation is the summary of the rows next to it.
func TestSummary(t *testing.T) {
	const path = "../docs/chaos.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	own, err := os.ReadFile(detailsPath(path))
	require.NoError(t, err)
	cells, err := readRows(detailsPath(path))
	require.NoError(t, err)
	require.Equal(t, string(own), details(cells))
	require.Contains(t, string(text), ".\n\n"+table(cells)+endMark)
}

// rows returns the rows of the table between two marks.
func rows(t *testing.T, text, begin, end string) (all [][]string) {
	_, rest, ok := strings.Cut(text, begin)
	require.True(t, ok)
	part, _, ok := strings.Cut(rest, end)
	require.True(t, ok)
	_, part, ok = strings.Cut(part, "---|\n")
	require.True(t, ok)
	for line := range strings.Lines(part) {
		all = append(all, strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | "))
	}
	require.NotEmpty(t, all)
	return all
}
