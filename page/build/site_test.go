package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/page/build"
)

// small returns a page of a few lines.
func small() *build.Site {
	return new(build.Site).
		With("index.html", []byte(`<html><head><link rel="stylesheet" href="page.css"></head><body>`+
			`<script type="module" src="app.js"></script></body></html>`)).
		With("page.css", []byte("body { margin: 0 }\n")).
		With("app.js", []byte("export {};\n")).
		With("worker.js", []byte("start();\n")).With("wasm_exec.js", []byte("run();\n")).
		With("election.wasm", []byte("\x00asm"))
}

func TestWriteFolder(t *testing.T) {
	s, folder := small(), filepath.Join(t.TempDir(), "out")
	require.NoError(t, s.WriteFolder(folder))
	for _, name := range s.Names() {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, s.File(name), text, name)
		packed, err := os.ReadFile(filepath.Join(folder, name+".gz"))
		require.NoError(t, err)
		require.Equal(t, s.Packed(name), packed, name)
	}
	err := s.WriteFolder(folder)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "out: the folder is not empty: name a new one")
	require.Error(t, s.WriteFolder(filepath.Join(folder, "app.js")))
	require.Nil(t, s.File("other"))
}

// TestWith: a page keeps its files when another is made of it.
func TestWith(t *testing.T) {
	s := small()
	more := s.With("open.json", []byte("{}"))
	require.Equal(t, "{}", string(more.File("open.json")))
	require.Nil(t, s.File("open.json"))
	require.Len(t, more.Names(), len(s.Names())+1)
}

func TestSingle(t *testing.T) {
	text, err := small().Single()
	require.NoError(t, err)
	one := string(text)
	require.Contains(t, one, "<style>\nbody { margin: 0 }\n</style>")
	require.Contains(t, one, `[["app.js","text/javascript; charset=utf-8",`)
	require.NotRegexp(t, "LIST|SIZE", one)
	// The size: in the worker is what Go needs, since a worker of a file cannot load another one.
	require.Contains(t, one, fmt.Sprintf(`["worker.js","text/javascript; charset=utf-8",%d]`,
		len(build.Squeeze([]byte("run();\n\nstart();\n")))))
	require.NotContains(t, one, `"wasm_exec.js"`)
	requireNoAddress(t, one)
	again, err := small().Single()
	require.NoError(t, err)
	require.Equal(t, text, again)
	_, err = small().With("app.js", []byte("import { a } from \"./a.js\";\n")).Single()
	require.EqualError(t, err, "app.js imports other modules, which a single file cannot contain")
	for _, document := range []string{"<html></html>",
		strings.Repeat(string(small().File("index.html")), 2)} {
		_, err := small().With("index.html", []byte(document)).Single()
		require.ErrorContains(t, err, "it must be 1")
	}
}

// elsewhere is what a document loads from another file or another host.
var elsewhere = regexp.MustCompile(`(src|href)="[^"#]|url\([^)]|@import|https?:|\bimport "`)

// requireNoAddress fails if a document loads anything. Addresses as names of namespaces load nothing, an
// icon in the document neither.
func requireNoAddress(t *testing.T, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, "http://www.w3.org/", "")
	text = strings.ReplaceAll(text, `href="data:`, "")
	require.Empty(t, elsewhere.FindString(text))
}

// TestNoAddress: the search for addresses finds some.
func TestNoAddress(t *testing.T) {
	for _, text := range []string{`<script src="app.js">`, `<a href="x">`, `url(a.png)`,
		`fetch("https://a.b")`} {
		require.NotEmpty(t, elsewhere.FindString(text), text)
	}
}
