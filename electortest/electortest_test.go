package electortest

import (
	"context"
	"flag"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/wholefile"
)

var long = flag.Bool("long", false, "let electors run for longer")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// writer is a service that writes with a token as long as it leads.
func writer(m *Member) error {
	return m.Run(func(ctx context.Context, term elector.Term) error {
		for ctx.Err() == nil {
			if err := m.Write(term.Token()); err != nil {
				return nil
			}
			sleep(ctx, 50*time.Millisecond)
		}
		return nil
	})
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// once tries a service with one seed.
func once(t *testing.T, c Config, seed uint64, service func(*Member) error) (err error) {
	return onceIn(t, c, seed, service, nil)
}

// onceIn is once with a store that a test has changed.
func onceIn(t *testing.T, c Config, seed uint64, service func(*Member) error, change func(*vault)) (err error) {
	require.NoError(t, c.complete())
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r, failed := newRun(c, seed, dir, service)
		if err = failed; err != nil {
			return
		}
		if change != nil {
			change(r.vault)
		}
		err = r.try(seed)
	})
	return err
}

// TestGoodService: a service that uses tokens passes, in groups of different sizes; with other Times too.
func TestGoodService(t *testing.T) {
	for name, c := range map[string]Config{
		"three": {}, "four, durable": {Members: 4, Durable: true, Runs: 2}, "five": {Members: 5},
		"two": {Members: 2, Times: elector.WAN()}, "one": {Members: 1},
	} {
		t.Run(name, func(t *testing.T) {
			c.For = time.Minute
			if *long {
				c.For = 10 * time.Minute
			}
			Test(t, c, writer)
		})
	}
}

// TestNoSync: no state of a member waits for the disk: that is real time, which no bubble shortens.
func TestNoSync(t *testing.T) {
	require.Zero(t, wholefile.Unsynced.Load())
	var saw atomic.Int32
	Test(t, Config{For: time.Minute, Runs: 1, Durable: true, Elector: func(*elector.Config) {
		saw.Store(wholefile.Unsynced.Load())
	}}, writer)
	require.EqualValues(t, 1, saw.Load())
	require.Zero(t, wholefile.Unsynced.Load())
}

// TestPriorities: a service whose members have priorities that change all the time, and hand over because of
// them, passes with all faults.
func TestPriorities(t *testing.T) {
	flapping := func(c *elector.Config) {
		name := uint64(c.Self[0])
		c.Preempt = 2 * time.Second
		c.Priority = func() uint64 { // for up to some seconds the same
			return (uint64(time.Now().Unix()) * name / (name%3 + 1) * name * 7) % 4
		}
	}
	for name, c := range map[string]Config{"three": {}, "five, durable": {Members: 5, Durable: true,
		Runs: 2}} {
		t.Run(name, func(t *testing.T) {
			c.For, c.Elector = time.Minute, flapping
			if *long {
				c.For = 10 * time.Minute
			}
			Test(t, c, writer)
		})
	}
}
