package mutex_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
)

// paramSet configures a variant with parameters, which must be right.
func paramSet(t *testing.T, a *election.Algorithm, values map[string]params.Value) *election.Algorithm {
	t.Helper()
	a, err := a.Configure(params.New(values, unit, among(5)))
	require.NoError(t, err)
	return a
}

// paramNumber is a parameter that is a number.
func paramNumber(name string, number float64) map[string]params.Value {
	return map[string]params.Value{name: {Number: number}}
}

// paramTimer returns the only timer that a step sets, among those with this number or a larger one.
func paramTimer(t *testing.T, fx *election.Effects, least uint8) time.Duration {
	t.Helper()
	var set []time.Duration
	for _, c := range fx.Timers {
		if !c.Stop && c.Timer >= least && c.Layer == 1 {
			require.Equal(t, c.Min, c.Max)
			set = append(set, c.Min)
		}
	}
	require.Len(t, set, 1)
	return set[0]
}

// TestParamWhichElection: without others the only election that can be named is the one there is; with one
// other it is that.
func TestParamWhichElection(t *testing.T) {
	named := func(a *election.Algorithm) map[string]params.Value {
		return map[string]params.Value{"election": {Text: a.Title()}}
	}
	plain, other := bully.Algorithms()[0], lcr.Participant()
	for _, test := range []struct {
		others  []*election.Algorithm
		yes, no *election.Algorithm
	}{
		{yes: plain, no: other},
		{others: []*election.Algorithm{other}, yes: other, no: plain},
	} {
		a := mutex.Algorithms(plain, test.others...)[0]
		paramSet(t, a, named(test.yes))
		_, err := a.Configure(params.New(named(test.no), unit, among(5)))
		require.ErrorIs(t, err, election.ErrInput)
	}
}

// TestParamDelay: the given Delay counts, otherwise the Delay of the election, otherwise one second.
func TestParamDelay(t *testing.T) {
	slow := *poll()
	slow.Delay = 7 * unit
	for _, test := range []struct {
		elect *election.Algorithm
		given time.Duration
		want  time.Duration
	}{
		{poll(), 0, mutex.DefaultDelay}, {poll(), 3 * unit, 3 * unit}, {&slow, 0, 7 * unit},
		{&slow, 3 * unit, 3 * unit},
	} {
		a, err := mutex.Arbiter(mutex.Config{Election: test.elect, Delay: test.given})
		require.NoError(t, err)
		require.Equal(t, test.want, a.Delay)
	}
	require.Equal(t, 3*unit, paramSet(t, mutex.Algorithms(lcr.Participant())[0],
		paramNumber("delay", 3)).Delay)
}

// TestParamLease: a grant expires after the Lease and two Delays; the Lease is 10 seconds, or twice as long
// as a process stays inside.
func TestParamLease(t *testing.T) {
	for _, test := range []struct {
		values map[string]params.Value
		want   time.Duration
	}{
		{nil, 10*time.Second + 2*unit},
		{paramNumber("critical_section", 20), 42 * unit},
		{paramNumber("lease", 3), 5 * unit},
	} {
		values := map[string]params.Value{"arbiter": {Number: 3}}
		for name, v := range test.values {
			values[name] = v
		}
		p := alone(t)(paramSet(t, mutex.Algorithms(poll())[0], values), nil)
		fx := p.hears(0, "request", election.Message{Round: 1, Layer: 1})
		require.Equal(t, test.want, paramTimer(t, fx, 64))
	}
}

// TestParamGrace: a new arbiter waits for two Delays, or for the time of the parameters.
func TestParamGrace(t *testing.T) {
	elect, err := modbully.New(modbully.Number, modbully.Config{Coordinator: 4})
	require.NoError(t, err)
	for want, values := range map[time.Duration]map[string]params.Value{
		2 * unit: nil,
		9 * unit: paramNumber("grace", 9),
	} {
		p := alone(t)(paramSet(t, mutex.Algorithms(elect)[0], values), nil)
		fx := p.step(election.Event{Op: election.Suspect, Port: 2})
		require.Equal(t, election.Leader, fx.Outcome.Role)
		require.Equal(t, want, paramTimer(t, fx, 192))
	}
}

