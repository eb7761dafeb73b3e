package bridge_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/counters"
	"github.com/go-election/election/internal/source"
	"github.com/go-election/election/page/bridge"
)

// told is the variable that names the file with the blocks of an instrumented build.
const told = "ELECTION_BLOCKS"

// TestLines: in an instrumented build each step returns the blocks that it ran, which are exactly the blocks
// of its rule. The build is this test with lcr instrumented.
func TestLines(t *testing.T) {
	if counters.Instrumented() {
		requireLines(t)
		return
	}
	if testing.Short() {
		return // it builds this test once more
	}
	lcr, err := filepath.Abs("../../lcr")
	require.NoError(t, err)
	packages, files, err := source.Instrument("github.com/go-election/election/internal/counters", lcr)
	require.NoError(t, err)
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for name, text := range files {
		file := filepath.Join(dir, filepath.Base(name))
		require.NoError(t, os.WriteFile(file, text, 0o666))
		overlay.Replace[name] = file
	}
	write := func(name string, v any) string {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, text, 0o666))
		return file
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^TestLines$", "-overlay",
		write("overlay.json", overlay), ".")
	cmd.Env = append(os.Environ(), told+"="+write("blocks.json", packages[0].Blocks))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func requireLines(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(os.Getenv(told))
	require.NoError(t, err)
	var blocks []source.Block
	require.NoError(t, json.Unmarshal(text, &blocks))
	var b bridge.Bridge
	run := asked(t, &b, object{"algorithm": "lcr", "ids": []int{2, 3, 1}})
	var steps [][]int
	ask(t, &b, "lines", object{"scenario": run, "from": 1, "to": 99}, &steps)
	f, _ := film(t, &b, run)
	require.Len(t, steps, len(f.Steps.Do))
	ran := func(step int) map[string]bool {
		all := make(map[string]bool)
		for _, id := range steps[step-1] {
			all[blocks[id].Func] = true
		}
		return all
	}
	require.True(t, ran(4)["participant.Step"] && ran(4)["ballot"], "2 starts: %v", ran(4))
	require.False(t, ran(4)["participant.election"])
	require.True(t, ran(7)["participant.election"], "3 receives a ballot: %v", ran(7))
	require.False(t, ran(7)["ballot"])
	require.True(t, ran(len(steps))["participant.elected"])
	var one [][]int
	ask(t, &b, "lines", object{"scenario": run, "from": 7, "to": 7}, &one)
	require.Equal(t, steps[6:7], one)
}
