package lock_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/mutex/lock"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// TestArbiterIsAway: while arbiter 3 is paused or cut off, 2 is elected and grants. After 3 has returned and
// leads again, it waits for its Grace, and all its tokens are larger than those of 2.
func TestArbiterIsAway(t *testing.T) {
	for name, away := range map[string]func(t *testing.T, g *group){
		"paused": func(t *testing.T, g *group) {
			token, err := g.lockers[2].Lock(t.Context(), "plotter") // pauses 3: see newGroup
			require.NoError(t, err)
			g.work(t, 0, 1)
			require.NoError(t, g.lockers[2].Unlock("plotter", token))
		},
		"cut off": func(t *testing.T, g *group) {
			require.NoError(t, g.links.Cut([]election.ID{3}))
			time.Sleep(away)
			g.work(t, 0, 1)
			g.links.Heal()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGroup(t)
				defer g.stop()
				g.work(t, 0, 1, 2)
				require.EqualValues(t, 3, g.lockers[0].Process().Outcome().Leader.ID)
				away(t, g)
				held, err := g.lockers[1].Lock(t.Context(), "printer")
				require.NoError(t, err)
				require.Greater(t, held, g.latest)
				time.Sleep(2 * time.Second) // 3 leads again
				require.EqualValues(t, 3, g.lockers[0].Process().Outcome().Leader.ID)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				_, err = g.lockers[0].Lock(ctx, "printer")
				cancel()
				require.ErrorIs(t, err, context.DeadlineExceeded, "2 is inside still")
				require.NoError(t, g.lockers[1].Unlock("printer", held))
				g.latest = held
				for range 3 {
					g.work(t, 0, 1, 2)
				}
			})
		})
	}
}

// plotter is the number of the section of this name, the first in alphabetical order.
const plotter = 0

// away is how long the arbiter is away.
const away = 1500 * time.Millisecond

// group is three lockers over links that can be cut.
type group struct {
	lockers []*lock.Locker
	links   *faults.Links
	latest  uint64 // token of the printer
	stop    func()
}

// newGroup runs a group whose process 3 pauses when it enters the plotter.
func newGroup(t *testing.T) *group {
	t.Helper()
	const delay = 20 * time.Millisecond
	elect, err := bully.Rules(bully.Config{Delay: delay, Heartbeat: 5 * delay})
	require.NoError(t, err)
	a, err := mutex.Arbiter(mutex.Config{Sections: len(names), Election: elect})
	require.NoError(t, err)
	g := &group{}
	g.links, err = faults.NewLinks(faults.Config{Max: delay})
	require.NoError(t, err)
	network := memory.New()
	ranks := []election.Rank{{ID: 1}, {ID: 2}, {ID: 3}}
	var running sync.WaitGroup
	for _, self := range ranks {
		end, err := network.Endpoint(self.ID)
		require.NoError(t, err)
		c := process.Config{Algorithm: a, Founding: true, Self: self, Peers: ranks,
			Transport: g.links.Over(end)}
		if self.ID == 3 {
			c.OnRaise = func(ev election.Event) {
				if ev.Op == election.Entered && ev.Msg.Flags == plotter {
					time.Sleep(away)
				}
			}
		}
		l, err := lock.New(c, names...)
		require.NoError(t, err)
		g.lockers = append(g.lockers, l)
		running.Go(func() {
			if err := l.Run(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	g.stop = func() {
		for _, l := range g.lockers {
			l.Close()
		}
		running.Wait()
	}
	return g
}

// work locks and unlocks the printer at these lockers, one after another.
func (g *group) work(t *testing.T, lockers ...int) {
	t.Helper()
	for _, i := range lockers {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		token, err := g.lockers[i].Lock(ctx, "printer")
		cancel()
		require.NoError(t, err)
		require.Greater(t, token, g.latest, "of %d", i+1)
		g.latest = token
		require.NoError(t, g.lockers[i].Unlock("printer", token))
	}
}
