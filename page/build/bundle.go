package build

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// module is a module of the page.
type module struct {
	body    []lexeme // without its imports, and without the word export
	imports []string // the names of the modules
	exports []string
}

// bundler makes one module of several.
type bundler struct {
	texts map[string][]byte // by the names of the modules
	out   strings.Builder
	begun []string // the modules whose imports are read
	done  []string
}

// bundle returns one module that does what a module does, with all that it imports, and the names of those.
// Each becomes a function, which is called once and returns what the module exports, in the order in which a
// browser would run them. The one module exports all by their names, for tests.
func bundle(texts map[string][]byte, first string) (one []byte, names []string, err error) {
	b := &bundler{texts: texts}
	if err := b.add(first); err != nil {
		return nil, nil, err
	}
	b.out.WriteString("export{")
	for i, name := range b.done {
		if i > 0 {
			b.out.WriteString(",")
		}
		b.out.WriteString(named(name) + " as " + strings.TrimPrefix(named(name), "$"))
	}
	b.out.WriteString("}\n")
	return []byte(b.out.String()), b.done, nil
}

// named returns the name of what a module exports.
func named(module string) string { return "$" + strings.TrimSuffix(path.Base(module), ".js") }

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
	for _, imported := range m.imports {
		if err := b.add(imported); err != nil {
			return err
		}
	}
	b.done = append(b.done, name)
	fmt.Fprintf(&b.out, "const %s=(()=>{%s\nreturn{%s}})();\n", named(name), text(m.body),
		strings.Join(m.exports, ","))
	return nil
}

// readModule reads a module. It knows the forms of import and export that the page uses, and rejects others.
func readModule(source string) (*module, error) {
	all, err := scan(source)
	if err != nil {
		return nil, err
	}
	m, depth := &module{}, 0
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

// readImport reads an import behind that word. The names become constants of the module.
func (m *module) readImport(all []lexeme) (used int, err error) {
	texts := upTo(all)
	n := len(texts)
	if n < 5 || texts[n-3] != "from" || !strings.HasPrefix(texts[n-2], `"./`) {
		return 0, fmt.Errorf("import %s: an import is of names or of all, from a module beside this one",
			strings.Join(texts, " "))
	}
	name := strings.Trim(texts[n-2], `"./`)
	name = strings.TrimSuffix(name, ".js") + ".js"
	m.imports = append(m.imports, name)
	m.body = append(m.body, lexeme{kind: word, text: "const"})
	if texts[0] == "*" { // * as name
		m.body = append(m.body, lexeme{kind: word, text: texts[2]})
	} else {
		for _, t := range all[:n-3] {
			if t.text == "as" {
				t = lexeme{kind: sign, text: ":"}
			}
			t.line = false
			m.body = append(m.body, t)
		}
	}
	m.body = append(m.body, lexeme{kind: sign, text: "="}, lexeme{kind: word, text: named(name)},
		lexeme{kind: sign, text: ";"})
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
