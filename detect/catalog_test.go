package detect_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// detectors are all, with their parameters by default.
var detectors = []detect.Detector{detect.Deadline{}, detect.Phi{}, detect.Phi{Exponential: true},
	detect.Chen{}}

// refused says why an algorithm of the catalogue is; empty if it takes a detector.
func refused(a *election.Algorithm) string {
	switch {
	case a.Synchronous: // the rounds of floodmax by a clock: over a synchronizer it takes one
		return "needs starts at one instant"
	case a.Topology == election.Hypercube || a.Topology == election.Mesh:
		return "would leave with a hole"
	case a.Faults.Unaided() && a.Topology == election.Complete: // bully, modbully, an arbiter above them
		return "heartbeats of its own"
	case a.Elects == election.NoLeader: // ricartagrawala, and tokenring with the parameters that it has by default
		return "survives no crash"
	}
	return ""
}

// under returns every algorithm of the catalogue that takes a detector, with that below, and no other.
func under(t *testing.T, d detect.Detector) (all []*election.Algorithm) {
	t.Helper()
	for _, a := range catalog.All() {
		with, err := detect.Under(a, d)
		if want := refused(a); want != "" {
			require.ErrorIs(t, err, election.ErrInput)
			require.ErrorContains(t, err, a.Title()+" ")
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		all = append(all, with)
	}
	require.Greater(t, len(all), 15)
	return all
}

// TestDescription: the description says what a driver has to know.
func TestDescription(t *testing.T) {
	for i, name := range []string{"deadline", "phi", "exponential phi", "chen"} {
		for _, a := range under(t, detectors[i]) {
			require.Contains(t, a.Title(), " with "+name)
			require.Contains(t, a.Summary, "; a failure detector reports crashes")
			require.NoError(t, a.Check())
			require.Equal(t, election.Complete, a.Topology)
			require.True(t, a.LongLived() && a.Heartbeats && a.NeverQuiesces && a.TwoWay, a.Title())
			require.True(t, a.Faults.Unaided() && a.Faults.Crash > election.StaysDown && a.Faults.Pause, a.Title())
			beat := a.Kinds[len(a.Kinds)-1]
			require.Equal(t, "beat", beat.Name)
			require.Equal(t, map[bool]uint64{true: 64}[name == "chen"], beat.Bits(cost.Widths{}))
			require.EqualValues(t, 1, a.Below)
			require.Positive(t, a.Delay)
			_, err := detect.Under(a, detectors[i])
			require.ErrorContains(t, err, "needs no detector", "twice")
		}
	}
	arbiter, err := mutex.Arbiter(mutex.Config{Election: catalog.All()[0]})
	require.NoError(t, err)
	require.NotZero(t, arbiter.Best.Formula)
	arbiter, err = detect.Under(arbiter, detect.Deadline{})
	require.NoError(t, err)
	require.Zero(t, arbiter.Best.Formula, "beats come on top")
	_, err = detect.Under(nil, detect.Deadline{})
	require.ErrorIs(t, err, election.ErrInput)
	_, err = detect.Under(catalog.All()[0], nil)
	require.ErrorContains(t, err, "no detector is given")
}

// TestParameters: a run sets the parameters of the detector by name, and the algorithm's own beside them.
func TestParameters(t *testing.T) {
	values := func(numbers map[string]float64) map[string]params.Value {
		all := make(map[string]params.Value)
		for name, v := range numbers {
			all[name] = params.Value{Number: v}
		}
		return all
	}
	ids := []election.ID{1, 2}
	for i, c := range []struct {
		right, wrong map[string]float64
		delay        time.Duration
		want         string
	}{
		{map[string]float64{"interval": 2, "timeout": 7, "delay": 4},
			map[string]float64{"timeout": 1, "delay": 4},
			4 * time.Second, "params.timeout: 1s is not longer than interval + delay, 8s"},
		{map[string]float64{"interval": 2, "pause": 3, "threshold": 3, "window": 7, "deviation": 2},
			map[string]float64{"threshold": 301}, 3 * time.Second,
			"params.threshold: 301 is not between 1 and 300"},
		{map[string]float64{"interval": 2, "threshold": 3}, map[string]float64{"window": 0}, 0,
			"params.window: no interval would count"},
		{map[string]float64{"margin": 3, "window": 8}, map[string]float64{"margin": 3, "delay": 3},
			3*time.Second - 1, "params.margin: 3s is not longer than delay, 3s"},
	} {
		a, err := detect.Under(catalog.All()[0], detectors[i])
		require.NoError(t, err)
		b, err := scenario.Configure(a, values(c.right), ids, 0)
		require.NoError(t, err)
		require.Equal(t, a.Title(), b.Title())
		if c.delay > 0 {
			require.Equal(t, c.delay, b.Delay)
		}
		_, err = scenario.Configure(a, values(c.wrong), ids, 0)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, c.want)
		b, err = scenario.Configure(a, nil, ids, 3*time.Second)
		require.NoError(t, err)
		require.Equal(t, 3*time.Second, b.Delay)
	}
	locks, err := mutex.Arbiter(mutex.Config{Election: catalog.All()[0]})
	require.NoError(t, err)
	a, err := detect.Under(locks, detect.Deadline{})
	require.NoError(t, err)
	require.Subset(t, a.Params.Names(), []string{"interval", "timeout", "delay", "lease", "critical_section"})
	b, err := scenario.Configure(a, values(map[string]float64{"lease": 30, "interval": 2, "timeout": 9}), ids,
		0)
	require.NoError(t, err)
	require.Equal(t, time.Second, b.Delay, "the bound of the arbiter counts for both")
	for _, delay := range []time.Duration{time.Second / 2, time.Second, 2 * time.Second} {
		b, err := detect.Under(locks, detect.Deadline{Delay: delay})
		require.NoError(t, err)
		require.Equal(t, min(delay, time.Second), b.Delay, "the smaller bound counts")
	}
	locks, err = mutex.Arbiter(mutex.Config{Election: catalog.All()[0], Delay: 1})
	require.NoError(t, err)
	shortest, err := detect.Under(locks, detect.Deadline{Delay: 2})
	require.NoError(t, err)
	require.EqualValues(t, 1, shortest.Delay)
	_, err = scenario.Configure(a, values(map[string]float64{"lease": 0.01}), ids, 0)
	require.ErrorContains(t, err, "params.lease")
}

