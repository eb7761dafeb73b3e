package build

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// boot loads the page from the files that lie in it. LIST stands for their names, types and compressed sizes,
// and SIZE for the number of bytes of all together.
//
//go:embed boot.js
var boot string

// singlePolicy allows the page to load only what it contains.
const singlePolicy = "default-src 'none'; script-src 'unsafe-inline' blob: 'wasm-unsafe-eval'; " +
	"worker-src blob:; " +
	"style-src 'unsafe-inline'; connect-src blob:; img-src data: blob:"

// What the document has that a single file cannot have: links to other files.
const (
	styleLink  = `<link rel="stylesheet" href="page.css">`
	scriptLink = `<script type="module" src="app.js"></script>`
)

// importing matches a module that needs another one.
var importing = regexp.MustCompile(`(?m)^import\b|\bfrom\s*"\./`)

// IsPublished reports whether the script of the page is one module.
func (s *Site) IsPublished() bool { return !importing.Match(s.File("app.js")) }

// WriteSingle writes the page as one file, see [Site.Single].
func (s *Site) WriteSingle(w io.Writer) error {
	text, err := s.Single()
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// Single returns a page whose script is one module as one file, which a browser opens without a server and
// without any request. Package page/pack makes such a page; the binary of a release contains one.
func (s *Site) Single() ([]byte, error) {
	if !s.IsPublished() {
		return nil, errors.New("app.js imports other modules, which a single file cannot contain")
	}
	document := string(s.File("index.html"))
	for _, link := range []string{styleLink, scriptLink} {
		if strings.Count(document, link) != 1 {
			return nil, fmt.Errorf("index.html has %d of %s, it must be 1", strings.Count(document, link),
				link)
		}
	}
	var all []byte
	list := [][]any{}
	for _, name := range s.Names() {
		packed := s.Packed(name)
		switch {
		case name == "wasm_exec.js": // it is in the worker
			continue
		case path.Ext(name) == ".html", path.Ext(name) == ".css": // they are in the document
			continue
		case name == "worker.js": // a worker of a document without a host cannot load another blob
			packed = squeeze(slices.Concat(s.File("wasm_exec.js"), []byte("\n"), s.File(name)))
		}
		list, all = append(list, []any{name, types[path.Ext(name)], len(packed)}), append(all, packed...)
	}
	names, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	head := `<meta http-equiv="Content-Security-Policy" content="` + singlePolicy + `">` + "\n" +
		"<style>\n" + string(s.File("page.css")) + "</style>"
	start := strings.NewReplacer("LIST", string(names), "SIZE", strconv.Itoa(len(all))).Replace(boot)
	foot := `<script type="text/plain" id="election-files">` + digits(all) + "</script>\n<script>\n" +
		start + "</script>"
	document = strings.Replace(document, styleLink, head, 1)
	return []byte(strings.Replace(document, scriptLink, foot, 1)), nil
}

// digits encodes bytes as letters, two for each 13 bits; base 64 would make the page larger by a twelfth. It
// uses 91 letters: # to ~, except for <, which begins a tag.
func digits(b []byte) string {
	text := make([]byte, 0, len(b)*16/13+2)
	letter := func(digit uint32) byte {
		if digit += '#'; digit >= '<' {
			digit++
		}
		return byte(digit)
	}
	bits, waiting := uint32(0), 0
	for i, c := range b {
		bits |= uint32(c) << waiting
		waiting += 8
		for ; waiting >= 13 || waiting > 0 && i == len(b)-1; waiting -= 13 {
			text = append(text, letter(bits%(1<<13)%91), letter(bits%(1<<13)/91))
			bits >>= 13
		}
	}
	return string(text)
}
