package elector_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/memory"
)

// TestFirstLeaderDies: members without memory that start one shortly after another have read from each other before
// the first of them leads. If that leader crashes immediately, the next one follows as usual.
func TestFirstLeaderDies(t *testing.T) {
	_, most := elector.LAN().FailOver(3)
	for _, order := range [][]string{{"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"}, {"b", "c", "a"},
		{"c", "a", "b"}, {"c", "b", "a"}} {
		synctest.Test(t, func(t *testing.T) {
			network, members, g := memory.New(), map[string]string{"a": "", "b": "", "c": ""}, group{}
			for _, name := range order {
				g.launch(t, network, name, members, nil, nil)
				time.Sleep(60 * time.Millisecond)
			}
			leader := func() *member {
				for _, m := range g {
					if !m.network.isCut() && m.Leader().Self {
						return m
					}
				}
				return nil
			}
			await := func() *member {
				for {
					synctest.Wait()
					if m := leader(); m != nil {
						return m
					}
					time.Sleep(100 * time.Microsecond)
				}
			}
			first := await()
			first.network.cut(true)
			crash := time.Now()
			require.NotSame(t, first, await())
			require.LessOrEqual(t, time.Since(crash), most, order)
			for _, m := range g {
				m.stop()
				require.NoError(t, <-m.ended)
			}
		})
	}
}
