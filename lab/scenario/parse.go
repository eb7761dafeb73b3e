package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-election/election/input"
)

// parser reads the tokens of a JSON text. It descends only into values that a scenario has, and knows the path to
// the field that it is reading. The first error stays, and ends all reading.
type parser struct {
	tokens *json.Decoder
	next   json.Token // nil also if the value is null
	path   []step
	err    error
}

// step is a part of the path to a value: a name, or an index in a list.
type step struct {
	name   string
	index  int
	inList bool
}

// newParser returns a parser of a text, which fails if the text is not exactly one JSON value.
func newParser(text []byte, root string) *parser {
	p := &parser{tokens: json.NewDecoder(bytes.NewReader(text)), path: []step{{name: root}}}
	p.tokens.UseNumber()
	if p.err = checkJSON(text); p.err == nil {
		p.advance()
	}
	return p
}

// checkJSON returns an error with the line and the column, in characters, at which a text is not JSON.
func checkJSON(text []byte) error {
	at, why := 0, ""
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(text, new(json.RawMessage)); {
	case errors.As(err, &syntax):
		at, why = int(syntax.Offset), syntax.Error()
		if strings.HasPrefix(why, "invalid character") {
			at-- // the offset is behind the character
		}
	case err != nil:
		return input.Errorf("%w", err)
	case !utf8.Valid(text): // encoding/json replaces such bytes: a name would not be found again
		for at < len(text) {
			r, size := utf8.DecodeRune(text[at:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		why = "invalid UTF-8"
	default:
		return nil
	}
	before := text[:at]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return input.Errorf("line %d, column %d: %s", line, column, why)
}

// wrong reports what is wrong with the value at the path.
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

// unfit reports that the next value is not what is wanted.
func (p *parser) unfit(want string) { p.wrong("%s is not %s", shown(p.next), want) }

// shown returns how an error names a value.
func shown(t json.Token) string {
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return "an object"
		}
		return "a list"
	case string:
		return quote(t)
	case json.Number:
		return cut(string(t))
	case bool:
		return strconv.FormatBool(t)
	}
	return "null"
}

// advance goes to the next token.
func (p *parser) advance() {
	if p.err != nil {
		return
	}
	var err error
	if p.next, err = p.tokens.Token(); err != nil && !errors.Is(err, io.EOF) { // the end is behind the last value
		p.wrong("%w", err)
	}
}

// opens reports whether a list or an object begins here.
func (p *parser) opens(delim json.Delim) bool { return p.err == nil && p.next == delim }

// object reads an object. field reads the value of a field, or returns false if there is no field with this
// name.
func (p *parser) object(field func(name string) bool) {
	if !p.opens('{') {
		p.unfit("an object")
		return
	}
	seen := make(map[string]bool)
	p.advance()
	for p.err == nil && p.next != json.Delim('}') {
		name := p.next.(string) // by the syntax of JSON
		p.path = append(p.path, step{name: name})
		if seen[name] {
			p.wrong("given twice")
		}
		seen[name] = true
		p.advance()
		if p.err == nil && !field(name) {
			p.wrong("unknown field")
		}
		p.path = p.path[:len(p.path)-1]
	}
	p.advance()
}

// named reads an object with at most limit fields, of any names.
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

// list reads a list of at most limit elements.
func (p *parser) list(limit int, element func(i int)) {
	if !p.opens('[') {
		p.unfit("a list")
		return
	}
	p.path = append(p.path, step{inList: true})
	top := len(p.path) - 1
	p.advance()
	for i := 0; p.err == nil && p.next != json.Delim(']'); i++ {
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
	p.advance()
}
