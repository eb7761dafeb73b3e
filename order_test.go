package election_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/nodetest"
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
	if !*long {
		most = 5
	}
	for _, a := range catalog.All() {
		if a.Topology != election.Ring || a.Winner == nil {
			continue
		}
		for n := 1; n <= most; n++ {
			b := smallest(t, a, nil)
			require.Contains(t, b.Wins(), "smallest")
			for ids := range nodetest.Orders(n) {
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

// TestSmallestArrangements: the arrangements of a bound are reversed too, if there are any.
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
	require.EqualError(t, err, fmt.Sprintf("%v: algorithm: %s has no Winner, so there is no order to reverse",
		election.ErrInput, a.Title()))
}

// TestSmallestTurnsItsOwn: the order of Ranks is turned round in what the Node itself does in a Step, and its
// state is visited.
func TestSmallestTurnsItsOwn(t *testing.T) {
	a, err := lcr.Participant().Smallest()
	require.NoError(t, err)
	setup := election.Setup{Self: election.Rank{ID: 5}, Ports: 2}
	node, env := a.New(setup), election.NewEnv(view(5), nil)
	fresh := string(new(election.State).Append(nil, node))
	fx := env.Begin(0)
	env.Send(0, election.Message{Rank: election.Rank{ID: 6}})
	env.Raise(election.Event{Msg: election.Message{Rank: election.Rank{ID: 7}}})
	env.Decide(election.Rank{ID: 8})
	node.Step(env, &election.Event{Op: election.Start})
	require.Len(t, fx.Sends, 2)
	require.EqualValues(t, 6, fx.Sends[0].Msg.Rank.ID)
	require.EqualValues(t, 5, fx.Sends[1].Msg.Rank.ID)
	require.EqualValues(t, 7, fx.Signals[0].Event.Msg.Rank.ID)
	require.EqualValues(t, 8, fx.Outcome.Leader.ID)
	require.Equal(t, "decide, raise", fx.String())

	saved := new(election.State).Append(nil, node)
	require.NotEqual(t, fresh, string(saved), "it has started")
	other := a.New(setup)
	require.NoError(t, new(election.State).Restore(other, saved))
	require.Equal(t, saved, new(election.State).Append(nil, other))
}

// TestSmallestBothWays: all Ranks that the Node sees are reversed, and all Ranks that others see of it are not.
// A Rank without an ID stays unchanged, and so does a Value that is not an ID.
func TestSmallestBothWays(t *testing.T) {
	var heard []string
	var got []election.Event
	a := &election.Algorithm{Name: "echo", Topology: election.Complete, Winner: election.LargestOfAll,
		Kinds: []election.Kind{{Name: "number"}, {Name: "name", Names: true}}}
	a.New = func(s election.Setup) election.Node {
		require.Equal(t, s.Self, election.Rank{Priority: ^uint64(0), ID: s.As(3)})
		return &layer{heard: &heard, on: func(e *election.Env, ev *election.Event) {
			require.Equal(t, s.Self, e.Self())
			require.Equal(t, s.As(2), e.Peer(0).ID)
			require.Equal(t, 2, e.Ports())
			got = append(got, *ev)
			e.Send(0, ev.Msg)
			e.Raise(election.Event{Msg: ev.Msg})
			e.Decide(ev.Msg.Rank)
		}}
	}
	small, err := a.Smallest()
	require.NoError(t, err)
	on := crowd{3, []election.ID{2, 4}}
	node, env := small.New(election.Setup{Self: on.Self(0), Ports: 2}), election.NewEnv(on, nil)
	low, high := election.Rank{Priority: 1, ID: 4}, election.Rank{Priority: 1, ID: 5}
	for _, m := range []election.Message{{}, {Kind: 1, Rank: low, Value: 7}, {Kind: 1, Rank: high, Value: 7},
		{Kind: 2, Rank: low, Value: 7}, {Kind: 3, Rank: low, Value: 7}} {
		fx := env.Begin(0)
		ev := recv(m)
		node.Step(env, &ev)
		require.Equal(t, recv(m), ev)
		require.Equal(t, []election.Outgoing{{Msg: m}}, fx.Sends)
		require.Equal(t, m, fx.Signals[0].Event.Msg)
		require.Equal(t, m.Rank, fx.Outcome.Leader)
	}
	require.Zero(t, got[0].Msg)
	require.True(t, got[2].Msg.Rank.Less(got[1].Msg.Rank))
	for i, value := range []uint64{0, 7, 7, ^uint64(6), 7} {
		require.Equal(t, value, got[i].Msg.Value)
	}
}
