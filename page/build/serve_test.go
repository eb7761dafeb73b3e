package build_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/page/build"
)

// get asks for an address.
func get(method, address string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, address, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	build.Handler(small()).ServeHTTP(w, r)
	return w
}

func TestHandler(t *testing.T) {
	for name, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8",
		"/page.css": "text/css; charset=utf-8", "/election.wasm": "application/wasm",
		"/app.js?open=a": "text/javascript; charset=utf-8",
	} {
		w := get("GET", "http://127.0.0.1:8080"+name)
		require.Equal(t, http.StatusOK, w.Code, name)
		require.Equal(t, kind, w.Header().Get("Content-Type"), name)
		require.Empty(t, w.Header().Get("Content-Encoding"))
	}
	require.Equal(t, "\x00asm", get("GET", "http://localhost/election.wasm").Body.String())
	w := get("GET", "http://[::1]:80/election.wasm", "Accept-Encoding", "gzip, br")
	require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	require.Equal(t, strconv.Itoa(w.Body.Len()), w.Header().Get("Content-Length"))
	z, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes()))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	require.Equal(t, "\x00asm", string(text))
	again := get("GET", "http://localhost/election.wasm", "If-None-Match", w.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, again.Code)
	require.Empty(t, again.Body.Bytes())
}

// TestHeaders: every answer has the headers that bound what a page may do, also one that refuses.
func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		method, address string
		code            int
	}{
		{"GET", "http://localhost/", http.StatusOK},
		{"HEAD", "http://localhost/", http.StatusOK},
		{"GET", "http://localhost/none", http.StatusNotFound},
		{"GET", "http://localhost/../build.go", http.StatusNotFound},
		{"POST", "http://localhost/", http.StatusMethodNotAllowed},
		{"GET", "http://example.com/", http.StatusForbidden},
		{"GET", "http://192.168.0.7/", http.StatusForbidden},
		{"GET", "http://localhost.example.com/", http.StatusForbidden},
	} {
		w := get(c.method, c.address)
		require.Equal(t, c.code, w.Code, c)
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		require.Equal(t, "no-referrer", w.Header().Get("Referrer-Policy"))
		policy := w.Header().Get("Content-Security-Policy")
		for _, rule := range []string{"default-src 'self';", "worker-src 'self' blob:;",
			"script-src 'self' 'wasm-unsafe-eval';"} {
			require.Contains(t, policy, rule)
		}
		require.NotContains(t, policy, "unsafe-inline")
		require.NotContains(t, policy, "http")
	}
}

// TestServe: a server ends without an error when its context does, and with one when it cannot listen on.
func TestServe(t *testing.T) {
	on, err := build.Listen("127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- build.Serve(ctx, on, small()) }()
	reply, err := http.Get("http://" + on.Addr().String() + "/app.js")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.StatusCode)
	require.NoError(t, reply.Body.Close())
	stop()
	require.NoError(t, <-ended)
	require.Error(t, build.Serve(t.Context(), on, small()))
}

// TestListen: only this machine reaches the page.
func TestListen(t *testing.T) {
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.168.0.7:0", "example.com:0", "8080",
		""} {
		_, err := build.Listen(address)
		require.ErrorIs(t, err, election.ErrInput, address)
	}
	for address, want := range map[string]string{
		"127.0.0.1:99999":    "127.0.0.1:99999: 99999 is not a port",
		"localhost:-1":       "localhost:-1: -1 is not a port",
		"[::1]:no-such-name": "[::1]:no-such-name: no-such-name is not a port",
	} {
		_, err := build.Listen(address)
		require.ErrorIs(t, err, election.ErrInput, address)
		require.ErrorContains(t, err, want)
	}
	on, err := build.Listen("localhost:0")
	require.NoError(t, err)
	defer on.Close()
	_, err = build.Listen(on.Addr().String())
	require.ErrorContains(t, err, on.Addr().String()+": bind: ")
	require.NotErrorIs(t, err, election.ErrInput)
}

func TestBrowser(t *testing.T) {
	const address = "http://127.0.0.1:8080/"
	require.Contains(t, build.Browser(address).Args, address)
}
