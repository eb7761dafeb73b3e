package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const version = "v0.1.0"

// TestRelease makes a release of the last commit in a clone, without publishing anything: users install the command
// and use an adapter by the tags, and the archive contains the same command with the page in it.
func TestRelease(t *testing.T) {
	top := cloned(t)
	tags, err := tag(top, version)
	require.NoError(t, err)
	require.Subset(t, tags, []string{version, "page/" + version, "cmd/elect/" + version, "adapters/etcdstore/" + version})
	for _, name := range tags {
		require.False(t, strings.HasPrefix(name, "examples/") || strings.HasPrefix(name, "tools/"), name)
	}
	before := commits(t, top, tags)
	again, err := tag(top, version)
	require.NoError(t, err)
	require.Equal(t, tags, again)
	require.Equal(t, before, commits(t, top, tags), "the same release again")

	// Nothing is taken from a folder, and nothing has the version of the branch.
	for _, name := range tags {
		dir := strings.TrimSuffix(strings.TrimSuffix(name, version), "/")
		goMod, err := output(top, nil, "git", "show", name+":"+strings.TrimPrefix(dir+"/go.mod", "/"))
		require.NoError(t, err)
		require.NotContains(t, goMod, "replace", name)
		require.NotContains(t, goMod, "v0.0.0\n", name)
	}

	// What users do. The checksum database knows none of these versions.
	dir := t.TempDir()
	env, err := fromRepository(top, filepath.Join(dir, "mod"))
	require.NoError(t, err)
	env = append(env, "GOFLAGS=-modcacherw -trimpath", "CGO_ENABLED=0", "GOSUMDB=off", "GOBIN="+dir)
	for _, query := range []string{version, "latest"} {
		_, err = output(dir, env, "go", "install", path+"/cmd/elect@"+query)
		require.NoError(t, err)
	}
	said, err := output(dir, nil, filepath.Join(dir, "elect"), "--version")
	require.NoError(t, err)
	require.Equal(t, "elect version "+version, said)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(`package main

import (
	"github.com/go-election/election/adapters/k8sstore"
	"github.com/go-election/election/elector"
)

func main() {
	_, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: k8sstore.New(nil, "http://127.0.0.1", "shop")})
	if err != nil {
		panic(err)
	}
}
`), 0o600))
	for _, args := range [][]string{{"mod", "init", "example.org/orders"}, {"get", path + "/adapters/k8sstore@" + version},
		{"run", "."}, {"mod", "verify"}} {
		_, err = output(dir, env, "go", args...)
		require.NoError(t, err)
	}
	goMod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	require.Contains(t, string(goMod), path+" "+version)

	// The archives, of this system only.
	out := filepath.Join(dir, "dist")
	require.NoError(t, build(top, version, out, []string{runtime.GOOS + "/" + runtime.GOARCH}))
	require.ErrorContains(t, build(top, version, out, nil), "not empty")
	name := fmt.Sprintf("elect_0.1.0_%s_%s", runtime.GOOS, runtime.GOARCH)
	require.Equal(t, []string{"checksums.txt", "elect_0.1.0.html", name + ".cdx.json", name + ".tar.gz"}, checked(t, out))
	unpacked(t, filepath.Join(out, name+".tar.gz"), dir)
	said, err = output(dir, nil, filepath.Join(dir, name, "elect"), "--version")
	require.NoError(t, err)
	require.Equal(t, "elect version "+version, said)
	_, err = output(dir, []string{"PATH="}, filepath.Join(dir, name, "elect"), "page", "--out", filepath.Join(dir, "site"))
	require.NoError(t, err, "the page is in the program")
	text, err := os.ReadFile(filepath.Join(out, name+".cdx.json"))
	require.NoError(t, err)
	var bill struct {
		BOMFormat string
		Metadata  struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name, Version string }
	}
	require.NoError(t, json.Unmarshal(text, &bill))
	require.Equal(t, "CycloneDX", bill.BOMFormat)
	require.Equal(t, path+"/cmd/elect "+version, bill.Metadata.Component.Name+" "+bill.Metadata.Component.Version)
	require.Contains(t, bill.Components, struct{ Name, Version string }{path, version})

	// A tag that is not of this commit.
	_, err = output(top, nil, "git", "tag", "--force", "page/"+version, "cmd/elect/"+version)
	require.NoError(t, err)
	_, err = tag(top, version)
	require.ErrorContains(t, err, "the tag page/"+version+" exists, and points to ")
}

