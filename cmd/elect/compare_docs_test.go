package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the folder in which commands of the documentation run.
const root = "../.."

// TestCompareDocs keeps the figures of elect compare true. In docs/choosing.md every table of figures, which begins
// with a column n, is followed by the command that made it. A command that draws a figure stands below that figure, as in the README. The
// test carries out one command in eight, on a long run each, and compares. With -update it writes them.
func TestCompareDocs(t *testing.T) {
	for page, tables := range map[string]bool{"docs/choosing.md": true, "README.md": false} {
		b, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		old := strings.Split(string(b), "\n")
		var fresh []string
		made := make(map[int]bool) // lines of tables that a command stands below
		commands := 0
		for _, line := range old {
			fresh = append(fresh, line)
			command, ok := strings.CutPrefix(line, "    elect compare ")
			if !ok {
				continue
			}
			commands++
			run, stdout := *longer || *update || commands%8 == 4, ""
			if run {
				stdout = documented(t, page, command, string(b))
			}
			if !strings.Contains(command, "--markdown") {
				continue
			}
			end := len(fresh) - 2 // an empty line stands between
			first := end
			for first > 0 && strings.HasPrefix(fresh[first-1], "|") {
				first--
			}
			require.Less(t, first, end, "%s: no table above: %s", page, line)
			if run {
				table := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
				fresh = append(fresh[:first], append(table, "", line)...)
			}
			for i := first; i < len(fresh); i++ {
				made[i] = true
			}
		}
		require.NotZero(t, commands, page)
		for i, line := range fresh {
			require.False(t, tables && strings.HasPrefix(line, "| n |") && !made[i],
				"%s: no command below the table of: %s", page, line)
		}
		want := strings.Join(fresh, "\n")
		if *update {
			if want != string(b) {
				require.NoError(t, os.WriteFile(filepath.Join(root, page), []byte(want), 0o644))
			}
			continue
		}
		require.Equal(t, want, string(b), "run: go test ./cmd/elect -run CompareDocs -update")
	}
}

// drawn finds the figure that a command draws into the documentation.
var drawn = regexp.MustCompile(`--svg (docs/\S+\.svg)`)

// documented carries out a command of a page. If that draws a figure of the documentation, it must be the one
// that is there, and the page must show it.
func documented(t *testing.T, page, command, text string) string {
	t.Helper()
	dir := t.TempDir()
	file := drawn.FindStringSubmatch(command)
	command = regexp.MustCompile(`--svg \S+`).ReplaceAllString(command,
		"--svg "+filepath.Join(dir, "figure.svg"))
	r := elect(t, "", append([]string{"compare"}, strings.Fields(command)...)...)
	require.Zero(t, r.code, "%s: %s: %s", page, command, r.stderr)
	if file == nil {
		return r.stdout
	}
	shown, err := filepath.Rel(filepath.Dir(page), file[1])
	require.NoError(t, err)
	require.Contains(t, text, "]("+shown+")", page)
	svg, err := os.ReadFile(filepath.Join(dir, "figure.svg"))
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join(root, file[1]), svg, 0o644))
		return r.stdout
	}
	there, err := os.ReadFile(filepath.Join(root, file[1]))
	require.NoError(t, err)
	require.Equal(t, string(there), string(svg), "run: go test ./cmd/elect -run CompareDocs -update")
	return r.stdout
}
