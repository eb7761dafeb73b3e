package election_test

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
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
)

const module = "github.com/go-election/election"

// layer numbers say who may import whom: only what has a smaller number. Algorithms may import
// the contract alone.
var (
	layerOf = map[string]int{
		"internal/input": -1, "cost": 0, "params": 0,
		"":                 1, // the contract
		"internal/mailbox": 1, "internal/alarm": 1, "internal/portset": 2, "internal/sections": 2,
		"observe": 2, "lab/topology": 2, "transport/memory": 2, "lab/fault": 2, "lab/verdict": 3,
		"process":      3,
		"lab/scenario": 4, "transport": 3,
		"lab/sim": 5, "local": 5, "lab/check": 5, "lab/trace": 5,
		"catalog": 5, "lab/experiment": 6, "lab/soak": 6, "mutex/lock": 4,
	}
	algorithms = catalog.Names() // each is a package of that name
	// forTests are packages that only tests import.
	forTests = []string{"internal/ringtest", "internal/graphtest", "internal/chaos", "internal/mutate", "lab/museum", "transport/transporttest", "electiontest"}
	// pure is all of the standard library that an algorithm may use.
	pure = []string{"cmp", "errors", "fmt", "math", "math/bits", "slices", "time"}
)

type goPackage struct {
	ImportPath, Dir      string
	Imports              []string
	GoFiles, TestGoFiles []string
	Standard             bool
}

// packages lists the packages of the root module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json", "./...").Output()
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

// TestLayers: arrows point down only, algorithms import the contract and a short list of the
// standard library, and nothing but tests imports third parties.
func TestLayers(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, imported := range p.Imports {
			ours, inside := strings.CutPrefix(imported, module)
			ours = strings.TrimPrefix(ours, "/")
			if !inside {
				require.NotContains(t, strings.Split(imported, "/")[0], ".", "%s imports a third party", name)
			}
			if slices.Contains(forTests, name) || strings.HasPrefix(name, "examples/") {
				continue // they stand above everything
			}
			if slices.Contains(algorithms, name) {
				require.True(t, inside && slices.Contains([]string{"", "cost", "params", "internal/input", "internal/portset"}, ours) || slices.Contains(pure, imported), "%s imports %s", name, imported)
				continue
			}
			layer, known := layerOf[name]
			require.True(t, known, "%s has no layer", name)
			if !inside || slices.Contains(algorithms, ours) && name == "catalog" || ours == "mutex" && name == "mutex/lock" {
				continue
			}
			below, known := layerOf[ours]
			require.True(t, known && below < layer, "%s imports %s", name, ours)
		}
	}
}

// TestPurity: algorithms have no goroutine, no map to iterate over and no clock.
func TestPurity(t *testing.T) {
	eachGoFile(t, func(file string, f *ast.File, _ *token.FileSet) {
		if !slices.Contains(algorithms, path.Dir(file)) || strings.HasSuffix(file, "_test.go") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.MapType, *ast.ChanType, *ast.SelectStmt:
				t.Errorf("%s: a goroutine, channel or map", file)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && n.Sel.Name != "Duration" && n.Sel.Name != "Second" {
					t.Errorf("%s: time.%s", file, n.Sel.Name)
				}
			}
			return true
		})
	})
}

// TestTidy: functions fit a screen, files hold one idea.
func TestTidy(t *testing.T) {
	const longestFunction, longestFile = 70, 500
	files := 0
	eachGoFile(t, func(file string, f *ast.File, fset *token.FileSet) {
		files++
		if n := fset.Position(f.End()).Line; n > longestFile {
			t.Errorf("%s: %d lines, at most %d", file, n, longestFile)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1
			if n > longestFunction {
				t.Errorf("%s: %s has %d lines, at most %d", file, fn.Name.Name, n, longestFunction)
			}
		}
	})
	require.Greater(t, files, 40)
}

// TestExportsDocumented: every exported name has a comment, every package says what it is.
func TestExportsDocumented(t *testing.T) {
	documented := map[string]bool{}
	eachGoFile(t, func(file string, f *ast.File, _ *token.FileSet) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		documented[path.Dir(file)] = documented[path.Dir(file)] || f.Doc != nil
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil && d.Name.Name != "Len" && !wellKnown(d) {
					t.Errorf("%s: %s has no comment", file, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					undocumented(t, file, d, spec)
				}
			}
		}
	})
	for dir, ok := range documented {
		require.True(t, ok, "package %s has no comment", dir)
	}
}

// wellKnown methods implement an interface that says what they do.
func wellKnown(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"Step", "State", "Error", "Unwrap", "String"}, d.Name.Name)
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}

func undocumented(t *testing.T, file string, d *ast.GenDecl, spec ast.Spec) {
	t.Helper()
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
			t.Errorf("%s: %s has no comment", file, s.Name.Name)
		}
	case *ast.ValueSpec:
		if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
			t.Errorf("%s: %s has no comment", file, s.Names[0].Name)
		}
	}
}

// eachGoFile parses every Go file below this folder.
func eachGoFile(t *testing.T, visit func(file string, f *ast.File, fset *token.FileSet)) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
		if err == nil {
			visit(file, f, fset)
		}
		return err
	}))
}
