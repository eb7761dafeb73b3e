package build

import (
	"fmt"
	"slices"
	"strings"
)

// use is what a word of a script is.
type use uint8

const (
	other    use = iota // a number, the name of a property, a word that means something in its place only
	keyword             // a word of the language
	method              // the name of a function in a class or an object
	variable            // the name of a variable, a constant, a function or a class
	short               // such a name in an object or a pattern, where { a } stands for { a: a }
)

// keywords are the words that no variable can have as its name, and a few that none should have.
var keywords = strings.Fields(`arguments async await break case catch class const continue debugger default
	delete do else enum eval export extends false finally for from function get if implements import in
	instanceof interface let new null of package private protected public return set static super switch this
	throw true try typeof undefined var void while with yield`)

// bracket is a bracket that is open.
type bracket struct {
	object, class bool
	questions     int  // those that wait for their colon
	cases         bool // so does a case, or the default, of a switch
	blockNext     bool // the colon of a case is the last lexeme: a brace begins a block
}

// colon reads a sign, and reports whether it is the colon of a label.
func (b *bracket) colon(all []lexeme, i int) (label bool) {
	b.blockNext = false
	switch {
	case is(all, i, "?"):
		b.questions++
	case is(all, i, ":") && b.questions > 0:
		b.questions--
	case is(all, i, ":") && !b.object:
		label = !b.cases
		b.cases, b.blockNext = false, true
	}
	return label
}

// uses returns what each word of a script is.
func uses(all []lexeme) ([]use, error) {
	list := make([]use, len(all))
	open := []bracket{{}} // the first one holds the module
	class := false        // the head of a class has begun
	for i, t := range all {
		inner := &open[len(open)-1]
		if t.kind == word {
			list[i] = useOf(all, i, *inner)
			class = class || list[i] == keyword && t.text == "class"
			inner.cases = inner.cases || list[i] == keyword && is(all, i, "case", "default")
			inner.blockNext = false
			if inner.class && !beginsMember(all, i) && between(all[i-1], t) == "\n" {
				return nil, fmt.Errorf("%s: the page has no fields that end without a semicolon", t.text)
			}
			continue
		}
		if inner.class && t.line && is(all, i, "*") && !is(all, i-1, "{", "}", ";") {
			return nil, fmt.Errorf("*: the page has no fields that end without a semicolon")
		}
		block := inner.blockNext
		if inner.colon(all, i) {
			return nil, fmt.Errorf("%s: the page has no labels", all[i-1].text)
		}
		if is(all, i, "]") && is(all, i+1, "(") && is(all, end(all, i+1)+1, "{") {
			return nil, fmt.Errorf("](: the page has no methods whose names are computed")
		}
		opens, closes := t.opens(), t.closes()
		if class && opens && (t.text != "{" || is(all, i-1, "extends")) {
			return nil, fmt.Errorf("%s: the page has no classes that extend a value", t.text)
		}
		if closes && len(open) > 1 {
			open = open[:len(open)-1]
		}
		if opens {
			b := bracket{}
			if t.text == "{" {
				b = bracket{object: !class && !block && beginsObject(all, i), class: class}
				class = false
			}
			open = append(open, b)
		}
	}
	return list, nil
}

// opens reports whether a bracket, or a value in a template, begins.
func (t lexeme) opens() bool {
	return t.kind == sign && strings.Contains("{[(", t.text) || t.kind == template &&
		strings.HasSuffix(t.text, "${")
}

// closes reports whether a bracket, or a value in a template, ends.
func (t lexeme) closes() bool {
	return t.kind == sign && strings.Contains("}])", t.text) || t.kind == template && t.text[0] == '}'
}

// is reports whether the lexeme at a place is one of some signs or words.
func is(all []lexeme, i int, texts ...string) bool {
	return 0 <= i && i < len(all) && (all[i].kind == word || all[i].kind == sign) &&
		slices.Contains(texts, all[i].text)
}

// beginsObject reports whether a brace, which begins no class, begins an object or a pattern, not statements.
func beginsObject(all []lexeme, i int) bool {
	if i == 0 {
		return false
	}
	switch last := all[i-1]; last.kind {
	case sign:
		return !is(all, i-1, ")", "]", "}", "{", ";", "=>")
	case word:
		return slices.Contains(beforeExpression, last.text) && !is(all, i-1, "else", "do") ||
			is(all, i-1, "const", "let", "var", "default")
	default:
		return last.opens()
	}
}

// beginsMember reports whether a word in a class begins a field or a method.
func beginsMember(all []lexeme, i int) bool {
	if is(all, i-1, "get", "set", "static", "*") || is(all, i-1, "async") && !all[i].line {
		return is(all, i-2, "{", "}", ";", "static", "async")
	}
	return is(all, i-1, "{", "}", ";")
}

// useOf returns what a word is in a bracket.
func useOf(all []lexeme, i int, inner bracket) use {
	begins := inner.object && is(all, i-1, "{", ",") || inner.class && beginsMember(all, i)
	if is(all, i-1, "get", "set", "async", "*") {
		begins = begins || inner.object && is(all, i-2, "{", ",", "async")
	}
	c := all[i].text[0]
	switch {
	case is(all, i-1, ".", "?."):
		return other
	case begins && is(all, i+1, "("):
		return method
	case begins && (inner.class || is(all, i+1, ":")):
		return other
	case '0' <= c && c <= '9', c == '.', c == '#':
		return other
	case slices.Contains(keywords, all[i].text):
		return keyword
	case begins && is(all, i+1, ",", "}", "="):
		return short
	}
	return variable
}

// end returns the place at which a bracket ends that begins at a place.
func end(all []lexeme, i int) int {
	depth := 0
	for ; i < len(all); i++ {
		if all[i].closes() {
			depth--
		}
		if all[i].opens() {
			depth++
		}
		if depth == 0 {
			break
		}
	}
	return i
}
