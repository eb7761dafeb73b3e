package local_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/observe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type ids = []election.ID

func TestElections(t *testing.T) {
	for _, tt := range []struct {
		name       string
		alg        *election.Algorithm
		ids        ids
		priorities []uint64
		initiators ids
		leader     election.ID
		election   uint64
		elected    uint64
	}{
		{"all start", lcr.Participant(), ids{3, 1, 4, 8, 5, 2}, nil, nil, 8, 16, 6},
		{"ranks rise", lcr.Participant(), ids{1, 2, 3, 4, 5, 6, 7, 8}, nil, nil, 8, 15, 8},
		{"one alone", lcr.Participant(), ids{7}, nil, nil, 7, 1, 1},
		{"two", lcr.Participant(), ids{1, 2}, nil, nil, 2, 3, 2},
		{"priorities", lcr.Participant(), ids{1, 2, 3, 4, 5}, []uint64{30, 50, 10, 40, 20}, nil, 2, 11, 5},
		{"equal priorities", lcr.Participant(), ids{1, 2, 3, 4, 5}, []uint64{7, 7, 7, 7, 7}, nil, 5, 9, 5},
		{"only initiators", lcr.Initiators(), ids{3, 1, 4, 8, 5, 2}, nil, ids{3, 5, 2}, 5, 11, 6},
		{"every other one", lcr.Initiators(), ids{8, 7, 6, 5, 4, 3, 2, 1}, nil, ids{7, 5, 3, 1}, 7, 20, 8},
		{"maximum", lcr.Max(), ids{3, 1, 4, 8, 5, 2}, nil, nil, 8, 51, 6},
		{"maximum, one starts", lcr.Max(), ids{3, 1, 4, 8, 5, 2}, nil, ids{5}, 8, 11, 6},
		{"wave, one starts", lcr.Wave(), ids{1, 2, 3, 4, 5}, []uint64{3, 9, 4, 1, 7}, ids{1}, 2, 5, 5},
		{"wave, two start", lcr.Wave(), ids{1, 2, 3, 4, 5}, []uint64{3, 9, 4, 1, 7}, ids{1, 4}, 2, 10, 10},
	} {
		t.Run(tt.alg.Variant+"/"+tt.name, func(t *testing.T) {
			in := scenario.Input{Algorithm: tt.alg, IDs: tt.ids, Priorities: tt.priorities,
				Initiators: tt.initiators}
			for range 20 { // in as many different orders as it likes
				r, err := local.Run(t.Context(), local.Config{Input: in})
				require.NoError(t, err)
				require.NoError(t, r.Err())
				require.Equal(t, tt.leader, r.Leader)
				require.Equal(t, 1, r.Claimants)
				require.Equal(t, tt.election, r.Count("election"))
				require.Equal(t, tt.elected, r.Count("elected"))
				require.Equal(t, tt.election+tt.elected, r.Messages)
				require.Equal(t, r.Messages, r.Steps)
				require.NotZero(t, r.Bits)
				require.GreaterOrEqual(t, r.Chain, uint64(2*len(tt.ids)))
				require.Positive(t, r.Wall)
			}
		})
	}
}

func TestMany(t *testing.T) {
	r, err := local.Elect(t.Context(), lcr.Participant(), nodetest.Random(5000, 7)...)
	require.NoError(t, err)
	require.Equal(t, election.ID(5000), r.Leader)
}

