package storelease

import (
	"math"
	"time"

	"github.com/go-election/election"
)

// The kinds of messages. Round is the number of a request, and an answer has the number of its request.
//
// A revision is a small number, by which the far end of the link knows a revision of the store: the same number for the
// same revision. Zero means that there is no value.
const (
	KindGet      uint8 = iota + 1 // what is stored?
	KindPut                       // replace the revision in the upper half of Value by a Record
	KindValue                     // a Record and its revision; Round is zero if the store reports a change by itself
	KindAbsent                    // nothing is stored
	KindWritten                   // the Record of the PUT is stored, with the revision in the upper half of Value
	KindConflict                  // the Record of the PUT is not stored, and will not be
	KindOpen                      // the GET or PUT has failed; what a PUT writes may be stored, now or later
	KindChanged                   // the stored value may have changed
)

// flagReleased means that no process holds the lease: Rank.ID is the process that may take it without waiting, or zero.
const flagReleased uint8 = 1

// Record is what the store contains.
type Record struct {
	Term        uint64
	Owner       election.ID // zero if the lease was released
	Incarnation uint64      // of the last owner
	Lease       time.Duration
	Next        election.ID // in a released Record: who may take it without waiting; zero: all
}

// Get returns the message that asks for the Record.
func Get(number uint32) election.Message { return election.Message{Kind: KindGet, Round: number} }

// Put returns the message that replaces a revision by a Record.
func Put(number, revision uint32, r Record) election.Message {
	return message(KindPut, number, revision, r)
}

// Value returns the message that contains the Record and its revision.
func Value(number, revision uint32, r Record) election.Message {
	return message(KindValue, number, revision, r)
}

// Answer returns a message that contains no Record. The revision is zero except in WRITTEN.
func Answer(kind uint8, number, revision uint32) election.Message {
	return election.Message{Kind: kind, Round: number, Value: uint64(revision) << 32}
}

// message returns a message that contains a Record. The Lease is rounded up to milliseconds: a candidate then waits
// longer.
func message(kind uint8, number, revision uint32, r Record) election.Message {
	ms := min(uint64((r.Lease+millisecond-1)/millisecond), math.MaxUint32)
	m := election.Message{Kind: kind, Round: number, Term: r.Term, Value: uint64(revision)<<32 | ms,
		Rank: election.Rank{ID: r.Owner, Priority: r.Incarnation}}
	if r.Owner == 0 {
		m.Rank.ID, m.Flags = r.Next, flagReleased
	}
	return m
}

// Read returns the revision and the Record of a message.
func Read(m *election.Message) (revision uint32, r Record) {
	r = Record{Term: m.Term, Incarnation: m.Rank.Priority, Lease: time.Duration(uint32(m.Value)) * millisecond}
	if m.Flags&flagReleased != 0 {
		r.Next = m.Rank.ID
	} else {
		r.Owner = m.Rank.ID
	}
	return uint32(m.Value >> 32), r
}

const millisecond = time.Second / 1000

// revisionOf returns the revision of a message.
func revisionOf(m *election.Message) uint32 { return uint32(m.Value >> 32) }
