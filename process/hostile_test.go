package process_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// TestHostilePeers: whatever the peers of a process send, it continues, for every algorithm. The process would
// continue after a panic of a Node too, but no Node panics or sends over a port without a link.
func TestHostilePeers(t *testing.T) {
	for _, a := range catalog.All() {
		t.Run(a.Title(), func(t *testing.T) {
			for seed := range uint64(2) {
				require.Equal(t, mostPackets, hostile(t, a, randomScript(seed, 1<<14)))
			}
		})
	}
}

// FuzzHostilePeers: the same of any packets. The first number chooses an algorithm of the catalog.
func FuzzHostilePeers(f *testing.F) {
	all := catalog.All()
	for i := range all {
		f.Add(uint8(i), []byte(randomScript(uint64(i), 256)))
	}
	f.Fuzz(func(t *testing.T, i uint8, s []byte) { hostile(t, all[int(i)%len(all)], s) })
}

// mostPackets is the number of packets that a script makes at most.
const mostPackets = 300

// script is what hostile peers draw from: the bytes of a fuzzer, or random ones. Bytes beyond its end
// are zero.
type script []byte

func randomScript(seed uint64, size int) script {
	rng := rand.New(rand.NewPCG(seed, 7))
	s := make(script, 0, size+8)
	for len(s) < size {
		s = binary.LittleEndian.AppendUint64(s, rng.Uint64())
	}
	return s
}

// take returns the next number of this many bytes.
func (s *script) take(bytes int) uint64 {
	var b [8]byte
	*s = (*s)[copy(b[:bytes], *s):]
	return binary.LittleEndian.Uint64(b[:])
}

// below returns a number from 0 to n-1, for a small n.
func (s *script) below(n int) int { return int(s.take(1)) % n }

// number returns one of the likely values of a field, or any.
func (s *script) number(likely uint64) uint64 {
	switch s.below(7) {
	case 0:
		return likely
	case 1:
		return uint64(s.below(4))
	case 2:
		return s.take(8) % (1 << 34)
	case 3:
		return s.take(8)
	case 4:
		return 0
	case 5:
		return s.take(8) % (1 << 53) // a token
	}
	return math.MaxUint64
}

// packet returns the next packet from a peer to a process.
func (s *script) packet(in *scenario.Input, peers []election.Rank, to election.ID) election.Packet {
	port := s.below(len(peers))
	from, about := peers[port].ID, in.Self(s.below(len(in.IDs)))
	about.Priority = s.number(about.Priority)
	return election.Packet{From: from, To: to, Port: election.Port(port) ^ 1,
		Msg: election.Message{
			Term: s.number(1), Kind: uint8(s.below(len(in.Algorithm.Kinds) + 2)), Round: uint32(s.number(1)),
			Rank: about, Value: s.number(uint64(from)), Flags: uint8(s.number(0)),
			Layer: uint8(s.number(0)),
		}}
}

// hostile makes the peers of one process send the messages of a script, and returns their number. With leases,
// they raise the Terms of the process no further than the clock and half of all Terms.
func hostile(t *testing.T, a *election.Algorithm, s script) (packets int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		in := scenario.Input{}
		rng := rand.New(rand.NewPCG(s.take(1), 7))
		in.IDs, in.Priorities = catalogtest.Ranked(rng, catalogtest.Fits(a, 5))
		in.Algorithm = configured(t, a, nil, in.IDs)
		require.NoError(t, in.Check())
		self := s.below(len(in.IDs))
		ends := endsOf(t, in.IDs...)
		c := configOf(t, &in, self)
		c.Transport, c.Start = ends[in.IDs[self]], catalogtest.MayStart(a, self)
		var log bytes.Buffer
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		if a.Elects == election.LeaseHolders {
			c.Observe = func(o *observe.Occurrence) {
				most := uint64(1<<52 + time.Now().UnixMilli()<<8 + 1) // it claims the next one
				for i := 0; o.What == observe.Step && i < len(o.Effects.Sends); i++ {
					m := o.Effects.Sends[i].Msg
					require.LessOrEqual(t, m.Term, most, "%+v", m)
				}
			}
		}
		p, ended := running(t, c)
		for ; packets < mostPackets && len(s) > 0; packets++ {
			packet := s.packet(&in, c.Peers, c.Self.ID)
			require.NoError(t, ends[packet.From].Send(t.Context(), packet))
			time.Sleep(scenario.Unit / 8)
		}
		synctest.Wait()
		select {
		case err := <-ended:
			require.Fail(t, "the process has ended", fmt.Sprint(err))
		default:
		}
		stats := p.Stats()
		require.EqualValues(t, packets, stats.Received+stats.Dropped)
		p.Close()
		require.NoError(t, <-ended)
		require.NotContains(t, log.String(), "the algorithm fails on it")
	})
	return packets
}
