package build_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/source"
	"github.com/go-election/election/page/build"
)

// cache is a folder for the page that all tests share, and built counts how often it is built.
var (
	cache string
	built int
	real  = sync.OnceValues(func() (*build.Site, error) {
		var err error
		if cache, err = os.MkdirTemp("", "page"); err != nil {
			return nil, err
		}
		cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/go-election/election/page")
		folder, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		page := strings.TrimSpace(string(folder))
		return siteOf(build.Source{Library: filepath.Dir(page), Page: page})
	})
)

func siteOf(s build.Source) (*build.Site, error) {
	return s.Site(context.Background(), build.Config{Cache: cache, Building: func() { built++ }})
}

func TestMain(m *testing.M) {
	code := m.Run()
	if cache != "" {
		os.RemoveAll(cache)
	}
	os.Exit(code)
}

// page returns the page of this repository.
func page(t *testing.T) *build.Site {
	t.Helper()
	if testing.Short() {
		t.Skip("the page takes some seconds to build: run without -short")
	}
	s, err := real()
	require.NoError(t, err)
	return s
}

// TestSameBytes: the same source gives the same page, in any folder and without a cache. With a cache the
// page is not built again.
func TestSameBytes(t *testing.T) {
	site := page(t)
	again, err := siteOf(here(t))
	require.NoError(t, err)
	require.Equal(t, 1, built, "a page that is in the cache is built once more")
	require.Equal(t, site, again)
	files := make(map[string]string)
	for _, folder := range []string{"web", "lessons"} {
		list, err := os.ReadDir(filepath.Join(here(t).Page, folder))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		for _, e := range list {
			text, err := os.ReadFile(filepath.Join(here(t).Page, folder, e.Name()))
			require.NoError(t, err)
			files[folder+"/"+e.Name()] = string(text)
		}
	}
	// The path of the cache leads through a file, so the cache cannot be created.
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	other, err := withPage(t, files).Site(t.Context(), build.Config{Cache: filepath.Join(file, "elect")})
	require.NoError(t, err)
	require.Equal(t, site.Names(), other.Names())
	for _, name := range site.Names() {
		require.True(t, slices.Equal(site.Packed(name), other.Packed(name)), name)
	}
}

// TestServedAsWritten: a browser on this machine gets the modules, the style and the document as committed,
// also from a page that was in the cache.
func TestServedAsWritten(t *testing.T) {
	cached, err := siteOf(here(t))
	require.NoError(t, err)
	on, err := build.Listen("127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- build.Serve(ctx, on, cached) }()
	served := 0
	for _, name := range []string{"*.js", "*.css", "*.html"} {
		files, err := filepath.Glob(filepath.Join(here(t).Page, "web", name))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			reply, err := http.Get("http://" + on.Addr().String() + "/" + filepath.Base(file))
			require.NoError(t, err)
			got, err := io.ReadAll(reply.Body)
			require.NoError(t, err)
			require.NoError(t, reply.Body.Close())
			require.Equal(t, string(text), string(got), file)
			served++
		}
	}
	require.Greater(t, served, 40)
	cancel()
	require.NoError(t, <-ended)
	http.DefaultClient.CloseIdleConnections()
}

// TestDoc: the page has the source of each algorithm, its rules, and each block that a step can run.
func TestDoc(t *testing.T) {
	var doc struct{ Packages map[string]source.Package }
	require.NoError(t, json.Unmarshal(page(t).File("doc.json"), &doc))
	require.Len(t, doc.Packages, len(catalog.All().Names()))
	known := make(map[int]bool)
	for _, name := range catalog.All().Names() {
		p, ok := doc.Packages[name]
		require.True(t, ok, name)
		require.Contains(t, p.Files[name+".go"], "// Package "+name+" ")
		require.NotEmpty(t, p.Rules, name)
		require.NotEmpty(t, p.Types, name)
		require.NotEmpty(t, p.Blocks, name)
		for _, b := range p.Blocks {
			require.False(t, known[b.ID], "block %d is there twice", b.ID)
			known[b.ID] = true
			lines := strings.Count(p.Files[b.File], "\n")
			require.True(t, 1 <= b.From && b.From <= b.To && b.To <= lines, "%s: block %+v of %d lines", name,
				b, lines)
			for _, n := range b.Rules {
				require.True(t, slices.ContainsFunc(p.Rules,
					func(r source.Rule) bool { return r.Number == n }),
					"%s: block %+v has a rule that the package has not", name, b)
			}
		}
	}
	for id := range len(known) {
		require.True(t, known[id], "there is no block %d of %d", id, len(known))
	}
}

// TestSize: the whole page is at most 3 MB compressed.
func TestSize(t *testing.T) {
	site, size := page(t), 0
	for _, name := range site.Names() {
		size += len(site.Packed(name))
	}
	t.Logf("the program %d, all files %d", len(site.Packed("election.wasm")), size)
	require.LessOrEqual(t, size, 3_000_000)
}

// address is one that a browser could load from.
var address = regexp.MustCompile(`(?:https?|wss?):(?:\\?/){2}[^\s"'` + "`" + `<>)]+`)

// TestNoHost: no file of the page names another host, except for XML namespaces, which no browser loads, and
// Go's script.
func TestNoHost(t *testing.T) {
	site := page(t)
	for _, name := range site.Names() {
		if ending := path.Ext(name); name == "wasm_exec.js" || ending == ".wasm" || ending == ".json" {
			continue
		}
		for _, found := range address.FindAllString(string(site.File(name)), -1) {
			require.True(t, strings.HasPrefix(found, "http://www.w3.org/"), "%s: %s", name, found)
		}
	}
}
