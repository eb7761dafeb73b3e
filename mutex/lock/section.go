package lock

import (
	"sync"
	"time"

	"github.com/go-election/election"
)

// section is the state of a critical section in this program.
type section struct {
	turn chan struct{} // contains one value while a goroutine waits or is inside

	mu      sync.Mutex
	number  uint32        // number of the latest request
	entered chan uint64   // receives the token of the entry, once; nil if no goroutine waits
	locked  bool          // a goroutine is inside, and so is the process
	token   uint64        // token of the latest entry
	until   time.Duration // end of the grant by the clock of the process; zero: until Unlock
	expired bool          // the grant has expired without an Unlock
	over    chan struct{} // closed and set to nil when the entry is over
}

// ask numbers a new request. The caller has the turn.
func (s *section) ask() (uint32, chan uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	s.entered = make(chan uint64, 1)
	return s.number, s.entered
}

// forget withdraws a request. If its entry comes nevertheless, it is ignored. forget reports whether the caller
// still has the turn, which it has lost if the entry has come and expired.
func (s *section) forget(number uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The grant has come and expired, and raised has already taken the turn back.
	if s.number != number || s.entered == nil && !s.locked {
		return false
	}
	s.entered, s.locked = nil, false
	s.finish()
	return true
}

// unlock ends the entry with this token. It returns the number of its request and the end of its grant. The
// caller then has the turn.
func (s *section) unlock(token uint64) (number uint32, until time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.token != token || !s.locked && !s.expired:
		return 0, 0, ErrNotLocked
	case s.expired:
		s.expired = false
		return 0, 0, ErrExpired
	}
	s.locked = false
	s.finish()
	return s.number, s.until, nil
}

// isOver reports whether a grant has expired.
func isOver(until, now time.Duration) bool { return until != 0 && now >= until }

// lasts returns a channel that is closed when the entry with this token is over, or nil if it is already over.
func (s *section) lasts(token uint64, now time.Duration) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != token {
		return nil
	}
	if isOver(s.until, now) { // even if the process has not noticed yet
		s.finish()
	}
	return s.over
}

// end ends the entry after the process has ended.
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

// raised handles an event that the process raises; until is the end of an entry by the clock of the process. If
// a grant expires, it ends for this program too, and another goroutine gets the turn.
func (s *section) raised(ev *election.Event, until time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ev.Msg.Round != s.number:
	case ev.Op == election.Entered && s.entered != nil:
		s.locked, s.expired, s.token, s.over = true, false, ev.Msg.Value, make(chan struct{})
		s.until = until
		// The channel is buffered, so a Lock that has given up does not block the process.
		s.entered <- s.token
		s.entered = nil
	case ev.Op == election.Exited && s.locked:
		s.locked, s.expired = false, true
		s.finish()
		// The goroutine that has locked holds the turn, so this never blocks.
		<-s.turn
	}
}
