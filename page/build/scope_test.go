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
	for _, c := range [][2]string{
		// Functions beside each other use the same names.
		{"function ab(cd, ef) { gh(cd, ef); } function ij(kl, mn) { gh(kl, mn); }",
			"function E(e,t){gh(e,t)}function T(e,t){gh(e,t)}"},
		{"ab((cd) => cd.ef, (gh) => gh.ij); kl((cd) => gh);", "ab(e=>e.ef,e=>e.ij);kl(e=>gh);"},
		// A function within another one does not take its names, nor those of the browser.
		{"ab((cd) => ef((gh) => cd + gh));", "ab(e=>ef(t=>e+t));"},
		{"ab((cd, ef) => { e(cd, ef); t(ef); });", "ab((a,o)=>{e(a,o);t(o)});"},
		// What a variable hides is not renamed with it.
		{"const ab = 1; cd((ab) => ab); ef(ab);", "let E=1;cd(e=>e);ef(E);"},
		{"gh((name) => name); ij(name); gh(event => event, event);", "gh(e=>e);ij(name);gh(e=>e,event);"},
		{"import { one } from \"./b.js\"; gh((one) => one); ij(one);", "gh(e=>e);ij(E);"},
		// A variable within one of the same name stays clear of it.
		{"ab((cd) => { ef(cd); gh((cd) => cd); });", "ab(e=>{ef(e);gh(e=>e)});"},
		// The extents of loops, blocks, parameters with values, methods and what is caught.
		{"{ for (let ab = 0; ab < cd; ab++) ef(ab); for (const gh of ij) kl(gh); }",
			"{for(let e=0;e<cd;e++)ef(e);for(let e of ij)kl(e)}"},
		{"if (ab) { const cd = 1; ef(cd); } else { const gh = 2; ef(gh); }",
			"if(ab){let e=1;ef(e)}else{let e=2;ef(e)}"},
		{"class Ab { cd(ef, gh = ef) { ij(gh); } kl(mn) { ij(mn); } }",
			"class E{cd(e,t=e){ij(t)}kl(e){ij(e)}}"},
		{"try { ab(); } catch ({ cd }) { ef(cd); } gh(cd);", "try{ab()}catch({cd:e}){ef(e)}gh(cd);"},
		{"ab(async ([cd, ...ef], { gh = cd }) => gh ? cd : ef, cd);",
			"ab(async([e,...t],{gh:a=e})=>a?e:t,cd);"},
		{"ab(`${cd.map((ef) => `${ef}`)} ${ef}`);", "ab(`${cd.map(e=>`${e}`)} ${ef}`);"},
		{"ab(() => { if (cd) { var ef = 1; } gh(ef); });", "ab(()=>{if(cd){var e=1}gh(e)});"},
	} {
		source, want := c[0], c[1]
		files, err := shown(t, map[string]string{"app.js": source + " export {};",
			"b.js": "export const one = 1;"})
		require.NoError(t, err)
		text := string(files["app.js"])
		if source[:6] == "import" {
			want = "let E=1;" + want
		}
		require.Equal(t, strings.TrimSuffix(want, ";")+";export{}\n", text, source)
	}
}

// bundled returns a module of this source.
func bundled(source string) (string, error) {
	text, _, err := build.Bundle(map[string][]byte{"app.js": []byte(source + " export {};")}, "app.js")
	return strings.TrimSuffix(string(text), "export{}\n"), err
}

