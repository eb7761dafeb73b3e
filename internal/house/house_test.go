package house_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
)

const (
	module = "github.com/go-election/election"
	top    = "../.." // the folder of the root package
)

// algorithms are the folders of pure machines: the packages of the catalog, and the failure detectors.
var algorithms = folders(append(catalog.Names(), "detect"))

func folders(names []string) (all []string) {
	for _, name := range names {
		all = append(all, catalog.Folder(name))
	}
	return all
}

type goPackage struct {
	ImportPath, Dir, Name string
	Imports               []string
	GoFiles, TestGoFiles  []string
	Standard              bool
}

// name returns the folder of a package, empty for the root.
func (p *goPackage) name() string { return inside(p.ImportPath) }

// inside returns the folder of a package of this module.
func inside(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

// packages lists the packages of the module in a folder.
func packages(t *testing.T, dir string) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json", "./...")
	cmd.Dir = dir
	out, err := cmd.Output()
	require.NoError(t, err)
	var list []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		list = append(list, p)
	}
	require.NotEmpty(t, list)
	return list
}

// serves reports whether a package is for tests and mutation runs only, or is an example.
func serves(name string) bool {
	return slices.Contains(forTests, name) || name == "examples" || strings.HasPrefix(name, "examples/")
}

// eachGoFile parses every Go file of the project, except in testdata, which the go command ignores too.
func eachGoFile(t *testing.T, visit func(file string, f *ast.File, fset *token.FileSet)) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS(top), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") ||
			strings.Contains(file, "/testdata/") {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filepath.Join(top, file), nil, parser.ParseComments)
		if err == nil {
			visit(file, f, fset)
		}
		return err
	}))
}
