package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	longer = flag.Bool("long", false, "repeat every documented command, and search more states")
	update = flag.Bool("update", false, "regenerate the documentation")
)

// docs is the folder of the documents.
const docs = root + "/docs"

// TestTraceDocs: the pictures in the documentation are the output of the commands next to them.
func TestTraceDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docs, "trace.md"))
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	for file, line := range map[string]string{
		"hs.svg":    "sim hs -n 8 --order random --seed 3",
		"bully.svg": "sim bully -n 5 --initiators 2 --crash-at 5@0.5",
		"links.svg": "sim echo -n 24 --topology grid:4x6 --schedule random --seed 2",
	} {
		flag := " --svg "
		if file == "links.svg" {
			flag = " --links "
		}
		require.Contains(t, string(text)+string(readme), "    elect "+line+flag+"docs/"+file+"\n")
		r := elect(t, "", strings.Fields(line+flag+"-")...)
		require.Zero(t, r.code, r.stderr)
		asWritten(t, filepath.Join(docs, file), r.stdout)
	}
	lcr := elect(t, "", strings.Fields("sim lcr -n 3 --mermaid -")...)
	want := between(t, string(text), "mermaid", "```mermaid\n"+lcr.stdout+"```\n")
	lcr = elect(t, "", strings.Fields("sim lcr -n 3 --trace -")...)
	lines := strings.SplitAfter(lcr.stdout, "\n")
	var some strings.Builder
	for _, line := range lines[:min(len(lines), 40)] {
		if strings.HasPrefix(line, `{"trace"`) || strings.HasPrefix(line, `{"process":2,`) {
			some.WriteString(line)
		}
	}
	want = between(t, want, "lines", "```json\n"+some.String()+"```\n")
	asWritten(t, filepath.Join(docs, "trace.md"), want)
}

// asWritten wants a file to be so, or makes it so.
func asWritten(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(have), "run: make docs")
}

// between replaces what stands between <!-- name --> and <!-- /name -->.
func between(t *testing.T, text, name, content string) string {
	t.Helper()
	open, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- /%s -->\n", name)
	before, rest, ok := strings.Cut(text, open)
	require.True(t, ok, open)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok, end)
	return before + open + content + end + after
}
