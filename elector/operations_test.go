package elector_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// operations explains the log.
const operations = "../docs/operations.md"

// variables are messages that are not literals at the call, by the expression there.
var variables = map[string][]string{
	"process.ErrCallback.Error": {"election: a callback or the transport panicked"},
	"mistake.Error":             {"election: a callback or the transport panicked", "election: a node panicked"},
	"overloaded":                {"renewals of many groups are late although the network is quick"},
	"complaint":                 {"Run returns although Priority has not returned", "Run returns although the disk of Dir still hangs"},
	"warning": {"a round trip took longer than Times.Renew; one that takes twice",
		"round trips take longer than Times.Renew: the Lease is too short"},
}

// logged returns the messages of the code by level, each at least its beginning.
func logged(t *testing.T) map[string][]string {
	all := map[string][]string{"Warn": nil, "Error": nil}
	for _, dir := range []string{".", "../process", "../transport/tcp"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			require.NoError(t, err)
			texts := assigned(f)
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				what, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				level, message := what.Sel.Name, call.Args[0]
				switch {
				case level == "warn" && len(call.Args) > 1: // of package process: a kind comes first
					level, message = "Warn", call.Args[1]
				case level != "Warn" && level != "Error", !isLog(what.X):
					return true
				}
				switch found := beginnings(message, texts); {
				case found == nil:
					t.Errorf("%s: the message of a %s is not known: add it to variables", file, level)
				default:
					all[level] = append(all[level], found...)
				}
				return true
			})
		}
	}
	return all
}

// isLog reports whether an expression is a logger.
func isLog(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "log"
	case *ast.SelectorExpr:
		return x.Sel.Name == "log" || x.Sel.Name == "Log"
	}
	return false
}

// assigned returns the literals that a file assigns to each variable named text.
func assigned(f *ast.File) (texts []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			if name, ok := a.Lhs[0].(*ast.Ident); ok && name.Name == "text" {
				texts = append(texts, beginnings(a.Rhs[0], nil)...)
			}
		}
		return true
	})
	return texts
}

// beginnings returns how a message may begin, or nil if that is not known. The variable text has one of texts.
func beginnings(x ast.Expr, texts []string) []string {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(x.Value)
		return []string{text}
	case *ast.BinaryExpr:
		return beginnings(x.X, texts)
	case *ast.Ident:
		if x.Name == "text" {
			if len(texts) == 0 {
				return []string{} // the parameter of warn: its calls are found
			}
			return texts
		}
		return variables[x.Name]
	case *ast.CallExpr:
		if f, ok := x.Fun.(*ast.SelectorExpr); ok {
			name := f.Sel.Name
			switch inner := f.X.(type) {
			case *ast.Ident:
				name = inner.Name + "." + name
			case *ast.SelectorExpr:
				if pkg, ok := inner.X.(*ast.Ident); ok {
					name = pkg.Name + "." + inner.Sel.Name + "." + name
				}
			}
			return variables[name]
		}
	}
	return nil
}

// TestOperations: docs/operations.md explains each warning and error of the log by its level, each View, and nothing
// that the code does not contain.
func TestOperations(t *testing.T) {
	b, err := os.ReadFile(operations)
	require.NoError(t, err)
	section := func(title string) string {
		_, text, ok := strings.Cut(string(b), "\n### "+title+"\n")
		require.True(t, ok, title)
		text, _, _ = strings.Cut(text, "\n#")
		return text
	}
	explained := make(map[string][]string) // by level: what stands in the first column
	for title, level := range map[string]string{"Errors": "Error", "Warnings": "Warn", "Information": "Info", "Symptoms": ""} {
		for line := range strings.Lines(section(title)) {
			cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
			for i, text := range strings.Split(cell, "`") {
				if i%2 == 1 && strings.HasPrefix(line, "| ") {
					explained[level] = append(explained[level], text)
				}
			}
		}
	}
	messages := logged(t)
	for level, all := range messages {
		require.Greater(t, len(all), 8, level)
		for _, message := range all {
			require.True(t, slices.ContainsFunc(explained[level], func(text string) bool {
				return len(text) > 7 && strings.HasPrefix(message, text)
			}), "%s: level %s: %q is not explained", operations, strings.ToUpper(level), message)
		}
	}
	for why := elector.Elected; why <= elector.Ended; why++ { // each View is a line of the log
		require.Contains(t, section("Information"), "\n| `"+why.String()+"`")
	}
	var code strings.Builder
	for _, dir := range []string{".", "../process", "../transport/tcp", "../lease", ".."} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				code.Write(text)
			}
		}
	}
	// Literals that go on in the next line.
	whole := regexp.MustCompile(`" \+\n\s*"`).ReplaceAllString(code.String(), "")
	quoted := 0
	for _, texts := range explained {
		for _, text := range texts {
			if strings.Contains(text, " ") && !composed[text] {
				require.True(t, strings.Contains(whole, text), "no log has %q", text)
				quoted++
			}
		}
	}
	require.Greater(t, quoted, 40)
}

// composed are texts that the code composes.
var composed = map[string]bool{"election: a node panicked": true, "election: a callback or the transport panicked": true}
