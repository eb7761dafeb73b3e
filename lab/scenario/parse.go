package scenario

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-election/election/input"
)

// parser reads JSON by what is expected, not by what comes: it descends only where a scenario
// does, so that no input makes it deep, and it always knows which field it is at. The first error
// stays, and ends all reading.
type parser struct {
	src  []byte
	at   int
	path []step
	err  error
}

// step is a part of the path to a value: a name, or an index in a list.
type step struct {
	name   string
	index  int
	inList bool
}

func newParser(src []byte, root string) *parser {
	return &parser{src: src, path: []step{{name: root}}}
}

// wrong says what is wrong with the value that the path leads to.
func (p *parser) wrong(format string, args ...any) {
	if p.err != nil {
		return
	}
	var where strings.Builder
	where.WriteString(p.path[0].name)
	for _, s := range p.path[1:] {
		if s.inList {
			fmt.Fprintf(&where, "[%d]", s.index)
		} else {
			where.WriteString(member(s.name))
		}
	}
	err := input.Errorf(format, args...)
	if len(p.path) > 1 { // else it is about the whole text, which has no other name
		err = input.At(where.String(), err)
	}
	p.err = err
}

// syntax says what is wrong with the text at this place.
func (p *parser) syntax(format string, args ...any) {
	if p.err != nil {
		return
	}
	before := p.src[:p.at]
	line := bytes.Count(before, []byte{'\n'}) + 1
	// Editors count characters, not bytes.
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	p.wrong("line %d, column %d: %s", line, column, fmt.Sprintf(format, args...))
}

// unfit says that the value that begins here is not what is wanted.
func (p *parser) unfit(want string) {
	switch c := p.next(); {
	case p.at == len(p.src):
		p.misplaced(want)
	case c == '{':
		p.wrong("an object is not %s", want)
	case c == '[':
		p.wrong("a list is not %s", want)
	case c == '"':
		p.wrong("%s is not %s", quote(p.str()), want)
	default:
		word := string(p.peekWord())
		switch {
		case word == "":
			p.misplaced(want)
		case word == "true" || word == "false" || word == "null" || isNumber([]byte(word)):
			p.wrong("%s is not %s", cut(word), want)
		default:
			p.syntax("%s is not JSON", cut(word))
		}
	}
}

// character returns the character at this place, in quotes.
func (p *parser) character() string {
	r, size := utf8.DecodeRune(p.src[p.at:])
	if r == utf8.RuneError && size < 2 {
		return fmt.Sprintf("the byte %#02x", p.src[p.at])
	}
	return quote(string(r))
}

