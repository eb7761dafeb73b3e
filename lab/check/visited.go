package check

import "slices"

// shards is into how many parts the visited states are divided, by their hashes. It does not depend
// on the number of workers, and so nothing else does.
const (
	shards    = 1 << shardBits
	shardBits = 4
)

// number names a visited state: its shard, and its place there.
type number uint32

func newNumber(shard, place int) number { return number(place)<<shardBits | number(shard) }
func (n number) shard() int             { return int(n & (shards - 1)) }
func (n number) place() int             { return int(n >> shardBits) }

// maxPlaces bounds the states of a shard.
const maxPlaces = 1 << (32 - shardBits)

// entry is a place in the hash table of a shard: a hash in two halves, and one more than the place of
// the state.
type entry struct{ high, low, state uint32 }

// shard is a part of the visited states.
type shard struct {
	entries []entry
	from    []number     // by place: the state that led there first
	by      []action     // and by which step
	exact   []uint32     // whole states, where they are kept
	opened  map[int]bool // places of states of which all steps were taken after all; see Config.Reduce
	newest  int          // the places from here on are of the level that is being found

	front, next level // the states of the level that is being expanded, and of the next
}

// level holds states that were found and not yet expanded.
type level struct {
	first  int // the place of the first
	states []uint32
	hashes []uint64
}

func (l *level) len() int { return len(l.hashes) }

func (l *level) clear() {
	l.states, l.hashes = l.states[:0], l.hashes[:0]
}

// lookupResult is how a state was found.
type lookupResult uint8

const (
	isNew     lookupResult = iota
	isNewest               // before, in the same level
	isEarlier              // in an earlier level
)

// shardOf returns the shard of a hash: its highest bits. Tables use the lowest.
func shardOf(hash uint64) int { return int(hash >> (64 - shardBits)) }

// find looks a state up, and adds it if it is new. same compares it with the one in a place; it is
// nil where hashes are enough.
func (s *shard) find(hash uint64, from number, by action, same func(place int) bool) lookupResult {
	if 4*(len(s.from)+1) > 3*len(s.entries) {
		s.grow()
	}
	high, low := uint32(hash>>32), uint32(hash)
	mask := uint32(len(s.entries) - 1)
	for i := low & mask; ; i = (i + 1) & mask {
		e := &s.entries[i]
		switch {
		case e.state == 0:
			s.from, s.by = append(s.from, from), append(s.by, by)
			*e = entry{high, low, uint32(len(s.from))}
			return isNew
		case e.low != low || e.high != high || same != nil && !same(int(e.state-1)):
		case int(e.state) > s.newest:
			return isNewest
		default:
			return isEarlier
		}
	}
}

// notVisited stands in place of the number of a state that was not visited.
const notVisited = -1

// lookup returns where a state is that was visited, and notVisited of another one.
func (s *shard) lookup(hash uint64, same func(place int) bool) int {
	high, low := uint32(hash>>32), uint32(hash)
	mask := uint32(len(s.entries) - 1)
	for i := low & mask; ; i = (i + 1) & mask {
		e := &s.entries[i]
		if e.state == 0 {
			return notVisited
		}
		if e.low == low && e.high == high && (same == nil || same(int(e.state-1))) {
			return int(e.state - 1)
		}
	}
}

// grow doubles the table.
func (s *shard) grow() {
	old := s.entries
	s.entries = make([]entry, max(64, 2*len(old)))
	mask := uint32(len(s.entries) - 1)
	for _, e := range old {
		if e.state == 0 {
			continue
		}
		i := e.low & mask
		for s.entries[i].state != 0 {
			i = (i + 1) & mask
		}
		s.entries[i] = e
	}
	if room := 3 * len(s.entries) / 4; cap(s.from) < room {
		s.from, s.by = slices.Grow(s.from, room-len(s.from)), slices.Grow(s.by, room-len(s.by))
	}
}

// bytes is how much memory the shard takes.
func (s *shard) bytes() int64 {
	b := 12*int64(cap(s.entries)) + 8*int64(cap(s.from)) + 4*int64(cap(s.exact))
	for _, l := range []*level{&s.front, &s.next} {
		b += 4*int64(cap(l.states)) + 8*int64(cap(l.hashes))
	}
	return b
}
