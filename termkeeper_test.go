package election_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// view is a process with an ID and two ports that knows no peer.
type view election.ID

func (v view) Self(int) election.Rank                { return election.Rank{ID: election.ID(v)} }
func (v view) Ports(int) int                         { return 2 }
func (v view) Peer(int, election.Port) election.Rank { return election.Rank{} }
func start() election.Event                          { return election.Event{Op: election.Start} }
func recv(m election.Message) election.Event {
	return election.Event{Op: election.Recv, Port: 1, Msg: m}
}
func message(kind uint8, term uint64) election.Message {
	return election.Message{Kind: kind, Term: term}
}
func catchUp(term uint64, value uint64) election.Message {
	return election.Message{Term: term, Value: value}
}

// script is a Node for one election. It speaks when it starts, relays what it hears, sets a
// timer, and decides on kind 2.
type script struct {
	began bool
	heard uint32
}

func (n *script) Step(e *election.Env, ev *election.Event) {
	switch {
	case ev.Op == election.Start && n.heard > 0:
		e.Refuse(election.ErrLateStart)
	case ev.Op == election.Start:
		n.began = true
		e.Send(0, election.Message{Kind: 1})
		e.SetTimer(3, 1, 1)
	case ev.Op == election.Recv:
		n.heard++
		e.Send(0, ev.Msg)
		if ev.Msg.Kind == 2 {
			e.Decide(election.Rank{ID: 9})
			e.Done()
		}
	}
}

func (n *script) State(s *election.State) {
	s.Bool(&n.began)
	s.Uint32(&n.heard)
}

// rig is a TermKeeper under test and its Env.
type rig struct {
	t    *testing.T
	node *script
	rec  election.TermKeeper
	env  *election.Env
}

func newRig(t *testing.T, id election.ID, a election.Algorithm, oneWay ...bool) *rig {
	r := &rig{t: t, node: &script{}, env: election.NewEnv(view(id), nil)}
	a.New = func(election.Setup) election.Node { return r.node }
	r.rec = a.NewNode(election.Setup{}, len(oneWay) > 0)
	r.step(election.Event{Op: election.Init})
	return r
}

func (r *rig) step(ev election.Event) *election.Effects {
	fx := r.env.Begin(0)
	r.rec.Step(r.env, &ev)
	return fx
}

// sent steps and returns the kinds and Terms of what was sent.
func (r *rig) sent(ev election.Event) (out [][2]uint64) {
	for _, s := range r.step(ev).Sends {
		out = append(out, [2]uint64{uint64(s.Msg.Kind), s.Msg.Term})
	}
	return out
}

func TestTermKeeperStampsTerms(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{})
	require.Zero(t, r.rec.Term())
	fx := r.step(start())
	require.Equal(t, []election.Outgoing{{Port: 0, Msg: message(1, 1)}}, fx.Sends)
	require.True(t, fx.Saved(), "a new Term is saved")
	require.Equal(t, [][2]uint64{{1, 1}}, r.sent(recv(message(1, 1))))
	fx = r.step(recv(message(2, 1)))
	require.EqualValues(t, 1, fx.Outcome.Term)
	require.True(t, r.rec.Ended())
	require.False(t, fx.Saved())
}

func TestTermKeeperStart(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{})
	require.Equal(t, [][2]uint64{{1, 1}}, r.sent(recv(message(1, 1))),
		"a message of the first Term is joined")
	fx := r.step(start())
	require.ErrorIs(t, fx.Err, election.ErrLateStart, "while an election is under way the Node judges")
	require.EqualValues(t, 1, r.rec.Term())
	r.step(recv(message(2, 1)))
	require.Equal(t, [][2]uint64{{1, 2}}, r.sent(start()), "after the end a start begins the next")
	require.False(t, r.rec.Ended())
	require.True(t, r.node.began)
}

func TestTermKeeperNewerTerm(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{})
	r.step(start())
	fx := r.step(recv(message(1, 7)))
	require.Equal(t, []election.Outgoing{{Port: 0, Msg: message(1, 7)}}, fx.Sends)
	require.True(t, fx.Saved())
	require.Contains(t, fx.Timers, election.TimerChange{Stop: true, All: true},
		"timers of the old election are void")
	require.Equal(t, &script{heard: 1}, r.node, "the Node has forgotten the old election")
}

