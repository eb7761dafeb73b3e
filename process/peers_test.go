package process_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// TestPeersBecomeMore: 1 and 2 elect without knowing 3. The leader is told of 3 and makes it a voter; process 1 learns
// that from a message. When the leader ends, 1 and 3 elect the next one.
func TestPeersBecomeMore(t *testing.T) {
	a, err := lease.New(lease.Config{})
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		network := memory.New()
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		defer all.Wait()
		defer cancel()
		start := func(self election.ID, founding bool, known ...election.ID) *process.Process {
			endpoint, err := network.Endpoint(self)
			require.NoError(t, err)
			c := process.Config{Algorithm: a, Self: election.Rank{ID: self}, Transport: endpoint, Start: true,
				Founding: founding, Rank: func(id election.ID) election.Rank { return election.Rank{ID: id} }}
			for _, id := range known {
				c.Peers = append(c.Peers, election.Rank{ID: id})
			}
			p, err := process.New(c)
			require.NoError(t, err)
			for i, id := range known {
				require.NoError(t, p.Command(lease.Wish(id, i, len(known))))
			}
			all.Go(func() { _ = p.Run(ctx) })
			return p
		}
		one, two := start(1, true, 1, 2), start(2, true, 1, 2)
		time.Sleep(time.Second)
		require.Equal(t, election.Leader, two.Outcome().Role)
		three := start(3, false, 1, 2, 3)
		time.Sleep(5 * time.Second)
		require.Len(t, one.Peers(), 1)
		require.Equal(t, election.Undecided, three.Outcome().Role) // its packets are dropped

		require.NoError(t, two.AddPeer(election.Rank{ID: 3}))
		require.NoError(t, two.AddPeer(election.Rank{ID: 3})) // again: no other port
		time.Sleep(5 * time.Second)
		for i, id := range []election.ID{1, 2, 3} {
			require.NoError(t, two.Command(lease.Change(id, i, 3, false)))
		}
		time.Sleep(time.Second)
		require.Equal(t, []election.Rank{{ID: 1}, {ID: 3}}, two.Peers())
		require.Equal(t, []election.Rank{{ID: 2}, {ID: 3}}, one.Peers())
		require.Equal(t, two.Outcome().Term, three.Outcome().Term)
		term := two.Outcome().Term
		two.Close()
		time.Sleep(5 * time.Second)
		require.Equal(t, election.Leader, three.Outcome().Role)
		require.Equal(t, election.ID(3), one.Outcome().Leader.ID)
		require.Greater(t, one.Outcome().Term, term)
	})
}

// TestAddPeerRefused: peers are added only where messages name processes.
func TestAddPeerRefused(t *testing.T) {
	rules, err := bully.Rules(bully.Config{})
	require.NoError(t, err)
	leases, err := lease.New(lease.Config{})
	require.NoError(t, err)
	for want, c := range map[string]struct {
		a  *election.Algorithm
		id election.ID
	}{
		"peer: the peers of bully/rules do not change": {rules, 3},
		"peer: an ID is never 0":                       {leases, 0},
	} {
		endpoint, err := memory.New().Endpoint(1)
		require.NoError(t, err)
		p, err := process.New(process.Config{Algorithm: c.a, Self: election.Rank{ID: 1}, Transport: endpoint,
			Peers: []election.Rank{{ID: 2}}})
		require.NoError(t, err)
		err = p.AddPeer(election.Rank{ID: c.id})
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}
