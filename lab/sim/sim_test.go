package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

func input(a *election.Algorithm, ids []election.ID) scenario.Input {
	return scenario.Input{Algorithm: a, IDs: ids}
}

func run(t *testing.T, c sim.Config) sim.Result {
	t.Helper()
	r, err := sim.Run(t.Context(), c)
	require.NoError(t, err)
	return r
}

func TestCountsTimeAndChain(t *testing.T) {
	r := run(t, sim.Config{Input: input(lcr.Participant(), []election.ID{3, 1, 4, 8, 5, 2})})
	require.NoError(t, r.Err())
	require.Positive(t, r.Wall)
	require.Equal(t, verdict.Result{
		Live: 6, Leader: 8, Claimants: 1, Agreed: true, Terminated: true, Messages: 22,
		ByKind: []observe.KindCount{{Kind: "election", Count: 16}, {Kind: "elected", Count: 6}},
		Bits:   22 * 4, Chain: 12,
	}, r.Result)
	require.Equal(t, 12*sim.Unit, r.Time)
	require.EqualValues(t, 22, r.Steps)
}

// configs are runs of every kind that a hash can come from.
func configs(seed uint64) []sim.Config {
	ids := shuffled(200)
	return []sim.Config{
		{Input: input(lcr.Participant(), ids), Seed: seed},
		{Input: input(lcr.Participant(), ids), Seed: seed, Schedule: sim.RandomDelay},
		{Input: input(lcr.Participant(), ids), Seed: seed, Schedule: sim.RandomDelay, Unordered: true},
		{Input: input(lcr.Max(), ids), Seed: seed, Schedule: sim.RandomDelay,
			Delay: sim.Delay{Distribution: sim.Exponential, Mean: sim.Unit}},
		{Input: scenario.Input{Algorithm: bullyAlgorithm(), IDs: ids[:9],
			CrashAt: []scenario.At{{ID: ids[3], Time: 2 * sim.Unit}}}, Seed: seed,
			Schedule: sim.RandomDelay},
	}
}

func hashes(seed uint64) (string, error) {
	var b strings.Builder
	for _, c := range configs(seed) {
		r, err := sim.Run(context.Background(), c)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%016x\n", r.TraceHash)
	}
	return b.String(), nil
}

const childSeed = "SIM_TEST_SEED"

// TestMain runs the test binary as the second process of TestSameSeedSameHash.
func TestMain(m *testing.M) {
	if s := os.Getenv(childSeed); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err == nil {
			var out string
			out, err = hashes(seed)
			fmt.Print(out)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestSameSeedSameHash: twice in this process, in other processes, and under another GOMAXPROCS.
func TestSameSeedSameHash(t *testing.T) {
	for _, seed := range []uint64{0, 1, math.MaxUint64} {
		first, err := hashes(seed)
		require.NoError(t, err)
		again, err := hashes(seed)
		require.NoError(t, err)
		require.Equal(t, first, again)
		for _, procs := range []int{1, 2, 7} {
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), fmt.Sprintf("%s=%d", childSeed, seed),
				fmt.Sprintf("GOMAXPROCS=%d", procs))
			out, err := child.Output()
			require.NoError(t, err)
			require.Equal(t, first, string(out), "GOMAXPROCS=%d", procs)
		}
	}
}

// TestPinnedHashes: a change of behaviour, of the random numbers or of the order of events shows.
func TestPinnedHashes(t *testing.T) {
	got, err := hashes(1)
	require.NoError(t, err)
	require.Equal(t, pinned, got)
}

func TestOtherSeedOtherHash(t *testing.T) {
	one, err := hashes(1)
	require.NoError(t, err)
	two, err := hashes(2)
	require.NoError(t, err)
	a, b := strings.Fields(one), strings.Fields(two)
	require.Equal(t, a[0], b[0], "the unit schedule draws nothing")
	for i := 1; i < len(a); i++ {
		require.NotEqual(t, a[i], b[i], "config %d", i)
	}
}

// TestSnapshot: a run that returns to any earlier moment continues as before.
func TestSnapshot(t *testing.T) {
	for i, c := range configs(3) {
		want := run(t, c)
		s, err := sim.New(c)
		require.NoError(t, err)
		for range want.Steps / 3 {
			require.True(t, s.Step())
		}
		snap := s.Snapshot()
		require.NoError(t, s.Run(t.Context()))
		require.Equal(t, want.TraceHash, s.Result().TraceHash, "config %d", i)
		other, err := sim.New(c)
		require.NoError(t, err)
		for _, back := range []*sim.Sim{s, other} {
			require.NoError(t, back.Restore(snap))
			require.NoError(t, back.Run(t.Context()))
			r := back.Result()
			r.Wall = want.Wall
			require.Equal(t, want, r, "config %d", i)
		}
	}
	small, err := sim.New(sim.Config{Input: input(lcr.Participant(), []election.ID{1})})
	require.NoError(t, err)
	large, err := sim.New(configs(1)[0])
	require.NoError(t, err)
	require.ErrorIs(t, small.Restore(large.Snapshot()), election.ErrInput)
}

