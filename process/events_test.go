package process_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/memory"
)

// TestNewsOfPeers: an event about a peer names it by its ID, and reaches the Node once for each link to it.
func TestNewsOfPeers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op != election.Init {
				heard = append(heard, fmt.Sprint(ev.Op, " ", ev.Port))
			}
		})
		c.Algorithm.Topology = election.Ring
		c.Peers = []election.Rank{{ID: 3}, {ID: 2}}
		p, ended := running(t, c)
		require.NoError(t, p.Suspect(2))
		require.NoError(t, p.Trust(3))
		require.EqualError(t, p.Suspect(4),
			"election: bad input: peer: no link leads to process 4: process 1")
		synctest.Wait()
		require.Equal(t, []string{"suspect 1", "trust 0"}, heard)
		p.Close()
		require.NoError(t, <-ended)
		require.ErrorIs(t, p.Trust(3), election.ErrClosed)

		heard = nil
		c.Peers = []election.Rank{{ID: 2}, {ID: 2}}
		p, ended = running(t, c)
		require.NoError(t, p.Suspect(2))
		synctest.Wait()
		require.Equal(t, []string{"suspect 0", "suspect 1"}, heard)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestStartAfterDecision: a Start that comes when the process has decided begins the next election, also
// while the Node does not know that the last one has ended everywhere.
func TestStartAfterDecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		c, _ := pair(t, nil)
		c.Algorithm.Elects = election.OneLeader
		c.Algorithm.New = func(election.Setup) election.Node {
			return &stepper{step: func(e *election.Env, ev *election.Event) {
				heard = append(heard, ev.Op.String())
				if ev.Op == election.Start && len(heard) > 2 {
					e.Decide(e.Peer(0))
				}
			}}
		}
		p, ended := running(t, c)
		for range 4 {
			require.NoError(t, p.Start())
		}
		synctest.Wait()
		require.Equal(t, []string{"init", "start", "start", "init", "start", "init", "start"}, heard,
			"two Starts of the first Term, one of each that follows")
		require.EqualValues(t, 3, p.Outcome().Term)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestOnEnd: it is called once for each outcome that is final, after OnOutcome.
func TestOnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		term := uint64(0)
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				term++
				e.DecideIn(term, e.Peer(0))
				if term == 3 {
					e.Done()
				}
			case election.Trust:
				e.Done()
			}
		})
		var heard []string
		c.OnOutcome = func(o election.Outcome) { heard = append(heard, fmt.Sprint("term ", o.Term)) }
		c.OnEnd = func(o election.Outcome) {
			require.Equal(t, election.Rank{ID: 2, Priority: 9}, o.Leader)
			heard = append(heard, fmt.Sprint("end ", o.Term))
		}
		p, ended := running(t, c)
		for _, call := range []func() error{p.Start, func() error { return p.Trust(2) },
			func() error { return p.Trust(2) }, p.Start, p.Start} {
			require.NoError(t, call())
		}
		synctest.Wait()
		require.Equal(t, []string{"term 1", "end 1", "term 2", "term 3", "end 3"}, heard)
		p.Close()
		require.NoError(t, <-ended)
	})
}

// TestRingPorts: on a ring the sender's port determines which of two links a packet arrives on.
func TestRingPorts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []election.Port
		c, _ := pair(t, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				heard = append(heard, ev.Port)
			}
		})
		c.Algorithm.Topology = election.Ring
		c.Peers = []election.Rank{{ID: 2}, {ID: 2}}
		for _, oneWay := range []bool{false, true} {
			heard = nil
			net := memory.New()
			tr := inMemory(t, net)
			peer := tr(2)
			c.Transport, c.OneWay = tr(1), oneWay
			p, ended := running(t, c)
			for _, port := range []election.Port{election.Clockwise, election.Counterclockwise, 2, 3,
				election.NoPort} {
				require.NoError(t, peer.Send(t.Context(), election.Packet{To: 1, Port: port}))
			}
			synctest.Wait()
			want, dropped := []election.Port{election.Counterclockwise, election.Clockwise}, 3
			if oneWay {
				want, dropped = want[:1], 4
			}
			require.Equal(t, want, heard)
			require.EqualValues(t, dropped, p.Stats().Dropped)
			p.Close()
			require.NoError(t, <-ended)
		}
	})
}
