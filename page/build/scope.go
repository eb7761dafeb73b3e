package build

import (
	"cmp"
	"slices"
)

// scope finds the names that a module declares.
type scope struct {
	all    []lexeme
	uses   []use
	names  map[string]bool     // true if it is declared outside of all functions
	locals map[string][]*local // what is declared in functions: apart from each other, in order
}

// local is a variable of a function, or several of one name whose extents overlap: these get one new name.
type local struct {
	extent
	first int    // where it is declared
	name  string // the new one
}

// extent is a part of a script: all in which a variable may occur, or more.
type extent struct{ from, to int }

// scopeOf returns the names that a module declares. Where an extent ends is not always clear without a
// full parser: where it is not, the extent is longer than need be, which costs letters, but is right.
func scopeOf(all []lexeme) *scope {
	s := &scope{all: all, uses: uses(all), names: make(map[string]bool), locals: make(map[string][]*local)}
	var open []int
	for i, t := range all {
		if t.closes() && len(open) > 0 {
			open = open[:len(open)-1]
		}
		if t.opens() {
			open = append(open, i)
		}
		switch {
		case s.uses[i] == method, is(all, i, "catch") && s.uses[i] == keyword && is(all, i+1, "("):
			s.pattern(i+1, s.function(i+1))
		case t.kind == sign && t.text == "=>":
			s.parameters(i - 1)
		case s.uses[i] != keyword:
		case t.text == "const", t.text == "let":
			s.bindings(i+1, s.block(open))
		case t.text == "var" && len(open) > 0: // of the whole function, wherever that begins
			s.bindings(i+1, extent{0, len(all)})
		case t.text == "var":
			s.bindings(i+1, outermost)
		case t.text == "class":
			s.declare(i+1, s.block(open))
		case t.text == "function":
			if is(all, i+1, "*") {
				i++
			}
			if s.declare(i+1, s.block(open)) {
				i++
			}
			s.pattern(i+1, s.function(i+1))
		}
	}
	s.merge()
	return s
}

// outermost is the extent of what is declared outside of all functions.
var outermost = extent{-1, -1}

// block returns the extent of what is declared within the innermost of these brackets. That of a loop's
// head goes on behind the bracket.
func (s *scope) block(open []int) extent {
	if len(open) == 0 {
		return outermost
	}
	if is(s.all, open[len(open)-1], "(") {
		open = open[:len(open)-1]
	}
	if len(open) == 0 {
		return extent{0, len(s.all)}
	}
	begin := open[len(open)-1]
	return extent{begin, end(s.all, begin)}
}

// function returns the extent of parameters in brackets that begin at a place, with the body behind them.
func (s *scope) function(i int) extent { return extent{i, end(s.all, end(s.all, i)+1)} }

// merge makes one of those of a name that overlap.
func (s *scope) merge() {
	for name, list := range s.locals {
		slices.SortFunc(list, func(x, y *local) int { return cmp.Compare(x.from, y.from) })
		apart := list[:1]
		for _, l := range list[1:] {
			if last := apart[len(apart)-1]; l.from <= last.to {
				last.to, last.first = max(last.to, l.to), min(last.first, l.first)
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

// declare declares the name at a place, if one is there.
func (s *scope) declare(i int, in extent) bool {
	if i >= len(s.all) || s.uses[i] != variable && s.uses[i] != short {
		return false
	}
	name := s.all[i].text
	s.names[name] = s.names[name] || in == outermost
	if in != outermost {
		s.locals[name] = append(s.locals[name], &local{extent: in, first: i})
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
	if s.declare(last, extent{last, body}) {
		return
	}
	for i := last; i >= 0; i-- { // the bracket that ends here
		if is(s.all, i, "(") && end(s.all, i) == last {
			s.pattern(i, extent{i, body})
			return
		}
	}
}

// bindings declares what a declaration declares: names and patterns, with values or without.
func (s *scope) bindings(i int, in extent) {
	for {
		if !s.declare(i, in) && i < len(s.all) && s.all[i].opens() {
			s.pattern(i, in)
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
func (s *scope) pattern(begin int, in extent) {
	if !is(s.all, begin, "(", "{", "[") {
		return
	}
	for i, last := begin+1, end(s.all, begin); i < last; i++ {
		if is(s.all, i-1, "(", ",", "{", "[", "...", ":") {
			s.declare(i, in)
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