// sequence is a Node that sends numbered messages and notes in which order they come.
type sequence struct{ got *[]uint64 }

func (n sequence) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start {
		for i := range uint64(100) {
			e.Send(election.Clockwise, election.Message{Kind: 1, Value: i})
		}
	}
	if ev.Op == election.Recv {
		*n.got = append(*n.got, ev.Msg.Value)
	}
}

func (n sequence) State(*election.State) {}

func TestOrderOnALink(t *testing.T) {
	order := func(c sim.Config) (sorted bool) {
		var got []uint64
		c.Input = scenario.Input{IDs: []election.ID{1, 2}, Initiators: []election.ID{1},
			Algorithm: &election.Algorithm{
				Name: "sequence", Topology: election.Ring, Kinds: []election.Kind{{Name: "number"}},
				New: func(election.Setup) election.Node { return sequence{&got} }}}
		run(t, c)
		require.Len(t, got, 100)
		for i, v := range got {
			if v != uint64(i) {
				return false
			}
		}
		return true
	}
	for seed := range uint64(50) {
		require.True(t, order(sim.Config{Schedule: sim.RandomDelay, Seed: seed}))
		require.False(t, order(sim.Config{Schedule: sim.RandomDelay, Seed: seed, Unordered: true}))
	}
	require.True(t, order(sim.Config{}))
}

// TestDelays: every delay and the mean are as the distribution requires.
func TestDelays(t *testing.T) {
	for _, tt := range []struct {
		delay          sim.Delay
		min, max, mean time.Duration
	}{
		{sim.Delay{}, 1, 2 * sim.Unit, sim.Unit},
		{sim.Delay{Min: sim.Unit, Max: sim.Unit}, sim.Unit, sim.Unit, sim.Unit},
		{sim.Delay{Min: 3 * sim.Unit, Max: 5 * sim.Unit}, 3 * sim.Unit, 5 * sim.Unit, 4 * sim.Unit},
		{sim.Delay{Distribution: sim.Exponential, Mean: 2 * sim.Unit}, 1, 32 * sim.Unit, 2 * sim.Unit},
	} {
		var total time.Duration
		const runs = 400
		for seed := range uint64(runs) {
			c := sim.Config{Input: input(lcr.Participant(), []election.ID{7}), Schedule: sim.RandomDelay,
				Delay: tt.delay, Seed: seed}
			r := run(t, c) // two messages, one after the other
			require.GreaterOrEqual(t, r.Time, 2*tt.min)
			require.LessOrEqual(t, r.Time, 2*tt.max)
			total += r.Time
		}
		require.InEpsilon(t, float64(tt.mean), float64(total)/(2*runs), 0.12)
	}
}

func TestBadConfig(t *testing.T) {
	ok := input(lcr.Participant(), []election.ID{1, 2})
	for _, tt := range []struct {
		c    sim.Config
		want string
	}{
		{sim.Config{}, "algorithm: missing"},
		{sim.Config{Input: ok, Schedule: "fast"}, `schedule: "fast" is not one of unit, random and hand`},
		{sim.Config{Input: ok, Unordered: true}, "fifo: the unit schedule keeps the order"},
		{sim.Config{Input: ok, Schedule: sim.RandomDelay, Delay: sim.Delay{Min: 2, Max: 1}},
			"delay: from 0.000000002 to 0.000000001 units"},
		{sim.Config{Input: ok, Schedule: sim.RandomDelay, Delay: sim.Delay{Min: -1, Max: 1}},
			"delay: from -0.000000001 to 0.000000001 units"},
		{sim.Config{Input: ok, Schedule: sim.RandomDelay, Delay: sim.Delay{Min: 1, Max: math.MaxInt64}},
			"delay: up to 9223372036.854775807 units, at most 1000000 can be"},
		{sim.Config{Input: ok, Schedule: sim.RandomDelay, Delay: sim.Delay{Distribution: "normal"}},
			`distribution "normal"`},
		{sim.Config{Input: ok, Schedule: sim.RandomDelay, Delay: sim.Delay{Distribution: sim.Exponential,
			Mean: -1}}, "delay: a mean of -0.000000001 units"},
		{sim.Config{Input: ok, Delay: sim.Delay{Min: 1, Max: 2}},
			"delay: only the random schedule draws delays"},
		{sim.Config{Input: ok, Until: -1}, "until: -0.000000001 is less than 0"},
	} {
		_, err := sim.Run(t.Context(), tt.c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, tt.want)
	}
	c := sim.Config{Input: input(lcr.Initiators(), []election.ID{1, 2}), Schedule: sim.RandomDelay,
		Unordered: true}
	_, err := sim.Run(t.Context(), c)
	require.ErrorIs(t, err, election.ErrNeedsFIFO)
	c.Force = true
	_, err = sim.Run(t.Context(), c)
	require.NoError(t, err)
	c = sim.Config{Input: c.Input}
	c.Faults.Reorder = 0.5
	require.ErrorIs(t, c.Check(), election.ErrNeedsFIFO)
}

