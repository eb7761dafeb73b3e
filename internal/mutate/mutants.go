package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// mutant is one small change of one file.
type mutant struct {
	file     string // its path, from the root of the module
	from, to int    // the bytes that are replaced
	by       string
	what     string // the operator
	line     int
	was      string // the source lines before and after, in one
	is       string
}

// breeder makes the mutants of one file.
type breeder struct {
	file string
	src  []byte
	fset *token.FileSet
	list []mutant
}

// breed returns the mutants of all files of a package.
func breed(dir string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var all []mutant
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		b := &breeder{file: file, src: src, fset: token.NewFileSet()}
		f, err := parser.ParseFile(b.fset, file, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				ast.Inspect(fn.Body, b.visit)
			}
		}
		all = append(all, b.list...)
	}
	return all, nil
}

// visit makes the mutants of one node of the syntax tree.
func (b *breeder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		b.binary(n)
	case *ast.IfStmt:
		b.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			b.negate(n.Cond)
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, cond := range c.(*ast.CaseClause).List {
					b.negate(cond)
				}
			}
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok {
			b.drop(n, dropped(call))
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			b.drop(n, "drop an assignment")
		}
	case *ast.IncDecStmt:
		b.drop(n, "drop an assignment")
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok {
			if other := map[string]string{"min": "max", "max": "min"}[f.Name]; other != "" {
				b.add(f, other, "swap min and max")
			}
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
				b.add(n, strconv.FormatInt(v+1, 10), "off by one")
			}
		}
	case *ast.ReturnStmt:
		b.returns(n)
	}
	return true
}

// dropped names the operator that drops a call.
func dropped(call *ast.CallExpr) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		switch s.Sel.Name {
		case "Send":
			return "drop a send"
		case "SetTimer", "StopTimer":
			return "drop a timer"
		case "Decide", "Done", "Save", "Refuse", "Raise", "Lower":
			return "drop an effect"
		}
	}
	return "drop a call"
}

// others are what comparisons and connectives are turned into.
var others = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
}

func (b *breeder) binary(n *ast.BinaryExpr) {
	to, ok := others[n.Op]
	if !ok {
		return
	}
	at := b.fset.Position(n.OpPos).Offset
	b.replace(at, at+len(n.Op.String()), to.String(), fmt.Sprintf("%v becomes %v", n.Op, to))
}

// negate turns a condition round. For a comparison for equality that is done already.
func (b *breeder) negate(cond ast.Expr) {
	if c, ok := cond.(*ast.BinaryExpr); ok && (c.Op == token.EQL || c.Op == token.NEQ) {
		return
	}
	b.add(cond, "!("+b.text(cond)+")", "negate a condition")
}

func (b *breeder) drop(n ast.Node, what string) {
	b.add(n, "if false { "+b.text(n)+" }", what)
}

func (b *breeder) returns(n *ast.ReturnStmt) {
	for _, r := range n.Results {
		if id, ok := r.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
			b.add(r, strconv.FormatBool(id.Name == "false"), "return the opposite")
		}
	}
}

func (b *breeder) text(n ast.Node) string {
	return string(b.src[b.fset.Position(n.Pos()).Offset:b.fset.Position(n.End()).Offset])
}

func (b *breeder) add(n ast.Node, by, what string) {
	b.replace(b.fset.Position(n.Pos()).Offset, b.fset.Position(n.End()).Offset, by, what)
}

func (b *breeder) replace(from, to int, by, what string) {
	m := mutant{file: b.file, from: from, to: to, by: by, what: what}
	m.line = 1 + strings.Count(string(b.src[:from]), "\n")
	begin := 1 + strings.LastIndexByte(string(b.src[:from]), '\n')
	end := to + strings.IndexByte(string(b.src[to:])+"\n", '\n')
	m.was = flat(string(b.src[begin:end]))
	m.is = flat(string(b.src[begin:from]) + by + string(b.src[to:end]))
	b.list = append(b.list, m)
}

// flat puts a piece of source on one line.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// source returns the file with the change.
func (m *mutant) source() ([]byte, error) {
	src, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	return []byte(string(src[:m.from]) + m.by + string(src[m.to:])), nil
}
