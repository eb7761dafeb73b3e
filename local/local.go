// Package local runs a whole election in the current process. Its participants are goroutines that run the same
// Nodes as services do.
//
// Every process has an unbounded mailbox, so that no sender waits and no cycle of senders can deadlock. Links
// deliver in order. Messages are counted exactly, by kind. The run ends when nothing is left to happen: no
// message is in flight, and no timer is running.
//
// Each process starts as a goroutine of its own. An idle process has no goroutine and needs no stack. When a
// message arrives for it, the sender's goroutine continues as that process if it has nothing else to do, or
// starts a new goroutine. No two goroutines step the same Node at the same time. A process keeps its goroutine
// if it has set a timer or is to start late, crash or recover.
//
// # Limitations
//
// Time is real and message delays are close to zero, so events that are due at about the same time occur in any
// order. Processes may start late, crash, and recover without their state. They cannot recover with their state
// or pause, and links neither lose nor duplicate messages. Package sim supports all of these.
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

// MaxProcesses is the maximum number of processes. A million processes need some gigabytes of memory.
const MaxProcesses = 2_000_000

// Config describes a run.
type Config struct {
	scenario.Input

	// Unit is the real duration of one unit of the Input's time, a [scenario.Unit]. It scales timers, starts,
	// crashes and recoveries; Nodes see the times of the Input. If zero, one [scenario.Unit].
	Unit time.Duration

	// Log receives a record when the run begins and ends. If nil, nothing is logged.
	Log *slog.Logger

	// Progress, if not nil, is called periodically with the number of messages delivered so far.
	Progress func(delivered uint64)

	// Observe, if not nil, receives every occurrence, one at a time: the processes wait for it, and for each
	// other.
	Observe observe.Observer
}

// Result is the result of a run.
type Result struct {
	verdict.Result
	Steps uint64        // messages delivered
	Wall  time.Duration // from the first step to the last, excluding setup
}

// Elect elects a leader among processes with these IDs on the topology that the algorithm is made for; see
// [scenario.Default]. All processes start, or the only one that may. If they do not agree on a leader, the
// error wraps [verdict.ErrNoLeader]. For an algorithm that never comes to rest use [Run], and end it by ctx.
func Elect(ctx context.Context, alg *election.Algorithm, ids ...election.ID) (Result, error) {
	r, err := Run(ctx, Config{Input: scenario.Input{Algorithm: alg, IDs: ids}})
	if err == nil {
		err = r.Err()
	}
	return r, err
}

// Run runs an election until it ends. If ctx ends earlier, even during setup, Run returns an error and the
// results so far. An algorithm that [election.Algorithm.NeverQuiesces] runs until ctx ends; if ctx cannot end,
// as context.Background() cannot, the error wraps [election.ErrInput]. A start that the algorithm refuses does
// not stop the run: the Result is complete, and the error is an [observe.ProcessError] for one of the refused
// starts.
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
	// Read the result even after an error: Run returns the results so far.
	res := r.result()
	r.log.Debug("election ends", "leader", uint64(res.Leader), "messages", res.Messages, "wall", res.Wall,
		"err", err)
	return res, err
}

func stopped(ctx context.Context) error {
	return fmt.Errorf("local: stopped early: %w", context.Cause(ctx))
}

// check completes the Input and rejects settings that need a virtual clock.
func (c *Config) check() error {
	if n := len(c.IDs); n > MaxProcesses {
		return input.Errorf("ids: %d processes, at most %d run as goroutines", n, MaxProcesses)
	}
	if err := c.Check(); err != nil {
		return err
	}
	switch {
	case c.Unit < 0:
		return input.Errorf("unit: %v is negative", c.Unit)
	case c.Unit == 0:
		c.Unit = scenario.Unit
	}
	switch {
	case len(c.RestartAt) > 0:
		return input.Errorf("restart_at: restarts need the simulator's clock")
	case len(c.Commands) > 0:
		return input.Errorf("commands: commands need the simulator's clock")
	case len(c.PauseAt) > 0:
		return input.Errorf("pause_at: pauses need the simulator's clock")
	case c.WrongClocks():
		return input.Errorf("clock_rates: clocks that are wrong need the simulator's clock")
	case len(c.Faults.Partitions) > 0:
		return input.Errorf("partitions: cut links need the simulator's clock")
	case c.Algorithm.Synchronous && (c.Starts() < len(c.IDs) || len(c.StartTimes) > 0):
		return input.Errorf("initiators: unless all processes start simultaneously, %s needs equal message delays, "+
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
