package build

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// letters are those that names are made of. The first ones are more frequent in what stays.
const letters = "etaoinsrlcdupmhgfbvywkxzqjETAOINSRLCDUPMHGFBVYWKXZQJ"

// fresh returns names, the shortest first, but for those that are taken.
func fresh(taken map[string]bool) func() string {
	i := 0
	return func() string {
		for {
			name := ""
			for n := i + 1; n > 0; n = (n - 1) / len(letters) {
				name += string(letters[(n-1)%len(letters)])
			}
			i++
			if !taken[name] {
				return name
			}
		}
	}
}

// rename finds new names for all that the modules declare.
func (b *bundler) rename() error {
	taken := make(map[string]bool)
	for _, name := range keywords {
		taken[name] = true
	}
	var outside []origin // what is declared outside of functions, in order
	uses := make(map[origin]int)
	for _, file := range b.done {
		m := b.modules[file]
		for name := range m.scope.names {
			if m.whole[name] != "" {
				return fmt.Errorf("%s: %s is a module and a variable", file, name)
			}
		}
		for i, t := range m.body {
			if m.scope.uses[i] != variable && m.scope.uses[i] != short {
				continue
			}
			switch {
			case m.whole[t.text] != "", m.scope.local(i) != nil:
			case m.from[t.text] != origin{}:
				uses[m.from[t.text]]++
			case m.scope.names[t.text]:
				o := origin{file, t.text}
				if uses[o]++; !slices.Contains(outside, o) {
					outside = append(outside, o)
				}
			default:
				taken[t.text] = true // it is the browser's
			}
		}
	}
	slices.SortStableFunc(outside, func(x, y origin) int { return cmp.Compare(uses[y], uses[x]) })
	// The small letters are left to the variables of functions, which are named alike.
	free := maps.Clone(taken)
	for _, letter := range strings.ToLower(letters) {
		free[string(letter)] = true
	}
	next := fresh(free)
	for _, o := range outside {
		b.modules[o.module].named(o.name, next())
	}
	for _, file := range b.done {
		m := b.modules[file]
		m.scope.rename(func() func() string { return fresh(taken) }, func(i int) string {
			name := m.body[i].text
			if o := m.from[name]; o != (origin{}) {
				return b.find(o)
			}
			if m.whole[name] != "" && i+2 < len(m.body) {
				return b.find(origin{m.whole[name], m.body[i+2].text})
			}
			return m.names[name]
		})
	}
	return nil
}

// rename gives each variable of a function the first name that is free for it. Functions that are alike get
// the same names in the same order, for what repeats is short. A variable takes the name of one around it,
// of a function or outside of all, unless that one occurs within the extent of the variable.
func (s *scope) rename(names func() func() string, outside func(i int) string) {
	var all, live []*local
	for _, list := range s.locals {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(x, y *local) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.first, y.first))
	})
	for _, l := range all {
		live = slices.DeleteFunc(live, func(other *local) bool { return other.to < l.from })
		taken := make(map[string]bool)
		for _, other := range live {
			taken[other.name] = taken[other.name] || !s.hides(l, other)
		}
		for i := l.from; i <= min(l.to, len(s.all)-1); i++ {
			if s.uses[i] != variable && s.uses[i] != short {
				continue
			}
			if inner := s.local(i); inner != nil {
				taken[inner.name] = true
			} else {
				taken[outside(i)] = true
			}
		}
		next := names()
		for l.name == "" || taken[l.name] {
			l.name = next()
		}
		live = append(live, l)
	}
}

// hides reports whether a variable may have the name of another one, where that does not occur within its
// extent: if it is declared within the other's. What a function declares in its body is declared beside its
// parameters.
func (s *scope) hides(l, other *local) bool {
	for _, inner := range l.parts {
		for _, outer := range other.parts {
			beside := inner.from <= outer.from || inner.to > outer.to ||
				inner.to == outer.to && s.bodies[inner.from]
			if beside && inner.from <= outer.to && outer.from <= inner.to {
				return false
			}
		}
	}
	return true
}

func (m *module) named(name, other string) {
	if m.names == nil {
		m.names = make(map[string]string)
	}
	m.names[name] = other
}

// find returns the new name of what a module exports, itself or from another one.
func (b *bundler) find(o origin) string {
	m := b.modules[o.module]
	if from, ok := m.from[o.name]; ok {
		return b.find(from)
	}
	if !slices.Contains(m.exports, o.name) {
		return ""
	}
	return m.names[o.name]
}

// renamed returns a module with its new names.
func (b *bundler) renamed(m *module) (body []lexeme, err error) {
	for i := 0; i < len(m.body); i++ {
		t, u := m.body[i], m.scope.uses[i]
		old := t.text
		switch l := m.scope.local(i); {
		case u != variable && u != short:
		case l != nil:
			t.text = l.name
		case m.whole[old] != "":
			if !is(m.body, i+1, ".") || u == short {
				return nil, fmt.Errorf("%s: of a module one thing after the other is used, not all together",
					old)
			}
			i += 2
			t.text = b.find(origin{m.whole[old], m.body[i].text})
			if t.text == "" {
				return nil, fmt.Errorf("%s.%s is not exported", old, m.body[i].text)
			}
		case m.from[old] != origin{}:
			if t.text = b.find(m.from[old]); t.text == "" {
				return nil, fmt.Errorf("%s is not exported", old)
			}
		case m.scope.names[old]:
			t.text = m.names[old]
		}
		if u == short && t.text != old {
			body = append(body, lexeme{word, old, t.line}, lexeme{kind: sign, text: ":"})
			t.line = false
		}
		body = append(body, t)
	}
	return body, nil
}
