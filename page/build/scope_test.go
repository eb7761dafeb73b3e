package build_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
)

// TestScopes: a variable of a function has a short name of its own wherever it lives, and what has the same
// name elsewhere is another thing: a variable beside it, one outside of functions, an import, the browser's.
func TestScopes(t *testing.T) {
	for source, want := range map[string]string{
		// Functions beside each other use the same names.
		"function ab(cd, ef) { gh(cd, ef); } function ij(kl, mn) { gh(kl, mn); }": "function ee(e,t){gh(e,t)}" +
			"function et(e,t){gh(e,t)}",
		"ab((cd) => cd.ef, (gh) => gh.ij); kl((cd) => gh);": "ab(e=>e.ef,e=>e.ij);kl(e=>gh);",
		// A function within another one does not take its names, nor those of the browser.
		"ab((cd) => ef((gh) => cd + gh));":       "ab(e=>ef(t=>e+t));",
		"ab((cd, ef) => { e(cd, ef); t(ef); });": "ab((a,o)=>{e(a,o);t(o)});",
		// What a variable hides is not renamed with it.
		"const ab = 1; cd((ab) => ab); ef(ab);":                      "let ee=1;cd(e=>e);ef(ee);",
		"gh((name) => name); ij(name); gh(event => event, event);":   "gh(e=>e);ij(name);gh(e=>e,event);",
		"import { one } from \"./b.js\"; gh((one) => one); ij(one);": "gh(e=>e);ij(ee);",
		// A variable within one of the same name stays clear of it.
		"ab((cd) => { ef(cd); gh((cd) => cd); });": "ab(e=>{ef(e);gh(e=>e)});",
		// The extents of loops, blocks, parameters with values, methods and what is caught.
		"{ for (let ab = 0; ab < cd; ab++) ef(ab); for (const gh of ij) kl(gh); }": "{for(let e=0;e<cd;e++)ef(e);" +
			"for(let t of ij)kl(t)}",
		"if (ab) { const cd = 1; ef(cd); } else { const gh = 2; ef(gh); }": "if(ab){let " +
			"e=1;ef(e)}else{let e=2;ef(e)}",
		"class Ab { cd(ef, gh = ef) { ij(gh); } kl(mn) { ij(mn); } }": "class ee{cd(e,t=e){ij(t)}kl(e){ij(e)}}",
		"try { ab(); } catch ({ cd }) { ef(cd); } gh(cd);":            "try{ab()}catch({cd:e}){ef(e)}gh(cd);",
		"ab(async ([cd, ...ef], { gh = cd }) => gh ? cd : ef, cd);":   "ab(async([e,...t],{gh:a=e})=>a?e:t,cd);",
		"ab(`${cd.map((ef) => `${ef}`)} ${ef}`);":                     "ab(`${cd.map(e=>`${e}`)} ${ef}`);",
		"ab(() => { if (cd) { var ef = 1; } gh(ef); });":              "ab(()=>{if(cd){var e=1}gh(e)});",
	} {
		files, err := shown(t, map[string]string{"app.js": source + " export {};",
			"b.js": "export const one = 1;"})
		require.NoError(t, err)
		text := string(files["app.js"])
		if source[:6] == "import" {
			want = "let ee=1;\n" + want
		}
		require.Equal(t, want+"\nexport{}\n", text, source)
	}
}

