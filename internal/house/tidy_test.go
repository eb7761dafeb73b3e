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

// TestCommandIsSmall: what the command knows belongs into the library; it parses, calls and reports.
func TestCommandIsSmall(t *testing.T) {
	const most = 6000
	lines := 0
	eachGoFile(t, func(file string, _ *ast.File, _ *token.FileSet) {
		if !strings.HasPrefix(file, "cmd/elect/") || strings.HasSuffix(file, "_test.go") {
			return
		}
		text, err := os.ReadFile(filepath.Join(top, file))
		require.NoError(t, err)
		lines += strings.Count(string(text), "\n")
	})
	require.Greater(t, lines, 1000)
	require.LessOrEqual(t, lines, most, "lines of Go in cmd/elect, tests aside")
}

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

// TestWidth: lines have at most 110 columns; a tab counts four. A line of a test that holds a long text stays
// whole, so that the rows of a table stay rows and an output that is compared is not cut. Elsewhere only
// a text in back quotes may be wider.
func TestWidth(t *testing.T) {
	const widest = 110
	eachGoFile(t, func(file string, _ *ast.File, _ *token.FileSet) {
		text, err := os.ReadFile(filepath.Join(top, file))
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			if columns(line) > widest && !longText(line, strings.HasSuffix(file, "_test.go")) {
				t.Errorf("%s:%d: %d columns, at most %d", file, i+1, columns(line), widest)
			}
		}
	})
}

func columns(line string) (n int) {
	for _, r := range line {
		n++
		if r == '\t' {
			n += (4 - n%4) % 4
		}
	}
	return n
}

// longText reports whether a line holds a text that alone takes a third of the width: in a test any,
// elsewhere one in back quotes.
func longText(line string, test bool) bool {
	for quote, counts := range map[string]bool{"\"": test, "`": true} {
		parts := strings.Split(line, quote)
		for i := 1; counts && i < len(parts); i += 2 {
			if len(parts[i]) > 36 {
				return true
			}
		}
	}
	return false
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
