package elector

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport/tcp"
)

// paced returns the attempts of a group of three members that are all up.
func paced(p *pacer) *attempts {
	up := newPeers()
	up.set(2, true)
	up.set(3, true)
	return &attempts{pacer: p, lease: LAN().Lease, renew: LAN().Renew, others: []election.ID{2, 3}, up: up,
		abandon: func() {}}
}

// TestWindow: as many attempts as the window allows are active, all groups get their turn in the order in which they
// are due, and quick attempts widen the window.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(slog.New(slog.DiscardHandler))
		p.window = 4
		var order []int
		var active atomic.Int32
		var rounds []int32
		for i := range 100 {
			a := paced(p)
			a.request(func() {
				if order = append(order, i); a.state == admitted {
					active.Add(1)
					time.AfterFunc(10*time.Millisecond, func() {
						active.Add(-1)
						a.led()
					})
				}
			})
			time.Sleep(time.Microsecond)
			synctest.Wait()
		}
		done := func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return len(order) == 100
		}
		for !done() {
			rounds = append(rounds, active.Load())
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
		}
		require.True(t, slices.IsSorted(order))
		require.Equal(t, []int32{4, 6, 9, 14, 21, 31}, rounds)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Zero(t, p.active)
		require.Empty(t, p.fresh)
	})
}

// TestOverload: attempts that crowd out each other would never end within a lease, if all groups tried at the
// same time. The pacer admits so few that all groups get a leader.
func TestOverload(t *testing.T) {
	const groups, work = 400, 5 * time.Millisecond // simultaneously they take 2 s, more than a Lease
	for name, first := range map[string]float64{"paced": firstWindow, "all at once": 1e6} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPacer(slog.New(slog.DiscardHandler))
				p.window = first   // the largest never shrinks to groups here
				var busy time.Time // until then the processor is busy with attempts, failed ones included
				var led atomic.Int32
				for range groups {
					a := paced(p)
					var begin func()
					begin = func() {
						if now := time.Now(); busy.Before(now) {
							busy = now
						}
						busy = busy.Add(work)
						took := time.Until(busy)
						if took < a.lease {
							time.AfterFunc(took, func() {
								led.Add(1)
								a.led()
							})
							return
						}
						time.AfterFunc(a.lease+time.Duration(rand.IntN(240))*time.Millisecond, func() {
							a.over(failing, true)
							a.request(begin)
						})
					}
					a.request(begin)
				}
				time.Sleep(10 * time.Second)
				synctest.Wait()
				require.Equal(t, name == "paced", led.Load() == groups, "%d of %d groups", led.Load(), groups)
			})
		})
	}
}

// TestStarvation: groups that cannot have a leader hold up no others, whether they reach a majority or not,
// and get their turn again and again.
func TestStarvation(t *testing.T) {
	for _, reached := range []bool{false, true} {
		t.Run(fmt.Sprint(reached), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPacer(slog.New(slog.DiscardHandler))
				tries, all := make([]int, 30), []*attempts{}
				var over atomic.Bool
				for i := range tries {
					a := paced(p)
					all = append(all, a)
					a.up.set(2, reached)
					a.up.set(3, reached)
					begin := func() { tries[i]++ }
					a.abandon = func() {
						time.AfterFunc(time.Duration(rand.IntN(240))*time.Millisecond, func() {
							if !over.Load() {
								a.request(begin)
							}
						})
					}
					a.request(begin)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				require.Greater(t, slices.Min(tries), 2)
				if reached {
					require.EqualValues(t, leastWindow, p.window)
				} else {
					require.EqualValues(t, firstWindow, p.window)
				}
				var led atomic.Int32
				for range 100 {
					a := paced(p)
					a.request(func() {
						time.AfterFunc(10*time.Millisecond, func() {
							led.Add(1)
							a.led()
						})
					})
				}
				time.Sleep(LAN().Lease + 200*time.Millisecond)
				synctest.Wait()
				require.EqualValues(t, 100, led.Load())
				over.Store(true)
				for _, a := range all {
					a.close()
				}
				time.Sleep(time.Second)
			})
		})
	}
}

