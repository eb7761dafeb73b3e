package build

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-election/election/input"
)

// Site is the files of a page.
type Site struct {
	packed map[string][]byte // by name, each compressed by gzip
}

// add adds a file.
func (s *Site) add(name string, text []byte) {
	if s.packed == nil {
		s.packed = make(map[string][]byte)
	}
	s.packed[name] = squeeze(text)
}

// squeeze compresses a file by gzip.
func squeeze(text []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // no error: the level exists
	_, _ = z.Write(text)                                  // no write to a Buffer fails
	_ = z.Close()
	return b.Bytes()
}

// With returns the page with one more file.
func (s *Site) With(name string, text []byte) *Site {
	more := &Site{packed: maps.Clone(s.packed)}
	more.add(name, text)
	return more
}

// Without returns the page without some of its files.
func (s *Site) Without(names ...string) *Site {
	less := &Site{packed: maps.Clone(s.packed)}
	for _, name := range names {
		delete(less.packed, name)
	}
	return less
}

// Names returns the names of the files, in order.
func (s *Site) Names() []string { return slices.Sorted(maps.Keys(s.packed)) }

// Packed returns a file as gzip has compressed it, nil if there is none of this name.
func (s *Site) Packed(name string) []byte { return s.packed[name] }

// File returns a file, nil if there is none of this name.
func (s *Site) File(name string) []byte {
	if s.packed[name] == nil {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(s.packed[name]))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil
	}
	return text
}

// WriteFolder writes the files into a folder, as they are and compressed, for a server of files. The
// folder must be empty, or not there.
func (s *Site) WriteFolder(folder string) error {
	list, err := os.ReadDir(folder)
	switch {
	case err == nil && len(list) > 0:
		return input.Errorf("%s: the folder is not empty: name a new one", folder)
	case err != nil && !os.IsNotExist(err):
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, name := range s.Names() {
		if err := os.WriteFile(filepath.Join(folder, name), s.File(name), 0o666); err != nil {
			return err
		}
	}
	return s.writePacked(folder)
}

// suffix ends the names of compressed files.
const suffix = ".gz"

func (s *Site) writePacked(folder string) error {
	for _, name := range s.Names() {
		if err := os.WriteFile(filepath.Join(folder, name+suffix), s.packed[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}

// load reads the compressed files of a folder.
func load(folder fs.FS) (*Site, error) {
	list, err := fs.Glob(folder, "*"+suffix)
	if err != nil {
		return nil, err
	}
	s := &Site{packed: make(map[string][]byte)}
	for _, file := range list {
		name := strings.TrimSuffix(file, suffix)
		if s.packed[name], err = fs.ReadFile(folder, file); err != nil {
			return nil, err
		}
		if s.File(name) == nil { // a machine that stopped too early has not written all of it
			return nil, fmt.Errorf("%s: %w", file, gzip.ErrChecksum)
		}
	}
	if s.packed["index.html"] == nil {
		return nil, fmt.Errorf("no page: %w", fs.ErrNotExist)
	}
	return s, nil
}

// cached returns the page in a folder of the cache, nil if it is not there as a whole: caches are
// cleaned file by file.
func (t *tree) cached(folder string) *Site {
	s, err := load(os.DirFS(folder))
	if err != nil {
		return nil
	}
	for name := range t.shown {
		if s.packed[name] == nil {
			return nil
		}
	}
	for _, name := range []string{"doc.json", "election.wasm", "wasm_exec.js"} {
		if s.packed[name] == nil {
			return nil
		}
	}
	return s
}

// keep writes the page into a folder of the cache, which is there as a whole or not at all.
func (s *Site) keep(cache, folder string) error {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return err
	}
	removeLeftovers(cache, unfinished)
	part, err := os.MkdirTemp(cache, unfinished)
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := s.writePacked(part); err != nil {
		return err
	}
	// Another program may have kept the same page meanwhile.
	if err := os.Rename(part, folder); err != nil && !os.IsExist(err) {
		return err
	}
	return forget(cache, folder)
}

// mostKept is the number of pages that a cache keeps.
const mostKept = 5

// forget removes the oldest pages of a cache, except for one.
func forget(cache, but string) error {
	list, err := filepath.Glob(filepath.Join(cache, "page-*"))
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(folder string) bool { return folder == but })
	since := func(folder string) int64 {
		info, err := os.Stat(folder)
		if err != nil {
			return 0 // another program has removed it
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(list, func(a, b string) int { return int(min(max(since(b)-since(a), -1), 1)) })
	for _, folder := range list[min(len(list), mostKept-1):] {
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	return nil
}
