package build

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/go-election/election/internal/source"
)

// goEnv is what the page needs to know of the go command.
type goEnv struct {
	Root    string `json:"GOROOT"`
	Version string `json:"GOVERSION"`
}

// environment returns the settings of the go command that a module uses, which may differ from the one of the
// current folder.
func environment(ctx context.Context, module string) (env goEnv, err error) {
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOVERSION")
	cmd.Dir, cmd.Env = module, append(os.Environ(), "GOWORK=off")
	text, err := run(cmd)
	if err != nil {
		return env, err
	}
	return env, json.Unmarshal(text, &env)
}

// build builds the page in a copy of the source. A copy and no overlay of the source itself, since the
// go command refuses overlays of the module cache; and one module of both, so that it needs nothing but
// the standard library.
func (t *tree) build(ctx context.Context, env goEnv) (*Site, error) {
	removeLeftovers(os.TempDir(), temporary)
	folder, err := os.MkdirTemp("", temporary)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := t.copyTo(folder); err != nil {
		return nil, err
	}
	doc, err := t.instrument(folder)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(folder, "election.wasm")
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", out},
		inlining()...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+program)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=", "GOEXPERIMENT=", "GOWORK=off",
		"GOFLAGS=", "CGO_ENABLED=0",
		// Its own files too are removed with the folder, now or by removeLeftovers.
		"GOTMPDIR="+folder)
	if _, err := run(cmd); err != nil {
		return nil, err
	}
	site := new(Site)
	for name, text := range t.shown {
		site.add(name, text)
	}
	site.add("doc.json", doc)
	for name, from := range map[string]string{
		"election.wasm": out, "wasm_exec.js": filepath.Join(env.Root, "lib", "wasm", "wasm_exec.js"),
	} {
		text, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		site.add(name, text)
	}
	return site, nil
}

// inlined are the packages in which the compiler may inline calls: a run spends its time there.
var inlined = []string{"internal/runtime/maps", library, library + "/lab/sim", library + "/lab/check"}

// inlining returns flags that forbid inlining everywhere else. It would make the program, and so the download,
// larger by a sixth.
func inlining() []string {
	flags := []string{"-gcflags=all=-l"}
	for _, name := range inlined {
		flags = append(flags, "-gcflags="+name+"=") // the last flag that fits a package counts
	}
	return flags
}

// copyTo writes the Go files, which are one module.
func (t *tree) copyTo(folder string) error {
	for name, text := range t.code {
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// instrument makes each block of the algorithms count its runs. It returns the description of the source.
func (t *tree) instrument(folder string) ([]byte, error) {
	var dirs []string
	for _, name := range t.algorithms() {
		dirs = append(dirs, filepath.Join(folder, name))
	}
	packages, files, err := source.Instrument(library+"/"+counters, dirs...)
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return nil, err
		}
	}
	doc := struct {
		Packages map[string]*source.Package `json:"packages"`
	}{make(map[string]*source.Package)}
	for _, p := range packages {
		p.Doc = "" // it is in the files, and would be an eighth of what is said of them
		doc.Packages[p.Name] = p
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err = e.Encode(doc)
	return b.Bytes(), err
}