// TestWithoutMajority: groups that reach no majority wait behind all others from their first attempt on, even if they
// are due earlier, and are treated like the others as soon as they reach one. Their lost leases and attempts do not
// change the window.
func TestWithoutMajority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(slog.New(slog.DiscardHandler))
		p.window = leastWindow
		var lonely []*attempts
		var over atomic.Bool
		var led atomic.Int32
		for range 300 {
			a := paced(p)
			a.up.set(2, false)
			a.up.set(3, false)
			lonely = append(lonely, a)
			begin := func() {
				if a.up.reached(2) && a.state == admitted {
					time.AfterFunc(10*time.Millisecond, func() { led.Add(1); a.led() })
				}
			}
			a.abandon = func() {
				time.AfterFunc(time.Millisecond, func() {
					if !over.Load() {
						a.request(begin)
					}
				})
			}
			a.lost()
			a.request(begin)
		}
		time.Sleep(time.Millisecond)
		var first, again atomic.Int32
		add := func(count *atomic.Int32, failed bool) {
			a := paced(p)
			a.failed = failed
			a.request(func() { time.AfterFunc(10*time.Millisecond, func() { count.Add(1); a.led() }) })
		}
		for range 50 {
			add(&first, false)
		}
		add(&again, true)
		time.Sleep(LAN().Lease / 2)
		synctest.Wait()
		require.EqualValues(t, 50, first.Load())
		require.EqualValues(t, 1, again.Load())
		require.Zero(t, led.Load())
		for _, a := range lonely[200:] { // those that wait longest may have had a turn
			a.up.set(2, true)
			a.reach(2)
		}
		time.Sleep(LAN().Lease)
		synctest.Wait()
		require.EqualValues(t, 100, led.Load())
		over.Store(true)
		for _, a := range lonely {
			a.close()
		}
		time.Sleep(time.Second)
		require.Empty(t, p.apart)
	})
}

// TestLine: of candidates that are due at the same moment those go first that no other member precedes, and
// whose group has not failed before.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(slog.New(slog.DiscardHandler))
		p.window = 0
		var order []string
		add := func(name string, change func(a *attempts)) {
			a := paced(p)
			a.larger = []election.ID{2, 3}
			change(a)
			a.request(func() { order = append(order, name) })
		}
		add("third", func(*attempts) {})
		add("failed, first", func(a *attempts) { a.larger, a.failed = nil, true })
		add("failed", func(a *attempts) { a.failed = true })
		add("second", func(a *attempts) {
			a.up.set(3, false)
			a.larger = append(a.larger, 4)
			a.up.set(5, true) // an observer
			a.reach(5)
		})
		time.Sleep(time.Millisecond)
		add("first", func(a *attempts) { a.larger = nil })
		p.window = 9
		paced(p).over(0, false)
		require.Equal(t, []string{"first", "second", "third", "failed, first", "failed"}, order)
		time.Sleep(time.Second)
	})
}

// TestLoadWarning: a member that cannot keep up with many groups logs it once a minute. One whose network is
// slow does not, nor one of few groups.
func TestLoadWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := &bytes.Buffer{}
		for name, c := range map[string]struct {
			groups   int
			quick    time.Duration
			slow     int // of 40 renewals
			warnings int
		}{
			"busy":         {groups: 1000, quick: time.Millisecond, slow: 30, warnings: 2},
			"few":          {groups: 9, quick: time.Millisecond, slow: 30},
			"slow network": {groups: 1000, quick: 80 * time.Millisecond, slow: 30},
			"mostly quick": {groups: 1000, quick: time.Millisecond, slow: 20},
		} {
			text.Reset()
			p := newPacer(slog.New(slog.NewTextHandler(text, nil)))
			p.use(c.groups)
			a := paced(p)
			for range 20 { // 100 s
				for i := range 40 {
					took := c.quick
					if i < c.slow {
						took = 100 * time.Millisecond
					}
					a.renewed(took)
				}
				time.Sleep(5 * time.Second)
			}
			synctest.Wait()
			require.Equal(t, c.warnings, strings.Count(text.String(), overloaded), name)
			if c.warnings > 0 {
				require.Contains(t, text.String(), "groups=1000 lease=750ms late=")
			}
		}
	})
}

// TestBlockedLoadWarning: a log that blocks does not hold up elections.
func TestBlockedLoadWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, write := io.Pipe() // that nobody reads
		p := newPacer(slog.New(slog.NewTextHandler(write, nil)))
		p.use(1000)
		a := paced(p)
		for i := range 100 {
			a.renewed(time.Duration(min(i, 1)) * LAN().Renew)
		}
		time.Sleep(10 * time.Second)
		a.renewed(0)
		begun := false
		a.request(func() { begun = true })
		require.True(t, begun)
		text := make([]byte, 1000)
		n, err := read.Read(text)
		require.NoError(t, err)
		require.Contains(t, string(text[:n]), overloaded)
		require.NoError(t, read.Close())
		a.close()
	})
}

