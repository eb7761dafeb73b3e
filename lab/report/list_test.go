package report_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/report"
)

// TestDelaysOfTheGuide: the list and docs/guarantees.md say of the same algorithms that any delay will do.
func TestDelaysOfTheGuide(t *testing.T) {
	b, err := os.ReadFile("../../docs/guarantees.md")
	require.NoError(t, err)
	guide := make(map[string]bool) // by the beginning of a title
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*)$").FindAllStringSubmatch(string(b), -1) {
		cells := strings.Split(row[1], " | ")
		require.Len(t, cells, 8, "%s", row[1])
		anyDelay := strings.HasPrefix(cells[3], "unbounded") || strings.HasPrefix(cells[3], "any")
		// What stands behind these words is not what the row is about.
		of := regexp.MustCompile(" (over|with|any|but) ").Split(" "+cells[0], 2)[0]
		for _, name := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(of, -1) {
			guide[name[1]] = anyDelay
		}
	}
	for _, a := range catalog.All() {
		var page strings.Builder
		require.NoError(t, report.WritePages(&page, []*election.Algorithm{a}, report.Page{}))
		row := regexp.MustCompile(`\n  delays +(\w+)\n`).FindStringSubmatch(page.String())
		require.NotNil(t, row, page.String())
		title, delays := a.Title(), row[1]
		name, _, _ := strings.Cut(title, "/")
		anyDelay, said := guide[title]
		if !said {
			anyDelay, said = guide[name]
		}
		require.True(t, said, "%s has no row in the guide", title)
		require.Equal(t, anyDelay, delays == "any", "%s: %s in the list", title, delays)
	}
}
