// Package build builds the page from the source of the library: the program for the browser, in which
// each block of the algorithms counts its runs, a description of their source, and the files of page/web as
// they are committed. It writes the page into a folder or serves it to this machine.
//
//	site, err := build.Own(ctx, nil)
//	on, err := build.Listen("127.0.0.1:8080")
//	err = build.Serve(ctx, on, site)
//
// The same source and the same Go give the same bytes, wherever the source is. Package page/pack makes the
// published form of a page, with one script instead of many.
package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/go-election/election/input"
)

// The modules whose source the page is made of.
const (
	library = "github.com/go-election/election"
	page    = library + "/page"
)

// ErrNoGo: the page has to be built, and there is no go command.
var ErrNoGo = errors.New("the page is built from source, and there is no go command in PATH")

// Source contains the folders of the two modules.
type Source struct{ Library, Page string }

// Own returns the page of this program: the embedded page, or the page in the cache of the user, or a new
// one. It calls building before it builds.
func Own(ctx context.Context, building func()) (*Site, error) {
	if site := Embedded(); site != nil {
		return site, nil
	}
	source, err := Find(ctx)
	if err != nil {
		return nil, err
	}
	c := Config{Building: building}
	if cache, err := os.UserCacheDir(); err == nil { // without one, each start builds
		c.Cache = filepath.Join(cache, "elect")
	}
	return source.Site(ctx, c)
}

// Find returns the source of this program: of an installed one in the module cache, otherwise in the
// workspace around the current folder.
func Find(ctx context.Context) (Source, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		if versions := installed(info); versions != nil {
			return download(ctx, versions)
		}
	}
	return Workspace(ctx, ".")
}

// installed returns the versions of both modules, as the arguments of go mod download, or nil if this program
// is built in a workspace.
func installed(info *debug.BuildInfo) []string {
	var list []string
	for _, name := range []string{library, page} {
		for _, m := range info.Deps {
			if m.Path == name && m.Replace == nil && strings.HasPrefix(m.Version, "v") {
				list = append(list, name+"@"+m.Version)
			}
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// download returns the folders of both modules in the module cache.
func download(ctx context.Context, versions []string) (Source, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"mod", "download", "-json"}, versions...)...)
	cmd.Dir = os.TempDir() // in no module, whose go.mod would be asked
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	return modules(cmd)
}

// Workspace returns the source of the workspace around a folder.
func Workspace(ctx context.Context, folder string) (Source, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-json", library, page)
	cmd.Dir = folder
	s, err := modules(cmd)
	if err == nil || errors.Is(err, ErrNoGo) {
		return s, err
	}
	why := ": " + err.Error()
	if strings.Contains(why, "go.mod file not found") {
		why = "" // a folder outside all modules has nothing else that is wrong
	}
	return s, input.Errorf("the source of the page is not here; run elect page in a clone of the "+
		"repository, or the binary of a release, which holds the page%s", why)
}

// modules runs a command that describes both modules.
func modules(cmd *exec.Cmd) (s Source, err error) {
	text, err := run(cmd)
	if err != nil {
		return s, err
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var m struct{ Path, Dir, Error string }
		if err := d.Decode(&m); err != nil {
			return s, err
		}
		switch m.Path {
		case library:
			s.Library = m.Dir
		case page:
			s.Page = m.Dir
		}
	}
	if s.Library == "" || s.Page == "" {
		return s, fmt.Errorf("the go command knows no folder of %s and %s", library, page)
	}
	return s, nil
}

// run returns what a command prints. The error has what it complains about.
func run(cmd *exec.Cmd) ([]byte, error) {
	var failed bytes.Buffer
	cmd.Stderr = &failed
	endWithParent(cmd)
	text, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, ErrNoGo
	case err != nil && failed.Len() > 0:
		return nil, fmt.Errorf("%s %s: %s", filepath.Base(cmd.Args[0]), cmd.Args[1],
			strings.Join(strings.Fields(failed.String()), " "))
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", filepath.Base(cmd.Args[0]), cmd.Args[1], err)
	}
	return text, nil
}

// Published returns the page as published, with one script instead of many. The program page/publish makes it,
// which the go command builds first: so no program that serves the page needs a bundler.
func Published(ctx context.Context) (*Site, error) {
	source, err := Find(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", temporary)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	cmd := exec.CommandContext(ctx, "go", "run", "./publish", "--out", folder)
	cmd.Dir = source.Page
	if _, err := run(cmd); err != nil {
		return nil, err
	}
	return load(os.DirFS(folder))
}

// Config describes how to build the page. The zero value is ready for use.
type Config struct {
	// Cache is a folder in which built pages are kept. If empty, or not to be written, none is.
	Cache    string
	Building func() // Building is called when the page has to be built. If nil, it is not.
}

// Site returns the page of this source, from the cache or built.
func (s Source) Site(ctx context.Context, c Config) (*Site, error) {
	t, err := s.read()
	if err != nil {
		return nil, err
	}
	env, err := environment(ctx, s.Library)
	if err != nil {
		return nil, err
	}
	folder := ""
	if c.Cache != "" {
		folder = filepath.Join(c.Cache, "page-"+t.key(env.Version))
		if site := t.cached(folder); site != nil {
			return site, nil
		}
	}
	if c.Building != nil {
		c.Building()
	}
	site, err := t.build(ctx, env)
	if err != nil || c.Cache == "" {
		return site, err
	}
	// If the cache cannot be written, each start builds the page again.
	if err := os.RemoveAll(folder); err == nil { // what is there has lost something
		_ = site.keep(c.Cache, folder)
	}
	return site, nil
}
