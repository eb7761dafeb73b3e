package house_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestPurity: algorithms have no goroutine, no map to iterate over and no clock.
func TestPurity(t *testing.T) {
	eachGoFile(t, func(file string, f *ast.File, _ *token.FileSet) {
		if !slices.Contains(algorithms, path.Dir(file)) || strings.HasSuffix(file, "_test.go") {
			return
		}
		clocks := make(map[string]bool) // the names under which the file imports package time
		for _, imported := range f.Imports {
			if imported.Path.Value != `"time"` {
				continue
			}
			name := "time"
			if imported.Name != nil {
				name = imported.Name.Name
			}
			if name == "." {
				t.Errorf("%s: imports all names of time", file)
			}
			clocks[name] = true
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.MapType, *ast.ChanType, *ast.SelectStmt:
				t.Errorf("%s: a goroutine, channel or map", file)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && clocks[x.Name] && n.Sel.Name != "Duration" &&
					n.Sel.Name != "Second" {
					t.Errorf("%s: time.%s", file, n.Sel.Name)
				}
			}
			return true
		})
	})
}
