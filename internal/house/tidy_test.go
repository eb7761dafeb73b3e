package house_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/svg"
)

// TestFuzz: make fuzz runs each fuzz target.
func TestFuzz(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(top, "Makefile"))
	require.NoError(t, err)
	targets := 0
	eachGoFile(t, func(file string, f *ast.File, _ *token.FileSet) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasSuffix(file, "_test.go") || !strings.HasPrefix(fn.Name.Name, "Fuzz") {
				continue
			}
			targets++
			dir := "./" + filepath.Dir(file)
			if dir == "./." {
				dir = "."
			}
			line := regexp.MustCompile(`(?m)^\tgo test .* -fuzz ` + fn.Name.Name + ` .* ` +
				regexp.QuoteMeta(dir) + `$`)
			require.Regexp(t, line, string(makefile), "%s is not run", fn.Name.Name)
		}
	})
	require.Greater(t, targets, 10)
}

// TestQuotes: an error that refuses an input quotes the beginning of it only, as by %.60q: the input may have
// any length.
func TestQuotes(t *testing.T) {
	calls := 0
	eachGoFile(t, func(file string, f *ast.File, fset *token.FileSet) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			if name := types.ExprString(call.Fun); name == "input.Errorf" || name == "refuse" {
				calls++
				if strings.Contains(types.ExprString(call.Args[0]), "%q") {
					t.Errorf("%s: it quotes the whole of an input", fset.Position(call.Pos()))
				}
			}
			return true
		})
	})
	require.Greater(t, calls, 300)
}

// TestPictures: a picture of the documents uses no colour that has no counterpart on a dark page.
func TestPictures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.svg"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	schemes, coloured := svg.Schemes(), regexp.MustCompile(`(?:fill|stroke)="(#\w+)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, colour := range coloured.FindAllStringSubmatch(string(text), -1) {
			require.Contains(t, schemes, colour[1], file)
		}
	}
}
