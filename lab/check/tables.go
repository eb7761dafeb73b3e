package check

import (
	"sync"
)

// table gives every value of one slot of a state a small number, in the order in which they are first
// met. A value never changes. Its hash depends on the slot and on what it is, not on its number,
// so that hashes do not depend on which worker meets a value first.
type table[T any] struct {
	mu    sync.Mutex
	slot  uint64
	index map[string]uint32
	items []T
}

func newTable[T any](slot int) table[T] {
	return table[T]{slot: uint64(slot), index: make(map[string]uint32)}
}

// number returns the number of the value that has this key. make makes the value if it is new.
func (t *table[T]) number(key []byte, make func(hash uint64) T) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i, ok := t.index[string(key)]; ok {
		return i
	}
	i := uint32(len(t.items))
	t.index[string(key)] = i
	t.items = append(t.items, make(scramble(sum(key)+t.slot*0x9e3779b97f4a7c15)))
	return i
}

// all returns the values so far.
func (t *table[T]) all() []T {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.items
}

// window is what one worker sees of a table: those numbered when it last looked.
type window[T any] struct {
	table *table[T]
	seen  []T
}

func (w *window[T]) at(i uint32) *T {
	if int(i) >= len(w.seen) {
		w.seen = w.table.all()
	}
	return &w.seen[i]
}

// sum returns a hash of bytes (FNV-1a, scrambled).
func sum(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return scramble(h)
}

// scramble spreads a number over all 64 bits (the finaliser of MurmurHash3).
func scramble(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// memo remembers small numbers by keys: a hash table for one worker.
type memo struct {
	keys   []uint64 // the key and one; zero: empty
	values []uint32
	used   int
}

func (m *memo) get(key uint64) (uint32, bool) {
	if len(m.keys) == 0 {
		return 0, false
	}
	mask := uint64(len(m.keys) - 1)
	for i := key * 0x9e3779b97f4a7c15 >> 20 & mask; ; i = (i + 1) & mask {
		switch m.keys[i] {
		case key + 1:
			return m.values[i], true
		case 0:
			return 0, false
		}
	}
}

func (m *memo) put(key uint64, value uint32) {
	if 2*m.used >= len(m.keys) {
		old := *m
		*m = memo{keys: make([]uint64, max(64, 2*len(old.keys))),
			values: make([]uint32, max(64, 2*len(old.keys)))}
		for i, k := range old.keys {
			if k != 0 {
				m.put(k-1, old.values[i])
			}
		}
	}
	m.used++
	mask := uint64(len(m.keys) - 1)
	i := key * 0x9e3779b97f4a7c15 >> 20 & mask
	for m.keys[i] != 0 {
		i = (i + 1) & mask
	}
	m.keys[i], m.values[i] = key+1, value
}