// wild is a Node that does what the test wants.
type wild struct {
	do func(e *election.Env, ev *election.Event)
}

func (n wild) Step(e *election.Env, ev *election.Event) { n.do(e, ev) }
func (n wild) State(*election.State)                    {}

func wildInput(n int, do func(e *election.Env, ev *election.Event)) scenario.Input {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	return scenario.Input{IDs: ids, Algorithm: &election.Algorithm{Name: "wild", Topology: election.Ring,
		Elects: election.Successors,
		Kinds:  []election.Kind{{Name: "one"}},
		New:    func(election.Setup) election.Node { return wild{do} }}}
}

func TestCheckTwice(t *testing.T) {
	for _, schedule := range []sim.Schedule{"", sim.UnitDelay, sim.RandomDelay} {
		c := sim.Config{Input: input(lcr.Participant(), []election.ID{1, 2}), Schedule: schedule}
		require.NoError(t, c.Check())
		once := c
		require.NoError(t, c.Check())
		require.Equal(t, once.Delay, c.Delay)
		require.Equal(t, once.Schedule, c.Schedule)
	}
}

func TestNodesThatMisbehave(t *testing.T) {
	at3 := func(do func(e *election.Env)) scenario.Input {
		return wildInput(5, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start && e.Self().ID == 3 {
				do(e)
			}
		})
	}
	for _, tt := range []struct {
		name string
		in   scenario.Input
		err  error
		want string
	}{
		{"panics", at3(func(*election.Env) { panic("oh no") }), observe.ErrPanic,
			"election: a node panicked: oh no: process 3"},
		{"sends nowhere", at3(func(e *election.Env) { e.Send(9, election.Message{}) }), observe.ErrPort,
			"election: no such port 9: process 3"},
		{"sends against the ring", at3(func(e *election.Env) { e.Send(1, election.Message{}) }),
			observe.ErrPort, "election: no such port 1: process 3"},
		{"refuses", at3(func(e *election.Env) { e.Refuse(election.ErrNotInitiator) }),
			election.ErrNotInitiator, "process 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := sim.Run(t.Context(), sim.Config{Input: tt.in})
			require.ErrorIs(t, err, tt.err)
			require.ErrorContains(t, err, tt.want)
			var pe *observe.ProcessError
			require.ErrorAs(t, err, &pe)
			require.EqualValues(t, 3, pe.ID)
		})
	}
	s, err := sim.New(sim.Config{Input: at3(func(*election.Env) { panic("oh no") })})
	require.NoError(t, err)
	for s.Step() {
	}
	require.ErrorIs(t, s.Run(t.Context()), observe.ErrPanic, "stepping by hand catches it too")
}

