package electortest

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestComplete: what a Config leaves open, and its limits.
func TestComplete(t *testing.T) {
	var c Config
	require.NoError(t, c.complete())
	require.Equal(t, Config{Members: 3, For: 10 * time.Minute, Runs: 5, Seed: 1, Faults: 63,
		Times: elector.LAN().Complete(), drift: elector.LAN().Complete().Drift}, c)
	given := Config{Members: 26, For: 1000 * time.Hour, Runs: 7, Seed: 9, Faults: Cuts,
		Times: elector.WAN().Complete(),
		drift: 0.5, Durable: true}
	c = given
	require.NoError(t, c.complete())
	require.Equal(t, given, c)
	for _, c := range []Config{{Members: -1}, {Members: 27}, {For: 1000*time.Hour + 1}, {For: -1},
		{Faults: 128}, {Runs: -1}} {
		require.Error(t, c.complete(), "%+v", c)
	}
	for _, c := range []Config{{Runs: 1}, {For: 1}, {Members: 1}, {Faults: 1}} {
		require.NoError(t, c.complete())
	}
	exact := Config{Times: elector.Times{Drift: -1}}
	require.NoError(t, exact.complete())
	require.Zero(t, exact.drift)
}

// TestRate: a clock is as fast as may be, as slow, or anything between, each about as often.
func TestRate(t *testing.T) {
	running(t, Config{drift: 0.25}, 1, func(r *run) {
		var fast, slow, between int
		for range 3000 {
			switch x := r.rate(); {
			case x == 0.25:
				fast++
			case x == -0.25:
				slow++
			default:
				require.Less(t, max(x, -x), 0.25)
				between++
			}
		}
		for _, n := range []int{fast, slow, between} {
			require.InDelta(t, 1000, n, 100)
		}
	})
}

// TestWait: what is to do is done at its time, the earliest first; the wait ends at its end, or as soon as it
// may.
func TestWait(t *testing.T) {
	running(t, Config{}, 1, func(r *run) {
		var did []string
		var at []time.Duration
		note := func(what string) func() {
			return func() { did, at = append(did, what), append(at, r.now()) }
		}
		r.mendIn(3*time.Second, note("late"))
		r.judgeIn(time.Second, note("soon"))
		r.judgeIn(time.Second, note("next"))
		r.mendIn(5*time.Second, note("last"))
		require.True(t, r.wait(4*time.Second, nil))
		require.Equal(t, 4*time.Second, r.now())
		require.Equal(t, []string{"soon", "next", "late"}, did)
		require.Equal(t, []time.Duration{time.Second, time.Second, 3 * time.Second}, at)
		require.True(t, r.wait(6*time.Second-1, func() bool { return len(did) == 4 }))
		require.LessOrEqual(t, r.now(), 5*time.Second+r.Times.Delay)
		require.True(t, r.wait(6*time.Second, func() bool { return false }))
		require.Equal(t, 6*time.Second, r.now())
		require.True(t, r.wait(7*time.Second, func() bool { return true }))
		require.Equal(t, 6*time.Second, r.now())
		due := r.now() + 10*r.Times.Delay + 1
		require.True(t, r.wait(7*time.Second, func() bool { return r.now() >= due }))
		require.Equal(t, 6*time.Second+11*r.Times.Delay, r.now())
	})
}

// TestReturns: a service that returns is started again after a lease, and why it has is in the log.
func TestReturns(t *testing.T) {
	for _, err := range []error{nil, errors.New("no more")} {
		running(t, Config{}, 1, func(r *run) {
			m := r.up["b"]
			r.service = func(again *Member) error {
				_ = idle(again)
				return err
			}
			r.exit(end{m, err})
			require.Nil(t, r.up["b"])
			log := r.judge.log
			if err == nil {
				require.Contains(t, log[len(log)-1], "  b returns")
				require.NotContains(t, log[len(log)-1], ":")
			} else {
				require.Contains(t, log[len(log)-1], "  b returns: no more")
			}
			require.False(t, r.allUp())
			require.True(t, r.wait(r.Times.Lease-1, nil))
			require.Nil(t, r.up["b"])
			require.True(t, r.wait(r.Times.Lease, nil))
			require.NotNil(t, r.up["b"])
			require.NotSame(t, m, r.up["b"])
			require.True(t, r.allUp())
			r.exit(end{m, err})
			require.True(t, r.allUp(), "an earlier one of its name")
			r.up["a"].stop()
			require.False(t, r.allUp(), "one is to stop")
			m.stop()
		})
	}
}

