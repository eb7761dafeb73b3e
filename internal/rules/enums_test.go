package rules_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/source"
)

// TestNamedValues: a field that holds one of a few values has a type with constants, so that a program that
// shows the field finds the name of its value.
func TestNamedValues(t *testing.T) {
	found := make(map[string]string)
	for _, dir := range folders(t) {
		p, err := source.Read(dir)
		require.NoError(t, err)
		require.Empty(t, nameless(t, p.Files), p.Name)
		for name, s := range p.Types {
			for field, f := range s.Fields {
				var names []string
				for _, c := range p.Consts[f.Type] {
					names = append(names, c[1])
				}
				if names != nil {
					found[p.Name+"."+name+"."+field] = strings.Join(names, " ")
				}
			}
		}
	}
	const waits = "WaitNone WaitPaper WaitOwn WaitRank"
	require.Equal(t, map[string]string{
		"afekgafni.process.state": "unowned candidate killed captured",
		"bully.original.status": "normal idle referring asking halting announcing readying halted " +
			"reorganizing",
		"echo.process.state":      "idle asked reported ended",
		"ghs.process.state":       "sleeping searching found ended",
		"hypercube.process.state": "asleep duelist defeated leader",
		"inquiry.process.state":   "maybe inquiring lost",
		"invitation.process.status": "normal checking asking inviting readying accepting accepted " +
			"statuses",
		"itairodeh.process.phase":  "idle active passive leading",
		"lease.process.memory":     "intact quarantined recovering memories",
		"lease.process.phase":      "idle waiting probing claiming leading phases",
		"lmw.process.state":        "asleep candidate beaten",
		"mesh.process.stage":       "none first second beaten won",
		"modbully.Config.Wait":     waits,
		"modbully.process.phase":   "idle settled waiting trying accepted watching asking phases",
		"modbully.rules.policy":    waits,
		"modbully.rules.variant":   "Base Convenience Number Grant",
		"mutex.arbiter.location":   "unknownArbiter localArbiter remoteArbiter",
		"mutex.seat.phase":         "outside waiting inside",
		"peterson.process.phase":   "idle odd even passive helper detected",
		"storelease.process.phase": "idle taking leading releasing phases",
		"treeelect.process.state":  "idle climbing asking reported announcing ended",
		"yoyo.process.stage":       "asleep greeting gathering voting",
	}, found)
}

func TestNameless(t *testing.T) {
	const file = "package p\nconst (\n\tidle %s = iota\n\tbusy\n)\nvar x = node{state: idle, n: 1}\n" +
		"func (n *node) step() { n.m.Kind = busy; n.state, n.n = busy, 2 }\n"
	text := func(of string) map[string]string { return map[string]string{"p.go": fmt.Sprintf(file, of)} }
	require.Equal(t, []string{"p.go:6: state is idle", "p.go:7: state is busy"}, nameless(t, text("uint8")))
	require.Empty(t, nameless(t, text("state")))
}

// nameless returns the places at which a field is set to one of several constants of type uint8. Kinds of
// messages and timers have this type in the contract, which has names for them.
func nameless(t *testing.T, files map[string]string) (all []string) {
	fset, constants := token.NewFileSet(), make(map[string]bool)
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(fset, name, files[name], 0)
		require.NoError(t, err)
		parsed = append(parsed, f)
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST || len(gen.Specs) < 2 {
				continue
			}
			if of, ok := gen.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident); ok && of.Name == "uint8" {
				for _, spec := range gen.Specs {
					constants[spec.(*ast.ValueSpec).Names[0].Name] = true
				}
			}
		}
	}
	set := func(field string, value ast.Expr) {
		v, ok := value.(*ast.Ident)
		if ok && constants[v.Name] && !slices.Contains([]string{"Kind", "Flags", "Timer"}, field) {
			all = append(all, fmt.Sprintf("%s:%d: %s is %s", fset.Position(v.Pos()).Filename,
				fset.Position(v.Pos()).Line, field, v.Name))
		}
	}
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					pair, ok := e.(*ast.KeyValueExpr)
					if _, array := n.Type.(*ast.ArrayType); !ok || array {
						break
					}
					set(fmt.Sprint(pair.Key), pair.Value)
				}
			case *ast.AssignStmt:
				for i := range min(len(n.Lhs), len(n.Rhs)) {
					if field, ok := n.Lhs[i].(*ast.SelectorExpr); ok {
						set(field.Sel.Name, n.Rhs[i])
					}
				}
			}
			return true
		})
	}
	return all
}
