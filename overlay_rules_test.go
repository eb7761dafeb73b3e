package election_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/params"
)

// TestOverlayAsksRoot: the overlay asks the root only if the tree is rooted and the Node refuses a Start
// because it is not the root. Any other refusal goes to the caller.
func TestOverlayAsksRoot(t *testing.T) {
	for _, tt := range []struct {
		of    election.Algorithm
		self  election.ID
		err   error
		asked bool
	}{
		{onRooted, 3, election.ErrNotInitiator, true},
		{onRooted, 3, election.ErrLateStart, false},
		{onRooted, 3, nil, false},
		{onRooted, 1, election.ErrNotInitiator, false},
		{onTree, 3, election.ErrNotInitiator, false},
	} {
		l := lay(t, tt.of, crowd{tt.self, []election.ID{4, 5, 2}}) // the root is 2, or this process
		l.on = func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start && tt.err != nil {
				e.Refuse(tt.err)
			}
		}
		for _, ev := range []election.Event{start(), suspect(0)} {
			fx := l.effects(ev)
			require.True(t, fx.Saved(), "%+v", tt)
			if tt.asked {
				require.Equal(t, election.Port(2), fx.Sends[0].Port)
				require.EqualValues(t, 3, fx.Sends[0].Msg.Kind)
				require.NoError(t, fx.Err)
				require.False(t, fx.Refused())
				continue
			}
			require.Empty(t, fx.Sends, "%+v", tt)
			require.Equal(t, tt.err, fx.Err, "%+v", tt)
			require.Equal(t, tt.err != nil, fx.Refused(), "%+v", tt)
		}
	}

	l := lay(t, onRooted, crowd{3, []election.ID{4, 5, 2}})
	l.on = func(*election.Env, *election.Event) {}
	fx := l.env.Begin(0)
	l.env.Refuse(election.ErrNotInitiator) // by a machine before it in the Step
	ev := start()
	l.host.Step(l.env, &ev)
	require.True(t, fx.Refused())
	require.Empty(t, fx.Sends)
}

// TestOverlayStartUnderway: a Start meets an election that another process has begun. It does not begin a
// second one if a single initiator is allowed, or if only the root may begin.
func TestOverlayStartUnderway(t *testing.T) {
	single := onRing
	single.SingleInitiator = true
	treeless := onRooted
	treeless.SingleInitiator = false
	end := election.Event{Op: election.Command}
	other := from(0, 1, 1)
	other.Msg.Value = 9
	for _, tt := range []struct {
		what string
		of   election.Algorithm
		self election.ID
		then []election.Event
		want []string
	}{
		{"single, of another", single, 3, []election.Event{other}, nil},
		{"single, its own", single, 3, []election.Event{start()}, []string{"start 0"}},
		{"single, ended", single, 3, []election.Event{other, end}, []string{"init 0", "start 0"}},
		{"single, none", single, 3, nil, []string{"start 0"}},
		{"any initiators", onRing, 3, []election.Event{other}, []string{"start 0"}},
		{"below the root", treeless, 3, []election.Event{other}, nil},
		{"below the root, ended", treeless, 3, []election.Event{other, end}, []string{"init 0", "start 0"}},
		{"at the root", treeless, 1, []election.Event{other}, []string{"start 0"}},
		{"long-lived", longLived(single), 3, []election.Event{other}, []string{"start 0"}},
	} {
		l := lay(t, tt.of, crowd{tt.self, []election.ID{2}})
		l.on = func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Command {
				e.Done()
			}
		}
		for _, ev := range tt.then {
			require.NotEmpty(t, l.step(ev), tt.what)
		}
		require.Equal(t, tt.want, l.step(start()), tt.what)
	}
}

// TestOverlayUndecided: with another election, even one of the same Term that another process has begun, the
// earlier decision is void immediately, unless the step decides as well.
func TestOverlayUndecided(t *testing.T) {
	single := onRing
	single.SingleInitiator = true
	l := lay(t, single, crowd{3, []election.ID{2, 4}})
	leader := election.Rank{ID: 4}
	l.on = func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Recv && ev.Msg.Round > 0 {
			e.Decide(leader)
			e.Done()
		}
	}
	said := func(by election.ID, term uint64, round uint32) election.Event {
		ev := from(0, 1, term)
		ev.Msg.Value, ev.Msg.Round = uint64(by), round
		return ev
	}
	void := func(term uint64) election.Outcome { return election.Outcome{Term: term} }
	for _, tt := range []struct {
		ev    election.Event
		wants string
		want  election.Outcome
	}{
		{start(), "decide, save", void(1)},
		{said(3, 1, 1), "decide, end", election.Outcome{Term: 1, Leader: leader, Role: election.Follower}},
		{said(3, 1, 0), "", void(0)},
		{said(4, 1, 0), "decide, save, timers", void(1)},
		{said(2, 1, 0), "", void(0)},
		{said(4, 2, 1), "decide, end, save, timers",
			election.Outcome{Term: 2, Leader: leader, Role: election.Follower}},
		{suspect(0), "decide, save, timers", void(3)},
	} {
		fx := l.effects(tt.ev)
		require.Equal(t, tt.wants, fx.String(), "%+v", tt)
		require.Equal(t, tt.want, fx.Outcome, "%+v", tt)
	}
}

