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
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/wholefile"
	"github.com/go-election/election/lease"
)

// stateSize is more than any state of a Node with its checksum: the state of package lease takes some 500 bytes, and
// more if there are hundreds of members.
const stateSize = 2048

// block is the usual block size of a disk.
const block = 4096

// stateFile stores the state of a member in a file.
type stateFile struct {
	path  string // empty if nothing is stored
	head  []byte // first line, which names the group and the member
	saved []byte // state that was read

	times     Times
	grants    time.Duration // how long this member grants its vote at least; zero without leases
	unsaved   int           // bytes at the end of a state that are not stored
	lastGrant time.Duration // the same when saved was stored
	began     time.Time     // when it was read
	known                   // when saved was stored
	knows     func() known  // returns what is stored with the next state

	unlock func() error // releases the lock of the file
}

// known is what a member stores besides the state of its process.
type known struct {
	founders string // list by which the group was founded; empty if unknown
	was      bool   // this process has been one of the agreed members
	spent    []spentList
	lends    time.Duration // the longest Lease of the members
	roster   []peer        // by port
}

// peer is another process. Its name is empty if only a configuration has named it.
type peer struct {
	id            election.ID
	name, address string
}

// close releases the lock of the file.
func (s *stateFile) close() error {
	if s.unlock == nil {
		return nil
	}
	return s.unlock()
}

// openState locks and reads the file of a member.
func openState(c *Config) (*stateFile, error) {
	if c.Dir == "" {
		return &stateFile{knows: func() known { return known{} }}, nil
	}
	// Escaped, since names may contain slashes. Commas are escaped as well, so each pair of names has its own file.
	name := url.PathEscape(c.Group) + "," + url.PathEscape(c.Self)
	s := &stateFile{times: c.Times, knows: func() known { return known{} }, began: time.Now(), path: filepath.Join(c.Dir, name+".state"),
		head: fmt.Appendf(nil, "election state 2 group %q member %q\n", c.Group, c.Self)}
	switch {
	case c.Store != nil:
		s.head = fmt.Appendf(nil, "election state 2 group %q member %q with a store\n", c.Group, c.Self)
	case c.Algorithm == nil:
		s.grants, s.unsaved = c.Times.lease(true).GrantTime(), lease.Unsaved
	default:
		s.head = fmt.Appendf(nil, "election state 2 group %q member %q of %s\n", c.Group, c.Self,
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
func (s *stateFile) room() int {
	size := (len(s.file(s.grants, make([]byte, stateSize))) + block - 1) / block * block
	if _, err := os.Stat(s.path); err != nil {
		return 2 * size // a save replaces the old file after the new one is written
	}
	return size
}

// read reads the file, if there is one.
func (s *stateFile) read() error {
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return about("Dir", err)
	}
	if err = s.parse(b); err != nil {
		return fmt.Errorf("%s: %w; if it cannot be restored, delete it: the member then reads what it has forgotten "+
			"from the others", s.path, err)
	}
	return nil
}

// parse takes what a file contains.
func (s *stateFile) parse(b []byte) error {
	rest, ok := bytes.CutPrefix(b, s.head)
	if !ok {
		line, _, _ := bytes.Cut(b, []byte("\n"))
		return input.Errorf("it begins with %.100q instead of %.100q", line, strings.TrimSpace(string(s.head)))
	}
	rest, sum, ok := cutTail(rest, 8)
	if !ok || string(sum) != s.sum(rest) {
		return input.Errorf("the file is damaged: the checksum is wrong")
	}
	for {
		var line []byte
		if line, rest, ok = bytes.Cut(rest, []byte("\n")); !ok {
			return input.Errorf("it contains no line \"state\"")
		}
		word, of, _ := strings.Cut(string(line), " ")
		if word == stateFollows {
			if s.saved = rest; len(rest) > 0 {
				s.saved = append(rest[:len(rest):len(rest)], make([]byte, s.unsaved)...)
			}
			return nil
		}
		if !s.parseLine(word, of) {
			return input.Errorf("it contains the line %.60q, which this version does not know", line)
		}
	}
}

// The words that begin the lines of a file after the head. After a restart with a shorter Lease, a member must keep
// silent for as long as it granted its vote before.
const (
	grantsLast   = "grants-last"
	foundedBy    = "founded-by"
	wasMember    = "was-member"
	spentLists   = "spent"
	onePeer      = "peer"
	stateFollows = "state"
)

// parseLine takes one line, and reports whether it is valid.
func (s *stateFile) parseLine(word, of string) (ok bool) {
	var err error
	switch word {
	case grantsLast:
		s.lastGrant, err = time.ParseDuration(of)
		return err == nil && s.lastGrant >= 0
	case foundedBy:
		s.founders, err = strconv.Unquote(of)
		return err == nil
	case wasMember:
		s.was = true
		return of == ""
	case spentLists:
		for text := range strings.FieldsSeq(of) {
			var l spentList
			if n, err := fmt.Sscanf(text, "%x:%x", &l.Label, &l.List); err != nil || n != 2 {
				return false
			}
			s.spent = append(s.spent, l)
		}
		return len(s.spent) <= mostSpent
	case onePeer:
		var p peer
		n, err := fmt.Sscanf(of, "%x %q %q", &p.id, &p.name, &p.address)
		s.roster = append(s.roster, p)
		return err == nil && n == 3 && p.id != 0 && (p.name == "" || ID(p.name) == p.id)
	}
	return false
}

// cutTail cuts off the last n bytes.
func cutTail(b []byte, n int) (head, tail []byte, ok bool) {
	if len(b) < n {
		return nil, nil, false
	}
	return b[:len(b)-n], b[len(b)-n:], true
}

// sum returns the checksum of head and rest, in hexadecimal.
func (s *stateFile) sum(rest []byte) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(append(bytes.Clone(s.head), rest...)))
}

// save returns a function that stores the state of the process, nil if nothing is stored.
func (s *stateFile) save() func([]byte) error {
	if s.path == "" {
		return nil
	}
	return func(state []byte) error { return wholefile.Write(s.path, s.file(s.grants, state)) }
}

// file returns the content of a file with this state. The end of a state is omitted that only a running process needs,
// so that files stay the same when a version adds to it.
func (s *stateFile) file(grants time.Duration, state []byte) []byte {
	k := s.knows()
	if state = state[:max(len(state)-s.unsaved, 0)]; s.grants > 0 && k.lends > 0 {
		longest := s.times
		longest.Lease = k.lends
		grants = max(grants, longest.lease(true).GrantTime())
	}
	if time.Since(s.began) < s.lastGrant { // what was granted before the last restart counts after the next one, too
		grants = max(grants, s.lastGrant)
	}
	rest := fmt.Appendf(nil, "%s %v\n", grantsLast, grants)
	if k.founders != "" {
		rest = fmt.Appendf(rest, "%s %q\n", foundedBy, k.founders)
	}
	if k.was {
		rest = append(rest, wasMember+"\n"...)
	}
	if len(k.spent) > 0 {
		rest = append(rest, spentLists...)
		for _, l := range k.spent {
			rest = fmt.Appendf(rest, " %x:%x", l.Label, l.List)
		}
		rest = append(rest, '\n')
	}
	for _, p := range k.roster {
		rest = fmt.Appendf(rest, "%s %x %q %q\n", onePeer, uint64(p.id), p.name, p.address)
	}
	rest = append(append(append(rest, stateFollows...), '\n'), state...)
	return append(append(bytes.Clone(s.head), rest...), s.sum(rest)...)
}
