package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEqual: a mutant that is said to change nothing is tried. It must survive, and does not count then.
func TestEqual(t *testing.T) {
	defer func(was map[string]string) { equal = was }(equal)
	const tested = "tools/mutate/testdata/tested"
	const same = tested + "/tested.go: < becomes <=: if x < y {"
	const noticed = tested + "/tested.go: condition negated: if x < y {"
	t.Chdir("../..")
	*only = "3,4"
	defer func() { *only = "" }()

	equal = parseEqual("# a comment\n\nthe larger of two equal numbers is either\n\t" + same + "\n")
	require.Equal(t, map[string]string{same: "the larger of two equal numbers is either"}, equal)
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, []string{tested}))
	require.Contains(t, out.String(), "changes nothing: 4 "+tested+
		"/tested.go:8:7: < becomes <=: if x < y {: the larger of two equal numbers is either\n")
	require.Contains(t, out.String(), "| "+tested+" | 4 | 2 | 1 | 0 | 0 | 0 | 1 | 0 | 100.0 % |\n")

	equal = parseEqual("wrong\n\t" + noticed + "\n")
	require.EqualError(t, run(t.Context(), &out, []string{tested}),
		"a test notices what equal.txt says nothing can: "+noticed)

	equal = parseEqual("old\n\t" + strings.Replace(same, "x", "z", 1) + "\n")
	require.ErrorContains(t, run(t.Context(), &out, []string{tested}), "there is no such mutant any more: "+
		tested+"/tested.go: < becomes <=: if z < y {")
}

// TestKeys: two mutants with the same change of the same source have two keys.
func TestKeys(t *testing.T) {
	list := []mutant{{file: "a/a.go", what: "0 becomes 1", source: "f(0, 0)"},
		{file: "a/a.go", what: "0 becomes 1", source: "f(0, 0)"},
		{file: "a/b.go", what: "0 becomes 1", source: "f(0, 0)"}}
	numberKeys(list)
	require.Equal(t, "a/a.go: 0 becomes 1: f(0, 0)", list[0].key())
	require.Equal(t, "a/a.go: 0 becomes 1 (2): f(0, 0)", list[1].key())
	require.Equal(t, "a/b.go: 0 becomes 1: f(0, 0)", list[2].key())
}

// TestEqualIsUpToDate: each mutant of equal.txt has a reason, and its line is in its file.
func TestEqualIsUpToDate(t *testing.T) {
	require.NotEmpty(t, equal)
	for key, reason := range equal {
		require.NotEmpty(t, reason, key)
		parts := strings.SplitN(key, ": ", 3)
		require.Len(t, parts, 3, key)
		text, err := os.ReadFile("../../" + parts[0])
		require.NoError(t, err, key)
		found := false
		for line := range strings.Lines(string(text)) {
			found = found || strings.TrimSpace(line) == parts[2]
		}
		require.True(t, found, "no line of %s is %q", parts[0], parts[2])
	}
}
