// Package mailbox is the queue before a goroutine that must never make its senders wait.
//
// A [Mailbox] is unbounded: processes that send to each other in a circle over bounded queues
// may all come to wait for each other. It has many writers and one reader, and keeps the order of
// each writer. It is one word: a list of items, newest first, to which a writer adds with one
// atomic operation and which the reader takes whole with another. So it costs nothing while it is
// empty, and there may be millions of them; the reader of an item uses it again.
package mailbox

import (
	"context"
	"sync"
	"sync/atomic"
)

// Item holds a value on its way.
type Item[T any] struct {
	Value T
	next  *Item[T] // in a Mailbox the one before this, in a batch the one after it
}

// Pool is what mailboxes of one kind share. Its zero value is ready for use; it is
// not copied.
type Pool[T any] struct {
	waiting Item[T]   // stands in a Mailbox that is empty and whose reader waits
	left    Item[T]   // stands in a Mailbox that is empty and whose reader has left
	closed  Item[T]   // stands in a Mailbox that is closed
	spare   sync.Pool // of items
}

// Mailbox is a queue of items. It is made by [Pool.Open].
type Mailbox[T any] struct {
	last atomic.Pointer[Item[T]]
	rest *Item[T] // what the reader has given back
	pool *Pool[T]
	wake chan struct{} // one for every reader that was found waiting; nil until it first waits
}

// Open makes an empty Mailbox of m.
func (p *Pool[T]) Open(m *Mailbox[T]) { m.pool = p }

// Push puts item at the end. It never waits, and returns false, having done nothing, if the Mailbox
// is closed. Otherwise item is no longer the caller's. It is not for a Mailbox that readers leave.
func (m *Mailbox[T]) Push(item *Item[T]) bool {
	pushed, _ := m.push(item, item)
	return pushed
}

// push puts items at the end that are already linked, newest first. orphan: the reader has left.
func (m *Mailbox[T]) push(newest, oldest *Item[T]) (pushed, orphan bool) {
	for {
		last := m.last.Load()
		// If last is taken, reused and pushed between this Load and the swap (ABA), the link is still
		// correct: last is the newest item again.
		waits, left := last == &m.pool.waiting, last == &m.pool.left
		switch {
		case last == &m.pool.closed:
			return false, false
		case waits || left:
			oldest.next = nil // not last, which stands for no item
		default:
			oldest.next = last
		}
		if m.last.CompareAndSwap(last, newest) {
			if waits {
				// This never blocks: only the one writer that replaces waiting sends, and the channel has
				// room for one.
				m.wake <- struct{}{}
			}
			return true, left
		}
	}
}

// Batch gathers items for one Mailbox, so that they go into it together and wake its reader
// once. Its zero value is empty.
type Batch[T any] struct{ newest, oldest *Item[T] }

// Add puts item at the end of the batch.
func (b *Batch[T]) Add(item *Item[T]) {
	item.next = b.newest
	b.newest = item
	if b.oldest == nil {
		b.oldest = item
	}
}

// Flush pushes all items of the batch, if there are any, and empties it. It returns true if the reader has
// left; the caller must then find a new reader.
func (b *Batch[T]) Flush(to *Mailbox[T]) (orphan bool) {
	if b.newest == nil {
		return false
	}
	_, orphan = to.push(b.newest, b.oldest)
	*b = Batch[T]{}
	return orphan
}

// TakeOrLeave returns all items, oldest first. If there are none, it returns nil and the reader has left; the
// next writer must find a new reader. It also returns nil if the Mailbox is closed. The reader may leave only
// if all writers are Batches.
func (m *Mailbox[T]) TakeOrLeave() *Item[T] {
	batch, _ := m.grab(&m.pool.left)
	return batch
}

// Take waits until there is something and returns all of it, oldest first; see [Item.Next].
// It returns nil once the Mailbox is closed: what was left then, Close has returned.
func (m *Mailbox[T]) Take() *Item[T] {
	for {
		batch, ok := m.take()
		if ok {
			return batch
		}
		<-m.wake
	}
}

// Poll is Take that does not wait: it returns nil if there is nothing.
func (m *Mailbox[T]) Poll() *Item[T] {
	if batch := m.reread(); batch != nil {
		return batch
	}
	batch, _ := m.grab(nil)
	return batch
}

