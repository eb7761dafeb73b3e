package build_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shown returns the files of a page with these modules.
func shown(t *testing.T, modules map[string]string) (map[string][]byte, error) {
	t.Helper()
	files := map[string]string{"lessons/a.json": `{"title": "first"}`}
	for name, text := range modules {
		files["web/"+name] = text
	}
	tree, err := withPage(t, files).Read()
	if err != nil {
		return nil, err
	}
	return tree.Shown(), nil
}

// TestShortScript: what no browser reads is left out, what it reads stays, also where it looks like a
// comment.
func TestShortScript(t *testing.T) {
	for _, c := range [][2]string{
		{"// a\n/** b\n * c */\nx = 1; // d\n", "x=1;"},
		{"const y = /** @type {any} */ (x), z = `//`;", "let y=x,z=`//`;"},
		{"a = (b.c(d, (e))[f]), g = [(h)], i({ j: ({ k: (l) }) }), m && (n)",
			"a=b.c(d,e)[f],g=[h],i({j:{k:l}}),m&&n"},
		{"a = (b, c), d = (e?.f).g, h = (i + j) * k, l = (m) => (n), o = () => ({ p }), q = (async " +
			"(r) => s)",
			"a=(b,c),d=(e?.f).g,h=(i+j)*k,l=m=>n,o=()=>({p}),q=(async r=>s)"},
		{"new (a.b)(), typeof (c), (d).e, f (g), j = (k ? l : m), n = (1).o, p = ({ q }).r, s = (`t`)",
			"new(a.b)(),typeof(c),d.e,f(g),j=(k?l:m),n=(1).o,p={q}.r,s=(`t`)"},
		{"a = b\nc()", "a=b\nc()"},
		{"a = b +\n  c;\nd\n  .e(/* f */)\n  ?.g", "a=b+c;d.e()?.g"},
		{"let f = () => {\n  g()\n}\nh()", "let f=()=>{g()};h()"},
		{"return\n!a", "return\n!a"},
		{"a = b\n++c; d + +e - -f; g++ + h", "a=b\n++c;d+ +e- -f;g++ +h"},
		{`s = "// \" 'a'" + '/* "' + "\\";`, `s="// \" 'a'"+'/* "'+"\\";`},
		{"t = `a ${ b + `${ { c: 1 }.c } // d` } $ \\` ${e}f`;",
			"t=`a ${b+`${{c:1}.c} // d`} $ \\` ${e}f`;"},
		{"q = a / b / c; r = /[/\\]\"]\\/`/g.test(a) / 2", "q=a/b/c;r=/[/\\]\"]\\/`/g.test(a)/2"},
		{"return /a b/ ; (a + b) / 2 // c", "return/a b/;(a+b)/2"},
		{"for (const [, k] of m) if (typeof k === 'x') delete o.p",
			"for(let[,k]of m)if(typeof k==='x')delete o.p"},
		{"class A {\n  #n = 1e-5;\n  get b() { return #n in this; }\n  async *c() {}\n}",
			"class A{#n=1e-5;get b(){return #n in this};async*c(){}}"},
		{"n = 1 - .5 - 0xff - 1_000n", "n=1-.5-0xff-1_000n"},
		{"f(a, { b, c: [d, , ], }, [, ],)", "f(a,{b,c:[d,,]},[,])"},
		{"let [, e, ] = f, { g, } = h", "let[,e]=f,{g}=h"},
		{`f("a" + "b" + "c", d + "e" + "f", "g" + 'h')`, `f("abc",d+"e"+"f","g"+'h')`},
		{`a = +"1" + "2", b = "\0" + "1"`, `a=+"1"+"2",b="\0"+"1"`},
		{"a = (await (await b()).c()).d, e = (new (f)()).g, h = (typeof (i)), j = (this.k)",
			"a=(await(await b()).c()).d,e=(new(f)()).g,h=(typeof(i)),j=this.k"},
		{`a = "b" + "c".d, e - "f" + "g", "h" + "i" * j`, `a="b"+"c".d,e-"f"+"g","h"+"i"*j`},
		{"a ? .5 : b?.c ?? d", "a?.5:b?.c??d"},
		{"a ? 0.5 : 10.5 + 0 + b[0]", "a?.5:10.5+0+b[0]"},
		{"true.a + false?.b + true[c]; true ** 2", "true.a+false?.b+true[c];true**2"},
		{"class A { true = 1; b = true }", "class A{true=1;b=!0}"},
		{"return true; x = [false, { true: a.false() }, 'true']",
			"return !0;x=[!1,{true:a.false()},'true']"},
	} {
		source, want := c[0], c[1]
		files, err := shown(t, map[string]string{"app.js": "export {};", "other.js": source})
		require.NoError(t, err)
		require.Equal(t, want, string(files["other.js"]))
	}
	for _, source := range []string{"'a\n'", "`${a", "x = /a\n/"} {
		_, err := shown(t, map[string]string{"app.js": "export {};", "other.js": "\n" + source})
		require.ErrorContains(t, err, "other.js: line 2: ")
	}
}

