package house_test

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// link is a name in brackets as documentation links it: [Node], [Env.Decide], [election.Env.Decide].
var link = regexp.MustCompile(`\[([A-Za-z_]\w*(?:\.[A-Z]\w*)*)\](?:[^(\w]|$)`)

// TestLinks: what comments link to exists, and the comment of a function or a type begins with its name.
func TestLinks(t *testing.T) {
	declared := make(map[string]map[string]bool) // by folder: names, and members as Type.Member
	files := make(map[string]*ast.File)
	folders := make(map[string][]string) // by name of a package
	eachGoFile(t, func(file string, f *ast.File, _ *token.FileSet) {
		dir := path.Dir(file)
		if strings.HasSuffix(file, "_test.go") || f.Name.Name == "main" {
			return
		}
		files[file] = f
		if declared[dir] == nil {
			declared[dir] = make(map[string]bool)
			folders[f.Name.Name] = append(folders[f.Name.Name], dir)
		}
		for _, d := range f.Decls {
			declare(declared[dir], d)
			for name, doc := range documented(d) {
				if !beginsWith(doc, name) {
					t.Errorf("%s: the comment of %s begins with another word", file, name)
				}
			}
		}
	})
	links := 0
	for file, f := range files {
		for _, group := range f.Comments {
			for _, found := range link.FindAllStringSubmatch(group.Text(), -1) {
				first, rest, _ := strings.Cut(found[1], ".")
				dirs, name := []string{path.Dir(file)}, found[1]
				if !token.IsExported(first) {
					if dirs, name = folders[first], rest; dirs == nil || rest == "" {
						continue // of the standard library, or no link
					}
				}
				links++
				if !slices.ContainsFunc(dirs, func(dir string) bool { return declared[dir][name] }) {
					t.Errorf("%s: there is no [%s]", file, found[1])
				}
			}
		}
	}
	require.Greater(t, links, 300)
}

// documented returns the comments of the function or the types that a declaration adds, by their names.
func documented(d ast.Decl) map[string]*ast.CommentGroup {
	docs := make(map[string]*ast.CommentGroup)
	switch d := d.(type) {
	case *ast.FuncDecl:
		docs[d.Name.Name] = d.Doc
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if s, ok := spec.(*ast.TypeSpec); ok {
				if docs[s.Name.Name] = s.Doc; !d.Lparen.IsValid() {
					docs[s.Name.Name] = d.Doc
				}
			}
		}
	}
	return docs
}

// beginsWith reports whether a comment, if there is one, begins with this name.
func beginsWith(doc *ast.CommentGroup, name string) bool {
	rest, found := strings.CutPrefix(doc.Text(), name)
	return doc == nil || found && strings.ContainsAny(rest[:1], " :,.")
}

// declare records the names that a declaration adds to its package, including fields and methods.
func declare(names map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
			return
		}
		typ := d.Recv.List[0].Type
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		if generic, ok := typ.(*ast.IndexExpr); ok {
			typ = generic.X
		}
		if id, ok := typ.(*ast.Ident); ok {
			names[id.Name+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names[id.Name] = true
				}
			case *ast.TypeSpec:
				names[s.Name.Name] = true
				for _, field := range members(s.Type) {
					names[s.Name.Name+"."+field] = true
				}
			}
		}
	}
}

// members returns the names of the fields or methods that a type lists.
func members(typ ast.Expr) (names []string) {
	var list *ast.FieldList
	switch typ := typ.(type) {
	case *ast.StructType:
		list = typ.Fields
	case *ast.InterfaceType:
		list = typ.Methods
	default:
		return nil
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			names = append(names, id.Name)
		}
	}
	return names
}
