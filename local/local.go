// Package local runs a whole election in this process: its participants are goroutines, and run
// the same production Nodes that run between services.
//
// Every process has an unbounded mailbox, so that no sender ever waits and no ring of senders can come to a
// standstill; links keep the order. Messages are counted by kind, exactly, and the run ends when nothing is
// left to happen: no message is under way, and no timer runs.
//
// A process begins as a goroutine of its own. Once it has nothing to do it has none, and costs no
// stack; when something comes for it, the goroutine that sent it goes on as that process if it has
// nothing else to do, or makes a new one. No Node is ever stepped by two goroutines at a time.
// A process that has set a timer keeps its goroutine, and so does one that is to start late, crash
// or come back.
//
// # Limitations
//
// Time is real here, and messages take next to none, so of things that are due at about the same
// time any may come first. Processes may start late, crash, and come back without
// their state, but not with it, and they do not pause. Links lose and duplicate nothing. Package sim
// can do all that.
package local

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// MaxProcesses is how many processes can be run. A million need some gigabytes of memory.
const MaxProcesses = 2_000_000

// Config is a run: what to run, and where it is reported.
type Config struct {
	scenario.Input

	// Unit is how long one unit of the Input's time, a [scenario.Unit], lasts in real time: timers, starts,
	// crashes and returns scale with it. Nodes see the times of the Input. If zero, one [scenario.Unit].
	Unit time.Duration

	// Log receives how the run begins and ends. If nil, that is discarded.
	Log *slog.Logger

	// Progress, if not nil, is called now and then with the messages delivered so far.
	Progress func(delivered uint64)

	// Observe, if not nil, receives all that happens, one occurrence at a time: the processes wait
	// for it, and for each other.
	Observe observe.Observer
}

// Result is what came out of a run.
type Result struct {
	verdict.Result
	Steps uint64        // messages delivered
	Wall  time.Duration // from the first step to the last, building excluded
}

// Elect lets processes of these IDs elect a leader on the links that the algorithm is made for, see
// [scenario.Default]. All processes start, or the only one that may. The error wraps [verdict.ErrNoLeader] if
// they come to no agreement. For an algorithm that never comes to rest use [Run], and end it by ctx.
func Elect(ctx context.Context, alg *election.Algorithm, ids ...election.ID) (Result, error) {
	r, err := Run(ctx, Config{Input: scenario.Input{Algorithm: alg, IDs: ids}})
	if err == nil {
		err = r.Err()
	}
	return r, err
}

// Run runs an election to its end. It returns early, with an error and what had come out by then, when ctx
// ends, even while it still builds. An algorithm that [election.Algorithm.NeverQuiesces] runs until ctx
// ends; a ctx that cannot end, such as context.Background(), is then an error that wraps
// [election.ErrInput]. A start that the algorithm refuses does not stop the run: the Result is whole,
// and the error, an [observe.ProcessError], names one of them.
func Run(ctx context.Context, c Config) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, stopped(ctx)
	}
	if err := c.check(); err != nil {
		return Result{}, err
	}
	if c.Algorithm.NeverQuiesces && ctx.Done() == nil {
		return Result{}, input.Errorf("context: %s never comes to rest, and nothing ends this context; "+
			"context.WithTimeout gives it an end", c.Algorithm.Title())
	}
	r, err := newRun(ctx, c)
	if err != nil {
		return Result{}, err
	}
	r.log.Debug("election begins", "algorithm", c.Algorithm.Title(), "processes", len(c.IDs))
	err = r.run(ctx)
	// The result is read even after an error: Run promises what had come out by then.
	res := r.result()
	r.log.Debug("election ends", "leader", uint64(res.Leader), "messages", res.Messages, "wall", res.Wall,
		"err", err)
	return res, err
}

func stopped(ctx context.Context) error {
	return fmt.Errorf("local: stopped early: %w", context.Cause(ctx))
}

// check completes the Input and refuses what needs a virtual clock.
func (c *Config) check() error {
	if n := len(c.IDs); n > MaxProcesses {
		return input.Errorf("ids: %d processes, at most %d run as goroutines", n, MaxProcesses)
	}
	if err := c.Check(); err != nil {
		return err
	}
	switch {
	case c.Unit < 0:
		return input.Errorf("unit: %v cannot last", c.Unit)
	case c.Unit == 0:
		c.Unit = scenario.Unit
	}
	switch {
	case len(c.RestartAt) > 0:
		return input.Errorf("restart_at: restarts need the simulator's clock")
	case len(c.PauseAt) > 0:
		return input.Errorf("pause_at: pauses need the simulator's clock")
	case c.WrongClocks():
		return input.Errorf("clock_rates: clocks that are wrong need the simulator's clock")
	case len(c.Faults.Partitions) > 0:
		return input.Errorf("partitions: cut links need the simulator's clock")
	case c.Algorithm.Synchronous && (c.Starts() < len(c.IDs) || len(c.StartTimes) > 0):
		return input.Errorf("initiators: unless all start at once %s needs messages that all take as long, "+
			"and so the simulator's clock", c.Algorithm.Title())
	}
	for _, f := range []struct {
		name string
		of   float64
	}{{"loss", c.Faults.Loss}, {"duplicate", c.Faults.Duplicate}, {"reorder", c.Faults.Reorder}} {
		if f.of != 0 {
			return input.Errorf("%s: %v needs the simulator's links; here they lose and change nothing",
				f.name, f.of)
		}
	}
	return nil
}