func TestStops(t *testing.T) {
	forever := wildInput(3, func(e *election.Env, ev *election.Event) {
		e.Send(0,
			election.Message{Kind: 1})
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	calls := 0
	_, err := sim.Run(ctx, sim.Config{Input: forever, Progress: func(delivered uint64, now time.Duration) {
		if calls++; delivered > 0 {
			cancel(enough)
		}
	}})
	require.ErrorIs(t, err, enough)
	require.GreaterOrEqual(t, calls, 2)

	r := run(t, sim.Config{Input: forever, Until: 10 * sim.Unit})
	require.Equal(t, 10*sim.Unit, r.Time)
}

// TestOrderAtOneInstant: crashes, then starts and recoveries, then messages in the order in which
// they were sent, then timers in the order in which they were set.
func TestOrderAtOneInstant(t *testing.T) {
	var got []string
	in := wildInput(4, func(e *election.Env, ev *election.Event) {
		if ev.At == 2*sim.Unit {
			got = append(got, fmt.Sprintf("%v %v %d", e.Self(), ev.Op, ev.Timer+uint8(ev.Msg.Value)))
		}
		if ev.Op == election.Init && ev.At == 0 {
			e.SetTimer(1, 2*sim.Unit, 2*sim.Unit)
			e.SetTimer(2, 5*sim.Unit, 5*sim.Unit)
			e.SetTimer(3, 2*sim.Unit, 2*sim.Unit)
			e.StopTimer(3)
		}
		if ev.Op == election.Start && ev.At == sim.Unit {
			e.SetTimer(2, sim.Unit, sim.Unit)
			e.Send(0, election.Message{Kind: 1, Value: 7})
			e.Send(0, election.Message{Kind: 1, Value: 8})
		}
	})
	in.Initiators = []election.ID{2, 1}
	in.StartTimes = []time.Duration{sim.Unit, 2 * sim.Unit}
	in.Crashed = []election.ID{4}
	in.CrashAt = []scenario.At{{ID: 1, Time: 2 * sim.Unit}}
	in.RecoverAt = []scenario.At{{ID: 4, Time: 2 * sim.Unit}}
	run(t, sim.Config{Input: in})
	require.Equal(t, []string{"4 init 0", "4 rejoin 0", "3 recv 7", "3 recv 8", "2 timeout 1", "3 timeout 1",
		"2 timeout 2"}, got)
}

func TestDownProcesses(t *testing.T) {
	in := input(lcr.Participant(), []election.ID{1, 2, 3})
	in.Crashed = []election.ID{3}
	r := run(t, sim.Config{Input: in})
	require.EqualValues(t, 2, r.Messages, "also to a process that is down")
	require.Equal(t, sim.Unit, r.Time)
	require.False(t, r.Agreed)
	require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
}

// TestRestartCatchesUp: on two-way links a process that has lost its Term hears of the current
// one, and its own start becomes the election after that.
func TestRestartCatchesUp(t *testing.T) {
	a := lcr.Participant()
	links, err := topology.Ring(4, false)
	require.NoError(t, err)
	in := input(a, []election.ID{4, 2, 9, 1})
	in.Topology = links
	s, err := sim.New(sim.Config{Input: in})
	require.NoError(t, err)
	for term := uint64(1); term <= 5; term++ {
		require.NoError(t, s.Run(t.Context()))
		require.Equal(t, election.Outcome{Term: term, Leader: election.Rank{ID: 9}, Role: election.Follower},
			s.Outcome(0))
		s.Post(1, start())
	}
	require.NoError(t, s.Run(t.Context()))
	s.Restart(3)
	s.Post(3, start())
	require.NoError(t, s.Run(t.Context()))
	r := s.Result()
	require.NoError(t, r.Err())
	require.EqualValues(t, 9, r.Leader)
	require.EqualValues(t, 1, r.Count("catch_up"))
	for p := range 4 {
		require.EqualValues(t, 7, s.Outcome(p).Term)
	}
}

func start() election.Event { return election.Event{Op: election.Start} }

// TestAllocations: a run allocates to begin with, not by the message.
func TestAllocations(t *testing.T) {
	for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
		s, err := sim.New(sim.Config{Input: input(lcr.Participant(), shuffled(20000)), Schedule: schedule})
		require.NoError(t, err)
		for range 40000 {
			require.True(t, s.Step())
		}
		require.Zero(t, testing.AllocsPerRun(50000, func() { s.Step() }), schedule)
	}
}

// TestMemory: all in, a process and its messages take less than 200 bytes.
func TestMemory(t *testing.T) {
	const n = 50000
	ids := shuffled(n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s, err := sim.New(sim.Config{Input: input(lcr.Participant(), ids)})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	runtime.ReadMemStats(&after)
	perProcess := float64(after.TotalAlloc-before.TotalAlloc)/n + 8 // and its ID
	t.Logf("%.0f bytes a process", perProcess)
	require.Less(t, perProcess, 200.0)
	runtime.KeepAlive(s)
}

// TestTimeRunsOut: a run that would last longer than virtual time ends with an error.
func TestTimeRunsOut(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		_, err := sim.Run(t.Context(), sim.Config{
			Input: input(lcr.Participant(), shuffled(5000)), Schedule: sim.RandomDelay, Unordered: unordered,
			Delay: sim.Delay{Min: sim.LongestDelay, Max: sim.LongestDelay}})
		require.ErrorIs(t, err, sim.ErrTime)
	}
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.SetTimer(0, math.MaxInt64, math.MaxInt64)
		}
	})
	for _, at := range []time.Duration{0, sim.Unit} { // later, the time-out would come before the present
		in.StartTimes = []time.Duration{at, at}
		_, err := sim.Run(t.Context(), sim.Config{Input: in})
		require.ErrorIs(t, err, sim.ErrTime)
	}
}

// TestManyTimers: what a process does with its timers costs the same however many others there
// are.
func TestManyTimers(t *testing.T) {
	const n = 20000
	s, err := sim.New(sim.Config{Input: wildInput(n, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Init {
			e.SetTimer(0, sim.Unit, sim.Unit)
			e.SetTimer(1, 2*sim.Unit, 2*sim.Unit)
			e.StopTimer(1)
		}
	})})
	require.NoError(t, err)
	for p := range n {
		s.Restart(p)
	}
	require.NoError(t, s.Run(t.Context()))
	require.Equal(t, sim.Unit, s.Now())
}