// TestOverlayKeepsEffects: what the Node wants in one of the events that a step hands it stands, whatever it
// wants in the next.
func TestOverlayKeepsEffects(t *testing.T) {
	l := lay(t, longLived(onRing), crowd{3, []election.ID{2, 4}})
	l.on = func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Trust && ev.Port == 0 {
			e.DecideIn(5, election.Rank{ID: 3})
			e.Save()
		}
	}
	fx := l.effects(election.Event{Op: election.Rejoin})
	require.Equal(t, []string{"rejoin 0", "trust 0", "trust 1"}, l.events, "each link may lead elsewhere")
	require.Equal(t, "decide, save", fx.String())
	require.Equal(t, election.Outcome{Term: 5, Leader: election.Rank{ID: 3}, Role: election.Leader},
		fx.Outcome)
	require.Equal(t, []election.Outgoing{{Port: 0, Msg: message(2, 0)}, {Port: 1, Msg: message(2, 0)}},
		fx.Sends)
}

// TestOverlayOfStack: the overlay's own messages are of layer zero, even if the Node is a Stack.
func TestOverlayOfStack(t *testing.T) {
	var heard []string
	a := election.Algorithm{Name: "stack", Topology: election.Ring, Elects: election.Successors}
	a.New = func(election.Setup) election.Node {
		return election.Stack(&layer{name: "low", heard: &heard}, &layer{name: "top", heard: &heard})
	}
	over, err := a.OverComplete()
	require.NoError(t, err)
	on := crowd{3, []election.ID{2, 4}}
	node, env := over.New(election.Setup{Self: on.Self(0), Ports: 2}), election.NewEnv(on, nil)
	for _, op := range []election.Op{election.Init, election.Rejoin} {
		fx := env.Begin(0)
		node.Step(env, &election.Event{Op: op})
		for _, out := range fx.Sends {
			require.Zero(t, out.Msg.Layer)
		}
	}
}

// TestOverlayAfterReturn: a process that comes back begins an election only if no other does, and
// suspects none any more.
func TestOverlayAfterReturn(t *testing.T) {
	rejoin := election.Event{Op: election.Rejoin}
	l := lay(t, onRing, crowd{3, nil})
	require.Equal(t, []string{"rejoin 0"}, l.step(rejoin), "there was no election")
	l.step(start())
	require.Equal(t, []string{"rejoin 0", "init 0", "start 0", "recv 1"}, l.step(rejoin))
	l.on = func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Rejoin {
			e.Decide(e.Self())
		}
	}
	fx := l.effects(rejoin)
	require.True(t, fx.Decided())
	require.Equal(t, election.Outcome{Term: 3}, fx.Outcome, "what it decides before that is void")
	l = lay(t, onRing, crowd{3, []election.ID{4}})
	l.step(start())
	require.Equal(t, []string{"rejoin 0", "to 0: kind 2 of Term 1"}, l.step(rejoin))
	l = lay(t, onRing, crowd{3, []election.ID{4}})
	l.step(suspect(0))
	require.Equal(t, []string{"init 0"}, l.step(election.Event{Op: election.Init}))
	require.Equal(t, []string{"start 0", "to 0: kind 1 of Term 1"}, l.step(start()))
}

// TestOverlayState: an overlay restored in the middle of an election continues like the saved one.
func TestOverlayState(t *testing.T) {
	ring := crowd{3, []election.ID{1, 2, 4, 5}}
	tree := crowd{2, []election.ID{1, 3, 4}}
	for _, tt := range []struct {
		what  string
		of    election.Algorithm
		on    crowd
		then  []election.Event
		probe election.Event
	}{
		{"links", onRing, ring, []election.Event{suspect(2)}, start()},
		{"suspected", onRing, ring, []election.Event{suspect(2), start()}, suspect(2)},
		{"the root", onRooted, tree, []election.Event{suspect(0)}, from(1, 3, 4)},
		{"not the root", onRooted, tree, nil, from(1, 3, 4)},
		{"a Term heard of", onRing, ring, []election.Event{from(0, 1, 6)}, suspect(2)},
		{"the Term", onRing, ring, []election.Event{start()}, suspect(2)},
	} {
		l := lay(t, tt.of, tt.on)
		for _, ev := range tt.then {
			l.step(ev)
		}
		saved := new(election.State).Append(nil, &l.host)
		other := lay(t, tt.of, tt.on)
		require.NoError(t, new(election.State).Restore(&other.host, saved))
		require.Equal(t, saved, new(election.State).Append(nil, &other.host), tt.what)
		require.Equal(t, l.made[len(l.made)-1], other.made[len(other.made)-1], tt.what)
		require.Equal(t, l.step(tt.probe), other.step(tt.probe), tt.what)
		require.Equal(t, new(election.State).Append(nil, &l.host),
			new(election.State).Append(nil, &other.host), tt.what)
	}
}

