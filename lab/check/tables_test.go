package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
)

// TestMemo: a memo has what was put into it, and nothing else, whatever its keys have in common.
func TestMemo(t *testing.T) {
	for name, key := range map[string]func(i uint64) uint64{
		"in a row":     func(i uint64) uint64 { return i },
		"upper halves": func(i uint64) uint64 { return i << 32 },
		"scattered":    scramble,
	} {
		var m memo
		for i := range uint64(3000) {
			_, ok := m.get(key(i))
			require.False(t, ok, "%s: %d", name, i)
			m.put(key(i), uint32(i))
			require.Equal(t, int(i)+1, m.used)
			value, ok := m.get(key(i / 2))
			require.True(t, ok, "%s: %d", name, i)
			require.Equal(t, uint32(i/2), value)
		}
		require.Len(t, m.keys, 8192, "a power of two, at most half full")
		require.Len(t, m.values, 8192)
	}
}

// searched returns a search that is about to begin.
func searched(t *testing.T, c *Config) *search {
	t.Helper()
	require.NoError(t, c.Check())
	s := &search{model: newModel(c), config: c, graded: true}
	s.workers = []*worker{newWorker(s.model)}
	var err error
	s.first, err = s.workers[0].first(func(int, bool) {})
	require.NoError(t, err)
	return s
}

// ofTwo is an election of two on a ring.
func ofTwo(t *testing.T) Config {
	a, err := catalog.Find("lcr", "participant")
	require.NoError(t, err)
	return Config{Input: scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}}, Workers: 1}
}

// TestStatesOfOneHash: two states with the same hash are one, unless whole states are compared.
func TestStatesOfOneHash(t *testing.T) {
	for _, exact := range []bool{false, true} {
		c := ofTwo(t)
		c.Exact = exact
		s := searched(t, &c)
		const hash = 7
		front := &s.shards[0].front
		front.states, front.hashes = append(front.states, s.first...), append(front.hashes, 1)
		p := &part{out: new([shards][]record)}
		for process := range 2 {
			p.out[0] = append(p.out[0], record{hash: hash, act: newAction(doStart, process, 0)})
		}
		s.takeUp(s.workers[0], 0, []*part{p}, 0)
		found := &s.shards[0]
		if !exact {
			require.Equal(t, 1, found.next.len())
			continue
		}
		require.Equal(t, 2, found.next.len())
		k := newWalk(s)
		for place := range 2 {
			state := found.next.states[place*s.slots : (place+1)*s.slots]
			require.Equal(t, place, k.id(state, hash))
		}
		require.Equal(t, -1, k.id(s.first, hash))
	}
}

// TestBatchSize: a batch has about as many steps as there is room for, as far as the states before it tell:
// no more than may still come, of one part at least.
func TestBatchSize(t *testing.T) {
	for _, of := range []struct {
		found, waiting, following int // states
		steps                     uint64
		most                      int
		want                      int
	}{
		{found: 1, waiting: 1, want: 256}, // nothing is known
		// 16 steps a state: 256 parts fit exactly
		{found: 1000, steps: 15_000, want: 256},
		{found: 1000, steps: 16_000, want: 240},                 // 17 do not
		{found: 1100, waiting: 100, steps: 16_000, want: 240},   // those to be expanded do not count
		{found: 1100, following: 100, steps: 16_000, want: 240}, // nor do those of the next level
		{found: 1000, steps: 1 << 40, want: 1},                  // one, however many steps
		// as many as may come: 10 times 17 times 256
		{found: 1000, steps: 16_000, most: 1000 + 43_520, want: 10},
		{found: 1000, steps: 16_000, most: 1000 + 43_519, want: 9},
		{found: 1000, steps: 16_000, most: 1 << 30, want: 240},
	} {
		s := &search{config: &Config{MaxStates: of.most}, states: uint64(of.found)}
		s.transitions.Store(of.steps)
		s.shards[1].front.hashes = make([]uint64, of.waiting)
		s.shards[2].next.hashes = make([]uint64, of.following)
		require.Equal(t, of.want, s.batchSize(), "%+v", of)
	}
}

// TestRestoreOfNonsense: a state that no Node has written ends the program: nothing could be judged of it.
func TestRestoreOfNonsense(t *testing.T) {
	c := ofTwo(t)
	w := searched(t, &c).workers[0]
	require.Panics(t, func() { w.restore(&w.nodes[0], "nonsense") })
	require.NotPanics(t, func() { w.restore(&w.nodes[0], "") })
}

// TestTableOfShard: the table of a shard is a power of two, and at most three quarters full, so that a look
// for what is not there ends.
func TestTableOfShard(t *testing.T) {
	var s shard
	size := 64
	for n := 1; n <= 1000; n++ {
		require.Equal(t, isNew, s.find(scramble(uint64(n)), 0, 0, nil))
		if 4*n > 3*size {
			size *= 2
		}
		require.Len(t, s.entries, size, "%d states", n)
	}
}