// TakeContext is Take that gives up when ctx ends, with its cause. Then it has taken nothing.
func (m *Mailbox[T]) TakeContext(ctx context.Context) (*Item[T], error) {
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
			// If the swap fails, a writer was quicker and sends on wake. Receive that now, or it would wake a
			// later Take that has nothing to read. The items stay for the next Take.
			if !m.last.CompareAndSwap(&m.pool.waiting, nil) {
				<-m.wake
			}
			return nil, context.Cause(ctx)
		}
	}
}

// take returns all items, or nil if the Mailbox is closed. It returns false if there are none; writers then
// know that the reader waits.
func (m *Mailbox[T]) take() (batch *Item[T], ok bool) {
	if batch := m.reread(); batch != nil {
		return batch, true
	}
	// Few mailboxes ever have a waiting reader, so make the channel late. It must exist before grab announces
	// the waiting reader, since the next writer uses it.
	if m.wake == nil {
		m.wake = make(chan struct{}, 1)
	}
	batch, none := m.grab(&m.pool.waiting)
	return batch, !none
}

// reread returns what the reader has given back, unless the Mailbox is closed.
func (m *Mailbox[T]) reread() *Item[T] {
	if m.rest == nil || m.last.Load() == &m.pool.closed {
		return nil
	}
	batch := m.rest
	m.rest = nil
	return batch
}

// grab returns all pushed items, oldest first. If there are none, it replaces the list by empty, which is the
// state of the reader: nil, waiting or left. If the Mailbox is closed, it returns nil immediately.
func (m *Mailbox[T]) grab(empty *Item[T]) (batch *Item[T], none bool) {
	for {
		last := m.last.Load()
		switch {
		case last == &m.pool.closed:
			return nil, false
		case last == &m.pool.waiting:
			panic("mailbox: two readers") // or this one would read what only stands for no item
		case last == nil || last == &m.pool.left:
			if m.last.CompareAndSwap(last, empty) {
				return nil, true
			}
		// Put nil there, not empty: the reader has work now and comes back before it waits or leaves.
		case m.last.CompareAndSwap(last, nil):
			return reverse(last), false
		}
	}
}

// reverse makes a list oldest first that was newest first.
func reverse[T any](item *Item[T]) *Item[T] {
	var turned *Item[T]
	for item != nil {
		item, item.next, turned = item.next, turned, item
	}
	return turned
}

// PutBack returns an item and all items after it, which the reader has taken but not read. The next Take
// returns them. The reader must call PutBack before it takes anything else.
func (m *Mailbox[T]) PutBack(batch *Item[T]) { m.rest = batch }

// Send puts a value at the end, in an item that is used again once it is given to Free.
// It never waits, and returns false, having done nothing, if the Mailbox is closed.
func (m *Mailbox[T]) Send(value *T) bool {
	item, _ := m.pool.spare.Get().(*Item[T])
	if item == nil {
		item = new(Item[T])
	}
	item.Value = *value
	if m.Push(item) {
		return true
	}
	m.Free(item)
	return false
}

// Free makes an item that has been read available for reuse. Any goroutine may call it.
func (m *Mailbox[T]) Free(item *Item[T]) {
	m.pool.spare.Put(item)
}

// Close refuses everything further, wakes the reader and returns what was left, oldest first. It may
// be called again, and then returns nil.
func (m *Mailbox[T]) Close() *Item[T] {
	last := m.last.Swap(&m.pool.closed)
	switch last {
	case &m.pool.waiting:
		m.wake <- struct{}{}
		return nil
	// These stand for no items, so there is nothing to return.
	case &m.pool.left, &m.pool.closed:
		return nil
	}
	return reverse(last)
}

// Next returns the item that follows in a batch, or nil. It is asked before the item is used again.
func (i *Item[T]) Next() *Item[T] { return i.next }

// Freelist keeps items that have been read, to be written again. Its zero value is empty. It is
// used by one goroutine at a time.
type Freelist[T any] struct {
	top *Item[T]
	n   int
}

const (
	maxFree = 4096 // how many items a Freelist keeps
	chunk   = 8    // how many it makes at a time
)

// Get returns an item, an old one if there is any: whatever was in it still is.
func (f *Freelist[T]) Get() *Item[T] {
	// Make several items with one allocation.
	if f.top == nil {
		items := new([chunk]Item[T])
		for i := range items {
			f.Put(&items[i])
		}
	}
	item := f.top
	f.top = item.next
	f.n--
	return item
}

// Put keeps an item, or drops it if there are enough.
func (f *Freelist[T]) Put(item *Item[T]) {
	if f.n < maxFree {
		item.next = f.top
		f.top = item
		f.n++
	}
}
