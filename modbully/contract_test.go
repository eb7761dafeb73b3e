package modbully_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/params"
)

// TestConfigurations: the variants conform with parameters too, by which other parts of them are at work. As
// they are by default they are in the catalog.
func TestConfigurations(t *testing.T) {
	pending := func(id election.ID) time.Duration { return time.Duration(id%5) * sim.Unit / 4 }
	for _, c := range []struct {
		v      modbully.Variant
		config modbully.Config
	}{
		{modbully.Convenience, modbully.Config{Pending: pending, Wait: modbully.WaitOwn, Echo: true}},
		{modbully.Convenience, modbully.Config{Pending: pending, Wait: modbully.WaitPaper}},
		{modbully.Number, modbully.Config{Wait: modbully.WaitRank}},
		{modbully.Grant, modbully.Config{Waits: pending}},
	} {
		t.Run(string(c.v)+string(c.config.Wait), func(t *testing.T) {
			a := build(t, c.v, c.config)
			// are for processes that do not wait
			a.Best, a.Mean, a.Worst = cost.Bound{}, cost.Bound{}, cost.Bound{}
			electiontest.Test(t, a, electiontest.Options{Find: catalog.Find})
		})
	}
}

// TestUnknown: what a Node does not know it leaves alone.
func TestUnknown(t *testing.T) {
	for _, v := range variants {
		p := newSingle(t, v, modbully.Config{Coordinator: 5}, 3, 5)
		before := new(election.State).Append(nil, p.node)
		for _, ev := range []election.Event{
			{Op: 99}, {Op: election.Command}, {Op: election.Decided},
			{Op: election.Suspect, Port: 9}, {Op: election.Trust, Port: 3},
			{Op: election.Recv, Msg: election.Message{Kind: 12}},
			{Op: election.Recv, Msg: election.Message{Kind: 200}},
			{Op: election.Recv, Msg: election.Message{Kind: election.CatchUp}},
			{Op: election.Recv, Msg: election.Message{Kind: election.CatchUp, Rank: election.Rank{ID: 4}}},
		} {
			fx := p.step(ev)
			require.Empty(t, fx.Sends, "%+v", ev)
			require.False(t, fx.Rare(), "%+v", ev)
			require.Equal(t, before, new(election.State).Append(nil, p.node), "%+v", ev)
		}
	}
}

// TestOneAndTwo are the smallest systems.
func TestOneAndTwo(t *testing.T) {
	for _, v := range variants {
		for _, coordinator := range []election.ID{0, 1} {
			r := run(t, sim.Config{Input: scenario.Input{Algorithm: build(t, v,
				modbully.Config{Coordinator: coordinator}), IDs: upTo(1, 1)}})
			require.NoError(t, r.Err())
			require.EqualValues(t, 1, r.Leader)
			require.Zero(t, r.Messages)
		}
		in := scenario.Input{Algorithm: build(t, v, modbully.Config{Coordinator: 1}), IDs: upTo(1, 1),
			CrashAt: at(1, 1), RecoverAt: at(1, 2)}
		r := run(t, sim.Config{Input: in})
		require.NoError(t, r.Err())

		two := scenario.Input{Algorithm: build(t, v, modbully.Config{Coordinator: 2}), IDs: upTo(1, 2),
			Crashed: upTo(2, 2), Initiators: upTo(1, 1)}
		r = run(t, sim.Config{Input: two})
		require.NoError(t, r.Err())
		require.EqualValues(t, 1, r.Leader)
		require.Zero(t, r.Messages)
		two.RecoverAt = at(2, 5)
		r = run(t, sim.Config{Input: two})
		require.NoError(t, r.Err())
		require.EqualValues(t, 2, r.Leader)
	}
}

// TestPriorities: the largest Rank wins, not the largest ID, at the same cost.
func TestPriorities(t *testing.T) {
	for _, v := range variants {
		in := scenario.Input{Algorithm: build(t, v, modbully.Config{Coordinator: 2}), IDs: upTo(1, 5),
			Priorities: []uint64{3, 9, 3, 0, 1},
			Crashed:    upTo(2, 2), Initiators: upTo(4, 4)}
		r := run(t, sim.Config{Input: in})
		require.NoError(t, r.Err())
		require.EqualValues(t, 3, r.Leader)
		requireCounts(t, want(v, 5, 1, 15), &r, string(v))
	}
}

// TestLarge: one that notices, among a hundred thousand.
func TestLarge(t *testing.T) {
	const n = 100_000
	for v, messages := range map[modbully.Variant]int{modbully.Base: n, modbully.Number: 2*n - 2} {
		r := run(t, sim.Config{Input: scenario.Input{Algorithm: build(t, v, modbully.Config{Coordinator: n}),
			IDs: upTo(1, n), Crashed: upTo(n, n), Initiators: upTo(1, 1)}})
		require.NoError(t, r.Err())
		require.EqualValues(t, n-1, r.Leader)
		require.EqualValues(t, messages, r.Messages)
	}
}

