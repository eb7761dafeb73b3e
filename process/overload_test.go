package process_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// TestBacklogOfPusher: a flood over one link is dropped beyond Backlog, and another link loses nothing.
func TestBacklogOfPusher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, busy := map[election.Port]int{}, make(chan bool)
		c, _ := pair(t, func(_ *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Command:
				<-busy
			case election.Recv:
				got[ev.Port]++
			}
		})
		tr := inMemory(t, memory.New())
		c.Transport, c.Peers, c.Backlog = tr(1), []election.Rank{{ID: 2}, {ID: 3}, {ID: 4}}, 10
		flood, peer := tr(2), tr(3)
		p, ended := running(t, c)
		require.NoError(t, p.Command(election.Message{}))
		synctest.Wait()
		for range 1000 {
			require.NoError(t, flood.Send(t.Context(), election.Packet{To: 1}))
		}
		for range 10 {
			require.NoError(t, peer.Send(t.Context(), election.Packet{To: 1}))
		}
		require.EqualValues(t, 990, p.Stats().Overflow)
		busy <- true
		synctest.Wait()
		require.Equal(t, map[election.Port]int{0: 10, 1: 10}, got)
		require.NoError(t, flood.Send(t.Context(), election.Packet{To: 1}))
		synctest.Wait()
		require.Equal(t, 11, got[0], "there is room again")
		require.EqualValues(t, 990, p.Stats().Overflow)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// pushing is a Pusher that hands out deliver.
type pushing struct {
	election.Transport
	deliver func(election.Packet, error) bool
}

func (p *pushing) Push(_ context.Context, deliver func(election.Packet, error) bool) (
	release func([]election.Packet), err error) {
	p.deliver = deliver
	return func([]election.Packet) {}, nil
}

// TestAnswersToPusher: a process accepts a packet that it drops, as the transport need not keep that. It
// refuses what comes with or after the end of the transport.
func TestAnswersToPusher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := make(chan bool)
		c, _ := pair(t, func(_ *election.Env, ev *election.Event) {
			if ev.Op == election.Command {
				<-busy
			}
		})
		transport := &pushing{Transport: c.Transport}
		c.Transport, c.Peers, c.Backlog = transport, []election.Rank{{ID: 2}, {ID: 3}}, 1
		p, ended := running(t, c)
		require.NoError(t, p.Command(election.Message{}))
		synctest.Wait()
		word := election.Packet{From: 2, To: 1}
		require.True(t, transport.deliver(word, nil), "it waits")
		require.True(t, transport.deliver(word, nil), "one too many")
		require.True(t, transport.deliver(election.Packet{From: 2, To: 4}, nil), "for another process")
		require.False(t, transport.deliver(election.Packet{}, election.ErrClosed))
		require.False(t, transport.deliver(election.Packet{From: 3, To: 1}, nil), "there would be room")
		busy <- true
		require.ErrorIs(t, <-ended, election.ErrClosed)
		require.EqualValues(t, 1, p.Stats().Overflow)
	})
}

// TestBacklogOfPump: a transport with Recv is not asked for more than Backlog, and loses nothing.
func TestBacklogOfPump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, busy := 0, make(chan bool)
		c, _ := pair(t, func(_ *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Command:
				<-busy
			case election.Recv:
				got++
			}
		})
		inbox := make(chan election.Packet, 1000)
		c.Transport, c.Backlog = wire{wires{1: inbox}, 1}, 10
		p, ended := running(t, c)
		for range 3 {
			require.NoError(t, p.Command(election.Message{}))
			synctest.Wait()
			for range 1000 {
				inbox <- election.Packet{From: 2, To: 1}
			}
			synctest.Wait()
			require.Len(t, inbox, 1000-11, "one more waits in the hand of the pump")
			busy <- true
			synctest.Wait()
			require.Empty(t, inbox)
		}
		require.Equal(t, 3000, got)
		require.Zero(t, p.Stats().Overflow)

		require.NoError(t, p.Command(election.Message{}))
		for range 20 {
			inbox <- election.Packet{From: 2, To: 1}
		}
		synctest.Wait()
		p.Close() // also while the pump waits for room
		busy <- true
		require.NoError(t, <-ended)
	})
}

// TestBacklogRefused: a negative Backlog is a mistake, and zero is the default.
func TestBacklogRefused(t *testing.T) {
	c, peer := pair(t, func(*election.Env, *election.Event) {})
	c.Backlog = -1
	_, err := process.New(c)
	require.EqualError(t, err, "election: bad input: backlog: -1 is less than 1")
	c.Backlog = 0
	p, err := process.New(c)
	require.NoError(t, err)
	require.NoError(t, peer.Send(t.Context(), election.Packet{To: 1}))
	p.Close()
	require.NoError(t, p.Run(t.Context()))
}

// TestWarningsAreThrottled: a flood is logged once in ten seconds, with the number that was left out.
func TestWarningsAreThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c, _ := pair(t, func(*election.Env, *election.Event) {})
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		inbox := make(chan election.Packet)
		c.Transport = wire{wires{1: inbox}, 1}
		p, ended := running(t, c)
		flood := func(n int) (line string) {
			log.Reset()
			for range n {
				inbox <- election.Packet{From: 3, To: 1}
			}
			synctest.Wait()
			require.LessOrEqual(t, strings.Count(log.String(), "packet dropped"), 1)
			return log.String()
		}
		first := flood(1000)
		require.Contains(t, first, "packet dropped")
		require.NotContains(t, first, "left_out")
		time.Sleep(10*time.Second - 1)
		require.Empty(t, flood(1000))
		time.Sleep(time.Nanosecond)
		require.Contains(t, flood(1), "left_out=1999")
		time.Sleep(10 * time.Second)
		require.NotContains(t, flood(1), "left_out")
		require.Empty(t, flood(1))
		time.Sleep(10 * time.Second)
		require.Contains(t, flood(1), "left_out=1\n")
		require.EqualValues(t, 2004, p.Stats().Dropped)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestWarnsOfBully: the zero Config of bully has no failover, and a process that runs it logs a warning.
