package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// waits are the functions that take real time outside a bubble of testing/synctest, by package or by the
// variable that stands for one. The durations of contexts are apart, in deadlines.
var waits = map[string]string{
	"time":    "Sleep After Tick NewTimer NewTicker AfterFunc",
	"require": "Eventually Eventuallyf EventuallyWithT Never Neverf",
	"assert":  "Eventually Eventuallyf EventuallyWithT Never Neverf",
	"context": "WithTimeout WithTimeoutCause WithDeadline WithDeadlineCause",
}

// scripted is a call in a string of a test, that is in a script for a browser, which takes real time. There
// a test waits for frames until the page says that it is done.
var scripted = regexp.MustCompile(`\b(setTimeout|setInterval|AbortSignal\.timeout)\s*\(`)

// bubbles are the functions that call an argument in a bubble.
var bubbles = words("synctest.Test exampletest.Output electortest.Test")

// deadlines are the files in which a context with an end may be used outside a bubble, and why. A sleep, a
// timer or a poll takes its time whenever a test passes. A deadline takes none in a test that passes: it
// ends one that hangs. So contexts alone are allowed here, where the end of the context fails the test.
var deadlines = map[string]string{
	"examples/fencing-sql/main_test.go": "a leader that does not write",
	"page/bridge/fuzz_test.go":          "a call that does not end",
	"page/web/browser_test.go":          "a browser that does not answer",
}

// elsewhere are the files with functions that run in bubbles, which functions of other names open.
var elsewhere = map[string]string{
	"transport/tcp/proxy_test.go":              "conforms; in real time only with -sockets, which chaos gives",
	"transport/transporttest/broken_test.go":   "areFound",
	"transport/transporttest/bus_test.go":      "isFound",
	"transport/transporttest/declared_test.go": "areFound",
}

// TestNoRealTime: no test waits for real time to pass, but for those of real faults, in chaos, and of speed,
// in bench.
func TestNoRealTime(t *testing.T) {
	dirs := make(map[string]*waiting)
	eachGoFile(t, func(file string, f *ast.File, fset *token.FileSet) {
		dir := path.Dir(file)
		if dir == "chaos" || strings.HasPrefix(dir+"/", "bench/") {
			return
		}
		if dirs[dir] == nil {
			dirs[dir] = &waiting{}
		}
		dirs[dir].files, dirs[dir].at = append(dirs[dir].files, f), append(dirs[dir].at, place{file, fset})
	})
	require.Greater(t, len(dirs), 50)
	used := make(map[string]bool)
	for _, w := range dirs {
		for _, found := range w.found() {
			_, deadline := deadlines[found.file]
			_, bubble := elsewhere[found.file]
			if deadline && strings.HasPrefix(found.name, "context.") || bubble {
				used[found.file] = true
				continue
			}
			t.Errorf("%s: %s takes real time: neither a bubble of testing/synctest nor frames", found.at,
				found.name)
		}
	}
	require.Len(t, used, len(deadlines)+len(elsewhere), "a file has no such call any more: only %v have", used)
}

// waiting finds what waits in the tests of a folder. It knows names, not types: what is declared at the
// package level is taken to run in bubbles if each mention of its name lies in one. So a lease, or another
// time of the code that is tested, is not seen.
type waiting struct {
	files    []*ast.File
	at       []place                 // where the files are
	openers  map[string]map[int]bool // functions, and the parameters that they call in a bubble
	mentions map[string][]use        // of what is declared; methods belong to their type
}

// use is a place in a declaration.
type use struct {
	in     string // the name of the declaration; empty: there is none
	bubble bool   // it lies in a bubble that the declaration opens
}

// place says where a file is.
type place struct {
	file string
	fset *token.FileSet
}

// call is one that takes real time, or may.
type call struct{ name, file, at string }

// found returns the calls outside of bubbles.
func (w *waiting) found() (list []call) {
	w.findOpeners()
	w.mentions = make(map[string][]use)
	w.eachTest(func(_ int, name string, _ ast.Node) { w.mentions[name] = nil })
	w.eachTest(func(_ int, name string, d ast.Node) { w.findMentions(name, d) })
	outside := map[string]bool{"": true}
	for changed := true; changed; {
		changed = false
		for name, all := range w.mentions {
			if !outside[name] && (started(name) || slices.ContainsFunc(all, func(u use) bool {
				return !u.bubble && outside[u.in]
			})) {
				outside[name], changed = true, true
			}
		}
	}
	w.eachTest(func(i int, name string, d ast.Node) {
		inspect(d, w.regions(d), func(n ast.Node, bubble bool) {
			at := func() string { return w.at[i].fset.Position(n.Pos()).String() }
			switch n := n.(type) {
			case *ast.CallExpr:
				if !bubble && outside[name] && words(waits[pkg(n)])[sel(n)] {
					list = append(list, call{pkg(n) + "." + sel(n), w.at[i].file, at()})
				}
			case *ast.BasicLit:
				// Not only outside of bubbles: the clock of a browser is in none.
				for _, found := range scripted.FindAllStringSubmatch(n.Value, -1) {
					list = append(list, call{found[1], w.at[i].file, at()})
				}
			}
		})
	})
	return list
}

