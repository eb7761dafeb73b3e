package build_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/page/build"
)

// here returns the source of this repository, with files of the page of its own.
func here(t *testing.T) build.Source {
	t.Helper()
	s, err := build.Workspace(t.Context(), ".")
	require.NoError(t, err)
	return s
}

// withPage returns a source whose module of the page is a copy with a few files of its own.
func withPage(t *testing.T, files map[string]string) build.Source {
	t.Helper()
	s := here(t)
	folder := t.TempDir()
	for _, name := range []string{"bridge", "wasm", "build"} {
		require.NoError(t, os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(s.Page, name))))
	}
	for name, text := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	s.Page = folder
	return s
}

// few are the files of a small page.
var few = map[string]string{
	"web/index.html": "<html></html>", "web/app.js": "export {};", "web/page.css": "",
	"web/tsconfig.json": "{}", "web/notes.md": "none",
	"lessons/b.json": `{"title": "second"}`, "lessons/a.json": `{"title": "first"}`,
}

func TestRead(t *testing.T) {
	tree, err := withPage(t, few).Read()
	require.NoError(t, err)
	require.Contains(t, tree.Code(), "page/wasm/main.go")
	require.Contains(t, tree.Code(), "lcr/lcr.go")
	require.Contains(t, tree.Code(), "election.go")
	require.Regexp(t, `^module github.com/go-election/election\n\ngo 1\.\d+\n$`,
		string(tree.Code()["go.mod"]))
	for name := range tree.Code() {
		require.False(t, strings.HasSuffix(name, "_test.go"), name)
		require.False(t, strings.HasPrefix(name, "elector/"), "%s: the page needs no service", name)
	}
	require.Len(t, tree.Shown(), 4)
	require.JSONEq(t, `[{"title": "first", "id": "a"}, {"title": "second", "id": "b"}]`,
		string(tree.Shown()["lessons.json"]))
}

// TestAlgorithms: all algorithms of the catalog are instrumented, and no other package.
func TestAlgorithms(t *testing.T) {
	tree, err := withPage(t, few).Read()
	require.NoError(t, err)
	var want []string
	for _, name := range catalog.All().Names() {
		want = append(want, catalog.Folder(name))
	}
	slices.Sort(want)
	require.Equal(t, want, tree.Algorithms())
}

// TestKey: the key of a page depends on its files and on the Go version, but not on its folder.
func TestKey(t *testing.T) {
	key := func(version string, change map[string]string) string {
		files := map[string]string{}
		for _, m := range []map[string]string{few, change} {
			for name, text := range m {
				files[name] = text
			}
		}
		tree, err := withPage(t, files).Read()
		require.NoError(t, err)
		return tree.Key(version)
	}
	first := key("go1.26.0", nil)
	require.Equal(t, first, key("go1.26.0", nil))
	require.Equal(t, first, key("go1.26.0", map[string]string{"web/notes.md": "some"}))
	seen := []string{first}
	for _, other := range []string{
		key("go1.26.1", nil),
		key("go1.26.0", map[string]string{"web/app.js": "export {}; let a;"}),
		key("go1.26.0", map[string]string{"web/b.js": ""}),
		key("go1.26.0", map[string]string{"lessons/b.json": "{}"}),
		key("go1.26.0", map[string]string{"wasm/more.go": "package main"}),
		key("go1.26.0", map[string]string{"build/more.go": "package build"}),
	} {
		require.NotContains(t, seen, other)
		seen = append(seen, other)
	}
}

// TestBadSource: what is missing or wrong in a source is an error that names it.
func TestBadSource(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"lesson": {map[string]string{"web/a.js": "", "lessons/c.json": "["}, "lesson c.json: "},
		"web":    {nil, "web: no such file"},
		"Go":     {map[string]string{"web/a.js": "", "wasm/a.go": "packag"}, "a.go:1:1: "},
		"import": {map[string]string{"web/a.js": "",
			"wasm/a.go": "package main\nimport _ \"github.com/go-election/election/none\""},
			"no Go source in "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := withPage(t, c.files).Read()
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := build.Workspace(t.Context(), t.TempDir())
	const elsewhere = "the source of the page is not here; run elect page in a clone of the repository, or the " +
		"binary of a release, which holds the page"
	require.EqualError(t, err, "election: bad input: "+elsewhere)
	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "go.mod"), []byte("module other\n"), 0o600))
	_, err = build.Workspace(t.Context(), other)
	require.ErrorContains(t, err, elsewhere+": go list: ")
	require.NotContains(t, err.Error(), "\n")
	t.Setenv("PATH", t.TempDir())
	_, err = build.Workspace(t.Context(), ".")
	require.ErrorIs(t, err, build.ErrNoGo)
}

func TestInstalled(t *testing.T) {
	const library = "github.com/go-election/election"
	info := &debug.BuildInfo{Deps: []*debug.Module{
		{Path: library, Version: "v1.2.3"}, {Path: library + "/page", Version: "v1.2.4"}}}
	require.Equal(t, []string{library + "@v1.2.3", library + "/page@v1.2.4"}, build.Installed(info))
	info.Deps[1].Version = "(devel)"
	require.Nil(t, build.Installed(info))
	info.Deps[1].Version, info.Deps[0].Replace = "v1.2.4", &debug.Module{Path: ".."}
	require.Nil(t, build.Installed(info))
}

// TestKeep: a cache returns what it keeps, and keeps a few pages only.
func TestKeep(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "elect")
	var last string
	for i := range build.MostKept + 2 {
		last = filepath.Join(cache, "page-"+string(rune('a'+i)))
		require.NoError(t, small().Keep(cache, last))
	}
	require.NoError(t, small().Keep(cache, last), "another program has kept the same page")
	list, err := os.ReadDir(cache)
	require.NoError(t, err)
	require.Len(t, list, build.MostKept)
	got, err := build.Load(os.DirFS(last))
	require.NoError(t, err)
	require.Equal(t, small(), got)
	_, err = build.Load(os.DirFS(cache))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestCached: a page of which a file is gone or cut short is not taken from the cache.
func TestCached(t *testing.T) {
	tree, err := here(t).Read()
	require.NoError(t, err)
	whole := small().With("doc.json", []byte("{}"))
	for name := range tree.Shown() {
		whole = whole.With(name, []byte(name))
	}
	cache := t.TempDir()
	folder := filepath.Join(cache, "page-1")
	require.Nil(t, tree.Cached(folder))
	require.NoError(t, whole.Keep(cache, folder))
	require.Equal(t, whole, tree.Cached(folder))
	for _, name := range []string{"index.html", "lessons.json", "election.wasm", "doc.json", "wasm_exec.js"} {
		file := filepath.Join(folder, name+".gz")
		require.NoError(t, os.WriteFile(file, whole.Packed(name)[:10], 0o666))
		require.Nil(t, tree.Cached(folder), "%s is cut short", name)
		require.NoError(t, os.Remove(file))
		require.Nil(t, tree.Cached(folder), "%s is gone", name)
		require.NoError(t, os.WriteFile(file, whole.Packed(name), 0o666))
	}
	require.Equal(t, whole, tree.Cached(folder))
}
