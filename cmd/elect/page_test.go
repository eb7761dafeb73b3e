package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/pagecmd"
	page "github.com/go-election/election/page/build"
)

// smallPage gives elect page a page of three lines, which need not be built.
func smallPage(t *testing.T) {
	t.Helper()
	was := pagecmd.Site
	t.Cleanup(func() { pagecmd.Site = was })
	pagecmd.Site = func(context.Context, *console.Console) (*page.Site, error) {
		return new(page.Site).
			With("index.html", []byte(`<link rel="stylesheet" href="page.css">`+
				`<script type="module" src="app.js"></script>`)).
			With("page.css", nil).With("app.js", []byte("export {};")), nil
	}
}

// served runs elect page until visit returns, and returns what it came to.
func served(t *testing.T, stdin string, visit func(address string), args ...string) ran {
	t.Helper()
	smallPage(t)
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"page"}, args...), strings.NewReader(stdin), write, &stderr)
		write.Close()
	}()
	line := make([]byte, 200)
	n, err := read.Read(line)
	require.NoError(t, err)
	visit(strings.TrimSuffix(string(line[:n]), "\n"))
	stop()
	rest, err := io.ReadAll(read)
	require.NoError(t, err)
	require.Empty(t, rest, "more than one line")
	return ran{code: <-code, stderr: stderr.String()}
}

// fetch returns what is at an address.
func fetch(t *testing.T, address string) string {
	t.Helper()
	reply, err := http.Get(address)
	require.NoError(t, err)
	defer reply.Body.Close()
	require.Equal(t, http.StatusOK, reply.StatusCode)
	text, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	return string(text)
}

// TestPage: it prints the address in one line, serves the page there with the file to be opened, and
// ends well when it is interrupted.
func TestPage(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	r := served(t, "", func(address string) {
		require.Regexp(t, `^http://127\.0\.0\.1:\d+/$`, address)
		require.Contains(t, fetch(t, address), "app.js")
	})
	require.Equal(t, ran{}, r)
	r = served(t, right, func(address string) {
		require.True(t, strings.HasSuffix(address, "/?open=open.json"), address)
		require.Equal(t, right, fetch(t, strings.Replace(address, "?open=", "", 1)))
	}, "--scenario", "-")
	require.Equal(t, ran{}, r)
	trace := filepath.Join(t.TempDir(), "lcr.ndjson")
	require.Zero(t, elect(t, "", "sim", "lcr", "-n", "3", "--trace", trace).code)
	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	r = served(t, "", func(address string) {
		require.True(t, strings.HasSuffix(address, "/?open=open.ndjson"), address)
		require.Equal(t, string(text), fetch(t, strings.Replace(address, "?open=", "", 1)))
	}, "--trace", trace)
	require.Equal(t, ran{}, r)
}

// TestPageWritten: a page is written as a folder and as a file, with the file to be opened.
func TestPageWritten(t *testing.T) {
	smallPage(t)
	dir := t.TempDir()
	out, single := filepath.Join(dir, "out"), filepath.Join(dir, "page.html")
	r := elect(t, right, "page", "--out", out, "--single", single, "--scenario", "-")
	require.Equal(t, ran{stderr: "elect: --out " + out + ": index.html?open=open.json shows it\n"}, r)
	text, err := os.ReadFile(filepath.Join(out, "open.json"))
	require.NoError(t, err)
	require.Equal(t, right, string(text))
	text, err = os.ReadFile(single)
	require.NoError(t, err)
	require.Contains(t, string(text), `["open.json","application/json",`)
	require.Equal(t, string(text), elect(t, right, "page", "--single", "-", "--scenario", "-").stdout)
}

func TestBadPage(t *testing.T) {
	smallPage(t)
	dir := t.TempDir()
	scenario := filepath.Join(dir, "a.json")
	require.NoError(t, os.WriteFile(scenario, []byte("{"), 0o600))
	recorded, mine := elect(t, "", "sim", "lcr", "-n", "3", "--trace", "-").stdout, filepath.Join(dir, "mine")
	require.NoError(t, os.WriteFile(mine, []byte(strings.Replace(recorded, `"lcr"`, `"mine"`, 1)), 0o600))
	require.Zero(t, elect(t, "", "trace", mine, "--svg", "-").code)
	refused{
		"page --trace " + mine: `--trace ` + mine + `: mine/participant is not in the catalog: the page cannot run it; ` +
			`elect trace FILE --svg draws it`,
		"page lcr":                         `unknown command "lcr" for "elect page"`,
		"page --addr :0":                   `--addr :0: the page is for this machine only, as in 127.0.0.1:8080`,
		"page --addr 0.0.0.0:80":           `--addr 0.0.0.0:80: the page is for this machine only, as in 127.0.0.1:8080`,
		"page --addr localhost:99999":      `--addr localhost:99999: 99999 is not a port, as in 127.0.0.1:8080`,
		"page --addr 127.0.0.1:-1":         `--addr 127.0.0.1:-1: -1 is not a port, as in 127.0.0.1:8080`,
		"page --addr 8080":                 `--addr "8080": it is not a host and a port, as in 127.0.0.1:8080`,
		"page --out " + dir:                `--out ` + dir + `: the folder is not empty: name a new one`,
		"page --out=":                      `--out: no folder is given`,
		"page --single " + dir:             `--single ` + dir + `: it is a folder, not a file`,
		"page --single a.html --open":      `if any flags in the group [single open] are set none of the others can be; [open single] were all set`,
		"page --out a --addr 127.0.0.1:1":  `if any flags in the group [out addr] are set none of the others can be; [addr out] were all set`,
		"page --scenario - --trace -":      `if any flags in the group [scenario trace] are set none of the others can be; [scenario trace] were all set`,
		"page --scenario " + dir + "/none": `--scenario ` + dir + `/none: no such file or directory`,
		"page --scenario " + scenario: `--scenario ` + scenario +
			`: line 1, column 2: unexpected end of JSON input`,
		"page --trace " + scenario: `--trace ` + scenario +
			`: line 1: it is not the beginning of a trace`,
		"page --trace " + dir + " --addr a:": `--trace ` + dir + `: is a directory`,
	}.test(t)
	same := filepath.Join(dir, "same")
	pagecmd.Site = nil // what follows is refused before the page is built
	refused{
		"page --out " + same + " --single " + filepath.Join(dir, ".", "same"): `--single ` + same +
			`: --out has the same name`,
	}.test(t)
	for _, name := range []string{scenario, filepath.Join(scenario, "x")} {
		elect(t, "", "page", "--out", name).requireLine(t, exit.StatusFailed,
			"--out "+name+": it cannot be written: not a directory")
	}
	r := elect(t, right, "page", "--scenario", "-", "--trace", "-")
	r.requireLine(t, exit.StatusUsage, `if any flags in the group [scenario trace] are set none of the others can be; [scenario trace] were all set`)
}

// TestPageFails: what keeps a page from being built or served is one line.
func TestPageFails(t *testing.T) {
	smallPage(t)
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer on.Close()
	elect(t, "", "page", "--addr", on.Addr().String()).requireLine(t, exit.StatusFailed,
		"--addr "+on.Addr().String()+": bind: address already in use")
	for _, c := range []struct {
		err  error
		want string
		code int
	}{
		{page.ErrNoGo, "the page is built from source, and there is no go command in PATH",
			exit.StatusFailed},
		{errors.New("go build: a\nb"), "go build: a; b", exit.StatusFailed},
	} {
		pagecmd.Site = func(context.Context, *console.Console) (*page.Site, error) { return nil, c.err }
		elect(t, "", "page").requireLine(t, c.code, c.want)
	}
}
