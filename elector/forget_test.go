package elector_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestForget: Terms go back after a single restart if the member has no Dir, the leader is cut off, and the
// only other member was so before. With a Dir they do not.
func TestForget(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		synctest.Test(t, func(t *testing.T) {
			g := start(t, three, func(c *elector.Config) { c.Dir = dir })
			time.Sleep(5 * time.Second)
			ignorant := g.others(g.leader(t))[0]
			ignorant.network.cut(true)
			require.NoError(t, g.leader(t).Advance(1<<50)) // as after many elections
			time.Sleep(10 * time.Second)
			leader := g.leader(t)
			last := leader.Leader().Term
			require.Greater(t, last, uint64(1<<50))
			both := g.others(leader)
			voter := both[0]
			if voter == ignorant {
				voter = both[1]
			}

			leader.network.cut(true)
			voter.end(t)
			voter = voter.again()
			ignorant.network.cut(false)
			time.Sleep(20 * time.Second)
			pair := []*member{voter, ignorant}
			next := slices.IndexFunc(pair, func(m *member) bool { return m.Leader().Self })
			require.GreaterOrEqual(t, next, 0, "none of the two leads")
			require.Equal(t, dir != "", pair[next].Leader().Term > last)
		})
	}
}
