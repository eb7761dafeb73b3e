package electiontest

import (
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
)

// leaving holds elections in which each process leaves as soon as it knows of the end, as drivers let it. The
// others must come to know it all the same.
func leaving(t *trial) error {
	for seed := range min(t.Seeds, 20) {
		in, err := t.input(shuffled(t.size(seed), seed))
		if err != nil {
			return err
		}
		in, bound := bounded(in)
		r, err := leave(sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed,
			Unordered: !t.NeedsFIFO && seed%2 == 1})
		if err = bound.or(err); err == nil {
			err = in.Elected(&r)
		}
		if err != nil {
			return fmt.Errorf("%s, seed %d, where a process that has called Env.Done leaves: %w; "+
				"is it still needed, so that its RelaysAfterEnd must be true?", among(&in), seed, err)
		}
	}
	return nil
}

// leave makes a run in which a process goes down once it knows of the end, and returns what all have come to.
func leave(c sim.Config) (r verdict.Result, err error) {
	s, err := sim.New(c)
	if err != nil {
		return r, err
	}
	left := make(map[int]election.Outcome)
	for s.Step() {
		for p := range c.IDs {
			if _, gone := left[p]; !gone && s.Ended(p) {
				left[p] = s.Outcome(p)
				// In the simulator a process that leaves is one that crashes: nothing that is sent to it
				// arrives.
				s.Crash(p)
			}
		}
	}
	var beliefs verdict.Beliefs
	for p := range c.IDs {
		belief, ended := left[p]
		if !ended {
			belief = s.Outcome(p)
		}
		beliefs.Add(belief, ended)
	}
	beliefs.Fill(&r)
	return r, s.Err()
}
