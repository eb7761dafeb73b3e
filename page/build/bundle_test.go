package build_test

import (
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
	for source, want := range map[string]string{
		"// a\n/** b\n * c */\nx = 1; // d\n":         "x=1;",
		"const y = /** @type {any} */ (x), z = `//`;": "const y=(x),z=`//`;",
		"a = b\nc()":                                           "a=b\nc()",
		"a = b +\n  c;\nd\n  .e(/* f */)\n  ?.g":               "a=b+c;d.e()?.g",
		"let f = () => {\n  g()\n}\nh()":                       "let f=()=>{g()}\nh()",
		"return\n!a":                                           "return\n!a",
		"a = b\n++c; d + +e - -f; g++ + h":                     "a=b\n++c;d+ +e- -f;g++ +h",
		`s = "// \" 'a'" + '/* "' + "\\";`:                     `s="// \" 'a'"+'/* "'+"\\";`,
		"t = `a ${ b + `${ { c: 1 }.c } // d` } $ \\` ${e}f`;": "t=`a ${b+`${{c:1}.c} // d`} $ \\` ${e}f`;",
		"q = a / b / c; r = /[/\\]\"]\\/`/g.test(a) / 2":       "q=a/b/c;r=/[/\\]\"]\\/`/g.test(a)/2",
		"return /a b/ ; (a + b) / 2 // c":                      "return/a b/;(a+b)/2",
		"for (const [, k] of m) if (typeof k === 'x') delete o.p": "for(const[,k]of m)if(typeof " +
			"k==='x')delete o.p",
		"class A {\n  #n = 1e-5;\n  get b() { return #n in this; }\n  async *c() {}\n}": "class A{#n=1e-5;get b(){" +
			"return #n in this;}\nasync*c(){}}",
		"n = 1 - .5 - 0xff - 1_000n": "n=1-.5-0xff-1_000n",
		"a ? .5 : b?.c ?? d":         "a?.5:b?.c??d",
	} {
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
}

// TestBundle: modules become one, in the order in which they run; what the page does not write is rejected.
func TestBundle(t *testing.T) {
	files, err := shown(t, map[string]string{
		"app.js": "import { a, b as c } from \"./one.js\";\nimport * as two from \"./two.js\";\n" +
			"export const d = [a, c], f = (g, h) => g;\nexport async function i() { await c; }\n",
		"one.js": "import { two } from \"./two.js\";\nconst a = two, b = 1;\nexport { a, b };\nexport " +
			"class A {}\n",
		"two.js":    "// alone\nexport function two() {}\nexport const three = f(1, x), four = 4;\n",
		"worker.js": "start() ;\n",
	})
	require.NoError(t, err)
	require.Equal(t,
		"const $two=(()=>{function two(){}\nconst three=f(1,x),four=4;\nreturn{two,three,four}})();\n"+
			"const $one=(()=>{const{two}=$two;const a=two,b=1;class A{}\nreturn{a,b,A}})();\n"+
			"const $app=(()=>{const{a,b:c}=$one;const two=$two;const d=[a,c],f=(g,h)=>g;async function "+
			"i(){await c;}\n"+
			"return{d,f,i}})();\nexport{$two as two,$one as one,$app as app}\n", string(files["app.js"]))
	require.Equal(t, "start();", string(files["worker.js"]))
	require.Len(t, files, 3)
	for source, want := range map[string]string{
		`import a from "./b.js";`: "import a from", `import { a } from "b";`: "beside this one",
		`import { a } from "./none.js";`: "there is no module none.js",
		`import { a } from "./app.js";`:  "imports itself",
		"export default 1;":              "export default", "export { a as b };": "exported as it is",
		"await a;":                   "an await in a function",
		"f(() => import('./b.js'));": "import: an import is", "export let a = 1;": "export let: what",
		"export const { a } = b;": "export const: what", "import { a }": "import { a }", "export": "export",
	} {
		_, err := shown(t, map[string]string{"app.js": source})
		require.ErrorContains(t, err, want, source)
	}
}
