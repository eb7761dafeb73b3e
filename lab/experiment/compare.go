package experiment

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// Comparison compares algorithms. Each algorithm elects several times among every number of processes. Trial
// k of each size has the seed Seed + k. All algorithms therefore have the processes in the same order, and
// `elect sim` with that seed shows the same election.
type Comparison struct {
	Algorithms []*election.Algorithm
	Sizes      []int     // numbers of processes
	Seeds      int       // how many trials of each; if zero, 20
	Seed       uint64    // of the first trial
	Order      sim.Order // how processes are arranged; if empty, [sim.RandomOrder], another one for each seed

	// FormsOnly leaves out the trials: there are only the closed forms.
	FormsOnly bool

	// Prepare, if not nil, changes a run before it is checked: its links, initiators or faults. The run has
	// the algorithm, the seed, and the IDs 1 to n in this order; they are arranged afterwards. Several
	// goroutines call Prepare simultaneously.
	Prepare func(*sim.Config) error

	// Progress, if not nil, is called after each trial, by one goroutine at a time.
	Progress func(done, total int)
}

// The bounds of a [Comparison].
const (
	MostAlgorithms = 50
	MostSizes      = 10_000
	MostSeeds      = 1_000_000
	MostTrials     = 10_000_000 // of all together
)

// Cell is what came out for one algorithm and one number of processes.
type Cell struct {
	Algorithm *election.Algorithm // as Prepare has left it
	N         int
	Links     string // a description of the links of the first trial
	Ports     int    // that the processes have in all, two for each link of a graph, in the first trial

	Messages Spread // all zero if there are no trials
	Time     Spread // until the last message has arrived, in units
	Bits     Spread

	// Best, Mean and Worst are the numbers of messages from the closed forms of the algorithm, NaN if there
	// is none. They assume that all processes are up and start, or the only one that may.
	Best, Mean, Worst float64
}

// Spread is how a number is distributed over the trials.
type Spread struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// Complete fills in what is not given. The error wraps [election.ErrInput].
func (c *Comparison) Complete() error {
	if c.Seeds == 0 {
		c.Seeds = 20
	}
	if c.Order == "" {
		c.Order = sim.RandomOrder
	}
	switch {
	case len(c.Algorithms) < 1 || len(c.Algorithms) > MostAlgorithms:
		return input.Errorf("%d algorithms, it must be from 1 to %d", len(c.Algorithms), MostAlgorithms)
	case len(c.Sizes) < 1 || len(c.Sizes) > MostSizes:
		return input.Errorf("%d sizes, it must be from 1 to %d", len(c.Sizes), MostSizes)
	case c.Seeds < 1 || c.Seeds > MostSeeds:
		return input.Errorf("%d seeds, it must be from 1 to %d", c.Seeds, MostSeeds)
	case len(c.Algorithms)*len(c.Sizes)*c.Seeds > MostTrials:
		return input.Errorf("%d algorithms, %d sizes and %d seeds make %d elections, at most %d can be",
			len(c.Algorithms), len(c.Sizes), c.Seeds, len(c.Algorithms)*len(c.Sizes)*c.Seeds, MostTrials)
	case !slices.Contains(sim.Orders(), c.Order):
		return input.Errorf("order %.60q is not one of random, sorted, best, worst", c.Order)
	}
	return c.distinct()
}

// distinct wants every algorithm and every size once, and algorithms that elect.
func (c *Comparison) distinct() error {
	for i, a := range c.Algorithms {
		if err := a.Check(); err != nil {
			return err
		}
		if slices.ContainsFunc(c.Algorithms[:i],
			func(b *election.Algorithm) bool { return a.Title() == b.Title() }) {
			return input.Errorf("%s is there twice", a.Title())
		}
		if a.Elects == election.NoLeader || a.Sections > 0 {
			return input.Errorf("%s guards critical sections: what it takes is counted by the entry, not "+
				"by the election", a.Title())
		}
	}
	for i, n := range c.Sizes {
		switch {
		case n < 1 || n > scenario.MaxProcesses:
			return input.Errorf("%d processes, it must be from 1 to %d", n, scenario.MaxProcesses)
		case slices.Contains(c.Sizes[:i], n):
			return input.Errorf("%d processes are there twice", n)
		}
	}
	return nil
}

