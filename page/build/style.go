package build

import (
	"bytes"
	"regexp"
)

// What a browser needs no more of a style: comments, and blanks beside signs. A blank before a colon or a
// parenthesis, or around a plus, has a meaning.
var (
	styleApart = regexp.MustCompile(`"(?:[^"\\]|\\(?s:.))*"|'(?:[^'\\]|\\(?s:.))*'|\\(?s:.)|` +
		`/\*(?s:.*?)\*/`)
	styleBlanks = regexp.MustCompile(`\s+`)
	styleZero   = regexp.MustCompile(`([ :,(-])0(\.\d)`)
	styleSigns  = regexp.MustCompile(` ?([{},;]) ?|(:) `)
)

// shortStyle returns a style without what no browser needs. Strings stay as they are, and
// characters behind a backslash.
func shortStyle(style []byte) []byte {
	var out []byte
	short := func(part []byte) {
		part = styleBlanks.ReplaceAll(part, []byte(" "))
		part = styleZero.ReplaceAll(part, []byte("$1$2"))
		part = styleSigns.ReplaceAll(part, []byte("$1$2"))
		out = append(out, bytes.ReplaceAll(part, []byte(";}"), []byte("}"))...)
	}
	at := 0
	for _, place := range styleApart.FindAllIndex(style, -1) {
		short(style[at:place[0]])
		if style[place[0]] != '/' {
			out = append(out, style[place[0]:place[1]]...)
		}
		at = place[1]
	}
	short(style[at:])
	return append(bytes.TrimSpace(out), '\n')
}
