package election_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestStackWithdrawsRefusal: if a machine passes a Start down and an election is already in progress below,
// that is not an error. Any other refusal stands, and so does an earlier one.
func TestStackWithdrawsRefusal(t *testing.T) {
	before := errors.New("not now")
	for _, tt := range []struct {
		hands election.Op
		first error // of the topmost machine
		then  error // of the one below
		want  error
	}{
		{election.Start, nil, election.ErrLateStart, nil},
		{election.Start, nil, election.ErrNotInitiator, election.ErrNotInitiator},
		{election.Reelect, nil, election.ErrLateStart, election.ErrLateStart},
		{election.Start, before, nil, before},
		{election.Start, election.ErrLateStart, nil, election.ErrLateStart},
		{election.Start, before, election.ErrLateStart, election.ErrLateStart},
		{election.Start, nil, nil, nil},
	} {
		var heard []string
		low := &layer{name: "low", heard: &heard, on: func(e *election.Env, _ *election.Event) {
			e.Save()
			if tt.then != nil {
				e.Refuse(tt.then)
			}
		}}
		top := &layer{name: "top", heard: &heard, on: func(e *election.Env, _ *election.Event) {
			if tt.first != nil {
				e.Refuse(tt.first)
			}
			e.Lower(election.Event{Op: tt.hands})
		}}
		env := election.NewEnv(view(1), nil)
		fx := env.Begin(0)
		election.Stack(low, top).Step(env, &election.Event{Op: election.Command})
		require.Equal(t, []string{"top command", "low " + tt.hands.String()}, heard)
		require.Equal(t, tt.want, fx.Err, "%+v", tt)
		require.Equal(t, tt.want != nil, fx.Refused(), "%+v", tt)
		require.True(t, fx.Saved())
	}
}

// TestStackEnds: what the lowest machine hands down and what the topmost decides goes to no other machine. A
// decision below the topmost goes to those above only, and what another has decided counts once.
func TestStackEnds(t *testing.T) {
	var heard []string
	acts := map[string]func(e *election.Env){}
	machine := func(name string) election.Node {
		return &layer{name: name, heard: &heard, on: func(e *election.Env, ev *election.Event) {
			if act := acts[name]; act != nil && ev.Op == election.Timeout {
				act(e)
			}
		}}
	}
	decide := func(e *election.Env) { e.DecideIn(2, election.Rank{ID: 7}) }
	for _, tt := range []struct {
		at   uint8
		does func(e *election.Env)
		want []string
	}{
		{0, func(e *election.Env) { e.Lower(start()) }, []string{"low timeout"}},
		{0, func(e *election.Env) { e.Raise(start()) }, []string{"low timeout", "mid start", "top start"}},
		{1, func(e *election.Env) { e.Lower(start()) }, []string{"mid timeout", "low start"}},
		{1, func(e *election.Env) { e.Raise(start()) }, []string{"mid timeout", "top start"}},
		{2, func(e *election.Env) { e.Raise(start()) }, []string{"top timeout"}},
		{2, func(e *election.Env) { e.Lower(start()) }, []string{"top timeout", "mid start"}},
		{0, decide, []string{"low timeout", "mid decided", "top decided"}},
		{1, decide, []string{"mid timeout", "top decided"}},
		{2, decide, []string{"top timeout"}},
	} {
		heard = nil
		acts = map[string]func(e *election.Env){[]string{"low", "mid", "top"}[tt.at]: tt.does}
		env := election.NewEnv(view(1), nil)
		fx := env.Begin(0)
		node := election.Stack(machine("low"), machine("mid"), machine("top"))
		node.Step(env, &election.Event{Op: election.Timeout, Layer: tt.at})
		require.Equal(t, tt.want, heard)
		env.Send(0, election.Message{})
		require.Zero(t, fx.Sends[0].Msg.Layer, "what a Node around the Stack sends is of no machine's layer")
		heard = nil
		env.Begin(0)
		node.Step(env, &election.Event{Op: election.Command})
		require.Equal(t, []string{"top command"}, heard, "nothing of a Step remains in the next")
	}
}

// TestStackKeepsEffects: what one machine wants in a Step stands when another one steps.
func TestStackKeepsEffects(t *testing.T) {
	var heard []string
	low := &layer{name: "low", heard: &heard, on: func(e *election.Env, _ *election.Event) {
		e.Save()
		e.Done()
		e.SetTimer(1, 2, 3)
	}}
	top := &layer{name: "top", heard: &heard, on: func(e *election.Env, _ *election.Event) {
		e.StopTimer(4)
		e.Withdraw(5)
	}}
	env := election.NewEnv(view(1), nil)
	fx := env.Begin(0)
	election.Stack(low, top).Step(env, &election.Event{Op: election.Init})
	require.Equal(t, "decide, end, save, timers", fx.String())
	require.Equal(t, []election.TimerChange{{Timer: 1, Min: 2, Max: 3}, {Timer: 4, Layer: 1, Stop: true}},
		fx.Timers)
	require.Equal(t, []string{"low init", "top init"}, heard)
}

// counted is a machine that counts its events.
type counted struct{ n uint32 }

func (c *counted) Step(*election.Env, *election.Event) { c.n++ }
func (c *counted) State(s *election.State)             { s.Uint32(&c.n) }

// TestStackState: the state of a Stack consists of the states of its machines, lowest first.
func TestStackState(t *testing.T) {
	low, top := &counted{n: 3}, &counted{n: 4}
	saved := new(election.State).Append(nil, election.Stack(low, top))
	require.Equal(t, []byte{3, 0, 0, 0, 4, 0, 0, 0}, saved)
	low, top = &counted{}, &counted{}
	require.NoError(t, new(election.State).Restore(election.Stack(low, top), saved))
	require.Equal(t, []counted{{3}, {4}}, []counted{*low, *top})
}