// started reports whether package testing, or the program, calls a function by its name.
func started(name string) bool {
	for _, kind := range []string{"Test", "Benchmark", "Fuzz", "Example", "init", "main"} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	return false
}

// eachTest calls do with all that tests declare at the package level: the index of the file, and the name.
func (w *waiting) eachTest(do func(file int, name string, d ast.Node)) {
	for i, f := range w.files {
		if !strings.HasSuffix(w.at[i].file, "_test.go") {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = baseName(d.Recv.List[0].Type)
				}
				do(i, name, d)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						do(i, v.Names[0].Name, v)
					}
				}
			}
		}
	}
}

// baseName returns the name of a type.
func baseName(typ ast.Expr) string {
	switch typ := typ.(type) {
	case *ast.StarExpr:
		return baseName(typ.X)
	case *ast.IndexExpr:
		return baseName(typ.X)
	case *ast.Ident:
		return typ.Name
	}
	return ""
}

// findMentions notes which declarations are mentioned in one: functions and variables wherever they are,
// types where a value of them is made.
func (w *waiting) findMentions(name string, d ast.Node) {
	note := func(id ast.Expr, bubble bool) {
		if base := baseName(id); base != name {
			if _, ok := w.mentions[base]; ok {
				w.mentions[base] = append(w.mentions[base], use{name, bubble})
			}
		}
	}
	typed := make(map[ast.Node]bool) // names of types that make no value
	inspect(d, w.regions(d), func(n ast.Node, bubble bool) {
		switch n := n.(type) {
		case *ast.Field:
			ast.Inspect(n.Type, func(n ast.Node) bool { typed[n] = true; return true })
		case *ast.MapType, *ast.ArrayType, *ast.ChanType, *ast.TypeAssertExpr:
			ast.Inspect(n, func(n ast.Node) bool { typed[n] = true; return true })
		case *ast.SelectorExpr:
			typed[n.Sel] = true
		case *ast.KeyValueExpr:
			typed[n.Key] = true
		case *ast.Ident:
			if !typed[n] {
				note(n, bubble)
			}
		}
	})
}

// findOpeners finds the functions that call a parameter in bubbles only.
func (w *waiting) findOpeners() {
	w.openers = make(map[string]map[int]bool)
	for changed := true; changed; {
		changed = false
		for _, f := range w.files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				for i, param := range params(fn) {
					inside, outside := false, false
					inspect(fn.Body, w.regions(fn), func(n ast.Node, bubble bool) {
						if id, ok := n.(*ast.Ident); ok && id.Name == param {
							inside, outside = inside || bubble, outside || !bubble
						}
					})
					if inside && !outside && !w.openers[fn.Name.Name][i] {
						if w.openers[fn.Name.Name] == nil {
							w.openers[fn.Name.Name] = make(map[int]bool)
						}
						w.openers[fn.Name.Name][i], changed = true, true
					}
				}
			}
		}
	}
}

// params returns the names of the parameters of a function, empty for those that are not functions.
func params(fn *ast.FuncDecl) (names []string) {
	for _, field := range fn.Type.Params.List {
		_, function := field.Type.(*ast.FuncType)
		for _, name := range field.Names {
			if function {
				names = append(names, name.Name)
			} else {
				names = append(names, "")
			}
		}
	}
	return names
}

// regions returns the arguments that a declaration lets another function call in a bubble. Where there are
// some, functions that it keeps in tables and variables are taken to be called there too.
func (w *waiting) regions(d ast.Node) map[ast.Node]bool {
	regions := make(map[ast.Node]bool)
	ast.Inspect(d, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			for i, arg := range c.Args {
				if bubbles[pkg(c)+"."+sel(c)] || w.openers[sel(c)][i] {
					regions[arg] = true
				}
			}
		}
		return true
	})
	if len(regions) > 0 {
		ast.Inspect(d, func(n ast.Node) bool {
			var kept []ast.Expr
			switch n := n.(type) {
			case *ast.CompositeLit:
				kept = n.Elts
			case *ast.KeyValueExpr:
				kept = []ast.Expr{n.Value}
			case *ast.AssignStmt:
				kept = n.Rhs
			}
			for _, value := range kept {
				if _, ok := value.(*ast.FuncLit); ok {
					regions[value] = true
				}
			}
			return true
		})
	}
	return regions
}

// pkg and sel are the two words of what is called: synctest and Test, or only the second.
func pkg(c *ast.CallExpr) string {
	if s, ok := c.Fun.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name
		}
	}
	return ""
}