func TestRefusedInput(t *testing.T) {
	at := []scenario.At{{ID: 1, Time: 1}}
	for field, in := range map[string]scenario.Input{
		"algorithm":  {IDs: ids{1}},
		"ids[1]":     {Algorithm: lcr.Max(), IDs: ids{1, 1}},
		"restart_at": {Algorithm: lcr.Max(), IDs: ids{1, 2}, RestartAt: at},
		"pause_at":   {Algorithm: lcr.Max(), IDs: ids{1, 2}, PauseAt: []scenario.Pause{{ID: 1, Until: 1}}},
		"clock_rates": {Algorithm: lcr.Max(), IDs: ids{1, 2},
			ClockRates: []scenario.ClockRate{{ID: 1, Rate: 1}, {ID: 2, Rate: 1.5}}},
		"loss: 0.5":    {Algorithm: lcr.Max(), IDs: ids{1, 2}, Faults: fault.Plan{Loss: 0.5}},
		"duplicate: 1": {Algorithm: lcr.Max(), IDs: ids{1, 2}, Faults: fault.Plan{Duplicate: 1}},
		"reorder: 0.1": {Algorithm: lcr.Max(), IDs: ids{1, 2}, Faults: fault.Plan{Reorder: 0.1}},
		"partitions": {Algorithm: lcr.Max(), IDs: ids{1, 2},
			Faults: fault.Plan{Partitions: []fault.Partition{{Groups: [][]election.ID{{1}}}}}},
		"at most":                    {Algorithm: lcr.Max(), IDs: make(ids, local.MaxProcesses+1)},
		"unless all processes start": {Algorithm: floodmax.Algorithms()[0], IDs: ids{1, 2}, Initiators: ids{1}},
		"all processes start simultaneously": {Algorithm: floodmax.Algorithms()[0], IDs: ids{1, 2},
			StartTimes: make([]time.Duration, 2)},
	} {
		_, err := local.Run(t.Context(), local.Config{Input: in})
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, field)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := local.Elect(t.Context(), lcr.Max(), make(ids, local.MaxProcesses)...)
	require.ErrorContains(t, err, "ids[0]", "this many may run, but not all with the ID 0")
	in := scenario.Input{Algorithm: lcr.Max(), IDs: ids{1, 2}, StartTimes: []time.Duration{0, 0},
		ClockRates: []scenario.ClockRate{{ID: 1, Rate: 1}}}
	_, err = local.Run(t.Context(), local.Config{Input: in})
	require.NoError(t, err, "times of zero are no times, and a clock of rate 1 is right")
}

// TestCrashed: what is sent to a process that is down counts, and is lost.
func TestCrashed(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: ids{1, 2, 3}, Crashed: ids{3}}
	r, err := local.Run(t.Context(), local.Config{Input: in})
	require.NoError(t, err)
	require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
	silent := scripted(func(election.ID, *election.Env, *election.Event) {})
	_, err = local.Elect(t.Context(), silent, 1, 2)
	require.ErrorIs(t, err, verdict.ErrNoLeader)
	require.Equal(t, uint64(2), r.Messages) // 2 has dropped what 1 sent, and its own arrived nowhere
	require.Equal(t, uint64(1), r.Steps)
	in.Crashed = ids{1, 2, 3}
	r, err = local.Run(t.Context(), local.Config{Input: in})
	require.NoError(t, err)
	require.Zero(t, r.Messages)
}

func TestNobodyStarts(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: ids{1, 2, 3}, Initiators: ids{}}
	r, err := local.Run(t.Context(), local.Config{Input: in})
	require.NoError(t, err)
	require.Zero(t, r.Messages)
	require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
}

func TestLog(t *testing.T) {
	var b strings.Builder
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: ids{1, 2, 3}}
	_, err := local.Run(t.Context(), local.Config{Input: in, Log: log})
	require.NoError(t, err)
	require.Contains(t, b.String(), "leader=3")
	require.Contains(t, b.String(), `msg="election begins" algorithm=lcr/participant processes=3`)
}

// script is a Node whose every Step is a function.
type script func(e *election.Env, ev *election.Event)

func (f script) Step(e *election.Env, ev *election.Event) { f(e, ev) }
func (script) State(*election.State)                      {}

// scripted describes an algorithm for two-way rings whose processes all do the same.
func scripted(step func(self election.ID, e *election.Env, ev *election.Event)) *election.Algorithm {
	return &election.Algorithm{
		Name: "scripted", Topology: election.Ring, TwoWay: true, Elects: election.Successors,
		Kinds: []election.Kind{{Name: "word"}},
		New: func(s election.Setup) election.Node {
			return script(func(e *election.Env, ev *election.Event) { step(s.Self.ID, e, ev) })
		},
	}
}

func TestNodePanics(t *testing.T) {
	for _, op := range []election.Op{election.Init, election.Start, election.Recv} {
		alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
			if ev.Op == op && self == 2 {
				panic("out of ideas")
			}
			e.SetTimer(1, time.Hour, time.Hour)
			e.Send(election.Clockwise, election.Message{Kind: 1})
		})
		_, err := local.Elect(t.Context(), alg, 1, 2, 3)
		require.ErrorIs(t, err, observe.ErrPanic)
		require.ErrorContains(t, err, "out of ideas: process 2")
	}
}

// TestPanicAfterTheEnd: a Node that panics is the error, also if the context has ended before.
func TestPanicAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start:
				e.Send(election.Clockwise, election.Message{Kind: 1})
			case election.Recv:
				cancel()
				time.Sleep(time.Second)
				panic("out of ideas")
			}
		})
		_, err := local.Run(ctx, local.Config{Input: scenario.Input{Algorithm: alg, IDs: ids{1}}})
		require.ErrorIs(t, err, observe.ErrPanic)
	})
}

