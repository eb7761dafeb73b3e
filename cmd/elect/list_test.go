package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
)

// TestList: a line for each algorithm, within 80 columns.
func TestList(t *testing.T) {
	r := elect(t, "", "list")
	require.Zero(t, r.code, r.stderr)
	table, note, _ := strings.Cut(r.stdout, "\n\n")
	rows := strings.Split(table, "\n")
	require.Contains(t, note, "In parentheses")
	require.Equal(t, "ALGORITHM VARIANTS LINKS WINNER SURVIVES", strings.Join(strings.Fields(rows[0]), " "))
	require.Len(t, rows, 1+len(catalog.Names()))
	for i, name := range catalog.Names() {
		require.Regexp(t, "^"+name+` +\d +\S`, rows[1+i])
		require.LessOrEqual(t, utf8.RuneCountInString(rows[1+i]), 80)
	}
	require.Regexp(t, `lcr +4 +one-way ring +largest of all/initiators +copies\n`, table)
	require.Regexp(t, `mutex +3 +complete/ring +largest live process/none +\(crashes/copies\)$`, table)
	require.Regexp(t, `lease +1 +complete +any +all\n`, table)
	require.True(t, strings.HasPrefix(elect(t, "", "list", "--color", "always").stdout, "\x1b[1mALGORITHM"))
	t.Setenv("COLUMNS", "70")
	for line := range strings.Lines(elect(t, "", "list").stdout) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 71, line)
	}
}

// TestPages: each algorithm has a page with its whole description, and the commands on it run.
func TestPages(t *testing.T) {
	for _, name := range catalog.Names() {
		r := elect(t, "", "list", name)
		require.Zero(t, r.code, r.stderr)
		text := strings.Join(strings.Fields(r.stdout), " ")
		for _, title := range catalog.All() {
			if title.Name != name {
				continue
			}
			for _, want := range []string{title.Title() + " " + title.Summary, "source " + title.Source,
				"winner " + title.Wins(), title.Best.Formula, title.Mean.Formula, title.Worst.Formula,
				title.Worst.Also} {
				require.Contains(t, text, strings.Join(strings.Fields(want), " "))
			}
		}
		for line := range strings.Lines(r.stdout) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 81, line)
			if command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  elect "); ok {
				args := strings.Fields(strings.ReplaceAll(command, name+".svg", "-"))
				if args[0] == "soak" {
					args[len(args)-1] = "5"
				}
				r := elect(t, "", args...)
				require.Zero(t, r.code, "%s: %s", command, r.stderr)
			}
		}
	}
	page := strings.Join(strings.Fields(elect(t, "", "list", "lease").stdout), " ")
	require.Contains(t, page, "at most 4 of 9 processes are down at a time")
}

func TestListJSON(t *testing.T) {
	r := elect(t, "", "list", "--json")
	require.Zero(t, r.code, r.stderr)
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &all))
	require.Len(t, all, len(catalog.All()))
	require.Equal(t, map[string]any{
		"algorithm": "lcr", "variant": "participant", "title": "lcr/participant",
		"summary": "a process that is larger than a passing Rank competes; the largest of all wins",
		"source":  "LeLann 1977; Chang, Roberts 1979", "topology": "ring", "two_way": false,
		"winner": "largest of all", "needs_fifo": false, "late_start": "ignored",
		"best": "2n-1 + n", "mean": "n*H(n) + n", "worst": "n(n+1)/2 + n", "kinds": []any{"election",
			"elected"}, "params": []any{map[string]any{"name": "order",
			"default": "largest", "about": "which Rank wins: the largest or the smallest"}},
	}, all[0])
	for i, a := range catalog.All() {
		require.Equal(t, a.Title(), all[i]["title"])
		if a.Mean.Formula == "" {
			require.Nil(t, all[i]["mean"])
		}
	}
}

// TestListOfSome: names choose, in any order and more than once.
func TestListOfSome(t *testing.T) {
	for line, want := range map[string]string{
		"lcr/wave":             "lcr/wave",
		"hs/respond lcr":       "lcr/participant lcr/initiators lcr/max lcr/wave hs/respond",
		"dkr dkr":              "dkr",
		"bully/halting":        "bully/halting",
		"hs hs/probe franklin": "hs/probe hs/respond franklin",
	} {
		r := elect(t, "", append([]string{"list"}, strings.Fields(line)...)...)
		require.Zero(t, r.code, r.stderr)
		var shown []string
		for _, line := range strings.Split(r.stdout, "\n") {
			if title, _, _ := strings.Cut(line, "/"); slices.Contains(catalog.Names(), title) {
				shown = append(shown, line)
			}
		}
		require.Equal(t, want, strings.Join(shown, " "))
		r = elect(t, "", append([]string{"list", "--json"}, strings.Fields(line)...)...)
		require.Zero(t, r.code, r.stderr)
		var all []struct{ Title string }
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &all))
		var titles []string
		for i := range all {
			titles = append(titles, all[i].Title)
		}
		require.Equal(t, want, strings.Join(titles, " "))
	}
}

func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"sim l":                 "lcr lmw lease lcr/participant lcr/initiators lcr/max lcr/wave",
		"run lcr/m":             "lcr/max",
		"run d":                 "dkr",
		"sim lcr ":              "",
		"sim --scenario - ":     "",
		"sim lcr --variant ":    "participant initiators max wave",
		"sim hs --variant ":     "probe respond",
		"sim --variant ":        "",
		"sim lcr --order ":      "sorted random best worst",
		"sim lcr --initiators ": "all none",
		"sim lcr --schedule ":   "unit random",
		"run lcr --topology ": "ring complete tree path star randomtree grid torus hypercube random " +
			"circulant dot",
		"sim lcr --delay ":     "",
		"sim lcr --loss ":      "",
		"sim lcr --partition ": "",
		"run lcr --crashed ":   "",
		"sim lcr --scenario ":  "json",
		"list mo":              "modbully modbully/base modbully/convenience modbully/number modbully/grant",
		"list lcr hs/":         "hs/probe hs/respond",
	} {
		t.Run(line, func(t *testing.T) {
			args := strings.Split(line, " ")
			r := elect(t, "", append([]string{"__complete"}, args...)...)
			require.Zero(t, r.code, r.stderr)
			var words []string
			for text := range strings.Lines(r.stdout) {
				if word, _, _ := strings.Cut(strings.TrimSpace(text), "\t"); !strings.HasPrefix(word, ":") {
					words = append(words, word)
				}
			}
			require.Equal(t, want, strings.Join(words, " "))
		})
	}
	const files, nothing = ":0\n", ":4\n"
	for line, directive := range map[string]string{"trace diff ": files, "lead -- ": files, "page ": nothing,
		"sim lcr --ids ": nothing} {
		r := elect(t, "", append([]string{"__complete"}, strings.Split(line, " ")...)...)
		require.Contains(t, r.stdout, directive, line)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		r := elect(t, "", "completion", shell)
		require.Zero(t, r.code, r.stderr)
		require.Contains(t, r.stdout, "elect")
	}
}