func TestTermKeeperOlderTerm(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{})
	r.step(recv(message(1, 7)))
	fx := r.step(recv(message(2, 6)))
	require.Equal(t, []election.Outgoing{{Port: 1, Msg: catchUp(7, 0)}}, fx.Sends,
		"it is answered where it came from")
	require.False(t, fx.Decided())
	require.Equal(t, &script{heard: 1}, r.node)
	require.Empty(t, r.sent(recv(catchUp(6, 0))), "two processes never throw catch-ups at each other")

	forth := newRig(t, 5, election.Algorithm{}, true)
	forth.step(recv(message(1, 7)))
	require.Empty(t, forth.sent(recv(message(2, 6))))
}

func TestTermKeeperTermZero(t *testing.T) {
	for _, single := range []bool{false, true} {
		r := newRig(t, 5, election.Algorithm{SingleInitiator: single})
		require.Empty(t, r.sent(recv(election.Message{Kind: 1, Value: 6})), "no election has Term zero")
		require.Equal(t, &script{}, r.node)
	}
}

func TestTermKeeperCatchUp(t *testing.T) {
	over := catchUp(7, 0)
	over.Flags = 1 // the election of the sender has ended
	rejoin := election.Event{Op: election.Rejoin}

	r := newRig(t, 5, election.Algorithm{})
	require.Empty(t, r.sent(recv(over)), "a process that has not asked for an election only moves")
	require.EqualValues(t, 7, r.rec.Term())
	require.Equal(t, [][2]uint64{{1, 8}}, r.sent(start()), "and begins the one after")

	r = newRig(t, 5, election.Algorithm{})
	r.step(start())
	require.Equal(t, [][2]uint64{{1, 8}}, r.sent(recv(over)), "a process that has asked, asks again")
	require.Empty(t, r.sent(recv(over)), "once")

	r = newRig(t, 5, election.Algorithm{})
	r.step(start())
	require.Empty(t, r.sent(recv(catchUp(7, 0))), "an election that goes on will come here too")
	require.False(t, r.rec.Ended())
	require.Equal(t, [][2]uint64{{1, 7}}, r.sent(recv(message(1, 7))))

	r = newRig(t, 5, election.Algorithm{})
	r.step(rejoin)
	r.step(start())
	require.Equal(t, [][2]uint64{{1, 8}}, r.sent(recv(catchUp(7, 0))),
		"unless it may have come before a crash")
	require.Empty(t, r.sent(recv(catchUp(9, 0))), "which is made up for by one election")

	r = newRig(t, 5, election.Algorithm{})
	r.step(rejoin)
	r.step(recv(catchUp(7, 0)))
	require.Equal(t, [][2]uint64{{1, 8}}, r.sent(start()))
}

func TestTermKeeperTellsWhetherItHasEnded(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{})
	r.step(recv(message(1, 7)))
	require.Equal(t, catchUp(7, 0), r.step(recv(message(1, 6))).Sends[0].Msg)
	r.step(recv(message(2, 7)))
	want := catchUp(7, 0)
	want.Flags = 1
	require.Equal(t, want, r.step(recv(message(1, 6))).Sends[0].Msg)
}

func TestTermKeeperRestart(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{})
	r.step(recv(message(1, 7)))
	saved := new(election.State).Append(nil, &r.rec)

	back := newRig(t, 5, election.Algorithm{})
	require.NoError(t, new(election.State).Restore(&back.rec, saved))
	back.step(election.Event{Op: election.Init})
	require.EqualValues(t, 7, back.rec.Term())
	require.Equal(t, &script{}, back.node)
	require.Empty(t, back.sent(recv(message(1, 7))), "it abstains from an election it may have spoken in")
	require.Equal(t, [][2]uint64{{0, 7}}, back.sent(recv(message(1, 6))))
	require.Equal(t, [][2]uint64{{1, 8}}, back.sent(start()))
	require.Equal(t, [][2]uint64{{1, 8}}, back.sent(recv(message(1, 8))), "and takes part in the next")
}

func TestTermKeeperSingleInitiator(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{SingleInitiator: true})
	fx := r.step(start())
	require.Equal(t, election.Message{Kind: 1, Term: 1, Value: 5}, fx.Sends[0].Msg)
	of := func(term, origin uint64) election.Event {
		return recv(election.Message{Kind: 1, Term: term, Value: origin})
	}
	require.Equal(t, [][2]uint64{{0, 1}}, r.sent(of(1, 4)),
		"of two elections of one Term the smaller starter's is stale")
	require.Equal(t, [][2]uint64{{1, 1}}, r.sent(of(1, 6)), "and the larger starter's is joined")
	require.Equal(t, &script{heard: 1}, r.node)
	require.Equal(t, [][2]uint64{{0, 1}}, r.sent(of(1, 5)), "its own has become stale")
	require.Equal(t, [][2]uint64{{1, 2}}, r.sent(of(2, 1)), "a larger Term wins, whichever process started")
	require.Empty(t, r.sent(recv(catchUp(2, 1))))
}

