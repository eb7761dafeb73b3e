// Package mailbox is the queue before a goroutine that must never make its senders wait.
//
// A Mailbox is unbounded: processes that send to each other in a circle over bounded queues may
// all come to wait for each other. It keeps order, has many writers and one reader. The reader
// takes all that has come in at once; where it was waiting, the next thing is handed to it
// directly and never queued. An idle Mailbox holds no memory to speak of, for there may be
// millions of them.
package mailbox

import (
	"context"
	"sync"
)

// Mailbox is a queue of values. It is made by [New], or by Init where it is part of something
// else, and is not copied.
type Mailbox[T any] struct {
	mu      sync.Mutex
	waiting bool   // the reader waits at hand, and nobody has promised it anything yet
	closed  bool   //
	queue   []T    // what has come in since the reader last looked
	hand    chan T // to the waiting reader; holds one, so that nobody waits for the reader to wait
}

// maxIdle is how large a buffer may be, in values, that is kept while it is not needed.
const maxIdle = 64

// New returns an empty Mailbox.
func New[T any]() *Mailbox[T] {
	m := new(Mailbox[T])
	m.Init()
	return m
}

// Init makes a Mailbox ready for use.
func (m *Mailbox[T]) Init() { m.hand = make(chan T, 1) }

// Push puts *x at the end. It never waits for the reader, and returns false, having done nothing,
// if the Mailbox is closed.
func (m *Mailbox[T]) Push(x *T) bool {
	m.mu.Lock()
	switch {
	case m.closed:
		m.mu.Unlock()
		return false
	case m.waiting:
		m.waiting = false
		m.mu.Unlock()
		m.hand <- *x
	default:
		m.queue = append(m.queue, *x)
		m.mu.Unlock()
	}
	return true
}

// Take waits until there is something and returns all of it, oldest first. It returns false once
// the Mailbox is closed, even if there is something left. The result is the caller's until it
// hands it back as buf in its next call, for the Mailbox to use again; the first buf is nil.
func (m *Mailbox[T]) Take(buf []T) ([]T, bool) {
	if batch, ok := m.take(buf); ok {
		return batch, batch != nil
	}
	x, ok := <-m.hand
	if !ok {
		return nil, false
	}
	return append(buf[:0], x), true
}

// TakeContext is Take that gives up when ctx ends, with its cause. Then it has taken nothing.
func (m *Mailbox[T]) TakeContext(ctx context.Context, buf []T) ([]T, bool, error) {
	if ctx.Err() != nil {
		return nil, true, context.Cause(ctx)
	}
	if batch, ok := m.take(buf); ok {
		return batch, batch != nil, nil
	}
	var x T
	var ok bool
	select {
	case x, ok = <-m.hand:
	case <-ctx.Done():
		if m.leave() {
			return nil, true, context.Cause(ctx)
		}
		x, ok = <-m.hand // somebody was quicker, and it is on its way
	}
	if !ok {
		return nil, false, nil
	}
	return append(buf[:0], x), true, nil
}

// take returns what there is, nil if the Mailbox is closed, or false: then the reader is known
// to be waiting.
func (m *Mailbox[T]) take(buf []T) ([]T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return nil, true
	case len(m.queue) == 0:
		if cap(m.queue) > maxIdle {
			m.queue = nil
		}
		m.waiting = true
		return nil, false
	}
	if cap(buf) > maxIdle && len(m.queue) < cap(buf)/4 {
		buf = nil
	}
	batch := m.queue
	m.queue = buf[:0]
	return batch, true
}

// leave ends the wait of the reader, unless something is already being handed to it.
func (m *Mailbox[T]) leave() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.waiting
	m.waiting = false
	return was
}

// Close drops what is left, refuses everything further and wakes the reader. It may be called
// again.
func (m *Mailbox[T]) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.closed, m.queue = true, nil
	if m.waiting {
		m.waiting = false
		close(m.hand)
	}
}
