package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/exit"
)

// requireFits requires that what a terminal of 80 columns shows of a command line has no longer line. The
// command may fail, but not at its flags. It returns the text, without colours.
func requireFits(t *testing.T, args ...string) string {
	t.Helper()
	shown := regexp.MustCompile("\x1b\\[[0-9;]*[a-zA-Z]").ReplaceAllString(onTerminal(t, "", args...), "")
	for line := range strings.Lines(shown) {
		if strings.HasPrefix(line, "  elect ") {
			continue // a command to be pasted stays in one line
		}
		n := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
		require.LessOrEqual(t, n, 80, "%q: %s", args, line)
	}
	require.NotEqual(t, exit.StatusUsage, elect(t, "", args...).code, "%q", args)
	return shown
}

// TestFits: what people read fits a terminal of 80 columns, also formulas, logs and reasons that are long.
// --json, --csv and --markdown are for programs.
func TestFits(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	t.Setenv("PAGER", "cat")
	file := filepath.Join(t.TempDir(), "t.ndjson")
	mutex := "sim mutex --param election=lcr -n 5 --crash-at 5@9 --suspect-after 2 --trace " + file
	require.Zero(t, elect(t, "", strings.Fields(mutex)...).code)
	for _, line := range []string{
		"experiment redundancy", "experiment redundancy --iterations 50 --model b",
		"experiment redundancy -n 200 --iterations 20 --seed 123456789", "experiment complexity -n 24", "list",
		"check lcr -n 4 --order worst", "check dkr -n 3 --network unordered", "check bully -n 3 --crashes 1",
		"check bully -n 3 --crashes 1 --max-states 1e3", "check lcr -n 3 --exact -v",
		"soak bully --runs 5 --seed 12345678901234567", "soak mutex --param election=lcr --runs 1 --seed 3",
		"soak --all --runs 1 -v", "soak museum/lcr-start-not-guarded --runs 100",
		"check museum/lcr-start-not-guarded -n 2",
		"compare lcr hs dkr -n 8,16,32", "compare lcr hs franklin dkr peterson itairodeh -n 512,1024",
		"compare lcr dkr -n 2..100 --order worst --least", "trace FILE", "trace replay FILE", "trace diff FILE FILE",
		"run hs -n 20", "sim yoyo --topology grid:3x3 -v", mutex,
	} {
		requireFits(t, strings.Fields(strings.ReplaceAll(line, "FILE", file))...)
	}
	for _, a := range catalog.All() {
		requireFits(t, "list", a.Title())
		requireFits(t, "list", a.Name)
		requireFits(t, "sim", a.Title(), "-n", "16", "--until", "30", "--force")
	}
	dir := t.TempDir()
	require.Zero(t, elect(t, "", "cert", "ca", "--dir", dir).code)
	requireFits(t, "cert", "member", "a", "b", "c", "--dir", dir, "--group", "lead")
	// A long text continues below its column. Programs receive it on one line.
	wrapped := regexp.MustCompile(`(?m)^ +19  2.31  receives grant .*\n {18}\S`)
	require.Regexp(t, wrapped, requireFits(t, "trace", file))
	require.NotRegexp(t, wrapped, elect(t, "", "trace", file).stdout)
}
