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
	"time"

	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/wholefile"
)

// stateSize is more than any state with its checksum: the state of package lease takes some 300 bytes.
const stateSize = 1024

// block is the usual block size of a disk.
const block = 4096

// store stores the state of a member in a file.
type store struct {
	path  string // empty if nothing is stored
	head  []byte // first line, which names the group and the member
	saved []byte // state that was read

	grants    time.Duration // how long this member grants its vote; zero without leases
	lastGrant time.Duration // the same when saved was stored

	unlock func() error // releases the lock of the file
}

// close releases the lock of the file.
func (s *store) close() error {
	if s.unlock == nil {
		return nil
	}
	return s.unlock()
}

// openStore locks and reads the file of a member.
func openStore(c *Config) (*store, error) {
	if c.Dir == "" {
		return &store{}, nil
	}
	// Escaped, since names may contain slashes. Commas are escaped as well, so each pair of names has its own file.
	name := url.PathEscape(c.Group) + "," + url.PathEscape(c.Self)
	s := &store{path: filepath.Join(c.Dir, name+".state"),
		head: fmt.Appendf(nil, "election state 1 group %q member %q\n", c.Group, c.Self)}
	if c.Algorithm == nil {
		s.grants = c.Times.lease(true).GrantTime()
	} else {
		s.head = fmt.Appendf(nil, "election state 1 group %q member %q of %s\n", c.Group, c.Self,
			c.Algorithm.Title())
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, about("Dir", err)
	}
	// Fail at the start if votes cannot be stored, not at the first vote.
	if err := wholefile.Try(s.path, s.room()); err != nil {
		return nil, about("Dir", err)
	}
	// Two programs that vote as one member might vote for two leaders in one Term.
	locked := filepath.Join(c.Dir, name+".lock")
	var err error
	if s.unlock, err = lock(locked); err != nil {
		return nil, about("Dir", fmt.Errorf("%s: %w", locked, err))
	}
	if err := s.read(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// room returns how many bytes must be free.
func (s *store) room() int {
	size := (len(s.head) + stateSize + block - 1) / block * block
	if _, err := os.Stat(s.path); err != nil {
		return 2 * size // a save replaces the old file after the new one is written
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
		return about("Dir", err)
	}
	if s.lastGrant, s.saved, err = s.parse(b); err != nil {
		return fmt.Errorf("%s: %w; if it cannot be restored, delete it: the member then reads the largest Term "+
			"from the others", s.path, err)
	}
	return nil
}

// parse returns the state in a file, and how long the member granted its vote when it was stored.
func (s *store) parse(b []byte) (lastGrant time.Duration, state []byte, err error) {
	rest, ok := bytes.CutPrefix(b, s.head)
	if !ok {
		line, _, _ := bytes.Cut(b, []byte("\n"))
		return 0, nil, input.Errorf("it begins with %.100q instead of %.100q", line,
			strings.TrimSpace(string(s.head)))
	}
	rest, sum, ok := cutTail(rest, 8)
	if !ok || string(sum) != s.sum(rest) {
		return 0, nil, input.Errorf("the file is damaged: the checksum is wrong")
	}
	line, state, ok := bytes.Cut(rest, []byte("\n"))
	text, is := strings.CutPrefix(string(line), grantsLast)
	if lastGrant, err = time.ParseDuration(text); !ok || !is || err != nil || lastGrant < 0 ||
		text != lastGrant.String() {
		return 0, nil, input.Errorf("its second line is %.60q, not \"grants last\" and a duration", line)
	}
	return lastGrant, state, nil
}

// grantsLast begins the second line of a file, which contains how long the member grants its vote: after a restart
// with a shorter Lease it must keep silent for as long.
const grantsLast = "grants last "

// cutTail cuts off the last n bytes.
func cutTail(b []byte, n int) (head, tail []byte, ok bool) {
	if len(b) < n {
		return nil, nil, false
	}
	return b[:len(b)-n], b[len(b)-n:], true
}

// sum returns the checksum of head and rest, in hexadecimal.
func (s *store) sum(rest []byte) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(append(bytes.Clone(s.head), rest...)))
}

// save returns a function that stores the state of the process, nil if nothing is stored.
func (s *store) save() func([]byte) error {
	if s.path == "" {
		return nil
	}
	return func(state []byte) error { return wholefile.Write(s.path, s.file(s.grants, state)) }
}

// file returns the content of a file with this state.
func (s *store) file(grants time.Duration, state []byte) []byte {
	rest := append(fmt.Appendf(nil, "%s%v\n", grantsLast, grants), state...)
	return append(append(bytes.Clone(s.head), rest...), s.sum(rest)...)
}
