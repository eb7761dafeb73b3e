package election_test

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

func TestRankOrder(t *testing.T) {
	rising := []election.Rank{{Priority: 0, ID: 1}, {Priority: 0, ID: 2}, {Priority: 1, ID: 1},
		{Priority: 1, ID: 9}, {Priority: 1 << 63, ID: 1}}
	for i, a := range rising {
		for j, b := range rising {
			require.Equal(t, i < j, a.Less(b), "%v < %v", a, b)
			require.Equal(t, a.Compare(b), -b.Compare(a))
			require.Equal(t, i < j, a.Compare(b) < 0)
			require.Equal(t, i == j, a.Compare(b) == 0)
		}
	}
	require.Equal(t, "7", election.Rank{ID: 7}.String())
	require.Equal(t, "priority 3", election.Rank{Priority: 3}.String())
	require.Equal(t, "7(priority 3)", election.Rank{ID: 7, Priority: 3}.String())
}

// TestSizes pins what a queue of messages costs.
func TestSizes(t *testing.T) {
	require.EqualValues(t, 40, unsafe.Sizeof(election.Message{}))
	require.EqualValues(t, 56, unsafe.Sizeof(election.Event{}))
	require.EqualValues(t, 80, unsafe.Sizeof(election.Packet{}))
}

func TestNames(t *testing.T) {
	require.Equal(t, "suspect", election.Suspect.String())
	require.Equal(t, "op(0)", election.Op(0).String())
	require.Equal(t, "op(200)", election.Op(200).String())
	require.Equal(t, "leader", election.Leader.String())
	require.Equal(t, "follower", election.Follower.String())
	require.Equal(t, "undecided", election.Undecided.String())
}

// TestUnknownOps: every number has a name, including numbers that are not Ops.
func TestUnknownOps(t *testing.T) {
	named := 0
	for op := range 256 {
		if name := election.Op(op).String(); name != fmt.Sprintf("op(%d)", op) {
			require.NotEmpty(t, name)
			named++
		}
	}
	require.Equal(t, "exited", election.Exited.String())
	require.GreaterOrEqual(t, named, int(election.Exited))
}

// TestEffectsInWords: an observer prints what a Step wants done, in the order of a driver.
func TestEffectsInWords(t *testing.T) {
	e := election.NewEnv(view(1), nil)
	require.Empty(t, e.Begin(0).String())
	fx := e.Begin(0)
	e.SetTimer(1, 1, 1)
	e.Decide(election.Rank{ID: 2})
	e.Save()
	require.Equal(t, "decide, save, timers", fx.String())
	fx = e.Begin(0)
	e.Raise(election.Event{Op: election.Entered})
	e.Refuse(election.ErrLateStart)
	e.Done()
	require.Equal(t, "end, refuse, raise", fx.String())
}

