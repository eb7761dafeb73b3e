package process_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// TestScenariosOverTransport: worked examples whose counts do not depend on the schedule, run by
// one Process each over the transport in memory, as services would over theirs.
func TestScenariosOverTransport(t *testing.T) {
	catalogtest.Scenarios(t, examples, func(t *testing.T, s *scenario.Scenario, in scenario.Input) {
		if !s.AnySchedule || s.Draws != nil { // a process draws by itself
			return
		}
		synctest.Test(t, func(t *testing.T) { overTransport(t, s, in) })
	})
}

func overTransport(t *testing.T, s *scenario.Scenario, in scenario.Input) {
	processes := overMemory(t, in)
	var running sync.WaitGroup
	for _, p := range processes {
		running.Go(func() {
			if err := p.Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	synctest.Wait() // until no process has a message
	require.False(t, undecided(processes))
	r := judged(processes, processes) // they believe nothing once they have ended
	for _, p := range processes {
		p.Close()
	}
	running.Wait()
	sent := judged(processes, nil)
	r.Messages, r.ByKind = sent.Messages, sent.ByKind
	require.Equal(t, *s.Expect.Messages, received(processes))
	require.NoError(t, s.Expect.Compare(&r, nil))
}

// examples is the directory of the worked examples.
const examples = "../testdata/scenarios"

// undecided reports whether some process has not decided yet.
func undecided(processes []*process.Process) bool {
	return slices.ContainsFunc(processes, func(p *process.Process) bool {
		return p.Outcome().Role == election.Undecided
	})
}

// overMemory makes a Process of every process of an input.
func overMemory(t *testing.T, in scenario.Input) []*process.Process {
	t.Helper()
	transports := inMemory(t, memory.New())
	processes := make([]*process.Process, len(in.IDs))
	for p, id := range in.IDs {
		c := configOf(t, &in, p)
		c.Transport = transports(id)
		t.Cleanup(func() { require.NoError(t, c.Transport.Close()) })
		starters := in.Starters()
		c.Start = starters == nil || slices.Contains(starters, id)
		var err error
		processes[p], err = process.New(c)
		require.NoError(t, err)
	}
	return processes
}

// configOf returns a process of an input, without a transport.
func configOf(t *testing.T, in *scenario.Input, p int) process.Config {
	t.Helper()
	c := process.Config{Algorithm: in.Algorithm, Founding: true}
	require.NoError(t, c.Place(in.Topology, in.Ranks(), p))
	return c
}

func received(processes []*process.Process) (sum uint64) {
	for _, p := range processes {
		sum += p.Stats().Received
	}
	return sum
}

// judged adds up what the processes have sent, and what those believe that are up.
func judged(all, up []*process.Process) (r verdict.Result) {
	var poll verdict.Beliefs
	kinds := make(map[string]uint64)
	for _, p := range all {
		s := p.Stats()
		r.Messages += s.Sent
		for _, k := range s.ByKind {
			kinds[k.Kind] += k.Count
		}
	}
	for _, p := range up {
		poll.Add(p.Outcome(), true)
	}
	for kind, n := range kinds {
		r.ByKind = append(r.ByKind, observe.KindCount{Kind: kind, Count: n})
	}
	poll.Fill(&r)
	return r
}

// TestScenariosOnTheClock: worked examples on complete graphs, with the timers and the transport of services,
// on links with a delay of one unit. Leader and counts are the same as in the simulator, because in these
// examples no timer fires when a message is due at the same process, and the order of two messages that are due
// does not matter. In others the result is undetermined: the clock of a bubble stands still until every
// goroutine waits, and events that are due at one instant wake goroutines that run in any order, whereas the
// simulator delivers messages before timers.
func TestScenariosOnTheClock(t *testing.T) {
	checked := 0
	catalogtest.Scenarios(t, examples, func(t *testing.T, s *scenario.Scenario, in scenario.Input) {
		if in.Topology.Shape() != election.Complete || s.Schedule == "random" || len(in.PauseAt) > 0 ||
			in.Faults.Chance() {
			return
		}
		// Of a start and a message that are due at one instant, the clock of synctest may take either
		// first; the simulator takes the start.
		if len(in.StartTimes) > 0 && !s.AnySchedule {
			return
		}
		// Where any process may lead, the order of two messages decides which, and so how many there are.
		if in.Algorithm.Winner == nil && !s.AnySchedule {
			return
		}
		checked++
		synctest.Test(t, func(t *testing.T) {
			r := onTheClock(t, &in)
			require.NoError(t, s.Expect.Compare(&r, nil))
		})
	})
	require.GreaterOrEqual(t, checked, 8)
}

// TestFaultsOnTheClock: crashes, recoveries with and without state, and partitions have the same effect on the
// clock as in the simulator, if no two events are due at the same instant.
func TestFaultsOnTheClock(t *testing.T) {
	const u = scenario.Unit
	at := func(id election.ID, time time.Duration) []scenario.At {
		return []scenario.At{{ID: id, Time: time}}
	}
	cut := func(p fault.Partition) fault.Plan { return fault.Plan{Partitions: []fault.Partition{p}} }
	for name, in := range map[string]scenario.Input{
		"crash":   {Initiators: ids{1}, Crashed: ids{6}, CrashAt: at(5, 7*u/2)},
		"at once": {Initiators: ids{1}, CrashAt: at(6, u)},
		"return":  {Initiators: ids{5}, CrashAt: at(6, u/2), RecoverAt: at(6, 20*u)},
		"restart": {Initiators: ids{5}, CrashAt: at(4, 10*u), RestartAt: at(4, 20*u)},
		"late":    {Initiators: ids{5, 1}, StartTimes: []time.Duration{0, 20 * u}},
		"partition": {Initiators: ids{5, 1}, StartTimes: []time.Duration{0, 5 * u / 2},
			Faults: cut(fault.Partition{From: 2 * u, Until: 30 * u, Groups: []ids{{1, 2, 3}}})},
		"one way": {Initiators: ids{1, 5}, StartTimes: []time.Duration{0, 40 * u},
			Faults: cut(fault.Partition{Until: 30 * u, Groups: []ids{{6}}, OneWay: true})},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			in.Algorithm, err = bully.Rules(bully.Config{})
			require.NoError(t, err)
			in.IDs = ids{1, 2, 3, 4, 5, 6}
			want, err := sim.Run(t.Context(), sim.Config{Input: in})
			require.NoError(t, err)
			require.NoError(t, in.Check())
			synctest.Test(t, func(t *testing.T) {
				r := onTheClock(t, &in)
				require.Equal(t, want.Leader, r.Leader)
				require.Equal(t, want.Claimants, r.Claimants)
				require.ElementsMatch(t, want.ByKind, r.ByKind)
			})
		})
	}
}

type ids = []election.ID

// onTheClock runs an input in a bubble until nothing can happen any more.
func onTheClock(t *testing.T, in *scenario.Input) verdict.Result {
	t.Helper()
	links, err := faults.NewLinks(faults.Config{Plan: in.Faults, Min: scenario.Unit})
	require.NoError(t, err)
	transports := inMemory(t, memory.New())
	c := &cluster{t: t, in: in, machines: make([]machine, len(in.IDs))}
	for p, id := range in.IDs {
		c.machines[p].transport = links.Over(transports(id))
		c.machines[p].crash = func() {}
		if slices.Contains(in.Crashed, id) {
			c.discard(p)
		} else {
			c.run(p, configOf(t, in, p))
		}
	}
	begin := time.Now()
	for _, e := range c.events() {
		time.Sleep(e.at - time.Since(begin))
		synctest.Wait()
		e.do()
	}
	time.Sleep(1000 * scenario.Unit)
	synctest.Wait()
	var up []*process.Process
	for p := range c.machines {
		if c.machines[p].process != nil {
			up = append(up, c.machines[p].process)
		}
	}
	r := judged(c.all, up)
	for p := range c.machines {
		c.machines[p].crash()
		require.NoError(t, c.machines[p].transport.Close())
	}
	return r
}

// cluster is the processes of an input on the clock.
type cluster struct {
	t        *testing.T
	in       *scenario.Input
	machines []machine
	all      []*process.Process // that there ever were
}

// machine is the place where a process runs, or none.
type machine struct {
	transport election.Transport
	process   *process.Process // nil while it is down
	crash     func()           // ends what reads the transport
	saved     []byte
}

// event is something that happens to a process from outside.
type event struct {
	at time.Duration
	do func()
}

// events returns all planned events, in order. A crash happens slightly early, so that it precedes messages of
// the same time.
func (c *cluster) events() (all []event) {
	where := c.in.Positions()
	list := func(at []scenario.At, do func(p int)) {
		for _, a := range at {
			all = append(all, event{a.Time, func() { do(where[a.ID]) }})
		}
	}
	for _, a := range c.in.CrashAt {
		list([]scenario.At{{ID: a.ID, Time: a.Time - 1}}, c.discard)
	}
	starters := c.in.Starters()
	if starters == nil {
		starters = c.in.IDs
	}
	for i, id := range starters {
		at := scenario.At{ID: id}
		if len(c.in.StartTimes) > 0 {
			at.Time = c.in.StartTimes[i]
		}
		list([]scenario.At{at}, c.start)
	}
	list(c.in.RecoverAt, func(p int) { c.rejoin(p, nil) })
	list(c.in.RestartAt, func(p int) { c.rejoin(p, c.machines[p].saved) })
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return all
}

// run runs a process until it crashes.
func (c *cluster) run(p int, config process.Config) {
	m := &c.machines[p]
	config.Transport = m.transport
	config.Save = func(state []byte) error {
		m.saved = slices.Clone(state)
		return nil
	}
	process, err := process.New(config)
	require.NoError(c.t, err)
	m.process = process
	c.all = append(c.all, process)
	c.read(p, process.Run)
}

// read begins to read the transport of a process.
func (c *cluster) read(p int, reader func(context.Context) error) {
	m := &c.machines[p]
	m.crash()
	ctx, cancel := context.WithCancelCause(c.t.Context())
	ended := make(chan error)
	go func() { ended <- reader(ctx) }()
	m.crash = func() {
		cancel(errCrash)
		require.ErrorIs(c.t, <-ended, errCrash)
	}
}

var begin = election.Event{Op: election.Start}

var errCrash = errors.New("crash")

// discard throws away what is sent to a process that is down.
func (c *cluster) discard(p int) {
	m := &c.machines[p]
	m.process = nil
	c.read(p, func(ctx context.Context) error {
		for {
			if _, err := m.transport.Recv(ctx); err != nil {
				return err
			}
		}
	})
}

func (c *cluster) start(p int) {
	if process := c.machines[p].process; process != nil {
		require.NoError(c.t, process.Start())
	}
}

func (c *cluster) rejoin(p int, saved []byte) {
	if c.machines[p].process == nil {
		config := configOf(c.t, c.in, p)
		config.Founding, config.Saved = false, saved
		c.run(p, config)
	}
}