// cloned returns a clone of this repository.
func cloned(t *testing.T) string {
	here, err := output(".", nil, "git", "rev-parse", "--show-toplevel")
	require.NoError(t, err)
	top := filepath.Join(t.TempDir(), "election")
	_, err = output(here, nil, "git", "clone", "--quiet", "--shared", "--no-tags", here, top)
	require.NoError(t, err)
	return top
}

func commits(t *testing.T, top string, tags []string) string {
	text, err := output(top, nil, "git", append([]string{"rev-parse"}, tags...)...)
	require.NoError(t, err)
	return text
}

// checked returns the files of a release, whose checksums it compares.
func checked(t *testing.T, dir string) (names []string) {
	text, err := os.ReadFile(filepath.Join(dir, "checksums.txt"))
	require.NoError(t, err)
	sums := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, file := range files {
		names = append(names, file.Name())
		if file.Name() != "checksums.txt" {
			text, err := os.ReadFile(filepath.Join(dir, file.Name()))
			require.NoError(t, err)
			require.Equal(t, sums[file.Name()], fmt.Sprintf("%x", sha256.Sum256(text)), file.Name())
		}
	}
	require.Len(t, sums, len(names)-1)
	return names
}

// unpacked unpacks an archive into a folder.
func unpacked(t *testing.T, file, dir string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		require.True(t, filepath.IsLocal(h.Name), h.Name)
		to := filepath.Join(dir, h.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(to, text, os.FileMode(h.Mode)))
	}
}

// TestLevels: each module comes after those that it requires, and a module that is not released is required by none.
func TestLevels(t *testing.T) {
	here, err := output(".", nil, "git", "rev-parse", "--show-toplevel")
	require.NoError(t, err)
	levels, err := released(here)
	require.NoError(t, err)
	require.Equal(t, []goModule{{dir: "."}}, levels[0])
	var done []string
	for _, level := range levels {
		for _, m := range level {
			require.Subset(t, done, m.needs)
			require.Equal(t, m.dir == ".", len(m.needs) == 0, "%s does not need the root", m.dir)
		}
		for _, m := range level {
			done = append(done, m.dir)
		}
	}
	for _, dir := range append(slices.Clone(unreleased), "examples/fencing-sql") {
		require.NotContains(t, done, dir)
	}
}

// TestInternal: no adapter imports an internal package of the root, except in tests: a program may combine an adapter
// with another version of the root, whose internal packages differ.
func TestInternal(t *testing.T) {
	here, err := output(".", nil, "git", "rev-parse", "--show-toplevel")
	require.NoError(t, err)
	files, err := output(here, nil, "git", "ls-files", "adapters/*.go")
	require.NoError(t, err)
	imports := 0
	for file := range strings.Lines(files) {
		file = strings.TrimSpace(file)
		module := strings.Join(strings.Split(file, "/")[:2], "/")
		if strings.HasSuffix(file, "_test.go") || slices.Contains(unreleased, module) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(here, file), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			if name, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), path+"/"); ok {
				imports++
				own := strings.HasPrefix(name, module+"/")
				require.True(t, own || !strings.Contains(name, "internal/"), "%s imports %s", file, name)
			}
		}
	}
	require.Greater(t, imports, 8)
}

// TestForeignReplacement: a module that takes another project from a folder cannot be released.
func TestForeignReplacement(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"),
		[]byte("module "+path+"/x\n\nrequire example.org/y v1.0.0\n\nreplace example.org/y => ../y\n"), 0o600))
	require.ErrorContains(t, pin(dir, version, nil), "replaces example.org/y: go install refuses that")
}

// TestUsage: a version that is not one, or that belongs to other paths, is refused.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"tag"}, {"tag", "0.1.0"}, {"tag", "v0.1"}, {"tag", "v2.0.0"},
		{"tag", version, "more"}, {"push", version}} {
		require.Error(t, run(args), args)
	}
}
