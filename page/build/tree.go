package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// tree contains the files from which a page is built.
type tree struct {
	code    map[string][]byte // Go files, by paths in one module
	imports map[string][]string
	shown   map[string][]byte // files of the page, by names
}

// goLine is the line of a go.mod that names the version of the language.
var goLine = regexp.MustCompile(`(?m)^go .*$`)

// program is the package that the browser runs, and counters what its blocks report to.
const (
	program  = "page/wasm"
	counters = "internal/counters"
)

// read reads the source of the page: the packages of the program, the packages that build it, and the files
// of the page.
func (s Source) read() (*tree, error) {
	t := &tree{code: make(map[string][]byte), imports: make(map[string][]string),
		shown: make(map[string][]byte)}
	text, err := os.ReadFile(filepath.Join(s.Library, "go.mod"))
	if err != nil {
		return nil, err
	}
	t.code["go.mod"] = []byte("module " + library + "\n\n" + goLine.FindString(string(text)) + "\n")
	// The builder is read too, so that a page of another builder is another page.
	for _, name := range []string{program, counters, "page/build"} {
		if err := t.add(s, name); err != nil {
			return nil, err
		}
	}
	return t, errors.Join(t.addFiles(filepath.Join(s.Page, "web")),
		t.addLessons(filepath.Join(s.Page, "lessons")))
}

// add adds a package, given by its path in the library, and what it imports.
func (t *tree) add(s Source, name string) error {
	if t.imports[name] != nil {
		return nil
	}
	t.imports[name] = []string{}
	folder := filepath.Join(s.Library, filepath.FromSlash(name))
	if rest, ok := strings.CutPrefix(name, "page/"); ok {
		folder = filepath.Join(s.Page, filepath.FromSlash(rest))
	}
	list, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range list {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		t.code[path.Join(name, filepath.Base(file))] = text
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range parsed.Imports {
			imported, _ := strconv.Unquote(i.Path.Value) // the parser has accepted it
			if imported != library && !strings.HasPrefix(imported, library+"/") {
				continue
			}
			imported = strings.TrimPrefix(strings.TrimPrefix(imported, library), "/")
			t.imports[name] = append(t.imports[name], imported)
			if err := t.add(s, imported); err != nil {
				return err
			}
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("there is no Go source in %s", folder)
	}
	return nil
}

// algorithms returns the packages of the algorithms: the packages of the catalog that import the contract.
func (t *tree) algorithms() []string {
	list := slices.DeleteFunc(slices.Clone(t.imports["catalog"]), func(name string) bool {
		return !slices.Contains(t.imports[name], "")
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// shownFiles are the endings of files that the page consists of.
var shownFiles = []string{".html", ".css", ".js", ".svg"}

// addFiles adds the files of the page itself.
func (t *tree) addFiles(folder string) error {
	list, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.IsDir() || !slices.Contains(shownFiles, filepath.Ext(e.Name())) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		t.shown[e.Name()] = text
	}
	return nil
}

// addLessons makes one file of all lessons, each with its name as its id.
func (t *tree) addLessons(folder string) error {
	list, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lessons := []map[string]json.RawMessage{}
	for _, e := range list {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		var lesson map[string]json.RawMessage
		if err := json.Unmarshal(text, &lesson); err != nil {
			return fmt.Errorf("lesson %s: %w", e.Name(), err)
		}
		lesson["id"] = []byte(strconv.Quote(name))
		lessons = append(lessons, lesson)
	}
	t.shown["lessons.json"], err = json.Marshal(lessons)
	return err
}

// key names the page that this source and a version of Go make.
func (t *tree) key(version string) string {
	h := sha256.New()
	fmt.Fprintln(h, version, runtime.Version()) // the second version compresses the files
	for _, files := range []map[string][]byte{t.code, t.shown} {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintln(h, name, len(files[name]))
			h.Write(files[name])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
