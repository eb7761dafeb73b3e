package election_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

func TestRankOrder(t *testing.T) {
	rising := []election.Rank{{Priority: 0, ID: 1}, {Priority: 0, ID: 2}, {Priority: 1, ID: 1}, {Priority: 1, ID: 9}, {Priority: 1 << 63, ID: 1}}
	for i, a := range rising {
		for j, b := range rising {
			require.Equal(t, i < j, a.Less(b), "%v < %v", a, b)
			require.Equal(t, a.Compare(b), -b.Compare(a))
			require.Equal(t, i < j, a.Compare(b) < 0)
			require.Equal(t, i == j, a.Compare(b) == 0)
		}
	}
	require.Equal(t, "7", election.Rank{ID: 7}.String())
	require.Equal(t, "7(priority 3)", election.Rank{ID: 7, Priority: 3}.String())
}

// TestSizes pins what a queue of messages costs.
func TestSizes(t *testing.T) {
	require.EqualValues(t, 40, unsafe.Sizeof(election.Message{}))
	require.EqualValues(t, 56, unsafe.Sizeof(election.Event{}))
	require.EqualValues(t, 64, unsafe.Sizeof(election.Packet{}))
}

func TestNames(t *testing.T) {
	require.Equal(t, "suspect", election.Suspect.String())
	require.Equal(t, "op(0)", election.Op(0).String())
	require.Equal(t, "op(200)", election.Op(200).String())
	require.Equal(t, "leader", election.Leader.String())
	require.Equal(t, "follower", election.Follower.String())
	require.Equal(t, "undecided", election.Undecided.String())
}

func TestPollVerdict(t *testing.T) {
	lead := election.Outcome{Leader: election.Rank{ID: 3}, Role: election.Leader}
	follow := election.Outcome{Leader: election.Rank{ID: 3}, Role: election.Follower}
	astray := election.Outcome{Leader: election.Rank{ID: 2}, Role: election.Follower}
	for _, tt := range []struct {
		name   string
		heard  []election.Outcome
		ended  int // so many of them know that the election has ended
		result verdict.Result
		fails  string
	}{
		{"nobody", nil, 0, verdict.Result{}, "nobody is up"},
		{"all agree", []election.Outcome{follow, lead, follow}, 3, verdict.Result{Leader: 3, Claimants: 1, Agreed: true, Terminated: true}, ""},
		{"one does not know the end", []election.Outcome{follow, lead}, 1, verdict.Result{Leader: 3, Claimants: 1, Agreed: true}, "not every process knows"},
		{"one undecided", []election.Outcome{{}, lead}, 2, verdict.Result{Claimants: 1, Terminated: true}, "1 process believes it leads"},
		{"two names", []election.Outcome{astray, lead}, 2, verdict.Result{Claimants: 1, Terminated: true}, "1 process believes it leads"},
		{"two leaders of one name", []election.Outcome{lead, lead}, 2, verdict.Result{Leader: 3, Claimants: 2, Agreed: true, Terminated: true}, "2 processes believe they lead"},
		{"leaders without a name", []election.Outcome{{Role: election.Leader}, {Role: election.Leader}}, 2, verdict.Result{Claimants: 2, Terminated: true}, "2 processes believe they lead"},
		{"two names, the last as the first", []election.Outcome{lead, astray, follow}, 3, verdict.Result{Claimants: 1, Terminated: true}, "1 process believes it leads"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p verdict.Beliefs
			for i, o := range tt.heard {
				p.Add(o, i < tt.ended)
			}
			var r verdict.Result
			p.Fill(&r)
			tt.result.Live = len(tt.heard)
			require.Equal(t, tt.result, r)
			if tt.fails == "" {
				require.NoError(t, r.Err())
			} else {
				require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
				require.ErrorContains(t, r.Err(), tt.fails)
			}
		})
	}
}

func TestTally(t *testing.T) {
	a := &election.Algorithm{Name: "a", Kinds: []election.Kind{
		{Name: "one", Bits: func(w cost.Widths) uint64 { return w.Rank() }},
		{Name: "two", Bits: func(w cost.Widths) uint64 { return w.N + w.LogN }},
		{Name: "three"},
	}}
	var tally verdict.Tally
	tally.AddN(1, 10)
	tally.Add(2)
	tally.Add(election.CatchUp)
	tally.Add(9)
	var r verdict.Result
	tally.Fill(&r, a, cost.NewWidths(8, 255, 3))
	require.EqualValues(t, 13, r.Messages)
	require.Equal(t, tally.Total(), r.Messages)
	require.EqualValues(t, 10*(8+2)+(4+3), r.Bits)
	require.Equal(t, []observe.KindCount{{Kind: "catch_up", Count: 1}, {Kind: "one", Count: 10}, {Kind: "two", Count: 1}, {Kind: "unknown_9", Count: 1}}, r.ByKind)
	require.EqualValues(t, 1, r.Count("two"))
	require.Zero(t, r.Count("three"))
}

func TestAlgorithmCheck(t *testing.T) {
	good := func() *election.Algorithm {
		return &election.Algorithm{Name: "a", Topology: election.Ring, Kinds: []election.Kind{{Name: "k"}},
			New: func(election.Setup) election.Node { return &script{} }}
	}
	require.NoError(t, good().Check())
	require.ErrorContains(t, (*election.Algorithm)(nil).Check(), "none is given")
	for want, change := range map[string]func(*election.Algorithm){
		"it has no Name":            func(a *election.Algorithm) { a.Name = "" },
		"a has no New":              func(a *election.Algorithm) { a.New = nil },
		`the Topology of a is ""`:   func(a *election.Algorithm) { a.Topology = "" },
		`the Topology of a is "rin`: func(a *election.Algorithm) { a.Topology = "ringg" },
		"a has 256 Kinds":           func(a *election.Algorithm) { a.Kinds = make([]election.Kind, 256) },
	} {
		a := good()
		change(a)
		require.ErrorIs(t, a.Check(), election.ErrInput)
		require.ErrorContains(t, a.Check(), want)
	}
}

// TestBefore: a later Term counts more, and in one Term a larger leader.
func TestBefore(t *testing.T) {
	rising := []election.Outcome{
		{},
		{Term: 1, Leader: election.Rank{ID: 2}},
		{Term: 1, Leader: election.Rank{ID: 3}},
		{Term: 1, Leader: election.Rank{Priority: 1, ID: 1}},
		{Term: 2, Leader: election.Rank{ID: 1}},
	}
	for i, o := range rising {
		for j, p := range rising {
			require.Equal(t, i < j, o.Before(p), "%v before %v", o, p)
			p.Role = election.Leader
			require.Equal(t, i < j, o.Before(p), "whatever their part in it")
		}
	}
}
