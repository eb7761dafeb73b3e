package build

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// scope finds the names that a module declares.
type scope struct {
	all   []lexeme
	uses  []use
	names map[string]bool // true if it is declared outside of all functions
	// Where what is declared outside of all functions surely occurs.
	outside map[string][]extent
	locals  map[string][]*local // what is declared in functions: apart from each other, in order
	bodies  map[int]bool        // where the bodies of functions and of catch begin, as far as they are read
}

// local is a variable of a function, or several of one name whose extents overlap: these get one new name.
type local struct {
	extent
	parts []extent // of those of its name
	first int      // where it is declared
	sure  []extent // where it occurs, or another one of its name within it
	name  string   // the new one
}

// extent is a part of a script: all in which a variable may occur, or more.
type extent struct{ from, to int }

// scopeOf returns the names that a module declares. Where an extent ends is not always clear without a
// full parser: where it is not, the extent is longer than need be, which costs letters. A name that occurs in
// the part that is not sure may be that of another thing, which is an error.
func scopeOf(all []lexeme) (*scope, error) {
	list, err := uses(all)
	if err != nil {
		return nil, err
	}
	s := &scope{all: all, uses: list, names: make(map[string]bool), locals: make(map[string][]*local),
		outside: make(map[string][]extent), bodies: make(map[int]bool)}
	var open []int
	for i, t := range all {
		if t.closes() && len(open) > 0 {
			open = open[:len(open)-1]
		}
		if t.opens() {
			open = append(open, i)
		}
		switch {
		case s.uses[i] == method, s.catches(i):
			s.pattern(i+1, s.function(i+1))
		case t.kind == sign && t.text == "=>":
			s.parameters(i - 1)
		case s.uses[i] != keyword:
		case t.text == "const", t.text == "let":
			s.bindings(i+1, s.block(open), s.loop(open))
		case t.text == "var":
			s.bindings(i+1, s.body(open), nil)
		case t.text == "class":
			s.declare(i+1, s.block(open), s.value(i)...)
		case t.text == "function":
			if is(all, i+1, "*") {
				i++
			}
			if s.declare(i+1, s.block(open), s.value(i)...) {
				i++
			}
			s.pattern(i+1, s.function(i+1))
		}
	}
	s.merge()
	return s, s.unsure()
}

// unsure returns an error if a name may be that of a variable, or of another thing.
func (s *scope) unsure() error {
	for i, t := range s.all {
		if s.uses[i] != variable && s.uses[i] != short {
			continue
		}
		sure, declared := s.outside[t.text]
		if l := s.local(i); l != nil {
			sure, declared = l.sure, true
		}
		if declared && !slices.ContainsFunc(sure, func(e extent) bool { return e.from <= i && i <= e.to }) {
			return fmt.Errorf("%s is the name of a variable, and behind its function or loop that of "+
				"another thing",
				t.text)
		}
	}
	return nil
}

// outermost is the extent of what is declared outside of all functions.
var outermost = extent{-1, -1}

// block returns the extent of what is declared within the innermost of these brackets. That of a loop's
// head goes on behind the bracket: to the end of the loop or, where that is not clear, of the block.
func (s *scope) block(open []int) extent {
	if len(open) == 0 {
		return outermost
	}
	begin := open[len(open)-1]
	if is(s.all, begin, "(") && is(s.all, begin-1, "for", "await") {
		if last := s.statement(end(s.all, begin) + 1); last > 0 {
			return extent{begin, last}
		}
		if open = open[:len(open)-1]; len(open) == 0 {
			return extent{0, len(s.all)}
		}
		begin = open[len(open)-1]
	}
	return extent{begin, end(s.all, begin)}
}

// statement returns where a statement ends that begins at a place, or a later place, 0 if that is not clear.
func (s *scope) statement(i int) int {
	if is(s.all, i, "for", "while", "if") {
		head := i + 1
		if is(s.all, head, "await") {
			head++
		}
		last := s.statement(end(s.all, head) + 1)
		if last > 0 && is(s.all, i, "if") && is(s.all, last+1, "else") {
			return s.statement(last + 2)
		}
		return last
	}
	if is(s.all, i, "{") {
		return end(s.all, i)
	}
	if i >= len(s.all) || s.uses[i] == keyword &&
		!is(s.all, i, "await", "break", "continue", "delete", "return", "throw", "yield") {
		return 0
	}
	for ; i < len(s.all) && !is(s.all, i, ";"); i++ {
		if s.all[i].opens() {
			i = end(s.all, i)
		}
		if is(s.all, i+1, "}") {
			break
		}
	}
	return i
}

// body returns the extent of a var within these brackets: the innermost function, or the module.
func (s *scope) body(open []int) extent {
	for _, begin := range slices.Backward(open) {
		if s.bodies[begin] && !s.catches(beginOf(s.all, begin-1)-1) {
			return extent{begin, end(s.all, begin)}
		}
	}
	return outermost
}

// function returns the extent of parameters in brackets that begin at a place, with the body behind them.
func (s *scope) function(i int) extent {
	body := end(s.all, i) + 1
	s.bodies[body] = true
	return extent{i, end(s.all, body)}
}

// catches reports whether what is caught has a name in the brackets behind a place.
func (s *scope) catches(i int) bool {
	return is(s.all, i, "catch") && s.uses[i] == keyword && is(s.all, i+1, "(")
}