func TestTermKeeperReelect(t *testing.T) {
	reelect := election.Event{Op: election.Reelect}
	r := newRig(t, 5, election.Algorithm{})
	require.Equal(t, [][2]uint64{{1, 1}}, r.sent(reelect))
	require.Equal(t, [][2]uint64{{1, 2}}, r.sent(reelect), "the one under way is given up")
	require.Empty(t, r.sent(election.Event{Op: election.Recv, Port: 0, Msg: message(2, 3)})[1:])
	require.True(t, r.rec.Ended())
	require.Equal(t, [][2]uint64{{1, 4}}, r.sent(reelect))
}

// TestTermKeeperRefusedStart: what was refused is not asked for later.
func TestTermKeeperRefusedStart(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{})
	r.step(recv(message(1, 1)))
	require.ErrorIs(t, r.step(start()).Err, election.ErrLateStart)
	over := catchUp(7, 0)
	over.Flags = 1
	require.Empty(t, r.sent(recv(over)))
	require.EqualValues(t, 7, r.rec.Term())
}

func TestTermKeeperTermsRunOut(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{})
	r.step(recv(message(2, math.MaxUint64)))
	require.ErrorIs(t, r.step(start()).Err, election.ErrTermExhausted)
}

func TestTermKeeperLongLived(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{Elects: election.Successors})
	require.Equal(t, [][2]uint64{{1, 0}}, r.sent(start()))
	require.Equal(t, [][2]uint64{{1, 3}}, r.sent(recv(message(1, 3))))
	require.Equal(t, [][2]uint64{{1, 2}}, r.sent(recv(message(1, 2))))
	require.Zero(t, r.rec.Term())
}

func TestTermKeeperStateRoundTrip(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{SingleInitiator: true})
	r.step(start())
	r.step(recv(election.Message{Kind: 2, Term: 4, Value: 9}))
	saved := new(election.State).Append(nil, &r.rec)
	other := newRig(t, 5, election.Algorithm{SingleInitiator: true})
	require.NoError(t, new(election.State).Restore(&other.rec, saved))
	require.Equal(t, r.node, other.node)
	require.Equal(t, saved, new(election.State).Append(nil, &other.rec))
	require.True(t, other.rec.Ended())
	ev := recv(election.Message{Kind: 1, Term: 4, Value: 9})
	require.Equal(t, r.sent(ev), other.sent(ev))
}

func TestTermKeeperAllocations(t *testing.T) {
	r := newRig(t, 5, election.Algorithm{})
	r.step(start())
	ev := recv(message(1, 1))
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r.env.Begin(0)
		r.rec.Step(r.env, &ev)
	}))
}

// layer is a machine of a Stack that notes what it hears and, on demand, speaks.
type layer struct {
	name  string
	heard *[]string
	on    func(e *election.Env, ev *election.Event)
}

func (n *layer) Step(e *election.Env, ev *election.Event) {
	*n.heard = append(*n.heard, n.name+" "+ev.Op.String())
	if n.on != nil {
		n.on(e, ev)
	}
}

func (n *layer) State(*election.State) {}

func TestStackRouting(t *testing.T) {
	var heard []string
	stack := election.Stack(&layer{name: "low", heard: &heard}, &layer{name: "mid", heard: &heard},
		&layer{name: "top", heard: &heard})
	env := election.NewEnv(view(1), nil)
	for _, tt := range []struct {
		ev   election.Event
		want []string
	}{
		{election.Event{Op: election.Init}, []string{"low init", "mid init", "top init"}},
		{election.Event{Op: election.Suspect}, []string{"low suspect", "mid suspect", "top suspect"}},
		{election.Event{Op: election.Start}, []string{"top start"}},
		{election.Event{Op: election.Command}, []string{"top command"}},
		{recv(election.Message{Layer: 1}), []string{"mid recv"}},
		{recv(election.Message{Layer: 3}), nil},
		{election.Event{Op: election.Timeout, Layer: 2}, []string{"top timeout"}},
		{election.Event{Op: election.Timeout, Layer: 200}, nil},
	} {
		heard = nil
		env.Begin(0)
		stack.Step(env, &tt.ev)
		require.Equal(t, tt.want, heard, "%v", tt.ev.Op)
	}
}