// shadows are scripts, and what becomes of them.
var shadows = [][2]string{
	{"ab(cd => { ef(gh => gh); cd(); })", "ab(e=>{ef(e=>e);e()})"},
	{"ab(cd => { ef(gh => gh(cd)); })", "ab(e=>{ef(t=>t(e))})"},
	{"function f(ab) { { let cd = 1; gh(cd); } ij(); }", "function E(e){{let e=1;gh(e)}ij()}"},
	{"function f(ab) { { let cd = 1; gh(ab); } ij(); }", "function E(e){{let t=1;gh(e)}ij()}"},
	{"function f(ab) { let cd = 1; gh(cd); }", "function E(e){let t=1;gh(t)}"},
	{"f(ab => { let cd = 1; gh(cd); })", "f(e=>{let t=1;gh(t)})"},
	{"f(ab => gh(ab => { let cd = 1; ij(cd); }, 1))", "f(e=>gh(e=>{let t=1;ij(t)},1))"},
	{"for (const ab of f) { const cd = 1; gh(cd); }", "for(let e of f){let e=1;gh(e)}"},
	{"f(ab => { for (const cd of ab) { const ef = 1; gh(ef); } })",
		"f(e=>{for(let t of e){let e=1;gh(e)}})"},
	{"f((ab, cd = ef => ef, gh = ij => ab) => cd)", "f((e,t=e=>e,a=t=>e)=>t)"},
	{"f(ab => ({ gh: cd => cd, ij: { ab } }))", "f(e=>({gh:e=>e,ij:{ab:e}}))"},
	{"f(ab => ({ gh: cd => ({ ab, cd }) }))", "f(e=>({gh:t=>({ab:e,cd:t})}))"},
	{"ab((cd) => (ef) => ef);", "ab(e=>e=>e);"},
	{"ab((cd) => (ef) => cd);", "ab(e=>t=>e);"},
	{"ab((cd) => (ef) => (gh) => cd(gh));", "ab(e=>t=>t=>e(t));"},
	// Parameters and what the body declares, in blocks too.
	{"function ab(cd) { class Ef {} function gh() {} }", "function E(e){class t{}function a(){}}"},
	{"ab((cd, { ef }, [gh]) => { let ij = 1; ij(); });", "ab((e,{ef:t},[a])=>{let o=1;o()});"},
	{"ab((cd) => { var ef = 1; });", "ab(e=>{var t=1});"},
	{"class Ab { cd(ef) { const gh = 1; ij(gh); } set kl(mn) { let op; } }",
		"class E{cd(e){let t=1;ij(t)}set kl(e){let t}}"},
	{"try { ab(); } catch (cd) { const ef = 1; gh(ef); } try { ab(); } catch { const ij = 1; " +
		"ij(); }",
		"try{ab()}catch(e){let t=1;gh(t)}try{ab()}catch{let e=1;e()}"},
	// An outer parameter of the name that an inner one has.
	{"{ const ab = 1; cd(ab); ef((ab) => { const gh = 1; ij(gh); }); }",
		"{let e=1;cd(e);ef(e=>{let t=1;ij(t)})}"},
	{"{ const ab = 1; cd(ab); ef((ab) => { gh((kl) => { const ij = 1; ij(); }); }); }",
		"{let e=1;cd(e);ef(e=>{gh(e=>{let t=1;t()})})}"},
	// A var is that of the function, also where a block declares something.
	{"ab(() => { { let cd = 1; cd(); { var ef = 1; } } gh(ef); });",
		"ab(()=>{{let t=1;t();{var e=1}}gh(e)});"},
	{"ab(() => { { let cd = 1; cd(); } var ef; { let gh = 1; gh(); } ij(ef); });",
		"ab(()=>{{let e=1;e()}var e;{let e=1;e()}ij(e)});"},
	// Values of parameters and of patterns.
	{"ab((cd) => { ef((gh = cd) => gh); ij((kl = () => 1) => kl); });",
		"ab(e=>{ef((t=e)=>t);ij((e=()=>1)=>e)});"},
	{"ab((cd) => { ef(({ gh = cd, ...ij }) => gh); kl(({ mn, op = mn }) => op); });",
		"ab(e=>{ef(({gh:t=e,...a})=>t);kl(({mn:e,op:t=e})=>t)});"},
	{"ab((cd) => { { const { ef = cd } = gh; ef(); } });", "ab(e=>{{let{ef:t=e}=gh;t()}});"},
	// The heads of loops.
	{"ab((cd) => { for (const ef of cd) gh(ef); });", "ab(e=>{for(let t of e)gh(t)});"},
	{"ab((cd) => { cd(); for (const ef of gh) { const ij = 1; ij(); } });",
		"ab(e=>{e();for(let e of gh){let e=1;e()}});"},
	{"ab((cd) => { for (const ef of gh) { const ij = ef; ij(); } });",
		"ab(e=>{for(let e of gh){let t=e;t()}});"},
	{"ab((cd) => { for (let ef = cd, gh = ef; gh; gh--) ij(() => ef); });",
		"ab(e=>{for(let t=e,a=t;a;a--)ij(()=>t)});"},
	{"ab((cd) => { for (const ef of gh) if (ij) break; else continue; cd(); });",
		"ab(e=>{for(let e of gh)if(ij)break;else continue;e()});"},
	{"ab((cd) => { for (const ef of gh) switch (ef) { default: { const ij = 1; ij(); } } cd(); });",
		"ab(e=>{for(let t of gh)switch(t){default:{let e=1;e()}}e()});"},
	// A function uses later what is declared behind it.
	{"ab(() => { cd((ef) => gh(ef)); function gh(ij) { return ij; } });",
		"ab(()=>{cd(t=>e(t));function e(e){return e}});"},
	{"ab(() => { cd((ef) => ef + gh); const gh = 1; });", "ab(()=>{cd(t=>t+e);let e=1});"},
	// Names of functions and classes.
	{"ab(() => { function cd(ef) { cd(ef); } function gh(ij) { kl(ij); } });",
		"ab(()=>{function e(t){e(t)}function t(e){kl(e)}});"},
	{"ab(() => { class Cd { ef(gh) { return new Cd(gh); } } class Ij { kl(mn) { op(mn); } } });",
		"ab(()=>{class e{ef(t){return new e(t)}}class t{kl(e){op(e)}}});"},
	{"ab((cd) => class Ef extends cd { gh(ij) { kl(ij); } });",
		"ab(t=>class e extends t{gh(e){kl(e)}});"},
	{"ab(function cd(ef) { cd(ef); }, function gh(ij) { kl(ij); });",
		"ab(function e(t){e(t)},function t(e){kl(e)});"},
	// Objects and patterns whose names stand for variables.
	{"ab((cd) => { ef(({ gh }) => ({ gh })); ij((kl) => ({ cd, kl })); });",
		"ab(e=>{ef(({gh:e})=>({gh:e}));ij(t=>({cd:e,kl:t}))});"},
	{"ab((cd) => { ef((gh) => { ({ cd } = gh); }); });", "ab(e=>{ef(t=>{({cd:e}=t)})});"},
	{"ab((cd) => ef((gh) => `${cd} ${gh}`, (ij) => `${ij}`));", "ab(e=>ef(t=>`${e} ${t}`,e=>`${e}`));"},
	// Outside of functions, and from other modules.
	{"const ab = 1; function cd(ef) { return ef; } function gh(ij) { return ij + ab; }",
		"function T(e){return e}function A(e){return e+E}"},
	{"import { one } from \"./b.js\"; gh((ij) => ij); kl((mn) => mn + one); op((qr) => ({ one, " +
		"qr }));",
		"gh(e=>e);kl(e=>e+E);op(e=>({one:E,qr:e}));"},
	{"import * as all from \"./b.js\"; gh((ij) => ij); kl((mn) => mn + all.one);",
		"gh(e=>e);kl(e=>e+E);"},
}

