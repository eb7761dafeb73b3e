package election

import (
	"encoding/binary"
	"fmt"
	"time"
)

// State is a visitor over the mutable fields of a Node. A single method of the Node serves to save
// ([State.Append]), restore ([State.Restore]) and reset ([State.Reset]) it, so that the three cannot diverge.
// Equal states have equal encodings. The zero value is ready for use.
type State struct {
	act stateAct
	buf []byte // bytes saved so far, or bytes left to restore
	err error
}

type stateAct uint8

const (
	stateSave stateAct = iota
	stateRestore
	stateReset
)

func (s *State) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: %s", ErrState, fmt.Sprintf(format, args...))
	}
}

// take returns the next n bytes to restore, or nil if there are fewer.
func (s *State) take(n int) []byte {
	if s.err != nil || len(s.buf) < n {
		s.fail("it ends too early")
		return nil
	}
	b := s.buf[:n]
	s.buf = s.buf[n:]
	return b
}

// Uint64 visits a number.
func (s *State) Uint64(v *uint64) {
	switch s.act {
	case stateSave:
		s.buf = binary.LittleEndian.AppendUint64(s.buf, *v)
	case stateReset:
		*v = 0
	default:
		if b := s.take(8); b != nil {
			*v = binary.LittleEndian.Uint64(b)
		}
	}
}

// Uint32 visits a number.
func (s *State) Uint32(v *uint32) {
	switch s.act {
	case stateSave:
		s.buf = binary.LittleEndian.AppendUint32(s.buf, *v)
	case stateReset:
		*v = 0
	default:
		if b := s.take(4); b != nil {
			*v = binary.LittleEndian.Uint32(b)
		}
	}
}

// Uint8 visits a number.
func (s *State) Uint8(v *uint8) {
	switch s.act {
	case stateSave:
		s.buf = append(s.buf, *v)
	case stateReset:
		*v = 0
	default:
		if b := s.take(1); b != nil {
			*v = b[0]
		}
	}
}

// Bool visits a truth value.
func (s *State) Bool(v *bool) {
	var b uint8
	if *v {
		b = 1
	}
	s.Uint8(&b)
	if b > 1 {
		s.fail("a bool is %d, neither 0 nor 1", b)
	}
	*v = b == 1
}

// Enum visits a number from 0 to n-1, one of n cases. Restore fails on any other number.
func (s *State) Enum(v *uint8, n uint8) {
	if s.Uint8(v); *v >= n {
		s.fail("case %d of %d", *v, n)
	}
}

// ID visits an ID.
func (s *State) ID(v *ID) { s.Uint64((*uint64)(v)) }

// Port visits a port.
func (s *State) Port(v *Port) { s.Uint32((*uint32)(v)) }

// Rank visits a Rank.
func (s *State) Rank(v *Rank) {
	s.Uint64(&v.Priority)
	s.ID(&v.ID)
}

// Duration visits a duration.
func (s *State) Duration(v *time.Duration) {
	// Convert to uint64: a State has no signed numbers, and the conversion keeps every bit.
	n := uint64(*v)
	s.Uint64(&n)
	*v = time.Duration(n)
}

// Message visits a message.
func (s *State) Message(m *Message) {
	s.Uint64(&m.Term)
	s.Rank(&m.Rank)
	s.Uint64(&m.Value)
	s.Uint32(&m.Round)
	s.Uint8(&m.Kind)
	s.Uint8(&m.Flags)
	s.Uint8(&m.Layer)
}

// VisitSlice visits a slice; each visits one element and must visit at least one byte. An empty slice and a nil
// slice are the same state.
func VisitSlice[T any](s *State, v *[]T, each func(*State, *T)) {
	n := uint32(len(*v))
	s.Uint32(&n)
	if s.act == stateReset {
		// Clear the elements before truncating the slice: its array keeps them and would retain memory.
		clear(*v)
		*v = (*v)[:0]
		return
	}
	if s.act == stateRestore {
		// Every element takes at least one byte. Check the length before allocating, or corrupt input could
		// request gigabytes.
		if uint64(n) > uint64(len(s.buf)) {
			s.fail("a list of %d", n)
		}
		if s.err != nil {
			return
		}
		// Reuse the array of the old slice, but zero the elements: fields that each does not visit must not
		// survive.
		*v = append((*v)[:0], make([]T, n)...)
	}
	for i := range *v {
		each(s, &(*v)[i])
	}
}
