package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Block is a part of a file that runs as one: no branch leads into it or out of it.
type Block struct {
	ID    int    `json:"id"` // unique in all packages that are instrumented together
	File  string `json:"file"`
	From  int    `json:"from"` // line
	To    int    `json:"to"`
	Func  string `json:"func"`
	Rules []int  `json:"rules"`

	from, to token.Pos
}

// added is the file that an instrumented package has more: it registers the counters.
const added = "instrumented.go"

// Instrument reads the packages in some folders and returns them with their Blocks. It also returns files, by
// path, that replace source files or add one to each package, and that record which blocks have run. A
// program built with these files (go build -overlay, or a copy of the module) reads the counters with package
// counters, whose import path is the argument counters. Instrument needs the go command.
func Instrument(counters string, dirs ...string) ([]*Package, map[string][]byte, error) {
	var all []*Package
	files, id := make(map[string][]byte), 0
	for _, dir := range dirs {
		p, err := Read(dir)
		if err != nil {
			return nil, nil, err
		}
		var register strings.Builder
		fmt.Fprintf(&register, "package %s\n\nimport %q\n\nfunc init() {\n", p.Name, counters)
		for i, name := range p.names() {
			variable := fmt.Sprintf("counters%d", i)
			text, err := cover(dir, name, variable)
			if err != nil {
				return nil, nil, err
			}
			first := id
			if id, err = p.addBlocks(name, variable, text, id); err != nil {
				return nil, nil, err
			}
			if id > first {
				fmt.Fprintf(&register, "\tcounters.Register(%q, %d, %s.Count[:])\n", p.Name, first, variable)
			}
			files[filepath.Join(dir, name)] = text
		}
		register.WriteString("}\n")
		files[filepath.Join(dir, added)] = []byte(register.String())
		all = append(all, p)
	}
	return all, files, nil
}

// cover returns a file with counters.
func cover(dir, name, variable string) ([]byte, error) {
	cmd := exec.Command("go", "tool", "cover", "-mode=set", "-var="+variable, name)
	cmd.Dir = dir // the positions in the output then name the file alone
	var failed bytes.Buffer
	cmd.Stderr = &failed
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("source: go tool cover %s: %w: %s", filepath.Join(dir, name), err,
			bytes.TrimSpace(failed.Bytes()))
	}
	return text, nil
}

// addBlocks finds the blocks of a file, which go tool cover lists at its end, and numbers them from id on.
func (p *Package) addBlocks(name, variable string, text []byte, id int) (int, error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	var at []uint64 // for each block its first line, its last, and both columns
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			return v.Names[0].Name == variable
		}
		if _, ok := n.(*ast.FuncDecl); ok {
			return false
		}
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok || fmt.Sprint(pair.Key) != "Pos" {
			return true
		}
		list, _ := pair.Value.(*ast.CompositeLit)
		for _, e := range list.Elts {
			n, _ := strconv.ParseUint(e.(*ast.BasicLit).Value, 0, 32)
			at = append(at, n)
		}
		return false
	})
	if len(at)%3 != 0 {
		return 0, fmt.Errorf("source: go tool cover gives %s %d positions, not three a block", name, len(at))
	}
	file := p.fset.File(p.parsed[name].Pos())
	for ; len(at) > 0; at = at[3:] {
		b := Block{ID: id, File: name, From: int(at[0]), To: int(at[1])}
		b.from = file.LineStart(b.From) + token.Pos(at[2]&0xffff) - 1
		b.to = file.LineStart(b.To) + token.Pos(at[2]>>16) - 1
		b.Func = p.funcAt(name, b.from)
		p.rule(&b)
		p.Blocks = append(p.Blocks, b)
		id++
	}
	return id, nil
}

// funcAt returns the name of the function around a position, as in "participant.Step".
func (p *Package) funcAt(name string, at token.Pos) string {
	for _, d := range p.parsed[name].Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || at < fn.Pos() || at >= fn.End() {
			continue
		}
		if fn.Recv == nil {
			return fn.Name.Name
		}
		of := fn.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if index, ok := of.(*ast.IndexExpr); ok { // of a generic type
			of = index.X
		}
		return fmt.Sprint(of) + "." + fn.Name.Name
	}
	return ""
}
