// Package lock provides distributed locks. A [Locker] runs a process of package mutex, and its methods lock and
// unlock critical sections by name for the goroutines of the program. The processes may be in one program, or
// in many programs that a transport connects.
//
// Lock returns a fencing token. Pass it along with every operation on the guarded resource, which must reject
// tokens smaller than the largest one it has seen. A lock alone is not enough: a program can be delayed between
// locking and writing for longer than its grant is valid. A token is less than 2^63 and fits into a signed
// column:
//
//	UPDATE queue SET head = $1, token = $2 WHERE id = $3 AND token <= $2
//
// # Choosing a variant
//
// Services should use the arbiter over bully with heartbeats, as in the first example: its members may start
// one after another, crash and recover. The other two variants are for groups whose members are all up.
// RicartAgrawala and TokenRing need every member to be reachable before the first Lock, and a crashed member
// blocks them until a detector reports it. A token ring then continues only with Bridge and Regenerate.
//
// With TokenRing, the process mutex.Config.First creates the token, and only if it is Founding. Without
// Regenerate no other process ever creates a token, and every Lock waits. Therefore set Founding at First again
// after all members have been down, and at no other time.
//
// # Restarts
//
// Set process.Config.Save and Saved, with one file per process, and set Founding only at the very first start
// of the group (for TokenRing without Regenerate, see above). Otherwise, after all members have restarted, the
// group grants small tokens again, and the guarded resource rejects all of them.
//
// # Limitations
//
// Locks are not reentrant. The limitations of the variants in package mutex also apply. With the arbiter, a
// failure detector must report each crash to the other processes, unless the election detects crashes, as bully
// with heartbeats does:
//
//	l.Process().Suspect(id)
//
// The detector must repeat the report to all live processes while the process is down: if the election, or a
// token ring, runs on an overlay, a single late message makes its receiver trust the sender again.
//
// A goroutine that never unlocks excludes all others, in this program and elsewhere, until its grant expires:
// after CriticalSection or, with the arbiter, Lease; without either, never. After that others may enter,
// whatever the old holder is still doing. [Locker.Expired] reports the expiry.
//
// Lock waits forever if the processes disagree about the members of the group (Config.Peers).
//
// An idle token ring sends one message every mutex.Config.Rest: it is never silent.
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

// Errors, in addition to those of package election.
var (
	// ErrExpired: the grant expired before Unlock. Another goroutine or process may have entered since.
	ErrExpired = errors.New("lock: the grant has expired")
	// ErrNotLocked: this program does not hold the section with the token passed to Unlock.
	ErrNotLocked = errors.New("lock: not locked")
)

// Locker is one process and the locks of its goroutines. Its methods may be called from any goroutine.
type Locker struct {
	process  *process.Process
	sections []section
	names    map[string]uint8
	ran      atomic.Bool
	done     chan struct{}        // closed when the process has ended
	onRaise  func(election.Event) // callback of the Config
	clock    func() time.Duration // clock of the process
	stay     time.Duration        // duration of a grant; if zero, until Unlock
}

// New returns a Locker for sections with these names. All processes must use the same names, in any order. In
// events, a section has the number of its name in alphabetical order, from zero. The Config's algorithm must be
// one of package mutex, with at least as many sections. If there is no name, or the Config is invalid, the
// error wraps [election.ErrInput].
func New(c process.Config, names ...string) (*Locker, error) {
	l := &Locker{sections: make([]section, len(names)), names: make(map[string]uint8),
		done: make(chan struct{}), onRaise: c.OnRaise}
	if c.Clock == nil {
		c.Clock = suspend.Clock()
	}
	l.clock = c.Clock
	if len(names) == 0 {
		return nil, input.Errorf("names: missing, a Locker needs one for each section")
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
		// Use a channel instead of a sync.Mutex, because waiting must end with the context.
		l.sections[i].turn = make(chan struct{}, 1)
	}
	// Intercept the events; raised passes each one on to the caller's callback.
	c.OnRaise = l.raised
	var err error
	if l.process, err = process.New(c); err != nil {
		return nil, err
	}
	l.stay = c.Algorithm.Stay
	warnOfNoToken(&c)
	return l, nil
}

