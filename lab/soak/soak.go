// Package soak looks for failures of an algorithm by simulating a great many random elections. Each is drawn from
// one number: a network that fits the algorithm; the number of processes, their IDs, priorities and places; which
// processes start, and when; how long messages take, and whether they may overtake each other; and the faults, within
// the model of the algorithm.
//
// The description of the algorithm determines the faults. If the largest live process is elected
// ([election.LargestOfLive]), processes crash at any moment and recover, with their state or without, and a failure
// detector reports crashes, correctly, sooner or later. If that process is the arbiter of critical sections, one
// process stays up and the others recover with their state. If the algorithm assumes no delay, processes pause. If it
// tolerates them ([election.Faults]), processes pause for longer than messages take, and the links between two groups
// of processes are cut for a while; no detector reports that. All other algorithms get what they need: links that
// keep the order, messages within the delay, processes that stay up.
//
// # Properties
//
// The following must hold in every run. No Node panics or sends over a missing link. At most one process leads in a
// Term, and no process decides twice in a Term. One process at a time is in a critical section, and tokens increase.
// In a run with a long pause or a cut, two processes may lead in a Term or be in a critical section, with tokens in any
// order; when the pause or cut is over, each process asks for the section again, and tokens are larger than all before.
// Then no further fault occurs, the detector reports to each process that its leader is down, and the run must come
// to rest with the leader that the description promises, known to all live processes, all of which must know that
// the election has ended. A run is considered endless after a million steps, or more if there are many processes and
// links, or after 100,000 units of time and a thousand of its longest timers. An endless run is a failure like any
// other, as is a livelock.
//
// A long-lived algorithm continues to elect, and decisions change, so they are not judged during the run. If processes
// recover, two processes may lead in one Term for a while, of which the others follow the larger; otherwise no two
// live processes may. The rest is judged as above: in the end there must be one leader.
//
// If an algorithm promises a leader a group ([election.GroupLeaders]), there may be several groups in the end:
// each process leads, or follows a process that leads in the same Term, and no process begins to lead twice in a
// Term. With heartbeats groups look for each other, and must become one.
//
// An algorithm that never quiesces gets a time instead: it must have its leader 200 of its longest delays, or 20 of
// its longest timers, after the last fault; with heartbeats it must do so by its own means, since the detector reports
// nothing any more. Requests for a critical section may wait for longer, as long as other requests are served. And 50
// units later all processes must still believe the same.
//
// # Failures
//
// Run reports the failing run with the smallest number. It then makes the run smaller as long as it still fails
// ([Shrink]): fewer processes, fewer initiators, fewer crashes, simpler delays. [Plan.Scenario] makes a scenario of
// the result.
//
// The result depends only on the numbers, not on how many workers share the runs.
//
// # Limitations
//
// Voters that change keep their memory: a process that loses it is not drawn with [Voters], unless no group is founded.
//
// Links lose messages only if the algorithm tolerates it; in a run that never comes to rest, some links lose everything
// at a few short times. If critical sections are shared without an arbiter, or with an arbiter that any other election
// elects, no process crashes here.
package soak

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/params"
)

// Config configures a series of runs. Without Runs and Duration it continues until the context ends or a run
// fails.
type Config struct {
	Algorithm *election.Algorithm
	Params    map[string]params.Value // of the algorithm; times are in units

	Seed     uint64        // of the first run; the next has the next one
	Runs     uint64        // how many; if zero, any number
	Duration time.Duration // how long, in real time; if zero, as long as it takes
	Workers  int           // If zero, one a processor. Nothing but speed depends on it.

	// Profile selects what is drawn often. If empty, [Broad].
	Profile Profile
	// Processes is the largest number of processes; if zero, 12. A hypercube has a power of two, a mesh nine
	// at least. Where the description counts the messages of an election, sizes that would take too many are
	// not drawn.
	Processes int

	// Progress, if not nil, is called now and then.
	Progress func(Tally)
}

// Profile selects what is drawn often. All profiles stay within the model of the algorithm.
type Profile string

// The profiles.
const (
	// Broad draws all sizes and delays. Processes crash and come back at any time.
	Broad Profile = ""
	// Chaos draws few processes and random delays. Starts come at any time. Crashes and returns lie next to
	// steps of the run, because some mistakes need a coincidence; a suspicion may come before the last
	// message of its process; and once a process has a leader, the others must find one without being
	// started, unless the description says otherwise ([election.Faults]). It takes twice as long a run.
	Chaos Profile = "chaos"
	// Voters draws groups whose voters change, of algorithms in which they may. Processes wish voters, and return
	// from crashes with other wishes; all return, with what they have saved. Programs change the voters, and take
	// changes back. In the end all processes are restarted with one wish, and the group must agree on these voters.
	Voters Profile = "voters"
)

// Tally is what some runs have come to.
type Tally struct {
	Runs      uint64
	Messages  uint64
	Simulated time.Duration // virtual time
	Crashes   uint64        // of processes that were up
	Hash      uint64        // of everything that happened
}

// add counts one more run.
func (t *Tally) add(o *Outcome) {
	t.Runs++
	t.Messages += o.Messages
	t.Crashes += o.Crashes
	t.Simulated = time.Duration(min(uint64(t.Simulated)+uint64(o.Time), math.MaxInt64))
	// A sum would not notice exchanged runs. The odd constant, 2^64 over the golden ratio, makes the order
	// count.
	t.Hash = (t.Hash ^ o.Hash) * 0x9e3779b97f4a7c15
}

// Result is what came out.
type Result struct {
	Tally   // of all runs up to the first that failed
	Wall    time.Duration
	Failure *Failure // nil if all is well
	Stopped error    // why not all runs were made, nil if they were
}