// TestShadows: a variable has the name of one around it if that one is not used within it, and a name of its
// own if it is, or if both are declared beside each other.
func TestShadows(t *testing.T) {
	for _, c := range shadows {
		source, want := c[0], c[1]
		text, _, err := build.Bundle(map[string][]byte{"app.js": []byte(source + " export {};"),
			"b.js": []byte("export const one = 1;")}, "app.js")
		require.NoError(t, err)
		got := strings.TrimPrefix(strings.TrimSuffix(string(text), "export{}\n"), "let E=1;")
		require.Equal(t, strings.TrimSuffix(want, ";")+";", got, source)
	}
}

// unclear are scripts that look unclear and are not, and what becomes of them.
var unclear = [][2]string{
	// A block behind a colon.
	{"function go(x) { return x; } switch (ab) { case 1: { go(ab); break; } case b ? 1 : 2: {} }",
		"function E(e){return e}switch(ab){case 1:{E(ab);break}case b?1:2:{}}"},
	{"const ab = 1; switch (cd) { default: { ef({ gh: { ab }, ij: cd ? { ab } : [ab] }); } }",
		"let E=1;switch(cd){default:{ef({gh:{ab:E},ij:cd?{ab:E}:[E]})}}"},
	// A name in one function, and the browser's in another one.
	{"function f() { return name; } function g(name) { return name; }",
		"function E(){return name}function T(e){return e}"},
	{"function f() { return name; } function g() { if (a) { var name = 1; } return name; }",
		"function E(){return name}function T(){if(a){var e=1}return e}"},
	{"ab((name) => name\n+ name, name);", "ab(e=>e\n+e,name);"},
	{"{ for (const ab of cd) ef(ab); for (const ab of gh) if (ij) { ab(); } else f(ab); }",
		"{for(let e of cd)ef(e);for(let e of gh)if(ij){e()}else f(e)}"},
	{"function f() { for (const name of ab) { cd(name); } return name; }",
		"function E(){for(let e of ab){cd(e)}return name}"},
	{"function f() { for (let name = 1; ;) cd(name); name(); }",
		"function E(){for(let e=1;;)cd(e);name()}"},
	{"function f() { for (const name of ab) if (cd) { ef(name); } name(); }",
		"function E(){for(let e of ab)if(cd){ef(e)}name()}"},
	{"async function f() { for await (const name of ab) if (cd) ef(name); else while (gh) ij(); " +
		"name(); }",
		"async function E(){for await(let e of ab)if(cd)ef(e);else while(gh)ij();name()}"},
	{"const name = 1; { for (const name of ab) cd(name); ef(name); }",
		"let E=1;{for(let e of ab)cd(e);ef(E)}"},
	{"ab(function name() {}); name();", "ab(function e(){});name();"},
	{"{ ab(function name() {}); name(); }", "{ab(function e(){});name()}"},
	// A slash.
	{"f(a) / b / (c) / d; (a + b) / c", "f(a)/b/(c)/d;(a+b)/c"},
	// A number behind a question mark, and templates within templates.
	{"f = a?.5:b; g = a?.b", "f=a?.5:b;g=a?.b"},
	// What a case returns is an object, and what is caught is no function.
	{"function ab(cd) { switch (cd) { case 1: return { cd }; case 2: throw { cd }; } }",
		"function E(e){switch(e){case 1:return{cd:e};case 2:throw{cd:e}}}"},
	{"function ab() { try { cd(); } catch (ef) { var gh = ef; } return gh; }",
		"function E(){try{cd()}catch(t){var e=t}return e}"},
	// Behind a property stands no regular expression, and behind an object a value may go on.
	{"ab = (cd, ef) => cd.of / ef / cd?.in / ef", "ab=(e,t)=>e.of/t/e?.in/t"},
	{"ab = (cd) => cd ? { ef: cd } : { gh: cd }", "ab=e=>e?{ef:e}:{gh:e}"},
	// Members of classes begin on lines of their own.
	{"class Ab {\n  static cd = 1;\n  ef =\n    2;\n  async gh() {}\n  get ij() { return 1; }\n}",
		"class E{static cd=1;ef=2;async gh(){};get ij(){return 1}}"},
	{"f(`${a ? `${b}` : `${`${c}`}`} } {`)", "f(`${a?`${b}`:`${`${c}`}`} } {`)"},
}

