package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/input"
)

// policy allows the page to load only its own files, to compile WebAssembly, and to write pictures.
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; " +
	"img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'"

// types are the types of files by their endings; the machine's own table may lack some.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json", ".ndjson": "application/x-ndjson", ".svg": "image/svg+xml",
	".wasm": "application/wasm",
}

// Handler returns what serves a page to this machine.
func Handler(s *Site) http.Handler {
	tags := make(map[string]string)
	for name, packed := range s.packed {
		sum := sha256.Sum256(packed)
		tags[name] = `"` + hex.EncodeToString(sum[:8]) + `"`
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		switch {
		// A page from elsewhere can let its name point to this machine, and would be let read what is served.
		case !isLocal(r.Host):
			http.Error(w, "this page is for this machine only", http.StatusForbidden)
			return
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
			return
		case s.packed[name] == nil:
			http.NotFound(w, r)
			return
		}
		h.Set("Content-Type", types[path.Ext(name)])
		h.Set("Cache-Control", "no-cache") // the next page at this address may be another
		h.Set("Vary", "Accept-Encoding")
		h.Set("ETag", tags[name])
		if r.Header.Get("If-None-Match") == tags[name] {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		text := s.packed[name]
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
		} else {
			text = s.File(name)
		}
		h.Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write(text) // of a HEAD net/http leaves it out; the browser may be gone
	})
}

// isLocal reports whether the host of a request is this machine.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Listen listens on an address of this machine, and on no other.
func Listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, input.Errorf("%.60q: it is not a host and a port, as in 127.0.0.1:8080", address)
	}
	if !isLocal(host) {
		return nil, input.Errorf("%s: the page is for this machine only, as in 127.0.0.1:8080", address)
	}
	// A mistake of the user, unlike a port that is taken.
	if _, err := net.LookupPort("tcp", port); err != nil {
		return nil, input.Errorf("%s: %s is not a port, as in 127.0.0.1:8080", address, port)
	}
	on, err := net.Listen("tcp", address)
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		err = fmt.Errorf("%s: %w", address, failed.Err)
	}
	return on, err
}

// Browser is the command that opens an address in the browser of the user.
func Browser(address string) *exec.Cmd {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", address)
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	}
	return exec.Command("xdg-open", address)
}

// patience is how long a browser may take for one request.
const patience = 30 * time.Second

// Serve serves a page until ctx ends.
func Serve(ctx context.Context, on net.Listener, s *Site) error {
	server := &http.Server{Handler: Handler(s), ReadTimeout: patience, WriteTimeout: patience}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(on); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
