package house_test

import (
	"go/ast"
	"go/token"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRootIsSmall: the contract can be read on two screens.
func TestRootIsSmall(t *testing.T) {
	const most = 70
	var names []string
	eachGoFile(t, func(file string, f *ast.File, _ *token.FileSet) {
		if path.Dir(file) != "." || strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, d := range f.Decls {
			names = append(names, exportedNames(d)...)
		}
	})
	require.Contains(t, names, "Node")
	require.LessOrEqual(t, len(names), most, "%v", names)
}

// TestElectorIsSmall: what a service imports can be read on two screens of 60 lines, and has no ports: a
// member knows names.
func TestElectorIsSmall(t *testing.T) {
	doc := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"doc"}, args...)...)
		cmd.Dir = top
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	const screens = 2 * 60
	overview := doc("./elector")
	require.Contains(t, overview, "type Elector struct")
	require.LessOrEqual(t, strings.Count(overview, "\n"), screens)
	require.NotRegexp(t, `\bPorts?\b`, doc("-all", "./elector"))
}

// exportedNames returns the names that a declaration adds to those of its package.
func exportedNames(d ast.Decl) (names []string) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				add(s.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					add(id)
				}
			}
		}
	}
	return names
}

// TestExamples: every package that a user can import has an example that runs.
func TestExamples(t *testing.T) {
	shown := make(map[string]bool)
	eachGoFile(t, func(file string, f *ast.File, _ *token.FileSet) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(file, "_test.go") &&
				strings.HasPrefix(fn.Name.Name, "Example") {
				shown[path.Dir(file)] = true
			}
		}
	})
	for _, p := range packages(t, top) {
		internal := strings.HasPrefix(p.name(), "internal/") || p.Name == "main" || len(p.GoFiles) == 0 ||
			slices.Equal(p.GoFiles, []string{"doc.go"})
		if dir := path.Join(".", p.name()); !internal && !shown[dir] {
			t.Errorf("package %s has no Example", dir)
		}
	}
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
				if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil && d.Name.Name != "Len" &&
					!wellKnown(d) {
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
	return d.Recv != nil && slices.Contains([]string{"Step", "State", "Error", "Unwrap", "String"},
		d.Name.Name)
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
