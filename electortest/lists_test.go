package electortest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestLists: groups whose lists change pass with all faults, with a Dir, without, and if only some have one.
func TestLists(t *testing.T) {
	for name, c := range map[string]Config{
		"with Dir": {Durable: true}, "without": {}, "mixed": {Durable: true, mixed: true},
	} {
		t.Run(name, func(t *testing.T) {
			c.Faults, c.Runs, c.For = All, 1, 2*time.Minute
			if *long {
				c.Runs, c.For = 500, 10*time.Minute
			}
			for size := 1; size <= 5; size++ {
				c.Members = size
				c.Seed = uint64(1000 * size)
				t.Run(fmt.Sprint(size), func(t *testing.T) { Test(t, c, writer) })
			}
		})
	}
}

// TestChanges: lists change often enough to test anything: by lists, by calls, and back.
func TestChanges(t *testing.T) {
	var changes, back, called, learned int
	for seed := range uint64(3) {
		c := Config{Faults: Lists, Durable: true}
		require.NoError(t, c.complete())
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			r, err := newRun(c, seed, dir, writer)
			require.NoError(t, err)
			for _, name := range r.plan {
				r.comeBack(name)
			}
			r.disturb()
			r.settle()
			r.stopAll()
			require.NoError(t, r.judge.error(seed))
			changes += r.judge.chain.voters.Changes()
			for _, label := range slices.Sorted(maps.Keys(r.judge.chain.sets)) {
				if a := r.judge.chain.sets[label]; len(a.old) > 0 {
					if next, ok := r.judge.chain.sets[label+1]; ok && slices.Equal(next.new, a.old) {
						back++
					}
				}
			}
			log := strings.Join(r.judge.log, "\n")
			called += strings.Count(log, "is asked to set the members")
			learned += strings.Count(log, "has the list")
		})
	}
	require.Greater(t, changes, 20)
	require.Greater(t, called, 20)
	require.Greater(t, learned, 5)
	require.Positive(t, back)
}

// hold records that a member holds members under a label, a Term and a step.
func (b *bench) hold(m *Member, term uint64, step int, old, new string) {
	b.agrees(m, agreement{term<<stepBits | uint64(step), strings.Fields(old), strings.Fields(new)})
}

// TestChain: which agreements of members are wrong.
func TestChain(t *testing.T) {
	type held struct {
		who      string
		term     uint64
		step     int
		old, new string
	}
	for _, c := range []struct {
		name, wrong string
		held        []held
	}{
		{"a change", "", []held{{"a", 3, 0, "", "a b"}, {"a", 3, 1, "a b", "a"}, {"b", 3, 1, "a b", "a"},
			{"a", 3, 2, "", "a"}, {"b", 3, 2, "", "a"}}},
		{"taken back", "", []held{{"a", 3, 0, "", "a b"}, {"a", 3, 1, "a b", "a"}, {"a", 3, 2, "", "a b"},
			{"a", 3, 3, "a b", "b"}, {"a", 3, 4, "", "b"}}},
		{"an old one, of another member", "", []held{{"a", 3, 1, "a b", "a"}, {"b", 3, 0, "", "a b"}}},
		{"nothing is agreed", "", []held{{"a", 3, 1, "a b", "a"}, {"a", 0, 0, "", ""}}},
		{"two sets of one label", "the members of one label differ: b has 3.1: a b -> b, another one had 3.1: a b -> a",
			[]held{{"a", 3, 1, "a b", "a"}, {"b", 3, 1, "a b", "b"}}},
		{"a smaller label", "the label of a becomes smaller: it has 2.5: a, and had 3.1: a b -> a",
			[]held{{"a", 3, 1, "a b", "a"}, {"a", 2, 5, "", "a"}}},
		{"not by two sets", "a confirms 3.1: c, which does not follow: the voters are 3, after the voters are 1 2",
			[]held{{"a", 3, 0, "", "a b"}, {"a", 3, 1, "", "c"}, {"a", 3, 2, "c", "a"}}},
		{"another set than either", "which does not follow", []held{{"a", 3, 0, "", "a b"}, {"a", 3, 1, "a b", "a"},
			{"a", 3, 2, "", "b"}, {"a", 3, 3, "b", "a"}}},
		{"from another set", "which does not follow", []held{{"a", 3, 0, "", "a b"}, {"a", 3, 1, "a c", "c"},
			{"a", 3, 2, "", "c"}}},
	} {
		b := newBench()
		b.holds(b.a, 3, 10)
		for _, h := range c.held {
			b.hold(b.members[h.who], h.term, h.step, h.old, h.new)
		}
		if c.wrong == "" {
			require.Empty(t, b.wrong, c.name)
		} else {
			require.Contains(t, b.wrong, c.wrong, c.name)
		}
	}
}