func TestNoSuchPort(t *testing.T) {
	alg := scripted(func(_ election.ID, e *election.Env, _ *election.Event) {
		e.Send(2, election.Message{})
	})
	_, err := local.Elect(t.Context(), alg, 1)
	require.ErrorIs(t, err, observe.ErrPort)
	var process *observe.ProcessError
	require.ErrorAs(t, err, &process)
	require.Equal(t, election.ID(1), process.ID)
}

// TestRefusedStart: a refused start is reported, and the run continues.
func TestRefusedStart(t *testing.T) {
	alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			if self == 2 {
				e.Refuse(election.ErrLateStart)
			}
			e.Decide(election.Rank{ID: 1})
			e.Done()
		}
	})
	in := scenario.Input{Algorithm: alg, IDs: ids{1, 2}}
	r, err := local.Run(t.Context(), local.Config{Input: in})
	require.ErrorIs(t, err, election.ErrLateStart)
	require.ErrorContains(t, err, "process 2")
	require.True(t, r.Agreed)
	require.True(t, r.Terminated)
}

// TestContextEnds stops an election that would run forever.
func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Virtual time passes while all processes wait for a timer.
		alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Start, election.Recv:
				e.SetTimer(1, 0, time.Millisecond)
			case election.Timeout:
				e.Send(election.Clockwise, election.Message{Kind: 1})
			}
		})
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		c := local.Config{Input: scenario.Input{Algorithm: alg, IDs: nodetest.Random(100, 7)}}
		c.Progress = func(delivered uint64) {
			if delivered > 0 {
				cancel(why)
			}
		}
		r, err := local.Run(ctx, c)
		require.ErrorIs(t, err, why)
		require.NotZero(t, r.Steps)
		require.False(t, r.Agreed)
		_, err = local.Run(ctx, c)
		require.ErrorIs(t, err, why)
	})
}

// TestContextEndsFlood: so is one in which some process always has a message.
func TestContextEndsFlood(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var steps atomic.Int64
	r, err := local.Run(ctx, local.Config{Input: scenario.Input{IDs: nodetest.Random(100, 7),
		Algorithm: scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
			if ev.Op != election.Init {
				e.Send(election.Clockwise, election.Message{Kind: 1})
			}
			if steps.Add(1) == 10_000 {
				cancel(why)
			}
		})}})
	require.ErrorIs(t, err, why)
	require.NotZero(t, r.Steps)
	require.False(t, r.Agreed)
}

// TestTimers: a run waits for timers, and for no stopped one; none rings that was stopped.
func TestTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []uint8
		var at time.Duration
		alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
			switch ev.Op {
			case election.Init:
				e.SetTimer(1, time.Second, time.Second)
				e.SetTimer(2, time.Second, 2*time.Second)
				e.SetTimer(3, time.Hour, time.Hour)
				e.SetTimer(4, time.Hour, time.Hour)
				e.SetTimer(4, 3*time.Second, 3*time.Second)
				e.StopTimer(5)
			case election.Timeout:
				heard, at = append(heard, ev.Timer), ev.At
				if ev.Timer == 1 {
					e.StopTimer(2)
					e.StopTimer(3)
				}
			}
		})
		r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: alg, IDs: ids{1}}})
		require.NoError(t, err)
		require.Equal(t, []uint8{1, 4}, heard)
		require.Equal(t, 3*time.Second, at)
		require.Equal(t, 3*time.Second, r.Wall)
		require.Zero(t, r.Steps)
	})
}

// TestLeaveTimersBehind: none outlives a run that is stopped.
func TestLeaveTimersBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alg := scripted(func(_ election.ID, e *election.Env, _ *election.Event) {
			e.SetTimer(1, time.Hour, time.Hour)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := local.Elect(ctx, alg, 1, 2)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestBurst makes all processes send to all others simultaneously.
func TestBurst(t *testing.T) {
	const n, each = 20, 1000
	alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			for i := range each * e.Ports() {
				e.Send(election.Port(i%e.Ports()), election.Message{Kind: 1})
			}
		}
	})
	alg.Topology = election.Complete
	r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: alg,
		IDs: nodetest.Random(n, 7)}})
	require.NoError(t, err)
	require.Equal(t, uint64(n*(n-1)*each), r.Steps)
	require.Equal(t, uint64(1), r.Chain)
}

