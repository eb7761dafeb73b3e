package sim

import (
	"math/bits"
	"slices"
	"time"
)

// calendar is a queue of entries by time of arrival: a ring of days. The entries of a day are unsorted,
// except for the current day. Entries of one instant are in the order in which they were pushed. No entry may
// be further ahead than the horizon of the calendar, so a day of the ring never contains entries of two
// dates.
type calendar struct {
	shift   uint // a day is 1<<shift nanoseconds
	days    []day
	busy    bitmap // the days that hold entries
	today   int64  // the current day, counted from the beginning of time
	open    bool   // today is sorted: pages holds its pages, keys the keys of its entries
	pages   []*page
	keys    []uint64
	at      int // the next of keys
	n       int
	horizon time.Duration
	free    *page
}

// day holds the entries of one day in pages, each page but the last full.
type day struct {
	first, last *page
	n           int
}

const pageSize = 31

// page fills 2 kB, a size that the allocator has.
type page struct {
	next    *page
	entries [pageSize]entry
}

// The keys of a day sort by time, then by index. A day holds fewer than 1<<indexBits entries, whose messages
// would take 4 GB.
const (
	indexBits   = 26
	maxShift    = 63 - indexBits
	crowdedMean = 96 // entries a day, on average, above which days are halved
	firstDays   = 64
	lastDays    = 1 << 20
)

func newCalendar(horizon time.Duration) *calendar {
	c := &calendar{horizon: horizon}
	c.layOut(firstDays)
	return c
}

// layOut makes the ring of days, about half of them within the horizon.
func (c *calendar) layOut(days int) {
	width := max(uint64(c.horizon)/uint64(days/2), 1)
	c.shift = min(uint(bits.Len64(width)), maxShift)
	// An interval as long as the horizon touches up to two days more than it has whole ones.
	for uint64(c.horizon)>>c.shift+2 > uint64(days) {
		days *= 2
	}
	c.days = make([]day, days)
	c.busy = newBitmap(days)
}

// push returns the place of a new entry that is sent at now and arrives at at. No entry in the calendar
// arrives before now. The caller must fill in the entry, including its time, before the next call.
func (c *calendar) push(now, at time.Duration) *entry {
	// Timers and starts take time past days without messages, of which turn hears nothing.
	if date := int64(now) >> c.shift; date > c.today {
		if c.open {
			c.close()
		}
		c.today = date
	}
	c.n++
	date := int64(at) >> c.shift
	if date < c.today { // today was opened to look ahead, nothing in it has happened yet
		c.today, c.open = date, false
	}
	i := int(date) & (len(c.days) - 1)
	d := &c.days[i]
	open := date == c.today && c.open
	if d.n%pageSize == 0 {
		c.addPage(d, i, open)
	}
	if open {
		c.insert(c.key(at, d.n))
	}
	d.n++
	return &d.last.entries[(d.n-1)%pageSize]
}

// addPage puts another page at the end of day i.
func (c *calendar) addPage(d *day, i int, open bool) {
	p := c.free
	if p == nil {
		p = new(page)
	} else {
		c.free, p.next = p.next, nil
	}
	if d.n == 0 {
		d.first = p
		c.busy.set(i)
	} else {
		d.last.next = p
	}
	d.last = p
	if open {
		c.pages = append(c.pages, p)
	}
}

func (c *calendar) key(at time.Duration, index int) uint64 {
	return uint64(at)&(1<<c.shift-1)<<indexBits | uint64(index)
}

// entry returns the entry of today that a key stands for.
func (c *calendar) entry(key uint64) *entry {
	i := key & (1<<indexBits - 1)
	return &c.pages[i/pageSize].entries[i%pageSize]
}

// insert adds a key to the remaining keys of today.
func (c *calendar) insert(key uint64) {
	i, _ := slices.BinarySearch(c.keys[c.at:], key)
	c.keys = slices.Insert(c.keys, c.at+i, key)
}

// front returns the entry that arrives first, or nil.
func (c *calendar) front() *entry {
	if (!c.open || c.at == len(c.keys)) && !c.turn() {
		return nil
	}
	return c.entry(c.keys[c.at])
}

// peek returns the i-th entry from the front, or nil if it is not at hand.
func (c *calendar) peek(i int) *entry {
	if !c.open || c.at+i >= len(c.keys) {
		return nil
	}
	return c.entry(c.keys[c.at+i])
}

