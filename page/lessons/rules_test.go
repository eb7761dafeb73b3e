package lessons_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/counters"
	"github.com/go-election/election/internal/source"
	"github.com/go-election/election/page/bridge"
)

// blocksFile is the variable that names the file with the blocks of an instrumented build.
const blocksFile = "ELECTION_BLOCKS"

// TestRules: each stop carries out the rule that stands next to it. One without a rule is a moment at which
// none is carried out: before anything happens, a crash, a loss. The build is this test once more, with all
// algorithms instrumented.
func TestRules(t *testing.T) {
	list := all(t)
	if counters.Instrumented() {
		text, err := os.ReadFile(os.Getenv(blocksFile))
		require.NoError(t, err)
		var rules [][]int
		require.NoError(t, json.Unmarshal(text, &rules))
		for name, l := range list {
			ran := ranRules(t, l.Scenario, rules)
			for i, s := range l.Stops {
				switch now := ran[s.Step-1]; {
				case s.Rule == 0 && len(now) > 0:
					t.Errorf("%s, stop %d, step %d: no rule is beside it, but %v ran", name, i, s.Step, now)
				case s.Rule != 0 && !now[s.Rule]:
					t.Errorf("%s, stop %d, step %d: not rule %d, but %v", name, i, s.Step, s.Rule,
						ran[s.Step-1])
				}
			}
		}
		return
	}
	if testing.Short() {
		return // it builds this test once more
	}
	var dirs []string
	for _, l := range list {
		dir, err := filepath.Abs(filepath.Join("..", "..", catalog.Folder(l.Package)))
		require.NoError(t, err)
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	packages, files, err := source.Instrument("github.com/go-election/election/internal/counters", dirs...)
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name string, v any) string {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, text, 0o666))
		return file
	}
	replace := make(map[string]string)
	for name, text := range files {
		replace[name] = filepath.Join(dir, filepath.Base(filepath.Dir(name))+"-"+filepath.Base(name))
		require.NoError(t, os.WriteFile(replace[name], text, 0o666))
	}
	var rules [][]int // of each block
	for _, p := range packages {
		for _, b := range p.Blocks {
			require.Equal(t, len(rules), b.ID)
			rules = append(rules, b.Rules)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^TestRules$", "-overlay",
		write("overlay.json", map[string]any{"Replace": replace}), ".")
	cmd.Env = append(os.Environ(), blocksFile+"="+write("blocks.json", rules))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// ranRules returns the rules that each step of a run carries out.
func ranRules(t *testing.T, short json.RawMessage, rules [][]int) (ran []map[int]bool) {
	var b bridge.Bridge
	whole, err := b.Call(t.Context(), "scenario", short, nil)
	require.NoError(t, err)
	args, err := json.Marshal(map[string]any{"scenario": json.RawMessage(whole.JSON), "from": 1, "to": 999})
	require.NoError(t, err)
	r, err := b.Call(t.Context(), "lines", args, nil)
	require.NoError(t, err)
	var steps [][]int
	require.NoError(t, json.Unmarshal(r.JSON, &steps))
	for _, blocks := range steps {
		of := make(map[int]bool)
		for _, id := range blocks {
			for _, n := range rules[id] {
				of[n] = true
			}
		}
		ran = append(ran, of)
	}
	return ran
}
