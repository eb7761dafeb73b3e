package build

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// letters are those that names are made of. The first ones are more frequent in what stays.
const letters = "etaoinsrlcdupmhgfbvywkxzqjETAOINSRLCDUPMHGFBVYWKXZQJ"

// fresh returns names of a first letter and more behind it, one after the other, but for those that are
// taken.
func fresh(first []string, taken map[string]bool) func() string {
	i := 0
	return func() string {
		for {
			name, n := first[i%len(first)], i/len(first)
			for ; n > 0; n = (n - 1) / len(letters) {
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
	outside := make(map[origin]int) // how often names that are declared outside of functions occur
	for _, file := range b.done {
		m := b.modules[file]
		for name := range m.scope.names {
			if m.whole[name] != "" {
				return fmt.Errorf("%s: %s is a module and a variable", file, name)
			}
		}
		for i, t := range m.body {
			if m.scope.uses[i] != variable && m.scope.uses[i] != short || m.scope.local(i) != nil {
				continue
			}
			if o := b.origin(m, file, i); o != (origin{}) {
				outside[o]++
			} else {
				taken[t.text] = true // it is the browser's
			}
		}
	}
	var singles, pairs []string
	for _, c := range letters {
		singles = append(singles, string(c))
		for _, d := range letters {
			pairs = append(pairs, string(c)+string(d))
		}
	}
	next := fresh(pairs, taken)
	for _, o := range byCount(outside) {
		b.modules[o.module].named(o.name, next())
	}
	for _, file := range b.done {
		m := b.modules[file]
		at := make(map[string][]int)
		for i := range m.body {
			if o := b.origin(m, file, i); o != (origin{}) && m.scope.local(i) == nil {
				name := b.modules[o.module].names[o.name]
				at[name] = append(at[name], i)
			}
		}
		m.scope.rename(func() func() string { return fresh(singles, taken) }, at)
	}
	return nil
}

// rename gives each variable of a function the first name that means nothing else where the variable may
// occur. It may be that of a variable around it which does not occur there. Functions that are alike get the
// same names in the same order, for what repeats is short. Outside says where names of what is declared
// outside of functions occur.
func (s *scope) rename(names func() func() string, outside map[string][]int) {
	at := make(map[*local][]int) // where a variable occurs
	for i := range s.all {
		if l := s.local(i); l != nil && (s.uses[i] == variable || s.uses[i] == short) {
			at[l] = append(at[l], i)
		}
	}
	var all, live []*local
	for _, list := range s.locals {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(x, y *local) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.first, y.first))
	})
	for _, l := range all {
		live = slices.DeleteFunc(live, func(other *local) bool { return other.to < l.from })
		next := names()
		for l.name == "" || l.extent.has(outside[l.name]) || slices.ContainsFunc(live, func(o *local) bool {
			// A parameter and a variable of the function's body end together, and need two names.
			return o.name == l.name && (o.to < l.to || slices.Contains(o.ends, l.to) || l.extent.has(at[o]))
		}) {
			l.name = next()
		}
		live = append(live, l)
	}
}

// has reports whether one of these places, which are in order, lies within the extent.
func (e extent) has(places []int) bool {
	i, found := slices.BinarySearch(places, e.from)
	return found || i < len(places) && places[i] <= e.to
}

// byCount returns names in the order of how often they occur.
func byCount(names map[origin]int) []origin {
	return slices.SortedFunc(maps.Keys(names), func(x, y origin) int {
		return cmp.Or(cmp.Compare(names[y], names[x]), cmp.Compare(x.module, y.module),
			cmp.Compare(x.name, y.name))
	})
}

func (m *module) named(name, other string) {
	if m.names == nil {
		m.names = make(map[string]string)
	}
	m.names[name] = other
}

// origin returns what a name at a place means, if that is declared outside of functions.
func (b *bundler) origin(m *module, file string, i int) origin {
	o := origin{file, m.body[i].text}
	switch {
	case m.scope.uses[i] != variable && m.scope.uses[i] != short:
		return origin{}
	case m.whole[o.name] != "" && i+2 < len(m.body):
		o = origin{m.whole[o.name], m.body[i+2].text}
	case m.from[o.name] != origin{}:
		o = m.from[o.name]
	case !m.scope.names[o.name]:
		return origin{}
	}
	for b.modules[o.module].from[o.name] != (origin{}) {
		o = b.modules[o.module].from[o.name]
	}
	return o
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