// TestUnnamedKind: even what the description does not know is counted.
func TestUnnamedKind(t *testing.T) {
	alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.Send(election.Clockwise, election.Message{Kind: 9})
		}
	})
	r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: alg, IDs: ids{1, 2}}})
	require.NoError(t, err)
	require.Equal(t, uint64(2), r.Count("unknown_9"))
}

// TestTree runs on links that are a table.
func TestTree(t *testing.T) {
	links, err := topology.New(election.Tree, 3, [][2]int{{0, 1}, {1, 2}})
	require.NoError(t, err)
	alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && self == 2 {
			e.Send(0, election.Message{Kind: 1, Value: 1})
			e.Send(1, election.Message{Kind: 1, Value: 3})
		}
		if ev.Op == election.Recv && ev.Msg.Value != uint64(self) {
			panic("it came to the wrong process")
		}
	})
	alg.Topology = election.Tree
	r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: alg, IDs: ids{1, 2, 3},
		Topology: links}})
	require.NoError(t, err)
	require.Equal(t, uint64(2), r.Steps)
}

// TestCancelledBefore: nothing is built that is not wanted any more.
func TestCancelledBefore(t *testing.T) {
	alg := scripted(func(election.ID, *election.Env, *election.Event) {})
	alg.New = func(election.Setup) election.Node { panic("built") }
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no time")
	cancel(why)
	r, err := local.Elect(ctx, alg, nodetest.Random(100_000, 7)...)
	require.ErrorIs(t, err, why)
	require.Zero(t, r)
}

// TestCancelledOnTheWay: a run that is stopped builds and starts no further.
func TestCancelledOnTheWay(t *testing.T) {
	const n = 100_000
	why := errors.New("enough")
	for _, building := range []bool{true, false} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var once sync.Once
		var built, begun atomic.Int64
		alg := scripted(func(_ election.ID, e *election.Env, ev *election.Event) {
			if ev.Op == election.Init {
				once.Do(func() { cancel(why) })
				begun.Add(1)
			}
			e.Send(election.Clockwise, election.Message{Kind: 1})
		})
		build := alg.New
		alg.New = func(s election.Setup) election.Node {
			if building {
				once.Do(func() { cancel(why) })
			}
			built.Add(1)
			return build(s)
		}
		_, err := local.Elect(ctx, alg, nodetest.Random(n, 7)...)
		require.ErrorIs(t, err, why)
		if building {
			require.Less(t, built.Load(), int64(n))
			require.Zero(t, begun.Load())
		} else {
			require.Equal(t, int64(n), built.Load())
			require.Less(t, begun.Load(), int64(n))
		}
	}
}

// TestCalledBack: a process that knows of the end still receives what comes later.
func TestCalledBack(t *testing.T) { synctest.Test(t, calledBack) }

func calledBack(t *testing.T) {
	const n, rounds = 50, 1000
	heard := make([]uint64, n+1)
	alg := scripted(func(self election.ID, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.Send(election.Clockwise, election.Message{Kind: 1})
			e.Done()
		case election.Recv:
			heard[self]++
			if ev.Msg.Value < rounds {
				e.Send(election.Clockwise, election.Message{Kind: 1, Value: ev.Msg.Value + 1})
			} else {
				e.SetTimer(1, 0, time.Millisecond)
			}
		case election.Timeout:
			heard[self]++
		}
	})
	r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{Algorithm: alg,
		IDs: nodetest.Random(n, 7)}})
	require.NoError(t, err)
	require.True(t, r.Terminated)
	require.Equal(t, uint64(n*(rounds+1)), r.Messages)
	require.Equal(t, r.Messages, r.Steps)
	for _, h := range heard[1:] {
		require.EqualValues(t, rounds+2, h)
	}
}

// TestNeedsAnEnd: what never comes to rest is refused with a context that cannot end, and else runs
// until that ends.
func TestNeedsAnEnd(t *testing.T) {
	beating, err := bully.Rules(bully.Config{Heartbeat: time.Second})
	require.NoError(t, err)
	_, err = local.Elect(context.Background(), beating, 3, 1, 2)
	require.ErrorIs(t, err, election.ErrInput)
	require.EqualError(t, err, "election: bad input: context: bully/rules never comes to rest, and nothing "+
		"ends this context; context.WithTimeout gives it an end")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		r, err := local.Run(ctx, local.Config{Input: scenario.Input{Algorithm: beating, IDs: ids{3, 1, 2}}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, r.Err())
		require.Equal(t, election.ID(3), r.Leader)
	})
	quiet, err := bully.Rules(bully.Config{})
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		_, err := local.Elect(context.Background(), quiet, 3, 1, 2)
		require.NoError(t, err)
	})
}
