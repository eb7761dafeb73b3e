package elector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestRollingTimes restarts members one by one with other Times, as docs/services.md describes. Members with the old
// Times and the new ones elect together. No two lead at the same time, and the change costs no more time without a
// leader than a restart with the same Times: the handover of the leader that is restarted.
func TestRollingTimes(t *testing.T) {
	for _, names := range []string{"abc", "abcde"} {
		for _, durable := range []bool{false, true} {
			for first := range len(names) {
				for change, times := range map[string][2]elector.Times{
					"same":    {elector.LAN(), elector.LAN()},
					"longer":  {elector.LAN(), {Lease: 3 * time.Second}},
					"shorter": {{Lease: 3 * time.Second}, elector.LAN()},
				} {
					what := fmt.Sprintf("%d members, first %c, Dir %t, %s", len(names), names[first], durable, change)
					t.Run(what, func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							r := newRolling(t, names, durable, times[0])
							for i := range names {
								name := r.names[(first+i)%len(names)]
								r.restart(name, times[1])
								r.steady(name)
								time.Sleep(3100 * time.Millisecond) // a member votes a Lease after its start
							}
							r.end()
							require.Less(t, r.longest, 20*time.Millisecond, "without a leader")
						})
					})
				}
			}
		}
	}
}

// TestRandomTimes restarts members with random Times again and again, and kills some. No two lead at the same time.
func TestRandomTimes(t *testing.T) {
	seeds := uint64(40)
	if *long {
		seeds = 4000
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomTimes(t, seed) })
		})
	}
}

func randomTimes(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	leases := []time.Duration{300 * time.Millisecond, 750 * time.Millisecond, 3 * time.Second, 8 * time.Second}
	draw := func() elector.Times {
		return elector.Times{Lease: leases[rng.IntN(len(leases))], Drift: []float64{0.001, 0.01}[rng.IntN(2)]}
	}
	durable := seed%2 == 0
	r := newRolling(t, "abcde"[:3+2*rng.IntN(2)], durable, draw())
	for range 12 {
		name := r.names[rng.IntN(len(r.names))]
		switch rng.IntN(4) {
		case 0:
			r.mu.Lock()
			r.times[name] = draw()
			r.kill(name, &r.kills)
			r.mu.Unlock()
		case 1:
			r.part([]string{name})
			time.Sleep(time.Duration(rng.IntN(10)) * time.Second)
			r.part(nil)
		default:
			r.restart(name, draw())
		}
		if durable {
			time.Sleep(time.Duration(rng.IntN(4000)) * time.Millisecond)
			continue
		}
		// A majority without memory is too many.
		r.kills.Wait()
		for _, name := range r.names {
			r.steady(name)
		}
	}
	r.kills.Wait()
	for _, name := range r.names {
		r.steady(name)
	}
	r.end()
}

// TestRestartWithLongLender: a member lends its vote to a leader with a longer Lease, restarts, and saves before the leader
// connects again. It stays silent for the longer Lease after the next restart.
func TestRestartWithLongLender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRolling(t, "abcde", true, elector.LAN())
		r.restart("a", elector.Times{Lease: 10 * time.Second})
		time.Sleep(30 * time.Second)
		r.passTo("a")

		r.restartKilled("b", func() {
			r.tear("ab")
			members := make(map[string]string)
			for _, name := range r.names {
				members[name] = ""
			}
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			defer stop()
			require.NoError(t, r.pod("a").SetMembers(ctx, members)) // so that b learns a label from the others, and saves it
		})
		time.Sleep(15 * time.Second)
		r.tear()
		time.Sleep(15 * time.Second) // b does not lend its vote before it knows that others know of the longer Lease
		r.tear("ad", "ae")           // a needs the vote of b
		time.Sleep(15 * time.Second)
		require.Equal(t, "a", r.leader())
		r.restartKilled("b", func() { r.tear("ab", "ac", "ad", "ae") })
		time.Sleep(5 * time.Second)
		require.NotEqual(t, "a", r.leader(), "at the other members")
		time.Sleep(10 * time.Second)
		r.tear()
		time.Sleep(30 * time.Second)
		r.end()
	})
}

// TestLongLeaseOfGuest: a process in no list connects with a longer Lease, and leaves for good. A while later the members
// replace a leader that crashes in their own Lease again.
func TestLongLeaseOfGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRolling(t, "abc", false, elector.LAN())
		r.restart("d", elector.Times{Lease: 10 * time.Second})
		time.Sleep(20 * time.Second)
		for range 2 {
			leader := r.leader()
			r.mu.Lock()
			r.kill(leader, &r.kills)
			r.mu.Unlock()
			time.Sleep(2 * elector.LAN().Lease)
			require.Equal(t, slices.Contains(r.running(), "d"), r.leader() == "", "d prolongs leases while it is there")
			r.kills.Wait()
			for _, name := range r.names {
				r.steady(name)
			}
			r.halt("d")
			time.Sleep(time.Minute)
		}
		r.end()
	})
}

// passTo hands the lead over to a member.
func (r *rolling) passTo(name string) {
	for range 10 {
		leader := r.leader()
		if leader == name {
			return
		}
		_ = r.pod(leader).Transfer(r.t.Context(), name) // it may be about to lose the lead
		time.Sleep(3 * time.Second)
	}
	r.t.Errorf("%s does not lead", name)
}

// restartKilled kills a process, and restarts it after meanwhile.
func (r *rolling) restartKilled(name string, meanwhile func()) {
	r.mu.Lock()
	r.kill(name, &r.kills)
	r.mu.Unlock()
	meanwhile()
	r.kills.Wait()
}

// rolling is a group whose members have Times of their own.
type rolling struct {
	*site
	names []string
	times map[string]elector.Times // with mu held
	kills sync.WaitGroup
}

// newRolling starts a group. The gaps without a leader count from when all members vote.
func newRolling(t *testing.T, names string, durable bool, times elector.Times) *rolling {
	r := &rolling{site: newSite(t), names: letters(names), times: make(map[string]elector.Times)}
	r.change = func(c *elector.Config) {
		r.mu.Lock()
		defer r.mu.Unlock()
		c.Times = r.times[c.Self]
	}
	for _, name := range r.names {
		if durable {
			r.pod(name).dir = t.TempDir()
		}
		r.restart(name, times)
	}
	for _, name := range r.names {
		r.steady(name)
	}
	r.judge.mu.Lock()
	r.longest = 0
	r.judge.mu.Unlock()
	return r
}

func (r *rolling) restart(name string, times elector.Times) {
	r.mu.Lock()
	r.times[name] = times
	r.mu.Unlock()
	r.start(name, r.names)
}

// steady waits until a member is healthy.
func (r *rolling) steady(name string) {
	if text, ok := r.ready(name, 2*time.Minute); !ok {
		r.t.Errorf("%s is not ready: %s", name, text)
	}
}