// TestStackOfStacks: the machines of a Stack inside get layers of their own, also below a TermKeeper.
func TestStackOfStacks(t *testing.T) {
	var heard []string
	inner := &election.Algorithm{Elects: election.Successors, New: func(election.Setup) election.Node {
		return election.Stack(&layer{name: "low", heard: &heard}, &layer{name: "mid", heard: &heard})
	}}
	host := inner.NewNode(election.Setup{}, false)
	for _, below := range []election.Node{&host, host.Node()} {
		stack := election.Stack(below, &layer{name: "top", heard: &heard})
		env := election.NewEnv(view(1), nil)
		for i, want := range []string{"low timeout", "mid timeout", "top timeout"} {
			heard = nil
			env.Begin(0)
			stack.Step(env, &election.Event{Op: election.Timeout, Layer: uint8(i)})
			require.Equal(t, []string{want}, heard)
		}
	}
}

// TestStackGivesTheLayerBack: what shares the Env of a Stack sends in layer 0, as before.
func TestStackGivesTheLayerBack(t *testing.T) {
	var heard []string
	stack := election.Stack(&layer{name: "low", heard: &heard}, &layer{name: "top", heard: &heard})
	env := election.NewEnv(view(1), nil)
	env.Begin(0)
	stack.Step(env, &election.Event{Op: election.Timeout, Layer: 1})
	fx := env.Begin(0)
	env.Send(0, election.Message{Kind: 1, Layer: 5})
	require.Zero(t, fx.Sends[0].Msg.Layer)
}

func TestStackRaises(t *testing.T) {
	var heard []string
	low := &layer{name: "low", heard: &heard, on: func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Timeout {
			e.Raise(election.Event{Op: election.Suspect, Port: 1})
			e.Send(0, election.Message{Kind: 1})
			e.SetTimer(4, 1, 1)
		}
	}}
	mid := &layer{name: "mid", heard: &heard, on: func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Suspect {
			e.Send(0, election.Message{Kind: 2})
			e.DecideIn(3, election.Rank{ID: 8})
		}
	}}
	top := &layer{name: "top", heard: &heard, on: func(e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Decided:
			require.Equal(t, election.Message{Term: 3, Rank: election.Rank{ID: 8}}, ev.Msg)
			e.Lower(election.Event{Op: election.Start})
			e.Raise(election.Event{Op: election.Command})
		case election.Suspect:
			require.EqualValues(t, 1, ev.Port)
		}
	}}
	env := election.NewEnv(view(1), nil)
	fx := env.Begin(0)
	election.Stack(low, mid, top).Step(env, &election.Event{Op: election.Timeout})
	require.Equal(t, []string{"low timeout", "mid suspect", "top suspect", "top decided", "mid start"}, heard)
	require.Equal(t, []election.Outgoing{{Msg: election.Message{Kind: 1}},
		{Msg: election.Message{Kind: 2, Layer: 1}}}, fx.Sends)
	require.Equal(t, []election.TimerChange{{Timer: 4, Layer: 0, Min: 1, Max: 1}}, fx.Timers)
	require.Equal(t, []election.Signal{{Event: election.Event{Op: election.Command, Layer: 2}}}, fx.Signals,
		"what the topmost raises is for the program")
	require.Equal(t, election.ID(8), fx.Outcome.Leader.ID, "a decision below is the process's")
	require.Equal(t, time.Duration(1), fx.Timers[0].Min)
}

func TestStackWithoutEnd(t *testing.T) {
	var heard []string
	low := &layer{heard: &heard, on: func(e *election.Env,
		_ *election.Event) {
		e.Raise(election.Event{Op: election.Suspect})
	}}
	top := &layer{heard: &heard, on: func(e *election.Env,
		_ *election.Event) {
		e.Lower(election.Event{Op: election.Start})
	}}
	env := election.NewEnv(view(1), nil)
	env.Begin(0)
	require.PanicsWithValue(t, "the machines of a stack raise events to each other without end", func() {
		election.Stack(low, top).Step(env, &election.Event{Op: election.Start})
	})
}

func TestEnvChoose(t *testing.T) {
	env := election.NewEnv(view(1), func(n int) int { return n - 1 })
	require.Equal(t, 6, env.Choose(7))
	require.Equal(t, 1, env.Choose(2))
	require.Zero(t, env.Choose(1))
	require.Zero(t, env.Choose(-3))
	require.Zero(t, election.NewEnv(view(1), nil).Choose(7))
}
