package pack_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
	"github.com/go-election/election/page/pack"
)

// written returns a page of a few modules.
func written() *build.Site {
	return new(build.Site).
		With("index.html", []byte(`<html><head><link rel="stylesheet" href="page.css"></head><body>`+
			`<script type="module" src="app.js"></script></body></html>`)).
		With("app.js", []byte("// The main module.\nimport { long } from \"./long.js\";\nlong();\n")).
		With("long.js", []byte("// Another one.\nexport function long() { document.title = \"opened\"; }\n")).
		With("worker.js", []byte("// The worker.\nself.onmessage = (message) => { close(); };\n")).
		With("wasm_exec.js", []byte("run();\n")).
		With("page.css", []byte("/* all */\nbody { margin: 0px }\n")).
		With("election.wasm", []byte("\x00asm"))
}

func TestPack(t *testing.T) {
	packed, err := pack.Pack(written())
	require.NoError(t, err)
	require.Equal(t, []string{"app.js", "election.wasm", "index.html", "page.css", "wasm_exec.js", "worker.js"},
		packed.Names())
	main := string(packed.File("app.js"))
	require.Contains(t, main, `document.title="opened"`)
	require.NotContains(t, main, "import")
	for _, name := range []string{"app.js", "worker.js", "page.css"} {
		text := string(packed.File(name))
		require.False(t, strings.Contains(text, "/*") || strings.Contains(text, "//"), text)
	}
	_, err = packed.Single()
	require.NoError(t, err)
	_, err = written().Single()
	require.ErrorContains(t, err, "app.js imports other modules")
}

func TestPackFails(t *testing.T) {
	_, err := pack.Pack(written().With("long.js", []byte("export {\n")))
	require.ErrorContains(t, err, "long.js:")
	_, err = pack.Pack(written().With("page.css", []byte("body {")).With("worker.js", []byte("let = ;")))
	require.ErrorContains(t, err, "worker.js:1: ")
	_, err = pack.Pack(written().Without("long.js"))
	require.ErrorContains(t, err, "the page has no file long.js")
}

func TestWriteBrotli(t *testing.T) {
	site, folder := written(), t.TempDir()
	require.NoError(t, pack.WriteBrotli(site, folder))
	for _, name := range site.Names() {
		packed, err := os.ReadFile(filepath.Join(folder, name+".br"))
		require.NoError(t, err)
		text, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed)))
		require.NoError(t, err)
		require.Equal(t, string(site.File(name)), string(text), name)
	}
	require.Error(t, pack.WriteBrotli(site, filepath.Join(folder, "none")))
}
