package elector_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestUnmovedAfterSplitVote: votes have split before a member leads, in one Term or in several. Then each of
// the others grants its renewals: while one of them is cut off, the other is enough.
func TestUnmovedAfterSplitVote(t *testing.T) {
	for name, ahead := range map[string]map[string]uint64{
		"in one Term": {}, "in several": {"a": 2000, "b": 1000},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range 20 {
				synctest.Test(t, func(t *testing.T) {
					g := start(t, three, func(c *elector.Config) {
						// Longer than a turn: all claim at once.
						c.Transport.(*gate).delay = 30 * time.Millisecond
					})
					for name, token := range ahead {
						require.NoError(t, g[name].Advance(token))
					}
					time.Sleep(8 * time.Second)
					m := g.leader(t)
					cutOff := g.others(m)[i%2]
					cutOff.network.cut(true)
					time.Sleep(3 * time.Second)
					cutOff.network.cut(false)
					require.Same(t, m, g.leader(t))
					require.Equal(t, 1, g.total(), "no other has led")
				})
			}
		})
	}
}
