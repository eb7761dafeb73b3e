package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/pagecmd"
)

// TestRelease: a release holds the page, and needs no go command to serve or write it. The page of this
// release is a small one.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command once more: run without -short")
	}
	smallPage(t)
	site, err := pagecmd.Site(t.Context(), nil)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, site.WriteFolder(filepath.Join(dir, "site")))
	folder, err := filepath.Abs("../../page/build")
	require.NoError(t, err)
	replace := make(map[string]string) // a release writes these files; a test leaves the folder as it is
	for _, name := range site.Names() {
		replace[filepath.Join(folder, "site", name+".gz")] = filepath.Join(dir, "site", name+".gz")
	}
	kept, err := filepath.Glob(filepath.Join(folder, "site", "*.gz"))
	require.NoError(t, err)
	for _, name := range kept { // of a release that was built here
		if replace[name] == "" {
			replace[name] = ""
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay"), overlay, 0o600))
	program := filepath.Join(dir, "elect")
	text, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "embedpage", "-overlay",
		filepath.Join(dir, "overlay"), "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(text))
	cmd := exec.CommandContext(t.Context(), program, "page", "--out", filepath.Join(dir, "out"))
	cmd.Env = []string{"PATH="} // and no cache
	var failed bytes.Buffer
	cmd.Stderr = &failed
	require.NoError(t, cmd.Run(), failed.String())
	for _, name := range site.Names() {
		text, err := os.ReadFile(filepath.Join(dir, "out", name))
		require.NoError(t, err)
		require.Equal(t, string(site.File(name)), string(text), name)
	}
	cmd = exec.CommandContext(t.Context(), binary(t), "page", "--out", filepath.Join(dir, "none"))
	cmd.Env = []string{"PATH="}
	cmd.Stderr = &failed
	require.Error(t, cmd.Run())
	require.Equal(t, "elect: the page is built from source, and there is no go command in PATH\n", failed.String())
}