// TestParamRestless: a token that is regenerated, however soon, may take any number of hops, and so never
// rests.
func TestParamRestless(t *testing.T) {
	a, err := mutex.TokenRing(mutex.Config{Regenerate: 1})
	require.NoError(t, err)
	require.True(t, a.NeverQuiesces)
	a, err = mutex.TokenRing(mutex.Config{First: 1, Hops: 3})
	require.NoError(t, err)
	require.False(t, a.NeverQuiesces)
	require.True(t, paramSet(t, mutex.Algorithms(poll())[2], paramNumber("regenerate", 1e-12)).NeverQuiesces)
}

// TestParamUnknownProcess: a ring can be described before its processes are known.
func TestParamUnknownProcess(t *testing.T) {
	a, err := mutex.Algorithms(poll())[2].Configure(params.New[election.ID](nil, unit, nil))
	require.NoError(t, err)
	require.False(t, a.NeverQuiesces)
}

// paramAsked is the process 3 that asks all others for section 0 by this event, and what they have answered.
func paramAsked(t *testing.T, ask election.Event, answers election.Port) (*single, *election.Effects) {
	p := alone(t)(mutex.RicartAgrawala(mutex.Config{CriticalSection: 2 * unit}))
	fx := p.step(ask)
	require.Len(t, fx.Sends, 4)
	for port := range answers {
		fx = p.hears(port, "ok", election.Message{Value: 1})
	}
	return p, fx
}

// TestAskerNumbers: a Start asks under number zero, a Request under its own; with all answers the process is
// inside for its time.
func TestAskerNumbers(t *testing.T) {
	for number, ask := range map[uint32]election.Event{0: {Op: election.Start}, 7: mutex.Request(0, 7)} {
		_, fx := paramAsked(t, ask, 4)
		require.Len(t, fx.Signals, 1)
		require.Equal(t, election.Entered, fx.Signals[0].Event.Op)
		require.Equal(t, number, fx.Signals[0].Event.Msg.Round)
		require.EqualValues(t, 1<<3|2, fx.Signals[0].Event.Msg.Value, "two of four are smaller")
		require.Equal(t, []election.TimerChange{{Min: 2 * unit, Max: 2 * unit}}, fx.Timers)
	}
}

// TestAskerLeaves: a process that leaves answers the waiting processes, and stops its timer; a Release of
// another request has no effect.
func TestAskerLeaves(t *testing.T) {
	p, _ := paramAsked(t, mutex.Request(0, 7), 4)
	require.Empty(t, p.hears(1, "request", election.Message{Value: 5}).Sends)
	fx := p.step(mutex.Release(0, 8))
	require.Empty(t, fx.Sends)
	require.Empty(t, fx.Signals)
	unknown := mutex.Release(0, 7)
	unknown.Msg.Kind = 3
	require.Empty(t, p.step(unknown).Signals)
	fx = p.step(mutex.Release(0, 7))
	require.EqualValues(t, 5, p.sent(t, fx, 1, "ok").Value)
	require.Equal(t, []election.TimerChange{{Stop: true}}, fx.Timers)
	require.Equal(t, election.Exited, fx.Signals[0].Event.Op)
}

// TestAskerTakesBack: a process that withdraws its request answers the processes that it has kept waiting,
// once.
func TestAskerTakesBack(t *testing.T) {
	p, _ := paramAsked(t, mutex.Request(0, 7), 3)
	require.Empty(t, p.hears(1, "request", election.Message{Value: 5}).Sends)
	require.Empty(t, p.step(mutex.Release(0, 8)).Sends)
	require.EqualValues(t, 5, p.sent(t, p.step(mutex.Release(0, 7)), 1, "ok").Value)
	require.Empty(t, p.step(mutex.Release(0, 7)).Sends)
	require.Empty(t, p.hears(3, "ok", election.Message{Value: 1}).Signals)
}