// TestEnvEffects: what each call wants done, and that it is forgotten with the next Step.
func TestEnvEffects(t *testing.T) {
	self, other := election.Rank{ID: 5}, election.Rank{ID: 6}
	signal := election.Event{Op: election.Command, Port: 3}
	env := election.NewEnv(view(5), nil)
	for _, tt := range []struct {
		does  func()
		flags string
		want  election.Effects
	}{
		{func() { env.Send(1, message(2, 3)) }, "",
			election.Effects{Sends: []election.Outgoing{{Port: 1, Msg: message(2, 3)}}}},
		{func() { env.SetTimer(1, 2, 3) }, "timers",
			election.Effects{Timers: []election.TimerChange{{Timer: 1, Min: 2, Max: 3}}}},
		{func() { env.StopTimer(1) }, "timers",
			election.Effects{Timers: []election.TimerChange{{Timer: 1, Stop: true}}}},
		{func() { env.Decide(self) }, "decide",
			election.Effects{Outcome: election.Outcome{Leader: self, Role: election.Leader}}},
		{func() { env.DecideIn(4, other) }, "decide",
			election.Effects{Outcome: election.Outcome{Term: 4, Leader: other, Role: election.Follower}}},
		{func() { env.Lease(4, time.Hour) }, "decide", election.Effects{Outcome: election.Outcome{Term: 4,
			Leader: self, Role: election.Leader, Until: time.Hour}}},
		{func() { env.Withdraw(4) }, "decide", election.Effects{Outcome: election.Outcome{Term: 4}}},
		{env.Done, "end", election.Effects{}},
		{func() { env.Refuse(election.ErrLateStart) }, "refuse",
			election.Effects{Err: election.ErrLateStart}},
		{env.Save, "save", election.Effects{}},
		{func() { env.Raise(signal) }, "raise",
			election.Effects{Signals: []election.Signal{{Event: signal}}}},
		{func() { env.Lower(signal) }, "raise",
			election.Effects{Signals: []election.Signal{{Event: signal, Down: true}}}},
	} {
		fx := env.Begin(0)
		require.Empty(t, fx.String())
		require.False(t, fx.Rare())
		require.Empty(t, fx.Sends)
		require.Empty(t, fx.Timers)
		require.Empty(t, fx.Signals)
		require.Zero(t, fx.Outcome)
		require.NoError(t, fx.Err)
		tt.does()
		require.Equal(t, tt.flags, fx.String())
		require.Equal(t, tt.flags != "", fx.Rare())
		require.Equal(t, tt.flags == "end", fx.Ended())
		require.Equal(t, append(tt.want.Sends, election.Outgoing{})[:len(tt.want.Sends)], fx.Sends)
		require.ElementsMatch(t, tt.want.Timers, fx.Timers)
		require.ElementsMatch(t, tt.want.Signals, fx.Signals)
		require.Equal(t, tt.want.Outcome, fx.Outcome)
		require.Equal(t, tt.want.Err, fx.Err)
	}
}

// TestOutcome: a leader leads until the end that its Outcome names, and a renewal is no change.
func TestOutcome(t *testing.T) {
	o := election.Outcome{Term: 3, Leader: election.Rank{ID: 1}, Role: election.Leader}
	require.True(t, o.LeadsAt(0))
	require.True(t, o.LeadsAt(time.Hour))
	leased := o
	leased.Until = 1
	require.True(t, leased.LeadsAt(0))
	require.False(t, leased.LeadsAt(1))
	require.True(t, leased.Same(o))
	require.True(t, o.Same(leased))
	other := leased
	other.Term++
	require.False(t, leased.Same(other))
	o.Role = election.Follower
	require.False(t, o.LeadsAt(0))
}

// TestMostDown: without crashes none is down, and without a bound all may be.
func TestMostDown(t *testing.T) {
	half := func(n int) int { return n / 2 }
	require.Equal(t, 0, (&election.Faults{Down: half}).MostDown(5))
	require.Equal(t, 5, (&election.Faults{Crash: election.StaysDown}).MostDown(5))
	require.Equal(t, 2, (&election.Faults{Crash: election.StaysDown, Down: half}).MostDown(5))
}

// TestMostKinds: kinds have one byte, of which CatchUp takes a value and an overlay another.
func TestMostKinds(t *testing.T) {
	with := func(n int) *election.Algorithm {
		kinds := make([]election.Kind, n)
		for i := range kinds {
			kinds[i].Name = fmt.Sprint("k", i)
		}
		return &election.Algorithm{Name: "a", Topology: election.Ring, Kinds: kinds,
			New: func(election.Setup) election.Node { return &script{} }}
	}
	require.NoError(t, with(255).Check())
	require.ErrorIs(t, with(256).Check(), election.ErrInput)
	_, err := with(254).OverComplete()
	require.NoError(t, err)
	_, err = with(255).OverComplete()
	require.ErrorIs(t, err, election.ErrInput)
}

func TestAlgorithmCheck(t *testing.T) {
	good := func() *election.Algorithm {
		return &election.Algorithm{Name: "a", Topology: election.Ring, Kinds: []election.Kind{{Name: "k"}},
			New: func(election.Setup) election.Node { return &script{} }}
	}
	require.NoError(t, good().Check())
	require.ErrorContains(t, (*election.Algorithm)(nil).Check(), "missing")
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
	for _, f := range []election.Faults{{Reported: true}, {Nudged: true}} {
		a := good()
		a.Faults = f
		require.ErrorIs(t, a.Check(), election.ErrInput, "%+v", f)
		require.ErrorContains(t, a.Check(), "but Crash is NoCrash")
		a.Faults.Crash = election.StaysDown
		require.NoError(t, a.Check())
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
