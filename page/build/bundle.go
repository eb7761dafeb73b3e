package build

import (
	"fmt"
	"slices"
	"strings"
)

// module is a module of the page.
type module struct {
	body    []lexeme          // without its imports, and without the word export
	modules []string          // that it imports
	from    map[string]origin // what it imports, by the names that it has here
	whole   map[string]string // the modules of which it imports all, by their names here
	exports []string
	scope   *scope
	names   map[string]string // the new names
}

// origin is a name that a module exports.
type origin struct{ module, name string }

// bundler makes one module of several.
type bundler struct {
	texts   map[string][]byte // by the names of the modules
	modules map[string]*module
	begun   []string // the modules whose imports are read
	done    []string // in the order in which a browser would run them
}

// bundle returns one module that does what a module does, with all that it imports, and the names of those.
// All are in one scope, with new names: one or two letters for what was declared in functions, two or more
// for the rest. It exports what the first one does.
func bundle(texts map[string][]byte, first string) (one []byte, names []string, err error) {
	b := &bundler{texts: texts, modules: make(map[string]*module)}
	if err := b.add(first); err != nil {
		return nil, nil, err
	}
	if err := b.rename(); err != nil {
		return nil, nil, err
	}
	var out strings.Builder
	for _, name := range b.done {
		body, err := b.renamed(b.modules[name])
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		out.WriteString(strings.TrimSuffix(text(body), ";") + ";")
	}
	var exports []string
	for _, name := range b.modules[first].exports {
		exports = append(exports, b.find(origin{first, name})+" as "+name)
	}
	fmt.Fprintf(&out, "export{%s}\n", strings.Join(exports, ","))
	return []byte(out.String()), b.done, nil
}

// add adds a module behind those that it imports.
func (b *bundler) add(name string) error {
	switch {
	case slices.Contains(b.done, name):
		return nil
	case slices.Contains(b.begun, name):
		return fmt.Errorf("%s imports itself, by way of others", name)
	case b.texts[name] == nil:
		return fmt.Errorf("there is no module %s", name)
	}
	b.begun = append(b.begun, name)
	m, err := readModule(string(b.texts[name]))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, imported := range m.modules {
		if err := b.add(imported); err != nil {
			return err
		}
	}
	if m.scope, err = scopeOf(m.body); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.done, b.modules[name] = append(b.done, name), m
	return nil
}

// readModule reads a module. It knows the forms of import and export that the page uses, and rejects others.
func readModule(source string) (*module, error) {
	all, err := scan(source)
	if err != nil {
		return nil, err
	}
	m, depth := &module{from: make(map[string]origin), whole: make(map[string]string)}, 0
	for i := 0; i < len(all); i++ {
		t := all[i]
		switch {
		case depth == 0 && t.text == "import" && t.kind == word:
			used, err := m.readImport(all[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
			continue
		case depth == 0 && t.text == "export" && t.kind == word:
			used, err := m.readExport(all[i+1:])
			if err != nil {
				return nil, err
			}
			if i += used; used == 0 { // the declaration begins where the word export did
				all[i+1].line = t.line
			}
			continue
		case t.kind == sign && strings.Contains("{[(", t.text):
			depth++
		case t.kind == sign && strings.Contains("}])", t.text):
			depth--
		case t.kind == word && (t.text == "import" || depth == 0 && t.text == "await"):
			return nil, fmt.Errorf("%s: an import is at the top, an await in a function", t.text)
		}
		m.body = append(m.body, t)
	}
	return m, nil
}

// upTo returns the texts of tokens up to a semicolon.
func upTo(all []lexeme) (texts []string) {
	for _, t := range all {
		texts = append(texts, t.text)
		if t.text == ";" {
			break
		}
	}
	return texts
}

// readImport reads an import behind that word.
func (m *module) readImport(all []lexeme) (used int, err error) {
	texts := upTo(all)
	n := len(texts)
	if n < 6 || texts[n-3] != "from" || !strings.HasPrefix(texts[n-2], `"./`) {
		return 0, fmt.Errorf("import %s: an import is of names or of all, from a module beside this one",
			strings.Join(texts, " "))
	}
	name := strings.TrimSuffix(strings.TrimPrefix(texts[n-2], `"./`), `"`)
	m.modules = append(m.modules, name)
	if texts[0] == "*" { // * as name
		m.whole[texts[2]] = name
		return n, nil
	}
	for _, one := range strings.Split(strings.Join(texts[1:n-4], " "), ",") {
		if parts := strings.Fields(one); len(parts) > 0 { // name, or name as another
			m.from[parts[len(parts)-1]] = origin{name, parts[0]}
		}
	}
	return n, nil
}

// readExport reads what is exported: a declaration, which stays, or a list of names.
func (m *module) readExport(all []lexeme) (used int, err error) {
	texts := upTo(all)
	if len(texts) < 3 {
		return 0, fmt.Errorf("export %s", strings.Join(texts, " "))
	}
	names := len(m.exports)
	switch {
	case texts[0] == "{":
		for _, name := range texts[1 : len(texts)-2] {
			if name != "," {
				m.exports = append(m.exports, name)
			}
		}
		if slices.Contains(texts, "as") {
			return 0, fmt.Errorf("export %s: a name is exported as it is", strings.Join(texts, " "))
		}
		return len(texts), nil
	case texts[0] == "const":
		m.exports = append(m.exports, constants(all[1:])...)
	case texts[0] == "function", texts[0] == "class":
		m.exports = append(m.exports, texts[1])
	case texts[0] == "async":
		m.exports = append(m.exports, texts[2])
	}
	if len(m.exports) == names {
		return 0,
			fmt.Errorf("export %s: what is exported are functions, classes, constants and lists of names",
				texts[0])
	}
	return 0, nil
}

// constants returns the names that a declaration of constants declares, behind the word const.
func constants(all []lexeme) (names []string) {
	depth, begins := 0, true
	for _, t := range all {
		switch {
		case t.kind == sign && strings.Contains("{[(", t.text):
			depth++
		case t.kind == sign && strings.Contains("}])", t.text):
			depth--
		case depth == 0 && t.text == ";":
			return names
		case begins && t.kind == word:
			names = append(names, t.text)
		}
		begins = depth == 0 && t.text == ","
	}
	return names
}