// Run carries out all trials and returns a Cell for each size and algorithm, in the order given. It checks
// all runs before the first trial. It uses all cores; the result does not depend on their number. The error
// is from ctx, or describes the first trial that did not elect the right process, which would be a bug.
func (c Comparison) Run(ctx context.Context) ([]Cell, error) {
	if err := c.Complete(); err != nil {
		return nil, err
	}
	cells := make([]Cell, 0, len(c.Sizes)*len(c.Algorithms))
	for _, n := range c.Sizes {
		for _, a := range c.Algorithms {
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			// Build every configuration once before any trial: a mistake in the last size must not show after
			// an hour.
			run, err := c.config(a, n, 0)
			if err != nil {
				return nil, fmt.Errorf("%s, %d processes: %w", a.Title(), n, err)
			}
			cells = append(cells, newCell(run))
		}
	}
	if c.FormsOnly {
		return cells, nil
	}
	trials := make([]trial, len(cells)*c.Seeds)
	err := inParallel(ctx, len(trials), c.Progress, func(i int) error {
		// Trials are numbered cell by cell, so their place does not depend on which worker makes them.
		cell, k := &cells[i/c.Seeds], i%c.Seeds
		var err error
		if trials[i], err = c.try(ctx, c.Algorithms[i/c.Seeds%len(c.Algorithms)], cell.N, k); err != nil &&
			ctx.Err() == nil {
			err = fmt.Errorf("%s, %d processes, seed %d: %w", cell.Algorithm.Title(), cell.N,
				c.Seed+uint64(k), err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range cells {
		some := trials[i*c.Seeds : (i+1)*c.Seeds]
		cells[i].Messages = spread(some, func(t *trial) float64 { return float64(t.messages) })
		cells[i].Time = spread(some, func(t *trial) float64 { return t.time })
		cells[i].Bits = spread(some, func(t *trial) float64 { return float64(t.bits) })
	}
	return cells, nil
}

// newCell is what is known before anything is measured.
func newCell(run *sim.Config) Cell {
	a, n, ports := run.Algorithm, len(run.IDs), run.Topology.Links()
	cell := Cell{Algorithm: a, N: n, Ports: ports, Links: topology.Name(run.Topology), Best: math.NaN(),
		Mean: math.NaN(), Worst: math.NaN()}
	// The closed forms assume that all processes start simultaneously and nothing fails.
	if !allStart(run) {
		return cell
	}
	for _, b := range []struct {
		to *float64
		*cost.Bound
	}{{&cell.Best, &a.Best}, {&cell.Mean, &a.Mean}, {&cell.Worst, &a.Worst}} {
		*b.to = b.At(n, ports)
	}
	return cell
}

// allStart reports whether the bounds of an algorithm hold for a run.
func allStart(run *sim.Config) bool {
	late := func(t time.Duration) bool { return t > 0 }
	return run.Initiators == nil && !slices.ContainsFunc(run.StartTimes, late) && !run.Faults.Any() &&
		len(run.Crashed) == 0 && !run.Disturbed()
}

// trial is what came of one election.
type trial struct {
	messages, bits uint64
	time           float64
}

// try carries out trial k of an algorithm among n processes.
func (c *Comparison) try(ctx context.Context, a *election.Algorithm, n, k int) (trial, error) {
	run, err := c.config(a, n, k)
	if err != nil {
		return trial{}, err
	}
	r, err := sim.Run(ctx, *run)
	if err != nil {
		return trial{}, err
	}
	if err := run.Elected(&r.Result); err != nil {
		return trial{}, err
	}
	return trial{messages: r.Messages, bits: r.Bits, time: float64(r.Time) / float64(sim.Unit)}, nil
}

// config is the run of trial k.
func (c *Comparison) config(a *election.Algorithm, n, k int) (*sim.Config, error) {
	run := &sim.Config{Seed: c.Seed + uint64(k)}
	run.Algorithm, run.IDs = a, upTo(n)
	if c.Prepare != nil {
		if err := c.Prepare(run); err != nil {
			return nil, err
		}
	}
	// Ask after Prepare, which may set the end or another algorithm.
	if run.Algorithm.NeverQuiesces && run.Until == 0 {
		return nil,
			input.Errorf("with heartbeats it never comes to rest, so that there is no whole election " +
				"to " +
				"count")
	}
	if !c.FormsOnly { // which do not depend on it
		if err := c.arrange(run); err != nil {
			return nil, err
		}
	}
	return run, run.Check()
}

// arrange puts the processes in their order. Their IDs are ascending, unless Prepare has arranged them.
func (c *Comparison) arrange(run *sim.Config) error {
	extreme := c.Order == sim.BestOrder || c.Order == sim.WorstOrder
	switch {
	case c.Order == sim.SortedOrder:
	case extreme && !allStart(run):
		return input.Errorf("order: it is the %s case only if all processes start simultaneously", c.Order)
	case !sim.Arrange(&run.Input, c.Order, run.Seed):
		return input.Errorf("order: none is known that is the %s case", c.Order)
	}
	return nil
}

// inParallel calls do for 0 to count-1 on all cores, in ascending order. After an error it starts no more
// calls. It returns the error of the lowest number, so that the result does not depend on timing.
func inParallel(ctx context.Context, count int, progress func(done, total int), do func(i int) error) error {
	var mu sync.Mutex
	next, done, failed := 0, 0, count
	var first error
	begin := func() (i int, more bool) {
		mu.Lock()
		defer mu.Unlock()
		i = next
		next++
		return i, i < count && first == nil && ctx.Err() == nil
	}
	end := func(i int, err error) {
		mu.Lock()
		defer mu.Unlock()
		// Trials end in any order. Report the first by number, so that the same call gives the same error.
		if done++; err != nil && i < failed {
			failed, first = i, err
		}
		if err == nil && progress != nil {
			progress(done, count)
		}
	}
	var working sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count) {
		working.Go(func() {
			for i, more := begin(); more; i, more = begin() {
				end(i, do(i))
			}
		})
	}
	working.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return first
}

func spread(trials []trial, of func(*trial) float64) Spread {
	s := Spread{Min: math.Inf(1), Max: math.Inf(-1)}
	for i := range trials {
		x := of(&trials[i])
		s.Mean += x
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	}
	s.Mean /= float64(len(trials))
	return s
}
