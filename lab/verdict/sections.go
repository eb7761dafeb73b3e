package verdict

import (
	"fmt"
	"strings"

	"github.com/go-election/election"
)

// Sections watches critical sections from outside: which process is in which, and with which fencing token.
// The zero value is ready for use.
type Sections struct {
	// Split: processes pause, or are cut off from each other, for longer than is allowed for. Several may be
	// inside, and their tokens may be out of order: nothing is judged. Once it is false, all tokens must be
	// larger than any before.
	Split bool

	inside map[uint8]election.ID // by section
	token  map[uint8]uint64      // the last
}

// Note notes that a process has entered or left a section, as reported by the Event of its Signal. If that violates
// [Exclusive] or [Tokens], Note returns the property and why.
func (s *Sections) Note(process election.ID, ev *election.Event) (Property, error) {
	section, token := ev.Msg.Flags, ev.Msg.Value
	switch other, taken := s.inside[section]; {
	// An Exited of another process belongs to an entry during a split.
	case ev.Op == election.Exited && other == process:
		delete(s.inside, section)
	case ev.Op != election.Entered:
	case taken && !s.Split:
		return Exclusive, BothInside(other, process, section)
	// Zero is no token: some algorithms have none.
	case token != 0 && token <= s.token[section] && !s.Split:
		return Tokens, SmallerToken(process, section, token, s.token[section])
	default:
		if s.inside == nil {
			s.inside, s.token = make(map[uint8]election.ID), make(map[uint8]uint64)
		}
		s.inside[section], s.token[section] = process, max(token, s.token[section])
	}
	return "", nil
}

// Crash notes that a process is in no section any more.
func (s *Sections) Crash(process election.ID) {
	for section, inside := range s.inside {
		if inside == process {
			delete(s.inside, section)
		}
	}
}

// BothInside returns the error of two processes that are in a section together.
func BothInside(p, q election.ID, section uint8) error {
	return fmt.Errorf("processes %d and %d are in critical section %d together", p, q, section)
}

// SmallerToken returns the error of an entry whose token is not larger than the token of an entry before.
func SmallerToken(p election.ID, section uint8, token, before uint64) error {
	return fmt.Errorf("process %d entered section %d with token %d, after token %d", p, section, token, before)
}

// Unserved returns the error of processes that have asked for entry and never entered; nil if there are none.
func Unserved(processes []election.ID) error {
	var left []string
	for _, id := range processes {
		left = append(left, fmt.Sprint(uint64(id)))
	}
	const most = 5
	if more := len(left) - most; more > 0 {
		left = append(left[:most], fmt.Sprintf("%d more", more))
	}
	switch last := len(left) - 1; last {
	case -1:
		return nil
	case 0:
		return fmt.Errorf("process %s asked and was never served", left[0])
	default:
		return fmt.Errorf("processes %s and %s asked and were never served", strings.Join(left[:last], ", "),
			left[last])
	}
}
