package transporttest

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestDefaults: what Options leave open.
func TestDefaults(t *testing.T) {
	defaults := func(given Options) (got Options) {
		p := property{name: "any", holds: func(n *network) error {
			got = n.opts
			return nil
		}}
		try(t, p, func(_ testing.TB, ids []election.ID) (ends []election.Transport) {
			net := newWires(ids, 1, nil)
			for _, id := range ids {
				ends = append(ends, net.end(id))
			}
			return ends
		}, given)
		return got
	}
	got := defaults(Options{})
	require.Equal(t, 10*time.Second, got.Patience)
	require.Equal(t, 50_000, got.burst)
	require.NotNil(t, got.losses)
	losses := new(atomic.Bool)
	given := Options{Patience: time.Second, burst: 7, losses: losses}
	got = defaults(given)
	require.Equal(t, given, got)
	require.Same(t, losses, got.losses)
}

// TestAwait: the suite waits as long as something happens. Packets that are missing after that are lost,
// which all properties know from then on; those that arrive are not.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := []election.ID{1, 2}
		net := newWires(ids, roomy, nil)
		n := newNetwork(t, ids, []election.Transport{net.end(1), net.end(2)},
			Options{Patience: 2 * time.Second, losses: new(atomic.Bool)})
		defer n.close()
		n.listen(1)
		go func() {
			for v := range 3 {
				time.Sleep(1500 * time.Millisecond)
				_ = n.sendValues(v, v)
			}
		}()
		all, err := n.await(1, 3)
		require.NoError(t, err)
		require.True(t, all)
		require.False(t, n.opts.losses.Load())
		require.Equal(t, n.opts.Patience, n.patience())

		began := time.Now()
		all, err = n.await(1, 4)
		require.NoError(t, err)
		require.False(t, all)
		require.Equal(t, n.opts.Patience, time.Since(began))
		require.True(t, n.opts.losses.Load())
		require.Equal(t, impatience, n.patience())

		require.NoError(t, n.closeEnd(1, "here"))
		_, err = n.await(1, 4)
		require.ErrorContains(t, err, "process 2 receives no more: ")
		require.ErrorIs(t, err, election.ErrClosed)
	})
}