// Failure is a run that has failed.
type Failure struct {
	Seed      uint64
	Violation *Violation
	Plan      *Plan   // what was run
	Smallest  *Plan   // what is left of it that still fails
	Shrunk    *Shrunk // how that fails
}

// Violation is something that must not be. It wraps [ErrViolated].
type Violation struct {
	Property verdict.Property
	Reason   string
	At       time.Duration // virtual time
}

// ErrViolated is wrapped by every [Violation].
var ErrViolated = input.Sentinel("soak", "a property does not hold")

// Error returns the property that does not hold, and why.
func (v *Violation) Error() string { return fmt.Sprintf("%s: %s", v.Property.Text(), v.Reason) }

// Unwrap returns ErrViolated.
func (v *Violation) Unwrap() error { return ErrViolated }

// errDuration ends runs that have gone on for long enough.
var errDuration = input.Sentinel("soak", "the time is up")

// batch is how many runs the workers share. After each batch the results are added up in order.
const batch = 256

// Run makes runs until one fails. The error wraps [election.ErrInput] if there can be none.
func Run(ctx context.Context, c Config) (Result, error) {
	if err := c.check(); err != nil {
		return Result{}, err
	}
	begin := time.Now()
	working := ctx
	if c.Duration > 0 {
		var cancel context.CancelFunc
		working, cancel = context.WithTimeoutCause(ctx, c.Duration, errDuration)
		defer cancel()
	}
	var r Result
	for c.Runs == 0 || r.Runs < c.Runs {
		size := uint64(batch)
		if c.Runs > 0 {
			size = min(size, c.Runs-r.Runs)
		}
		// Batches are counted in order, so the result does not depend on the number of workers.
		failed, err := r.count(c.runBatch(working, c.Seed+r.Runs, int(size)))
		if err != nil {
			return r, err
		}
		if failed {
			break
		}
		if c.Progress != nil {
			c.Progress(r.Tally)
		}
		if working.Err() != nil {
			r.Stopped = stopped(working, &c, r.Runs)
			break
		}
	}
	r.Wall = time.Since(begin)
	if f := r.Failure; f != nil {
		// Use ctx and not working: a failure at the end of Duration still has to be made small.
		f.Smallest, f.Shrunk = Shrink(ctx, f.Plan, f.Violation)
	}
	return r, nil
}

// stopped returns why there are fewer runs than were asked for.
func stopped(ctx context.Context, c *Config, runs uint64) error {
	err := context.Cause(ctx)
	if c.Runs == 0 && runs > 0 && errors.Is(err, errDuration) {
		return nil // as long as was asked for
	}
	return err
}

func (c *Config) check() error {
	if err := c.Algorithm.Check(); err != nil {
		return err
	}
	switch {
	case c.Duration < 0:
		return input.Errorf("duration: %v cannot last", c.Duration)
	case c.Profile != Broad && c.Profile != Chaos && c.Profile != Voters:
		return input.Errorf("profile: %.40q is not one of %.40q, %.40q and %.40q", c.Profile, Broad, Chaos, Voters)
	case c.Profile == Voters && !slices.ContainsFunc(c.Algorithm.Commands, isWish):
		return input.Errorf("profile: the voters of %s never change; choose another profile than %.40q",
			c.Algorithm.Title(), Voters)
	case c.Processes < 0:
		return input.Errorf("processes: %d", c.Processes)
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	// Draw one plan to find wrong parameters now, and not in the first run.
	_, err := c.Plan(c.Seed)
	return err
}

func isWish(c election.CommandKind) bool { return c.Wish }

// made is a run that was made.
type made struct {
	plan    *Plan
	outcome *Outcome // nil if it was not made, or not to its end
	err     error
}

// runBatch makes the runs of count numbers in a row. When one has failed, those of larger numbers need not be
// made.
func (c *Config) runBatch(ctx context.Context, seed uint64, count int) []made {
	all := make([]made, count)
	var next atomic.Int64
	var first atomic.Int64 // the smallest that has failed
	first.Store(int64(count))
	var working sync.WaitGroup
	for range min(c.Workers, count) {
		working.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= first.Load() || i >= int64(count) || ctx.Err() != nil {
					return
				}
				all[i] = c.runOne(ctx, seed+uint64(i))
				switch m := &all[i]; {
				case m.err == nil && m.outcome == nil: // ctx has ended
					return
				case m.err == nil && m.outcome.Violation == nil:
					// The plans of good runs are not needed, and 256 of them may be large.
					m.plan = nil
					continue
				}
				for {
					// Keep the smallest number, whatever the order in which the workers fail.
					before := first.Load()
					if before <= i || first.CompareAndSwap(before, i) {
						break
					}
				}
			}
		})
	}
	working.Wait()
	return all
}

func (c *Config) runOne(ctx context.Context, seed uint64) made {
	plan, err := c.Plan(seed)
	if err != nil {
		return made{err: fmt.Errorf("seed %d: %w", seed, err)}
	}
	return made{plan: plan, outcome: plan.run(ctx, nil)}
}

// count adds up runs as far as they were made, and reports whether one has failed. It returns the error
// of the first that could not be drawn, if none before it has failed.
func (r *Result) count(all []made) (failed bool, err error) {
	for i := range all {
		o := all[i].outcome
		if o == nil {
			return false, all[i].err
		}
		r.add(o)
		if o.Violation != nil {
			r.Failure = &Failure{Seed: all[i].plan.Number, Violation: o.Violation, Plan: all[i].plan}
			return true, nil
		}
	}
	return false, nil
}
