package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Tag states that a part of the code carries out some rules.
type Tag struct {
	File  string
	Line  int // of the comment
	Rules []int
	// of an instrumented package: the blocks of the part, if no tag within is for them
	Blocks []int
	// The part: from one position to the other. If they are equal, it is the block with the statement there.
	from, to token.Pos
}

var (
	inBody = regexp.MustCompile(`^// ?rules? (\d+(?:(?:, | and )\d+)*)(?:$|[:.;])`)
	inDoc  = regexp.MustCompile(`\(rules? (\d+(?:(?:, | and )\d+)*)\)`)
	number = regexp.MustCompile(`\d+`)
)

func numbers(s string) (all []int) {
	for _, digits := range number.FindAllString(s, -1) {
		n, _ := strconv.Atoi(digits)
		all = append(all, n)
	}
	return all
}

// readTags finds all tags.
func (p *Package) readTags() error {
	for _, name := range p.names() {
		f := p.parsed[name]
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			for _, found := range inDoc.FindAllStringSubmatch(line(fn.Doc.Text()), -1) {
				p.Tags = append(p.Tags, Tag{File: name, Line: p.lineOf(fn.Pos()), Rules: numbers(found[1]),
					from: fn.Body.Lbrace, to: fn.Body.Rbrace})
			}
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				found := inBody.FindStringSubmatch(c.Text)
				if found == nil {
					continue
				}
				t := Tag{File: name, Line: p.lineOf(c.Pos()), Rules: numbers(found[1])}
				if !p.attach(&t, f, c, group) {
					return fmt.Errorf("source: %s/%s:%d: %s belongs to no code", p.Name, name, t.Line, c.Text)
				}
				p.Tags = append(p.Tags, t)
			}
		}
	}
	return nil
}

func (p *Package) lineOf(pos token.Pos) int { return p.fset.Position(pos).Line }

// attach finds the part of the code that a comment is for.
func (p *Package) attach(t *Tag, f *ast.File, c *ast.Comment, group *ast.CommentGroup) bool {
	text := strings.Split(p.Files[t.File], "\n")[t.Line-1]
	if strings.HasPrefix(strings.TrimSpace(text), "//") {
		return p.above(t, f, group)
	}
	return p.behind(t, f, c)
}

// behind is for a comment at the end of a line.
func (p *Package) behind(t *Tag, f *ast.File, c *ast.Comment) bool {
	var statement ast.Stmt
	ast.Inspect(f, func(n ast.Node) bool {
		from, to, opens := extent(n)
		if opens && p.lineOf(from) == t.Line && from < c.Pos() {
			t.from, t.to = from, to // the last one on the line remains
		}
		if s, ok := n.(ast.Stmt); ok && p.lineOf(s.Pos()) <= t.Line && t.Line <= p.lineOf(s.End()) {
			statement = s // the innermost one remains
		}
		return true
	})
	if t.from == 0 && statement != nil {
		if _, _, opens := extent(statement); !opens {
			t.from, t.to = statement.Pos(), statement.Pos()
		}
	}
	return t.from != 0
}

// extent returns the beginning and the end of a block or clause.
func extent(n ast.Node) (from, to token.Pos, ok bool) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.Lbrace, n.Rbrace, true
	case *ast.CaseClause:
		return n.Colon, n.End(), true
	}
	return 0, 0, false
}

// above is for a comment on a line of its own.
func (p *Package) above(t *Tag, f *ast.File, group *ast.CommentGroup) bool {
	var next ast.Stmt
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			return true
		}
		if s, ok := n.(ast.Stmt); ok && next == nil && p.lineOf(s.Pos()) == p.lineOf(group.End())+1 {
			next = s
		}
		if from, to, opens := extent(n); opens {
			inClause := p.lineOf(to) == p.lineOf(from) && p.lineOf(group.Pos()) == p.lineOf(from)+1
			if from < group.Pos() && group.End() <= to || inClause {
				t.from, t.to = from, to // the innermost one remains
			}
		}
		return true
	})
	switch s := next.(type) {
	case nil:
	case *ast.CaseClause:
		// The comment is for this clause, unless it is indented as the body of the one before.
		if p.fset.Position(group.Pos()).Column == p.fset.Position(s.Pos()).Column {
			t.from, t.to = s.Colon, s.End()
		}
	case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		t.from, t.to = s.Pos(), s.End()
	default:
		// A loop too: it begins always, and what it does is found by the blocks within.
		t.from, t.to = s.Pos(), s.Pos()
	}
	return t.from != 0
}

// rule assigns rules to a block: the rules of its tagged statements, or else of the innermost part around it.
func (p *Package) rule(b *Block) {
	var inner *Tag
	add := func(t *Tag) {
		t.Blocks, b.Rules = append(t.Blocks, b.ID), append(b.Rules, t.Rules...)
	}
	for i := range p.Tags {
		t := &p.Tags[i]
		switch {
		case t.File != b.File:
		case t.from == t.to:
			if b.from <= t.from && t.from < b.to {
				add(t)
			}
		// For the cover tool, the block of an else begins one column before its brace.
		case t.from-1 <= b.from && b.from <= t.to && (inner == nil || t.to-t.from <= inner.to-inner.from):
			inner = t
		}
	}
	if b.Rules == nil && inner != nil {
		add(inner)
	}
	slices.Sort(b.Rules)
	b.Rules = slices.Compact(b.Rules)
}