// TestConfirmed: a leader confirms what it holds while it renews its lease, or when it takes the next step.
func TestConfirmed(t *testing.T) {
	ab := agreement{3 << stepBits, nil, []string{"a", "b"}}
	b := newBench()
	b.holds(b.a, 3, 10)
	for range 2 {
		b.renews(b.a, ab)
		require.Zero(t, b.chain.last)
	}
	b.renews(b.a, ab)
	require.Equal(t, ab.label, b.chain.last)
	b.at = 10
	b.holds(b.b, 5, 20)
	for range 3 {
		b.renews(b.b, agreement{5 << stepBits, nil, []string{"b"}})
	}
	require.Equal(t, "b confirms 5.0: b, which does not follow: the voters are 2, after the voters are 1 2", b.wrong)

	b = newBench()
	for range 3 {
		b.renews(b.a, ab)
	}
	require.Zero(t, b.chain.last, "it does not lead")
	b.hold(b.a, 3, 1, "a b", "a")
	require.Zero(t, b.chain.last)

	b = newBench()
	b.a.dir, b.a.crashed = "dir", true
	b.hold(b.a, 3, 0, "", "a")
	require.Empty(t, b.chain.sets, "what a member holds after its crash does not count")
	again := b.member("a")
	again.dir = "dir"
	b.hold(again, 3, 0, "", "a")
	later := b.member("a")
	b.hold(later, 2, 0, "", "a")
	require.Contains(t, b.wrong, "the label of a becomes smaller", "it has a Dir")
	b = newBench()
	b.hold(b.a, 3, 0, "", "a")
	b.hold(b.member("a"), 2, 0, "", "a")
	require.Empty(t, b.wrong, "it has forgotten the label")
}

// TestNamed: a member whose name an Elector does not know has a name nevertheless.
func TestNamed(t *testing.T) {
	require.Equal(t, []string{"a", "b", "z"}, named([]string{fmt.Sprintf("(ID %d)", uint64(elector.ID("b"))), "a",
		fmt.Sprintf("(ID %d)", uint64(elector.ID("z")))}))
}

// TestAnchors: without memory, a member gets no list by which it could found a second group; and none is restarted if
// a majority would have forgotten the group.
func TestAnchors(t *testing.T) {
	running(t, Config{Faults: All}, 1, func(r *run) {
		require.Equal(t, []string{"a", "b", "c", "d", "e"}, r.order)
		require.False(t, r.founded())
		require.Equal(t, []string{"a", "d"}, r.anchored([]string{"d"}), "the first group has a")
		r.remembers["c"] = true
		require.Equal(t, []string{"b", "c"}, r.anchored([]string{"b"}))
		require.Equal(t, []string{"c", "d"}, r.anchored([]string{"c", "d"}))
		require.True(t, r.mayForget("a"), "nothing is agreed")
		r.forgets("c")
		require.False(t, r.founded())
	})
	running(t, Config{Faults: All, Durable: true, mixed: true}, 1, func(r *run) {
		require.True(t, r.durable("a"))
		require.False(t, r.durable("b"))
		require.NotEmpty(t, r.up["a"].dir)
		require.Empty(t, r.up["b"].dir)
		r.remembers["a"] = true
		r.forgets("a")
		require.True(t, r.founded(), "it has a Dir")
	})
	// A group that leads without a Dir.
	c := Config{}
	require.NoError(t, c.complete())
	c.Faults = Lists
	synctest.Test(t, func(t *testing.T) {
		r, err := newRun(c, 1, "", writer)
		require.NoError(t, err)
		for _, name := range r.plan {
			r.comeBack(name)
		}
		require.False(t, r.mayForget("a") && r.founded())
		require.True(t, r.wait(r.now()+r.within(), r.founded))
		require.True(t, r.wait(r.now()+r.within(), func() bool { return r.mayForget("a") }))
		r.crash(r.up["a"], r.within())
		require.False(t, r.mayForget("b"), "two of three")
		require.False(t, r.mayForget("c"))
		require.True(t, r.wait(r.now()+2*r.within(), func() bool { return r.up["a"] != nil }))
		require.False(t, r.mayForget("b"), "it has just begun")
		require.True(t, r.wait(r.now()+r.within(), func() bool { return r.mayForget("b") }))
		r.stopAll()
		require.NoError(t, r.judge.error(1))
	})
}
