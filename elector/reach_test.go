package elector_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestTooFew: a member that hears too few others to elect warns once in each such period, with their number. A member
// that only loses its leader does not warn.
func TestTooFew(t *testing.T) {
	const warning = "too few members are heard: only a majority elects a leader"
	synctest.Test(t, func(t *testing.T) {
		text := map[string]*logs{}
		g := start(t, []string{"a", "b", "c", "d", "e"}, func(c *elector.Config) {
			text[c.Self] = &logs{}
			c.Log = slog.New(slog.NewTextHandler(text[c.Self], nil))
		})
		said := func() map[string]int {
			synctest.Wait()
			times := map[string]int{}
			for name, l := range text {
				if n := strings.Count(l.String(), warning); n > 0 {
					times[name] = n
				}
			}
			return times
		}
		time.Sleep(time.Hour)
		first := g.leader(t)
		first.network.cut(true)
		time.Sleep(time.Minute)
		require.Equal(t, map[string]int{first.name: 1}, said(), "the others are a majority")
		require.Contains(t, text[first.name].String(), warning+`" group=g member=`+first.name+
			" heard=1 needed=3 members=5")

		var second *member
		for _, m := range g.others(first) {
			if m.Leader().Self {
				second = m
			}
		}
		second.network.cut(true)
		rest := g.others(second)
		third := rest[0]
		if third == first {
			third = rest[1]
		}
		third.network.cut(true)
		time.Sleep(time.Minute)
		all := said()
		require.Len(t, all, 5)
		for name, times := range all {
			require.Equal(t, 1, times, name)
			if m := g[name]; m != first && m != second && m != third {
				require.Contains(t, text[name].String(), "heard=2 needed=3 members=5")
			}
		}

		for _, m := range []*member{first, second, third} {
			m.network.cut(false)
		}
		time.Sleep(time.Minute)
		last := g.leader(t)
		last.network.cut(true)
		time.Sleep(time.Minute)
		all[last.name]++
		require.Equal(t, all, said(), "it is said again after a majority was heard")
		last.network.cut(false)
	})
}
