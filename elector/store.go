package elector

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/wholefile"
)

// stateSize is more than a state takes with its checksum: that of package lease takes some 300 bytes.
const stateSize = 1024

// block is in what a disk mostly counts.
const block = 4096

// store keeps the state of a member in a file.
type store struct {
	path  string // empty: nothing is kept
	head  []byte // the first line: which member's state it is
	saved []byte // what was read

	unlock func() error // lets another program use the file
}

// close lets another program use the file.
func (s *store) close() error {
	if s.unlock == nil {
		return nil
	}
	return s.unlock()
}

// openStore locks what a member has kept, and reads it.
func openStore(c *Config) (*store, error) {
	if c.Dir == "" {
		return &store{}, nil
	}
	// Names may hold anything, such as slashes. Commas are escaped, and dots are not: each has its file.
	name := url.PathEscape(c.Group) + "," + url.PathEscape(c.Self)
	s := &store{path: filepath.Join(c.Dir, name+".state"),
		head: fmt.Appendf(nil, "election state 1 group %q member %q\n", c.Group, c.Self)}
	if c.Algorithm != nil {
		s.head = fmt.Appendf(nil, "election state 1 group %q member %q of %s\n", c.Group, c.Self,
			c.Algorithm.Title())
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("elector: Dir: %w", err)
	}
	// A member that cannot store its vote is to fail at its start, not at its first vote.
	if err := wholefile.Try(s.path, s.room()); err != nil {
		return nil, fmt.Errorf("elector: Dir: %w", err)
	}
	// Two programs that vote as one member might vote for two leaders in one Term.
	locked := filepath.Join(c.Dir, name+".lock")
	var err error
	if s.unlock, err = lock(locked); err != nil {
		return nil, fmt.Errorf("elector: Dir: %s: %w", locked, err)
	}
	if err := s.read(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// room returns how many bytes have to be free.
func (s *store) room() int {
	size := (len(s.head) + stateSize + block - 1) / block * block
	if _, err := os.Stat(s.path); err != nil {
		return 2 * size // the second save writes its file while that of the first is there
	}
	return size
}

// read reads the file, if there is one.
func (s *store) read() error {
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("elector: Dir: %w", err)
	}
	if s.saved, err = s.parse(b); err != nil {
		return fmt.Errorf("elector: %s: %w; if the file is lost, delete it: the member then asks the others "+
			"for the largest Term", s.path, err)
	}
	return nil
}

// parse returns the state in a file.
func (s *store) parse(b []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(b, s.head)
	if !ok {
		line, _, _ := bytes.Cut(b, []byte("\n"))
		return nil, input.Errorf("it begins with %.100q instead of %.100q", line,
			strings.TrimSpace(string(s.head)))
	}
	state, sum, ok := cutTail(rest, 8)
	if !ok || string(sum) != s.sum(state) {
		return nil, input.Errorf("it is damaged: the checksum is wrong")
	}
	return state, nil
}

// cutTail cuts the last n bytes off.
func cutTail(b []byte, n int) (head, tail []byte, ok bool) {
	if len(b) < n {
		return nil, nil, false
	}
	return b[:len(b)-n], b[len(b)-n:], true
}

// sum returns the checksum of a state, as text.
func (s *store) sum(state []byte) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(append(bytes.Clone(s.head), state...)))
}

// save returns what the process calls to store its state, nil if nothing is kept.
func (s *store) save() func([]byte) error {
	if s.path == "" {
		return nil
	}
	return func(state []byte) error {
		b := append(append(bytes.Clone(s.head), state...), s.sum(state)...)
		return wholefile.Write(s.path, b)
	}
}