// warnOfNoToken warns if a process of a token ring without Regenerate is not Founding. This is not an error:
// the process may replace another one on a ring whose token is circulating.
func warnOfNoToken(c *process.Config) {
	a := c.Algorithm
	if c.Log != nil && a.Name == "mutex" && a.Variant == "tokenring" && a.Faults.Crash == election.NoCrash && !c.Founding {
		c.Log.Warn("Founding is false: this process makes no token, and without Regenerate none is made "+
			"later; set Founding at all processes where their group starts", "member", uint64(c.Self.ID))
	}
}

// Process returns the process, for use by a failure detector (Suspect, Trust) and for its Outcome. Do not run
// it; [Locker.Run] does.
func (l *Locker) Process() *process.Process { return l.process }

// Run runs the process once; see [process.Process.Run]. When it returns, all calls that wait for locks return
// an error that wraps [election.ErrClosed].
func (l *Locker) Run(ctx context.Context) error {
	if l.ran.Swap(true) {
		return input.Errorf("the Locker has run already")
	}
	defer func() {
		// Close done first: a Lock that starts now finds it closed, and the others are woken by the end of
		// their section.
		close(l.done)
		for i := range l.sections {
			l.sections[i].end()
		}
	}()
	return l.process.Run(ctx)
}

// Close ends Run.
func (l *Locker) Close() { l.process.Close() }

// Lock waits until the calling goroutine, and no other in this program or elsewhere, is inside the section, and
// returns the fencing token of the entry. If ctx ends first, Lock withdraws the request and returns an error
// that wraps both ctx.Err() and the cause.
func (l *Locker) Lock(ctx context.Context, name string) (token uint64, err error) {
	if ctx == nil {
		return 0, within(name, input.Errorf("context: missing"))
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
	// select chooses at random if both are ready. A context that has ended must not lock.
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
	// If the entry has come in the meantime, it is returned. If it has expired, there is nothing to return.
	if s.forget(number) {
		_ = l.release(i, s, number) // ignore the error: if the process has ended, there is nothing to release
	}
	return 0, err
}

// ended returns the error of a context that has ended.
func ended(ctx context.Context, name string) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return within(name, cause)
	}
	return fmt.Errorf("lock: section %.60q: %w: %w", name, err, cause)
}

// Unlock leaves the section that was locked with this token. It may be called by another goroutine than Lock.
// If the grant has expired, even if only by the clock, the error wraps ErrExpired. If the token is not the
// token of the latest Lock, or has been unlocked before, the error wraps ErrNotLocked, and the goroutine inside
// is not affected.
func (l *Locker) Unlock(name string, token uint64) error {
	i, s, err := l.find(name)
	if err != nil {
		return err
	}
	number, until, err := s.unlock(token)
	if err != nil {
		return fmt.Errorf("%w: section %.60q, token %d", err, name, token)
	}
	// After a pause the process may not have noticed that the grant has expired. It has to leave nevertheless.
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

// release posts a Release before it gives the turn to another goroutine: the process ignores a Request that
// comes before the Release.
func (l *Locker) release(i uint8, s *section, number uint32) error {
	err := l.process.Command(mutex.Release(i, number).Msg)
	<-s.turn
	return err
}

// Expired returns a channel that is closed when the grant with this token ends: it has expired, has been
// unlocked, or Run has returned. If the token does not belong to a current grant, the channel is already
// closed.
//
// Expired reads the clock, so its result is correct even after the program or the machine was paused. A channel
// that was returned before the pause is closed with a short delay; after the machine was suspended, the delay
// can be as long as the rest of the grant. Therefore call Expired again before each write.
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

// closed returns the error for a process that has ended.
func closed(name string) error {
	return within(name, fmt.Errorf("%w: the process has ended", election.ErrClosed))
}

// within adds the name of the section to an error.
func within(name string, err error) error { return fmt.Errorf("lock: section %.60q: %w", name, err) }

// raised handles an event that the process raises.
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
