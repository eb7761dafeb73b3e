// Package lock is package mutex for programs: a [Locker] runs a process that takes part in mutual
// exclusion, and lets the goroutines of this program lock and unlock critical sections by name.
// The processes may be in one program, or in many that a transport connects.
//
// Pass the token that Lock returns along with everything that is done to what the section guards,
// and let that refuse smaller tokens than the largest it has seen. A lock alone is not enough: a
// program can be held up between locking and writing for longer than its grant is good. A token is less than
// 2^63, so that one signed column holds it:
//
//	UPDATE queue SET head = $1, token = $2 WHERE id = $3 AND token <= $2
//
// # Which variant
//
// A service takes the arbiter over bully with heartbeats, as the first example does: its members may
// start one after another, crash and come back. The other two are for groups whose members are all up.
// RicartAgrawala and TokenRing need every member reachable before the first Lock, and a member that
// crashes stops them until a detector reports it. A token ring is then whole again only with Bridge and
// Regenerate.
//
// With TokenRing the process that is mutex.Config.First makes the token, and only if it is Founding.
// Without Regenerate no other process ever makes one, and every Lock waits. So First must be Founding again
// once all members have been down, and at no other time.
//
// # Restarts
//
// Give process.Config.Save and Saved, a file for each process, and set Founding at the very first start
// of the group alone; for TokenRing without Regenerate see above. Otherwise a group whose members have all
// restarted grants small tokens again, and what the section guards refuses each of them.
//
// # Limitations
//
// Locks are not reentrant. All that package mutex says of its variants holds here too. With the arbiter
// a failure detector must report each crash to the other processes, unless the election detects crashes,
// as bully with heartbeats does:
//
//	l.Process().Suspect(id)
//
// The detector must repeat that while the process is down, to all that are up: where the election, or a
// token ring, runs on an overlay, one message that comes late makes its receiver trust the sender again.
//
// A goroutine that never unlocks keeps out all others, here and elsewhere, until its grant expires: after
// CriticalSection or, with the arbiter, Lease; without either, never. Then others enter, here and
// elsewhere, whatever the old holder still does; [Locker.Expired] reports it.
//
// A Lock waits for ever if the processes disagree about the members of the group: Config.Peers.
//
// A token ring that no process uses takes one message every mutex.Config.Rest: it never falls silent.
package lock

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/process"
)

// What can go wrong besides.
var (
	// ErrExpired: the grant was over before Unlock. Another goroutine or process may have entered since.
	ErrExpired = errors.New("lock: the grant has expired")
	// ErrNotLocked: this program does not hold the section under the token given to Unlock.
	ErrNotLocked = errors.New("lock: not locked")
)

// Locker is one process, and what its goroutines have locked. Its methods may be called from any
// goroutine.
type Locker struct {
	process  *process.Process
	sections []section
	names    map[string]uint8
	ran      atomic.Bool
	done     chan struct{}        // closed when the process runs no more
	onRaise  func(election.Event) // of the Config
	clock    func() time.Duration // that of the process
	stay     time.Duration        // how long a grant lasts; if zero, until Unlock
}

// New returns a Locker of the sections with these names. All processes name the same sections, in any order.
// In events a section has the number of its name in alphabetical order, from zero. The Config's algorithm is
// one of package mutex, of as many sections at least. An error wraps [election.ErrInput]: without any name,
// for example, there is no section to lock.
func New(c process.Config, names ...string) (*Locker, error) {
	l := &Locker{sections: make([]section, len(names)), names: make(map[string]uint8),
		done: make(chan struct{}), onRaise: c.OnRaise}
	if c.Clock == nil {
		c.Clock = suspend.Clock()
	}
	l.clock = c.Clock
	if len(names) == 0 {
		return nil, input.Errorf("names: none is given, a Locker needs one for each section")
	}
	if c.Algorithm != nil && c.Algorithm.Sections < len(names) {
		return nil, input.Errorf("%d sections have names, %s has %d", len(names), c.Algorithm.Title(),
			c.Algorithm.Sections)
	}
	for i, name := range slices.Sorted(slices.Values(names)) {
		if _, again := l.names[name]; again {
			return nil, input.Errorf("two sections are named %.60q", name)
		}
		l.names[name] = uint8(i)
		// A channel and not a sync.Mutex: waiting for the turn must end with the context.
		l.sections[i].turn = make(chan struct{}, 1)
	}
	// Take the events first; raised hands each on to the callback of the caller.
	c.OnRaise = l.raised
	var err error
	if l.process, err = process.New(c); err != nil {
		return nil, err
	}
	l.stay = c.Algorithm.Stay
	warnOfNoToken(&c)
	return l, nil
}

// warnOfNoToken warns where a process of a token ring without Regenerate is not Founding. That is no
// error: the process may take the place of one that has left, on a ring whose token is under way.
func warnOfNoToken(c *process.Config) {
	a := c.Algorithm
	if c.Log != nil && a.Name == "mutex" && a.Variant == "tokenring" && !a.Faults.Crash && !c.Founding {
		c.Log.Warn("Founding is false: this process makes no token, and without Regenerate none is made "+
			"later; set Founding at all processes where their group starts", "member", uint64(c.Self.ID))
	}
}

