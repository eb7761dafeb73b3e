package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// mutant is one small change at one place. Its number depends on the sources of its package alone, so it
// keeps the number when tests are added.
type mutant struct {
	id           int
	file         string // from the root of the module
	line, column int
	what         string
	source       string // the line that it changes
	nth          int    // among those with the same change of the same source; see key
}

func (m *mutant) String() string {
	return fmt.Sprintf("%d %s:%d:%d: %s: %s", m.id, m.file, m.line, m.column, m.what, m.source)
}

// edit replaces some bytes of a file, often none.
type edit struct {
	from, to int
	text     string
	closes   bool // it ends what an earlier edit began
}

// places finds the places of one file that can be changed, and writes a switch at each.
type places struct {
	*sources
	file    *file
	mutants *[]mutant // of all files of the package
	edits   []edit
	// bare statements stand where Go allows no if statement, fixed expressions where it demands a constant.
	bare  map[ast.Node]bool
	fixed map[ast.Expr]bool
	// needless panics can be dropped: the function needs none of them to end without a return.
	needless map[ast.Stmt]bool
}

func (p *places) function(t *ast.FuncType, body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			p.function(f.Type, f.Body)
			return false
		}
		p.around(n)
		if s, ok := n.(ast.Stmt); ok && !p.bare[s] {
			p.statement(s, t.Results == nil)
		}
		if e, ok := n.(ast.Expr); ok {
			return p.expression(e)
		}
		d, ok := n.(*ast.GenDecl)
		return !ok || d.Tok != token.CONST
	})
}

// around notes what a node demands of the nodes below it, and negates its conditions.
func (p *places) around(n ast.Node) {
	switch n := n.(type) {
	case *ast.ForStmt:
		p.bare[n.Init], p.bare[n.Post] = true, true
		if n.Cond != nil {
			p.negate(n.Cond)
		}
	case *ast.IfStmt:
		p.bare[n.Init] = true
		if list := n.Body.List; n.Else == nil && len(list) > 0 {
			p.needless[list[len(list)-1]] = true
		}
		p.negate(n.Cond)
	case *ast.SwitchStmt:
		p.bare[n.Init] = true
		for _, c := range n.Body.List {
			for _, cond := range c.(*ast.CaseClause).List {
				if n.Tag == nil {
					p.negate(cond)
				}
			}
		}
	case *ast.TypeSwitchStmt:
		p.bare[n.Init], p.bare[n.Assign] = true, true
	case *ast.CommClause:
		p.bare[n.Comm] = true
	case *ast.ArrayType:
		p.fixed[n.Len] = true
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				p.fixed[kv.Key] = true
			}
		}
	}
}

func (p *places) statement(s ast.Stmt, noResults bool) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if ok && (noResults || p.needless[s] || !p.builtin(call.Fun, "panic")) {
			p.drop(s, "call dropped")
		}
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE && !unused(s.Lhs) {
			p.drop(s, "assignment dropped")
		}
	case *ast.IncDecStmt:
		p.drop(s, "assignment dropped")
	case *ast.ReturnStmt:
		for _, r := range s.Results {
			id, ok := r.(*ast.Ident)
			if !ok || id.Name != "true" && id.Name != "false" {
				continue
			}
			not := map[string]string{"true": "!", "false": ""}[id.Name]
			if m := p.change(r.Pos(), id.Name+" becomes "+strconv.FormatBool(id.Name == "false")); m > 0 {
				p.replace(r.Pos(), r.End(), not+on(m))
			}
		}
	}
}

