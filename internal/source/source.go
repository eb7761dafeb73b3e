// Package source reads the Go source of the algorithm packages: their documentation, its numbered rules, the
// lines that carry out each rule, and the names and comments of types, fields and constants. It also
// instruments a copy of them, in which package counters records the blocks that have run.
//
// # Rules and tags
//
// The rules of a package are the numbered lists in its package comment, below headings that begin with "The
// rules". Numbers are unique in a package. A tag is a comment that connects a part of the code with rules:
//
//   - a comment at the end of a line, such as "case smaller: // rule 3", applies to the block or clause that
//     the line opens, or else to its statement;
//   - a comment on a line of its own, such as "// rules 2, 3: the reason", applies to the statement below it;
//     for an if or a switch to its body, not to its condition. If no statement follows, it applies to the
//     block around it;
//   - the doc comment of a function with "(rule 3)" or "(rules 3 and 4)" applies to the whole function.
//
// The innermost tag counts.
package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Package describes the source of a package. Its JSON form is for programs that show the source.
type Package struct {
	Name   string                 `json:"-"`
	Dir    string                 `json:"-"`
	Doc    string                 `json:"doc"` // the package comment, as text
	Rules  []Rule                 `json:"rules"`
	Files  map[string]string      `json:"files"`  // without tests
	Types  map[string]Type        `json:"types"`  // structs
	Consts map[string][][2]string `json:"consts"` // of a type of the package: values and names, in order
	Tags   []Tag                  `json:"-"`
	Blocks []Block                `json:"blocks,omitempty"` // of an instrumented package

	fset   *token.FileSet
	parsed map[string]*ast.File
}

// Rule is a numbered rule of a package comment.
type Rule struct {
	Number  int    `json:"n"`
	Text    string `json:"text"`
	Heading string `json:"heading"`
}

// Type is a struct.
type Type struct {
	Doc    string           `json:"doc"`
	Fields map[string]Field `json:"fields"`
}

// Field is a field of a struct.
type Field struct {
	Doc  string `json:"doc"`
	Type string `json:"type"`
}

// Read reads the package in a folder.
func Read(dir string) (*Package, error) {
	p := &Package{Dir: dir, Files: make(map[string]string), Types: make(map[string]Type),
		Consts: make(map[string][][2]string), fset: token.NewFileSet(), parsed: make(map[string]*ast.File)}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(path)
		f, err := parser.ParseFile(p.fset, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.Name, p.Files[name], p.parsed[name] = f.Name.Name, string(text), f
		if f.Doc != nil {
			p.Doc = f.Doc.Text()
		}
	}
	if len(p.parsed) == 0 {
		return nil, fmt.Errorf("source: no Go files in %s", dir)
	}
	p.readRules()
	p.readTypes()
	p.readConsts()
	return p, p.readTags()
}

// names returns the names of the files, in order.
func (p *Package) names() []string { return slices.Sorted(maps.Keys(p.Files)) }

// readRules finds the numbered lists below the headings of the rules.
func (p *Package) readRules() {
	heading := ""
	parser := comment.Parser{ // every name in brackets is a link
		LookupSym:     func(string, string) bool { return true },
		LookupPackage: func(name string) (string, bool) { return name, true },
	}
	for _, block := range parser.Parse(p.Doc).Content {
		switch b := block.(type) {
		case *comment.Heading:
			heading = plain(b.Text)
		case *comment.List:
			if !strings.HasPrefix(heading, "The rules") {
				continue
			}
			for _, item := range b.Items {
				n, err := strconv.Atoi(item.Number)
				if err != nil {
					continue // of a list with bullets
				}
				var text []string
				for _, c := range item.Content {
					if par, ok := c.(*comment.Paragraph); ok {
						text = append(text, plain(par.Text))
					}
				}
				p.Rules = append(p.Rules, Rule{n, strings.Join(text, " "), heading})
			}
		}
	}
}

// plain returns a text on one line.
func plain(text []comment.Text) string {
	var s strings.Builder
	for _, t := range text {
		switch t := t.(type) {
		case comment.Plain:
			s.WriteString(string(t))
		case comment.Italic:
			s.WriteString(string(t))
		case *comment.Link:
			s.WriteString(plain(t.Text))
		case *comment.DocLink:
			s.WriteString(plain(t.Text))
		}
	}
	return strings.Join(strings.Fields(s.String()), " ")
}

// readTypes finds the structs, with the comments of their fields.
func (p *Package) readTypes() {
	for _, name := range p.names() {
		for _, decl := range p.parsed[name].Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				t := spec.(*ast.TypeSpec)
				s, ok := t.Type.(*ast.StructType)
				if !ok {
					continue
				}
				doc := t.Doc.Text()
				if doc == "" {
					doc = gen.Doc.Text()
				}
				p.Types[t.Name.Name] = Type{Doc: line(doc), Fields: fields(s)}
			}
		}
	}
}

func fields(s *ast.StructType) map[string]Field {
	all := make(map[string]Field)
	for _, f := range s.Fields.List {
		one := Field{Doc: line(cmp.Or(f.Comment.Text(), f.Doc.Text())), Type: types.ExprString(f.Type)}
		for _, name := range f.Names {
			all[name.Name] = one
		}
		if len(f.Names) == 0 { // embedded: named as its type
			at := strings.LastIndexAny(one.Type, ".*")
			all[one.Type[at+1:]] = one
		}
	}
	return all
}

func line(text string) string { return strings.Join(strings.Fields(text), " ") }

// readConsts finds the constants of the package's own types.
func (p *Package) readConsts() {
	var list []*ast.File
	for _, name := range p.names() {
		list = append(list, p.parsed[name])
	}
	info := &types.Info{Defs: make(map[*ast.Ident]types.Object)}
	// No package is imported: constants of types declared here need none, and what fails for that is
	// left out.
	conf := types.Config{Importer: nothing{}, Error: func(error) {}}
	_, _ = conf.Check(p.Name, p.fset, list, info)
	var all []*types.Const
	for _, object := range info.Defs {
		c, ok := object.(*types.Const)
		if !ok || c.Name() == "_" {
			continue
		}
		if named, ok := c.Type().(*types.Named); ok && named.Obj().Pkg() == c.Pkg() {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *types.Const) int { return int(a.Pos() - b.Pos()) })
	for _, c := range all {
		name := c.Type().(*types.Named).Obj().Name()
		p.Consts[name] = append(p.Consts[name], [2]string{c.Val().ExactString(), c.Name()})
	}
}

// nothing imports empty packages.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
	p.MarkComplete()
	return p, nil
}