// TestStateIsKept: a member whose service returns, or that crashes, has its files when it is started again.
func TestStateIsKept(t *testing.T) {
	for what, ends := range map[string]func(r *run, m *Member){
		"returns": func(r *run, m *Member) { r.exit(end{m, nil}) },
		"crashes": func(r *run, m *Member) { r.crash(m, r.Times.Lease) },
	} {
		running(t, Config{Durable: true}, 1, func(r *run) {
			m := r.up["b"]
			require.NoError(t, os.MkdirAll(m.dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(m.dir, "x.state"), []byte(what), 0o600))
			ends(r, m)
			require.True(t, r.wait(2*r.Times.Lease, r.allUp))
			require.NotEqual(t, m.dir, r.up["b"].dir)
			got, err := os.ReadFile(filepath.Join(r.up["b"].dir, "x.state"))
			require.NoError(t, err)
			require.Equal(t, what, string(got))
			m.stop()
		})
	}
}

// TestCrashSome: one member crashes, a majority, or all.
func TestCrashSome(t *testing.T) {
	many := make(map[int]int)
	for seed := range uint64(80) {
		running(t, Config{Members: 5}, seed, func(r *run) {
			r.crashSome()
			many[r.Members-len(r.up)]++
		})
	}
	require.ElementsMatch(t, []int{1, 3, 5}, slices.Collect(maps.Keys(many)))
}

// TestKept: a member that comes back has what it kept before its crash, and not what it wrote later.
func TestKept(t *testing.T) {
	for _, durable := range []bool{false, true} {
		running(t, Config{Durable: durable}, 1, func(r *run) {
			m := r.up["b"]
			require.Equal(t, durable, m.dir != "")
			if !durable {
				return
			}
			write := func(text string) {
				require.NoError(t, os.MkdirAll(m.dir, 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(m.dir, "x.state"), []byte(text), 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(m.dir, "x.lock"), []byte(text), 0o600))
			}
			write("before")
			r.keep(m)
			write("after")
			next := r.dirs["b"]
			require.NotEqual(t, m.dir, next)
			got, err := os.ReadFile(filepath.Join(next, "x.state"))
			require.NoError(t, err)
			require.Equal(t, "before", string(got))
			require.NoFileExists(t, filepath.Join(next, "x.lock"))
			var dirs []string
			for _, m := range r.up {
				dirs = append(dirs, m.dir)
			}
			slices.Sort(dirs)
			require.Len(t, slices.Compact(dirs), 3)
		})
	}
	err := judged(t, Config{Durable: true}, 1, func(r *run) {
		m := r.up["b"]
		require.NoError(t, os.MkdirAll(filepath.Join(m.dir, "x.state"), 0o700))
		r.keep(m)
	})
	require.ErrorContains(t, err, "the Dir of b cannot be copied: ")
}

// TestElector: Config.Elector sets what the run does not depend on, for each member, and is refused as such.
func TestElector(t *testing.T) {
	var names []string
	c := Config{Elector: func(c *elector.Config) {
		names = append(names, c.Self)
		c.Self, c.Members, c.Transport = "x", nil, nil
	}}
	running(t, c, 1, func(*run) {})
	require.Equal(t, []string{"a", "b", "c"}, names)
	c.Elector = func(c *elector.Config) { c.Preempt = time.Second }
	require.ErrorContains(t, judged(t, c, 1, func(*run) {}),
		"a cannot start: elector: Preempt: 1s needs a Priority")
}

// TestCannotStart: a member that cannot start is a failure.
func TestCannotStart(t *testing.T) {
	err := judged(t, Config{}, 1, func(r *run) {
		r.comeBack("a") // it is up
		r.gone = append(r.gone, r.up["a"])
		r.up["a"].stop()
		delete(r.up, "a")
		r.comeBack("a")
	})
	require.ErrorContains(t, err, "a cannot start: ")
}

