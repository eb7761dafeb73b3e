// Package mailbox is the queue before a goroutine that must never make its senders wait.
//
// A [Mailbox] is unbounded: processes that send to each other in a circle over bounded queues
// may all come to wait for each other. It has many writers and one reader, and keeps the order of
// each writer. It is one word: a list of letters, newest first, to which a writer adds with one
// atomic operation and which the reader takes whole with another. So it costs nothing while it is
// empty, and there may be millions of them; the reader of a letter uses it again.
package mailbox

import (
	"context"
	"sync"
	"sync/atomic"
)

// Letter holds a value on its way.
type Letter[T any] struct {
	Value T
	next  *Letter[T] // in a Mailbox the one before this, in a batch the one after it
}

// Office is what mailboxes of one kind have in common. Its zero value is ready for use; it is
// not copied.
type Office[T any] struct {
	waiting Letter[T] // stands in a Mailbox that is empty and whose reader waits
	left    Letter[T] // stands in a Mailbox that is empty and whose reader has left
	closed  Letter[T] // stands in a Mailbox that is closed
	spare   sync.Pool // of letters
}

// Mailbox is a queue of letters. It is made by [Office.Open].
type Mailbox[T any] struct {
	last   atomic.Pointer[Letter[T]]
	rest   *Letter[T] // what the reader has given back
	office *Office[T]
	wake   chan struct{} // one for every reader that was found waiting; nil until it first waits
}

// Open makes an empty Mailbox of m.
func (o *Office[T]) Open(m *Mailbox[T]) { m.office = o }

// Push puts l at the end. It never waits, and returns false, having done nothing, if the Mailbox
// is closed. Otherwise l is no longer the caller's. It is not for a Mailbox that readers leave.
func (m *Mailbox[T]) Push(l *Letter[T]) bool {
	pushed, _ := m.push(l, l)
	return pushed
}

// push puts letters at the end that are already linked, newest first.
func (m *Mailbox[T]) push(newest, oldest *Letter[T]) (pushed, orphan bool) {
	for {
		last := m.last.Load()
		switch last {
		case &m.office.closed:
			return false, false
		case &m.office.waiting:
			oldest.next = nil
			if m.last.CompareAndSwap(last, newest) {
				m.wake <- struct{}{}
				return true, false
			}
		case &m.office.left:
			oldest.next = nil
			if m.last.CompareAndSwap(last, newest) {
				return true, true
			}
		default:
			oldest.next = last
			if m.last.CompareAndSwap(last, newest) {
				return true, false
			}
		}
	}
}

// Bundle gathers letters to one Mailbox, so that they go into it together and wake its reader
// once. Its zero value is empty.
type Bundle[T any] struct{ newest, oldest *Letter[T] }

// Add puts l at the end of the bundle.
func (b *Bundle[T]) Add(l *Letter[T]) {
	l.next = b.newest
	b.newest = l
	if b.oldest == nil {
		b.oldest = l
	}
}

// Post pushes all that is in the bundle, if there is anything, and empties it. It returns true if
// the reader has left: then it is for the caller to find another.
func (b *Bundle[T]) Post(to *Mailbox[T]) (orphan bool) {
	if b.newest == nil {
		return false
	}
	_, orphan = to.push(b.newest, b.oldest)
	*b = Bundle[T]{}
	return orphan
}

// TakeOrLeave returns all that there is, oldest first. It returns nil if there is nothing: then the
// reader has left, and who writes next has to find another. It returns nil as well once the Mailbox
// is closed. Nobody leaves while there are writers other than Bundles.
func (m *Mailbox[T]) TakeOrLeave() *Letter[T] {
	for {
		last := m.last.Load()
		switch {
		case last == &m.office.closed:
			return nil
		case last == nil:
			if m.last.CompareAndSwap(nil, &m.office.left) {
				return nil
			}
		case m.last.CompareAndSwap(last, nil):
			return turn(last)
		}
	}
}

// Take waits until there is something and returns all of it, oldest first; see [Letter.Next].
// It returns nil once the Mailbox is closed: what was left then, Close has returned.
func (m *Mailbox[T]) Take() *Letter[T] {
	for {
		batch, ok := m.take()
		if ok {
			return batch
		}
		<-m.wake
	}
}

