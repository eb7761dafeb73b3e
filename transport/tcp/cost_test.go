package tcp_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
)

// beat is a packet of which only Round and Seq change.
func beat(round uint32) election.Packet {
	return election.Packet{To: 2, Port: 1,
		Msg: election.Message{Term: 12, Rank: election.Rank{ID: 1},
			Value: 0x0123456789abcdef, Round: round, Kind: 3}, Incarnation: 1 << 62, Seq: uint64(round)}
}

// TestManyGroups: the renewals of 1,000 groups to one peer fit into ten segments of 1,448 bytes, over TLS.
func TestManyGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		ca := newAuthority(t)
		var nets []*tcp.Network
		groups := make(map[election.ID][]*tcp.Group)
		for _, id := range []election.ID{1, 2} {
			c := h.member(id)
			c.TLS, c.Linger = ca.of(t, id), time.Millisecond
			delete(c.Members, 3)
			n := open(t, c)
			nets = append(nets, n)
			for i := range 1000 {
				g, err := n.Group(fmt.Sprintf("group %d", i), tcp.GroupConfig{})
				require.NoError(t, err)
				groups[id] = append(groups[id], g)
			}
		}
		for _, g := range groups[1] {
			awaitUp(t, g, 1)
		}
		const rounds = 5
		var last tcp.Stats
		for round := range uint32(rounds) {
			for _, g := range groups[1] {
				require.NoError(t, g.Send(t.Context(), beat(round+1)))
			}
			for _, g := range groups[2] {
				p, err := g.Recv(t.Context())
				require.NoError(t, err)
				want := beat(round + 1)
				want.From = 1
				require.Equal(t, want, p)
			}
			synctest.Wait()
			now := nets[0].Stats()
			if round > 0 { // the first one codes whole packets
				require.LessOrEqual(t, now.BytesSent-last.BytesSent, uint64(10*1448))
				require.LessOrEqual(t, now.Writes-last.Writes, uint64(2),
					"all packets, and perhaps a late ping")
			}
			t.Logf("round %d: %d bytes", round, now.BytesSent-last.BytesSent)
			last = now
			time.Sleep(200 * time.Millisecond)
		}
	})
}

// TestLinger: packets that follow each other within Linger travel together, one that follows later does
// not wait for them, and none waits for more than ten times Linger.
func TestLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		var nets []*tcp.Network
		for _, id := range []election.ID{1, 2} {
			c := h.member(id)
			c.Linger = 10 * time.Millisecond
			delete(c.Members, 3)
			nets = append(nets, open(t, c))
		}
		sender, receiver := group(t, nets[0], tcp.GroupConfig{}), group(t, nets[1], tcp.GroupConfig{})
		awaitUp(t, sender, 1)
		for _, c := range []struct {
			pause time.Duration
			waits time.Duration // the first of them
		}{{9 * time.Millisecond, 100 * time.Millisecond}, {11 * time.Millisecond, 10 * time.Millisecond}} {
			time.Sleep(time.Minute)
			began := time.Now()
			go func() {
				for value := range uint64(30) {
					require.NoError(t, sender.Send(t.Context(), election.Packet{To: 2,
						Msg: election.Message{Kind: 1, Value: value}}))
					time.Sleep(c.pause)
				}
			}()
			receives(t, receiver, 1, 0)
			require.Equal(t, c.waits, time.Since(began))
			for value := range uint64(29) {
				receives(t, receiver, 1, value+1)
			}
			time.Sleep(time.Second)
		}
		before := nets[0].Stats().Writes
		for value := range uint64(9) {
			require.NoError(t, sender.Send(t.Context(), election.Packet{To: 2,
				Msg: election.Message{Kind: 1, Value: value}}))
			time.Sleep(9 * time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		require.Equal(t, before+1, nets[0].Stats().Writes)
	})
}

// TestManyLeaders: the leader of many groups renews in all of them at once, whenever it was elected in
// each: so they cost hardly more writes than one group does.
func TestManyLeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		names := []string{"a", "b", "c"}
		members := make(map[string]string)
		for i, name := range names {
			members[name] = at(election.ID(i))
		}
		var nets []*tcp.Network
		for _, name := range names {
			c := elector.Config{Self: name, Members: members}.TCP()
			c.Dial, c.Listener, c.Linger = h.Dial, h.Listen(members[name]), time.Millisecond
			nets = append(nets, open(t, c))
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		groups := 0
		var leaders [3]atomic.Int32 // how many groups each member leads
		lead := func() {            // one group more
			groups++
			for i, name := range names {
				e, err := elector.New(elector.Config{Group: fmt.Sprint(groups), Self: name, Members: members,
					Network: nets[i]})
				require.NoError(t, err)
				running.Go(func() {
					require.NoError(t, e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
						leaders[i].Add(1)
						defer leaders[i].Add(-1)
						<-ctx.Done()
						return nil
					}))
				})
			}
		}
		// cost returns the packets and the writes of ten renewals.
		cost := func() (packets, writes uint64) {
			time.Sleep(5 * time.Second)
			sum := func() (packets, writes uint64) {
				synctest.Wait()
				for _, n := range nets {
					packets += n.Stats().PacketsSent
					writes += n.Stats().Writes
				}
				return packets, writes
			}
			packetsBefore, writesBefore := sum()
			time.Sleep(10 * elector.LAN().Renew)
			packets, writes = sum()
			return packets - packetsBefore, writes - writesBefore
		}
		lead()
		packets, writes := cost()
		require.Equal(t, uint64(10*4), packets, "a CLAIM to each of two others, which both grant it")
		const many = 100
		for groups < many {
			lead()
			time.Sleep(37 * time.Millisecond)
		}
		manyPackets, manyWrites := cost()
		t.Logf("%d packets in %d writes; one group: %d in %d", manyPackets, manyWrites, packets, writes)
		require.Equal(t, many*packets, manyPackets)
		most := uint64(0) // mostly one member leads all groups, but a vote may split
		for i := range leaders {
			most += uint64(min(leaders[i].Load(), 1)) * (writes + writes/10)
		}
		require.LessOrEqual(t, manyWrites, most)
	})
}

// TestStats: each packet counts once where it is sent, and once where it is received.
func TestStats(t *testing.T) {
	configs := members(t, 1, 2)
	from, to := open(t, configs[0]), open(t, configs[1])
	out, err := from.Group("g", tcp.GroupConfig{})
	require.NoError(t, err)
	in, err := to.Group("g", tcp.GroupConfig{})
	require.NoError(t, err)
	const packets = 5
	for seq := range uint64(packets) {
		require.NoError(t, out.Send(t.Context(), election.Packet{From: 1, To: 2, Seq: seq + 1}))
	}
	for range packets {
		_, err := in.Recv(t.Context())
		require.NoError(t, err)
	}
	sent, received := from.Stats(), to.Stats()
	require.Equal(t, uint64(packets), sent.PacketsSent)
	require.Equal(t, uint64(packets), received.PacketsReceived)
	require.Zero(t, sent.PacketsReceived+received.PacketsSent+sent.Dropped+sent.Expired)
	require.GreaterOrEqual(t, sent.Dials+received.Dials, uint64(1))
}
