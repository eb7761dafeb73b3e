package tcp_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
)

// TestVersions: two processes connect if they have a version in common, whichever of them dials. If they have none,
// both log why, with the versions of both; with TLS, one of them does.
func TestVersions(t *testing.T) {
	both(t, func(t *testing.T, _ *hub, ca *authority) {
		for _, c := range []struct {
			one, two [2]uint64
			connect  bool
		}{
			{one: [2]uint64{3, 3}, two: [2]uint64{3, 3}, connect: true},
			{one: [2]uint64{3, 3}, two: [2]uint64{3, 4}, connect: true}, {one: [2]uint64{3, 4}, two: [2]uint64{3, 3}, connect: true},
			{one: [2]uint64{3, 4}, two: [2]uint64{3, 4}, connect: true},
			{one: [2]uint64{3, 4}, two: [2]uint64{4, 5}, connect: true}, {one: [2]uint64{4, 5}, two: [2]uint64{3, 4}, connect: true},
			{one: [2]uint64{3, 3}, two: [2]uint64{4, 5}}, {one: [2]uint64{4, 5}, two: [2]uint64{3, 3}},
			{one: [2]uint64{3, 4}, two: [2]uint64{5, 5}}, {one: [2]uint64{5, 5}, two: [2]uint64{3, 4}},
		} {
			var h hub
			log := &diary{level: slog.LevelWarn}
			var nets []*tcp.Network
			var groups []*tcp.Group
			for i, v := range [][2]uint64{c.one, c.two} {
				config := secure(t, ca, h.alone(election.ID(i+1), election.ID(2-i))).Speaking(v[0], v[1])
				config.Log = log.logger()
				n, err := tcp.New(config)
				require.NoError(t, err)
				g, err := n.Group("g", tcp.GroupConfig{})
				require.NoError(t, err)
				nets, groups = append(nets, n), append(groups, g)
			}
			time.Sleep(5 * time.Second)
			require.NoError(t, groups[0].Send(t.Context(), election.Packet{To: 2, Msg: election.Message{Value: 7}}))
			time.Sleep(time.Second)
			synctest.Wait()
			text := strings.Join(log.take(), "\n")
			if c.connect {
				p, err := groups[1].Recv(t.Context())
				require.NoError(t, err)
				require.EqualValues(t, 7, p.Msg.Value)
				for _, line := range strings.Split(text, "\n") { // the first may dial before the second listens, and log that
					require.True(t, line == "" || strings.Contains(line, "no listener"), line)
				}
			} else {
				require.Contains(t, text, "another version", "%v %v", c.one, c.two)
				for _, v := range [][2]uint64{c.one, c.two} {
					require.Contains(t, text, fmt.Sprintf("election/%d", v[0]), text)
				}
				require.Zero(t, nets[1].Stats().PacketsReceived)
			}
			for _, n := range nets {
				require.NoError(t, n.Close())
			}
		}
	})
}
