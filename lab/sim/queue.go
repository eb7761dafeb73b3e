package sim

import (
	"iter"
	"time"

	"github.com/go-election/election"
)

// entry is a message on its way: 64 bytes, a cache line. The event is what the receiver's Node
// will be given, in place.
type entry struct {
	ev  election.Event
	to  uint32
	tag tag
}

// tag is the length of the causal chain that ends with a message, including the message. In an observed run
// it is the number of the message instead, from which watch knows the length. An entry with both would not
// fit a cache line.
type tag uint32

// fifo is a queue of entries in order of arrival. If every message takes the same time, this is the order of
// sending, and nothing needs sorting.
type fifo struct {
	head, tail []entry
	read       int       // in head
	written    int       // in tail
	parts      [][]entry // from first on, head and tail included
	first      int
	free       [][]entry
	n          int
}

// A part is as large as the queue before it, within these bounds: 32 kB, a size that the allocator has, and
// 2 MB, a large page of memory. It holds no pointer. So the collector passes over it, and each of its entries
// lies in one line of the cache.
const (
	leastPart = 1 << 9
	mostPart  = 1 << 15
)

// push returns the place of a new last entry.
func (q *fifo) push() *entry {
	if q.written == len(q.tail) {
		q.grow()
	}
	e := &q.tail[q.written]
	q.written++
	q.n++
	return e
}

// grow adds a part behind the last one.
func (q *fifo) grow() {
	if q.first > len(q.parts)/2 { // rather than let parts grow
		q.parts = q.parts[:copy(q.parts, q.parts[q.first:])]
		q.first = 0
	}
	if last := len(q.free) - 1; last >= 0 {
		q.tail, q.free = q.free[last], q.free[:last]
	} else {
		q.tail = make([]entry, min(max(q.n, leastPart), mostPart))
	}
	q.parts, q.written = append(q.parts, q.tail), 0
	q.head = q.parts[q.first]
}

// front returns the first entry, or nil.
func (q *fifo) front() *entry { return q.peek(0) }

// peek returns the i-th entry from the front, or nil if it is not at hand.
func (q *fifo) peek(i int) *entry {
	// An entry of the next part is left out: prefetch, the only caller that looks further than the front,
	// then reads fewer ahead once a part.
	if i >= q.n || q.read+i >= len(q.head) {
		return nil
	}
	return &q.head[q.read+i]
}

// pop drops the first entry. Its memory is not used again before the next push.
func (q *fifo) pop() {
	q.read++
	q.n--
	if q.read == len(q.head) {
		q.free, q.first, q.read = append(q.free, q.head), q.first+1, 0
		if q.first < len(q.parts) {
			q.head = q.parts[q.first]
		} else {
			q.head, q.tail, q.written = nil, nil, 0
		}
	}
}

// all returns the entries in order.
func (q *fifo) all() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		left, read := q.n, q.read
		for _, part := range q.parts[q.first:] {
			for i := read; i < len(part) && left > 0; i++ {
				if !yield(&part[i]) {
					return
				}
				left--
			}
			read = 0
		}
	}
}

// remove takes the i-th entry from the front out. Those before it move up by one.
func (q *fifo) remove(i int) entry {
	var carried entry
	for e := range q.all() {
		carried, *e = *e, carried
		if i--; i < 0 {
			break
		}
	}
	q.pop()
	return carried
}

// links records when the latest message of each link arrives, in pages that exist only for links in use. A
// complete graph of a million processes has too many links even for a table of pages. Beyond some millions of
// pages they are kept in a map.
type links struct {
	pages []*linkPage
	far   map[int]*linkPage
}

const (
	linksPerPage = 1024
	nearPages    = 1 << 22
)

type linkPage [linksPerPage]time.Duration

func newLinks() links { return links{far: make(map[int]*linkPage)} }

func (l *links) clone() links {
	c := links{pages: make([]*linkPage, len(l.pages)), far: make(map[int]*linkPage, len(l.far))}
	for i, page := range l.pages {
		if page != nil {
			copied := *page
			c.pages[i] = &copied
		}
	}
	for i, page := range l.far {
		copied := *page
		c.far[i] = &copied
	}
	return c
}

// last returns the place for a link.
func (l *links) last(i int) *time.Duration {
	if n := i / linksPerPage; n < len(l.pages) && l.pages[n] != nil {
		return &l.pages[n][i%linksPerPage]
	}
	return &l.page(i / linksPerPage)[i%linksPerPage]
}

// page returns a page that may be a new one, or far.
func (l *links) page(n int) *linkPage {
	if n >= nearPages {
		if l.far[n] == nil {
			l.far[n] = new(linkPage)
		}
		return l.far[n]
	}
	for n >= len(l.pages) {
		l.pages = append(l.pages, nil)
	}
	if l.pages[n] == nil {
		l.pages[n] = new(linkPage)
	}
	return l.pages[n]
}
