// Package lock is package mutex for programs: a [Locker] runs a process that takes part in mutual
// exclusion, and lets the goroutines of this program lock and unlock critical sections by name.
// The processes may be in one program, or in many that a transport connects.
//
// Pass the token that Lock returns along with everything that is done to what the section guards,
// and let that refuse smaller tokens than the largest it has seen. A lock alone is not enough: a
// program can be held up between locking and writing for longer than its grant is good.
//
// # Limitations
//
// Locks are not reentrant. All that package mutex says of its variants holds here too. With the
// arbiter somebody must tell the processes when another one has crashed, unless the election finds that
// out by itself, as bully with heartbeats does:
//
//	l.Process().Post(election.Event{Op: election.Suspect, Port: port}) // where Links[port] leads to it
//
// A Lock waits for ever if the links do not lead where Config.Links says. [election.CompleteLinks] makes
// them for a complete graph.
package lock

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/mutex"
)

// What can go wrong besides.
var (
	// ErrExpired: the grant was over before Unlock. Somebody else may have entered since.
	ErrExpired = errors.New("lock: the grant has expired")
	// ErrNotLocked: Unlock of what is not locked here.
	ErrNotLocked = errors.New("lock: not locked")
)

// Locker is one process, and what its goroutines have locked. Its methods may be called from any
// goroutine.
type Locker struct {
	process  *election.Process
	sections []section
	names    map[string]uint8
	done     chan struct{} // closed when the process runs no more
	tell     func(election.Event)
}

// section is one of them as this program sees it.
type section struct {
	turn chan struct{} // holds one value while a goroutine waits or is inside

	mu      sync.Mutex
	number  uint32      // of the latest request
	entered chan uint64 // hears its token, once
	locked  bool        // a goroutine believes to be inside
	inside  bool        // the process is
}

// New returns a Locker of the sections of these names, the same and in the same order everywhere.
// The Config's algorithm is one of package mutex, of as many sections at least. The error wraps
// [election.ErrInput].
func New(c election.Config, names ...string) (*Locker, error) {
	l := &Locker{sections: make([]section, len(names)), names: make(map[string]uint8), done: make(chan struct{}), tell: c.OnRaise}
	if c.Algorithm != nil && c.Algorithm.Sections < len(names) {
		return nil, fmt.Errorf("%w: %d sections have names, %s has %d", election.ErrInput, len(names), c.Algorithm.Title(), c.Algorithm.Sections)
	}
	for i, name := range names {
		if _, again := l.names[name]; again {
			return nil, fmt.Errorf("%w: two sections are named %.60q", election.ErrInput, name)
		}
		l.names[name] = uint8(i)
		l.sections[i].turn = make(chan struct{}, 1)
	}
	c.OnRaise = l.raised
	var err error
	l.process, err = election.NewProcess(c)
	return l, err
}

// Process returns the process, to post the word of a failure detector to or to ask for the outcome.
func (l *Locker) Process() *election.Process { return l.process }

// Run runs the process, see [election.Process.Run]. When it returns, all that wait for locks get an
// error that wraps [election.ErrClosed].
func (l *Locker) Run(ctx context.Context) error {
	defer close(l.done)
	return l.process.Run(ctx)
}

// Close ends Run.
func (l *Locker) Close() { l.process.Close() }

// Lock waits until this goroutine, and no other here or elsewhere, is inside the section, and
// returns the fencing token of the entry. When ctx ends first it takes the request back.
func (l *Locker) Lock(ctx context.Context, name string) (token uint64, err error) {
	i, s, err := l.find(name)
	if err != nil {
		return 0, err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-l.done:
		return 0, l.closed()
	}
	if token, err = l.enter(ctx, i, s); err != nil {
		<-s.turn
	}
	return token, err
}

// enter asks for entry and waits for it.
func (l *Locker) enter(ctx context.Context, i uint8, s *section) (uint64, error) {
	number, entered := s.ask()
	if err := l.process.Post(mutex.Request(i, number)); err != nil {
		return 0, err
	}
	select {
	case token := <-entered:
		return token, nil
	case <-ctx.Done():
		s.forget()
		_ = l.process.Post(mutex.Release(i, number)) // if it runs no more, all is over
		return 0, context.Cause(ctx)
	case <-l.done:
		s.forget()
		return 0, l.closed()
	}
}

// Unlock leaves the section. It may be called by another goroutine than Lock. If the grant was over
// already, the error wraps ErrExpired.
func (l *Locker) Unlock(name string) error {
	i, s, err := l.find(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	locked, inside, number := s.locked, s.inside, s.number
	s.locked, s.inside = false, false
	s.mu.Unlock()
	if !locked {
		return fmt.Errorf("%w: section %.60q", ErrNotLocked, name)
	}
	defer func() { <-s.turn }()
	if !inside {
		return fmt.Errorf("%w: section %.60q", ErrExpired, name)
	}
	return l.process.Post(mutex.Release(i, number))
}

func (l *Locker) find(name string) (uint8, *section, error) {
	i, ok := l.names[name]
	if !ok {
		return 0, nil, fmt.Errorf("%w: no section is named %.60q", election.ErrInput, name)
	}
	return i, &l.sections[i], nil
}

func (l *Locker) closed() error { return fmt.Errorf("%w: the process has ended", election.ErrClosed) }

// ask numbers a new request.
func (s *section) ask() (uint32, chan uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	s.entered = make(chan uint64, 1)
	return s.number, s.entered
}

// forget gives a request up. Its entry, if it comes all the same, is nobody's.
func (s *section) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entered, s.locked, s.inside = nil, false, false
}

// raised hears what the process says.
func (l *Locker) raised(ev election.Event) {
	if i := int(ev.Msg.Flags); i < len(l.sections) {
		l.sections[i].raised(&ev)
	}
	if l.tell != nil {
		l.tell(ev)
	}
}

func (s *section) raised(ev *election.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ev.Msg.Round != s.number {
		return
	}
	switch {
	case ev.Op == election.Left:
		s.inside = false
	case ev.Op == election.Entered && s.entered != nil:
		s.locked, s.inside = true, true
		s.entered <- ev.Msg.Value
		s.entered = nil
	}
}