// TestEndInLine: groups that wait in line, or for a majority, end like all others, and leave nothing behind.
func TestEndInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := &pipenet.Hub{}
		var running sync.WaitGroup
		start := func(name string) (*tcp.Network, context.CancelFunc) {
			c := Config{Self: name, Members: map[string]string{"a": "a:1", "b": "b:1", "c": "c:1"},
				InsecurePlaintext: true}
			shared := c.TCP()
			shared.Listener, shared.Dial = hub.Listen(name+":1"), hub.Dial
			n, err := tcp.New(shared)
			require.NoError(t, err)
			ctx, stop := context.WithCancel(t.Context())
			c.Network = n
			for i := range 20 {
				c.Group = fmt.Sprint("group ", i)
				e, err := New(c)
				require.NoError(t, err)
				running.Go(func() {
					_ = e.Run(ctx, func(ctx context.Context, _ Term) error { // b fails when its network is closed
						<-ctx.Done()
						return nil
					})
				})
			}
			return n, stop
		}
		n, stop := start("a")
		other, stopOther := start("b")
		last, stopLast := start("c") // all three found the groups
		time.Sleep(5 * time.Second)
		stopLast()
		require.NoError(t, last.Close())
		time.Sleep(5 * time.Second)
		p := pacers.of[n]
		look := func() (active, waiting int) {
			synctest.Wait()
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.active, len(p.fresh) + len(p.failed) + len(p.apart)
		}
		active, waiting := look()
		require.Zero(t, active+waiting, "all groups have a leader")
		p.mu.Lock()
		p.window = leastWindow
		p.mu.Unlock()
		require.NoError(t, other.Close())
		time.Sleep(5 * time.Second)
		active, waiting = look()
		require.Positive(t, waiting)
		require.Positive(t, active)
		stop()
		stopOther()
		running.Wait()
		active, waiting = look()
		require.Zero(t, active+waiting)
		require.Empty(t, pacers.of)
		require.NoError(t, n.Close())
	})
}

// TestObserversInLine: observers that can be reached make no majority. Otherwise attempts that reach no more than
// observers would take a Lease each, and make the window smaller for all groups.
func TestObserversInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := &pipenet.Hub{}
		var running sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		networks := make(map[string]*tcp.Network)
		defer func() {
			stop()
			running.Wait()
			for _, n := range networks {
				require.NoError(t, n.Close())
			}
		}()
		for _, name := range []string{"a", "b", "x", "y"} { // c is down
			c := Config{Self: name, Members: map[string]string{"a": "a:1", "b": "b:1", "c": "c:1"},
				Observers: map[string]string{"x": "x:1", "y": "y:1"}, InsecurePlaintext: true}
			shared := c.TCP()
			shared.Listener, shared.Dial = hub.Listen(name+":1"), hub.Dial
			n, err := tcp.New(shared)
			require.NoError(t, err)
			c.Network, networks[name] = n, n
			for i := range 20 {
				c.Group = fmt.Sprint("group ", i)
				e, err := New(c)
				require.NoError(t, err)
				running.Go(func() {
					if c.observes() {
						_ = e.Serve(ctx)
						return
					}
					_ = e.Run(ctx, func(ctx context.Context, _ Term) error { // b fails when its network is closed
						<-ctx.Done()
						return nil
					})
				})
			}
		}
		time.Sleep(5 * time.Second)
		require.NoError(t, networks["b"].Close())
		time.Sleep(2 * time.Second) // leases that b has granted are over
		p := pacers.of[networks["a"]]
		window := func() float64 {
			synctest.Wait()
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.window
		}
		before := window()
		time.Sleep(time.Minute)
		require.Equal(t, before, window())
	})
}

// TestPacerOf: the groups of a Network share a pacer as long as there are any.
func TestPacerOf(t *testing.T) {
	n, other := new(tcp.Network), new(tcp.Network)
	log := slog.New(slog.DiscardHandler)
	p, release := pacerOf(n, log)
	same, releaseSame := pacerOf(n, log)
	different, releaseDifferent := pacerOf(other, log)
	require.Same(t, p, same)
	require.NotSame(t, p, different)
	require.Equal(t, 2, p.users)
	release()
	same, releaseAgain := pacerOf(n, log)
	require.Same(t, p, same)
	for _, release := range []func(){releaseSame, releaseAgain, releaseDifferent} {
		release()
	}
	require.Empty(t, pacers.of)
}
