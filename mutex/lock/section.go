package lock

import (
	"sync"
	"time"

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
	until   time.Duration // when its grant ends by the clock of the process; zero: when it is unlocked
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

// unlock ends the entry of a token, and returns the number of its request, and when its grant ends. The turn is
// the caller's then.
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

// isOver reports whether a grant that ends at a time is over.
func isOver(until, now time.Duration) bool { return until != 0 && now >= until }

// lasts returns a channel that is closed when the entry of a token is over, nil if it is over already.
func (s *section) lasts(token uint64, now time.Duration) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != token {
		return nil
	}
	if isOver(s.until, now) { // also if the process has not noticed yet
		s.finish()
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

// raised takes an event that the process raises; an entry ends at a time of its clock. A grant that expires is over for this program too, and
// it is the turn of another goroutine.
func (s *section) raised(ev *election.Event, until time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ev.Msg.Round != s.number:
	case ev.Op == election.Entered && s.entered != nil:
		s.locked, s.expired, s.token, s.over = true, false, ev.Msg.Value, make(chan struct{})
		s.until = until
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
