package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// library is the module whose packages are changed, and switches the package that the copies import.
const (
	library  = "github.com/go-election/election"
	switches = library + "/tools/mutate/change"
)

// root returns the folder of the library.
var root = sync.OnceValues(func() (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", library)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
})

// goCommand returns a go command in the module of this program, in which the copies find the switches.
func goCommand(ctx context.Context, args ...string) (*exec.Cmd, error) {
	folder, err := root()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = filepath.Join(folder, "tools"), append(os.Environ(), "GOWORK=off")
	return cmd, err
}

// file is one source file of a package.
type file struct {
	path   string // absolute
	name   string // from the root of the module
	src    []byte
	syntax *ast.File
}

// sources is a package whose types are known.
type sources struct {
	path     string // by which it is imported
	fset     *token.FileSet
	files    []*file
	importer types.Importer
	info     types.Info
	pkg      *types.Package
	leftOut  map[int]bool // mutants that do not compile
}

// load reads and checks the package in a folder.
func load(dir string) (*sources, error) {
	cmd, err := goCommand(context.Background(), "list", "-export", "-deps",
		"-json=ImportPath,Export,Dir,GoFiles,DepOnly", path.Join(library, dir), switches)
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	s := &sources{fset: token.NewFileSet(), leftOut: make(map[int]bool)}
	exports := make(map[string]string)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Export, Dir string
			GoFiles                 []string
			DepOnly                 bool
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if p.DepOnly || p.ImportPath == switches {
			continue
		}
		s.path = p.ImportPath
		for _, name := range p.GoFiles {
			f := &file{path: filepath.Join(p.Dir, name), name: filepath.Join(dir, name)}
			if f.src, err = os.ReadFile(f.path); err != nil {
				return nil, err
			}
			s.files = append(s.files, f)
		}
	}
	s.importer = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	s.info = types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object)}
	var list []*ast.File
	for _, f := range s.files {
		if f.syntax, err = parser.ParseFile(s.fset, f.path, f.src, parser.SkipObjectResolution); err != nil {
			return nil, err
		}
		list = append(list, f.syntax)
	}
	s.pkg, err = (&types.Config{Importer: s.importer}).Check(s.path, s.fset, list, &s.info)
	return s, err
}

// mutate returns the mutants of a package and a copy of its files, by their names, with a switch for
// each. Mutants that do not compile are left out, with a word about each on warn.
func (s *sources) mutate(warn io.Writer) ([]mutant, map[*file]string, error) {
	for {
		var list []mutant
		copies := make(map[*file]string)
		for _, f := range s.files {
			p := &places{sources: s, file: f, mutants: &list, bare: make(map[ast.Node]bool),
				fixed: make(map[ast.Expr]bool), needless: make(map[ast.Stmt]bool)}
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					p.function(fn.Type, fn.Body)
				}
			}
			if copies[f] = string(f.src); len(p.edits) > 0 {
				copies[f] = p.copy()
			}
		}
		bad, err := s.check(copies)
		if err != nil {
			return nil, nil, err
		}
		before := len(s.leftOut)
		for _, e := range bad {
			at := e.Fset.Position(e.Pos)
			for _, m := range list {
				if m.line == at.Line && filepath.Base(m.file) == filepath.Base(at.Filename) &&
					!s.leftOut[m.id] {
					fmt.Fprintf(warn, "left out, since it does not compile (%s): %s\n", e.Msg, &m)
					s.leftOut[m.id] = true
				}
			}
		}
		if len(bad) == 0 {
			return slices.DeleteFunc(list, func(m mutant) bool { return s.leftOut[m.id] }), copies, nil
		}
		if len(s.leftOut) == before {
			return nil, nil, fmt.Errorf("the copy with switches does not compile: %w", bad[0])
		}
	}
}

