package process_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// leases starts three members that elect by leases, and returns them.
func leases(t *testing.T, change func(*process.Config)) []*process.Process {
	a, err := lease.New(lease.Config{})
	require.NoError(t, err)
	network := memory.New()
	members := []election.Rank{{ID: 1}, {ID: 2}, {ID: 3}}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var list []*process.Process
	for _, self := range members {
		endpoint, err := network.Endpoint(self.ID)
		require.NoError(t, err)
		c := process.Config{Algorithm: a, Self: self, Peers: members, Transport: endpoint, Start: true}
		if change != nil {
			change(&c)
		}
		p, err := process.New(c)
		require.NoError(t, err)
		list = append(list, p)
		all.Go(func() { _ = p.Run(ctx) })
	}
	t.Cleanup(func() { cancel(); all.Wait() })
	return list
}

// TestLeaseEnds: the Outcome of a leader ends by the clock, also while its goroutine hangs in a callback; the
// others elect the next one, in a larger Term.
func TestLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		heard := atomic.Int64{}
		list := leases(t, func(c *process.Config) {
			if c.Self.ID != 3 {
				return
			}
			c.OnOutcome = func(o election.Outcome) {
				if heard.Add(1); o.Role == election.Leader {
					<-hang
				}
			}
		})
		t.Cleanup(func() { close(hang) })
		time.Sleep(time.Second)
		synctest.Wait()
		first := list[2].Outcome()
		require.Equal(t, election.Leader, first.Role)
		require.EqualValues(t, 1, heard.Load())
		time.Sleep(750 * time.Millisecond)
		require.Equal(t, election.Outcome{Term: first.Term}, list[2].Outcome())
		time.Sleep(time.Second)
		next := list[1].Outcome()
		require.Equal(t, election.Leader, next.Role)
		require.Greater(t, next.Term, first.Term)
		require.EqualValues(t, 1, heard.Load())
	})
}

// slowLast is a transport that hangs before the last of the messages by which a leader resigns.
type slowLast struct {
	election.Transport
	resigns func(election.Packet) bool
	hang    chan struct{}
}

func (s *slowLast) Send(ctx context.Context, packet election.Packet) error {
	if s.resigns(packet) {
		<-s.hang
	}
	return s.Transport.Send(ctx, packet)
}

// TestLeaseEndsBeforeItIsReleased: a leader that resigns leads no more when the first of the others hears of
// it, even if sending to the next one hangs: another process may lead by then.
func TestLeaseEndsBeforeItIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		var resigned atomic.Bool
		list := leases(t, func(c *process.Config) {
			if c.Self.ID == 3 {
				c.Transport = &slowLast{c.Transport, func(packet election.Packet) bool {
					return resigned.Load() && packet.To == 2
				}, hang}
			}
		})
		t.Cleanup(func() { close(hang) })
		time.Sleep(time.Second)
		require.Equal(t, election.Leader, list[2].Outcome().Role)
		resigned.Store(true)
		require.NoError(t, list[2].Command(lease.Resign(0, 1)))
		synctest.Wait()
		require.Equal(t, election.Undecided, list[2].Outcome().Role)
	})
}

// TestRenewalIsNoChange: the callback hears of a lease once, however often it is renewed.
func TestRenewalIsNoChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		heard := map[election.ID][]election.Outcome{}
		list := leases(t, func(c *process.Config) {
			id := c.Self.ID
			c.OnOutcome = func(o election.Outcome) {
				mu.Lock()
				defer mu.Unlock()
				heard[id] = append(heard[id], o)
			}
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		for _, p := range list {
			o := p.Outcome()
			require.Equal(t, election.ID(3), o.Leader.ID)
			id := map[bool]election.ID{true: 3}[o.Role == election.Leader]
			if id == 3 {
				require.Len(t, heard[3], 1)
				require.Greater(t, o.Until, heard[3][0].Until)
			}
		}
	})
}

// TestTermsBeginWithTheDay: without saved state the Terms are larger than any of a day before.
func TestTermsBeginWithTheDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		list := leases(t, nil)
		time.Sleep(time.Second)
		require.Greater(t, list[2].Outcome().Term, uint64(began.UnixMilli())<<8)
		require.Less(t, list[2].Outcome().Term, uint64(began.Add(time.Second).UnixMilli())<<8)
	})
}

// TestInjectedClock: with a clock that stands still no lease expires, and a clock that jumps expires it
// immediately.
func TestInjectedClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var jump atomic.Int64
		list := leases(t, func(c *process.Config) {
			if c.Self.ID == 3 {
				c.Clock = func() time.Duration { return time.Since(began) + time.Duration(jump.Load()) }
			}
		})
		time.Sleep(time.Second)
		require.Equal(t, election.Leader, list[2].Outcome().Role)
		jump.Store(int64(750 * time.Millisecond))
		require.Equal(t, election.Undecided, list[2].Outcome().Role)
	})
}

// TestSuspended: the time for which the machine is suspended counts, for leases and for the votes that were lent
// to their owners, although no timer runs out meanwhile.
func TestSuspended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := leases(t, func(c *process.Config) { c.Start = c.Self.ID == 3 })
		time.Sleep(time.Second)
		require.Equal(t, election.Leader, list[2].Outcome().Role)
		suspend.Suspend(time.Second)
		require.Equal(t, election.Undecided, list[2].Outcome().Role)
		time.Sleep(time.Second)
		synctest.Wait()
		first := list[2].Outcome()
		require.Equal(t, election.Leader, first.Role, "it leads again")
		list[2].Close()
		suspend.Suspend(time.Second)
		require.NoError(t, list[1].Start())
		time.Sleep(300 * time.Millisecond) // by the timers, the votes are lent for longer
		next := list[1].Outcome()
		require.Equal(t, election.Leader, next.Role)
		require.Greater(t, next.Term, first.Term)
	})
}

// TestTermsInReach: a process that saves takes part with others that save nothing. So a group may change from
// the one to the other.
func TestTermsInReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour) // the time of a bubble begins in the year 2000
		list := leases(t, func(c *process.Config) {
			if c.Self.ID == 1 {
				c.Save = func([]byte) error { return nil }
			}
		})
		time.Sleep(time.Minute)
		require.Equal(t, election.ID(3), list[0].Outcome().Leader.ID)
		require.Zero(t, list[0].Stats().Rejected)
	})
}
