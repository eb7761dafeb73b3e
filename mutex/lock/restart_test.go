package lock_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/mutex/lock"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// membership is a group of lockers whose members are all started and stopped together.
type membership struct {
	algorithm *election.Algorithm
	founding  bool         // at every start, not at the first alone
	saved     [][]byte     // by process
	saves     atomic.Int64 // of all processes
	starts    int
}

// live starts all members, makes each of these processes enter once, in this order, and stops all again. It
// returns the tokens.
func (g *membership) live(t *testing.T, enter ...int) (tokens []uint64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network, ranks := memory.New(), make([]election.Rank, len(g.saved))
		for p := range ranks {
			ranks[p].ID = election.ID(p + 1)
		}
		var all []*lock.Locker
		var running sync.WaitGroup
		for p, self := range ranks {
			end, err := network.Endpoint(self.ID)
			require.NoError(t, err)
			c := process.Config{Algorithm: g.algorithm, Founding: g.founding || g.starts == 0, Transport: end,
				Saved: g.saved[p], Save: func(b []byte) error {
					g.saved[p] = slices.Clone(b)
					g.saves.Add(1)
					return nil
				}}
			require.NoError(t, c.Place(linksOf(t, g.algorithm, len(ranks)), ranks, p))
			l, err := lock.New(c, names...)
			require.NoError(t, err)
			all = append(all, l)
		}
		for _, l := range all {
			running.Go(func() { _ = l.Run(context.Background()) })
		}
		synctest.Wait()
		for _, p := range enter {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			token, err := all[p].Lock(ctx, names[0])
			cancel()
			require.NoError(t, err)
			require.NoError(t, all[p].Unlock(names[0], token))
			tokens = append(tokens, token)
		}
		for _, l := range all {
			l.Close()
		}
		running.Wait()
	})
	g.starts++
	return tokens
}

// TestAllRestart: after all members have been down and have recovered with their saved state, tokens continue
// to increase, for any variant and any members that enter.
func TestAllRestart(t *testing.T) {
	elect, err := bully.Rules(bully.Config{Delay: 20 * time.Millisecond})
	require.NoError(t, err)
	for name, make := range map[string]func() (*election.Algorithm, error){
		"arbiter": func() (*election.Algorithm, error) {
			return mutex.Arbiter(mutex.Config{Election: elect, Sections: len(names)})
		},
		"ricartagrawala": func() (*election.Algorithm, error) {
			return mutex.RicartAgrawala(mutex.Config{Sections: len(names)})
		},
		"tokenring": func() (*election.Algorithm, error) {
			return mutex.TokenRing(mutex.Config{First: 2, Sections: len(names)})
		},
		"bridged": func() (*election.Algorithm, error) {
			return mutex.TokenRing(mutex.Config{First: 2, Sections: len(names), Bridge: true})
		},
		"regenerated": func() (*election.Algorithm, error) {
			return mutex.TokenRing(mutex.Config{First: 2, Sections: len(names), Regenerate: time.Second})
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := make()
			require.NoError(t, err)
			// Without Regenerate the first token has to be made at every start of the group.
			g := &membership{algorithm: a, saved: [][]byte{nil, nil, nil},
				founding: name == "tokenring" || name == "bridged"}
			tokens := slices.Concat(g.live(t, 2, 1, 2, 0, 2, 2), g.live(t, 0, 1), g.live(t, 1), g.live(t),
				g.live(t, 2, 0))
			require.Len(t, tokens, 11)
			require.IsIncreasing(t, tokens)
		})
	}
}

// TestSavesSeldom: not every entry is saved.
func TestSavesSeldom(t *testing.T) {
	const entries, members = 3000, 2
	for _, a := range []*election.Algorithm{must(t)(mutex.RicartAgrawala(mutex.Config{Sections: 2})),
		must(t)(mutex.TokenRing(mutex.Config{First: 1, Sections: 2}))} {
		g := &membership{algorithm: a, founding: true, saved: make([][]byte, members)}
		last := g.live(t, slices.Repeat([]int{0, 1}, entries/2)...)
		saves := g.saves.Load()
		require.LessOrEqual(t, saves, int64(members*(1+entries/1024)), a.Title())
		require.NotZero(t, saves, a.Title())
		require.Greater(t, g.live(t, 0)[0], last[entries-1], a.Title())
	}
}

func must(t *testing.T) func(*election.Algorithm, error) *election.Algorithm {
	return func(a *election.Algorithm, err error) *election.Algorithm {
		t.Helper()
		require.NoError(t, err)
		return a
	}
}
