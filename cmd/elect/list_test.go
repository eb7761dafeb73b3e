package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
)

func TestList(t *testing.T) {
	r := elect(t, "", "list")
	require.Zero(t, r.code, r.stderr)
	blocks := strings.Split(r.stdout, "\n\n")
	require.Len(t, blocks, 5)
	for i, want := range [][2]string{
		{"ALGORITHM LINKS ORDER DELAYS WINNER LATE START",
			"lcr/participant one-way ring any any largest of all ignored"},
		{"ALGORITHM BEST MEAN WORST", "lcr/participant 2n-1 + n n*H(n) + n n(n+1)/2 + n"},
		{"ALGORITHM KINDS OF MESSAGES", "lcr/participant election, elected"},
		{"ALGORITHM MESSAGES IN OTHER CASES",
			"bully/rules all start: 97 at n = 5 and 364 at n = 8 were found"},
		{"ALGORITHM PARAMETER DEFAULT MEANING", "lcr order largest which Rank wins: the largest or the smallest"},
	} {
		rows := strings.Split(strings.TrimSpace(blocks[i]), "\n")
		require.Equal(t, strings.Fields(want[0]), strings.Fields(rows[0]))
		require.Equal(t, strings.Fields(want[1]), strings.Fields(rows[1]))
		for _, row := range rows {
			require.LessOrEqual(t, utf8.RuneCountInString(row), 160)
		}
		if i >= 3 {
			continue
		}
		require.Len(t, rows, 1+len(catalog.All()))
		for p, a := range catalog.All() {
			require.True(t, strings.HasPrefix(rows[1+p], a.Title()+" "))
		}
	}
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
		blocks := strings.Split(r.stdout, "\n\n")
		require.Equal(t, strings.Contains(line, "bully"), len(blocks) == 5,
			"other cases and parameters are shown where there are any")
		for _, block := range blocks[:3] {
			var titles []string
			for _, row := range strings.Split(strings.TrimSpace(block), "\n")[1:] {
				titles = append(titles, strings.Fields(row)[0])
			}
			require.Equal(t, want, strings.Join(titles, " "))
		}
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
		"sim l":                 "lcr lease lcr/participant lcr/initiators lcr/max lcr/wave",
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
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		r := elect(t, "", "completion", shell)
		require.Zero(t, r.code, r.stderr)
		require.Contains(t, r.stdout, "elect")
	}
}
