package electiontest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/local"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// settling is the virtual time within which processes must complete an election.
const settling = 5000 * scenario.Unit

// goroutines runs elections with processes as goroutines, each election in a bubble with its own clock.
func goroutines(t *trial) error {
	sizes := t.sizes(t.Processes)
	for seed := range uint64(6) {
		in, err := t.input(shuffled(sizes[int(seed)%len(sizes)], seed))
		if err != nil {
			return err
		}
		for _, driver := range drivers() {
			if driver.ends && t.NeverQuiesces {
				continue // it would run forever
			}
			short, bound := bounded(in)
			synctest.Test(t.t, func(bubble *testing.T) {
				// The bubble has its own context, and the trial continues after it.
				inside := *t
				inside.t, inside.ctx = bubble, bubble.Context()
				err = driver.drive(&inside, short)
			})
			if err = bound.or(err); err != nil {
				return fmt.Errorf("by %s, among %v: %w", driver.name, in.IDs, err)
			}
		}
	}
	return nil
}

// driver runs an election with goroutines.
type driver struct {
	name  string
	drive func(t *trial, in scenario.Input) error
	ends  bool // ends when nothing is left to happen, not before
}

func drivers() []driver {
	return []driver{
		{name: "package local", drive: locally, ends: true},
		{name: "a transport in memory", drive: overTransport},
	}
}

// locally runs an election with package local.
func locally(t *trial, in scenario.Input) error {
	ctx, cancel := context.WithTimeout(t.ctx, settling)
	defer cancel()
	r, err := local.Run(ctx, local.Config{Input: in})
	if err != nil {
		return err
	}
	return t.judge(&in, &r.Result)
}

// judge checks the result of an election without failures.
func (t *trial) judge(in *scenario.Input, r *verdict.Result) error {
	if t.Elects == election.NoLeader {
		return nil
	}
	return in.Elected(r)
}

// overTransport runs an election with package process, over links with a delay of one unit, or half a unit.
func overTransport(t *trial, in scenario.Input) error {
	model := faults.Config{Min: scenario.Unit}
	if t.Synchronous {
		// If a timer and a message are due at the same instant, a bubble may fire the timer first, and the
		// message is late.
		model.Min = scenario.Unit / 2
	}
	if t.Faults.Loss {
		model.Plan.Loss = 0.2
	}
	links, err := faults.NewLinks(model)
	if err != nil {
		return err
	}
	net := memory.New()
	var all []*process.Process
	var ends []election.Transport
	for p, id := range in.IDs {
		end, err := net.Endpoint(id)
		if err != nil {
			return err
		}
		end = links.Over(end)
		c, err := processConfig(&in, p)
		if err != nil {
			return err
		}
		c.Transport = end
		process, err := process.New(c)
		if err != nil {
			return err
		}
		all, ends = append(all, process), append(ends, end)
	}
	ctx, cancel := context.WithCancel(t.ctx)
	var running sync.WaitGroup
	ended := make([]error, len(all))
	for p, process := range all {
		running.Go(func() { ended[p] = process.Run(ctx) })
	}
	// This is the virtual time of the bubble.
	if t.NeverQuiesces {
		time.Sleep(settling / 10) // after this, nearly all events would be heartbeats
	} else {
		time.Sleep(settling)
	}
	poll := verdict.Beliefs{Groups: t.Algorithm.Elects == election.GroupLeaders}
	for _, p := range all {
		poll.Add(p.Outcome(), true)
	}
	cancel()
	running.Wait()
	// Close them even after an error: a timer of a delayed packet would outlive the trial.
	closed := make([]error, len(ends))
	for p, end := range ends {
		closed[p] = end.Close()
	}
	if err := cmp.Or(early(in.IDs, ended), cmp.Or(closed...)); err != nil {
		return err
	}
	var r verdict.Result
	poll.Fill(&r)
	return t.judge(&in, &r)
}

// early returns the error of the first process that ended without being canceled, since processes end by
// cancellation only. The others most likely ended for the same reason and are omitted.
func early(ids []election.ID, ended []error) error {
	for p, err := range ended {
		switch {
		case err == nil:
			return fmt.Errorf("process %d ended before it was cancelled, without an error", ids[p])
		case !errors.Is(err, context.Canceled):
			return err
		}
	}
	return nil
}

// processConfig returns the Config of a process of an input.
func processConfig(in *scenario.Input, p int) (process.Config, error) {
	c := process.Config{Algorithm: in.Algorithm, Founding: true}
	err := c.Place(in.Topology, in.Ranks(), p)
	starters := in.Starters()
	c.Start = starters == nil || slices.Contains(starters, in.IDs[p])
	return c, err
}