// unused reports whether all that is assigned is thrown away.
func unused(to []ast.Expr) bool {
	for _, e := range to {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}

func (p *places) drop(s ast.Stmt, what string) {
	if m := p.change(s.Pos(), what); m > 0 {
		p.open(s.Pos(), "if !"+on(m)+" { ")
		p.close(s.End(), " }")
	}
}

// negate negates a condition. For a comparison for equality, binary does that.
func (p *places) negate(cond ast.Expr) {
	if c, ok := cond.(*ast.BinaryExpr); ok && (c.Op == token.EQL || c.Op == token.NEQ) ||
		p.info.Types[cond].Value != nil {
		return
	}
	if m := p.change(cond.Pos(), "condition negated"); m > 0 {
		p.open(cond.Pos(), "((")
		p.close(cond.End(), ") != "+on(m)+")")
	}
}

// expression changes an expression and reports whether those in it are to be visited as well.
func (p *places) expression(e ast.Expr) bool {
	if p.info.Types[e].Value != nil {
		if !p.fixed[e] {
			p.constant(e)
		}
		return false
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		p.binary(e)
	case *ast.CallExpr:
		becomes := ""
		switch {
		case p.builtin(e.Fun, "min"):
			becomes = "Max"
		case p.builtin(e.Fun, "max"):
			becomes = "Min"
		default:
			return true
		}
		was := map[string]string{"Max": "Min", "Min": "Max"}[becomes]
		if m := p.change(e.Pos(), strings.ToLower(was+" becomes "+becomes)); m > 0 {
			p.replace(e.Pos(), e.Lparen+1, p.call(was, m, e))
		}
	}
	return true
}

func (p *places) builtin(f ast.Expr, name string) bool {
	id, ok := f.(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	_, ok = p.info.Uses[id].(*types.Builtin)
	return ok
}

// constant changes each whole number in a constant. The switch takes the constant as a whole: Go evaluates
// it when it compiles, so no part of it may be a call.
func (p *places) constant(e ast.Expr) {
	t := p.typeName(e)
	if t == "" {
		return
	}
	ast.Inspect(e, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.INT {
			return true
		}
		v, err := strconv.ParseUint(lit.Value, 0, 64)
		if err != nil {
			return true
		}
		becomes := fmt.Sprintf("%s%d%s", p.text(e.Pos(), lit.Pos()), v+1, p.text(lit.End(), e.End()))
		// The larger number may be too large for its type.
		if _, err := types.Eval(p.fset, p.pkg, e.Pos(), t+"("+becomes+")"); err != nil {
			return true
		}
		if m := p.change(lit.Pos(), fmt.Sprintf("%s becomes %d", lit.Value, v+1)); m > 0 {
			p.open(e.Pos(), p.call("Const", m, e))
			p.close(e.End(), ", "+becomes+")")
		}
		return true
	})
}

// operators are what comparisons and connectives become, with the function of package change for it.
var operators = map[token.Token]struct{ becomes, call string }{
	token.EQL: {"!=", ""}, token.NEQ: {"==", ""}, token.LAND: {"||", ""}, token.LOR: {"&&", ""},
	token.LSS: {"<=", "Less"}, token.LEQ: {"<", "AtMost"}, token.GTR: {">=", "Greater"},
	token.GEQ: {">", "AtLeast"},
}

func (p *places) binary(n *ast.BinaryExpr) {
	op, ok := operators[n.Op]
	if !ok {
		return
	}
	m := p.change(n.OpPos, n.Op.String()+" becomes "+op.becomes)
	if m == 0 {
		return
	}
	switch n.Op {
	case token.EQL, token.NEQ:
		p.open(n.Pos(), "((")
		p.close(n.End(), ") != "+on(m)+")")
	case token.LAND, token.LOR:
		// x || y is !(!x && !y), and x && y is !(!x || !y): y is evaluated when it would be.
		p.open(n.Pos(), "((")
		p.close(n.X.End(), ") != "+on(m))
		p.open(n.Y.Pos(), "(")
		p.close(n.End(), ") != "+on(m)+") != "+on(m))
	default:
		p.open(n.Pos(), p.call(op.call, m, n.X, n.Y))
		p.replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), ",")
		p.close(n.End(), ")")
	}
}
