package tcp_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
)

// beat is a packet of which only Round and Seq change.
func beat(round uint32) election.Packet {
	return election.Packet{To: 2, Port: 1, Depth: 1,
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