// TestUnclear: what may be one thing or another is an error, and what looks like it is not.
func TestUnclear(t *testing.T) {
	for _, c := range unclear {
		source, want := c[0], c[1]
		got, err := bundled(source)
		require.NoError(t, err, source)
		require.Equal(t, strings.TrimSuffix(want, ";")+";", got, source)
	}
	for _, c := range [][2]string{
		{"ab: for (;;) { break ab; }", "app.js: ab: the page has no labels"},
		{"class A { [f](b) { g(b); } }", "app.js: ](: the page has no methods whose names are computed"},
		{"f({ async [g](b) { g(b); } })", "names are computed"},
		{"ab: { cd(); }", "app.js: ab: the page has no labels"},
		{"switch (ab) { case 1: cd: { ef(); } }", "app.js: cd: the page has no labels"},
		{"function f() { for (const name of ab) switch (cd) { case name: } return name; }",
			"app.js: name is the name"},
		{"const name = 1; { for (const name of ab) do cd(name); while (1); ef(name); }",
			"app.js: name is the name"},
		{"ab = name => name\ncd(name)", "app.js: name is the name"},
		{"ab = (name) => name\ncd(name)", "app.js: name is the name"},
		{"ab = (name) => name ? { cd: name } : { ef: name }\ngh(name)", "app.js: name is the name"},
		{"ab = cd ? (name) => name : name;", "app.js: name is the name"},
		{"{ ab = async function name() {}; name(); }", "app.js: name is the name"},
		{"{ ab = class name extends Ef {}; name(); }", "app.js: name is the name"},
		{"class A extends f({ b }) { b() {} }", "app.js: (: the page has no classes that extend a value"},
		{"class A extends {}.b { c() {} }", "app.js: {: the page has no classes that extend a value"},
		{"class A { b = 1\n c = 2 }", "app.js: c: the page has no fields that end without a semicolon"},
		{"class A { async\n b() {} }", "app.js: b: the page has no fields that end without a semicolon"},
		{"class A { b\n *c() {} }", "app.js: *: the page has no fields that end without a semicolon"},
		{"if (name) /name/.test(ab);", "app.js: line 1: \"/name/.test(ab); exp\" is no script"},
		{"while (a) /b/.test(c);", "is no script"},
		{"for (;;) /b/.test(c);", "is no script"},
		{"if (a) {}\n/b/.test(c);", "app.js: line 2: "},
		{"a++ / b / c;", "is no script"},
		{"a = 0o17;", "\"0o17; "}, {"a = 0XFF;", "\"0XFF; "}, {"a = 0.;", "\"0.; "},
		{"a = 0.5.b;", "\"0.5.b; "}, {"a = .5.b;", "\".5.b; "}, {"a = 1..b;", "\"1..b; "},
		{"a\\u0062 = 1;", "is no script"}, {"aé = 1;", "is no script"}, {"é = 1;", "is no script"},
	} {
		source, want := c[0], c[1]
		got, err := bundled(source)
		require.ErrorContains(t, err, want, "%s becomes %s", source, got)
	}
}
