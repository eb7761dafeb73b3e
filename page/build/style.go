package build

import (
	"bytes"
	"regexp"
)

// What a browser needs no more of a style: comments, and blanks beside signs. A blank before a colon or a
// parenthesis, or around a plus, has a meaning.
var (
	styleApart = regexp.MustCompile(`"(?:[^"\\]|\\(?s:.))*"|'(?:[^'\\]|\\(?s:.))*'|\\(?s:.)|` +
		`url\([^"'()]*\)|/\*(?s:.*?)\*/`)
	styleBlanks = regexp.MustCompile(`\s+`)
	styleZero   = regexp.MustCompile(`([ :,(-])0(\.\d)`)
	styleSigns  = regexp.MustCompile(` ?([{},;]) ?|(:) `)
)

// isBlank reports whether a byte of a style is a blank.
func isBlank(c byte) bool { return c <= ' ' }

// shortStyle returns a style without what no browser needs. Strings and addresses stay as they are, and
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
		switch {
		case style[place[0]] != '/':
			out = append(out, style[place[0]:place[1]]...)
		case place[0] > 0 && place[1] < len(style) &&
			!isBlank(style[place[0]-1]) && !isBlank(style[place[1]]):
			out = append(out, "/**/"...) // what no blank keeps apart
		}
		at = place[1]
	}
	short(style[at:])
	return append(bytes.TrimSpace(out), '\n')
}