// loop returns where a variable surely occurs that is declared directly in the innermost of these
// brackets, if that is the head of a loop.
func (s *scope) loop(open []int) []extent {
	if len(open) == 0 || !is(s.all, open[len(open)-1], "(") {
		return nil
	}
	head := open[len(open)-1]
	return []extent{{head, s.surely(end(s.all, head) + 1)}}
}

// value returns where the name of a function or a class surely occurs that is a value, not a statement.
func (s *scope) value(i int) []extent {
	if is(s.all, i-1, "async") {
		i--
	}
	if !expressionAfter(s.all[:i]) || i == 0 || is(s.all, i-1, ";", "{") {
		return nil
	}
	for body := i; body < len(s.all); body++ {
		if is(s.all, body, "{") {
			return []extent{{i, end(s.all, body)}}
		}
		if s.all[body].opens() {
			body = end(s.all, body)
		}
	}
	return nil
}

// surely returns a place up to which a statement goes on that begins at one, or an expression.
func (s *scope) surely(begin int) int {
	questions := 0 // that wait for their colon
	for i := begin; i < len(s.all); i++ {
		t := s.all[i]
		// A line that begins with one of these signs, or a template, goes on with the line before it.
		line := i > begin && strings.Trim(between(s.all[i-1], t), " ") != "" && t.kind != template &&
			!is(s.all, i, "+", "-", "(", "[", "/")
		if is(s.all, i, "?") {
			questions++
		}
		if is(s.all, i, ":") {
			questions--
		}
		if t.closes() || is(s.all, i, ";", ",") || line || questions < 0 {
			return i - 1
		}
		if t.opens() {
			// Behind a block another statement may begin, or with else the rest of this one.
			first, object := i == begin, beginsObject(s.all, i)
			if i = end(s.all, i); is(s.all, i, "}") && (first || !object && !is(s.all, i+1, "else")) {
				return i
			}
		}
	}
	return len(s.all) - 1
}

// merge makes one of those of a name that overlap.
func (s *scope) merge() {
	for name, list := range s.locals {
		slices.SortFunc(list, func(x, y *local) int { return cmp.Compare(x.from, y.from) })
		apart := list[:1]
		for _, l := range list[1:] {
			if last := apart[len(apart)-1]; l.from <= last.to {
				last.to, last.first = max(last.to, l.to), min(last.first, l.first)
				last.sure, last.parts = append(last.sure, l.sure...), append(last.parts, l.parts...)
				continue
			}
			apart = append(apart, l)
		}
		s.locals[name] = apart
	}
}

// local returns the variable of a function that occurs at a place, nil if none does.
func (s *scope) local(i int) *local {
	for _, l := range s.locals[s.all[i].text] {
		if l.from <= i && i <= l.to {
			return l
		}
	}
	return nil
}

// declare declares the name at a place, if one is there. It surely occurs in all of its extent, or in a part.
func (s *scope) declare(i int, in extent, sure ...extent) bool {
	if i >= len(s.all) || s.uses[i] != variable && s.uses[i] != short {
		return false
	}
	name := s.all[i].text
	s.names[name] = s.names[name] || in == outermost
	switch {
	case in == outermost && len(sure) == 0:
		s.outside[name] = append(s.outside[name], extent{0, len(s.all)})
	case in == outermost:
		s.outside[name] = append(s.outside[name], sure...)
	default:
		if len(sure) == 0 {
			sure = []extent{in}
		}
		s.locals[name] = append(s.locals[name], &local{extent: in, parts: []extent{in}, first: i, sure: sure})
	}
	return true
}

// parameters declares the parameters of a function whose arrow is behind a place.
func (s *scope) parameters(last int) {
	body := last + 2
	for ; body < len(s.all) && !is(s.all, body, ",", ";") && !s.all[body].closes(); body++ {
		if s.all[body].opens() {
			body = end(s.all, body)
			if is(s.all, last+2, "{") {
				break
			}
		}
	}
	sure := s.surely(last + 2)
	s.bodies[last+2] = is(s.all, last+2, "{")
	if s.declare(last, extent{last, body}, extent{last, sure}) {
		return
	}
	for i := last; i >= 0; i-- { // the bracket that ends here
		if is(s.all, i, "(") && end(s.all, i) == last {
			s.pattern(i, extent{i, body}, extent{i, sure})
			return
		}
	}
}

// bindings declares what a declaration declares: names and patterns, with values or without.
func (s *scope) bindings(i int, in extent, sure []extent) {
	for {
		if !s.declare(i, in, sure...) && i < len(s.all) && s.all[i].opens() {
			s.pattern(i, in, sure...)
			i = end(s.all, i)
		}
		for i++; !is(s.all, i, ","); i++ {
			if i >= len(s.all) || is(s.all, i, ";", "of", "in") || s.all[i].closes() {
				return
			}
			if s.all[i].opens() {
				i = end(s.all, i)
			}
		}
		i++
	}
}

// pattern declares the names in a bracket of parameters or in a pattern, but for those of values.
func (s *scope) pattern(begin int, in extent, sure ...extent) {
	if !is(s.all, begin, "(", "{", "[") {
		return
	}
	for i, last := begin+1, end(s.all, begin); i < last; i++ {
		if is(s.all, i-1, "(", ",", "{", "[", "...", ":") {
			s.declare(i, in, sure...)
		}
		if !is(s.all, i, "=") {
			continue
		}
		for ; i < last && !is(s.all, i, ",") && !s.all[i].closes(); i++ {
			if s.all[i].opens() {
				i = end(s.all, i)
			}
		}
	}
}
