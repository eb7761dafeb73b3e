package lock_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/mutex/lock"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/treeelect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var names = []string{"printer", "plotter"}

// lockers runs n processes over memory until the test stops them.
func lockers(t *testing.T, n int, a *election.Algorithm, err error) (all []*lock.Locker, stop func()) {
	t.Helper()
	require.NoError(t, err)
	var running sync.WaitGroup
	network := memory.New()
	ranks := make([]election.Rank, n)
	for p := range ranks {
		ranks[p].ID = election.ID(p + 1)
	}
	for p, self := range ranks {
		end, err := network.Endpoint(self.ID)
		require.NoError(t, err)
		c := process.Config{Algorithm: a, Founding: true, Transport: end}
		require.NoError(t, c.Place(linksOf(t, a, n), ranks, p))
		l, err := lock.New(c, names...)
		require.NoError(t, err)
		all = append(all, l)
	}
	for _, l := range all {
		running.Go(func() {
			if err := l.Run(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	return all, func() {
		for _, l := range all {
			l.Close()
		}
		running.Wait()
	}
}

// linksOf returns the links of a ring or a complete graph of processes, which are numbered from 1.
func linksOf(t *testing.T, a *election.Algorithm, n int) process.Topology {
	t.Helper()
	links, err := topology.Complete(n)
	if a.Topology == election.Ring {
		links, err = topology.Ring(n, false)
	}
	require.NoError(t, err)
	return links
}

// TestBridge: the token is lost with a process that stays down, and made anew by those that are left.
func TestBridge(t *testing.T) { synctest.Test(t, bridges) }

func bridges(t *testing.T) {
	a, err := mutex.TokenRing(mutex.Config{Sections: 2, First: 1, Regenerate: 20 * time.Millisecond,
		Bridge: true})
	all, stop := lockers(t, 4, a, err)
	defer stop()
	first, err := all[2].Lock(t.Context(), "printer")
	require.NoError(t, err)
	all[2].Close()
	var second uint64
	// the detector says it again: a message may have come late
	for err = context.DeadlineExceeded; err != nil; {
		for _, i := range []int{0, 1, 3} {
			require.NoError(t, all[i].Process().Suspect(3))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		second, err = all[0].Lock(ctx, "printer")
		cancel()
	}
	require.Greater(t, second, first)
	require.NoError(t, all[0].Unlock("printer", second))
}

// each runs a test for every variant, in virtual time.
func each(t *testing.T, c mutex.Config, test func(t *testing.T, a *election.Algorithm, err error)) {
	elect, err := bully.Rules(bully.Config{Delay: 20 * time.Millisecond})
	require.NoError(t, err)
	c.Sections, c.Election, c.First = len(names), elect, 1
	for name, variant := range map[string]func(mutex.Config) (*election.Algorithm, error){
		"arbiter": mutex.Arbiter, "ricartagrawala": mutex.RicartAgrawala, "tokenring": mutex.TokenRing,
		"arbiter of a ring": func(c mutex.Config) (*election.Algorithm, error) {
			c.Election, c.Delay = lcr.Participant(), 20*time.Millisecond
			return mutex.Arbiter(c)
		},
		"bridged": func(c mutex.Config) (*election.Algorithm, error) {
			c.Bridge = true
			return mutex.TokenRing(c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, err := variant(c)
				test(t, a, err)
			})
		})
	}
}

// TestLock: goroutines of many processes count together, without any other lock.
func TestLock(t *testing.T) {
	each(t, mutex.Config{Lease: time.Hour}, func(t *testing.T, a *election.Algorithm, err error) {
		const processes, goroutines, rounds = 4, 3, 50
		all, stop := lockers(t, processes, a, err)
		defer stop()
		var counts [2]int
		var tokens [2]uint64
		var working sync.WaitGroup
		for i := range processes * goroutines {
			working.Go(func() {
				l := all[i%processes]
				for round := range rounds {
					section := (i + round) % len(names)
					token, err := l.Lock(t.Context(), names[section])
					if err != nil || token <= tokens[section] {
						t.Errorf("token %d after %d, %v", token, tokens[section], err)
						return
					}
					counts[section]++
					tokens[section] = token
					if err := l.Unlock(names[section], token); err != nil {
						t.Error(err)
					}
				}
			})
		}
		working.Wait()
		require.Equal(t, processes*goroutines*rounds, counts[0]+counts[1])
	})
}

// TestTakenBack: a request whose context ends is taken back, and disturbs no other.
func TestTakenBack(t *testing.T) {
	each(t, mutex.Config{Lease: time.Hour}, func(t *testing.T, a *election.Algorithm, err error) {
		all, stop := lockers(t, 3, a, err)
		defer stop()
		token, err := all[0].Lock(t.Context(), "printer")
		require.NoError(t, err)
		for _, l := range []*lock.Locker{all[1], all[0], all[2]} {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
			_, err = l.Lock(ctx, "printer")
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		require.NoError(t, all[0].Unlock("printer", token))
		for _, l := range all {
			token, err = l.Lock(t.Context(), "printer")
			require.NoError(t, err)
			require.NoError(t, l.Unlock("printer", token))
		}
	})
}

// TestClosed: a goroutine that waits when the process ends gets an error that names the section.
func TestClosed(t *testing.T) {
	each(t, mutex.Config{Lease: time.Hour}, func(t *testing.T, a *election.Algorithm, err error) {
		all, stop := lockers(t, 2, a, err)
		_, err = all[0].Lock(t.Context(), "printer")
		require.NoError(t, err)
		var waiting sync.WaitGroup
		for _, l := range all {
			waiting.Go(func() {
				token, err := l.Lock(context.Background(), "printer")
				assert.Zero(t, token)
				assert.ErrorIs(t, err, election.ErrClosed)
				assert.ErrorContains(t, err, `section "printer"`)
			})
		}
		synctest.Wait() // one waits for the turn, the other one for its entry
		stop()
		waiting.Wait()
		_, err = all[0].Lock(t.Context(), "plotter")
		require.ErrorIs(t, err, election.ErrClosed)
		require.ErrorContains(t, err, `section "plotter"`)
	})
}

// TestExpired: a grant is good for its lease, then the next one enters.
func TestExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := mutex.Arbiter(mutex.Config{Sections: 2, Election: bully.Algorithms()[0], Arbiter: 1,
			Lease: 5 * time.Second})
		all, stop := lockers(t, 3, a, err)
		defer stop()
		first, err := all[1].Lock(t.Context(), "printer")
		require.NoError(t, err)
		second, err := all[2].Lock(t.Context(), "printer")
		require.NoError(t, err)
		require.Greater(t, second, first)
		<-all[1].Expired("printer", first)
		lasts := all[2].Expired("printer", second)
		select {
		case <-lasts:
			t.Error("it lasts")
		default:
		}
		require.ErrorIs(t, all[1].Unlock("printer", first), lock.ErrExpired)
		require.ErrorIs(t, all[1].Unlock("printer", first), lock.ErrNotLocked, "a second time")
		require.NoError(t, all[2].Unlock("printer", second))
		<-lasts
		<-all[2].Expired("printer", first)
		<-all[2].Expired("scanner", second)
	})
}

// TestArbiterCrashes: another one is elected, and grants larger tokens.
func TestArbiterCrashes(t *testing.T) {
	for _, elect := range []*election.Algorithm{bully.Algorithms()[0], lcr.Participant(), hs.Algorithms()[0],
		treeelect.Saturation()} {
		t.Run(elect.Title(), func(t *testing.T) { arbiterCrashes(t, elect) })
	}
}

func arbiterCrashes(t *testing.T, elect *election.Algorithm) {
	synctest.Test(t, func(t *testing.T) {
		a, err := mutex.Arbiter(mutex.Config{Sections: 2, Election: elect, Lease: time.Hour})
		all, stop := lockers(t, 3, a, err)
		defer stop()
		first, err := all[0].Lock(t.Context(), "plotter")
		require.NoError(t, err)
		require.EqualValues(t, 3, all[0].Process().Outcome().Leader.ID)
		all[2].Close()
		for _, l := range all[:2] {
			require.NoError(t, l.Process().Suspect(3))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err = all[1].Lock(ctx, "plotter")
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, "the first is inside still")
		require.NoError(t, all[0].Unlock("plotter", first))
		second, err := all[1].Lock(t.Context(), "plotter")
		require.NoError(t, err)
		require.Greater(t, second, first)
		require.EqualValues(t, 2, all[0].Process().Outcome().Leader.ID)
	})
}

func TestMisuse(t *testing.T) {
	a, err := mutex.RicartAgrawala(mutex.Config{Sections: 2})
	all, stop := lockers(t, 2, a, err)
	defer stop()
	token, err := all[0].Lock(t.Context(), "scanner")
	require.Zero(t, token)
	require.EqualError(t, err, `election: bad input: no section is named "scanner"`)
	require.ErrorIs(t, all[0].Unlock("scanner", 1), election.ErrInput)
	require.ErrorIs(t, all[0].Unlock("printer", 0), lock.ErrNotLocked)
	_, err = lock.New(process.Config{Algorithm: a}, "a", "b", "c")
	require.ErrorIs(t, err, election.ErrInput)
	_, err = lock.New(process.Config{Algorithm: a}, "a", "a")
	require.EqualError(t, err, fmt.Sprintf("%v: two sections are named %q", election.ErrInput, "a"))
	_, err = lock.New(process.Config{Algorithm: a})
	require.EqualError(t, err,
		"election: bad input: names: none is given, a Locker needs one for each section")
	var none context.Context
	token, err = all[0].Lock(none, "printer")
	require.Zero(t, token)
	require.EqualError(t, err, `lock: section "printer": election: bad input: context: none is given`)
	half, err := lock.New(process.Config{}, "a")
	require.ErrorIs(t, err, election.ErrInput)
	require.Nil(t, half)
}

// TestNoToken: New warns where no process of a token ring makes a token.
func TestNoToken(t *testing.T) {
	warns := func(c mutex.Config, change func(*process.Config)) bool {
		t.Helper()
		a, err := mutex.TokenRing(c)
		require.NoError(t, err)
		end, err := memory.New().Endpoint(1)
		require.NoError(t, err)
		var log bytes.Buffer
		two := []election.Rank{{ID: 2}, {ID: 2}}
		p := process.Config{Algorithm: a, Self: election.Rank{ID: 1}, Transport: end, Peers: two,
			Log: slog.New(slog.NewTextHandler(&log, nil))}
		if c.Bridge {
			p.Peers = two[:1]
		}
		change(&p)
		_, err = lock.New(p, "printer")
		require.NoError(t, err)
		if log.Len() > 0 {
			require.Contains(t, log.String(), "where their group starts\" member=1\n")
		}
		return strings.Contains(log.String(), "Founding is false: this process makes no token")
	}
	nothing := func(*process.Config) {}
	require.True(t, warns(mutex.Config{First: 1}, nothing))
	require.True(t, warns(mutex.Config{First: 1, Bridge: true}, nothing))
	require.True(t, warns(mutex.Config{First: 2}, nothing), "no process comes later to such a ring")
	require.False(t, warns(mutex.Config{First: 1, Regenerate: time.Second}, nothing))
	require.False(t, warns(mutex.Config{First: 1, Bridge: true, Regenerate: time.Second}, nothing))
	require.False(t, warns(mutex.Config{First: 1}, func(c *process.Config) { c.Founding = true }))
	require.False(t, warns(mutex.Config{First: 1}, func(c *process.Config) { c.Log = nil }))
}

// TestNames: processes may name the sections in any order.
func TestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := mutex.RicartAgrawala(mutex.Config{Sections: 2})
		require.NoError(t, err)
		network, ranks := memory.New(), []election.Rank{{ID: 1}, {ID: 2}}
		var running sync.WaitGroup
		var all []*lock.Locker
		for p, order := range [][]string{{"a", "b"}, {"b", "a"}} {
			end, err := network.Endpoint(ranks[p].ID)
			require.NoError(t, err)
			l, err := lock.New(process.Config{Algorithm: a, Founding: true, Self: ranks[p], Peers: ranks,
				Transport: end}, order...)
			require.NoError(t, err)
			all = append(all, l)
			running.Go(func() { _ = l.Run(context.Background()) })
		}
		first, err := all[0].Lock(t.Context(), "a")
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err = all[1].Lock(ctx, "a")
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, "the other is inside")
		_, err = all[1].Lock(t.Context(), "b")
		require.NoError(t, err)
		require.NoError(t, all[0].Unlock("a", first))
		for _, l := range all {
			l.Close()
		}
		running.Wait()
	})
}

// TestTokenNowhere: a token ring as the catalog has it names no process that makes the token. It is refused,
// instead of leaving each Lock waiting.
func TestTokenNowhere(t *testing.T) {
	end, err := memory.New().Endpoint(1)
	require.NoError(t, err)
	_, err = lock.New(process.Config{Algorithm: mutex.Algorithms(bully.Algorithms()[0])[2],
		Self: election.Rank{ID: 1}, Transport: end, Peers: []election.Rank{{ID: 2}, {ID: 2}}, Founding: true},
		"printer")
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "First: no process has the token in the beginning")
}
