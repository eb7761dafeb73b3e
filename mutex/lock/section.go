package lock

import (
	"sync"

	"github.com/go-election/election"
)

// section is a critical section as this program sees it.
type section struct {
	turn chan struct{} // holds one value while a goroutine waits or is inside

	mu      sync.Mutex
	number  uint32        // of the latest request
	entered chan uint64   // receives its token, once; nil when no goroutine waits for that
	locked  bool          // a goroutine is inside, as is the process
	token   uint64        // of the latest entry
	expired bool          // which is over, without an Unlock so far
	over    chan struct{} // closed when it is over, and then nil
}

// ask numbers a new request. The caller has the turn.
func (s *section) ask() (uint32, chan uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	s.entered = make(chan uint64, 1)
	return s.number, s.entered
}

// forget gives a request up. Its entry, if it comes all the same, is ignored. It reports whether the
// turn is still the caller's: not where the entry has come, and expired.
func (s *section) forget(number uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The grant has come and expired, and raised has given the turn back already.
	if s.number != number || s.entered == nil && !s.locked {
		return false
	}
	s.entered, s.locked = nil, false
	s.finish()
	return true
}

// unlock ends the entry of a token, and returns the number of its request. The turn is the caller's then.
func (s *section) unlock(token uint64) (uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.token != token || !s.locked && !s.expired:
		return 0, ErrNotLocked
	case s.expired:
		s.expired = false
		return 0, ErrExpired
	}
	s.locked = false
	s.finish()
	return s.number, nil
}

// until returns what is closed when the entry of a token is over, nil if it is already.
func (s *section) until(token uint64) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != token {
		return nil
	}
	return s.over
}

// end ends the entry: the process runs no more.
func (s *section) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
}

// finish closes the channel of the entry that is over.
func (s *section) finish() {
	if s.over != nil {
		close(s.over)
		s.over = nil
	}
}

// raised takes an event that the process raises. A grant that expires is over for this program too, and
// it is the turn of another goroutine.
func (s *section) raised(ev *election.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ev.Msg.Round != s.number:
	case ev.Op == election.Entered && s.entered != nil:
		s.locked, s.expired, s.token, s.over = true, false, ev.Msg.Value, make(chan struct{})
		// The channel has room for one: a Lock that has given up does not block the process.
		s.entered <- s.token
		s.entered = nil
	case ev.Op == election.Exited && s.locked:
		s.locked, s.expired = false, true
		s.finish()
		// The goroutine that has locked holds the turn, so this never waits.
		<-s.turn
	}
}