// Poll is Take that does not wait: it returns nil if there is nothing.
func (m *Mailbox[T]) Poll() *Letter[T] {
	for {
		last := m.last.Load()
		switch {
		case last == &m.office.closed:
			return nil
		case m.rest != nil:
			batch := m.rest
			m.rest = nil
			return batch
		case last == nil:
			return nil
		case m.last.CompareAndSwap(last, nil):
			return turn(last)
		}
	}
}

// TakeContext is Take that gives up when ctx ends, with its cause. Then it has taken nothing.
func (m *Mailbox[T]) TakeContext(ctx context.Context) (*Letter[T], error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for {
		batch, ok := m.take()
		if ok {
			return batch, nil
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			if !m.last.CompareAndSwap(&m.office.waiting, nil) {
				<-m.wake // somebody was quicker: what he has left waits for the next Take
			}
			return nil, context.Cause(ctx)
		}
	}
}

// take returns all that there is, nil if the Mailbox is closed, or false: then it is known that
// the reader waits.
func (m *Mailbox[T]) take() (batch *Letter[T], ok bool) {
	for {
		last := m.last.Load()
		switch {
		case last == &m.office.closed:
			return nil, true
		case m.rest != nil:
			batch, m.rest = m.rest, nil
			return batch, true
		case last == nil:
			if m.wake == nil {
				m.wake = make(chan struct{}, 1)
			}
			if m.last.CompareAndSwap(nil, &m.office.waiting) {
				return nil, false
			}
		case m.last.CompareAndSwap(last, nil):
			return turn(last), true
		}
	}
}

// turn makes a list oldest first that was newest first.
func turn[T any](l *Letter[T]) *Letter[T] {
	var turned *Letter[T]
	for l != nil {
		l, l.next, turned = l.next, turned, l
	}
	return turned
}

// Back gives back what the reader has taken and not read: a letter and all that follow it, before
// it takes anything else. The next Take returns them.
func (m *Mailbox[T]) Back(batch *Letter[T]) { m.rest = batch }

// Send puts a value at the end, in a letter that is used again once it is given to Free.
// It never waits, and returns false, having done nothing, if the Mailbox is closed.
func (m *Mailbox[T]) Send(value *T) bool {
	l, _ := m.office.spare.Get().(*Letter[T])
	if l == nil {
		l = new(Letter[T])
	}
	l.Value = *value
	if m.Push(l) {
		return true
	}
	m.Free(l)
	return false
}

// Free lets a letter that has been read be used again. Any goroutine may do that.
func (m *Mailbox[T]) Free(l *Letter[T]) {
	l.next = nil
	m.office.spare.Put(l)
}

// Close refuses everything further, wakes the reader and returns what was left, oldest first. It may
// be called again, and then returns nil.
func (m *Mailbox[T]) Close() *Letter[T] {
	last := m.last.Swap(&m.office.closed)
	switch last {
	case &m.office.waiting:
		m.wake <- struct{}{}
		return nil
	case &m.office.left, &m.office.closed:
		return nil
	}
	return turn(last)
}

// Next returns the letter that follows in a batch, or nil. It is asked before l is used again.
func (l *Letter[T]) Next() *Letter[T] { return l.next }

// Drawer keeps letters that have been read, to be written again. Its zero value is empty. It is
// used by one goroutine at a time.
type Drawer[T any] struct {
	top *Letter[T]
	n   int
}

const (
	maxSpare = 4096 // how many letters a Drawer keeps
	sheet    = 8    // how many it makes at a time
)

// Get returns a letter, an old one if there is any: whatever was in it still is.
func (d *Drawer[T]) Get() *Letter[T] {
	if d.top == nil {
		letters := new([sheet]Letter[T])
		for i := range letters {
			d.Put(&letters[i])
		}
	}
	l := d.top
	d.top = l.next
	d.n--
	return l
}

// Put keeps a letter, or leaves it to the garbage collector where there are enough.
func (d *Drawer[T]) Put(l *Letter[T]) {
	if d.n < maxSpare {
		l.next = d.top
		d.top = l
		d.n++
	}
}