// TestShortStyle: blanks with a meaning and strings stay.
func TestShortStyle(t *testing.T) {
	files, err := shown(t, map[string]string{"app.js": "export {};", "page.css": `/* a */
.a > b:is(.c, .d) :hover, e::after {
  margin: calc(1px + var(--f)) -2px;
  content: "a ; b: /* c */";
}
@media (min-width: 1px) and (width > 2px) { i { color: red; } }
`})
	require.NoError(t, err)
	require.Equal(t,
		`.a > b:is(.c,.d) :hover,e::after{margin:calc(1px + var(--f)) -2px;content:"a ; b: /* c */"}`+
			"@media (min-width:1px) and (width > 2px){i{color:red}}\n", string(files["page.css"]))
	for _, text := range []string{
		`content:'x  ;  }'`, `content:"a \"  ;  } b"`, `content:'a \'  ;  } b'`, `content:"'  ;  "`,
		`content:'/* a */  "'`, `content:"\\"`, `background:url(data:b;c,  /*d*/ )`, `margin:1px/**/2px`,
	} {
		files, err := shown(t, map[string]string{"app.js": "export {};",
			"page.css": "a { " + text + " ; color: red; }\n.c\\\"d  , e { top: 0 }"})
		require.NoError(t, err)
		require.Equal(t, "a{"+text+";color:red}.c\\\"d,e{top:0}\n", string(files["page.css"]))
	}
}

// TestBundle: modules become one, in the order in which they run and with short names; what the page does not
// write is rejected.
func TestBundle(t *testing.T) {
	files, err := shown(t, map[string]string{
		"app.js": "import { alpha, beta as gamma } from \"./one.js\";\nimport * as two from \"./two.js\";\n" +
			"export const delta = [alpha, gamma, two.three], f = (g, { alpha: h, i }) => g + h.i + i;\n" +
			"export async function j() { await gamma; }\nexport { alpha };\n",
		"one.js": "import { two } from \"./two.js\";\nconst alpha = two, beta = { alpha, a: 1 };\n" +
			"export { alpha, beta };\nexport class A {}\n",
		"two.js":    "// alone\nexport function two(alpha) {}\nexport const three = two(1, x), four = 4;\n",
		"worker.js": "start() ;\n",
	})
	require.NoError(t, err)
	require.Equal(t, "function E(e){};let O=E(1,x),I=4;let T=E,A={alpha:T,a:1};class N{};let S=[T,A,O],"+
		"R=(e,{alpha:t,i:a})=>e+t.i+a;async function L(){await A};"+
		"export{S as delta,R as f,L as j,T as alpha}\n", string(files["app.js"]))
	require.Equal(t, "start();", string(files["worker.js"]))
	require.Len(t, files, 3)
	for _, c := range [][2]string{
		{`import a from "./b.js";`, "import a from"},
		{`import { a } from "b";`, "beside this one"},
		{`import { a } from "./none.js";`, "there is no module none.js"},
		{`import { a } from "./app.js";`, "imports itself"},
		{"export default 1;", "export default"},
		{"export { a as b };", "exported as it is"},
		{"await a;", "an await in a function"},
		{"f(() => import('./b.js'));", "import: an import is"},
		{"export let a = 1;", "export let: what"},
		{"export const { a } = b;", "export const: what"},
		{"import { a }", "import { a }"},
		{"export", "export"},
		{`import * as b from "./b.js"; f(b);`, "app.js: b: of a module"},
		{`import * as b from "./b.js"; (b) => b;`, "app.js: b is a module and a variable"},
		{`import * as b from "./b.js"; b.c();`, "app.js: b.c is not exported"},
		{`import { c } from "./b.js"; c();`, "app.js: c is not exported"},
	} {
		source, want := c[0], c[1]
		_, err := shown(t, map[string]string{"app.js": source, "b.js": "const c = 1; export function d() {}"})
		require.ErrorContains(t, err, want, source)
	}
}