// TestFailOver: where the leader of any algorithm crashes, the others agree on another one in the time that
// the detector takes, and a while for the election.
func TestFailOver(t *testing.T) {
	for i, within := range []time.Duration{time.Second, 700 * time.Millisecond, 2500 * time.Millisecond,
		time.Second} {
		for _, a := range under(t, detectors[i]) {
			for n := 2; n <= 5; n++ {
				in := scenario.Input{Algorithm: a, IDs: []election.ID{3, 9, 4, 1, 7}[:n]}
				if a.SingleInitiator {
					in.Initiators = in.IDs[:1]
				}
				s, err := sim.New(sim.Config{Input: in, Until: 5 * time.Second, Schedule: sim.RandomDelay,
					Delay: sim.Delay{Min: 1, Max: 5 * time.Millisecond}, Seed: uint64(n)})
				require.NoError(t, err)
				require.NoError(t, s.Run(t.Context()))
				first := s.Result()
				require.NoError(t, first.Err(), "%s, %d", a.Title(), n)
				s.Crash(slices.Index(in.IDs, first.Leader))
				s.Extend(5*time.Second + within)
				require.NoError(t, s.Run(t.Context()))
				next := s.Result()
				require.NoError(t, next.Err(), "%s, %d", a.Title(), n)
				require.NotEqual(t, first.Leader, next.Leader)
				last := next.ByKind[len(next.ByKind)-1]
				require.Equal(t, "beat", last.Kind)
				require.Greater(t, last.Count, next.Messages/2, "%s, %d", a.Title(), n)
			}
		}
	}
}

// member runs a process until ctx ends, and returns its process.
func member(ctx context.Context, t *testing.T, all *sync.WaitGroup, c process.Config,
	network *memory.Network) *process.Process {
	t.Helper()
	var err error
	c.Transport, err = network.Endpoint(c.Self.ID)
	require.NoError(t, err)
	p, err := process.New(c)
	require.NoError(t, err)
	all.Go(func() {
		_ = p.Run(ctx)
		_ = c.Transport.Close()
	})
	return p
}

