package house_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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

// TestExportsDocumented: every exported name and every package has a comment.
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

// wellKnown reports whether a method implements an interface that documents it.
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