func sel(c *ast.CallExpr) string {
	switch fun := c.Fun.(type) {
	case *ast.SelectorExpr:
		return fun.Sel.Name
	case *ast.Ident:
		return fun.Name
	}
	return ""
}

// inspect visits all nodes, and says whether they lie in one of the regions.
func inspect(d ast.Node, regions map[ast.Node]bool, visit func(n ast.Node, bubble bool)) {
	depth := 0
	var stack []ast.Node
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil {
			if regions[stack[len(stack)-1]] {
				depth--
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if regions[n] {
			depth++
		}
		visit(n, depth > 0)
		return true
	})
}

// TestWaiting: a call that waits is found where no bubble is around it: in a test, in a function, a method or
// a variable that a test mentions outside one, and in what a bubble does not call. A function literal that is
// kept in a variable counts as called in the bubble of its declaration, if that has one. A waiting function
// that is kept itself is not found, nor one of another package.
func TestWaiting(t *testing.T) {
	for code, want := range map[string][]string{
		`func TestA(t *testing.T) { time.Sleep(1) }`:                                                  {"time.Sleep"},
		`func TestA(t *testing.T) { synctest.Test(t, func(*testing.T) { nap() }) }`:                   nil,
		`func TestA(t *testing.T) { synctest.Test(t, bubbled) }`:                                      nil,
		`func TestA(t *testing.T) { nap(); synctest.Test(t, bubbled) }`:                               {"time.After"},
		`func TestA(t *testing.T) { synctest.Test(t, bubbled); go alarm{}.ring() }`:                   {"time.NewTimer"},
		`func TestA(t *testing.T) { synctest.Test(t, rings) }; func rings() { _ = alarm{} }`:          nil,
		`func TestA(t *testing.T) { within(t, func() { nap() }) }`:                                    nil,
		`func TestA(t *testing.T) { within(t, nap) }`:                                                 nil,
		`func TestA(t *testing.T) { beside(t, nap) }`:                                                 {"time.After"},
		`func TestA(t *testing.T) { either(t, nap) }`:                                                 {"time.After"},
		`func TestA(t *testing.T) { require.Eventually(t, nil, 1, 1) }`:                               {"require.Eventually"},
		`func TestA(t *testing.T) { context.WithTimeout(t.Context(), 1) }`:                            {"context.WithTimeout"},
		`func TestA(t *testing.T) { f := func() { nap() }; within(t, f) }`:                            nil,
		`var table = []func(){nap}; func TestA(t *testing.T) { table[0]() }`:                          {"time.After"},
		`func Example() { nap() }; func TestExample(t *testing.T) { exampletest.Output(t, Example) }`: {"time.After"},
	} {
		w := &waiting{}
		for file, text := range map[string]string{"of_test.go": code, "in.go": helpers, "a_test.go": common} {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, file, "package of; "+text, 0)
			require.NoError(t, err)
			w.files, w.at = append(w.files, f), append(w.at, place{file, fset})
		}
		var got []string
		for _, c := range w.found() {
			got = append(got, c.name)
		}
		require.Equal(t, want, got, code)
	}
}

// TestWaitingScripts: a call of a script that waits is found in each string, also in a constant or a bubble.
func TestWaitingScripts(t *testing.T) {
	for _, code := range []string{
		"const tools = `await new Promise((r) => CALL(r, 5))`",
		`func TestA(t *testing.T) { run("CALL(() => {}, 5)") }`,
		`func TestA(t *testing.T) { synctest.Test(t, func(*testing.T) { run("window.CALL (f)") }) }`,
	} {
		for name, found := range map[string]bool{"setTimeout": true, "setInterval": true,
			"AbortSignal.timeout": true, "clearTimeout": false, "requestAnimationFrame": false} {
			fset := token.NewFileSet()
			text := "package of; " + strings.ReplaceAll(code, "CALL", name)
			f, err := parser.ParseFile(fset, "of_test.go", text, 0)
			require.NoError(t, err)
			w := &waiting{files: []*ast.File{f}, at: []place{{"of_test.go", fset}}}
			if !found {
				require.Empty(t, w.found(), text)
				continue
			}
			require.Equal(t, []call{{name, "of_test.go", w.found()[0].at}}, w.found(), text)
		}
	}
}

// helpers are no test: what they call by the name of a parameter counts, and not their own waits.
const helpers = `
func within(t *testing.T, f func()) { synctest.Test(t, func(*testing.T) { time.Sleep(1); f() }) }
func beside(t *testing.T, f func()) { synctest.Test(t, func(*testing.T) {}); f() }
func either(t *testing.T, f func()) { synctest.Test(t, func(*testing.T) { f() }); f() }
func idle() { time.Sleep(1) }`

const common = `
func bubbled(t *testing.T) { nap() }
func nap() { <-time.After(1) }
type alarm struct{}
func (alarm) ring() { time.NewTimer(1) }`