// next skips white space and returns what follows it, 0 at the end.
func (p *parser) next() byte {
	for ; p.at < len(p.src); p.at++ {
		switch c := p.src[p.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// end wants nothing but white space to follow.
func (p *parser) end() {
	p.next()
	if p.err == nil && p.at < len(p.src) {
		p.syntax("%s after the end", p.character())
	}
}

// object reads an object. field reads the value of a field, or returns false if it knows none of
// that name.
func (p *parser) object(field func(name string) bool) {
	if !p.begin('{', "an object") {
		return
	}
	seen := make(map[string]bool)
	for first := true; p.more('}', first); first = false {
		if p.next() != '"' {
			p.misplaced("a name in quotes")
			return
		}
		name := p.str()
		p.path = append(p.path, step{name: name})
		switch {
		case p.err != nil:
		case p.next() != ':':
			p.misplaced(`":"`)
		case seen[name]:
			p.wrong("given twice")
		default:
			p.at++
			seen[name] = true
			if !field(name) {
				p.wrong("unknown field")
			}
		}
		p.path = p.path[:len(p.path)-1]
	}
}

// misplaced says that something else should be here.
func (p *parser) misplaced(want string) {
	if p.at == len(p.src) {
		p.syntax("it ends where %s should be", want)
	} else {
		p.syntax("%s where %s should be", p.character(), want)
	}
}

// named reads an object that has no more than limit fields, of any names.
func (p *parser) named(limit int, value func(name string)) {
	n := 0
	p.object(func(name string) bool {
		if n++; n > limit {
			p.wrong("more than %d fields", limit)
		} else {
			value(name)
		}
		return true
	})
}

// list reads a list of no more than limit elements.
func (p *parser) list(limit int, element func(i int)) {
	if !p.begin('[', "a list") {
		return
	}
	p.path = append(p.path, step{inList: true})
	top := len(p.path) - 1
	for i := 0; p.more(']', i == 0); i++ {
		// The limit is about the list, so the error must not name an element.
		if i == limit {
			p.path = p.path[:top]
			p.wrong("a list of more than %d elements", limit)
			return
		}
		p.path[top].index = i
		element(i)
	}
	p.path = p.path[:top]
}

func (p *parser) begin(open byte, what string) bool {
	if p.next() == open {
		p.at++
	} else {
		p.unfit(what)
	}
	return p.err == nil
}

// more reports whether another element follows, and skips the comma before it.
func (p *parser) more(end byte, first bool) bool {
	c := p.next()
	switch {
	case p.err != nil:
		return false
	case c == end:
		p.at++
		return false
	case !first && c != ',':
		p.misplaced(`"," or "` + string(end) + `"`)
		return false
	case !first:
		p.at++
	}
	return true
}

// str reads the text that begins here.
func (p *parser) str() string {
	p.at++
	start := p.at
	var head []byte // what escapes have made of the text before start
	for p.err == nil && p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '"':
			s := string(append(head, p.src[start:p.at]...))
			// encoding/json would silently replace the bad bytes. A name that changes on reading could not be
			// found again.
			if !utf8.ValidString(s) {
				p.syntax("a text that is not UTF-8 ends here")
			}
			p.at++
			return s
		case c == '\\':
			head = append(head, p.src[start:p.at]...)
			head = p.escape(head)
			start = p.at
		case c < ' ':
			p.syntax("%s in a text", p.character())
		default:
			p.at++
		}
	}
	p.syntax("it ends within a text")
	return ""
}

// escaped are the characters that a letter after a backslash stands for.
var escaped = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r',
	't': '\t'}

// escape appends the character that the escape at this place stands for.
func (p *parser) escape(b []byte) []byte {
	rest := p.src[p.at:]
	if len(rest) > 1 {
		if c, ok := escaped[rest[1]]; ok {
			p.at += 2
			return append(b, c)
		}
	}
	r, ok := hex4(rest)
	size := 6
	// Characters beyond 16 bits are two escapes in JSON. A surrogate alone is no character.
	if ok && utf16.IsSurrogate(r) {
		low, _ := hex4(rest[size:])
		r = utf16.DecodeRune(r, low)
		ok = r != utf8.RuneError
		size = 12
	}
	if !ok {
		p.syntax("a backslash begins no character")
		return b
	}
	p.at += size
	return utf8.AppendRune(b, r)
}

// hex4 returns what an escape of four hexadecimal digits stands for.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(v), err == nil
}

// peekWord returns the letters, digits and signs at this place.
func (p *parser) peekWord() []byte {
	end := p.at
	for end < len(p.src) && isWord(p.src[end]) {
		end++
	}
	return p.src[p.at:end]
}

func (p *parser) word() []byte {
	w := p.peekWord()
	p.at += len(w)
	return w
}

// numeral reads the digits of a number.
func (p *parser) numeral() []byte {
	w := p.peekWord()
	if !isNumber(w) {
		p.syntax("%s is not JSON", cut(string(w)))
	}
	p.at += len(w)
	return w
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+' || c == '.' ||
		c == '_'
}

// isNumber reports whether b is a number as JSON writes them.
func isNumber(b []byte) bool {
	digits := func() (n int) {
		for n < len(b) && isDigit(b[n]) {
			n++
		}
		b = b[n:]
		return n
	}
	b = bytes.TrimPrefix(b, []byte{'-'})
	leading := bytes.HasPrefix(b, []byte{'0'})
	if n := digits(); n == 0 || leading && n > 1 {
		return false
	}
	if len(b) > 0 && b[0] == '.' {
		if b = b[1:]; digits() == 0 {
			return false
		}
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		if b = b[1:]; len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		if digits() == 0 {
			return false
		}
	}
	return len(b) == 0
}
