package build_test

import (
	"testing"

	"github.com/stretchr/testify/require"
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