// TestProcesses: the same over a transport. The leader ends without a word, then comes back with what it had
// saved, and all agree each time.
func TestProcesses(t *testing.T) {
	for _, a := range under(t, detect.Deadline{}) {
		synctest.Test(t, func(t *testing.T) { failOver(t, a) })
	}
	for _, d := range detectors[1:] {
		synctest.Test(t, func(t *testing.T) { failOver(t, under(t, d)[2]) })
	}
}

func failOver(t *testing.T, a *election.Algorithm) {
	const second = time.Second
	var all sync.WaitGroup
	network := memory.New()
	members := []election.Rank{{ID: 2}, {ID: 3}, {ID: 1}}
	ends := make(map[election.ID]context.CancelFunc)
	processes := make(map[election.ID]*process.Process)
	saved := map[election.ID]*[]byte{1: new([]byte), 2: new([]byte), 3: new([]byte)}
	begin := func(self election.Rank, founding bool) {
		ctx, end := context.WithCancel(t.Context())
		ends[self.ID] = end
		kept := saved[self.ID]
		processes[self.ID] = member(ctx, t, &all, process.Config{Algorithm: a, Self: self, Peers: members,
			Founding: founding, Saved: *kept,
			Save: func(b []byte) error { *kept = slices.Clone(b); return nil }}, network)
	}
	for _, self := range members {
		begin(self, true)
	}
	agreed := func(what string) (leads election.Outcome) {
		t.Helper()
		time.Sleep(5 * second) // virtual
		synctest.Wait()
		for _, p := range processes {
			o := p.Outcome()
			require.NotEqual(t, election.Undecided, o.Role, "%s %s", a.Title(), what)
			require.True(t, leads == election.Outcome{} || leads.Leader == o.Leader, "%s %s", a.Title(), what)
			if leads = o; processes[o.Leader.ID] == nil {
				t.Errorf("%s %s: %d is down, and leads", a.Title(), what, o.Leader.ID)
			}
		}
		return leads
	}
	require.NoError(t, processes[1].Start())
	first := agreed("at first")
	ends[first.Leader.ID]()
	delete(processes, first.Leader.ID)
	next := agreed("after a crash")
	require.True(t, first.Before(next))
	begin(first.Leader, false)
	last := agreed("after a return")
	require.True(t, next.Before(last))
	for _, end := range ends {
		end()
	}
	all.Wait()
}

// TestSoak: random crashes, returns and pauses, on networks within the bound on delays, over every algorithm,
// and over locks whose arbiter it elects.
func TestSoak(t *testing.T) {
	runs := uint64(4)
	if *detect.Long {
		runs = 40
	}
	for _, d := range detectors {
		all := under(t, d)
		for _, a := range all[:len(all):len(all)] {
			if !*detect.Long && a.Name != "lcr" {
				continue
			}
			over, err := mutex.Arbiter(mutex.Config{Election: a, Delay: time.Second})
			require.NoError(t, err)
			all = append(all, over)
		}
		arbiter, err := mutex.Arbiter(mutex.Config{Election: catalog.All()[0]})
		require.NoError(t, err)
		ring, err := mutex.TokenRing(mutex.Config{Bridge: true, Regenerate: 20 * sim.Unit})
		require.NoError(t, err)
		for _, above := range []*election.Algorithm{arbiter, ring} {
			with, err := detect.Under(above, d)
			require.NoError(t, err)
			all = append(all, with)
		}
		for _, a := range all {
			r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Runs: runs, Processes: 5})
			require.NoError(t, err)
			if r.Failure != nil {
				t.Errorf("%s %v: %v: %s", a.Title(), a.Params.Names(), r.Failure.Violation,
					r.Failure.Smallest.Describe())
			}
		}
	}
}

// TestLateSignOfLife: a process crashed twice in a short time, and its last message came after a report
// of the second crash. The overlay took that for a sign of life, and the detector, which had been
// reported to as well, never suspected the process again: no election ended.
func TestLateSignOfLife(t *testing.T) {
	a, err := catalog.Find("echo", "extinction")
	require.NoError(t, err)
	a, err = detect.Under(a, detect.Phi{})
	require.NoError(t, err)
	r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Runs: 1, Processes: 6, Profile: soak.Chaos,
		Seed: 6069})
	require.NoError(t, err)
	require.Nil(t, r.Failure)
}