// TestNames: a variable gets a new name wherever it is one, and nothing else does.
func TestNames(t *testing.T) {
	for _, c := range [][2]string{
		{"const { ab, cd: ef = gh(ij), ...kl } = mn, [op, , qr = ab] = st;",
			"let{ab:E,cd:T=gh(ij),...A}=mn,[O,,I=E]=st;"},
		{"function ab(cd, ef = (gh) => gh, { ij } = {}) { return { cd, ef: gh, [ij]: ij, ab() { " +
			"return cd; } }; }",
			"function E(e,t=e=>e,{ij:a}={}){return{cd:e,ef:gh,[a]:a,ab(){return e}}}"},
		{"for (const ab of cd) for (let ef = 0, gh = ab; ef < gh; ef++) ef.gh?.ab;",
			"for(let e of cd)for(let t=0,a=e;t<a;t++)t.gh?.ab;"},
		{"class Ab extends Cd { #ef = 1; gh; static ij(kl) { return this.#ef + kl + new Ab(); } get " +
			"mn() { return Ab; } }",
			"class E extends Cd{#ef=1;gh;static ij(e){return this.#ef+e+new E()}get mn(){return E}}"},
		{"try { ab(); } catch (cd) { ef(cd); } finally { gh(); }", "try{ab()}catch(e){ef(e)}finally{gh()}"},
		{"const ab = cd ? { ab: 1 } : { cd, ef() {} }; f(`${ab} ab ${((gh) => gh)(1)}`);",
			"let E=cd?{ab:1}:{cd,ef(){}};f(`${E} ab ${(e=>e)(1)}`);"},
		{"switch (ab) { case cd: break; default: { const ef = ab; } } var cd = async (gh) => { await " +
			"gh; };",
			"switch(ab){case E:break;default:{let e=ab}}var E=async e=>{await e};"},
		{"const ab = () => {\n  cd()\n}\nef(); const gh = 1; while (gh); if (ab) for (;;);",
			"let E=()=>{cd()};ef();let T=1;while(T);if(E)for(;;);"},
		// What is used most has the first name.
		{"const ab = 1, cd = 2; f(cd, cd);", "let T=1,E=2;f(E,E);"},
		{"const ab = { const: 1 }.const; const cd = ab, ef = function* gh() { yield gh; };",
			"let E={const:1}.const,A=E,O=function*T(){yield T};"},
	} {
		source, want := c[0], c[1]
		files, err := shown(t, map[string]string{"app.js": source + " export {};"})
		require.NoError(t, err)
		require.Equal(t, strings.TrimSuffix(want, ";")+";export{}\n", string(files["app.js"]))
	}
}

// TestManyNames: a function with more variables than there are letters has none with the name of another
// thing.
func TestManyNames(t *testing.T) {
	const many = 60
	var parameters []string
	for i := range many {
		parameters = append(parameters, fmt.Sprint("parameter", i))
	}
	list := strings.Join(parameters, ",")
	files, err := shown(t, map[string]string{"app.js": "function outer(" + list + ") { outer(" + list +
		"); } export {};"})
	require.NoError(t, err)
	twice := regexp.MustCompile(`^function (\w+)\(([\w,]+)\)\{(\w+)\(([\w,]+)\)\};`)
	got := twice.FindStringSubmatch(string(files["app.js"]))
	require.NotNil(t, got, string(files["app.js"]))
	require.Equal(t, got[1], got[3])
	require.Equal(t, got[2], got[4])
	names := append(strings.Split(got[2], ","), got[1])
	slices.Sort(names)
	require.Len(t, slices.Compact(names), many+1)
}