// TestShadows: a variable takes the name of one around it that does not occur where it may occur itself, and
// no other's. A parameter and a variable of its function's body never share a name.
func TestShadows(t *testing.T) {
	for source, want := range map[string]string{
		"ab(cd => { ef(gh => gh); cd(); })":                "ab(e=>{ef(e=>e);e()})",
		"ab(cd => { ef(gh => gh(cd)); })":                  "ab(e=>{ef(t=>t(e))})",
		"function f(ab) { { let cd = 1; gh(cd); } ij(); }": "function ee(e){{let e=1;gh(e)}ij()}",
		"function f(ab) { { let cd = 1; gh(ab); } ij(); }": "function ee(e){{let t=1;gh(e)}ij()}",
		"function f(ab) { let cd = 1; gh(cd); }":           "function ee(e){let t=1;gh(t)}",
		"f(ab => { let cd = 1; gh(cd); })":                 "f(e=>{let t=1;gh(t)})",
		"try { f(); } catch (ab) { let cd = 1; gh(cd); }":  "try{f()}catch(e){let t=1;gh(t)}",
		"f(ab => gh(ab => { let cd = 1; ij(cd); }, 1))":    "f(e=>gh(e=>{let t=1;ij(t)},1))",
		"for (const ab of f) { const cd = 1; gh(cd); }":    "for(let e of f){let e=1;gh(e)}",
		"f(ab => { for (const cd of ab) { const ef = 1; gh(ef); } })": "f(e=>{for(let t of e){let " +
			"e=1;gh(e)}})",
		"f((ab, cd = ef => ef, gh = ij => ab) => cd)": "f((e,t=e=>e,a=t=>e)=>t)",
		"f(ab => ({ gh: cd => cd, ij: { ab } }))":     "f(e=>({gh:e=>e,ij:{ab:e}}))",
		"f(ab => ({ gh: cd => ({ ab, cd }) }))":       "f(e=>({gh:t=>({ab:e,cd:t})}))",
	} {
		got, err := bundled(source)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
}

// bundled returns a module of this source.
func bundled(source string) (string, error) {
	text, _, err := build.Bundle(map[string][]byte{"app.js": []byte(source + " export {};")}, "app.js")
	return strings.TrimSuffix(string(text), "\nexport{}\n"), err
}

// TestUnclear: what may be one thing or another is an error, and what looks like it is not.
func TestUnclear(t *testing.T) {
	for source, want := range map[string]string{
		// A block behind a colon.
		"function go(x) { return x; } switch (ab) { case 1: { go(ab); break; } case b ? 1 : 2: {} }": "function ee(e){" +
			"return e}switch(ab){case 1:{ee(ab);break}case b?1:2:{}}",
		"const ab = 1; switch (cd) { default: { ef({ gh: { ab }, ij: cd ? { ab } : [ab] }); } }": "let ee=1;switch(cd){" +
			"default:{ef({gh:{ab:ee},ij:cd?{ab:ee}:[ee]})}}",
		// A name in one function, and the browser's in another one.
		"function f() { return name; } function g(name) { return name; }": "function ee(){return name}" +
			"function et(e){return e}",
		"function f() { return name; } function g() { if (a) { var name = 1; } return name; }": "function ee(){" +
			"return name}function et(){if(a){var e=1}return e}",
		"ab((name) => name\n+ name, name);": "ab(e=>e\n+e,name);",
		"{ for (const ab of cd) ef(ab); for (const ab of gh) if (ij) { ab(); } else f(ab); }": "{for(let e of cd)ef(e);" +
			"for(let e of gh)if(ij){e()}else f(e)}",
		// A slash.
		"f(a) / b / (c) / d; (a + b) / c": "f(a)/b/(c)/d;(a+b)/c",
		// A number behind a question mark, and templates within templates.
		"f = a?.5:b; g = a?.b":                 "f=a?.5:b;g=a?.b",
		"f(`${a ? `${b}` : `${`${c}`}`} } {`)": "f(`${a?`${b}`:`${`${c}`}`} } {`)",
	} {
		got, err := bundled(source)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
	for source, want := range map[string]string{
		"ab: for (;;) { break ab; }": "" +
			"app.js: ab: the page has no labels",
		"class A { [f](b) { g(b); } }":  "app.js: ](: the page has no methods whose names are computed",
		"f({ async [g](b) { g(b); } })": "names are computed",
		"ab: { cd(); }": "" +
			"app.js: ab: the page has no labels",
		"switch (ab) { case 1: cd: { ef(); } }": "app.js: cd: the page " +
			"has no labels",
		"function f() { for (const name of ab) { cd(name); } return name; }":    "app.js: name is the name",
		"function f() { for (let name = 1; ;) cd(name); name(); }":              "app.js: name is the name",
		"function f() { for (const name of ab) if (cd) { ef(name); } name(); }": "app.js: name is the name",
		"const name = 1; { for (const name of ab) cd(name); ef(name); }":        "app.js: name is the name",
		"ab = name => name\ncd(name)":                                           "app.js: name is the name",
		"ab = (name) => name\ncd(name)":                                         "app.js: name is the name",
		"ab = cd ? (name) => name : name;":                                      "app.js: name is the name",
		"{ ab(function name() {}); name(); }":                                   "app.js: name is the name",
		"{ ab = async function name() {}; name(); }":                            "app.js: name is the name",
		"ab(function name() {}); name();":                                       "app.js: name is the name",
		"{ ab = class name extends f({}) {}; name(); }":                         "app.js: name is the name",
		"if (name) /name/.test(ab);": "app.js: line 1: " +
			"\"/name/.test(ab); exp\" is no script",
		"while (a) /b/.test(c);": "is no script", "for (;;) /b/.test(c);": "is no script",
		"if (a) {}\n/b/.test(c);": "app.js: line 2: ", "a++ / b / c;": "is no script",
	} {
		got, err := bundled(source)
		require.ErrorContains(t, err, want, "%s becomes %s", source, got)
	}
}