// check returns what the compiler would find wrong in the copies.
func (s *sources) check(copies map[*file]string) (bad []types.Error, err error) {
	fset := token.NewFileSet()
	var list []*ast.File
	for _, f := range s.files {
		syntax, err := parser.ParseFile(fset, f.path, copies[f], parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("the copy with switches: %w", err)
		}
		list = append(list, syntax)
	}
	config := types.Config{Importer: s.importer, Error: func(err error) {
		if e := (types.Error{}); errors.As(err, &e) {
			bad = append(bad, e)
		}
	}}
	_, err = config.Check(s.path, fset, list, nil)
	if len(bad) > 0 {
		err = nil
	}
	return bad, err
}

// overlay writes the copies to a folder and returns the file that go takes as -overlay.
func overlay(to string, copies map[*file]string) (string, error) {
	replace := make(map[string]string)
	for f, text := range copies {
		replace[f.path] = filepath.Join(to, filepath.Base(f.path))
		if err := os.WriteFile(replace[f.path], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(to, "overlay.json")
	return name, os.WriteFile(name, b, 0o600)
}

// change adds a mutant and returns its number, or 0 if it is left out.
func (p *places) change(at token.Pos, what string) int {
	pos := p.fset.Position(at)
	m := mutant{id: len(*p.mutants) + 1, file: p.file.name, line: pos.Line, column: pos.Column, what: what}
	m.source = strings.TrimSpace(strings.Split(string(p.file.src), "\n")[pos.Line-1])
	*p.mutants = append(*p.mutants, m)
	if p.leftOut[m.id] {
		return 0
	}
	return m.id
}

// on is the expression that is true if a mutant is on.
func on(m int) string { return fmt.Sprintf("mutated.On(%d)", m) }

// call begins the call of a function of package change for operands, which all have one type.
func (p *places) call(function string, m int, operands ...ast.Expr) string {
	t := ""
	for _, e := range operands {
		// Numbers without a type take that of the other operand.
		if name := p.typeName(e); t == "" && name != "" {
			t = "[" + name + "]"
		}
	}
	return fmt.Sprintf("mutated.%s%s(%d, ", function, t, m)
}

// typeName returns what a numeric type is called at the place of an expression; empty if it has no name
// there.
func (p *places) typeName(e ast.Expr) string {
	t := p.info.Types[e].Type
	if t == nil {
		return ""
	}
	t = types.Default(t) // the count of a shift has no type
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsNumeric == 0 {
		return ""
	}
	name := types.TypeString(t, func(other *types.Package) string {
		if other == p.pkg {
			return ""
		}
		return other.Name()
	})
	// A variable may have taken the name, and a file may import a package by another one.
	if at, err := types.Eval(p.fset, p.pkg, e.Pos(), name); err != nil || !at.IsType() ||
		!types.Identical(at.Type, t) {
		return ""
	}
	return name
}

func (p *places) offset(at token.Pos) int { return p.fset.Position(at).Offset }

// text returns a piece of the source in one line.
func (p *places) text(from, to token.Pos) string {
	return strings.ReplaceAll(string(p.file.src[p.offset(from):p.offset(to)]), "\n", " ")
}

func (p *places) open(at token.Pos, text string) { p.replace(at, at, text) }

func (p *places) close(at token.Pos, text string) {
	p.edits = append(p.edits, edit{from: p.offset(at), to: p.offset(at), text: text, closes: true})
}

func (p *places) replace(from, to token.Pos, text string) {
	p.edits = append(p.edits, edit{from: p.offset(from), to: p.offset(to), text: text})
}

// copy returns the file with its edits. No line moves.
func (p *places) copy() string {
	inOrder := make([]edit, 0, len(p.edits))
	// At one place the innermost ends first, and the outermost begins first; edits were added from the
	// outermost to the innermost.
	for _, e := range slices.Backward(p.edits) {
		if e.closes {
			inOrder = append(inOrder, e)
		}
	}
	for _, e := range p.edits {
		if !e.closes {
			inOrder = append(inOrder, e)
		}
	}
	slices.SortStableFunc(inOrder, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	done := p.offset(p.file.syntax.Name.End())
	out.Write(p.file.src[:done])
	fmt.Fprintf(&out, "; import mutated %q", switches)
	for _, e := range inOrder {
		out.Write(p.file.src[done:e.from])
		out.WriteString(e.text)
		done = e.to
	}
	out.Write(p.file.src[done:])
	return out.String()
}