func TestConfig(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		c    modbully.Config
		want string
	}{
		{modbully.Config{}, ""},
		{modbully.Config{Delay: 100 * s, Processing: 500 * s}, ""},
		{modbully.Config{AcceptTimeout: 2 * s}, ""},
		{modbully.Config{AcceptTimeout: 20 * s}, ""},
		{modbully.Config{AcceptTimeout: 2*s - 1},
			"AcceptTimeout: 1.999999999s is below 2s: an answer takes up to two delays and processing"},
		{modbully.Config{AcceptTimeout: 1, Unsafe: true}, ""},
		{modbully.Config{AcceptTimeout: 2 * s, Processing: 1}, "AcceptTimeout: 2s is below 2.000000001s"},
		{modbully.Config{AcceptTimeout: -1}, "AcceptTimeout: -1ns is negative"},
		{modbully.Config{AcceptTimeout: -1, Unsafe: true}, "AcceptTimeout: -1ns is negative"},
		{modbully.Config{AcceptTimeout: math.MaxInt64},
			"AcceptTimeout: 2562047h47m16.854775807s is too long"},
		{modbully.Config{CoordinatorTimeout: 4 * s}, "CoordinatorTimeout: 4s is below 5s"},
		{modbully.Config{ReplyTimeout: s}, "ReplyTimeout: 1s is below 2s"},
		{modbully.Config{Delay: params.MaxTimeout}, "AcceptTimeout: "},
		{modbully.Config{Delay: -1}, "Delay: -1ns is negative"},
		{modbully.Config{Heartbeat: 1}, "Heartbeat: 1ns is below 10ms, a hundredth of Delay"},
		{modbully.Config{Heartbeat: s / 100}, ""},
		{modbully.Config{Heartbeat: -1}, "Heartbeat: -1ns is negative"},
		{modbully.Config{Wait: "long"}, `Wait: "long" is not one of none, paper, own, rank`},
		{modbully.Config{Wait: "own", Waits: func(election.ID) time.Duration { return 0 }},
			"Wait: both a policy and a table"},
	} {
		a, err := modbully.New(modbully.Number, test.c)
		if test.want == "" {
			require.NoError(t, err)
			require.NoError(t, a.Check())
			continue
		}
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, test.want)
	}
	_, err := modbully.New("other", modbully.Config{})
	require.ErrorContains(t, err, `variant: "other" is not one of base, convenience, number, grant`)
}

func TestConfigure(t *testing.T) {
	number := func(f float64) params.Value { return params.Value{Number: f} }
	text := func(s string) params.Value { return params.Value{Text: s} }
	table := params.Value{ByID: map[uint64]float64{1: 2, 3: 0.5}}
	for _, test := range []struct {
		params map[string]params.Value
		want   string
	}{
		{nil, ""},
		{map[string]params.Value{"coordinator": number(3), "accept_timeout": number(3),
			"coordinator_timeout": number(6),
			"reply_timeout":       number(4), "pending": table, "wait": table, "heartbeat": number(0),
			"refresh": number(9), "echo": text("yes"),
			"reset": text("literal"), "delay": number(1), "processing": number(0), "unsafe": number(1)}, ""},
		{map[string]params.Value{"wait": text("rank"), "delay": number(3)}, ""},
		{map[string]params.Value{"accept_timeout": number(0)}, "params.accept_timeout: 0 is no time"},
		{map[string]params.Value{"accept_timeout": number(-1)}, "params.accept_timeout: -1 is not a time"},
		{map[string]params.Value{"accept_timeout": number(1e300)},
			"params.accept_timeout: 1e+300 units is too long"},
		{map[string]params.Value{"accept_timeout": number(1)}, "params.accept_timeout: 1s is below 2s"},
		{map[string]params.Value{"accept_timeout": number(1), "unsafe": text("yes")}, ""},
		{map[string]params.Value{"delay": number(0)}, "params.delay: 0 is no time"},
		{map[string]params.Value{"coordinator": number(4)}, "params.coordinator: 4 is not a process"},
		{map[string]params.Value{"wait": text("long")}, `params.wait: "long" is not one of none, paper, own, rank`},
		{map[string]params.Value{"wait": {ByID: map[uint64]float64{9: 1}}},
			"params.wait: 9 is not a process"},
		{map[string]params.Value{"pending": number(1)}, "params.pending: 1 is not a table"},
		{map[string]params.Value{"reset": text("never")},
			`params.reset: "never" is not one of safe, literal`},
		{map[string]params.Value{"speed": number(1)},
			`params: "speed" is not a parameter; there are coordinator, accept_timeout`},
	} {
		for _, a := range modbully.Algorithms() {
			b, err := a.Configure(params.New(test.params, sim.Unit, upTo(1, 3)))
			if test.want == "" {
				require.NoError(t, err)
				require.Equal(t, a.Title(), b.Title())
				require.Len(t, b.Params, 13)
				continue
			}
			require.ErrorIs(t, err, election.ErrInput)
			require.ErrorContains(t, err, test.want)
		}
	}
	slow, err := modbully.Algorithms()[0].Configure(params.New(map[string]params.Value{"delay": number(3)},
		sim.Unit, upTo(1, 3)))
	require.NoError(t, err)
	require.Equal(t, 3*sim.Unit, slow.Delay)
	_, err = slow.Configure(params.New(map[string]params.Value{"accept_timeout": number(5)}, sim.Unit,
		upTo(1, 3)))
	require.ErrorContains(t, err, "5s is below 6s") // what was set before counts
}
