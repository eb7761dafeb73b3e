package elector_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

var (
	long   = flag.Bool("long", false, "try more partitions, observers and restarts")
	update = flag.Bool("update", false, "regenerate parts of docs/services.md and docs/metrics.md")
)

const guide = "../docs/services.md"

// TestGuide keeps docs/services.md true: its table of times is computed, its program is an example that
// runs, and what it quotes from logs stands in the code.
func TestGuide(t *testing.T) {
	b, err := os.ReadFile(guide)
	require.NoError(t, err)
	want := generated(t, string(b), "times", times())
	program, err := os.ReadFile("fence/http_example_test.go")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(program), "func Example_http() {\n")
	require.True(t, ok)
	body, _, ok = strings.Cut(body, "	// Output:")
	require.True(t, ok)
	body = strings.ReplaceAll("\n"+strings.TrimRight(body, "\n"), "\n\t", "\n")
	want = generated(t, want, "http", "```go"+body+"\n```\n")
	store, err := os.ReadFile("../examples/fencing-sql/store.go")
	require.NoError(t, err)
	_, write, ok := strings.Cut(string(store), "// write inserts")
	require.True(t, ok)
	want = generated(t, want, "sql", "```go\n// write inserts"+write+"```\n")
	manifest, err := os.ReadFile("../examples/kubernetes/orders.yaml")
	require.NoError(t, err)
	want = generated(t, want, "manifest", "```yaml\n"+string(manifest)+"```\n")
	main, err := os.ReadFile("../examples/kubernetes/main.go")
	require.NoError(t, err)
	_, body, ok = strings.Cut(string(main), "func main() {")
	require.True(t, ok)
	want = generated(t, want, "kubernetes", "```go\nfunc main() {"+body+"```\n")
	if *update {
		require.NoError(t, os.WriteFile(guide, []byte(want), 0o644))
	}
	require.Equal(t, want, string(b), "run: go test ./elector -run TestGuide -update")
}

// TestGuidePrograms: each program of docs/services.md stands in a file that is compiled, and the line before
// it names the packages that it imports, all and no others.
func TestGuidePrograms(t *testing.T) {
	b, err := os.ReadFile(guide)
	require.NoError(t, err)
	flat := func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		return strings.Join(lines, "\n")
	}
	var code strings.Builder
	packages := make(map[string]bool) // all that these files import
	for _, file := range []string{"guide_test.go", "fence/http_example_test.go",
		"../examples/fencing-sql/store.go",
		"../examples/kubernetes/main.go"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		code.WriteString(flat(string(text)))
		for _, found := range regexp.MustCompile(`(?m)^\t"(.*)"$`).FindAllStringSubmatch(string(text), -1) {
			packages[found[1]] = true
		}
	}
	programs := strings.Split(string(b), "```go\n")
	require.Greater(t, len(programs), 6)
	for i, program := range programs[1:] {
		program, _, ok := strings.Cut(program, "```")
		require.True(t, ok)
		require.True(t, strings.Contains(code.String(), flat(program)), program)
		at := strings.LastIndex(programs[i], "\nImports: ")
		require.Positive(t, at, program)
		imports, _, _ := strings.Cut(programs[i][at:], ".\n")
		for path := range packages {
			uses := regexp.MustCompile(`\b` + filepath.Base(path) + `\.[A-Z]`).MatchString(program)
			require.Equal(t, uses, strings.Contains(imports, "`"+path+"`"), "%s in %s", path, program)
		}
	}
}

// times returns the table of the presets: the failover of three members, with a Dir and without one.
func times() string {
	var b strings.Builder
	b.WriteString("| | `Lease` | `Renew` | `Stop` | failover with `Dir` | failover without |\n" +
		"|---|--:|--:|--:|--:|--:|\n")
	for _, row := range []struct {
		name  string
		times elector.Times
	}{
		{"`LAN()`", elector.LAN()}, {"`Cloud()`", elector.Cloud()}, {"`WAN()`", elector.WAN()},
		{"`Suggest(2 * time.Millisecond)`", elector.Suggest(2 * time.Millisecond)},
		{"`Suggest(80 * time.Millisecond)`", elector.Suggest(80 * time.Millisecond)},
	} {
		fmt.Fprintf(&b, "| %s | %v | %v | %v", row.name, row.times.Lease,
			row.times.Renew.Round(time.Millisecond), row.times.Stop.Round(time.Millisecond))
		onDisk := row.times
		onDisk.Delay = max(onDisk.Complete().Delay, elector.DiskDelay)
		for _, times := range []elector.Times{onDisk, row.times} {
			least, most := times.FailOver(3)
			fmt.Fprintf(&b, " | %v to %v", least.Round(10*time.Millisecond), most.Round(10*time.Millisecond))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// generated replaces what stands between <!-- name --> and <!-- /name -->.
func generated(t *testing.T, text, name, content string) string {
	t.Helper()
	first, last := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- /%s -->\n", name)
	before, rest, ok := strings.Cut(text, first)
	require.True(t, ok, first)
	_, after, ok := strings.Cut(rest, last)
	require.True(t, ok, last)
	return before + first + content + last + after
}