// Process returns the process, for its failure detector (Suspect, Trust) and its Outcome.
// Do not run it yourself; [Locker.Run] does.
func (l *Locker) Process() *process.Process { return l.process }

// Run runs the process, see [process.Process.Run]: once. When it returns, all that wait for locks get an
// error that wraps [election.ErrClosed].
func (l *Locker) Run(ctx context.Context) error {
	if l.ran.Swap(true) {
		return input.Errorf("the Locker has run already")
	}
	defer func() {
		// Close done first: a Lock that begins now finds it, and the others wake up by the end of their
		// section.
		close(l.done)
		for i := range l.sections {
			l.sections[i].end()
		}
	}()
	return l.process.Run(ctx)
}

// Close ends Run.
func (l *Locker) Close() { l.process.Close() }

// Lock waits until this goroutine, and no other here or elsewhere, is inside the section, and
// returns the fencing token of the entry. When ctx ends first it takes the request back, and the error
// wraps both ctx.Err() and the cause.
func (l *Locker) Lock(ctx context.Context, name string) (token uint64, err error) {
	if ctx == nil {
		return 0, within(name, input.Errorf("context: none is given"))
	}
	i, s, err := l.find(name)
	if err != nil {
		return 0, err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, ended(ctx, name)
	case <-l.done:
		return 0, closed(name)
	}
	// select chooses at random when both are ready. A context that has ended must not lock.
	if ctx.Err() != nil {
		<-s.turn
		return 0, ended(ctx, name)
	}
	number, entered := s.ask()
	if err = l.process.Command(mutex.Request(i, number).Msg); err == nil {
		select {
		case token := <-entered:
			return token, nil
		case <-ctx.Done():
			err = ended(ctx, name)
		case <-l.done:
			err = closed(name)
		}
	} else {
		err = within(name, err)
	}
	// If the entry has come in the meantime, it is given back. If it has expired, there is nothing to give.
	if s.forget(number) {
		_ = l.release(i, s, number) // if it runs no more, all is over
	}
	return 0, err
}

// ended is the error of a context that has ended.
func ended(ctx context.Context, name string) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return within(name, cause)
	}
	return fmt.Errorf("lock: section %.60q: %w: %w", name, err, cause)
}

// Unlock leaves the section that was locked under this token. It may be called by another goroutine
// than Lock. If the grant was over already, also by the clock alone, the error wraps ErrExpired; if the token is not that of the
// latest Lock, or has been unlocked before, ErrNotLocked, and the goroutine that is inside stays so.
func (l *Locker) Unlock(name string, token uint64) error {
	i, s, err := l.find(name)
	if err != nil {
		return err
	}
	number, until, err := s.unlock(token)
	if err != nil {
		return fmt.Errorf("%w: section %.60q, token %d", err, name, token)
	}
	// After a pause the process may not have noticed yet that the grant is over. It has to leave all the same.
	over := isOver(until, l.clock())
	err = l.release(i, s, number)
	switch {
	case over:
		return fmt.Errorf("%w: section %.60q, token %d", ErrExpired, name, token)
	case err != nil:
		return within(name, err)
	}
	return nil
}

// release posts a Release, and only then lets another goroutine have its turn: the process ignores a
// Request that comes before the Release.
func (l *Locker) release(i uint8, s *section, number uint32) error {
	err := l.process.Command(mutex.Release(i, number).Msg)
	<-s.turn
	return err
}

// Expired returns a channel that is closed once the grant of this token is over: it has expired, or is
// unlocked, or Run has returned. It is closed already if the token is not that of a grant that lasts.
//
// Expired reads the clock, so it is right also after a pause of the program or the machine. A channel that was
// returned before the pause is closed a little later; after a suspension of the machine, by what was left of
// the grant. So call Expired again before each write.
func (l *Locker) Expired(name string, token uint64) <-chan struct{} {
	if _, s, err := l.find(name); err == nil {
		if over := s.lasts(token, l.clock()); over != nil {
			return over
		}
	}
	over := make(chan struct{})
	close(over)
	return over
}

func (l *Locker) find(name string) (uint8, *section, error) {
	i, ok := l.names[name]
	if !ok {
		return i, nil, input.Errorf("no section is named %.60q", name)
	}
	return i, &l.sections[i], nil
}

// closed is the error of a process that has ended.
func closed(name string) error {
	return within(name, fmt.Errorf("%w: the process has ended", election.ErrClosed))
}

// within names the section in an error.
func within(name string, err error) error { return fmt.Errorf("lock: section %.60q: %w", name, err) }

// raised takes an event that the process raises.
func (l *Locker) raised(ev election.Event) {
	if i := int(ev.Msg.Flags); i < len(l.sections) {
		until := time.Duration(0)
		if l.stay > 0 {
			until = ev.At + l.stay
		}
		l.sections[i].raised(&ev, until)
	}
	if l.onRaise != nil {
		l.onRaise(ev)
	}
}