func TestWarnsOfBully(t *testing.T) {
	overlay, err := lcr.Max().OverComplete()
	require.NoError(t, err)
	silent, err := bully.Rules(bully.Config{})
	require.NoError(t, err)
	beating, err := bully.Rules(bully.Config{Heartbeat: time.Second})
	require.NoError(t, err)
	token, err := mutex.TokenRing(mutex.Config{Regenerate: time.Second})
	require.NoError(t, err)
	const silence, report = "no heartbeats", "a failure detector has to report each crash"
	for a, want := range map[*election.Algorithm]string{overlay: report, silent: silence, beating: "",
		echo.Extinction(): "", token: ""} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			c, _ := pair(t, nil)
			c.Algorithm, c.Log = a, slog.New(slog.NewTextHandler(&log, nil))
			if a.Topology == election.Ring {
				c.Peers = []election.Rank{c.Self, c.Self}
			}
			p, ended := running(t, c)
			time.Sleep(time.Minute)
			synctest.Wait()
			for _, text := range []string{silence, report} {
				require.Equal(t, text == want, strings.Count(log.String(), text) == 1, a.Title())
			}
			p.Close()
			require.NoError(t, <-ended)
		})
	}
}

// TestWarnsOfSilence: a process that relies on its caller to detect crashes logs a warning when it starts.
func TestWarnsOfSilence(t *testing.T) {
	for _, tt := range []struct {
		change func(a *election.Algorithm)
		warns  bool
	}{
		{func(*election.Algorithm) {}, true},
		{func(a *election.Algorithm) { a.Heartbeats = true }, false},
		{func(a *election.Algorithm) { a.NeverQuiesces = true }, true},
		{func(a *election.Algorithm) { a.Heartbeats, a.Faults.Reported = true, true }, true},
		{func(a *election.Algorithm) { a.Faults.Crash = election.NoCrash }, false},
		{func(a *election.Algorithm) { a.Elects = election.OneLeader }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			c, _ := pair(t, func(*election.Env, *election.Event) {})
			c.Log = slog.New(slog.NewTextHandler(&log, nil))
			c.Algorithm.Faults.Crash = election.StaysDown
			tt.change(c.Algorithm)
			p, ended := running(t, c)
			synctest.Wait()
			require.Equal(t, tt.warns, strings.Contains(log.String(), "by Suspect only"))
			p.Close()
			require.NoError(t, <-ended)
		})
	}
}

// TestFoundingWithState: a long-lived process with saved state recovers, whatever Founding is.
func TestFoundingWithState(t *testing.T) {
	for _, tt := range []struct {
		founding, saved bool
		elects          election.Leadership
		back            bool
	}{{true, true, election.Successors, true}, {false, true, election.Successors, true},
		{false, false, election.Successors, true}, {true, false, election.Successors, false},
		{true, true, election.NoLeader, false}, {true, true, election.OneLeader, false}} {
		synctest.Test(t, func(t *testing.T) {
			var saved []byte
			back := false
			c, _ := pair(t, func(e *election.Env, ev *election.Event) {
				back = back || ev.Op == election.Rejoin
				e.Save()
			})
			c.Algorithm.Elects = tt.elects
			c.Save = func(state []byte) error {
				saved = bytes.Clone(state)
				return nil
			}
			first, ended := running(t, c)
			synctest.Wait()
			first.Close()
			require.NoError(t, <-ended)
			require.NotEmpty(t, saved)
			back, c.Founding = false, tt.founding
			if tt.saved {
				c.Saved = saved
			}
			p, ended := running(t, c)
			synctest.Wait()
			require.Equal(t, tt.back, back, "%+v", tt)
			p.Close()
			require.NoError(t, <-ended)
		})
	}
}

// TestWarnsOfSolitude: a process without peers logs that it decides alone. Self among Peers does not count as a
// peer.
func TestWarnsOfSolitude(t *testing.T) {
	self, other := election.Rank{ID: 1}, election.Rank{ID: 2}
	for _, tt := range []struct {
		peers []election.Rank
		warns bool
	}{{nil, true}, {[]election.Rank{self}, true}, {[]election.Rank{other}, false},
		{[]election.Rank{self, other}, false}} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			c, _ := pair(t, func(*election.Env, *election.Event) {})
			c.Self, c.Peers, c.Log = self, tt.peers, slog.New(slog.NewTextHandler(&log, nil))
			p, ended := running(t, c)
			synctest.Wait()
			require.Equal(t, tt.warns, strings.Contains(log.String(), "no peers: this process decides alone"))
			p.Close()
			require.NoError(t, <-ended)
		})
	}
}

// TestSmallestBacklog: one packet may wait, and the pump continues when it has been handled.
func TestSmallestBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := 0
		c, _ := pair(t, func(_ *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				got++
			}
		})
		inbox := make(chan election.Packet, 100)
		c.Transport, c.Backlog = wire{wires{1: inbox}, 1}, 1
		for range 100 {
			inbox <- election.Packet{From: 2, To: 1}
		}
		p, ended := running(t, c)
		synctest.Wait()
		require.Equal(t, 100, got)
		require.Zero(t, p.Stats().Overflow)
		p.Close()
		require.NoError(t, <-ended)
	})
}