// TestOverlayOfComplete: what runs on complete graphs, and looks after crashes itself, needs no overlay.
func TestOverlayOfComplete(t *testing.T) {
	for _, tt := range []struct {
		on     election.Shape
		elects election.Leadership
		under  election.Faults
		as     bool // as it is
	}{
		{election.Complete, election.Successors, election.Faults{}, true},
		{election.Complete, election.OneLeader, election.Faults{Crash: election.StaysDown}, true},
		{election.Complete, election.OneLeader, election.Faults{Crash: election.StaysDown, Reported: true}, false},
		{election.Complete, election.OneLeader, election.Faults{}, false},
		{election.Ring, election.Successors, election.Faults{Crash: election.StaysDown}, false},
	} {
		a := &election.Algorithm{Name: "a", Topology: tt.on, Elects: tt.elects, Faults: tt.under,
			New: func(election.Setup) election.Node { return &script{} }}
		over, err := a.OverComplete()
		require.NoError(t, err)
		require.Equal(t, tt.as, over == a, "%+v", tt)
		require.Equal(t, election.Complete, over.Topology)
	}
}

// TestOverlayKinds: the kinds of the algorithm keep their numbers, and the overlay's own carry nothing.
func TestOverlayKinds(t *testing.T) {
	for _, tt := range []struct {
		knows election.Knowledge
		want  []string
	}{{election.OwnPorts, []string{"word", "present"}}, {election.RootPort, []string{"word", "present", "begin"}}} {
		a := &election.Algorithm{Name: "inner", Topology: election.Tree, Knows: tt.knows,
			Kinds: []election.Kind{{Name: "word", Bits: func(cost.Widths) uint64 { return 3 }}},
			New:   func(election.Setup) election.Node { return &script{} }}
		over, err := a.OverComplete()
		require.NoError(t, err)
		var names []string
		var bits []uint64
		for _, k := range over.Kinds {
			names, bits = append(names, k.Name), append(bits, k.Bits(cost.Widths{}))
		}
		require.Equal(t, tt.want, names)
		require.Equal(t, []uint64{3, 0, 0}[:len(names)], bits)
		require.Len(t, a.Kinds, 1)

		a.Kinds = make([]election.Kind, 256-len(names))
		_, err = a.OverComplete()
		require.NoError(t, err, "255 in all")
		a.Kinds = make([]election.Kind, 257-len(names))
		_, err = a.OverComplete()
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, fmt.Sprintf("%d Kinds, and an overlay needs %d", 257-len(names),
			len(names)-1))
	}
}

// TestOtherDescriptions: an overlay, and the reversed order, change only the necessary parts of the
// description, and remain when they are configured. An algorithm without parameters gets none.
func TestOtherDescriptions(t *testing.T) {
	refused := errors.New("no such ring")
	a := lcr.Participant()
	a.Configure = nil
	over, err := a.OverComplete()
	require.NoError(t, err)
	require.Nil(t, over.Configure)
	require.Equal(t, []cost.Bound{{}, {}, {}}, []cost.Bound{over.Best, over.Mean, over.Worst},
		"the bounds are for other arrangements")
	require.Equal(t, election.Faults{Crash: election.MayRestart, Reported: true}, over.Faults)
	small, err := a.Smallest()
	require.NoError(t, err)
	require.Nil(t, small.Configure)
	for _, answer := range []error{nil, refused} {
		a.Configure = func(*params.Given) (*election.Algorithm, error) {
			b := lcr.Participant()
			b.Summary = "set"
			return b, answer
		}
		over, err = a.OverComplete()
		require.NoError(t, err)
		small, err = a.Smallest()
		require.NoError(t, err)
		over, err = over.Configure(nil)
		require.Equal(t, answer, err)
		small, err = small.Configure(nil)
		require.Equal(t, answer, err)
		if answer == nil {
			require.Equal(t, []string{"set", "set"}, []string{over.Summary, small.Summary})
			require.Equal(t, election.Complete, over.Topology)
			require.Contains(t, small.Wins(), "smallest")
		}
	}
	a.Sections = 1
	_, err = a.Smallest()
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "guards critical sections")
}
