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
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.MapType, *ast.ChanType, *ast.SelectStmt:
				t.Errorf("%s: a goroutine, channel or map", file)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && n.Sel.Name != "Duration" &&
					n.Sel.Name != "Second" {
					t.Errorf("%s: time.%s", file, n.Sel.Name)
				}
			}
			return true
		})
	})
}