// turn moves to the next day with entries and sorts it.
func (c *calendar) turn() bool {
	if c.open {
		c.close()
	}
	if c.n == 0 {
		return false
	}
	// Do not spread in push, where a day may be open: its keys refer to places in pages that spread empties.
	for c.n > crowdedMean*len(c.days) && len(c.days) < lastDays && c.shift > 0 {
		c.spread()
	}
	start := int(c.today) & (len(c.days) - 1)
	i := c.busy.next(start)
	c.today += int64((i - start) & (len(c.days) - 1))
	c.open, c.at, c.keys, c.pages = true, 0, c.keys[:0], c.pages[:0]
	c.days[i].each(func(p *page, n int) {
		c.pages = append(c.pages, p)
		for k := range n {
			c.keys = append(c.keys, c.key(p.entries[k].ev.At, len(c.keys)))
		}
	})
	slices.Sort(c.keys)
	return true
}

// each calls visit for the pages of a day, with the number of entries in each.
func (d *day) each(visit func(p *page, n int)) {
	p := d.first
	for left := d.n; left > 0; left -= pageSize {
		next := p.next
		visit(p, min(left, pageSize))
		p = next
	}
}

// close gives back the pages of today, all of whose entries have been popped.
func (c *calendar) close() {
	i := int(c.today) & (len(c.days) - 1)
	c.discard(&c.days[i])
	c.busy.unset(i)
	c.open = false
}

// discard gives back the pages of a day.
func (c *calendar) discard(d *day) {
	if d.n > 0 {
		d.last.next, c.free = c.free, d.first
	}
	*d = day{}
}

// pop drops the first entry. Its memory is not used again before the next front.
func (c *calendar) pop() {
	c.at++
	c.n--
}

// spread lays the entries out over twice as many days. No day is open.
func (c *calendar) spread() {
	old := *c
	*c = calendar{horizon: old.horizon, free: old.free}
	c.layOut(2 * len(old.days))
	c.today = old.today << old.shift >> c.shift
	for i := range old.days {
		d := old.days[i]
		d.each(func(p *page, n int) {
			for k := range n {
				e := &p.entries[k]
				// At time 0, which leaves today as it is: turn, which spreads, does not know the time.
				*c.push(0, e.ev.At) = *e
			}
		})
		c.discard(&d)
	}
}

// each calls visit for all entries. Entries of one instant come in their order.
func (c *calendar) each(visit func(*entry)) {
	today := -1
	if c.open {
		today = int(c.today) & (len(c.days) - 1)
		for _, key := range c.keys[c.at:] {
			visit(c.entry(key))
		}
	}
	// Not by date: Restore, which pushes them again, needs no more than the order within an instant.
	for i := range c.days {
		if i == today {
			continue
		}
		c.days[i].each(func(p *page, n int) {
			for k := range n {
				visit(&p.entries[k])
			}
		})
	}
}

// bitmap is a set of small numbers that finds its next member fast.
type bitmap struct {
	words []uint64
	any   []uint64 // a bit for each word that is not zero
}

func newBitmap(n int) bitmap {
	words := (n + 63) / 64
	return bitmap{words: make([]uint64, words), any: make([]uint64, (words+63)/64)}
}

func (b *bitmap) set(i int) {
	b.words[i/64] |= 1 << (i % 64)
	b.any[i/64/64] |= 1 << (i / 64 % 64)
}

func (b *bitmap) unset(i int) {
	if b.words[i/64] &^= 1 << (i % 64); b.words[i/64] == 0 {
		b.any[i/64/64] &^= 1 << (i / 64 % 64)
	}
}

// next returns the first member that is not before i, going round. There must be one.
func (b *bitmap) next(i int) int {
	if w := b.words[i/64] >> (i % 64); w != 0 {
		return i + bits.TrailingZeros64(w)
	}
	word := i/64 + 1
	for {
		if word >= len(b.words) {
			word = 0
		}
		if a := b.any[word/64] >> (word % 64); a != 0 {
			word += bits.TrailingZeros64(a)
			return word*64 + bits.TrailingZeros64(b.words[word])
		}
		word = (word/64 + 1) * 64
	}
}
