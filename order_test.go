package election_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/ringtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
)

// smallest returns an algorithm of the catalog by which the smallest Rank wins.
func smallest(t testing.TB, a *election.Algorithm, ids []election.ID) *election.Algorithm {
	t.Helper()
	a, err := scenario.Configure(a, map[string]params.Value{"order": {Text: "smallest"}}, ids, sim.Unit)
	require.NoError(t, err)
	return a
}

// TestSmallestOnRings: for every arrangement of up to six processes, an election of the smallest takes the
// messages of one of the largest in the mirrored arrangement, kind by kind, and elects its mirror image.
func TestSmallestOnRings(t *testing.T) {
	most := 6
	if testing.Short() {
		most = 5
	}
	for _, a := range catalog.All() {
		if a.Topology != election.Ring || a.Winner == nil {
			continue
		}
		for n := 1; n <= most; n++ {
			b := smallest(t, a, nil)
			require.Contains(t, b.Wins(), "smallest")
			for ids := range ringtest.Orders(n) {
				mirrored := make([]election.ID, n)
				for i, id := range ids {
					mirrored[i] = election.ID(n+1) - id
				}
				want := electedBy(t, a, mirrored)
				got := electedBy(t, b, slices.Clone(ids))
				require.Equal(t, election.ID(n+1)-want.Leader, got.Leader, "%s %v", a.Title(), ids)
				want.Leader, want.TraceHash = got.Leader, got.TraceHash
				want.Wall = got.Wall
				require.Equal(t, want.Result, got.Result, "%s %v", a.Title(), ids)
			}
		}
	}
}

// electedBy runs an election in which all start.
func electedBy(t *testing.T, a *election.Algorithm, ids []election.ID) sim.Result {
	t.Helper()
	in := scenario.Input{Algorithm: a, IDs: ids}
	r, err := sim.Run(t.Context(), sim.Config{Input: in})
	require.NoError(t, err)
	require.NoError(t, in.Elected(&r.Result))
	return r
}

// TestSmallestByPriority: the smallest priority comes first, then the smallest ID.
func TestSmallestByPriority(t *testing.T) {
	for _, a := range catalog.All() {
		if a.Winner == nil || a.Sections > 0 || a.Topology == election.Mesh {
			continue
		}
		ids := []election.ID{5, 2, 7, 3}
		in := scenario.Input{Algorithm: smallest(t, a, ids), IDs: ids, Priorities: []uint64{0, 4, 0, 1 << 63}}
		c := sim.Config{Input: in, Until: 200 * sim.Unit}
		r, err := sim.Run(t.Context(), c)
		require.NoError(t, err, a.Title())
		require.NoError(t, c.Check())
		require.NoError(t, r.Err(), a.Title())
		if !a.SingleInitiator || a.Winner == election.LargestOfAll {
			require.Equal(t, election.ID(5), r.Leader, a.Title())
		}
	}
}

// TestSmallestArrangements: the arrangements of a bound are turned round too, where there are any.
func TestSmallestArrangements(t *testing.T) {
	a := lcr.Participant()
	a.Best.Arrange = nil
	s, err := a.Smallest()
	require.NoError(t, err)
	require.Nil(t, s.Best.Arrange)
	require.Equal(t, []uint64{5, 4, 3, 2, 1}, a.Worst.Arrange(5))
	require.Equal(t, []uint64{1, 2, 3, 4, 5}, s.Worst.Arrange(5))
}

// TestSmallestShowsRanks: messages and outcomes have the real IDs, also those in Value.
func TestSmallestShowsRanks(t *testing.T) {
	for _, name := range []string{"wave", "respond"} {
		a, err := catalog.Find(map[string]string{"wave": "lcr", "respond": "hs"}[name], name)
		require.NoError(t, err)
		ids := []election.ID{4, 1, 3, 2}
		in := scenario.Input{Algorithm: smallest(t, a, ids), IDs: ids}
		require.NoError(t, in.Check())
		env := election.NewEnv(&in, nil)
		node := in.Node(0)
		named := 0
		for _, ev := range []election.Event{{Op: election.Init}, {Op: election.Start}, {Op: election.Recv,
			Port: election.Counterclockwise, Msg: election.Message{Term: 1, Kind: 1,
				Rank: election.Rank{ID: 99}, Value: 1}}} {
			fx := env.Begin(0)
			node.Step(env, &ev)
			for _, out := range fx.Sends {
				m := out.Msg
				require.Less(t, m.Rank.ID, election.ID(100), name)
				require.Less(t, m.Value, uint64(100), name)
				if a.Kinds[m.Kind-1].Names {
					require.Contains(t, []uint64{4, 99, 1}, m.Value, name)
					named++
				}
			}
		}
		require.NotZero(t, named, name)
	}
}

// TestSmallestOfParameters: processes that parameters name are the same in either order.
func TestSmallestOfParameters(t *testing.T) {
	ids := []election.ID{1, 2, 3}
	a, err := catalog.Find("modbully", "")
	require.NoError(t, err)
	a, err = scenario.Configure(a, map[string]params.Value{"order": {Text: "smallest"},
		"coordinator": {Number: 1}}, ids, sim.Unit)
	require.NoError(t, err)
	in := scenario.Input{Algorithm: a, IDs: ids, Crashed: []election.ID{1}, Initiators: []election.ID{3}}
	r, err := sim.Run(t.Context(), sim.Config{Input: in})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.Equal(t, election.ID(2), r.Leader)
}

// TestSmallestTwice: the order turned round twice is the order; the parameter set twice is set once.
func TestSmallestTwice(t *testing.T) {
	a, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	ids := []election.ID{2, 3, 1}
	b := smallest(t, smallest(t, a, ids), ids)
	require.Equal(t, election.ID(1), electedBy(t, b, ids).Leader)
	b, err = b.Smallest()
	require.NoError(t, err)
	require.Equal(t, election.ID(3), electedBy(t, b, ids).Leader)
	require.Equal(t, a.Wins(), b.Wins())
	none := mutex.Config{CriticalSection: sim.Unit}
	locks, err := mutex.RicartAgrawala(none)
	require.NoError(t, err)
	_, err = locks.Smallest()
	require.ErrorIs(t, err, election.ErrInput)
	a.Winner, a.Configure = nil, nil
	_, err = a.Smallest()
	require.EqualError(t, err, fmt.Sprintf("%v: algorithm: %s has no Winner, so there is no order to turn round",
		election.ErrInput, a.Title()))
}