// TestTest: each seed is a run of its own, and a failure names its test. The failing one runs in a process of
// its own.
func TestTest(t *testing.T) {
	const broken = "ELECTORTEST_BROKEN"
	c := Config{Members: 1, For: time.Second, Faults: BadLinks, Runs: 3, Seed: 7}
	if os.Getenv(broken) != "" {
		Test(t, c, func(*Member) error { return errors.New("no more") })
		Test(t, Config{Members: 27}, writer)
		return
	}
	starts := 0
	Test(t, c, func(m *Member) error {
		starts++
		return writer(m)
	})
	require.Equal(t, 3, starts)
	cmd := exec.Command(os.Args[0], "-test.run=^TestTest$", "-test.v")
	cmd.Env = append(os.Environ(), broken+"=1")
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed)
	require.Contains(t, string(out), "Members: 27 is not between 1 and 26")
	for _, seed := range []string{"7", "8", "9"} {
		require.Contains(t, string(out), "--- FAIL: TestTest/seed="+seed+" ")
		require.Contains(t, string(out), "seed "+seed+": within ")
		require.Contains(t, string(out), "to try it again: go test -run '^TestTest$/^seed="+seed+
			"$' -count=10\n")
	}
}

// TestWorkIsSeen: the judge knows while work runs that it does.
func TestWorkIsSeen(t *testing.T) {
	var during, after []int
	works := func(m *Member) int {
		m.judge.mu.Lock()
		defer m.judge.mu.Unlock()
		return m.works
	}
	require.NoError(t, once(t, Config{Members: 1, For: time.Second, Faults: BadLinks}, 1,
		func(m *Member) error {
			err := m.Run(func(ctx context.Context, _ elector.Term) error {
				during = append(during, works(m))
				<-ctx.Done()
				return nil
			})
			after = append(after, works(m))
			return err
		}))
	require.Equal(t, []int{1}, during)
	require.Equal(t, []int{0}, after)
}

// TestDeaf: a member that is stopped and does not return is found while the run continues.
func TestDeaf(t *testing.T) {
	stopped := func(r *run) bool {
		return slices.ContainsFunc(r.judge.log, func(line string) bool {
			return strings.Contains(line,
				" is stopped")
		})
	}
	err := judged(t, Config{}, 1, func(r *run) {
		deaf := make(chan struct{})
		defer close(deaf)
		r.crash(r.up["a"], time.Second)
		r.service = func(*Member) error {
			<-deaf
			return nil
		}
		require.True(t, r.wait(time.Second, func() bool { return r.up["a"] != nil }))
		r.judge.holds(r.up["a"], 1, time.Hour)
		for !stopped(r) {
			r.handOver()
		}
		began := r.now()
		require.False(t, r.wait(time.Minute, nil))
		require.Equal(t, began+r.patience(), r.now())
	})
	require.ErrorContains(t, err, "the service of a has not returned ")
}

// TestStopped: a member that is stopped has some time to return; a crash or a pause explains that it
// does not.
func TestStopped(t *testing.T) {
	for name, c := range map[string]struct {
		does  func(r *run, m *Member)
		wrong bool
	}{
		"goes on": {func(*run, *Member) {}, true},
		"returns": {func(_ *run, m *Member) { close(m.ended) }, false},
		"crashes": {func(r *run, m *Member) { r.judge.leaves(m, true, "crashes") }, false},
		"pauses":  {func(_ *run, m *Member) { m.pause() }, false},
		"woke":    {func(_ *run, m *Member) { m.woke = 1 }, false},
	} {
		b := newBench()
		r := &run{judge: b.judge}
		r.Times = elector.Times{Drain: time.Second, Lease: 2 * time.Second}
		c.does(r, b.a)
		r.checkStopped(b.a)
		if c.wrong {
			require.Equal(t, "the service of a has not returned 5s after its Context ended", b.wrong, name)
		} else {
			require.Empty(t, b.wrong, name)
		}
	}
}

// TestLargeDrift: right work is not blamed where clocks are far apart and Stop is short.
func TestLargeDrift(t *testing.T) {
	const lease = 100 * time.Millisecond
	Test(t, Config{For: 20 * time.Second, Times: elector.Times{Lease: lease, Stop: lease / 12, Drift: 0.45}},
		func(m *Member) error {
			return m.Run(func(ctx context.Context, _ elector.Term) error {
				<-ctx.Done()
				return nil
			})
		})
}
